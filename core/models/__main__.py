"""The process in which a model reads: `python -m core.models`. It ends when its questions do.

A question is a line of JSON, {"model", "text"}. The answer is a line of JSON, {"bytes": n}, and n bytes of a
recording; or {"error": a sentence}.
"""

import json
import os
import sys
from functools import cache

from core.models.files import ModelFileError, load
from core.models.record import record
from core.models.recording import RecordingError

_loaded = cache(load)  # a failure is not kept


def main() -> None:
    """Answer every question."""
    import torch

    torch.set_num_threads(1)  # the app's own process wants the other cores
    # What libraries print must not come between the answers.
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    for line in sys.stdin.buffer:
        question = json.loads(line)
        try:
            packed = record(_loaded(question["model"]), question["text"]).packed()
            answers.write(json.dumps({"bytes": len(packed)}).encode() + b"\n" + packed)
        except (ModelFileError, RecordingError) as error:
            answers.write(json.dumps({"error": str(error)}).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)  # whoever moves a slider goes first
    main()
