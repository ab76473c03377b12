"""Kernels in Python begin with the functions that they were traced from."""

from inspect import getsourcelines

import pytest

import xetile
import xetile.language as xt
from xetile.explorer.model import Kernel, Level
from xetile.kernels import softmax


@xt.kernel(sg_layout=(2, 2))
def product(A: xt.Array, B: xt.Array, C: xt.Array, *, BM: int = 64, BK: int = 32) -> None:
    """C = A B, in rows of subgroups."""
    m, n = xt.program_id(0) * BM, xt.program_id(1) * BM
    überall = xt.zeros((BM, BM), xt.f32)
    for k in xt.range(0, A.shape[1], BK):
        überall += A[m : m + BM, k : k + BK] @ B[k : k + BK, n : n + BM]
    C[m : m + BM, n : n + BM] = überall


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    types = xt.f16[256, 256], xt.f16[256, 256], xt.f32[256, 256]
    module = product.specialize(*types).module
    (found,) = xetile.explore(module, "bmg", assembly=False).model.kernels
    return found


def said(level: Level, index: int) -> str:
    op = level.ops[index]
    return level.lines[op.line][op.first : op.last]


def expressions(kernel: Kernel, name: str) -> list[str]:
    """What ops of a name came of, in Python."""
    python, workgroup = kernel.levels[:2]
    ops = [op for op in workgroup.ops if kernel.names[op.name] == name]
    return [said(python, parent) for op in ops for parent in op.parents]


def test_the_first_level_is_the_function(kernel: Kernel) -> None:
    lines, first = getsourcelines(product.__wrapped__)
    python = kernel.levels[0]
    assert [level.id for level in kernel.levels] == ["Y", *"WSBXVLP"]
    assert python.lines == [line.rstrip("\n") for line in lines]
    assert python.numbers == list(range(first, first + len(lines)))


def test_ops_come_of_expressions(kernel: Kernel) -> None:
    both = "A[m : m + BM, k : k + BK] @ B[k : k + BK, n : n + BM]"
    assert expressions(kernel, "xetile.tile_mma") == [f"überall += {both}"]
    assert expressions(kernel, "xetile.load_tile")[1] == "B[k : k + BK, n : n + BM]"
    assert expressions(kernel, "xetile.store_tile") == ["C[m : m + BM, n : n + BM]"]
    assert expressions(kernel, "scf.for") == ["for k in xt.range(0, A.shape[1], BK):"]
    (end,) = expressions(kernel, "gpu.return")
    assert end.startswith("def product(")


def test_every_op_has_a_parent(kernel: Kernel) -> None:
    for level in kernel.levels[1:-2]:
        assert all(op.parents for op in level.ops), level.id


def test_functions_of_other_files_follow() -> None:
    module = softmax.specialize(X=xt.f16[512, 256], Y=xt.f16[512, 256]).module
    (kernel,) = xetile.explore(module, "bmg", assembly=False).model.kernels
    python = kernel.levels[0]
    (title,) = (line for line in python.lines if line.endswith("rows.py"))
    assert python.numbers is not None
    assert len(python.numbers) == len(python.lines)
    assert python.numbers[python.lines.index(title)] == 0
    assert "    def load(n: Place) -> xt.Tile:" in python.lines
