"""Our passes in pipelines of MLIR's Python bindings: what comes back, and how refusals look there."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = '''
from mlir import ir
from mlir.passmanager import PassManager

from xetile.errors import fail
from xetile.toolchain.mlir_pass import mlir_pass

TEXT = """
module @named attributes {test.kept = 1 : i64} {
  func.func @host(%x: index) -> index {
    %sum = arith.addi %x, %x : index
    return %sum : index
  }
}
"""


def run(change, anchor="builtin.module"):
    with ir.Context():
        module = ir.Module.parse(TEXT)
        manager = PassManager(anchor)
        manager.add(mlir_pass(change))
        op = module.operation if anchor == "builtin.module" else module.body.operations[0].operation
        try:
            manager.run(op)
        except ir.MLIRError as error:
            print("\\n".join(str(error).splitlines()[1:]))
        else:
            print(module.operation.get_asm(enable_debug_info=True, use_local_scope=True))


def refuse(module):
    (add,) = [op for op in module.walk() if op.name == "arith.addi"]
    fail(add, "sums are not for sale")


def kept(module):
    return module


def marked(module):
    module.attributes = {"test.new": next(iter(module.attributes.values()))}
    return module


def broken(module):
    return 1 / 0


for change in (kept, marked, refuse, broken):
    run(change)
run(kept, "func.func")
'''


@pytest.mark.mlir_bindings
def test_a_pass_in_a_pipeline_of_the_bindings(tmp_path: Path) -> None:
    script = tmp_path / "pipeline.py"
    script.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    kept, marked, refused = done.stdout.partition("module @named attributes {test.new")
    assert kept.startswith("module @named attributes {test.kept = 1 : i64} {")
    assert 'arith.addi %arg0, %arg0 : index loc("-":4:12)' in kept
    assert "test.kept" not in marked + refused
    assert refused.rstrip().splitlines()[-3:] == [
        'error: "-":4:12: sums are not for sale',
        'error: "-":2:1: internal error: ZeroDivisionError: division by zero',
        "error: \"-\":3:3: passes of xetile run on 'builtin.module', not on 'func.func'",
    ]
