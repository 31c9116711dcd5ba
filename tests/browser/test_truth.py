"""The truth strip: shapes, row sums, and PyTorch's difference, worked out in another process."""

import re
import sys
from pathlib import Path

from playwright.sync_api import expect

DIFFERENCE = re.compile(r"PyTorch\D*?(\d+(?:\.\d+)?(?:e[+−-]?\d+)?)")
WHILE_IMPORTING = 60_000  # ms


def difference(lab):
    """The number that stands in the strip, once it is there."""
    expect(lab.checks).to_contain_text(DIFFERENCE, timeout=WHILE_IMPORTING)
    return float(DIFFERENCE.search(lab.checks.inner_text())[1].replace("−", "-"))


def processes_with_torch(pid):
    """Which of a process and its offspring have loaded PyTorch."""
    if "libtorch" in Path(f"/proc/{pid}/maps").read_text():
        yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from processes_with_torch(int(child))


def test_pytorch_agrees_from_a_process_of_its_own(visit, server):
    lab = visit()
    expect(lab.checks).to_contain_text("[4, 11, 16]")
    expect(lab.checks).to_contain_text("[4, 11, 11]")
    assert difference(lab) < 1e-12
    lab.flip("causal")
    lab.slider("d_k").press("End")
    lab.expect_settled(causal=True, d_k=512)
    expect(lab.checks).to_contain_text("[4, 11, 512]")
    assert difference(lab) < 1e-12
    if sys.platform == "linux":
        with_torch = list(processes_with_torch(server.process.pid))
        assert len(with_torch) == 1
        assert server.process.pid not in with_torch


def test_rows_without_a_visible_key_are_named_and_left_out(visit):
    lab = visit(source="custom", numbers="1,0;0,1;1,1|1,0|1,0", causal="true")
    expect(lab.checks).to_contain_text(re.compile("query 0 .*1 "))
    assert difference(lab) < 1e-12
    assert "NaN" not in lab.page.get_by_role("main").inner_text()
