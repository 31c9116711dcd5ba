"""The truth strip: shapes, row sums, and PyTorch's difference, worked out in another process."""

import re
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

DIFFERENCE = re.compile(r"PyTorch\D*?(\d+(?:\.\d+)?(?:e[+−-]?\d+)?)")
WHILE_IMPORTING = 60_000  # ms


def difference(lab):
    """The number that stands in the strip, once it is there."""
    expect(lab.checks).to_contain_text(DIFFERENCE, timeout=WHILE_IMPORTING)
    return float(DIFFERENCE.search(lab.checks.inner_text())[1].replace("−", "-"))


def test_pytorch_agrees_and_goes_on_agreeing(visit):
    lab = visit()
    expect(lab.checks).to_contain_text("[4, 11, 16]")
    expect(lab.checks).to_contain_text("[4, 11, 11]")
    assert difference(lab) < 1e-12
    lab.flip("causal")
    lab.slider("d_k").press("End")
    lab.expect_settled(causal=True, d_k=512)
    expect(lab.checks).to_contain_text("[4, 11, 512]")
    assert difference(lab) < 1e-12


def test_rows_without_a_visible_key_are_named_and_left_out(visit):
    lab = visit(source="custom", numbers="1,0;0,1;1,1|1,0|1,0", causal="true")
    expect(lab.checks).to_contain_text(re.compile("query 0 .*1 "))
    assert difference(lab) < 1e-12
    assert "NaN" not in lab.page.get_by_role("main").inner_text()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_torch_lives_in_another_process(visit, server):
    lab = visit()
    difference(lab)

    def family(pid):
        yield pid
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in children.read_text().split():
                yield from family(int(child))

    with_torch = [
        pid for pid in family(server.process.pid) if "libtorch" in Path(f"/proc/{pid}/maps").read_text()
    ]
    assert len(with_torch) == 1
    assert with_torch != [server.process.pid]
