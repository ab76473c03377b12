"""What goes through address payloads, in messages of two stores, and in 1D reads: the same bits as at level V."""

from typing import Any

import ml_dtypes
import numpy
import pytest
from numpy.typing import NDArray
from support.on_device import Place

from xetile.api import emit
from xetile.dialects.modules import context, parse
from xetile.passes.pipelines import lower

Array = NDArray[Any]

TYPES: dict[str, tuple[str, Any]] = {
    "f32": ("", numpy.float32),
    "f16": ("arith.truncf", numpy.float16),
    "bf16": ("arith.truncf", ml_dtypes.bfloat16),
    "f8E4M3FN": ("arith.truncf", ml_dtypes.float8_e4m3fn),
    "f8E5M2": ("arith.truncf", ml_dtypes.float8_e5m2),
    "i8": ("arith.fptosi", numpy.int8),
}
"""How f32 becomes each type, and numpy's name of it."""

HEIGHT = 21
TILES = """
gpu.module @m {{ gpu.func @k(%A: memref<48x64xf32>, %C: memref<21x{width}x{type}>) kernel attributes {{
    known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 2, 2, 1>}} {{
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c5 = arith.constant 5 : index
  %c4 = arith.constant 4 : index
  %i = gpu.block_id x
  %j = gpu.block_id y
  %m = arith.muli %i, %c24 : index
  %n = arith.muli %j, %c32 : index
  %a = xetile.init_tile %A[%m, %n] : memref<48x64xf32> -> !xetile.tile<24x32xf32>
  %v = xetile.load_tile %a : !xetile.tile<24x32xf32> -> vector<24x32xf32>
  {convert}
  %m5 = arith.subi %m, %c5 : index
  %n4 = arith.subi %n, %c4 : index
  %c = xetile.init_tile %C[%m5, %n4] : memref<21x{width}x{type}> -> !xetile.tile<24x32x{type}>
  xetile.store_tile %t, %c : vector<24x32x{type}>, !xetile.tile<24x32x{type}>
  gpu.return
}} }}"""


@pytest.mark.parametrize("type", TYPES)
def test_tiles_across_every_edge(type: str, place: Place) -> None:
    """24 rows are two messages high; the tiles begin outside, and end outside, of a matrix of no round extents."""
    convert, kind = TYPES[type]
    width = 20 if type == "f32" else 80 // numpy.dtype(kind).itemsize
    made = f"%t = {convert} %v : vector<24x32xf32> to vector<24x32x{type}>"
    if not convert:
        made = "%t = arith.negf %v : vector<24x32xf32>"
    module = parse(TILES.format(type=type, width=width, convert=made))
    lower(context(), module, "xevm", "bmg")
    a = numpy.random.default_rng(0).uniform(-100, 100, (48, 64)).astype(numpy.float32)
    c = numpy.full((HEIGHT, width), 1, kind)
    place.execute(module, "k", [a, c], target="bmg")
    whole = (-a if not convert else a).astype(kind)
    expected = numpy.full((HEIGHT, width), 1, kind)
    rows, columns = min(HEIGHT, 48 - 5), min(width, 64 - 4)
    expected[:rows, :columns] = whole[5 : 5 + rows, 4 : 4 + columns]
    assert c.tobytes() == expected.tobytes()


ROWS = """
gpu.module @m {{ gpu.func @k(%bias: memref<3x{width}x{type}>, %C: memref<64x64xf32>) kernel attributes {{
    known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 2, 2, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %i = gpu.block_id x
  %j = gpu.block_id y
  %m = arith.muli %i, %c32 : index
  %n = arith.muli %j, %c32 : index
  %b = xetile.init_tile %bias[2, %n] : memref<3x{width}x{type}> -> !xetile.tile<1x32x{type}>
  %row = xetile.load_tile %b : !xetile.tile<1x32x{type}> -> vector<1x32x{type}>
  {convert}
  %all = xetile.tile_broadcast %wide [0] : vector<1x32xf32> -> vector<8x32xf32>
  %start = xetile.init_tile %C[%m, %n] : memref<64x64xf32> -> !xetile.tile<8x32xf32>
  %end = scf.for %k = %c0 to %c3 step %c1 iter_args(%c = %start) -> (!xetile.tile<8x32xf32>) {{
    %old = xetile.load_tile %c : !xetile.tile<8x32xf32> -> vector<8x32xf32>
    %new = arith.addf %old, %all : vector<8x32xf32>
    xetile.store_tile %new, %c : vector<8x32xf32>, !xetile.tile<8x32xf32>
    %next = xetile.update_tile_offset %c, [%c8, %c0] : !xetile.tile<8x32xf32>
    scf.yield %next : !xetile.tile<8x32xf32>
  }}
  gpu.return
}} }}"""


@pytest.mark.parametrize(
    ("type", "width"), [("f32", 64), ("f16", 64), ("f32", 40), ("f16", 40)]
)
def test_a_row_that_is_added_in_a_loop(type: str, width: int, place: Place) -> None:
    """Inside of the matrix it is a 1D read; beyond 40 columns it is zeros. The loop stores through payloads that move."""
    wide = f"%wide = arith.extf %row : vector<1x32x{type}> to vector<1x32xf32>"
    if type == "f32":
        wide = "%wide = arith.negf %row : vector<1x32xf32>"
    module = parse(ROWS.format(type=type, width=width, convert=wide))
    lower(context(), module, "xevm", "bmg")
    random = numpy.random.default_rng(1)
    bias = random.standard_normal((3, width)).astype(TYPES[type][1])
    c = random.standard_normal((64, 64)).astype(numpy.float32)
    row = numpy.zeros(64, numpy.float32)
    row[:width] = -bias[2] if type == "f32" else bias[2].astype(numpy.float32)
    expected = c.copy()
    for start in (0, 32):
        expected[start : start + 24] += row
    place.execute(module, "k", [bias, c], target="bmg")
    assert numpy.array_equal(c, expected)


LONG_ROWS = """
gpu.module @m { gpu.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
  %v = xevm.blockload %p : (!llvm.ptr<1>) -> vector<16xi8>
  xevm.blockstore %q, %v : (!llvm.ptr<1>, vector<16xi8>)
  gpu.return
} }"""


def test_rows_of_more_than_one_message() -> None:
    """The second half lies in the memory of the first."""
    text = emit(parse(LONG_ROWS), "ll", "bmg")
    assert isinstance(text, str)
    assert (
        text.count('call spir_func <8 x i8> @"__builtin_IB_simd_block_read_8_global_b"') == 2
    )
    assert text.count("getelementptr inbounds i8, ptr addrspace(1)") == 2
