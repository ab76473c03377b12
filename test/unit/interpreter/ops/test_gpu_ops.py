"""Launch ids and barriers of the gpu dialect."""

from collections.abc import Callable

import numpy as np
import pytest

from xetile.errors import XetileError

Run = Callable[..., None]


def subgroups(body: str, parameters: str, count: int = 8, grid: str = "2, 1, 1") -> str:
    return f"""
    gpu.module @m {{
      gpu.func @k({parameters}) kernel
          attributes {{known_block_size = array<i32: {16 * count}, 1, 1>, known_grid_size = array<i32: {grid}>}} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c8 = arith.constant 8 : index
        %sg = gpu.subgroup_id : index
        %b = gpu.block_id x
        %b8 = arith.muli %b, %c8 : index
        %n = arith.addi %b8, %sg : index
        {body}
        gpu.return
      }}
    }}
    """


def test_a_barrier_that_some_subgroups_miss(run: Run):
    text = subgroups(
        """
        %c5 = arith.constant 5 : index
        %some = arith.cmpi slt, %sg, %c5 : index
        scf.if %some {
          gpu.barrier
        }
        """,
        "",
    )
    with pytest.raises(
        XetileError, match=r"reached by 5 of the 8 subgroups of workgroup \[0, 0, 0\]"
    ):
        run(text)


def test_a_barrier_that_some_workgroups_skip(run: Run):
    run(
        subgroups(
            """
            %some = arith.cmpi eq, %b, %c1 : index
            scf.if %some {
              gpu.barrier
            }
            """,
            "",
        )
    )


LANES = """
gpu.module @m {
  gpu.func @k(%0: memref<2x3x2x64x10xi32>) kernel
      attributes {known_block_size = array<i32: 32, 2, 1>, known_grid_size = array<i32: 2, 3, 2>,
                  xetile.level = "lane"} {
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %bz = gpu.block_id z
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %tz = gpu.thread_id z
    %sg = gpu.subgroup_id : index
    %lane = gpu.lane_id
    %gx = gpu.global_id x
    %gy = gpu.global_id y
    %dx = gpu.block_dim x
    %sy = gpu.grid_dim y
    %size = gpu.subgroup_size : index
    %count = gpu.num_subgroups : index
    %row = arith.muli %ty, %dx : index
    %linear = arith.addi %row, %tx : index
    STORES
    gpu.return
  }
}
"""


def test_ids_of_lanes(run: Run):
    names = ["tx", "ty", "tz", "sg", "lane", "gx", "gy", "sy", "size", "count"]
    stores = "\n".join(
        f"""
        %p{n} = arith.constant {n} : index
        %v{n} = arith.index_cast %{name} : index to i32
        memref.store %v{n}, %0[%bx, %by, %bz, %linear, %p{n}] : memref<2x3x2x64x10xi32>
        """
        for n, name in enumerate(names)
    )
    target = np.full((2, 3, 2, 64, 10), -1, np.int32)
    run(LANES.replace("STORES", stores), target)
    for bx, by, bz, item in np.ndindex(2, 3, 2, 64):
        x, y = item % 32, item // 32
        expected = [x, y, 0, item // 16, item % 16, bx * 32 + x, by * 2 + y, 3, 16, 4]
        assert target[bx, by, bz, item].tolist() == expected


def test_older_convention_counts_subgroups(run: Run):
    target = np.zeros((2, 12, 3), np.int64)
    run(
        """
        gpu.module @m {
          gpu.func @k(%0: memref<2x12x3xindex>) kernel
              attributes {known_block_size = array<i32: 4, 3, 1>, known_grid_size = array<i32: 2, 1, 1>,
                          VectorComputeFunctionINTEL} {
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %c2 = arith.constant 2 : index
            %b = gpu.block_id x
            %x = gpu.thread_id x
            %y = gpu.thread_id y
            %s = gpu.subgroup_id : index
            memref.store %x, %0[%b, %s, %c0] : memref<2x12x3xindex>
            memref.store %y, %0[%b, %s, %c1] : memref<2x12x3xindex>
            memref.store %s, %0[%b, %s, %c2] : memref<2x12x3xindex>
            gpu.return
          }
        }
        """,
        target,
    )
    for block, subgroup in np.ndindex(2, 12):
        assert target[block, subgroup].tolist() == [subgroup % 4, subgroup // 4, subgroup]


@pytest.mark.parametrize(
    "level, op, message",
    [
        ("workgroup", "gpu.thread_id x", "'gpu.thread_id' differs inside of a workgroup"),
        (
            "workgroup",
            "gpu.subgroup_id : index",
            "'gpu.subgroup_id' differs inside of a workgroup",
        ),
        ("subgroup", "gpu.thread_id x", "'gpu.thread_id' differs inside of a subgroup"),
        ("subgroup", "gpu.lane_id", "'gpu.lane_id' differs inside of a subgroup"),
    ],
)
def test_ids_that_a_level_does_not_have(run: Run, level: str, op: str, message: str):
    text = f"""
    gpu.module @m {{
      gpu.func @k() kernel attributes {{known_block_size = array<i32: 16, 1, 1>, xetile.level = "{level}"}} {{
        %x = {op}
        gpu.return
      }}
    }}
    """
    with pytest.raises(XetileError, match=message):
        run(text, grid=(1, 1, 1))
