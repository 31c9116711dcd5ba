"""Every public thing in core.ops says what it does, takes and returns."""

import importlib
import inspect
import pkgutil
import re

import pytest

import core.ops

MODULES = [
    importlib.import_module(f"core.ops.{info.name}") for info in pkgutil.iter_modules(core.ops.__path__)
]
PUBLIC = [
    thing
    for module in MODULES
    for name, thing in vars(module).items()
    if not name.startswith("_")
    and (inspect.isfunction(thing) or inspect.isclass(thing))
    and thing.__module__ == module.__name__
]
FUNCTIONS = [thing for thing in PUBLIC if inspect.isfunction(thing)]


def name_of(thing):
    return f"{thing.__module__.rsplit('.', 1)[1]}.{thing.__name__}"


def sibling_of(function):
    """The function whose arguments a docstring refers to ("Args and returns: as there")."""
    doc = inspect.getdoc(function) or ""
    found = re.search(r":func:`(\w+)`", doc)
    if "as there" not in doc or not found:
        return None
    return getattr(inspect.getmodule(function), found[1])


def test_there_are_modules_to_look_at():
    assert len(MODULES) >= 7
    assert len(FUNCTIONS) >= 15


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_module_says_what_its_idea_is(module):
    assert module.__doc__


@pytest.mark.parametrize("thing", PUBLIC, ids=name_of)
def test_a_public_thing_begins_with_one_sentence(thing):
    """The signature that a dataclass writes by itself does not count: it ends in a bracket."""
    doc = thing.__doc__ or ""
    assert doc.split("\n\n")[0].strip().endswith(".")


@pytest.mark.parametrize("function", FUNCTIONS, ids=name_of)
def test_a_function_describes_every_argument_and_its_result(function):
    sibling = sibling_of(function)
    if sibling is not None:
        assert inspect.signature(function) == inspect.signature(sibling)
        function = sibling
    doc = inspect.getdoc(function)
    parameters = inspect.signature(function).parameters
    if parameters:
        assert "\nArgs:\n" in doc
        assert "\nReturns:\n" in doc
    arguments = doc.partition("\nArgs:\n")[2].partition("\nReturns:\n")[0]
    described = re.findall(r"^ {4}(\w+):", arguments, re.MULTILINE)
    assert described == list(parameters)
