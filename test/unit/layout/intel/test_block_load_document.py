"""Intel's document on block loads: its command line and its listings, byte for byte as it prints them."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from xetile.cli.layout import main

PAGE = Path(__file__).parents[5] / "shared" / "seeds" / "block-loads-linear-layout.md"
GEMM = ["block-load", "--device", "bmg", "--dtype", "f16", "--warps", "8x4", "--rep", "4x2"]
B = ["--operand", "B", "--shape", "32x256"]

Run = Callable[..., str]

# The document repeats A's listing here; this is what the code that it describes printed.
ITERATIONS_OF_A = """\
 - iteration=1 -> (8, 0)
   iteration=2 -> (16, 0)
   iteration=4 -> (0, 16)
where out dims are: [dim0 (size 32), dim1 (size 32)]
"""
ITERATIONS_OF_B = """\
 - iteration=1 -> (0, 16)
   iteration=2 -> (8, 0)
where out dims are: [dim0 (size 16), dim1 (size 32)]
"""


@pytest.fixture(scope="module")
def fences() -> list[str]:
    """The document's listings, in order."""
    if not PAGE.exists():
        pytest.skip("the block load document is not installed")
    return re.findall(r"^```\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run_tool(*arguments: str) -> str:
        assert main(arguments) == 0
        return capsys.readouterr().out

    return run_tool


def first_subgroup(out: str) -> str:
    """The view without the line that names the attribute, and without the subgroups that the document omits."""
    return out[out.index("Warp0:\n") : out.index("Warp1:\n")]


def test_the_command_line_and_the_view_of_a(fences: list[str], run: Run) -> None:
    command = next(fence for fence in fences if "triton-tensor-layout" in fence)
    words = shlex.split(command.partition("|&")[0])
    views = [fence for fence in fences if fence.startswith("Warp0:")]
    assert len(views) == 2
    assert first_subgroup(run(*words[1:])) == views[0]


def test_the_view_of_b(fences: list[str], run: Run) -> None:
    type = next(fence.strip() for fence in fences if fence.startswith("tensor<32x256"))
    view = [fence for fence in fences if fence.startswith("Warp0:")][1]
    assert first_subgroup(run("-t", type, "-use-hw-view")) == view


def listings(fences: list[str]) -> list[str]:
    """The listings of tiles, iterations and loads; applied values, which some have below, are cut off."""
    found = [fence for fence in fences if fence.startswith("Block load tile layout")]
    return [re.sub(r"^\d[\d, :\n]*\Z", "", fence, flags=re.MULTILINE) for fence in found]


@pytest.mark.parametrize(
    "first, operand",
    [(0, ["--operand", "A", "--shape", "256x32"]), (3, B), (6, [*B, "--transposed"])],
    ids=["A", "B", "B transposed"],
)
def test_block_load_listings(fences: list[str], run: Run, first: int, operand: list[str]) -> None:
    stages = listings(fences)
    assert len(stages) == 9
    assert stages[4].endswith(ITERATIONS_OF_A)
    stages[4] = stages[4].replace(ITERATIONS_OF_A, ITERATIONS_OF_B)
    out = run(*GEMM, *operand)
    assert out.startswith("".join(stages[first : first + 3]) + "Configuration: ")
