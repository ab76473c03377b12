"""Anchors of --pass-pipeline: each runs its passes on the ops of its name that stand directly inside, as in mlir-opt."""

import subprocess
from pathlib import Path

import pytest

from xetile.cli.opt.opt_command import main
from xetile.dialects.modules import context, parse

PROGRAM = """
gpu.module @kernels {
  gpu.func @kernel() kernel {
    %a = arith.constant 1 : index
    %b = arith.constant 1 : index
    gpu.printf "%d %d", %a, %b : index, index
    gpu.return
  }
  func.func @helper(%x: memref<4xindex>) {
    %a = arith.constant 1 : index
    %b = arith.constant 1 : index
    memref.store %a, %x[%b] : memref<4xindex>
    return
  }
}
func.func @host(%x: memref<4xindex>) {
  %a = arith.constant 1 : index
  %b = arith.constant 1 : index
  memref.store %a, %x[%b] : memref<4xindex>
  "test.unknown"() ({
  }) : () -> ()
  return
}
func.func private @declared(index)
memref.global "private" @table : memref<4xf32>
module @inner {
  func.func @host(%x: memref<4xindex>) {
    %a = arith.constant 1 : index
    %b = arith.constant 1 : index
    memref.store %a, %x[%b] : memref<4xindex>
    return
  }
}
"""

TAKEN = {
    "builtin.module(cse)": 4,
    "any(cse)": 4,
    "builtin.module(any(cse))": 4,
    "builtin.module(func.func(cse))": 7,
    "builtin.module(gpu.func(cse))": 8,
    "builtin.module(gpu.module(cse))": 6,
    "builtin.module(gpu.module(gpu.func(cse)))": 7,
    "builtin.module(gpu.module(func.func(cse),gpu.func(cse)))": 6,
    "builtin.module(gpu.module(any(cse)))": 6,
    "builtin.module(builtin.module(cse))": 7,
    "builtin.module(builtin.module(builtin.module(cse)))": 8,
    "builtin.module( any( func.func( cse ) ) )": 6,
    "builtin.module(gpu.launch_func(cse),memref.store(cse))": 8,
    "builtin.module(func.func(cse),gpu.module(gpu.func(cse),any(cse)),builtin.module(any(cse)))": 4,
    "builtin.module()": 8,
}
"""Pipelines that are taken, and how many of the eight constants are left."""

REFUSED = (
    "func.func(cse)",
    "gpu.module(cse)",
    "func.func(cse),any(cse)",
    "builtin.module(cse),builtin.module(cse)",
    "builtin.module(memref.global(cse))",
    "builtin.module(func.func(test.unknown(cse)))",
    "builtin.module(func.func(memref.store(cse)))",
    "builtin.module(func.func(cse),)",
    "builtin.module(func.func(nobody))",
    "builtin.module(func.func)",
    "builtin.module(func.func(cse)",
    "builtin.module(func.func(cse)canonicalize)",
    "builtin.module(any{cse})",
)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    return path


def arguments(program: Path, pipeline: str) -> list[str]:
    return ["--allow-unregistered-dialect", f"--pass-pipeline={pipeline}", str(program)]


@pytest.mark.parametrize(("pipeline", "left"), TAKEN.items())
def test_anchors_are_those_of_mlir_opt(
    pipeline: str, left: int, program: Path, mlir_opt: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(program, pipeline)) == 0
    ours = capsys.readouterr().out
    theirs = subprocess.run(
        [mlir_opt, *arguments(program, pipeline)], capture_output=True, text=True, check=True
    )
    assert theirs.stdout.count("arith.constant") == left
    ours, same = (str(_read(text)) for text in (ours, theirs.stdout))
    assert ours == same


def _read(text: str) -> object:
    """A module whose values have no names, since those differ."""
    known = context()
    known.allow_unregistered = True
    module = parse(text, context=known)
    for op in module.walk():
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)):
            value.name_hint = None
    return module


@pytest.mark.parametrize("pipeline", REFUSED)
def test_what_mlir_opt_refuses_is_refused(
    pipeline: str, program: Path, mlir_opt: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs = subprocess.run(
        [mlir_opt, *arguments(program, pipeline)], capture_output=True, check=False
    )
    assert theirs.returncode == 1
    assert main([*arguments(program, pipeline), "--no-snippets"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert ": error: " in line


KERNEL = """gpu.module @kernels {
  gpu.func @copy(%A: memref<64x64xf16>) kernel attributes {VectorComputeFunctionINTEL} {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
    %v = xetile.load_tile %t : !xetile.tile<32x32xf16> -> vector<32x32xf16>
    xetile.store_tile %v, %t : vector<32x32xf16>, !xetile.tile<32x32xf16>
    gpu.return
  }
}
"""
HOST = """func.func @host(%A: memref<64x64xf16>) {
  %one = arith.constant 1 : index
  gpu.launch_func @kernels::@copy blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%A : memref<64x64xf16>)
  func.return
}
"""
TO_XEVM = (
    "xetile-init-duplicate,xetile-blocking{device=bmg},convert-xetile-to-xegpu{device=bmg},"
    "convert-xegpu-to-xevm{device=bmg}"
)
TO_LLVM = "convert-xevm-to-llvm{device=bmg}"


def ran(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, *passes: str) -> str:
    """What a pipeline on the module prints, or its one line of error."""
    program = tmp_path / "kernel.mlir"
    program.write_text(text)
    pipeline = f"builtin.module({','.join(passes)})"
    status = main([f"--pass-pipeline={pipeline}", str(program), "--no-snippets"])
    out, err = capsys.readouterr()
    return out if status == 0 else err.partition("kernel.mlir:")[2]


def test_lowering_is_the_same_where_it_is_anchored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = ran(tmp_path, capsys, KERNEL, TO_XEVM, TO_LLVM)
    assert "llvm.func @copy" in whole
    kernels = f"gpu.module({TO_XEVM},{TO_LLVM})"
    assert ran(tmp_path, capsys, KERNEL, kernels) == whole
    split = f"gpu.module(gpu.func({TO_XEVM}),{TO_LLVM})"
    assert ran(tmp_path, capsys, KERNEL, split) == whole


def test_what_is_changed_around_an_anchor_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    on_function = f"gpu.module(gpu.func({TO_XEVM},{TO_LLVM}))"
    assert ran(tmp_path, capsys, KERNEL, on_function) == (
        "2:3: error: pass 'convert-xevm-to-llvm' adds 'llvm.func' to the 'gpu.module' around its anchor; "
        "anchor it on 'gpu.module'\n"
    )
    assert ran(tmp_path, capsys, KERNEL + HOST, f"gpu.module({TO_XEVM})") == (
        "2:3: error: pass 'convert-xetile-to-xegpu' changes how @copy is launched, which is done outside of "
        "'gpu.module'; anchor it on 'builtin.module'\n"
    )


def test_what_an_op_calls_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A subgroup's lanes would each print what the helper prints once: refused wherever the pass is anchored."""
    helper = """gpu.module @kernels {
  func.func @helper(%x: index) {
    gpu.printf "%d", %x : index
    func.return
  }
"""
    text = KERNEL.replace("gpu.module @kernels {\n", helper).replace(
        "    gpu.return",
        "    %i = gpu.subgroup_id : index\n    func.call @helper(%i) : (index) -> ()\n    gpu.return",
    )
    whole = ran(tmp_path, capsys, text, TO_XEVM)
    assert "calls @helper, whose 'gpu.printf' every lane of a subgroup would do" in whole
    assert ran(tmp_path, capsys, text, f"gpu.module(gpu.func({TO_XEVM}))") == whole


def test_a_pass_that_fails_leaves_the_op_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "kernel.mlir"
    program.write_text(KERNEL)
    pipeline = "--pass-pipeline=builtin.module(gpu.module(gpu.func(convert-xetile-to-xegpu{device=bmg})))"
    flags = ["--mlir-print-ir-after-failure", "--no-snippets", str(program)]
    assert main([pipeline, *flags]) == 1
    said = capsys.readouterr().err
    assert "IR Dump After convert-xetile-to-xegpu Failed" in said
    assert "gpu.func @copy" in said
    assert "has no inner_blocks" in said.splitlines()[-1]


def test_an_anchor_that_no_op_is_called_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "kernel.mlir"
    program.write_text(KERNEL)
    assert main(["--pass-pipeline=builtin.module(gpu.fun(cse))", str(program)]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        "warning: no op is called 'gpu.fun'; the passes in its parentheses run on nothing"
    )


def test_upstreams_passes_run_on_an_anchor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mlir_opt: Path
) -> None:
    """The pass `mlir` makes all ops anew, so that the one that was handed to it is found by its name."""
    assert mlir_opt.exists()
    program = PROGRAM.replace('  "test.unknown"() ({\n  }) : () -> ()\n', "")
    printed = ran(
        tmp_path, capsys, program, 'gpu.module(gpu.func(mlir{pipeline="canonicalize,cse"}))'
    )
    assert printed.count("arith.constant") == 7
