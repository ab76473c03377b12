"""Kernels that say their sg_layout and no map: all is dealt out, and one subgroup writes what several hold."""

import numpy as np
import pytest
from support.on_device import ON_NUMPY, Place, levels_and_places
from support.through_levels import through

import xetile
from xetile.errors import XetileError
from xetile.levels import LevelName

COLUMN = "memref<64x1xf32, strided<[1, 64]>>"

EPILOGUE = f"""
!a = !xetile.tile<64x32xf16>
!b = !xetile.tile<32x64xf16>
!c = !xetile.tile<64x64xf32>
!row = !xetile.tile<1x64xf32>
!column = !xetile.tile<64x1xf32, #xetile.tile_attr<order = [0, 1]>>
gpu.module @m {{
  gpu.func @k(%A: memref<64x64xf16>, %B: memref<64x64xf16>, %bias: memref<64xf32>, %C: memref<64x64xf32>,
              %largest: memref<64xf32>, %sums: memref<64xf32>) kernel
      attributes {{xetile.sg_layout = array<i64: ROWS, COLUMNS>, known_block_size = array<i32: 64, 1, 1>,
                  known_grid_size = array<i32: 1, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %none = arith.constant dense<0.0> : vector<64x64xf32>
    %product = scf.for %k = %c0 to %c64 step %c32 iter_args(%sum = %none) -> (vector<64x64xf32>) {{
      %a_tile = xetile.init_tile %A[0, %k] : memref<64x64xf16> -> !a
      %b_tile = xetile.init_tile %B[%k, 0] : memref<64x64xf16> -> !b
      %a = xetile.load_tile %a_tile : !a -> vector<64x32xf16>
      %b = xetile.load_tile %b_tile : !b -> vector<32x64xf16>
      %next = xetile.tile_mma %a, %b, %sum : vector<64x32xf16>, vector<32x64xf16>, vector<64x64xf32> -> vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    }}
    %bias_row = memref.expand_shape %bias [[0, 1]] output_shape [1, 64] : memref<64xf32> into memref<1x64xf32>
    %bias_tile = xetile.init_tile %bias_row[0, 0] : memref<1x64xf32> -> !row
    %one_bias = xetile.load_tile %bias_tile : !row -> vector<1x64xf32>
    %biases = xetile.tile_broadcast %one_bias [0] : vector<1x64xf32> -> vector<64x64xf32>
    %c = arith.addf %product, %biases : vector<64x64xf32>
    %c_tile = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !c
    %before = xetile.load_tile %c_tile : !c -> vector<64x64xf32>
    %most = xetile.tile_reduce <maximumf>, %c [1] : vector<64x64xf32> -> vector<64x1xf32>
    %to = memref.reinterpret_cast %largest to offset: [0], sizes: [64, 1], strides: [1, 64] : memref<64xf32> to {COLUMN}
    %to_tile = xetile.init_tile %to[0, 0] : {COLUMN} -> !column
    %old = xetile.load_tile %to_tile : !column -> vector<64x1xf32>
    %new = arith.maximumf %most, %old : vector<64x1xf32>
    gpu.barrier
    xetile.store_tile %new, %to_tile : vector<64x1xf32>, !column
    %olds = xetile.tile_broadcast %old [1] : vector<64x1xf32> -> vector<64x64xf32>
    %less = arith.subf %c, %olds : vector<64x64xf32>
    %all = arith.addf %less, %before : vector<64x64xf32>
    xetile.store_tile %all, %c_tile : vector<64x64xf32>, !c
    %at = memref.reinterpret_cast %sums to offset: [0], sizes: [64, 1], strides: [1, 64] : memref<64xf32> to {COLUMN}
    %at_tile = xetile.init_tile %at[0, 0] : {COLUMN} -> !column
    %unused = xetile.atomic_rmw_tile <addf> %most, %at_tile : vector<64x1xf32>, !column -> vector<64x1xf32>
    gpu.return
  }}
}}
"""


def _epilogue_on(rows: int, columns: int, level: LevelName | None, place: Place) -> None:
    random = np.random.default_rng(14)
    a, b = (random.integers(-4, 5, (64, 64)).astype(np.float16) for _ in "ab")
    bias, largest, sums = (random.integers(-99, 99, 64).astype(np.float32) for _ in range(3))
    c = random.integers(-9, 9, (64, 64)).astype(np.float32)
    product = a.astype(np.float32) @ b.astype(np.float32) + bias
    most = product.max(axis=1)
    expected = product - largest[:, None] + c, np.maximum(most, largest), sums + most
    text = EPILOGUE.replace("ROWS", str(rows)).replace("COLUMNS", str(columns))
    through(text, level, place, [a, b, bias, c, largest, sums])
    for wanted, found in zip(expected, (c, largest, sums), strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places("subgroup", "xevm"), indirect=["place"]
)
def test_columns_that_two_subgroups_hold_are_read_by_both_and_written_by_one(
    level: LevelName, place: Place
) -> None:
    _epilogue_on(2, 2, level, place)


@pytest.mark.parametrize("layout", [(4, 1), (1, 4)])
def test_no_layout_changes_what_is_computed(layout: tuple[int, int]) -> None:
    _epilogue_on(*layout, "xevm", ON_NUMPY)


ODD = """
gpu.module @m {
  gpu.func @k(%X: memref<ROWSxCOLUMNSxf32>, %Y: memref<ROWSxCOLUMNSxf32>) kernel
      attributes {xetile.sg_layout = array<i64: 4, 2>, known_block_size = array<i32: 128, 1, 1>,
                  known_grid_size = array<i32: 1, 1, 1>} {
    %x_tile = xetile.init_tile %X[0, 0] : memref<ROWSxCOLUMNSxf32> -> !xetile.tile<ROWSxCOLUMNSxf32>
    %x = xetile.load_tile %x_tile : !xetile.tile<ROWSxCOLUMNSxf32> -> vector<ROWSxCOLUMNSxf32>
    %rows = xetile.tile_reduce <maximumf>, %x [1] : vector<ROWSxCOLUMNSxf32> -> vector<ROWSx1xf32>
    %one = xetile.tile_reduce <maximumf>, %rows [0] : vector<ROWSx1xf32> -> vector<1x1xf32>
    %all = xetile.tile_broadcast %one [0, 1] : vector<1x1xf32> -> vector<ROWSxCOLUMNSxf32>
    %y = arith.subf %x, %all : vector<ROWSxCOLUMNSxf32>
    %y_tile = xetile.init_tile %Y[0, 0] : memref<ROWSxCOLUMNSxf32> -> !xetile.tile<ROWSxCOLUMNSxf32>
    xetile.store_tile %y, %y_tile : vector<ROWSxCOLUMNSxf32>, !xetile.tile<ROWSxCOLUMNSxf32>
    %corner = xetile.init_tile %Y[0, 0] : memref<ROWSxCOLUMNSxf32> -> !xetile.tile<1x1xf32>
    gpu.barrier
    xetile.store_tile %one, %corner : vector<1x1xf32>, !xetile.tile<1x1xf32>
    gpu.return
  }
}
"""


@pytest.mark.parametrize("shape", [(3, 100), (100, 3), (1, 1), (7, 24), (1, 48)])
def test_extents_that_no_layout_divides(shape: tuple[int, int]) -> None:
    random = np.random.default_rng(15)
    x, y = random.standard_normal(shape).astype(np.float32), np.zeros(shape, np.float32)
    text = ODD.replace("ROWS", str(shape[0])).replace("COLUMNS", str(shape[1]))
    through(text, "xevm", ON_NUMPY, [x, y])
    expected = x - x.max()
    expected[0, 0] = x.max()
    np.testing.assert_array_equal(y, expected)


def test_a_layout_that_is_none() -> None:
    text = ODD.replace("ROWS", "8").replace("COLUMNS", "8").replace("i64: 4, 2", "i64: 4, 0")
    with pytest.raises(XetileError, match=r"xetile\.sg_layout is .* two positive sizes"):
        xetile.lower(xetile.parse(text), to="subgroup", device="bmg")


def test_a_layout_of_other_subgroups_than_the_block_has() -> None:
    text = ODD.replace("ROWS", "8").replace("COLUMNS", "8").replace("i64: 4, 2", "i64: 4, 4")
    with pytest.raises(XetileError, match="has 16 subgroups, the workgroup has 8"):
        xetile.lower(xetile.parse(text), to="subgroup", device="bmg")
