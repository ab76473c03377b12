"""What a launch is given: arrays that fit their types, and what is wrong with others."""

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from xetile.api import parse_text
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.interpreter.machine.runtime_values import Array

Run = Callable[..., None]


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
        ("i32", float("inf"), "i32, which does not hold inf"),
        ("index", float("-inf"), "index, which does not hold -inf"),
        ("ui8", np.float32("nan"), "ui8, which does not hold nan"),
        ("i8", 300, "i8, which does not hold 300"),
        ("f16", 1e9, "f16, which does not hold 1000000000.0"),
        ("f32", 10**400, "f32, which does not hold 1000"),
        ("ui8", -1, "ui8, which does not hold -1"),
        ("index", "text", "index, which takes a number, not str 'text'"),
        ("i4", 3, None),
        ("i128", 3, "cannot execute on elements of type i128"),
        ("memref<4xi4>", np.zeros(2, np.int8), None),
        ("memref<4x8xui4>", np.zeros((4, 4), np.uint8), None),
        ("memref<4x8xi4>", np.zeros((4, 8), np.int8), "of bytes, which have 2 elements each"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(
    compute: Run, type_: str, given: object, message: str | None
):
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


def test_long_values_are_cut_in_messages(compute: Run):
    with pytest.raises(XetileError, match=r"takes an array, not list \[[0., ]{39}\.\.\.$"):
        compute("", "memref<4xf32>", [0.0] * 3000)


def test_stores_to_read_only_arrays_are_refused(compute: Run):
    given = np.zeros(4, np.float32)
    given.flags.writeable = False
    compute("%x = memref.load %0[%c0] : memref<4xf32>", "memref<4xf32>", given)
    with pytest.raises(
        XetileError, match="cannot store to argument 0: the array is read-only"
    ):
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
        (None, [], (1, 1, 1), "which kernel to execute is not clear; choose by name among first, second"),
        ("third", [], (1, 1, 1), "there is no kernel 'third'; the module has: first, second"),
        ("first", [], (1, 1, 1), r"takes 1 arguments \(memref<4xf32>\), 0 are given|needs known_block_size"),
        ("first", [np.zeros(4, np.float32)], None, r"give grid=\(x, y, z\), or write known_grid_size on the kernel"),
        ("first", [np.zeros(4, np.float32)], (1, 0, 1), r"the grid is \[1, 0, 1\]; expected three positive sizes"),
        ("first", [np.zeros(4, np.float32)], (1.5, 1, 1), r"the grid is \[1.5, 1, 1\]; expected three positive sizes"),
        ("first", [np.zeros(4, np.float32)], ("1", "1", "1"), r"the grid is \['1', '1', '1'\]; expected"),
        ("first", [np.zeros(4, np.float32)], 3, "the grid is 3; expected three positive sizes"),
        ("first", [np.zeros(4, np.float32)], (1, 1, 1), "level subgroup needs known_block_size"),
        ("second", [], (1, 1, 1), "24 work-items; expected a multiple of 16"),
    ],
)  # fmt: skip
def test_launches_that_are_wrong(
    kernel: str | None, arrays: list[Array], grid: Any, message: str
):
    with pytest.raises(XetileError, match=message):
        execute(parse_text(KERNELS, "kernel.mlir"), kernel, arrays, grid=grid)


@pytest.mark.parametrize("shape", [(1, 62), (62, 1), (1, 1)])
def test_extents_of_one_in_column_major_matrices(shape: tuple[int, int]) -> None:
    """numpy gives any stride along an extent of 1; the type's counts."""
    rows, columns = shape
    source = f"memref<{rows}x{columns}xf32, strided<[1, {rows}]>>"
    tile = "!xetile.tile<16x16xf32, #xetile.tile_attr<order = [0, 1]>>"
    module = parse_text(
        f"""func.func @k(%A: {source}, %B: {source}) attributes {{
          known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>
        }} {{
          %t = xetile.init_tile %A[0, 0] : {source} -> {tile}
          %v = xetile.load_tile %t : {tile} -> vector<16x16xf32>
          %u = xetile.init_tile %B[0, 0] : {source} -> {tile}
          xetile.store_tile %v, %u : vector<16x16xf32>, {tile}
          return
        }}""",
        "k.mlir",
    )
    given = np.asfortranarray(np.arange(rows * columns, dtype=np.float32).reshape(shape))
    found = np.zeros(shape, np.float32)
    execute(module, "k", [given, found])
    expected = np.zeros(shape, np.float32)
    expected[:16, :16] = given[:16, :16]
    assert np.array_equal(found, expected)
