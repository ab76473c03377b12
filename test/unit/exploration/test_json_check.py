"""Data that is read has the form of explorations, or the first place where it has not is told."""

import json
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import xetile
from xetile.exploration.json_check import Misfit, misfit

EXAMPLE = Path(__file__).parents[3] / "examples/gemm_f16_plain.mlir"


@pytest.fixture(scope="module")
def written() -> str:
    return xetile.explore(xetile.parse(EXAMPLE), "bmg").json()


def test_what_is_written_fits(written: str) -> None:
    assert misfit(json.loads(written)) is None


def test_more_than_the_form_says_fits(written: str) -> None:
    data = json.loads(written)
    data["kernels"][0]["remark"] = {"more": 1}
    assert misfit(data) is None


@pytest.mark.parametrize(
    ("path", "value", "wrong"),
    [
        (["file"], 3, "is a whole number, expected a text"),
        (["options", "unroll"], [], "is an array, expected a text or a whole number or null"),
        (["kernels"], None, "is null, expected an array"),
        (["kernels", 0, "lanes"], 16.0, "is a number, expected a whole number"),
        (["kernels", 0, "lanes"], True, "is true or false, expected a whole number"),
        (["kernels", 0, "levels", 1], "W", "is a text, expected an object"),
        (["kernels", 0, "levels", 1, "id"], "Q", "is 'Q', expected one of Y, W, S, B, X, V, L, P, I"),
        (["kernels", 0, "levels", 1, "ops", 0, 2], "x", "is a text, expected a whole number"),
        (["kernels", 0, "levels", 1, "ops", 0], [1, 2], "is an array of 2, expected 5"),
        (["kernels", 0, "holdings", 0, "tensor"], {}, "is an object, expected an array"),
        (["kernels", 0, "holdings", 0, "layout"], {"in": {}}, "has no 'out'"),
        (["kernels", 0, "holdings", 0, "layout"], 1, "is a whole number, expected an object or null"),
        (["kernels", 0, "costs"], {"asm": []}, "has no 'classes'"),
    ],
)  # fmt: skip
def test_what_does_not_fit(
    written: str, path: list[str | int], value: object, wrong: str
) -> None:
    data: Any = json.loads(written)
    reduce(lambda inside, key: inside[key], path[:-1], data)[path[-1]] = value
    place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    assert misfit(data) == Misfit(place, wrong)


def test_data_of_another_kind() -> None:
    assert misfit([]) == Misfit("", "is an array, expected an object")
