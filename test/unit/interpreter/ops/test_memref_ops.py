"""Views of memory, and what is wrong with arguments."""

from collections.abc import Callable

import numpy as np
import pytest

from xetile.errors import XetileError

Run = Callable[..., None]


def test_subview_and_load(compute: Run):
    source, target = np.arange(60, dtype=np.int32).reshape(5, 12), np.zeros(3, np.int32)
    compute(
        """
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %s = memref.subview %0[%c1, 3] [3, 4] [1, 2] : memref<5x12xi32> to memref<3x4xi32, strided<[12, 2], offset: ?>>
        %x = memref.load %s[%c2, %c1] : memref<3x4xi32, strided<[12, 2], offset: ?>>
        memref.store %x, %1[%c0] : memref<3xi32>
        %row = memref.subview %0[%c2, 1] [1, 5] [1, 1] : memref<5x12xi32> to memref<5xi32, strided<[1], offset: ?>>
        %y = memref.load %row[%c2] : memref<5xi32, strided<[1], offset: ?>>
        memref.store %y, %1[%c1] : memref<3xi32>
        %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %s
            : memref<3x4xi32, strided<[12, 2], offset: ?>> -> memref<i32>, index, index, index, index, index
        %o = arith.index_cast %offset : index to i32
        memref.store %o, %1[%c2] : memref<3xi32>
        """,
        "memref<5x12xi32>; memref<3xi32>",
        source,
        target,
    )
    assert target.tolist() == [source[3, 5], source[2, 3], 15]


def test_views_and_casts(compute: Run):
    source, target = np.arange(64, dtype=np.int8), np.zeros(4, np.int32)
    compute(
        """
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        %c8 = arith.constant 8 : index
        %v = memref.view %0[%c8][] : memref<64xi8> to memref<3x2xi32>
        %x = memref.load %v[%c1, %c1] : memref<3x2xi32>
        memref.store %x, %1[%c0] : memref<4xi32>
        %d = memref.cast %1 : memref<4xi32> to memref<?xi32>
        %n = memref.dim %d, %c0 : memref<?xi32>
        %n32 = arith.index_cast %n : index to i32
        memref.store %n32, %d[%c1] : memref<?xi32>
        %r = memref.reinterpret_cast %1 to offset: [1], sizes: [%c3], strides: [1] : memref<4xi32> to memref<?xi32, strided<[1], offset: 1>>
        memref.store %x, %r[%c1] : memref<?xi32, strided<[1], offset: 1>>
        """,
        "memref<64xi8>; memref<4xi32>",
        source,
        target,
    )
    word = int.from_bytes(bytes([20, 21, 22, 23]), "little")
    assert target.tolist() == [word, 4, word, 0]


def test_addresses_travel_through_integers(compute: Run):
    source, target = (
        np.arange(64, dtype=np.float32).reshape(8, 8),
        np.zeros((2, 4), np.float32),
    )
    compute(
        """
        %i = memref.extract_aligned_pointer_as_index %0 : memref<8x8xf32> -> index
        %l = arith.index_cast %i : index to i64
        %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
        %q = llvm.ptrtoint %p : !llvm.ptr<1> to i64
        %skip = arith.constant 32 : i64
        %a = arith.addi %q, %skip : i64
        %t = xetile.init_tile %a[0, 0], [7, 8], [8, 1] : i64 -> !xetile.tile<2x4xf32>
        %v = xetile.load_tile %t : !xetile.tile<2x4xf32> -> vector<2x4xf32>
        vector.store %v, %1[%c0, %c0] : memref<2x4xf32>, vector<2x4xf32>
        """,
        "memref<8x8xf32>; memref<2x4xf32>",
        source,
        target,
    )
    np.testing.assert_array_equal(target, source[1:3, :4])


def test_every_buffer_is_aligned(compute: Run):
    target = np.zeros(3, np.int64)
    compute(
        """
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %s = memref.alloc() : memref<5xi8, 3>
        %a = memref.extract_aligned_pointer_as_index %0 : memref<5xi8> -> index
        %b = memref.extract_aligned_pointer_as_index %s : memref<5xi8, 3> -> index
        memref.store %a, %1[%c0] : memref<3xindex>
        memref.store %b, %1[%c1] : memref<3xindex>
        """,
        "memref<5xi8>; memref<3xindex>",
        np.zeros(5, np.int8),
        target,
    )
    assert target[0] % 64 == target[1] % 64 == 0
    assert len({int(target[0]) >> 40, int(target[1]) >> 40}) == 2


def test_private_memory_and_atomics(run: Run):
    target = np.zeros(20, np.int32)
    run(
        """
        gpu.module @m {
          gpu.func @k(%0: memref<20xi32>) kernel
              attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
            %c0 = arith.constant 0 : index
            %c2 = arith.constant 2 : index
            %sg = gpu.subgroup_id : index
            %i = arith.index_cast %sg : index to i32
            %own = memref.alloca() : memref<1xi32>
            memref.store %i, %own[%c0] : memref<1xi32>
            %x = memref.load %own[%c0] : memref<1xi32>
            %old = memref.atomic_rmw addi %x, %0[%c0] : (i32, memref<20xi32>) -> i32
            %at = arith.addi %sg, %c2 : index
            memref.store %old, %0[%at] : memref<20xi32>
            gpu.return
          }
        }
        """,
        target,
    )
    assert target[0] == 120
    assert target[2:18].tolist() == [n * (n - 1) // 2 for n in range(16)]


@pytest.mark.parametrize(
    "index, message",
    [(12, "index 12 is outside of dimension 1 of extent 12"), (-1, "index -1")],
)
def test_an_index_outside_is_an_error(compute: Run, index: int, message: str):
    with pytest.raises(XetileError, match=message) as caught:
        compute(
            "%x = memref.load %0[%c0, %1] : memref<5x12xi32>",
            "memref<5x12xi32>; index",
            np.zeros((5, 12), np.int32),
            index,
        )
    assert caught.value.location is not None
    assert caught.value.location.line.data == 5


def test_globals_are_shared_by_the_launch(run: Run):
    target = np.zeros((2, 3), np.float32)
    run(
        """
        gpu.module @m {
          memref.global "private" constant @table : memref<3xf32> = dense<[1.0, 2.0, 4.0]>
          gpu.func @k(%0: memref<2x3xf32>) kernel
              attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
            %c0 = arith.constant 0 : index
            %sg = gpu.subgroup_id : index
            %t = memref.get_global @table : memref<3xf32>
            %v = vector.load %t[%c0] : memref<3xf32>, vector<3xf32>
            %w = vector.fma %v, %v, %v : vector<3xf32>
            vector.store %w, %0[%sg, %c0] : memref<2x3xf32>, vector<3xf32>
            gpu.return
          }
        }
        """,
        target,
    )
    assert target.tolist() == [[2, 6, 20]] * 2


def test_reshaped_views_and_copies(compute: Run):
    source, target = np.arange(24, dtype=np.int32), np.zeros((2, 12), np.int32)
    compute(
        """
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %e = memref.expand_shape %0 [[0, 1, 2]] output_shape [2, 3, 4] : memref<24xi32> into memref<2x3x4xi32>
        %x = memref.load %e[%c1, %c2, %c1] : memref<2x3x4xi32>
        %f = memref.collapse_shape %e [[0], [1, 2]] : memref<2x3x4xi32> into memref<2x12xi32>
        memref.copy %f, %1 : memref<2x12xi32> to memref<2x12xi32>
        memref.store %x, %1[%c0, %c0] : memref<2x12xi32>
        """,
        "memref<24xi32>; memref<2x12xi32>",
        source,
        target,
    )
    expected = np.arange(24).reshape(2, 12)
    expected[0, 0] = 21
    np.testing.assert_array_equal(target, expected)


def test_transposed_view_of_memory(compute: Run):
    source, target = np.arange(24, dtype=np.int32).reshape(4, 6), np.zeros(1, np.int32)
    compute(
        """
        %c1 = arith.constant 1 : index
        %c5 = arith.constant 5 : index
        %t = memref.transpose %0 (i, j) -> (j, i) : memref<4x6xi32> to memref<6x4xi32, strided<[1, 6]>>
        %x = memref.load %t[%c5, %c1] : memref<6x4xi32, strided<[1, 6]>>
        memref.store %x, %1[%c0] : memref<1xi32>
        """,
        "memref<4x6xi32>; memref<1xi32>",
        source,
        target,
    )
    assert target[0] == source[1, 5]


def test_buffers_of_the_function(run: Run):
    """One per workgroup, and one per thread."""
    target = np.zeros((2, 2), np.int64)
    run(
        """
        gpu.module @m {
          gpu.func @k(%out: memref<2x2xindex>) workgroup(%w: memref<2xindex, #gpu.address_space<workgroup>>)
              private(%p: memref<1xindex, #gpu.address_space<private>>) kernel
              attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %c10 = arith.constant 10 : index
            %sg = gpu.subgroup_id : index
            %b = gpu.block_id x
            %tens = arith.muli %b, %c10 : index
            %n = arith.addi %tens, %sg : index
            memref.store %n, %p[%c0] : memref<1xindex, #gpu.address_space<private>>
            %own = memref.load %p[%c0] : memref<1xindex, #gpu.address_space<private>>
            memref.store %own, %w[%sg] : memref<2xindex, #gpu.address_space<workgroup>>
            gpu.barrier
            %other = arith.subi %c1, %sg : index
            %x = memref.load %w[%other] : memref<2xindex, #gpu.address_space<workgroup>>
            memref.store %x, %out[%b, %sg] : memref<2x2xindex>
            gpu.return
          }
        }
        """,
        target,
    )
    assert target.tolist() == [[1, 0], [11, 10]]


@pytest.mark.parametrize(("source", "target"), [(4, 8), (8, 4), (0, 4)])
def test_copies_between_different_extents_are_refused(compute: Run, source: int, target: int):
    with pytest.raises(
        XetileError, match=rf"'memref.copy' from extents \[{source}\] to \[{target}\]"
    ):
        compute(
            "memref.copy %0, %1 : memref<?xi32> to memref<?xi32>",
            "memref<?xi32>; memref<?xi32>",
            np.zeros(source, np.int32),
            np.zeros(target, np.int32),
        )
