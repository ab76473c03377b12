"""Threads that go different ways, launch ids and barriers."""

from collections.abc import Callable

import numpy as np

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
    source, other = (
        np.arange(128, dtype=np.float32).reshape(8, 16) + 100 * k for k in range(2)
    )
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
