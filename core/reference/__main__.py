"""`python -m core.reference`: answers questions from a pipe, for the app asks from another process."""

import json
import sys
from collections.abc import Iterable
from typing import TextIO

from core.reference.questions import QUESTIONS


def answer_questions(questions: Iterable[str], answers: TextIO) -> None:
    """Write an answer, as JSON on a line of its own, for each line [name, URL parameters]."""
    for line in questions:
        name, query = json.loads(line)
        print(json.dumps(QUESTIONS[name](query)), file=answers, flush=True)


if __name__ == "__main__":
    answer_questions(sys.stdin, sys.stdout)
