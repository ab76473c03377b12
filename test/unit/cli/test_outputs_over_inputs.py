"""No command writes over what it reads, by whatever path or link, but xetile-opt its IR, as mlir-opt does."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from xetile.cli import compile
from xetile.cli.layout_commands import shown_layout as layout
from xetile.cli.opt import opt_command as opt
from xetile.explorer.serving import command as explore

EXAMPLE = Path(__file__).parents[3] / "examples/gemm_f16_plain.mlir"
COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "xetile-opt": opt.main,
    "xetile-compile": compile.main,
    "xetile-layout": layout.main,
    "xetile-explore": explore.main,
}

REFUSED = {
    "xetile-explore k.mlir -o k.mlir": "cannot write 'k.mlir': it is the input; name another file with -o",
    "xetile-explore k.mlir -o ./folder/../k.mlir": "cannot write './folder/../k.mlir': it is the input 'k.mlir'; name another file with -o",
    "xetile-explore k.mlir -o symbolic": "cannot write 'symbolic': it is the input 'k.mlir'; name another file with -o",
    "xetile-explore k.mlir -o hard": "cannot write 'hard': it is the input 'k.mlir'; name another file with -o",
    "xetile-explore symbolic -o k.mlir": "cannot write 'k.mlir': it is the input 'symbolic'; name another file with -o",
    "xetile-explore k.mlir --json -o k.mlir": "cannot write 'k.mlir': it is the input; name another file with -o",
    "xetile-explore k.mlir --compare other.mlir -o other.mlir": "cannot write 'other.mlir': it is the input; name another file with -o",
    "xetile-explore k.html": "cannot write 'k.html': it is the input; name another file with -o",
    "xetile-compile k.mlir -o k.mlir": "cannot write 'k.mlir': it is the input; name another file with -o",
    "xetile-compile k.mlir -o hard --emit xegpu": "cannot write 'hard': it is the input 'k.mlir'; name another file with -o",
    "xetile-compile k.mlir -o symbolic --explain": "cannot write 'symbolic': it is the input 'k.mlir'; name another file with -o",
    "xetile-compile k.json -o k": "cannot write 'k.json': it is the input; name another file with -o",
    "xetile-compile k.spv": "cannot write 'k.spv': it is the input; name another file with -o",
    "xetile-compile k.spv --jobs 1 -o .": "'k.spv' would be written over the input 'k.spv'; choose another folder",
    "xetile-compile k.mlir k.spv.json --emit spirv -o folder/..": "'folder/../k.spv.json' would be written over the input 'k.spv.json'; choose another folder",
    "xetile-opt k.mlir -t llvm -o k.mlir": "cannot write 'k.mlir': it is the input; name another file with -o",
    "xetile-layout -i aliases -t tensor<8x16xf16> --html aliases": "cannot write 'aliases': it is the input; name another file with -o",
    "xetile-layout -i aliases -t tensor<8x16xf16> --svg ./aliases": "cannot write './aliases': it is the input 'aliases'; name another file with -o",
    "xetile-layout -i aliases -t tensor<8x16xf16> -o aliases": "cannot write 'aliases': it is the input; name another file with -o",
}  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    for name in ("k.mlir", "other.mlir", "k.html", "k.json", "k.spv", "k.spv.json"):
        Path(name).write_text(EXAMPLE.read_text())
    Path("aliases").write_text(
        "#a = #xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>\n"
    )
    Path("symbolic").symlink_to("k.mlir")
    os.link("k.mlir", "hard")


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.parametrize("line", REFUSED)
def test_an_input_is_kept(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents()
    command, *arguments = shlex.split(line)
    assert COMMANDS[command](arguments) == 1
    assert capsys.readouterr().err == f"{command}: error: {REFUSED[line]}\n"
    assert contents() == before


@pytest.mark.parametrize("output", ["k.mlir", "symbolic"])
def test_ir_goes_where_it_came_from(output: str) -> None:
    assert opt.main(["k.mlir", "--cse", "-o", output]) == 0
    assert Path("k.mlir").read_text().startswith("builtin.module")
    assert Path("symbolic").is_symlink()
