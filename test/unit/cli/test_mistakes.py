"""Mistakes that people make at the command line, each with the whole diagnostic."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from xetile.cli import compile, kernel_command
from xetile.cli.layout_commands import shown_layout as layout
from xetile.cli.opt import opt_command as opt
from xetile.cli.running import run_kernel as run
from xetile.explorer.serving import command as explore
from xetile.targets import names

ROOT = Path(__file__).parents[3]
COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "xetile-opt": opt.main,
    "xetile-compile": compile.main,
    "xetile-run": run.main,
    "xetile-kernel": kernel_command.main,
    "xetile-layout": layout.main,
    "xetile-explore": explore.main,
}
KERNEL = """gpu.module @kernels {
  gpu.func @scale(%a: memref<64xf32>, %b: memref<64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>GRID} {
    gpu.return
  }
}
"""
GRID = ", known_grid_size = array<i32: 1, 1, 1>"
HEADER = b"{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }".ljust(117) + b"\n"

MISTAKES = {
    "xetile-explore gmem.mlir --device bmg": "xetile-explore: error: cannot read 'gmem.mlir': no such file or directory; did you mean 'gemm.mlir'?",
    "xetile-explore gemm.mlir --device bgm": "xetile-explore: error: unknown device 'bgm'; known are pvc, bmg, lnl, ptl, cri; did you mean 'bmg'?",
    "xetile-explore gemm.mlir --device bmg --kernel scael": "xetile-explore: error: there is no kernel 'scael'; did you mean 'scale'?",
    "xetile-explore gemm.mlir --device bmg -o out/page.html": "xetile-explore: error: cannot write 'out/page.html': no such file or directory; there is no folder 'out'",
    "xetile-explore gemm.mlir --grf big": "xetile-explore: error: argument --grf: invalid choice: 'big'; choose from small, large",
    "xetile-explore gemm.mlir --emit asm": "xetile-explore: error: unrecognized argument '--emit', which is for xetile-compile",
    "xetile-explore gemm.mlir --json --serve": "xetile-explore: error: --serve shows a page, which --json does not write; leave out one",
    "xetile-explore gemm.mlir --json --compare unroll=1": "xetile-explore: error: --json writes one exploration; leave out --compare",
    "xetile-explore --serve gemm.mlir -o page.html": "xetile-explore: error: --serve writes no file; leave out -o",
    "xetile-explore gemm.mlir --serve 65536": "xetile-explore: error: argument --serve: '65536' is no port; write one up to 65535",
    "xetile-explore - --serve": "xetile-explore: error: --serve follows a file, which standard input is not",
    "xetile-explore - --compare -": "xetile-explore: error: standard input is read once; give one of the two as a file",
    "xetile-explore gemm.mlir --compare devcie=bmg": "xetile-explore: error: --compare: there is no file of this name, and no option 'devcie'; did you mean 'device'?",
    "xetile-explore gemm.mlir --compare unroll=two": "xetile-explore: error: --compare: unroll takes a number of copies, not 'two'",
    "xetile-explore gemm.mlir --compare grf=big": "xetile-explore: error: --compare: 'big' is no value of grf; choose from small, large",
    "xetile-explore gemm.mlir --compare assume=block": "xetile-explore: error: --compare: 'assume=block' changes nothing",
    "xetile-explore gemm.mlir --compare grf=small,grf=large": "xetile-explore: error: --compare: grf is said twice in 'grf=small,grf=large'",
    "xetile-explore earlier.json --device bmg": "xetile-explore: error: 'earlier.json' was explored before; leave out --device",
    "xetile-explore earlier.json --json": "xetile-explore: error: 'earlier.json' is what --json writes already",
    "xetile-explore earlier.json --serve": "xetile-explore: error: --serve follows a source, which an exploration is not",
    "xetile-explore earlier.json --compare device=bmg": "xetile-explore: error: --compare: 'earlier.json' was explored before; compare it with a file, not with device=bmg",
    "xetile-compile gmem.mlir --device bmg": "xetile-compile: error: cannot read 'gmem.mlir': no such file or directory; did you mean 'gemm.mlir'?",
    "xetile-compile folder": "xetile-compile: error: cannot read 'folder': is a directory; name a file in it, such as 'folder/gemm.mlir'",
    "xetile-compile gemm.mlir other.mlir": "xetile-compile: error: outputs named after their inputs need a folder to go to; give -o",
    "xetile-compile gemm.mlir other.mlir -o -": "xetile-compile: error: outputs named after their inputs do not go to standard output; name a folder with -o",
    "xetile-compile gemm.mlir folder/gemm.mlir -o out": "xetile-compile: error: 'gemm.mlir' and 'folder/gemm.mlir' would both be written to 'out/gemm.spv'; give them folders of their own",
    "xetile-compile gemm.mlir gemm.mlir -o out": "xetile-compile: error: 'gemm.mlir' is given twice",
    "xetile-compile gemm.mlir --device bmg,pvc -o other.mlir": "xetile-compile: error: 'other.mlir' is a file; outputs named after their inputs need a folder",
    "xetile-compile gemm.mlir --device bmg,bmg -o out": "xetile-compile: error: the device bmg is named twice",
    "xetile-compile gemm.mlir --device bmg, -o out": "xetile-compile: error: --device: a name is missing in 'bmg,'; write names with commas between",
    "xetile-compile gemm.mlir --device bgm,pvc -o out": "xetile-compile: error: unknown device 'bgm'; known are pvc, bmg, lnl, ptl, cri; did you mean 'bmg'?",
    "xetile-compile gemm.mlir --jobs 0 -o out": "xetile-compile: error: argument --jobs: '0' is no number of processes; write one from 1",
    "xetile-compile gemm.spv --emit asm": "xetile-compile: error: cannot read 'gemm.spv': it is SPIR-V; expected MLIR text",
    "xetile-compile gemm.mlir --devcie bmg": "xetile-compile: error: unrecognized argument '--devcie'; did you mean '--device'?",
    "xetile-compile gemm.mlir --device": "xetile-compile: error: argument --device: a value is needed, as in --device DEVICE",
    "xetile-compile gemm.mlir --emit spriv": "xetile-compile: error: argument --emit: invalid choice: 'spriv'; did you mean 'spirv'?",
    "xetile-compile gemm.mlir --entry main": "xetile-compile: error: unrecognized argument '--entry', which is for xetile-run",
    "xetile-compile gemm.mlir --kernel scael --emit ll": "xetile-compile: error: there is no kernel 'scael'; did you mean 'scale'?",
    "xetile-compile gemm.mlir --emit xegpu --device bmg -o out/gemm.mlir": "xetile-compile: error: cannot write 'out/gemm.mlir': no such file or directory; there is no folder 'out'",
    "xetile-run gemm.mlir --arg ones": "xetile-run: error: the kernel takes 2 arguments (memref<64xf32>, memref<64xf32>), --arg gives 1; give one --arg for each",
    "xetile-run gemm.mlir --arg ones --arg zeroes": "xetile-run: error: argument 1: 'zeroes' is none of int, zeros, ones, normal, iota, a number, the path of a .npy file; did you mean 'zeros'?",
    "xetile-run gemm.mlir --arg short.npy --arg ones": "xetile-run: error: argument 0: cannot read 'short.npy': it has 100 bytes of data, its header says 256",
    "xetile-run no_grid.mlir --arg ones --arg ones": "no_grid.mlir:2:3: error: the grid is not known; give --grid X,Y,Z, or write known_grid_size on the kernel",
    "xetile-run gemm.mlir --grid 0,1": "xetile-run: error: argument --grid: '0,1' is no grid; write X,Y,Z, such as 16,16,1",
    "xetile-run no_grid.mlir --arg ones --arg ones --grid 4000000000,1,1": "no_grid.mlir:2:3: error: the grid is [4000000000, 1, 1], 4,000,000,000 workgroups; at most 16,777,216 are executed",
    "xetile-run gemm.mlir --tolerance 1e-3": "xetile-run: error: --tolerance goes with --against",
    "xetile-run gemm.mlir --arg ones --arg ones --against other.mlir": "xetile-run: error: the kernels take different arguments: 'gemm.mlir' (memref<64xf32>, memref<64xf32>), 'other.mlir' (memref<32xf32>, memref<32xf32>)",
    "xetile-run main.mlir": "xetile-run: error: the module has no kernel; to run its host code write --entry main",
    "xetile-run main.mlir --entry mian": "xetile-run: error: there is no function 'mian' to start with; did you mean 'main'?",
    "xetile-opt gemm.mlir --xetile-blokcing": "xetile-opt: error: unrecognized argument '--xetile-blokcing'; did you mean '--xetile-blocking'?",
    "xetile-opt gemm.mlir -p xetile-blokcing": "xetile-opt: error: unknown pass 'xetile-blokcing'; did you mean 'xetile-blocking'?",
    "xetile-opt gemm.mlir -p 'xetile-blocking{device=bmg'": "xetile-opt: error: pass pipeline: missing '}' in 'xetile-blocking{device=bmg'",
    "xetile-opt gemm.mlir -p 'xetile-blocking{devise=bmg}'": "xetile-opt: error: pass 'xetile-blocking' has no option 'devise'; its options: device; did you mean 'device'?",
    "xetile-opt gemm.mlir --xetile-wg-to-sg=exchange-bytes=64k": "xetile-opt: error: pass 'xetile-wg-to-sg': option 'exchange-bytes' is 64k, expected a whole number",
    "xetile-opt gemm.mlir --pass-pipeline='builtin.module(cse))'": "xetile-opt: error: pass pipeline: unmatched ')' in 'builtin.module(cse))'",
    "xetile-opt gemm.mlir --pass-pipeline='builtin.module(cse) x'": "xetile-opt: error: pass pipeline: 'builtin.module(cse) x' has text behind its closing parenthesis",
    "xetile-opt gemm.mlir -p cse,,cse": "xetile-opt: error: pass pipeline: no pass stands beside a comma in 'cse,,cse'",
    "xetile-opt gemm.mlir --pass-pipeline='gpu.module(cse)'": "xetile-opt: error: --pass-pipeline: the pipeline is anchored on 'gpu.module' and cannot run on 'builtin.module'; write builtin.module(gpu.module(cse))",
    "xetile-layout block-load --dtype f16 --operand A --shape 32x256 --device bmg --json --tables": "xetile-layout: error: --tables are text; --json has the layouts that they are read off",
    "xetile-layout -i gemm.mlir -t tensor<8x16xf16>": "xetile-layout: error: 'gemm.mlir' has no aliases such as #name = #ttg.blocked<{...}>",
    "xetile-opt gemm.mlir -t mlr": "xetile-opt: error: unknown target 'mlr'; expected one of arm-asm, csl, llvm, mlir, mps, riscv-asm, wat, wgsl, x86-asm; did you mean 'mlir'?",
    "xetile-opt gemm.mlir -t mlir{print-generic-format=true}": "xetile-opt: error: target 'mlir' takes no options; its flags are --print-op-generic, --print-no-properties, --print-debuginfo, --syntax-highlight",
    "xetile-opt gemm.mlir -t llvm{x=1}": "xetile-opt: error: target 'llvm' has no option 'x'; its options: none",
    "xetile-opt gemm.mlir --mlir-opt": "xetile-opt: error: pass 'mlir-opt': mlir-opt is not available",
    "xetile-kernel gemm --m 64 --n 64": "xetile-kernel: error: the following arguments are required: --k",
    "xetile-kernel gemm --m 64 --n 64 --k 64 --wg 256": "xetile-kernel: error: argument --wg: '256' is no tile; write ROWSxCOLUMNS, such as 256x256",
    "xetile-layout blok-load": "xetile-layout: error: unknown command 'blok-load'; did you mean 'block-load'?",
}  # fmt: skip


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake(
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    written = KERNEL.replace("GRID", GRID)
    example = (ROOT / "examples/gemm_f16_plain.mlir").read_text()
    wanted = example if "--emit xegpu" in line else written
    for name, text in {
        "gemm.mlir": wanted,
        "folder/gemm.mlir": written,
        "other.mlir": written.replace("64xf32", "32xf32"),
        "no_grid.mlir": KERNEL.replace("GRID", ""),
        "main.mlir": "func.func @main() { func.return }\n",
    }.items():
        Path(name).write_text(text)
    Path("gemm.spv").write_bytes(b"\x03\x02\x23\x07\x00\x04\x01\x00")
    Path("short.npy").write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + HEADER + bytes(100))
    before = sorted(Path().rglob("*"))
    command, *arguments = shlex.split(line)
    assert COMMANDS[command](arguments) == 1
    said, *source = capsys.readouterr().err.splitlines()
    assert said == MISTAKES[line]
    assert ".mlir:" in said or source == []  # the line of source is below
    assert sorted(Path().rglob("*")) == before


def test_a_device_that_is_not_there_is_answered_with_those_that_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.mlir").write_text(KERNEL.replace("GRID", GRID))
    assert compile.main([str(tmp_path / "a.mlir"), "--device", "xyzzy"]) == 1
    said = f"unknown device 'xyzzy'; known are {', '.join(names())}"
    assert capsys.readouterr().err == f"xetile-compile: error: {said}\n"


def test_a_file_is_not_compared_with_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No device is named, so the first one is for pvc, as the second."""
    monkeypatch.chdir(tmp_path)
    Path("gemm.mlir").write_text(KERNEL.replace("GRID", GRID))
    assert COMMANDS["xetile-explore"](["gemm.mlir", "--compare", "device=pvc"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "xetile-explore: error: --compare: both are gemm.mlir for pvc with the same options, "
        "so nothing differs; name the first device in --device"
    )
    assert [file.name for file in Path().iterdir()] == ["gemm.mlir"]


def test_jobs_of_more_digits_than_python_reads_are_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gemm.mlir").write_text(KERNEL.replace("GRID", GRID))
    digits = "9" * 5000
    assert COMMANDS["xetile-compile"](["gemm.mlir", "--jobs", digits, "-o", "out"]) == 1
    assert capsys.readouterr().err == (
        f"xetile-compile: error: argument --jobs: '{digits}' is no number of processes; write one from 1\n"
    )
