"""xetile-layout convert: each kind of conversion, as text and as data."""

import json
from pathlib import Path

import pytest

from xetile.cli.layout_commands.shown_layout import main


def blocked(size: str, threads: str, warps: str) -> str:
    return (
        f"#ttg.blocked<{{sizePerThread = [{size}], threadsPerWarp = [{threads}], "
        f"warpsPerCTA = [{warps}], order = [1, 0]}}>"
    )


ROWS = blocked("1, 1", "1, 16", "1, 1")
SWAPPED = "#ttg.linear<{register = [[2, 0], [1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8]], warp = []}>"
WIDE, TALL = blocked("1, 4", "4, 4", "2, 1"), blocked("4, 1", "1, 16", "2, 1")
BESIDE = blocked("1, 4", "4, 4", "1, 2")


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["convert", *arguments]) == 0
    captured = capsys.readouterr()
    assert all(" wrote " in line for line in captured.err.splitlines())
    return captured.out


def test_nothing_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, ROWS, ROWS, "-t", "tensor<4x16xf16>")
    assert out == "Conversion: none: every register stays where it is\n"


def test_registers_move(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, ROWS, SWAPPED, "-t", "tensor<4x16xf16>")
    assert out == (
        "Conversion: registers: moves between the registers of each lane\n"
        "Registers 0-3 take 0, 2, 1, 3\n"
    )
    data = json.loads(output(capsys, ROWS, SWAPPED, "-t", "tensor<4x16xf16>", "--json"))
    assert data == {"kind": "registers", "registers": [0, 2, 1, 3]}


def test_lanes_shuffle(capsys: pytest.CaptureFixture[str]) -> None:
    out = output(capsys, WIDE, TALL, "-t", "tensor<8x16xf16>")
    assert out.startswith(
        "Conversion: lanes: shuffles between the lanes of each subgroup\nShuffles: 4 of registers, "
    )
    data = json.loads(output(capsys, WIDE, TALL, "-t", "tensor<8x16xf16>", "--json"))
    assert data["kind"] == "lanes"
    assert data["lanes"]["shuffles"] == len(data["lanes"]["rounds"]) == 4


def test_what_a_device_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    columns = "#ttg.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8]], warp = []}>"
    rows = "#ttg.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[1, 0], [2, 0], [4, 0], [8, 0]], warp = []}>"
    told = (columns, rows, "-t", "tensor<16x16xf32>", "--device", "bmg")
    assert output(capsys, *told) == (
        "Conversion on bmg: subgroup shared memory, 20 instructions\n"
        "Registers are words of 32 bits\n"
        " - shared memory: 1088 bytes of the subgroup\n"
        " - store 2 messages of 8 words, neighbouring lanes side by side\n"
        " - load 2 messages of 8 words, lanes at (1 -> 136, 2 -> 16, 4 -> 32, 8 -> 64)\n"
    )
    data = json.loads(output(capsys, *told, "--json"))
    assert (data["device"], data["price"], data["shared_bytes"]) == ("bmg", 20, 1088)
    (step,) = data["steps"]
    assert [len(messages) for messages in step["rounds"][0].values()] == [2, 2]


def test_shuffles_and_choices_of_a_device(capsys: pytest.CaptureFixture[str]) -> None:
    lanes = "#ttg.linear<{register = [], lane = [[1, 0], [0, 0], [0, 0], [0, 0]], warp = []}>"
    registers = "#ttg.linear<{register = [[1, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0]], warp = []}>"
    told = ("-t", "tensor<2x1xf32>", "--device", "pvc")
    assert output(capsys, lanes, registers, *told) == (
        "Conversion on pvc: uniform shuffles, 2 instructions\n"
        "Registers are words of 32 bits\n"
        " - from lane 0 to all: registers 0\n"
        " - from lane 1 to all: registers 0\n"
    )
    assert output(capsys, registers, lanes, *told) == (
        "Conversion on pvc: lane-dependent shuffles, 3 instructions\n"
        "Registers are words of 32 bits\n"
        " - select registers 1 where lane & 1 has an odd number of bits, else 0\n"
    )
    assert json.loads(output(capsys, registers, lanes, *told, "--json"))["steps"] == [
        {"step": "select", "mask": 1, "even": [0], "odd": [1]}
    ]


def test_a_device_of_other_lanes(capsys: pytest.CaptureFixture[str]) -> None:
    told = (blocked("1, 1", "1, 32", "1, 1"),) * 2
    assert main(["convert", *told, "-t", "tensor<4x32xf16>", "--device", "bmg"]) == 1
    assert "a layout has 32 lanes; expected 16, those of bmg" in capsys.readouterr().err


def test_subgroups_exchange(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    svg = tmp_path / "both.svg"
    out = output(capsys, WIDE, BESIDE, "-t", "tensor<16x64xf16>", "--svg", str(svg))
    assert out.startswith(
        "Conversion: shared: an exchange between subgroups, through shared memory\n"
    )
    assert (
        "Shared memory: 1024 bytes, 2 rounds of store, barrier, load; 8 elements at once\n"
        in out
    )
    assert "Bank conflicts: 0 storing, 0 loading\nLayout:\n - vector=1 -> (0, 1)\n" in out
    assert svg.read_text().count('class="panel"') == 2
    data = json.loads(output(capsys, WIDE, BESIDE, "-t", "tensor<16x64xf16>", "--json"))
    assert data["shared"]["bytes"] * data["shared"]["repetitions"] == 16 * 64 * 2


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--json"], "the following arguments are required: FROM, TO, -t"),
        ([ROWS, ROWS, "-t", "tensor<4xf16>"], "does not fit the shape [4]"),
        ([ROWS, WIDE, "-t", "tensor<4x16xf16>"], "warp"),
        (
            [ROWS, "#ttg.amd_mfma<{}>", "-t", "tensor<4x16xf16>"],
            "#ttg.amd_mfma is not supported",
        ),
    ],
)
def test_wrong_input_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["convert", *arguments]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_bank_conflicts_of_parts_of_words(capsys: pytest.CaptureFixture[str]) -> None:
    source = "#ttg.linear<{register = [[128], [4], [256]], lane = [[2], [64], [8], [1], [16]], warp = [[32]], block = []}>"
    target = "#ttg.linear<{register = [[8], [64], [2], [1]], lane = [[16], [128], [256], [32], [4]], warp = [[0]], block = []}>"
    out = output(capsys, source, target, "-t", "tensor<512xi8>")
    assert "Bank conflicts: 1 storing, 0 loading\n" in out
    assert (
        "Shared memory: 512 bytes, 1 round of store, barrier, load; 2 elements at once\n"
        in out
    )
