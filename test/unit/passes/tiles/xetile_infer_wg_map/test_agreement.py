"""Kernels that say their sg_layout and no map, in which values are needed by several maps."""

import numpy as np
import pytest
from support.on_device import ON_NUMPY, Place, levels_and_places
from support.through_levels import through

from xetile.levels import LevelName

HEAD = """
!h = !xetile.tile<32x32xf16>
!f = !xetile.tile<32x32xf32>
gpu.module @m {
  gpu.func @k(%X: memref<32x32xf16>, %V: memref<32x32xf16>, %Y: memref<32x32xf32>) kernel
      attributes {xetile.sg_layout = array<i64: 2, 2>, known_block_size = array<i32: 64, 1, 1>,
                  known_grid_size = array<i32: 1, 1, 1>} {
    %x_tile = xetile.init_tile %X[0, 0] : memref<32x32xf16> -> !h
    %x = xetile.load_tile %x_tile : !h -> vector<32x32xf16>
    %v_tile = xetile.init_tile %V[0, 0] : memref<32x32xf16> -> !h
    %v = xetile.load_tile %v_tile : !h -> vector<32x32xf16>
    %y_tile = xetile.init_tile %Y[0, 0] : memref<32x32xf32> -> !f
"""
TAIL = """
    xetile.store_tile %y, %y_tile : vector<32x32xf32>, !f
    gpu.return
  }
}
"""
PRODUCT = "vector<32x32xf16>, vector<32x32xf16> -> vector<32x32xf32>"

CHAIN = f"""{HEAD}
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %square = xetile.tile_mma %x, %x : {PRODUCT}
    %first = arith.truncf %square : vector<32x32xf32> to vector<32x32xf16>
    %last = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %first) -> (vector<32x32xf16>) {{
      %next = xetile.tile_mma %p, %v : {PRODUCT}
      %half = arith.truncf %next : vector<32x32xf32> to vector<32x32xf16>
      %turned = xetile.tile_transpose %half, [1, 0] : vector<32x32xf16> -> vector<32x32xf16>
      scf.yield %turned : vector<32x32xf16>
    }}
    %wide = arith.extf %last : vector<32x32xf16> to vector<32x32xf32>
    %y = arith.addf %wide, %square : vector<32x32xf32>
{TAIL}"""


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places("subgroup", "xevm"), indirect=["place"]
)
def test_products_of_products(level: LevelName, place: Place) -> None:
    random = np.random.default_rng(3)
    x, v = (random.integers(-1, 2, (32, 32)).astype(np.float16) for _ in "xv")
    y = np.zeros((32, 32), np.float32)
    through(CHAIN, level, place, [x, v, y])
    square = x.astype(np.float32) @ x.astype(np.float32)
    expected = square
    for _ in range(2):
        expected = (expected @ v.astype(np.float32)).T
    np.testing.assert_array_equal(y, expected + square)


SUM = f"""{HEAD}
    %turned = xetile.tile_transpose %x, [1, 0] : vector<32x32xf16> -> vector<32x32xf16>
    %negated = arith.negf %x : vector<32x32xf16>
    %sum = arith.addf %negated, %turned : vector<32x32xf16>
    %sums = arith.addf %sum, %v : vector<32x32xf16>
    %y = arith.extf %sums : vector<32x32xf16> to vector<32x32xf32>
{TAIL}"""


def test_a_sum_with_a_transpose(capsys: pytest.CaptureFixture[str]) -> None:
    x, v = np.arange(1024, dtype=np.float16).reshape(32, 32), np.ones((32, 32), np.float16)
    y = np.zeros((32, 32), np.float32)
    through(SUM.replace("i64: 2, 2", "i64: 4, 1"), "xevm", ON_NUMPY, [x, v, y])
    np.testing.assert_array_equal(y, (x.T - x + v).astype(np.float32))
    assert "changes its subgroups here, to <sg_layout = [4, 1], sg_data = [8, 32]>" in (
        capsys.readouterr().err
    )
