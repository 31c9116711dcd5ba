"""The direction of imports, read from the source: who may know whom."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Each may import from its own line and those above it. A new module has to be given a place here.
LAYERS = (
    (
        "core.errors",
        "core.numbers",
        "core.examples",
        "core.tokens",
        "core.query",
        "core.readonly",
        "core.glossary",
        "core.settings",
    ),
    ("core.ops",),
    ("core.models",),
    ("core.inputs", "core.trace", "core.cell", "core.truth", "core.curves"),
    ("core.lessons",),
    ("core.reference",),
    ("core.training",),
    ("core.figures", "core.exercises", "core.export"),
    ("core.lecture",),
    ("pages.ui",),
    ("pages",),
)
STRANGERS = {"core.figures": "core.exercises", "core.exercises": "core.figures"}
MAY_USE_TORCH = ("core.reference", "core.models", "core.training")  # inside functions
OPS_MAY_IMPORT = ("core.errors", "core.ops")
FILES = sorted(path for top in ("core", "pages") for path in (ROOT / top).rglob("*.py"))


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_within(module, package):
    return module == package or module.startswith(package + ".")


def layer_of(module):
    for layer, packages in enumerate(LAYERS):
        if any(is_within(module, package) for package in packages):
            return layer
    raise AssertionError(f"{module} has no place in LAYERS of tests/core/test_layers.py")


def imports_of(source, module, is_package=False):
    """(imported name, whether inside a function) for each import, relative ones resolved."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    found = []

    def visit(node, inside):
        if isinstance(node, ast.Import):
            found.extend((alias.name, inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *(node.module or "").split(".")]).strip(".")
            found.extend((f"{base}.{alias.name}", inside) for alias in node.names)
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return  # never imported when the program runs
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(ast.parse(source), False)
    return found


def faults_of(source, module, is_package=False):
    """What a module imports and may not, as sentences."""
    faults = []
    in_core = is_within(module, "core")
    is_page = is_within(module, "pages") and not is_within(module, "pages.ui")
    for name, inside in imports_of(source, module, is_package):
        root = name.split(".")[0]
        allowed = True
        if root == "streamlit":
            allowed = not in_core
        elif root == "torch":
            allowed = any(is_within(module, package) for package in MAY_USE_TORCH) and inside
        elif root == "numpy":
            allowed = not is_page
        elif is_within(module, "pages.ui") and is_within(name, "core.ops"):
            allowed = name.rpartition(".")[2][0].isupper()  # what a trace holds, but no computation
        elif root in ("core", "pages"):
            allowed = module != "core" and layer_of(name) <= layer_of(module)
            if is_within(module, "core.ops"):
                allowed = any(is_within(name, package) for package in OPS_MAY_IMPORT)
            for package, stranger in STRANGERS.items():
                if is_within(module, package) and is_within(name, stranger):
                    allowed = False
        if not allowed:
            faults.append(f"{module} may not import {name}")
    return faults


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_a_module_knows_only_what_stands_below_it(path):
    is_package = path.name == "__init__.py"
    assert faults_of(path.read_text(encoding="utf-8"), module_of(path), is_package) == []


@pytest.mark.parametrize("path", [p for p in FILES if module_of(p) != "core"], ids=module_of)
def test_every_module_has_a_place(path):
    assert layer_of(module_of(path)) >= 0


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("core.trace", "import streamlit as st"),
        ("core.figures.heatmap", "from streamlit import session_state"),
        ("core.reference", "import torch"),
        ("core.trace", "def f():\n    import torch"),
        ("core.models.minilm", "import torch"),
        ("core.training.model", "import torch"),
        ("pages.ui.controls", "import torch"),
        ("core.ops.rope", "from core.settings import AttentionSettings"),
        ("core.ops.rope", "from core import trace"),
        ("core.ops.rope", "from ..numbers import Numbers"),
        ("core.settings", "from core.ops import masks"),
        ("core.settings", "def f():\n    from core.trace import trace_attention"),
        ("core.trace", "from core.figures import heatmap"),
        ("core.figures.heatmap", "from core.exercises import EXERCISES"),
        ("core.exercises.items", "import core.figures.heatmap"),
        ("core.figures.heatmap", "from pages.ui import controls"),
        ("pages.ui.controls", "from pages import home"),
        ("pages.home", "import numpy as np"),
        ("pages.ui.pictures.home", "from core.ops.attention import softmax"),
        ("pages.home", "from torch.nn import functional"),
    ],
)
def test_a_forbidden_import_is_seen(module, source):
    assert len(faults_of(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("core.reference", "def f():\n    import torch"),
        ("core.models.smollm2", "def f():\n    import torch"),
        ("core.models.smollm2", "if TYPE_CHECKING:\n    from torch import Tensor"),
        ("core.training.model", "def f():\n    import torch"),
        ("core.ops.attention", "from core.ops.masks import causal_mask"),
        ("core.settings", "from core.numbers import Numbers"),
        ("core.trace", "from core.inputs import inputs_of"),
        ("core.figures.heatmap", "from core.trace import AttentionTrace\nimport numpy"),
        ("pages.ui.controls", "import streamlit\nfrom core.settings import AttentionSettings"),
        ("pages.home", "import streamlit\nfrom pages.ui import controls"),
    ],
)
def test_an_allowed_import_is_let_through(module, source):
    assert faults_of(source, module) == []


def test_a_module_without_a_place_is_told_where_to_get_one():
    with pytest.raises(AssertionError, match=r"core\.news has no place in LAYERS"):
        layer_of("core.news")
