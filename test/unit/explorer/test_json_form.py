"""Explorations as JSON: docs/explorer.schema.json holds for every one, and says all that there is."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import xetile
from tools.explorer_schema import SCHEMA, schema
from xetile.explorer.model import Bases, Holding, Kernel, Message, Model, Move, as_json

EXAMPLES = Path(__file__).parents[3] / "examples"


def test_the_schema_is_what_the_model_is() -> None:
    """Where it is not: python -m tools.explorer_schema."""
    assert json.loads(SCHEMA.read_text()) == schema()


@pytest.mark.parametrize(("name", "device"), [("gemm_f16_plain", "bmg"), ("softmax", "pvc")])
def test_explorations_are_as_the_schema_says(name: str, device: str) -> None:
    found = xetile.explore(xetile.parse(EXAMPLES / f"{name}.mlir"), device).json()
    jsonschema.validate(json.loads(found), schema())


def model() -> Model:
    layout = Bases({"register": ((1, 0),), "lane": ((0, 1), (0, 2))}, {"M": 2, "K": 4})
    kernel = Kernel("k", [], ["a"], None, None, 16, 64)
    kernel.holdings = [
        Holding(["M", "K"], [2, 4], 16, "registers", layout, blocks=[([0, 0], [2, 4])])
    ]
    kernel.moves = [Move((0, 1), "message", None, 0, messages=[Message(2, 4, 1, "plain", 16)])]
    return Model("f.mlir", "bmg", {"unroll": None}, [kernel])


def test_layouts_and_tuples_have_their_own_forms() -> None:
    found: Any = as_json(model())
    (kernel,) = found["kernels"]
    (holding,) = kernel["holdings"]
    bases = {"register": [[1, 0]], "lane": [[0, 1], [0, 2]]}
    assert holding["layout"] == {"in": bases, "out": {"M": 2, "K": 4}}
    assert holding["blocks"] == [[[0, 0], [2, 4]]]
    assert kernel["moves"][0]["op"] == [0, 1]
    assert found["version"] == 2
    jsonschema.validate(found, schema())


def test_a_model_that_is_none_is_told() -> None:
    found: Any = as_json(model())
    found["kernels"][0]["holdings"][0]["place"] = "paper"
    with pytest.raises(jsonschema.ValidationError, match="'paper' is not one of"):
        jsonschema.validate(found, schema())


def test_ops_are_arrays_in_the_order_of_their_fields() -> None:
    found = xetile.explore(
        xetile.parse(EXAMPLES / "gemm_f16_plain.mlir"), "bmg", assembly=False
    )
    (kernel,) = json.loads(found.json())["kernels"]
    first = found.model.kernels[0].levels[1].ops[5]
    assert kernel["levels"][1]["ops"][5] == [*first[:4], list(first.parents)]
