"""Offsets that only memory knows, also of one element or one row: every row is gathered and scattered, against numpy."""

from typing import Any

import numpy as np
import pytest
from support.on_device import Place, levels_and_places

import xetile
import xetile.language as xt
from xetile.kernels.embedding import embedding, embedding_reference
from xetile.levels import LevelName

TYPES = {"f16": np.float16, "f32": np.float32, "i32": np.int32, "i8": np.int8}


@xt.kernel
def gather(T: xt.Array, I: xt.Array, O: xt.Array, *, R: int) -> None:
    O[0:R, 0:16] = T[I[0:R, None], 0:16]


@xt.kernel
def scatter(T: xt.Array, I: xt.Array, O: xt.Array, *, R: int) -> None:
    O[I[0:R, None], 0:16] = T[0:R, 0:16]


def executed(kernel: Any, level: LevelName, place: Place, arrays: list[Any]) -> None:
    module = xetile.lower(kernel.module, to=level, device="bmg")
    place.execute(module, None, arrays)


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places("blocked", "xegpu", "xevm"), indirect=["place"]
)
@pytest.mark.parametrize(("rows", "type"), [(3, "f32"), (5, "i8"), (7, "f16"), (1, "i32")])
def test_rows_by_their_numbers(rows: int, type: str, level: LevelName, place: Place) -> None:
    matrix, count = getattr(xt, type)[12, 16], xt.i32[rows]
    numbers = np.array([3, 1, 4, 11, 5, 9, 2][:rows], np.int32)
    data = (np.arange(12 * 16) % 101).reshape(12, 16).astype(TYPES[type])
    for kernel, expected in ((gather, data * 0), (scatter, data * 0)):
        if kernel is gather:
            expected[:rows] = data[numbers]
        else:
            expected[numbers] = data[:rows]
        found = data * 0
        specialized = kernel.specialize(matrix, count, matrix, grid=(1, 1, 1), R=rows)
        executed(specialized, level, place, [data, numbers, found])
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places("blocked", "xegpu", "xevm"), indirect=["place"]
)
def test_embeddings_of_three_rows_a_subgroup(level: LevelName, place: Place) -> None:
    ids = (np.arange(24, dtype=np.int32) * 7) % 31 - 1
    table = np.arange(30 * 64, dtype=np.float32).reshape(30, 64)
    found = np.ones((24, 64), np.float32)
    types = (xt.i32[24], xt.f32[30, 64], xt.f32[24, 64])
    kernel = embedding.specialize(*types, grid=(1, 1, 1), BT=24)
    executed(kernel, level, place, [ids, table, found])
    np.testing.assert_array_equal(found, embedding_reference(ids, table))


SLICED = """
gpu.module @m {
gpu.func @k(%I: memref<16x16xi32>, %A: memref<1024xf32>, %O: memref<1024xf32>) kernel
    attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
  %d = xegpu.create_nd_tdesc %I : memref<16x16xi32> -> !xegpu.tensor_desc<8x16xi32>
  %x = xegpu.load_nd %d[0, 0] : !xegpu.tensor_desc<8x16xi32> -> vector<8x16xi32>
  %c = vector.extract_strided_slice %x {offsets = [0, 0], sizes = [2, 1], strides = [1, 1]}
      : vector<8x16xi32> to vector<2x1xi32>
  %i = arith.index_cast %c : vector<2x1xi32> to vector<2x1xindex>
  %b = vector.broadcast %i : vector<2x1xindex> to vector<2x16xindex>
  %r = vector.extract_strided_slice %b {offsets = [1, 0], sizes = [1, 16], strides = [1, 1]}
      : vector<2x16xindex> to vector<1x16xindex>
  %s = vector.shape_cast %r : vector<1x16xindex> to vector<16xindex>
  %n = arith.constant dense<64> : vector<16xindex>
  %t = arith.muli %s, %n : vector<16xindex>
  %st = vector.step : vector<16xindex>
  %off = arith.addi %t, %st : vector<16xindex>
  %m = arith.constant dense<true> : vector<16xi1>
  %v = xegpu.load %A[%off], %m : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
  xegpu.store %v, %O[%st], %m : vector<16xf32>, memref<1024xf32>, vector<16xindex>, vector<16xi1>
  gpu.return
}}
"""


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places(None, "xevm"), indirect=["place"]
)
def test_a_row_of_broadcast_offsets(level: LevelName | None, place: Place) -> None:
    numbers = np.zeros((16, 16), np.int32)
    numbers[:2, 0] = 3, 5
    data, found = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
    module = xetile.parse(SLICED)
    if level is not None:
        module = xetile.lower(module, to=level, device="bmg")
    place.execute(module, None, [numbers, data, found])
    np.testing.assert_array_equal(found[:16], data[5 * 64 : 5 * 64 + 16])
