"""My numbers: type or paste Q, K and V, and the picture follows; a bad cell gets a sentence."""

import re

from playwright.sync_api import expect

from core.numbers import parse_compact
from core.settings import AttentionSettings

FIRST = AttentionSettings(source="custom")
K_V = FIRST.numbers.compact().split("|", 1)[1]


def test_paste_a_block_into_q(visit):
    lab = visit(source="custom")
    lab.expect_drawn(FIRST)
    lab.mark()
    lab.enter_table("Q")
    lab.paste("1\t2\n3\t-4\n0,5\t1/4")
    settings = lab.expect_settled(numbers=parse_compact(f"1,2;3,-4;0.5,0.25|{K_V}"))
    assert settings.source == "custom"
    lab.expect_same_instance()
    lab.go("/playground", **settings.to_query())  # the link brings the numbers into the tables
    expect(lab.table_cell("Q", 1, 1)).to_have_text("-4")
    lab.expect_drawn(settings)

    lab.enter_table("Q")  # and more rows than there were
    lab.paste("1\t0\n0\t1\n1\t1\n2\t0\n0\t2")
    lab.expect_settled(numbers=parse_compact(f"1,0;0,1;1,1;2,0;0,2|{K_V}"))
    assert lab.drawn.shape == (1, 5, 3)


def test_a_bad_cell_gets_a_sentence_and_the_picture_stays(visit):
    lab = visit(source="custom")
    before, link = lab.drawn, lab.page.url
    lab.type_in_table("Q", 1, 0, "abc")
    expect(lab.warnings).to_contain_text(re.compile("Q, row 1, column 0.*abc"))
    lab.rested()
    assert lab.page.url == link
    assert (lab.drawn == before).all()
    lab.type_in_table("Q", 1, 0, "7")
    lab.expect_settled(numbers=parse_compact(f"1,0;7,1;1,1|{K_V}"))
    expect(lab.warnings).to_have_count(0)


def test_mending_one_table_after_another(visit):
    """A fourth key needs a fourth value: between the two edits the picture stays, with a sentence."""
    lab = visit(source="custom")
    before = lab.drawn
    rows = "1\t0\n0\t1\n1\t1\n2\t2"
    lab.enter_table("K")
    lab.paste(rows)
    expect(lab.warnings).to_contain_text(re.compile("K has 4 rows and V has 3"))
    assert (lab.drawn == before).all()
    lab.enter_table("V")
    lab.paste(rows)
    compact = rows.replace("\t", ",").replace("\n", ";")
    lab.expect_settled(numbers=parse_compact(f"1,0;0,1;1,1|{compact}|{compact}"))


def test_a_wider_table(visit):
    lab = visit(source="custom")
    for name in "QK":
        columns = lab.page.get_by_role("spinbutton", name=f"columns of {name}")
        columns.fill("3")
        columns.press("Enter")
        expect(lab.table_cell(name, 0, 2)).to_have_text("0")
    expect(lab.warnings).to_have_count(0)
    settings = lab.expect_settled(numbers=parse_compact("1,0,0;0,1,0;1,1,0|1,0,0;0,1,0;1,1,0|1,0;0,10;5,5"))
    assert settings.width == 3
