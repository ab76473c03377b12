"""Threads that go different ways, launch ids and barriers."""

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


def test_divergent_if_joins(run: Run):
    target = np.zeros((16, 2), np.int64)
    run(
        subgroups(
            """
            %c5 = arith.constant 5 : index
            %low = arith.cmpi slt, %n, %c5 : index
            %x, %y = scf.if %low -> (index, index) {
              %d = arith.muli %n, %n : index
              scf.yield %d, %c1 : index, index
            } else {
              %c7 = arith.constant 7 : index
              %odd = arith.remui %n, %c2 : index
              %is = arith.cmpi eq, %odd, %c1 : index
              %z = scf.if %is -> (index) {
                scf.yield %c7 : index
              } else {
                %m = arith.subi %c0, %n : index
                scf.yield %m : index
              }
              scf.yield %z, %n : index, index
            }
            memref.store %x, %0[%n, %c0] : memref<16x2xindex>
            memref.store %y, %0[%n, %c1] : memref<16x2xindex>
            """,
            "%0: memref<16x2xindex>",
        ),
        target,
    )
    for n in range(16):
        x = n * n if n < 5 else 7 if n % 2 else -n
        assert target[n].tolist() == [x, 1 if n < 5 else n]


def test_if_without_else_and_vectors(run: Run):
    target = np.zeros((16, 4), np.int32)
    run(
        subgroups(
            """
            %odd = arith.remui %n, %c2 : index
            %is = arith.cmpi eq, %odd, %c1 : index
            scf.if %is {
              %i = arith.index_cast %n : index to i32
              %v = vector.broadcast %i : i32 to vector<4xi32>
              vector.store %v, %0[%n, %c0] : memref<16x4xi32>, vector<4xi32>
            }
            """,
            "%0: memref<16x4xi32>",
        ),
        target,
    )
    for n in range(16):
        assert (target[n] == (n if n % 2 else 0)).all()


def test_loops_of_different_lengths(run: Run):
    target = np.zeros((16, 2), np.int64)
    run(
        subgroups(
            """
            %start = arith.remui %n, %c2 : index
            %r:2 = scf.for %i = %start to %n step %c2 iter_args(%s = %c0, %last = %n) -> (index, index) {
              %t = arith.addi %s, %i : index
              scf.yield %t, %i : index, index
            }
            memref.store %r#0, %0[%n, %c0] : memref<16x2xindex>
            memref.store %r#1, %0[%n, %c1] : memref<16x2xindex>
            """,
            "%0: memref<16x2xindex>",
        ),
        target,
    )
    for n in range(16):
        steps = range(n % 2, n, 2)
        assert target[n].tolist() == [sum(steps), steps[-1] if steps else n]


def test_loop_over_i32_counts_down_to_nothing(run: Run):
    target = np.zeros((16,), np.int32)
    run(
        subgroups(
            """
            %lower = arith.constant -3 : i32
            %upper = arith.index_cast %n : index to i32
            %four = arith.constant 4 : i32
            %r = scf.for %i = %lower to %upper step %four iter_args(%s = %lower) -> (i32) : i32 {
              %t = arith.addi %s, %i : i32
              scf.yield %t : i32
            }
            memref.store %r, %0[%n] : memref<16xi32>
            """,
            "%0: memref<16xi32>",
        ),
        target,
    )
    assert target.tolist() == [-3 + sum(range(-3, n, 4)) for n in range(16)]


def test_tiles_join(run: Run):
    source, other = (np.arange(128, dtype=np.float32).reshape(8, 16) + 100 * k for k in range(2))
    target = np.zeros((16, 4, 4), np.float32)
    run(
        subgroups(
            """
            %odd = arith.remui %n, %c2 : index
            %is = arith.cmpi eq, %odd, %c1 : index
            %t = scf.if %is -> (!xetile.tile<4x4xf32>) {
              %x = xetile.init_tile %0[2, %n] : memref<8x16xf32> -> !xetile.tile<4x4xf32>
              scf.yield %x : !xetile.tile<4x4xf32>
            } else {
              %x = xetile.init_tile %1[%c1, 3] : memref<8x16xf32> -> !xetile.tile<4x4xf32>
              scf.yield %x : !xetile.tile<4x4xf32>
            }
            %v = xetile.load_tile %t : !xetile.tile<4x4xf32> -> vector<4x4xf32>
            %u = xetile.init_tile %2[%n, 0, 0] : memref<16x4x4xf32> -> !xetile.tile<4x4xf32>
            xetile.store_tile %v, %u : vector<4x4xf32>, !xetile.tile<4x4xf32>
            """,
            "%0: memref<8x16xf32>, %1: memref<8x16xf32>, %2: memref<16x4x4xf32>",
        ),
        source,
        other,
        target,
    )
    padded = np.zeros((8, 20), np.float32)
    padded[:, :16] = source
    for n in range(16):
        expected = padded[2:6, n : n + 4] if n % 2 else other[1:5, 3:7]
        np.testing.assert_array_equal(target[n], expected)


def test_while_stops_each_thread_by_itself(run: Run):
    target = np.zeros((16, 2), np.int64)
    run(
        subgroups(
            """
            %c3 = arith.constant 3 : index
            %start = arith.addi %n, %c1 : index
            %r:2 = scf.while (%x = %start, %steps = %c0) : (index, index) -> (index, index) {
              %more = arith.cmpi ne, %x, %c1 : index
              scf.condition(%more) %x, %steps : index, index
            } do {
            ^bb0(%x: index, %steps: index):
              %rest = arith.remui %x, %c2 : index
              %even = arith.cmpi eq, %rest, %c0 : index
              %half = arith.divui %x, %c2 : index
              %triple = arith.muli %x, %c3 : index
              %up = arith.addi %triple, %c1 : index
              %next = arith.select %even, %half, %up : index
              %more = arith.addi %steps, %c1 : index
              scf.yield %next, %more : index, index
            }
            memref.store %r#0, %0[%n, %c0] : memref<16x2xindex>
            memref.store %r#1, %0[%n, %c1] : memref<16x2xindex>
            """,
            "%0: memref<16x2xindex>",
        ),
        target,
    )
    for n in range(16):
        x, steps = n + 1, 0
        while x != 1:
            x, steps = (x // 2 if x % 2 == 0 else 3 * x + 1), steps + 1
        assert target[n].tolist() == [1, steps]


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
        ("workgroup", "gpu.subgroup_id : index", "'gpu.subgroup_id' differs inside of a workgroup"),
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


def test_functions_of_other_pipelines(run: Run):
    target = np.zeros((16, 16), np.float32)
    run(
        """
        func.func @k(%0: memref<16x16xf32>) attributes {known_block_size = array<i32: 32, 1, 1>} {
          %c8 = arith.constant 8 : index
          %sg = gpu.subgroup_id : index
          %x = arith.muli %sg, %c8 : index
          %v = arith.constant dense<2.0> : vector<8x16xf32>
          %t = xetile.init_tile %0[%x, 0] : memref<16x16xf32> -> !xetile.tile<8x16xf32>
          xetile.store_tile %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32>
          func.return
        }
        """,
        target,
        grid=(1, 1, 1),
    )
    assert (target == 2).all()
