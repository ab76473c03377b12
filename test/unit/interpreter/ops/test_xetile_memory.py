"""Where tiles lie in memory, and what is outside of it."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from xetile.errors import XetileError
from xetile.interpreter.machine.runtime_values import Array

Run = Callable[..., None]

PADDINGS = {
    "f32": ("1.500000e+00 : f32", 1.5, np.float32),
    "f16": ("1.0 : f16", 1.0, np.float16),
    "bf16": ("1.00390625 : f32", 1.0, ml_dtypes.bfloat16),
    "tf32": ("1.00048828125 : f32", 1.0, np.float32),
    "i8": ("-3 : i8", -3, np.int8),
    "i32": ("7 : i32", 7, np.int32),
}


def expected_tile(
    source: Array, x: int, y: int, shape: tuple[int, int], padding: object
) -> Array:
    tile = np.full(shape, padding, source.dtype)
    for i, j in np.ndindex(*shape):
        if 0 <= x + i < source.shape[0] and 0 <= y + j < source.shape[1]:
            tile[i, j] = source[x + i, y + j]
    return tile


def copy_kernel(kind: str, source: str, target: str, padding: str = "") -> str:
    return f"""
    %t = xetile.init_tile %0[%2, %3] : {source} -> !xetile.tile<8x4x{kind}>
    %v = xetile.load_tile %t {padding} : !xetile.tile<8x4x{kind}> -> vector<8x4x{kind}>
    %u = xetile.init_tile %1[%c0, %c0] : {target} -> !xetile.tile<8x4x{kind}>
    xetile.store_tile %v, %u : vector<8x4x{kind}>, !xetile.tile<8x4x{kind}>
    """


CORNERS = [
    (0, 0),
    (2, 3),
    (-3, 1),
    (9, 2),
    (1, -2),
    (2, 8),
    (-7, -3),
    (11, 10),
    (-9, 0),
    (0, 40),
    (60, -60),
]


@pytest.mark.parametrize("corner", CORNERS)
def test_reads_outside_give_zero(compute: Run, corner: tuple[int, int]):
    source = np.arange(132, dtype=np.float32).reshape(12, 11) + 1
    target = np.zeros((8, 4), np.float32)
    text = copy_kernel("f32", "memref<12x11xf32>", "memref<8x4xf32>")
    compute(text, "memref<12x11xf32>; memref<8x4xf32>; index; index", source, target, *corner)
    np.testing.assert_array_equal(target, expected_tile(source, *corner, (8, 4), 0))


@pytest.mark.parametrize("kind", PADDINGS)
def test_reads_outside_give_the_padding(compute: Run, kind: str):
    written, padding, dtype = PADDINGS[kind]
    source = np.arange(1, 133).reshape(12, 11).astype(dtype)
    target = np.zeros((8, 4), dtype)
    text = copy_kernel(
        kind, f"memref<12x11x{kind}>", f"memref<8x4x{kind}>", f"{{padding = {written}}}"
    )
    types = f"memref<12x11x{kind}>; memref<8x4x{kind}>; index; index"
    compute(text, types, source, target, 8, 9)
    np.testing.assert_array_equal(target, expected_tile(source, 8, 9, (8, 4), padding))


@pytest.mark.parametrize("corner", CORNERS)
def test_writes_outside_are_dropped(compute: Run, corner: tuple[int, int]):
    target = np.full((12, 11), -1.0, np.float32)
    source = np.arange(32, dtype=np.float32).reshape(8, 4)
    compute(
        """
        %t = xetile.init_tile %0[%c0, %c0] : memref<8x4xf32> -> !xetile.tile<8x4xf32>
        %v = xetile.load_tile %t : !xetile.tile<8x4xf32> -> vector<8x4xf32>
        %u = xetile.init_tile %1[%2, %3] : memref<12x11xf32> -> !xetile.tile<8x4xf32>
        xetile.store_tile %v, %u : vector<8x4xf32>, !xetile.tile<8x4xf32>
        """,
        "memref<8x4xf32>; memref<12x11xf32>; index; index",
        source,
        target,
        *corner,
    )
    expected = np.full((12, 11), -1.0, np.float32)
    for i, j in np.ndindex(8, 4):
        x, y = corner[0] + i, corner[1] + j
        if 0 <= x < 12 and 0 <= y < 11:
            expected[x, y] = source[i, j]
    np.testing.assert_array_equal(target, expected)


def test_threads_differ_in_what_is_outside(run: Run):
    # 16 subgroups read tiles that step diagonally over the matrix and out of it
    source = np.arange(400, dtype=np.float32).reshape(20, 20) + 1
    target = np.zeros((16, 8, 4), np.float32)
    run(
        """
        gpu.module @m {
          gpu.func @k(%0: memref<20x20xf32>, %1: memref<16x8x4xf32>) kernel
              attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
            %c0 = arith.constant 0 : index
            %c3 = arith.constant 3 : index
            %c12 = arith.constant 12 : index
            %sg = gpu.subgroup_id : index
            %s = arith.muli %sg, %c3 : index
            %x = arith.subi %s, %c12 : index
            %y = arith.subi %c12, %s : index
            %t = xetile.init_tile %0[%x, %y] : memref<20x20xf32> -> !xetile.tile<8x4xf32>
            %v = xetile.load_tile %t : !xetile.tile<8x4xf32> -> vector<8x4xf32>
            %u = xetile.init_tile %1[%sg, 0, 0] : memref<16x8x4xf32> -> !xetile.tile<8x4xf32>
            xetile.store_tile %v, %u : vector<8x4xf32>, !xetile.tile<8x4xf32>
            gpu.return
          }
        }
        """,
        source,
        target,
    )
    for sg in range(16):
        expected = expected_tile(source, sg * 3 - 12, 12 - sg * 3, (8, 4), 0)
        np.testing.assert_array_equal(target[sg], expected)


def test_the_last_thread_that_stores_wins(run: Run, monkeypatch: pytest.MonkeyPatch):
    """No hardware promises that; the sanitizer refuses it where two workgroups are the threads."""
    monkeypatch.setenv("XETILE_SANITIZE", "0")
    target = np.zeros((12, 16), np.int32)
    run(
        """
        gpu.module @m {
          gpu.func @k(%0: memref<12x16xi32>) kernel
              attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
            %c4 = arith.constant 4 : index
            %sg = gpu.subgroup_id : index
            %b = gpu.block_id x
            %b4 = arith.muli %b, %c4 : index
            %n = arith.addi %sg, %b4 : index
            %i = arith.index_cast %n : index to i32
            %v = vector.broadcast %i : i32 to vector<4x8xi32>
            %c9 = arith.constant 9 : index
            %x = arith.subi %c9, %n : index
            %t = xetile.init_tile %0[%x, 0] : memref<12x16xi32> -> !xetile.tile<4x8xi32>
            xetile.store_tile %v, %t : vector<4x8xi32>, !xetile.tile<4x8xi32>
            gpu.return
          }
        }
        """,
        target,
    )
    expected = np.zeros((12, 16), np.int32)
    for n in range(8):
        expected[9 - n : 13 - n, :8] = n
    np.testing.assert_array_equal(target, expected)


def test_column_major_tile_of_a_strided_memref(compute: Run):
    memory = np.arange(300, dtype=np.float32)
    source = np.lib.stride_tricks.as_strided(memory, (12, 11), (4, 20 * 4))
    target = np.zeros((8, 4), np.float32)
    compute(
        """
        %t = xetile.init_tile %0[%2, %3] : memref<12x11xf32, strided<[1, 20]>>
            -> !xetile.tile<8x4xf32, #xetile.tile_attr<order = [0, 1]>>
        %v = xetile.load_tile %t : !xetile.tile<8x4xf32, #xetile.tile_attr<order = [0, 1]>> -> vector<8x4xf32>
        %u = xetile.init_tile %1[0, 0] : memref<8x4xf32> -> !xetile.tile<8x4xf32>
        xetile.store_tile %v, %u : vector<8x4xf32>, !xetile.tile<8x4xf32>
        """,
        "memref<12x11xf32, strided<[1, 20]>>; memref<8x4xf32>; index; index",
        source,
        target,
        6,
        9,
    )
    np.testing.assert_array_equal(target, expected_tile(source, 6, 9, (8, 4), 0))


def test_column_major_tile_by_affine_map(compute: Run):
    source = np.asfortranarray(np.arange(132, dtype=np.float32).reshape(12, 11))
    target = np.zeros((8, 4), np.float32)
    type_ = "memref<12x11xf32, affine_map<(d0, d1) -> (d1, d0)>>"
    compute(
        f"""
        %t = xetile.init_tile %0[%2, %3] : {type_} -> !xetile.tile<8x4xf32, #xetile.tile_attr<order = [0, 1]>>
        %v = xetile.load_tile %t : !xetile.tile<8x4xf32, #xetile.tile_attr<order = [0, 1]>> -> vector<8x4xf32>
        %u = xetile.init_tile %1[0, 0] : memref<8x4xf32> -> !xetile.tile<8x4xf32>
        xetile.store_tile %v, %u : vector<8x4xf32>, !xetile.tile<8x4xf32>
        """,
        f"{type_}; memref<8x4xf32>; index; index",
        source,
        target,
        -2,
        8,
    )
    np.testing.assert_array_equal(target, expected_tile(source, -2, 8, (8, 4), 0))


def test_padded_pitch_is_not_part_of_the_surface(compute: Run):
    memory = np.arange(12 * 16, dtype=np.float32).reshape(12, 16) + 1
    source = memory[:, :11]
    target = np.zeros((8, 4), np.float32)
    type_ = "memref<12x11xf32, strided<[16, 1]>>"
    compute(copy_kernel("f32", type_, "memref<8x4xf32>"), f"{type_}; memref<8x4xf32>; index; index",
            source, target, 3, 9)  # fmt: skip
    np.testing.assert_array_equal(target, expected_tile(source, 3, 9, (8, 4), 0))


@pytest.mark.parametrize(
    "source", ["memref<?x?xf32>", "i64", "ui64", "memref<?x?xf32, strided<[?, 1]>>"]
)
def test_dynamic_surfaces(compute: Run, source: str):
    memory = np.arange(12 * 16, dtype=np.float32).reshape(12, 16) + 1
    given = memory[:, :11] if "strided" in source else memory
    target = np.zeros((8, 4), np.float32)
    compute(
        f"""
        %h = arith.constant 10 : index
        %t = xetile.init_tile %0[%2, %3], [%h, 11], [%4, 1] : {source} -> !xetile.tile<8x4xf32>
        %v = xetile.load_tile %t : !xetile.tile<8x4xf32> -> vector<8x4xf32>
        %u = xetile.init_tile %1[0, 0] : memref<8x4xf32> -> !xetile.tile<8x4xf32>
        xetile.store_tile %v, %u : vector<8x4xf32>, !xetile.tile<8x4xf32>
        """,
        f"{source}; memref<8x4xf32>; index; index; index",
        given,
        target,
        5,
        9,
        16,
    )
    np.testing.assert_array_equal(target, expected_tile(memory[:10, :11], 5, 9, (8, 4), 0))


def test_a_surface_larger_than_its_array_is_an_error(compute: Run):
    with pytest.raises(
        XetileError, match=r"reaches elements 24 to 55 of argument 0, which has 40"
    ):
        compute(
            """
            %t = xetile.init_tile %0[6, 0], [20, 4], [4, 1] : i64 -> !xetile.tile<8x4xf32>
            %v = xetile.load_tile %t : !xetile.tile<8x4xf32> -> vector<8x4xf32>
            """,
            "i64",
            np.zeros(40, np.float32),
        )


@pytest.mark.parametrize(
    ("order", "strides", "message"),
    [
        ("", "[%1, %2]", "stride 3 along dimension 1; order [1, 0] needs 1 there"),
        (
            ", #xetile.tile_attr<order = [0, 1]>",
            "[%2, %1]",
            "stride 3 along dimension 0; order [0, 1] needs 1 there",
        ),
    ],
)
def test_strides_that_contradict_the_order_at_run_time(
    compute: Run, order: str, strides: str, message: str
):
    with pytest.raises(XetileError) as found:
        compute(
            f"""
            %t = xetile.init_tile %0[0, 0], [%1, %1], {strides} : memref<?x?xf32> -> !xetile.tile<2x2xf32{order}>
            """,
            "memref<?x?xf32>; index; index",
            np.zeros((9, 9), np.float32),
            3,
            3,
        )
    assert found.value.message == f"the matrix has {message}"


def test_batch_offsets(compute: Run):
    source = np.arange(2 * 3 * 12 * 11, dtype=np.float32).reshape(2, 3, 12, 11) + 1
    target = np.zeros((8, 4), np.float32)
    text = """
        %t = xetile.init_tile %0[1, %2, 6, 9] : memref<2x3x12x11xf32> -> !xetile.tile<8x4xf32>
        %v = xetile.load_tile %t : !xetile.tile<8x4xf32> -> vector<8x4xf32>
        %u = xetile.init_tile %1[0, 0] : memref<8x4xf32> -> !xetile.tile<8x4xf32>
        xetile.store_tile %v, %u : vector<8x4xf32>, !xetile.tile<8x4xf32>
        """
    types = "memref<2x3x12x11xf32>; memref<8x4xf32>; index"
    compute(text, types, source, target, 2)
    np.testing.assert_array_equal(target, expected_tile(source[1, 2], 6, 9, (8, 4), 0))
    for outside in (3, -1):
        with pytest.raises(
            XetileError, match=f"index {outside} is outside of dimension 1 of extent 3"
        ):
            compute(text, types, source, target, outside)


def test_offsets_of_layouts_count_from_the_base(compute: Run):
    memory = np.arange(300, dtype=np.float32)
    source = memory[5:].reshape(5, 59)[:, :11]
    target = np.zeros((8, 4), np.float32)
    type_ = "memref<5x11xf32, strided<[59, 1], offset: 5>>"
    compute(copy_kernel("f32", type_, "memref<8x4xf32>"), f"{type_}; memref<8x4xf32>; index; index",
            source, target, 1, 2)  # fmt: skip
    np.testing.assert_array_equal(target, expected_tile(source, 1, 2, (8, 4), 0))


def test_update_moves_a_tile(compute: Run):
    source = np.arange(132, dtype=np.float32).reshape(12, 11)
    target = np.zeros((8, 4), np.float32)
    compute(
        """
        %t0 = xetile.init_tile %0[%2, 1] : memref<12x11xf32> -> !xetile.tile<8x4xf32>
        %t = xetile.update_tile_offset %t0, [3, %2] : !xetile.tile<8x4xf32>
        %v = xetile.load_tile %t : !xetile.tile<8x4xf32> -> vector<8x4xf32>
        %u = xetile.init_tile %1[0, 0] : memref<8x4xf32> -> !xetile.tile<8x4xf32>
        xetile.store_tile %v, %u : vector<8x4xf32>, !xetile.tile<8x4xf32>
        """,
        "memref<12x11xf32>; memref<8x4xf32>; index",
        source,
        target,
        4,
    )
    np.testing.assert_array_equal(target, expected_tile(source, 7, 5, (8, 4), 0))


def test_blocked_loads_and_stores(compute: Run):
    source = np.arange(12 * 11, dtype=np.float16).reshape(12, 11)
    target = np.zeros((2, 2, 4, 2), np.float16)
    back = np.zeros((12, 11), np.float16)
    tile = "!xetile.tile<8x4xf16, #xetile.tile_attr<inner_blocks = [4, 2]>>"
    compute(
        f"""
        %t = xetile.init_tile %0[5, 8] : memref<12x11xf16> -> {tile}
        %v = xetile.load_tile %t : {tile} -> vector<2x2x4x2xf16>
        vector.store %v, %1[%c0, %c0, %c0, %c0] : memref<2x2x4x2xf16>, vector<2x2x4x2xf16>
        %u = xetile.init_tile %2[5, 8] : memref<12x11xf16> -> {tile}
        xetile.store_tile %v, %u : vector<2x2x4x2xf16>, {tile}
        """,
        "memref<12x11xf16>; memref<2x2x4x2xf16>; memref<12x11xf16>",
        source,
        target,
        back,
    )
    tile_ = expected_tile(source, 5, 8, (8, 4), 0)
    for i, j in np.ndindex(2, 2):
        np.testing.assert_array_equal(
            target[i, j], tile_[i * 4 : i * 4 + 4, j * 2 : j * 2 + 2]
        )
    np.testing.assert_array_equal(back[5:, 8:], source[5:, 8:])
    assert not back[:5].any()


def test_shared_memory_is_one_buffer_per_workgroup(run: Run):
    # subgroups write a tile each and, behind the barrier, read that of their neighbour
    target = np.zeros((3, 4, 8, 16), np.float32)
    tile = "!xetile.tile<8x16xf32, #xetile.tile_attr<memory_space = 3>>"
    run(
        f"""
        gpu.module @m {{
          gpu.func @k(%0: memref<3x4x8x16xf32>) kernel
              attributes {{known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 3, 1, 1>}} {{
            %c1 = arith.constant 1 : index
            %c4 = arith.constant 4 : index
            %c8 = arith.constant 8 : index
            %b = gpu.block_id x
            %sg = gpu.subgroup_id : index
            %n0 = arith.muli %b, %c4 : index
            %n = arith.addi %n0, %sg : index
            %i = arith.index_cast %n : index to i32
            %f = arith.sitofp %i : i32 to f32
            %v = vector.broadcast %f : f32 to vector<8x16xf32>
            %s = memref.alloc() : memref<32x16xf32, 3>
            %x = arith.muli %sg, %c8 : index
            %t = xetile.init_tile %s[%x, 0] : memref<32x16xf32, 3> -> {tile}
            xetile.store_tile %v, %t : vector<8x16xf32>, {tile}
            gpu.barrier
            %next = arith.addi %sg, %c1 : index
            %other = arith.remui %next, %c4 : index
            %y = arith.muli %other, %c8 : index
            %u = xetile.init_tile %s[%y, 0] : memref<32x16xf32, 3> -> {tile}
            %w = xetile.load_tile %u : {tile} -> vector<8x16xf32>
            %r = xetile.init_tile %0[%b, %sg, 0, 0] : memref<3x4x8x16xf32> -> !xetile.tile<8x16xf32>
            xetile.store_tile %w, %r : vector<8x16xf32>, !xetile.tile<8x16xf32>
            gpu.return
          }}
        }}
        """,
        target,
    )
    for block, sg in np.ndindex(3, 4):
        assert (target[block, sg] == block * 4 + (sg + 1) % 4).all()
