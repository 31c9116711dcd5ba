"""axe-core finds nothing serious on any page, in both themes."""

from axe_playwright_python.sync_playwright import Axe

from core.settings import AttentionSettings

PAGES = {
    "home": ("/", {}),
    "one cell": ("/playground", {"cell": "0,3,5"}),
    "saturation": ("/playground", {"panel": "saturation"}),
    "compared": ("/playground", {"compare": AttentionSettings().pin(), "causal": "true"}),
    "own numbers": ("/playground", {"source": "custom"}),
    "repaired link": ("/playground", {"d_k": "9999", "rope": "true"}),
}
# What stands inside Streamlit's own widgets and cannot be ours: (rule, part of the element's HTML).
STREAMLITS_OWN: set[tuple[str, str]] = set()


def faults(page, scheme):
    """The serious and critical violations on a page: rule, element, why."""
    only = {} if scheme == "light" else {"runOnly": ["color-contrast"]}  # the dark changes nothing else
    for violation in Axe().run(page, options={"resultTypes": ["violations"], **only}).response["violations"]:
        if violation["impact"] not in ("serious", "critical"):
            continue
        for node in violation["nodes"]:
            if not any(violation["id"] == rule and part in node["html"] for rule, part in STREAMLITS_OWN):
                yield violation["id"], node["html"][:300], node["failureSummary"]


def test_no_serious_violation(visit):
    lab = visit(None, fresh=False)
    found = {}
    for name, (path, query) in PAGES.items():
        lab.go(path, **query)
        if name == "one cell":
            lab.open_take_away()
        for scheme in ("light", "dark"):
            lab.switch_theme(scheme)
            found[name, scheme] = list(faults(lab.page, scheme))
    assert {name: each for name, each in found.items() if each} == {}
