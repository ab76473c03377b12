"""Kernels of level workgroup that reach single elements alone: at each level their subgroups do it once."""

import numpy as np
import pytest
from support.on_device import Place, levels_and_places
from support.through_levels import through

import xetile
from xetile.levels import LevelName

KERNEL = """
gpu.module @m {
  gpu.func @k(%X: memref<8xf32>, %Y: memref<8xf32>) kernel
      attributes {xetile.sg_layout = array<i64: 2, 1>, known_block_size = array<i32: 32, 1, 1>,
                  known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %kept = memref.alloc() : memref<8xf32, 3>
    scf.for %i = %c0 to %c8 step %c1 {
      %x = memref.load %X[%i] : memref<8xf32>
      %last = arith.subi %c8, %i : index
      %place = arith.subi %last, %c1 : index
      memref.store %x, %kept[%place] : memref<8xf32, 3>
    }
    gpu.barrier
    scf.for %i = %c0 to %c8 step %c2 {
      %x = memref.load %kept[%i] : memref<8xf32, 3>
      memref.store %x, %Y[%i] : memref<8xf32>
    }
    gpu.return
  }
}
"""


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places("subgroup", "xevm"), indirect=["place"]
)
def test_shared_memory_without_tiles(level: LevelName, place: Place) -> None:
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    through(KERNEL, level, place, [x, y])
    np.testing.assert_array_equal(y, [7, 0, 5, 0, 3, 0, 1, 0])


PRINTS = KERNEL.replace("gpu.return", r'gpu.printf "%d\n", %c8 : index' + "\n    gpu.return")


@pytest.mark.parametrize("level", ["workgroup", "subgroup", "blocked", "xegpu", "xevm"])
def test_a_workgroup_prints_once(level: LevelName, capsys: pytest.CaptureFixture[str]) -> None:
    module = xetile.parse(PRINTS)
    if level != "workgroup":
        module = xetile.lower(module, to=level, device="bmg")
    xetile.execute(module, "k", np.ones(8, np.float32), np.zeros(8, np.float32))
    assert capsys.readouterr().out == "8\n"
