"""What the passes make of XeGPU and XeVM, mlir-opt 22 accepts, and it comes back as the same IR."""

import subprocess
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from xetile.dialects.modules import context, parse
from xetile.kernels import gemm_module
from xetile.levels import LevelName
from xetile.passes.pipelines import lower

KERNELS: dict[str, dict[str, Any]] = {
    "f16": {"a": "f16", "prefetch": 3},
    "bf16": {"a": "bf16", "accumulator": "bf16"},
    "i8": {"a": "i8", "accumulator": "i32", "prefetch": 1},
    "tf32": {"a": "tf32", "k_step": 16},
    "truncated": {"a": "f16", "c": "f16"},
}


def text(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()


@pytest.mark.mlir_opt
@pytest.mark.parametrize("level", ["xegpu", "xevm"])
@pytest.mark.parametrize("name", KERNELS)
def test_mlir_opt_takes_it_and_gives_it_back(
    mlir_opt: Path, name: str, level: LevelName
) -> None:
    options: dict[str, Any] = {
        "workgroup_tile": (64, 64),
        "subgroup_tile": (32, 32),
    } | KERNELS[name]
    module = gemm_module(m=72, n=96, k=144, **options)
    lower(context(), module, level, "bmg")
    # tf32 vectors exist at X only: a lane holds them as f32.
    done = subprocess.run(
        [mlir_opt], input=text(module), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    back = parse(done.stdout)
    back.verify()
    mine = parse(text(module))
    assert text(strip_names(back)) == text(strip_names(mine))


def strip_names(module: ModuleOp) -> ModuleOp:
    for op in module.walk():
        for value in op.results:
            value.name_hint = None
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    argument.name_hint = None
    return module
