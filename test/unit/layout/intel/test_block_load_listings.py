"""The block loads of one GEMM as Intel's tools list them: command line, views and stages, byte for byte."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict, cast

import pytest

from xetile.cli.layout import main

LISTINGS = Path(__file__).parents[3] / "data" / "layouts" / "block_load_listings.json"
GEMM = ["block-load", "--device", "bmg", "--dtype", "f16", "--warps", "8x4", "--rep", "4x2"]
B = ["--operand", "B", "--shape", "32x256"]

Run = Callable[..., str]


class Listings(TypedDict):
    """The recorded arguments and outputs."""

    arguments_of_a: list[str]
    type_of_b: str
    views: dict[str, str]
    stages: dict[str, list[str]]


@pytest.fixture(scope="module")
def listings() -> Listings:
    return cast(Listings, json.loads(LISTINGS.read_text()))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run_tool(*arguments: str) -> str:
        assert main(arguments) == 0
        return capsys.readouterr().out

    return run_tool


def first_subgroup(out: str) -> str:
    """The view without the line that names the attribute, and without the subgroups that the listing omits."""
    return out[out.index("Warp0:\n") : out.index("Warp1:\n")]


def test_the_command_line_and_the_view_of_a(listings: Listings, run: Run) -> None:
    assert first_subgroup(run(*listings["arguments_of_a"])) == listings["views"]["a"]


def test_the_view_of_b(listings: Listings, run: Run) -> None:
    out = run("-t", listings["type_of_b"], "-use-hw-view")
    assert first_subgroup(out) == listings["views"]["b"]


@pytest.mark.parametrize(
    "name, operand",
    [
        ("a", ["--operand", "A", "--shape", "256x32"]),
        ("b", B),
        ("b_transposed", [*B, "--transposed"]),
    ],
)
def test_the_stages(listings: Listings, run: Run, name: str, operand: list[str]) -> None:
    stages = listings["stages"][name]
    assert len(stages) == 3
    assert run(*GEMM, *operand).startswith("".join(stages) + "Configuration: ")
