"""What kernels hold to be true: an error where it is false, at the levels that are executed with checks."""

import re

import numpy as np
import pytest
from support.on_device import Array

import xetile
from xetile.errors import XetileError
from xetile.levels import LevelName

KERNEL = """
gpu.module @m {
  gpu.func @k(%X: memref<64x64xf32>, %Y: memref<64x64xf32>, %n: index) kernel
      attributes {xetile.sg_layout = array<i64: 2, 2>, known_block_size = array<i32: 64, 1, 1>,
                  known_grid_size = array<i32: 2, 2, 1>} {
    %c32 = arith.constant 32 : index
    %x = gpu.block_id x
    %y = gpu.block_id y
    %column = arith.muli %x, %c32 : index
    %row = arith.muli %y, %c32 : index
    %from = xetile.init_tile %X[%row, %column] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
    %v = xetile.load_tile %from : !xetile.tile<32x32xf32> -> vector<32x32xf32>
    %some = arith.cmpi slt, %x, %n : index
    xetile.check %some, "few workgroups" : i1
    %most = arith.constant dense<9.0> : vector<32x32xf32>
    %small = arith.cmpf olt, %v, %most : vector<32x32xf32>
    xetile.check %small, "small values" : vector<32x32xi1>
    %largest = xetile.tile_reduce <maximumf>, %v [1] : vector<32x32xf32> -> vector<32x1xf32>
    %least = arith.constant dense<0.0> : vector<32x1xf32>
    %positive = arith.cmpf oge, %largest, %least : vector<32x1xf32>
    xetile.check %positive, "rows with what is positive" : vector<32x1xi1>
    %to = xetile.init_tile %Y[%row, %column] : memref<64x64xf32> -> !xetile.tile<32x32xf32>
    xetile.store_tile %v, %to : vector<32x32xf32>, !xetile.tile<32x32xf32>
    gpu.return
  }
}
"""

LEVELS: tuple[LevelName, ...] = ("workgroup", "subgroup", "blocked", "xegpu", "xevm")


def execute(level: LevelName, x: Array, n: int) -> Array:
    module = xetile.parse(KERNEL, name="k.mlir")
    if level != "workgroup":
        module = xetile.lower(module, to=level, device="bmg")
    y = np.zeros_like(x)
    xetile.execute(module, "k", x, y, n)
    return y


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_true_changes_nothing(level: LevelName) -> None:
    x = np.zeros((64, 64), np.float32)
    np.testing.assert_array_equal(execute(level, x, 2), x)


PLACES = {
    "workgroup": "check failed at [21, 18] in workgroup [0, 1, 0]: ",
    # rows from 16 and columns from 16 on are those of the fourth subgroup
    "subgroup": "check failed at [5, 2] in workgroup [0, 1, 0], subgroup 3: ",
    "blocked": "check failed at [5, 2] in workgroup [0, 1, 0], subgroup 3: ",
}


@pytest.mark.parametrize("level", PLACES)
def test_the_first_element_that_is_false(level: LevelName) -> None:
    x = np.zeros((64, 64), np.float32)
    x[53, 18] = x[60, 20] = 9
    with pytest.raises(XetileError, match=re.escape(PLACES[level] + "small values")) as found:
        execute(level, x, 2)
    assert str(found.value).startswith("k.mlir:17:5: error: ")


@pytest.mark.parametrize("level", PLACES)
def test_a_column_and_a_scalar(level: LevelName) -> None:
    x = np.zeros((64, 64), np.float32)
    with pytest.raises(
        XetileError, match=r"k.mlir:14:5: error: check failed in workgroup \[1, 0, 0\]"
    ):
        execute(level, x, 1)
    x[3] = -1
    with pytest.raises(
        XetileError, match=r"k.mlir:21:5: error: check failed at \[3, 0\] in workgroup"
    ):
        execute(level, x, 2)


def test_lower_levels_have_none(capsys: pytest.CaptureFixture[str]) -> None:
    x = np.full((64, 64), 99, np.float32)
    np.testing.assert_array_equal(execute("xegpu", x, 2), x)
    assert capsys.readouterr().err.count("remark") == 1
