"""The block loads of one GEMM as Intel's tools list them: command line, views and stages, byte for byte; and of other operands."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict, cast

import pytest

from xetile.cli.layout_commands.shown_layout import main

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


PRINTED = {
    "--dtype f16 --operand A --shape 256x32 --warps 8x4 --rep 4x2": """\
 - iteration=1 -> (8, 0)
   iteration=2 -> (16, 0)
   iteration=4 -> (0, 16)
 - load is a size 1 dimension
where out dims are: [dim0 (size 32), dim1 (size 32)]
Configuration: 32 rows x 16 columns x 2 blocks of 16 bits
Messages: 1
 - message 0 at (0, 0)
Shuffle: 64 elements of each message in each lane
 - message 0: registers 0-63 take elements 0-63
""",
    "--dtype f16 --operand B --shape 32x256 --warps 8x4 --rep 4x2": """\
 - iteration=1 -> (0, 16)
   iteration=2 -> (8, 0)
 - load=1 -> (128, 0)
where out dims are: [dim0 (size 256), dim1 (size 32)]
Configuration: 32 rows x 16 columns x 2 blocks of 16 bits, packed
Messages: 2
 - message 0 at (0, 0)
 - message 1 at (0, 128)
Shuffle: 64 elements of each message in each lane
 - message 0: registers 0-63 take elements 0-15, 32-47, 16-31, 48-63
 - message 1: registers 64-127 take elements 0-15, 32-47, 16-31, 48-63
""",
    "--dtype f16 --operand B --shape 32x256 --warps 8x4 --rep 4x2 --transposed": """\
 - iteration=1 -> (16, 0)
 - load=1 -> (0, 16)
   load=2 -> (128, 0)
where out dims are: [dim0 (size 256), dim1 (size 32)]
Configuration: 32 rows x 8 columns x 1 block of 32 bits, transposed
Messages: 4
 - message 0 at (0, 0)
 - message 1 at (16, 0)
 - message 2 at (0, 128)
 - message 3 at (16, 128)
Shuffle: 32 elements of each message in each lane
 - message 0: registers 0-31 take elements 0-1, 4-5, 8-9, 12-13, 16-17, 20-21, 24-25, 28-29, 2-3, 6-7, 10-11, 14-15, 18-19, 22-23, 26-27, 30-31
 - message 1: registers 32-63 take elements 0-1, 4-5, 8-9, 12-13, 16-17, 20-21, 24-25, 28-29, 2-3, 6-7, 10-11, 14-15, 18-19, 22-23, 26-27, 30-31
 - message 2: registers 64-95 take elements 0-1, 4-5, 8-9, 12-13, 16-17, 20-21, 24-25, 28-29, 2-3, 6-7, 10-11, 14-15, 18-19, 22-23, 26-27, 30-31
 - message 3: registers 96-127 take elements 0-1, 4-5, 8-9, 12-13, 16-17, 20-21, 24-25, 28-29, 2-3, 6-7, 10-11, 14-15, 18-19, 22-23, 26-27, 30-31
""",
    "--dtype i8 --operand A --shape 256x64 --warps 8x4 --rep 4x2": """\
 - iteration=1 -> (8, 0)
   iteration=2 -> (16, 0)
   iteration=4 -> (0, 32)
 - load is a size 1 dimension
where out dims are: [dim0 (size 32), dim1 (size 64)]
Configuration: 32 rows x 16 columns x 2 blocks of 16 bits
Messages: 1
 - message 0 at (0, 0)
Shuffle: 128 elements of each message in each lane
 - message 0: registers 0-127 take elements 0-127
""",
    "--dtype i8 --operand B --shape 64x256 --warps 8x4 --rep 4x2": """\
 - iteration=1 -> (0, 16)
 - load=1 -> (0, 32)
   load=2 -> (128, 0)
where out dims are: [dim0 (size 256), dim1 (size 64)]
Configuration: 32 rows x 16 columns x 2 blocks of 8 bits, packed
Messages: 4
 - message 0 at (0, 0)
 - message 1 at (32, 0)
 - message 2 at (0, 128)
 - message 3 at (32, 128)
Shuffle: 64 elements of each message in each lane
 - message 0: registers 0-63 take elements 0-63
 - message 1: registers 64-127 take elements 0-63
 - message 2: registers 128-191 take elements 0-63
 - message 3: registers 192-255 take elements 0-63
""",
    "--dtype i8 --operand B --shape 64x256 --warps 8x4 --rep 4x2 --transposed": """\
 - iteration=1 -> (16, 0)
 - load=1 -> (0, 32)
   load=2 -> (128, 0)
where out dims are: [dim0 (size 256), dim1 (size 64)]
Configuration: 32 rows x 8 columns x 1 block of 32 bits, transposed
Messages: 4
 - message 0 at (0, 0)
 - message 1 at (32, 0)
 - message 2 at (0, 128)
 - message 3 at (32, 128)
Shuffle: 64 elements of each message in each lane
 - message 0: registers 0-63 take elements 0-3, 8-11, 16-19, 24-27, 32-35, 40-43, 48-51, 56-59, 4-7, 12-15, 20-23, 28-31, 36-39, 44-47, 52-55, 60-63
 - message 1: registers 64-127 take elements 0-3, 8-11, 16-19, 24-27, 32-35, 40-43, 48-51, 56-59, 4-7, 12-15, 20-23, 28-31, 36-39, 44-47, 52-55, 60-63
 - message 2: registers 128-191 take elements 0-3, 8-11, 16-19, 24-27, 32-35, 40-43, 48-51, 56-59, 4-7, 12-15, 20-23, 28-31, 36-39, 44-47, 52-55, 60-63
 - message 3: registers 192-255 take elements 0-3, 8-11, 16-19, 24-27, 32-35, 40-43, 48-51, 56-59, 4-7, 12-15, 20-23, 28-31, 36-39, 44-47, 52-55, 60-63
""",
    "--dtype tf32 --operand A --shape 256x32 --warps 8x4 --rep 4x1": """\
 - iteration=1 -> (4, 0)
   iteration=2 -> (8, 0)
   iteration=4 -> (0, 8)
 - load=1 -> (0, 16)
where out dims are: [dim0 (size 256), dim1 (size 32)]
Configuration: 32 rows x 8 columns x 2 blocks of 32 bits
Messages: 2
 - message 0 at (0, 0)
 - message 1 at (0, 16)
Shuffle: 32 elements of each message in each lane
 - message 0: registers 0-31 take elements 0-31
 - message 1: registers 32-63 take elements 0-31
""",
    "--dtype tf32 --operand B --shape 32x256 --warps 8x4 --rep 4x1": """\
 - iteration=1 -> (8, 0)
   iteration=2 -> (16, 0)
 - load=1 -> (64, 0)
   load=2 -> (128, 0)
where out dims are: [dim0 (size 256), dim1 (size 32)]
Configuration: 32 rows x 16 columns x 1 block of 32 bits
Messages: 4
 - message 0 at (0, 0)
 - message 1 at (0, 64)
 - message 2 at (0, 128)
 - message 3 at (0, 192)
Shuffle: 32 elements of each message in each lane
 - message 0: registers 0-31 take elements 0-31
 - message 1: registers 32-63 take elements 0-31
 - message 2: registers 64-95 take elements 0-31
 - message 3: registers 96-127 take elements 0-31
""",
    "--dtype tf32 --operand B --shape 16x128 --warps 8x4 --rep 4x2 --transposed": """\
Configuration: 32 rows x 8 columns x 1 block of 32 bits, transposed
Messages: 2
 - message 0 at (0, 0)
 - message 1 at (8, 0)
Shuffle: 16 elements of each message in each lane
 - message 0: registers 0-15 take elements 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15
 - message 1: registers 16-31 take elements 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15
""",
    "--dtype f16 --operand A --shape 256x32 --warps 8x4 --rep 4x2 --transposed": """\
Configuration: 32 rows x 8 columns x 1 block of 32 bits, transposed
Messages: 2
 - message 0 at (0, 0)
 - message 1 at (16, 0)
Shuffle: 32 elements of each message in each lane
 - message 0: registers 0-15, 32-47 take elements 0-1, 4-5, 8-9, 12-13, 16-17, 20-21, 24-25, 28-29, 2-3, 6-7, 10-11, 14-15, 18-19, 22-23, 26-27, 30-31
 - message 1: registers 16-31, 48-63 take elements 0-1, 4-5, 8-9, 12-13, 16-17, 20-21, 24-25, 28-29, 2-3, 6-7, 10-11, 14-15, 18-19, 22-23, 26-27, 30-31
""",
    "--dtype f32 --operand C --shape 256x256 --warps 8x4 --rep 4x2": """\
Configuration: 32 rows x 16 columns x 1 block of 32 bits
Messages: 4
 - message 0 at (0, 0)
 - message 1 at (0, 16)
 - message 2 at (0, 128)
 - message 3 at (0, 144)
Shuffle: 32 elements of each message in each lane
 - message 0: registers 0-7, 16-23, 32-39, 48-55 take elements 0-31
 - message 1: registers 8-15, 24-31, 40-47, 56-63 take elements 0-31
 - message 2: registers 64-71, 80-87, 96-103, 112-119 take elements 0-31
 - message 3: registers 72-79, 88-95, 104-111, 120-127 take elements 0-31
""",
    "--dtype bf16 --operand B --shape 16x16": """\
 - iteration is a size 1 dimension
 - load is a size 1 dimension
where out dims are: [dim0 (size 8), dim1 (size 16)]
Configuration: 16 rows x 16 columns x 1 block of 16 bits, packed
Messages: 1
 - message 0 at (0, 0)
Shuffle: 16 elements of each message in each lane
 - message 0: registers 0-15 take elements 0-15
""",
    "--dtype bf16 --operand A --shape 8x64 --device pvc": """\
 - iteration=1 -> (0, 16)
 - load=1 -> (0, 32)
where out dims are: [dim0 (size 8), dim1 (size 64)]
Configuration: 8 rows x 16 columns x 2 blocks of 16 bits
Messages: 2
 - message 0 at (0, 0)
 - message 1 at (0, 32)
Shuffle: 16 elements of each message in each lane
 - message 0: registers 0-15 take elements 0-15
 - message 1: registers 16-31 take elements 0-15
""",
    "--dtype f16 --operand A --shape 256x32 --warps 8x4 --rep 4x2 --repeat-count 4": """\
 - iteration=1 -> (4, 0)
   iteration=2 -> (8, 0)
   iteration=4 -> (0, 16)
 - load=1 -> (128, 0)
where out dims are: [dim0 (size 256), dim1 (size 32)]
Configuration: 16 rows x 16 columns x 2 blocks of 16 bits
Messages: 2
 - message 0 at (0, 0)
 - message 1 at (128, 0)
Shuffle: 32 elements of each message in each lane
 - message 0: registers 0-31 take elements 0-31
 - message 1: registers 32-63 take elements 0-31
""",
    "--dtype f16 --operand A --shape 64x16 --mask 32x16 --rep 4x1": """\
 - iteration=1 -> (8, 0)
   iteration=2 -> (16, 0)
 - load=1 -> (32, 0)
where out dims are: [dim0 (size 64), dim1 (size 16)]
Configuration: 32 rows x 16 columns x 1 block of 16 bits
Messages: 2
 - message 0 at (0, 0)
 - message 1 at (32, 0)
Shuffle: 32 elements of each message in each lane
 - message 0: registers 0-31 take elements 0-31
 - message 1: registers 32-63 take elements 0-31
""",
}
"""What the command prints for options, from the iterations of the last stage on."""


@pytest.mark.parametrize("options", PRINTED)
def test_what_is_printed(run: Run, options: str) -> None:
    device = [] if "--device" in options else ["--device", "bmg"]
    out = run("block-load", *device, *options.split())
    begin = max(0, out.rfind(" - iteration=1"), out.rfind(" - iteration is"))
    assert out[begin:] == PRINTED[options]


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
