"""Views of memory, and what is wrong with arguments."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from xetile.api import parse_text
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.interpreter.machine.values import Array

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
    source, target = np.arange(64, dtype=np.float32).reshape(8, 8), np.zeros((2, 4), np.float32)
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
    "index, message", [(12, "index 12 is outside of dimension 1 of extent 12"), (-1, "index -1")]
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


STRIDED = "memref<4x4xf32, strided<[8, 1]>>"


@pytest.mark.parametrize(
    "type_, given, message",
    [
        ("memref<4x4xf32>", np.zeros((4, 5), np.float32), r"argument 0 is memref<4x4xf32>; the array has shape \[4, 5\]"),
        ("memref<4x4xf32>", np.zeros(16, np.float32), r"the array has shape \[16\]"),
        ("memref<4x4xf32>", np.zeros((4, 4)), "whose elements are float32; the array has float64"),
        ("memref<4x4xbf16>", np.zeros((4, 4), np.float16), "whose elements are bfloat16; the array has float16"),
        ("memref<4x4xui8>", np.zeros((4, 4), np.int8), "whose elements are uint8; the array has int8"),
        ("memref<4x4xf32>", np.zeros((4, 8), np.float32)[:, :4], r"strides are \[4, 1\] elements; the array has \[8, 1\]"),
        ("memref<4x4xf32>", np.zeros((4, 4), np.float32).T, r"the array has \[1, 4\]"),
        (STRIDED, np.zeros((4, 4), np.float32), r"strides are \[8, 1\] elements; the array has \[4, 1\]"),
        ("memref<?x4xf32>", np.zeros((4, 8), np.float32)[:, :4], r"the array has \[8, 1\]"),
        ("memref<4xf32>", np.zeros(4, np.float32)[::-1], "none below 0"),
        ("memref<4x4xf32>", 3, "which takes an array, not int 3"),
        ("f32", np.zeros(4, np.float32), "f32, which takes a number, not an array of 4 float32"),
        ("i32", np.zeros(4, np.float32), "addresses of arrays are i64 or ui64"),
        ("i32", 1.5, "i32, which does not hold 1.5"),
        ("i8", 300, "i8, which does not hold 300"),
        ("ui8", -1, "ui8, which does not hold -1"),
        ("index", "text", "index, which takes a number, not str 'text'"),
        ("i4", 3, None),
        ("i128", 3, "cannot execute on elements of type i128"),
        ("memref<4xi4>", np.zeros(4, np.int8), None),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(compute: Run, type_: str, given: object, message: str | None):
    if message is None:
        compute("", type_, given)
        return
    with pytest.raises(XetileError, match=message):
        compute("", type_, given)


@pytest.mark.parametrize(
    "type_, given",
    [
        ("memref<4x4xbf16>", np.zeros((4, 4), ml_dtypes.bfloat16)),
        ("memref<4x4xi8>", np.zeros((4, 4), np.uint8)),
        ("memref<?x4xf32>", np.zeros((9, 4), np.float32)),
        ("memref<1x4xf32>", np.zeros((1, 8), np.float32)[:, :4]),
        ("memref<4x4xtf32>", np.zeros((4, 4), np.float32)),
        (STRIDED, np.zeros((4, 8), np.float32)[:, :4]),
        ("memref<0x4xf32>", np.zeros((0, 4), np.float32)),
        ("i64", np.zeros((3, 3), np.float16)),
        ("i64", 17),
        ("f16", 1),
        ("bf16", np.float32(2)),
    ],
)  # fmt: skip
def test_arguments_that_fit(compute: Run, type_: str, given: object):
    compute("", type_, given)


def test_stores_to_read_only_arrays_are_refused(compute: Run):
    given = np.zeros(4, np.float32)
    given.flags.writeable = False
    compute("%x = memref.load %0[%c0] : memref<4xf32>", "memref<4xf32>", given)
    with pytest.raises(XetileError, match="cannot store to argument 0: the array is read-only"):
        compute("memref.store %1, %0[%c0] : memref<4xf32>", "memref<4xf32>; f32", given, 1.0)


KERNELS = """
gpu.module @m {
  gpu.func @first(%0: memref<4xf32>) kernel {
    gpu.return
  }
  gpu.func @second() kernel attributes {known_block_size = array<i32: 24, 1, 1>} {
    gpu.return
  }
}
"""


@pytest.mark.parametrize(
    "kernel, arrays, grid, message",
    [
        (None, [], (1, 1, 1), "which kernel to execute is not clear; the module has: first, second"),
        ("third", [], (1, 1, 1), "there is no kernel 'third'; the module has: first, second"),
        ("first", [], (1, 1, 1), r"takes 1 arguments \(memref<4xf32>\), 0 are given|needs known_block_size"),
        ("first", [np.zeros(4, np.float32)], None, r"give one \(`grid`\), or known_grid_size on the kernel"),
        ("first", [np.zeros(4, np.float32)], (1, 0, 1), r"the grid is \[1, 0, 1\]; expected three positive sizes"),
        ("first", [np.zeros(4, np.float32)], (1, 1, 1), "level subgroup needs known_block_size"),
        ("second", [], (1, 1, 1), "24 work-items; expected a multiple of 16"),
    ],
)  # fmt: skip
def test_launches_that_are_wrong(
    kernel: str | None, arrays: list[Array], grid: tuple[int, int, int] | None, message: str
):
    with pytest.raises(XetileError, match=message):
        execute(parse_text(KERNELS, "kernel.mlir"), kernel, arrays, grid=grid)


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
