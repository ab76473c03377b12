"""What argparse refuses is answered with what to write."""

from collections.abc import Callable

import pytest

from xetile.cli import compile, kernel_command
from xetile.cli.layout_commands import shown_layout as layout
from xetile.cli.opt.opt_command import main as opt
from xetile.cli.running import run_kernel as run

Main = Callable[[list[str]], int]

MISTAKES: list[tuple[Main, list[str], str]] = [
    (compile.main, ["a.mlir", "--devcie", "bmg"], "unrecognized argument '--devcie'; did you mean '--device'?"),
    (compile.main, ["a.mlir", "-device=bmg"], "unrecognized argument '-device'; did you mean '--device'?"),
    (compile.main, ["a.mlir", "--target", "bmg"], "unrecognized argument '--target'; did you mean '--device'?"),
    (compile.main, ["a.mlir", "--output", "x.spv"], "unrecognized argument '--output'; did you mean '-o'?"),
    (compile.main, ["a.mlir", "--entry", "main"], "unrecognized argument '--entry', which is for xetile-run"),
    (run.main, ["a.mlir", "--emit", "spirv"], "unrecognized argument '--emit', which is for xetile-compile"),
    (run.main, ["a.mlir", "--split-input-file"], "unrecognized argument '--split-input-file', which is for xetile-opt"),
    (run.main, ["a.mlir", "--xyzzy"], "unrecognized argument '--xyzzy'; see xetile-run --help"),
    (opt, ["a.mlir", "--entry", "main"], "unrecognized argument '--entry', which is for xetile-run"),
    (opt, ["a.mlir", "--convert-xetile-to-xevm"], "unrecognized argument '--convert-xetile-to-xevm'; did you mean '--xetile-to-xevm'?"),
    (opt, ["a.mlir", "--verify-diagnostic"], "unrecognized argument '--verify-diagnostic'; did you mean '--verify-diagnostics'?"),
    (opt, ["a.mlir", "b.mlir"], "one input at a time: 'b.mlir' is another"),
    (run.main, ["a.mlir", "b.mlir"], "one input at a time: 'b.mlir' is another; to compare two kernels write --against b.mlir"),
    (compile.main, ["a.mlir", "b.mlir"], "outputs named after their inputs need a folder to go to; give -o"),
    (kernel_command.main, ["gemm", "conv", "--m", "1", "--n", "1", "--k", "1"], "unexpected argument 'conv'"),
    (run.main, [], "an input is needed: IN, or - for standard input"),
    (compile.main, ["a.mlir", "--device"], "argument --device: a value is needed, as in --device DEVICE"),
    (run.main, ["a.mlir", "--grid"], "argument --grid: a value is needed, as in --grid X,Y,Z"),
    (run.main, ["a.mlir", "--sanitize=1"], "argument --sanitize: it takes no value, but got '1'"),
    (run.main, ["a.mlir", "--kernel", "k", "--entry", "main"], "argument --entry: not allowed with argument --kernel"),
    (compile.main, ["a.mlir", "--emit", "spriv"], "argument --emit: invalid choice: 'spriv'; did you mean 'spirv'?"),
    (compile.main, ["a.mlir", "--emit", "object"], "argument --emit: invalid choice: 'object'; choose from xegpu, xevm, llvm, ll, spirv, zebin, asm"),
    (layout.main, ["blok-load"], "unknown command 'blok-load'; did you mean 'block-load'?"),
    (layout.main, ["wgmma", "--shpae", "64x16"], "unrecognized argument '--shpae'; did you mean '--shape'?"),
    (layout.main, ["--shape", "64x16"], "unrecognized argument '--shape', which is for xetile-layout block-load and xetile-layout dpas and xetile-layout wgmma"),
]  # fmt: skip


@pytest.mark.parametrize(("main", "arguments", "message"), MISTAKES)
def test_mistakes(
    main: Main, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    program, _, said = capsys.readouterr().err.partition(": error: ")
    assert said == f"{message}\n"
    assert program.startswith("xetile-")
