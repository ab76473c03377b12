"""Races on global memory: each kind at every level with both places, and neighbours that do not race."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xetile.language as xt
from xetile.api import parse_text
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.interpreter.machine.runtime_values import Array
from xetile.interpreter.sanitizer.touched import Touched, touched_parameters
from xetile.levels import LevelName

LEVELS: Sequence[LevelName] = ["workgroup", "subgroup", "blocked", "xegpu", "xevm"]
SQUARE = np.arange(256, dtype=np.float32).reshape(16, 16)
LINES = Path(__file__).read_text().splitlines()


@xt.kernel(sg_layout=(2, 1), grid=(1,))
def read_after_write(X: xt.Array, Y: xt.Array) -> None:
    X[0:16, 0:16] = X[0:16, 0:16] * 2.0  # read_after_write: earlier
    Y[0:16, 0:16] = X[15 - xt.arange(16, axis=0), 0:16]  # read_after_write: later


@xt.kernel(sg_layout=(2, 1), grid=(1,))
def write_after_read(X: xt.Array, Y: xt.Array) -> None:
    turned = X[15 - xt.arange(16, axis=0), 0:16]  # write_after_read: earlier
    X[0:16, 0:16] = turned + Y[0:16, 0:16]  # write_after_read: later


@xt.kernel(sg_layout=(2, 1), grid=(1,))
def two_stores(X: xt.Array, Y: xt.Array) -> None:
    y = Y[0:16, 0:16]
    X[0:16, 0:16] = y  # two_stores: earlier
    X[15 - xt.arange(16, axis=0), 0:16] = y  # two_stores: later


@xt.kernel(sg_layout=(2, 2), grid=(1,))
def read_and_changed_by_all(X: xt.Array, Y: xt.Array) -> None:
    one = X[0, 0]  # read_and_changed_by_all: earlier
    X[0, 0] = one + 1.0  # read_and_changed_by_all: later


@xt.kernel(sg_layout=(2, 1), grid=(1,))
def plain_after_atomic(X: xt.Array, Y: xt.Array) -> None:
    X.at[0:16, 0:16].add(Y[0:16, 0:16])  # plain_after_atomic: earlier
    Y[0:16, 0:16] = X[15 - xt.arange(16, axis=0), 0:16]  # plain_after_atomic: later


@xt.kernel(grid=(2,))
def stencil(X: xt.Array, Y: xt.Array) -> None:
    p = xt.program_id(0) * 8
    other = X[(xt.arange(8, axis=0) + p + 15) % 16, 0:16]  # stencil: earlier
    X[p : p + 8, 0:16] = other + 1.0  # stencil: later


@xt.kernel(grid=(2,))
def reads_another_workgroup(X: xt.Array, Y: xt.Array) -> None:
    p = xt.program_id(0) * 8
    X[p : p + 8, 0:16] = Y[p : p + 8, 0:16]  # reads_another_workgroup: earlier
    Y[p : p + 8, 0:16] = X[8 - p : 16 - p, 0:16]  # reads_another_workgroup: later


@xt.kernel(grid=(2,))
def stores_after_atomic(X: xt.Array, Y: xt.Array) -> None:
    X.at[0:8, 0:16].add(Y[0:8, 0:16])  # stores_after_atomic: earlier
    X[0:8, 0:16] = Y[0:8, 0:16]  # stores_after_atomic: later


@xt.kernel(grid=(2,))
def atomic_after_read(X: xt.Array, Y: xt.Array) -> None:
    Y[0:8, 0:16] = X[0:8, 0:16]  # atomic_after_read: earlier
    X.at[0:8, 0:16].add(1.0)  # atomic_after_read: later


def line_of(kernel: Any, which: str) -> int:
    mark = f"# {kernel.__name__}: {which}"
    return next(n for n, text in enumerate(LINES, 1) if text.endswith(mark))


def lowered(kernel: Any, level: LevelName) -> Any:
    k = kernel.specialize(xt.f32[16, 16], xt.f32[16, 16])
    return k if level == "workgroup" else k.lower(level, device="bmg")


def caught_at(kernel: Any, level: LevelName) -> XetileError:
    with pytest.raises(XetileError) as caught:
        lowered(kernel, level)(SQUARE.copy(), SQUARE * 3, sanitize=True)
    return caught.value


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "kernel, message",
    [
        (read_after_write, "reads element [15, 0] of argument 0, which subgroup 1 wrote at line {} with no barrier between"),
        (write_after_read, "writes element [0, 0] of argument 0, which subgroup 1 read at line {} with no barrier between"),
        (two_stores, "writes element [15, 0] of argument 0, which subgroup 1 wrote at line {} with no barrier between"),
        (read_and_changed_by_all, "writes element [0, 0] of argument 0, which subgroup 1 read at line {} with no barrier between"),
        (plain_after_atomic, "reads element [15, 0] of argument 0, which subgroup 1 wrote at line {} with no barrier between"),
    ],
)  # fmt: skip
def test_subgroups(kernel: Any, message: str, level: LevelName):
    error = caught_at(kernel, level)
    assert error.message == f"subgroup 0 {message.format(line_of(kernel, 'earlier'))}"
    assert error.location is not None
    assert error.location.line.data == line_of(kernel, "later")
    assert [n.location.line.data for n in error.notes] == [line_of(kernel, "earlier")]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "kernel, does, did",
    [
        (stencil, "stores to", "read"),
        (reads_another_workgroup, "reads", "stored"),
        (stores_after_atomic, "stores to", "changed"),
        (atomic_after_read, "changes", "read"),
    ],
)
def test_workgroups(kernel: Any, does: str, did: str, level: LevelName):
    error = caught_at(kernel, level)
    line = line_of(kernel, "earlier")
    assert error.message == (
        f"workgroup [0, 0, 0] {does} an element that workgroup [1, 0, 0] {did} at line {line}; "
        "workgroups run in any order"
    )
    assert error.location is not None
    assert error.location.line.data == line_of(kernel, "later")
    assert [n.location.line.data for n in error.notes] == [line]
    assert error.notes[0].message == f"workgroup [1, 0, 0] {did} it here"


# Neighbours that do not race


@xt.kernel(sg_layout=(2, 1), grid=(1,))
def with_barriers(X: xt.Array, Y: xt.Array) -> None:
    X[0:16, 0:16] = X[0:16, 0:16] * 2.0
    xt.barrier()
    turned = X[15 - xt.arange(16, axis=0), 0:16]
    xt.barrier()
    X[0:16, 0:16] = turned


@xt.kernel(sg_layout=(2, 2), grid=(1,))
def in_place(X: xt.Array, Y: xt.Array) -> None:
    X[0:16, 0:16] = X[0:16, 0:16] + Y[0:16, 0:16]
    X[0:16, 0:16] = X[0:16, 0:16] * 2.0


@xt.kernel(sg_layout=(2, 2), grid=(1,))
def same_value_by_all(X: xt.Array, Y: xt.Array) -> None:
    X[0, 0] = 7.0
    Y[0, 0] = X[0, 0]


@xt.kernel(sg_layout=(2, 1), grid=(2,))
def atomic_alone(X: xt.Array, Y: xt.Array) -> None:
    X.at[0:16, 0:16].add(1.0)
    X.at[15 - xt.arange(16, axis=0), 0:16].add(1.0)


@xt.kernel(grid=(2,))
def same_value_by_workgroups(X: xt.Array, Y: xt.Array) -> None:
    X[0:8, 0:16] = Y[0:8, 0:16]
    Y[8 + xt.program_id(0), 0] = X[0, 0]


@xt.kernel(sg_layout=(2, 1), grid=(2,))
def each_its_own(X: xt.Array, Y: xt.Array) -> None:
    p = xt.program_id(0) * 8
    X[p : p + 8, 0:16] = X[p : p + 8, 0:16] + 1.0
    Y[p : p + 8, 0:16] = X[p : p + 8, 0:16]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "kernel, expected",
    [
        (with_barriers, SQUARE[::-1] * 2),
        (in_place, SQUARE * 8),
        (same_value_by_all, np.where(SQUARE == 0, 7, SQUARE)),
        (atomic_alone, SQUARE + 4),
        (same_value_by_workgroups, np.vstack([SQUARE[:8] * 3, SQUARE[8:]])),
        (each_its_own, SQUARE + 1),
    ],
)
def test_neighbours_that_do_not_race(kernel: Any, expected: Array, level: LevelName):
    x = SQUARE.copy()
    lowered(kernel, level)(x, SQUARE * 3, sanitize=True)
    np.testing.assert_array_equal(x, expected)


@pytest.mark.parametrize("kernel", [with_barriers, in_place, atomic_alone, each_its_own])
def test_eager_execution_is_not_accused(kernel: Any):
    k = kernel.specialize(xt.f32[16, 16], xt.f32[16, 16])
    k.eager(SQUARE.copy(), SQUARE * 3, sanitize=True)


@pytest.mark.parametrize("kernel", [stencil, reads_another_workgroup, read_and_changed_by_all])
def test_eager_execution_finds_workgroups_and_single_elements(kernel: Any):
    k = kernel.specialize(xt.f32[16, 16], xt.f32[16, 16])
    with pytest.raises(XetileError, match=r"workgroups run in any order|no barrier between"):
        k.eager(SQUARE.copy(), SQUARE * 3, sanitize=True)


# Barriers of address spaces, and what workgroups know of atomic ops


def subgroups(body: str, grid: int = 1) -> str:
    return f"""
    gpu.module @m {{
      gpu.func @k(%x: memref<8xi32>, %y: memref<8xi32>) kernel attributes {{xetile.level = "subgroup",
          known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: {grid}, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c7 = arith.constant 7 : index
        %one = arith.constant 1 : i32
        %sg = gpu.subgroup_id : index
        %wg = gpu.block_id x
        %other = arith.subi %c1, %sg : index
        %far = arith.subi %c1, %wg : index
        {body}
        gpu.return
      }}
    }}"""


def executed(text: str) -> str:
    """The message, if any."""
    try:
        arrays = [np.zeros(8, np.int32) for _ in range(2)]
        execute(parse_text(text, "k.mlir"), None, arrays, sanitize=True)
    except XetileError as error:
        return error.message
    return ""


EXCHANGE = """
        memref.store %one, %x[%sg] : memref<8xi32>
        {}
        %v = memref.load %x[%other] : memref<8xi32>
        memref.store %v, %y[%sg] : memref<8xi32>
"""
RACED = "subgroup 0 reads element [1] of argument 0, which subgroup 1 wrote"


@pytest.mark.parametrize(
    "between, raced",
    [
        ("", True),
        ("gpu.barrier", False),
        ("gpu.barrier {address_spaces = [#gpu.address_space<global>]}", False),
        ("gpu.barrier {address_spaces = [#gpu.address_space<workgroup>]}", True),
        ("xegpu.fence memory_kind = global, fence_scope = workgroup", True),
        ("xegpu.fence memory_kind = global, fence_scope = gpu\ngpu.barrier", False),
    ],
)
def test_a_barrier_orders_the_memory_that_it_names(between: str, raced: bool):
    found = executed(subgroups(EXCHANGE.format(between)))
    assert found.startswith(RACED) if raced else found == ""


def test_workgroups_may_order_themselves_by_what_atomic_ops_return():
    text = """
        memref.store %one, %x[%wg] : memref<8xi32>
        %count = memref.atomic_rmw addi %one, %y[%c7] : (i32, memref<8xi32>) -> i32
        {}
        %v = memref.load %x[%far] : memref<8xi32>
    """
    used = "%n = arith.addi %count, %one : i32"
    assert executed(subgroups(text.format(used), grid=2)) == ""
    found = executed(subgroups(text.format(""), grid=2))
    assert found.startswith("workgroup [0, 0, 0] reads an element that workgroup [1, 0, 0]")


@pytest.mark.parametrize("level", LEVELS)
def test_what_a_kernel_reads_and_writes_follows_from_its_ir(level: LevelName):
    kernels = {
        read_after_write: Touched(frozenset({0}), frozenset({0, 1})),
        two_stores: Touched(frozenset({1}), frozenset({0})),
        in_place: Touched(frozenset({0, 1}), frozenset({0})),
    }
    for kernel, expected in kernels.items():
        module = lowered(kernel, level)
        module = getattr(module, "module", module)
        (function,) = (op for op in module.walk() if op.name == "gpu.func")
        found = touched_parameters(function)
        assert found is not None
        # At lane level a buffer in shared memory follows.
        assert Touched(found.read & {0, 1}, found.written & {0, 1}) == expected
