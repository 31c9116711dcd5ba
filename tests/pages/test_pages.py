"""Every page opens, cold and warm; the page files stay short and the registry holds no widget."""

import ast
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from core.settings import AttentionSettings

PAGES = Path(__file__).parents[2] / "pages"
FILES = sorted(path.name for path in PAGES.glob("*.py") if path.name not in ("__init__.py", "main.py"))


@pytest.mark.parametrize("file", FILES)
def test_a_page_opens_cold_and_again_and_warns_of_nothing(file, open_page):
    page = open_page(file, {})
    assert page.warnings == []
    assert page.app.get("bidi_component")
    assert page.run().warnings == []


def test_home_leads_to_the_playground_and_back(open_page):
    page = open_page("home.py", {})
    page.visit("playground.py")
    assert page.query == AttentionSettings().to_query()
    page.visit("home.py")
    assert "home_sliders" in page.keys


def test_what_home_offers_opens_without_a_warning(open_page, playground):
    links = [
        dict(parse_qsl(node.proto.query_string)) for node in open_page("home.py", {}).app.get("page_link")
    ]
    assert links
    for link in links:
        page = playground(**link)
        assert page.warnings == []
        for name in link.keys() - {"compare"}:
            assert page.query[name] == link[name]
        if "compare" in link:
            assert dict(parse_qsl(page.query["compare"])).items() >= dict(parse_qsl(link["compare"])).items()


def test_homes_slider_changes_d_k_and_nothing_else(open_page):
    page = open_page("home.py", {})
    before, picture = page.data("home_sliders")["query"], page.data("plot_home")
    page.change("home_sliders", d_k=64)
    assert page.data("home_sliders")["query"] == {**before, "d_k": "64"}
    assert page.data("plot_home")["figure"] != picture["figure"]


def test_homes_switch_changes_the_scale_and_nothing_else(open_page):
    page = open_page("home.py", {})
    page.change("home_sliders", d_k=64)
    before = page.data("home_sliders")["query"]
    after = page.set("home_scale", True).data("home_sliders")["query"]
    assert {name for name in after if after[name] != before[name]} == {"scale"}


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.py")), ids=lambda path: path.name)
def test_a_page_is_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 120


def test_the_registry_holds_no_widget():
    tree = ast.parse((PAGES / "main.py").read_text(encoding="utf-8"))
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "st"
    }
    assert used == {"set_page_config", "navigation", "Page"}


def test_every_page_file_is_registered_under_its_address(open_page):
    pages = open_page("home.py", {}).app._registered_pages.values()  # what st.navigation was given
    found = {Path(page["script_path"]).name: page["url_pathname"] for page in pages}
    assert found == {file: "" if file == "home.py" else file[:-3].replace("_", "-") for file in FILES}
