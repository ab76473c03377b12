"""vector.transfer_read and vector.transfer_write against a scalar loop over the elements."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pytest

from xetile.errors import XetileError
from xetile.interpreter.machine.runtime_values import Array

Run = Callable[..., None]

EXTENTS = (5, 6, 7)
DIMS = ("d0", "d1", "d2")


def map_text(dims: Sequence[int | None]) -> str:
    results = ", ".join("0" if d is None else DIMS[d] for d in dims)
    return f"affine_map<({', '.join(DIMS)}) -> ({results})>"


def read_element(
    source: Array, start: Sequence[int], dims: Sequence[int | None], at: Sequence[int]
) -> int | None:
    """The element of the memref at a position of the vector; None where it is outside."""
    index = list(start)
    for position, d in zip(at, dims, strict=True):
        if d is not None:
            index[d] += position
    inside = all(0 <= i < n for i, n in zip(index, source.shape, strict=True))
    return int(source[tuple(index)]) if inside else None


@pytest.mark.parametrize("start", [(0, 0, 0), (2, 3, 4), (4, 5, 6), (1, 0, 5)])
@pytest.mark.parametrize(
    "dims, shape",
    [((1, 2), (4, 4)), ((2, 1), (3, 4)), ((0, 2), (4, 2)), ((2,), (8,)), ((0,), (4,)),
     ((None, 2), (3, 4)), ((2, None, 0), (4, 2, 3)), ((2, 0, 1), (2, 3, 4))],
)  # fmt: skip
def test_reads(
    compute: Run,
    start: tuple[int, int, int],
    dims: tuple[int | None, ...],
    shape: tuple[int, ...],
):
    source = np.arange(np.prod(EXTENTS), dtype=np.int32).reshape(EXTENTS)
    target = np.zeros(shape, np.int32)
    shown = "x".join(map(str, shape))
    zeros = ", ".join(["%c0"] * len(shape))
    compute(
        f"""
        %i = arith.constant {start[0]} : index
        %j = arith.constant {start[1]} : index
        %k = arith.constant {start[2]} : index
        %pad = arith.constant -1 : i32
        %v = vector.transfer_read %0[%i, %j, %k], %pad {{permutation_map = {map_text(dims)}}}
            : memref<5x6x7xi32>, vector<{shown}xi32>
        vector.store %v, %1[{zeros}] : memref<{shown}xi32>, vector<{shown}xi32>
        """,
        f"memref<5x6x7xi32>; memref<{shown}xi32>",
        source,
        target,
    )
    for at in product(*map(range, shape)):
        found = read_element(source, start, dims, at)
        assert target[at] == (-1 if found is None else found)


@pytest.mark.parametrize("dims, shape", [((1, 2), (4, 4)), ((2, 1), (3, 4)), ((0,), (4,))])
@pytest.mark.parametrize("start", [(0, 0, 0), (3, 4, 5)])
def test_writes(
    compute: Run, start: tuple[int, int, int], dims: tuple[int, ...], shape: tuple[int, ...]
):
    source = np.arange(1, 1 + np.prod(shape), dtype=np.int32).reshape(shape)
    target = np.zeros(EXTENTS, np.int32)
    shown = "x".join(map(str, shape))
    zeros = ", ".join(["%c0"] * len(shape))
    compute(
        f"""
        %i = arith.constant {start[0]} : index
        %j = arith.constant {start[1]} : index
        %k = arith.constant {start[2]} : index
        %v = vector.load %0[{zeros}] : memref<{shown}xi32>, vector<{shown}xi32>
        vector.transfer_write %v, %1[%i, %j, %k] {{permutation_map = {map_text(dims)}}}
            : vector<{shown}xi32>, memref<5x6x7xi32>
        """,
        f"memref<{shown}xi32>; memref<5x6x7xi32>",
        source,
        target,
    )
    expected = np.zeros(EXTENTS, np.int32)
    for at in product(*map(range, shape)):
        index = list(start)
        for position, d in zip(at, dims, strict=True):
            index[d] += position
        if all(i < n for i, n in zip(index, EXTENTS, strict=True)):
            expected[tuple(index)] = source[at]
    np.testing.assert_array_equal(target, expected)


def test_a_mask_has_the_dimensions_of_memory(compute: Run):
    """The mask of a transposing transfer is not transposed."""
    source = np.arange(24, dtype=np.float32).reshape(4, 6)
    read, written = np.zeros((6, 4), np.float32), np.zeros((4, 6), np.float32)
    compute(
        """
        %c3 = arith.constant 3 : index
        %c2 = arith.constant 2 : index
        %pad = arith.constant -1.0 : f32
        %mask = vector.create_mask %c3, %c2 : vector<4x6xi1>
        %v = vector.transfer_read %0[%c0, %c0], %pad, %mask
            {permutation_map = affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [true, true]}
            : memref<4x6xf32>, vector<6x4xf32>
        vector.store %v, %1[%c0, %c0] : memref<6x4xf32>, vector<6x4xf32>
        vector.transfer_write %v, %2[%c0, %c0], %mask
            {permutation_map = affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [true, true]}
            : vector<6x4xf32>, memref<4x6xf32>
        """,
        "memref<4x6xf32>; memref<6x4xf32>; memref<4x6xf32>",
        source,
        read,
        written,
    )
    mask = (np.arange(4)[:, None] < 3) & (np.arange(6) < 2)
    np.testing.assert_array_equal(read, np.where(mask, source, -1).T)
    np.testing.assert_array_equal(written, np.where(mask, source, 0))


def test_in_bounds_is_a_promise(compute: Run):
    text = """
        %c3 = arith.constant 3 : index
        %pad = arith.constant 0.0 : f32
        %v = vector.transfer_read %0[%c3], %pad {in_bounds = [true]} : memref<6xf32>, vector<4xf32>
        """
    with pytest.raises(XetileError, match="index 6 is outside of dimension 0 of extent 6"):
        compute(text, "memref<6xf32>", np.zeros(6, np.float32))


def test_threads_at_different_places(run: Run):
    target = np.zeros((4, 4), np.int32)
    run(
        """
        gpu.module @m {
          gpu.func @k(%in: memref<10xi32>, %out: memref<4x4xi32>) kernel
              attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
            %c0 = arith.constant 0 : index
            %c3 = arith.constant 3 : index
            %pad = arith.constant 0 : i32
            %sg = gpu.subgroup_id : index
            %at = arith.muli %sg, %c3 : index
            %v = vector.transfer_read %in[%at], %pad : memref<10xi32>, vector<4xi32>
            vector.transfer_write %v, %out[%sg, %c0] {in_bounds = [true]} : vector<4xi32>, memref<4x4xi32>
            gpu.return
          }
        }
        """,
        np.arange(1, 11, dtype=np.int32),
        target,
    )
    assert target.tolist() == [[1, 2, 3, 4], [4, 5, 6, 7], [7, 8, 9, 10], [10, 0, 0, 0]]
