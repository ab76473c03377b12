"""XeTile's ops on vectors, gathers, scatters and atomics."""

from collections.abc import Callable

import numpy as np
import pytest

from xetile.interpreter.machine.runtime_values import Array

Run = Callable[..., None]


def blocked(values: Array, rows: int, columns: int) -> Array:
    """Rows and columns as blocks, by the definition: pack(v)[i, j, y, x] = v[i * rows + y, j * columns + x]."""
    height, width = values.shape
    result = np.zeros((height // rows, width // columns, rows, columns), values.dtype)
    for i, j, y, x in np.ndindex(*result.shape):
        result[i, j, y, x] = values[i * rows + y, j * columns + x]
    return result


def apply(compute: Run, op: str, source: Array, expected: Array, kind: str = "f32") -> None:
    """Hold the result of ops on %v, which define %r, against `expected`."""
    result = np.zeros(expected.shape, expected.dtype)
    types = ["x".join(map(str, (*array.shape, kind))) for array in (source, expected)]
    zeros = [", ".join(["%c0"] * array.ndim) for array in (source, expected)]
    compute(
        f"""
        %v = vector.load %0[{zeros[0]}] : memref<{types[0]}>, vector<{types[0]}>
        {op.replace("GIVEN", f"vector<{types[0]}>").replace("MADE", f"vector<{types[1]}>")}
        vector.store %r, %1[{zeros[1]}] : memref<{types[1]}>, vector<{types[1]}>
        """,
        f"memref<{types[0]}>; memref<{types[1]}>",
        source,
        result,
    )
    np.testing.assert_array_equal(result, expected)


X = np.random.default_rng(3).integers(-100, -1, (8, 12)).astype(np.float32)


def test_pack_and_unpack(compute: Run):
    pack = "%r = xetile.tile_pack %v {inner_blocks = array<i64: 4, 3>} : GIVEN -> MADE"
    apply(compute, pack, X, blocked(X, 4, 3))
    unpack = "%r = xetile.tile_unpack %v {inner_blocks = array<i64: 4, 3>} : GIVEN -> MADE"
    apply(compute, unpack, blocked(X, 4, 3), X)


def test_transpose(compute: Run):
    apply(
        compute,
        "%r = xetile.tile_transpose %v, [1, 0] : GIVEN -> MADE",
        X,
        np.ascontiguousarray(X.T),
    )
    op = "%r = xetile.tile_transpose %v, [1, 0, 3, 2] : GIVEN -> MADE"
    apply(compute, op, blocked(X, 4, 3), blocked(np.ascontiguousarray(X.T), 3, 4))


@pytest.mark.parametrize("dimension", [0, 1])
def test_reduce(compute: Run, dimension: int):
    largest = X.max(axis=dimension, keepdims=True)
    op = f"%r = xetile.tile_reduce <maximumf>, %v [{dimension}] : GIVEN -> MADE"
    apply(compute, op, X, largest)
    total = X.sum(axis=dimension, keepdims=True)
    apply(
        compute, f"%r = xetile.tile_reduce <add>, %v [{dimension}] : GIVEN -> MADE", X, total
    )
    rows, columns = (1, 3) if dimension == 0 else (4, 1)
    op = f"%r = xetile.tile_reduce <add>, %v [{dimension}, {dimension + 2}] : GIVEN -> MADE"
    apply(compute, op, blocked(X, 4, 3), blocked(total, rows, columns))


def test_reduction_halves_the_joined_index(compute: Run):
    """Half of five elements is four; blocks of two change nothing."""
    source = np.array([[1, 2048, 1, -2048, 3]], np.float16)
    op = "%r = xetile.tile_reduce <add>, %v [1] : GIVEN -> MADE"
    apply(compute, op, source, np.array([[3 + 1 + 1]], np.float16), "f16")
    # (3 + 1) + 2047 is a tie, which goes to 2052; (1 - 2048) + 1 is exact
    source = np.array([[3, 1, 2047, 1, 1, -2048]], np.float16)
    op = "%r = xetile.tile_reduce <add>, %v [1, 3] : GIVEN -> MADE"
    total = np.array([[[[2052 - 2046]]]], np.float16)
    apply(compute, op, source.reshape(1, 3, 1, 2), total, "f16")


def test_integer_reductions(compute: Run):
    source = np.array([[-1, 3, -128]], np.int8)
    for kind, expected in (
        ("minui", 3),
        ("maxui", -1),
        ("minsi", -128),
        ("maxsi", 3),
        ("mul", -128),
    ):
        op = f"%r = xetile.tile_reduce <{kind}>, %v [1] : GIVEN -> MADE"
        apply(compute, op, source, np.array([[expected]], np.int8), "i8")


def test_broadcast(compute: Run):
    row = X[:1]
    spread = np.ascontiguousarray(np.broadcast_to(row, (8, 12)))
    apply(compute, "%r = xetile.tile_broadcast %v [0] : GIVEN -> MADE", row, spread)
    op = "%r = xetile.tile_broadcast %v [0, 2] : GIVEN -> MADE"
    apply(compute, op, blocked(row, 1, 3), blocked(spread, 4, 3))


def test_conversion_of_the_map_keeps_the_value(run: Run):
    source, target = X.copy(), np.zeros((8, 12), np.float32)
    run(
        """
        #rows = #xetile.wg_map<sg_layout = [2, 1], sg_data = [4, 12]>
        #columns = #xetile.wg_map<sg_layout = [1, 2], sg_data = [8, 6]>
        gpu.module @m {
          gpu.func @k(%0: memref<8x12xf32>, %1: memref<8x12xf32>) kernel
              attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
            %t = xetile.init_tile %0[0, 0] : memref<8x12xf32> -> !xetile.tile<8x12xf32, #xetile.tile_attr<wg_map = #rows>>
            %v = xetile.load_tile %t : !xetile.tile<8x12xf32, #xetile.tile_attr<wg_map = #rows>> -> vector<8x12xf32>
            %w = xetile.tile_conv_layout %v {wg_map_result = #columns, wg_map_source = #rows} : vector<8x12xf32>
            %u = xetile.init_tile %1[0, 0] : memref<8x12xf32> -> !xetile.tile<8x12xf32, #xetile.tile_attr<wg_map = #columns>>
            xetile.store_tile %w, %u : vector<8x12xf32>, !xetile.tile<8x12xf32, #xetile.tile_attr<wg_map = #columns>>
            gpu.return
          }
        }
        """,
        source,
        target,
    )
    np.testing.assert_array_equal(target, source)


SCATTERED = "#xetile.tile_attr<scattered = true>"


@pytest.mark.parametrize("source", ["memref<40xf32>", "i64"])
def test_gather_and_scatter(compute: Run, source: str):
    memory = np.arange(40, dtype=np.float32) + 1
    bounded = source != "i64"
    indices = np.array([[3, 39, -1 if bounded else 0, 41 if bounded else 7], [0, 1, 2, 2]])
    mask = np.array([[1, 1, 1, 1], [0, 1, 1, 1]]).astype(np.bool)
    gathered = np.zeros((2, 4), np.float32)
    scattered = np.zeros(40, np.float32)
    compute(
        f"""
        %i = vector.load %1[%c0, %c0] : memref<2x4xindex>, vector<2x4xindex>
        %m = vector.load %2[%c0, %c0] : memref<2x4xi1>, vector<2x4xi1>
        %t = xetile.init_tile %0, %i : {source}, vector<2x4xindex> -> !xetile.tile<2x4xf32, {SCATTERED}>
        %g = xetile.load_gather %t, %m {{padding = -2.0 : f32}}
            : !xetile.tile<2x4xf32, {SCATTERED}>, vector<2x4xi1> -> vector<2x4xf32>
        vector.store %g, %3[%c0, %c0] : memref<2x4xf32>, vector<2x4xf32>
        %u = xetile.init_tile %4, %i : memref<40xf32>, vector<2x4xindex> -> !xetile.tile<2x4xf32, {SCATTERED}>
        %one = arith.constant dense<1> : vector<2x4xindex>
        %w = xetile.update_tile_offset %u, %one : !xetile.tile<2x4xf32, {SCATTERED}>, vector<2x4xindex>
        xetile.store_scatter %g, %w, %m : vector<2x4xf32>, !xetile.tile<2x4xf32, {SCATTERED}>, vector<2x4xi1>
        """,
        f"{source}; memref<2x4xindex>; memref<2x4xi1>; memref<2x4xf32>; memref<40xf32>",
        memory,
        indices,
        mask,
        gathered,
        scattered,
    )
    expected = np.full((2, 4), -2.0, np.float32)
    written = np.zeros(40, np.float32)
    for at in np.ndindex(2, 4):
        if mask[at] and 0 <= indices[at] < 40:
            expected[at] = memory[indices[at]]
        if mask[at] and 0 <= indices[at] + 1 < 40:
            written[indices[at] + 1] = expected[at]
    np.testing.assert_array_equal(gathered, expected)
    np.testing.assert_array_equal(scattered, written)


def test_atomics_of_all_threads_add_up(run: Run):
    # eight subgroups add to tiles that overlap and hang over the edge
    target = np.zeros((10, 16), np.float32)
    old = np.full((8, 4, 8), -1, np.float32)
    run(
        """
        gpu.module @m {
          gpu.func @k(%0: memref<10x16xf32>, %1: memref<8x4x8xf32>) kernel
              attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
            %sg = gpu.subgroup_id : index
            %v = arith.constant dense<1.0> : vector<4x8xf32>
            %t = xetile.init_tile %0[%sg, 12] : memref<10x16xf32> -> !xetile.tile<4x8xf32>
            %o = xetile.atomic_rmw_tile <addf> %v, %t : vector<4x8xf32>, !xetile.tile<4x8xf32> -> vector<4x8xf32>
            %u = xetile.init_tile %1[%sg, 0, 0] : memref<8x4x8xf32> -> !xetile.tile<4x8xf32>
            xetile.store_tile %o, %u : vector<4x8xf32>, !xetile.tile<4x8xf32>
            gpu.return
          }
        }
        """,
        target,
        old,
    )
    expected, before = np.zeros((10, 16)), np.zeros((8, 4, 8))
    for sg, i, j in np.ndindex(8, 4, 8):
        if sg + i < 10 and 12 + j < 16:
            before[sg, i, j] = expected[sg + i, 12 + j]
            expected[sg + i, 12 + j] += 1
    np.testing.assert_array_equal(target, expected)
    np.testing.assert_array_equal(old, before)


@pytest.mark.parametrize(
    "kind, expected",
    [
        ("assign", 3),
        ("maxs", 5),
        ("minu", 3),
        ("addi", 8),
        ("ori", 7),
        ("xori", 6),
        ("andi", 1),
    ],
)
def test_kinds_of_atomics(compute: Run, kind: str, expected: int):
    target = np.full((2, 2), 5, np.int32)
    compute(
        f"""
        %v = arith.constant dense<3> : vector<2x2xi32>
        %t = xetile.init_tile %0[0, 1] : memref<2x2xi32> -> !xetile.tile<2x2xi32>
        %o = xetile.atomic_rmw_tile <{kind}> %v, %t : vector<2x2xi32>, !xetile.tile<2x2xi32> -> vector<2x2xi32>
        """,
        "memref<2x2xi32>",
        target,
    )
    assert target.tolist() == [[5, expected], [5, expected]]


def test_atomics_on_blocks(compute: Run):
    target, tile = (
        np.zeros((4, 6), np.int32),
        "!xetile.tile<4x6xi32, #xetile.tile_attr<inner_blocks = [2, 3]>>",
    )
    compute(
        f"""
        %s = arith.constant dense<[[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17], [18, 19, 20, 21, 22, 23]]> : vector<4x6xi32>
        %v = xetile.tile_pack %s {{inner_blocks = array<i64: 2, 3>}} : vector<4x6xi32> -> vector<2x2x2x3xi32>
        %t = xetile.init_tile %0[0, 0] : memref<4x6xi32> -> {tile}
        %o = xetile.atomic_rmw_tile <addi> %v, %t : vector<2x2x2x3xi32>, {tile} -> vector<2x2x2x3xi32>
        %p = xetile.atomic_rmw_tile <addi> %o, %t : vector<2x2x2x3xi32>, {tile} -> vector<2x2x2x3xi32>
        %q = xetile.atomic_rmw_tile <maxs> %p, %t : vector<2x2x2x3xi32>, {tile} -> vector<2x2x2x3xi32>
        """,
        "memref<4x6xi32>",
        target,
    )
    np.testing.assert_array_equal(target, np.arange(24).reshape(4, 6))
