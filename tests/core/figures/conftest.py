"""A figure as the browser gets it: its JSON, with the packed arrays unpacked."""

import base64
import json

import numpy as np
import pytest


def unpacked(value):
    if isinstance(value, dict) and "bdata" in value:
        array = np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"])
        return array.reshape([int(n) for n in str(value.get("shape", array.size)).split(",")])
    if isinstance(value, dict):
        return {name: unpacked(each) for name, each in value.items()}
    return [unpacked(each) for each in value] if isinstance(value, list) else value


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON; the browser cannot read it")


@pytest.fixture(scope="session")
def drawn():
    """Return a function: figure -> its JSON as dictionaries, lists and arrays."""
    return lambda figure: unpacked(json.loads(figure.to_json(), parse_constant=refuse))


@pytest.fixture(scope="session")
def tiles_of():
    """Return a function: drawn figure -> its tiles, cut out as the browser's cell reader does."""

    def cut(drawing, trace=0):
        meta, z = drawing["layout"]["meta"], drawing["data"][trace]["z"]
        (down, right), columns = meta["stride"], meta["columns"]
        height, width = len(meta["query_tokens"]), len(meta["key_tokens"])
        starts = [(down * (i // columns), right * (i % columns)) for i in range(len(meta["heads"]))]
        return np.array([z[row : row + height, column : column + width] for row, column in starts])

    return cut
