"""Atomic ops on scattered tiles, at the levels that have them, by what is in memory afterwards."""

import numpy as np
import pytest

from xetile import api
from xetile.levels import LevelName

KERNEL = """
#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [4, 16]>
#tile = #xetile.tile_attr<wg_map = #map, scattered = true>
gpu.module @m {
  gpu.func @k(%sums: memref<100xi32>, %old: memref<8x16xi32>, %steps: memref<8x16xi32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %in = xetile.init_tile %steps[0, 0] : memref<8x16xi32> -> !xetile.tile<8x16xi32, #xetile.tile_attr<wg_map = #map>>
    %v = xetile.load_tile %in : !xetile.tile<8x16xi32, #xetile.tile_attr<wg_map = #map>> -> vector<8x16xi32>
    %indices = arith.index_cast %v : vector<8x16xi32> to vector<8x16xindex>
    %t = xetile.init_tile %sums, %indices : memref<100xi32>, vector<8x16xindex> -> !xetile.tile<8x16xi32, #tile>
    %r = xetile.atomic_rmw addi %v, %t : vector<8x16xi32>, !xetile.tile<8x16xi32, #tile> -> vector<8x16xi32>
    %out = xetile.init_tile %old[0, 0] : memref<8x16xi32> -> !xetile.tile<8x16xi32, #xetile.tile_attr<wg_map = #map>>
    xetile.store_tile %r, %out : vector<8x16xi32>, !xetile.tile<8x16xi32, #xetile.tile_attr<wg_map = #map>>
    gpu.return
  }
}
"""


@pytest.mark.parametrize("level", ["workgroup", "subgroup", "blocked", "xegpu"])
def test_elements_are_updated_at_their_indices(
    level: LevelName,
):
    module = api.parse(KERNEL)
    if level != "workgroup":
        module = api.lower(module, to=level, device="pvc")
    # 0 to 127: those from 100 on lie outside of the memref, and 7 is met twice
    steps = np.arange(128, dtype=np.int32).reshape(8, 16)
    steps[0, 0] = 7
    sums, old = np.full(100, 3, np.int32), np.full((8, 16), -1, np.int32)
    api.execute(module, "k", sums, old, steps)
    expected = 3 + np.arange(100)
    expected[0], expected[7] = 3, 3 + 7 + 7
    np.testing.assert_array_equal(sums, expected)
    before = np.where(steps < 100, 3, 0)
    before[0, 7] = old[0, 7]  # after or before the other 7
    before[0, 0] = old[0, 0]
    assert sorted((int(old[0, 0]), int(old[0, 7]))) == [3, 10]
    np.testing.assert_array_equal(old, before)
