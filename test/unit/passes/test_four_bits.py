"""Integers of 4 bits, two to a byte of memory: weights that are widened before a product."""

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from support.on_device import ON_NUMPY, Place, levels_and_places

from xetile.api import lower, parse
from xetile.errors import XetileError
from xetile.levels import LevelName

Array = NDArray[Any]

LEVELS = levels_and_places(None, "subgroup", "blocked", "xegpu", "xevm")

WIDENINGS = {
    ("i4", "extsi", "i8"): True,
    ("i4", "extui", "i8"): False,
    ("si4", "", "si4"): True,
    ("i4", "sitofp", "f16"): True,
    ("i4", "uitofp", "f16"): False,
}
NUMPY: dict[str, Any] = {"i8": numpy.int8, "f16": numpy.float16, "f32": numpy.float32}


def packed(values: Array) -> Array:
    """Two neighbours of a row in a byte, the left one in its low bits."""
    return ((values[:, ::2] & 15) | (values[:, 1::2] << 4)).astype(numpy.uint8)


def kernel(source: str, op: str, result: str) -> str:
    """Rows 8 to 24 and columns 64 to 128 of A, as another type in the first ones of R."""
    tile, body = f"!xetile.tile<16x64x{source}>", ""
    if op:
        body = f"%r = arith.{op} %v : vector<16x64x{source}> to vector<16x64x{result}>"
    return f"""
gpu.module @m {{
gpu.func @k(%A: memref<32x256x{source}>, %R: memref<16x128x{result}>) kernel attributes
    {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
  %c64 = arith.constant 64 : index
  %a = xetile.init_tile %A[8, %c64] : memref<32x256x{source}> -> {tile}
  %v = xetile.load_tile %a : {tile} -> vector<16x64x{source}>
  {body}
  %t = xetile.init_tile %R[0, 0] : memref<16x128x{result}> -> !xetile.tile<16x64x{result}>
  xetile.store_tile {"%r" if op else "%v"}, %t : vector<16x64x{result}>, !xetile.tile<16x64x{result}>
  gpu.return
}}
}}"""


def lowered(text: str, level: LevelName | None) -> Any:
    module = parse(text)
    if level is not None:
        module = lower(module, to=level, device="bmg")
    module.verify()
    return module


@pytest.mark.parametrize(("level", "place"), LEVELS, indirect=["place"])
@pytest.mark.parametrize("types", WIDENINGS, ids="-".join)
def test_widened(types: tuple[str, str, str], level: LevelName | None, place: Place) -> None:
    source, op, result = types
    low = -8 if WIDENINGS[types] else 0
    values = numpy.random.default_rng(1).integers(low, low + 16, (32, 256))
    part = values[8:24, 64:128]
    if op:
        found = numpy.zeros((16, 128), NUMPY[result])
        wanted = part.astype(NUMPY[result])
    else:
        found, wanted = numpy.zeros((16, 64), numpy.uint8), packed(part)
    place.execute(lowered(kernel(source, op, result), level), "k", [packed(values), found])
    assert (found[:, : wanted.shape[1]] == wanted).all()
    assert not found[:, wanted.shape[1] :].any()


IN_REGISTERS = """
gpu.module @m {
gpu.func @k(%A: memref<16x64xi8>, %R: memref<16x128xi8>) kernel attributes
    {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>,
     intel_reqd_sub_group_size = 16 : i32, xetile.level = "subgroup"} {
  %d = xegpu.create_nd_tdesc %A : memref<16x64xi8> -> !xegpu.tensor_desc<8x16xi8>
  %r = xegpu.create_nd_tdesc %R : memref<16x128xi8> -> !xegpu.tensor_desc<8x32xi8>
  %v = xegpu.load_nd %d[0, 0] : !xegpu.tensor_desc<8x16xi8> -> vector<8x16xi8>
  %n = vector.bitcast %v : vector<8x16xi8> to vector<8x32xi4>
  BODY
  xegpu.store_nd %w, %r[0, 0] : vector<8x32xi8>, !xegpu.tensor_desc<8x32xi8>
  gpu.return
}
}"""

BODIES: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "signed": ("%w = arith.extsi %n : vector<8x32xi4> to vector<8x32xi8>", lambda x: x),
    "unsigned": ("%w = arith.extui %n : vector<8x32xi4> to vector<8x32xi8>", lambda x: x & 15),
    "sum": (
        "%s = arith.addi %n, %n : vector<8x32xi4>\n%w = arith.extsi %s : vector<8x32xi4> to vector<8x32xi8>",
        lambda x: ((x + x + 8) & 15) - 8,
    ),
    "smallest": (
        "%c = arith.constant dense<3> : vector<8x32xi4>\n%s = arith.minsi %n, %c : vector<8x32xi4>\n"
        "%w = arith.extsi %s : vector<8x32xi4> to vector<8x32xi8>",
        lambda x: numpy.minimum(x, 3),
    ),
    "chosen": (
        "%c = arith.constant dense<-2> : vector<8x32xi4>\n%m = arith.cmpi ugt, %n, %c : vector<8x32xi4>\n"
        "%s = arith.select %m, %c, %n : vector<8x32xi1>, vector<8x32xi4>\n"
        "%w = arith.extui %s : vector<8x32xi4> to vector<8x32xi8>",
        lambda x: numpy.minimum(x & 15, 14),
    ),
}


@pytest.mark.parametrize(
    ("level", "place"), levels_and_places(None, "xevm"), indirect=["place"]
)
@pytest.mark.parametrize("name", BODIES)
def test_in_registers(name: str, level: LevelName | None, place: Place) -> None:
    body, expected = BODIES[name]
    values = numpy.random.default_rng(4).integers(-8, 8, (16, 128)).astype(numpy.int8)
    found = numpy.zeros((16, 128), numpy.int8)
    module = lowered(IN_REGISTERS.replace("BODY", body), level)
    place.execute(module, "k", [packed(values).view(numpy.int8), found])
    assert (found[:8, :32] == expected(values[:8, :32])).all()


GEMM = """
gpu.module @m {
gpu.func @k(%A: memref<16x64xf16>, %W: memref<64x128xi4>, %S: memref<64x64xf16>, %C: memref<16x64xf32>) kernel attributes
    {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %a = xetile.init_tile %A[0, 0] : memref<16x64xf16> -> !xetile.tile<16x32xf16>
  %w = xetile.init_tile %W[0, 0] : memref<64x128xi4> -> !xetile.tile<32x32xi4>
  %s = xetile.init_tile %S[0, 0] : memref<64x64xf16> -> !xetile.tile<32x32xf16>
  %zero = arith.constant dense<0.0> : vector<16x32xf32>
  %r:4 = scf.for %k = %c0 to %c64 step %c32 iter_args(%ta = %a, %tw = %w, %ts = %s, %c = %zero)
      -> (!xetile.tile<16x32xf16>, !xetile.tile<32x32xi4>, !xetile.tile<32x32xf16>, vector<16x32xf32>) {
    %va = xetile.load_tile %ta : !xetile.tile<16x32xf16> -> vector<16x32xf16>
    %vw = xetile.load_tile %tw : !xetile.tile<32x32xi4> -> vector<32x32xi4>
    %vs = xetile.load_tile %ts : !xetile.tile<32x32xf16> -> vector<32x32xf16>
    %f = arith.sitofp %vw : vector<32x32xi4> to vector<32x32xf16>
    %b = arith.mulf %f, %vs : vector<32x32xf16>
    %d = xetile.tile_mma %va, %b, %c : vector<16x32xf16>, vector<32x32xf16>, vector<16x32xf32> -> vector<16x32xf32>
    %na = xetile.update_tile_offset %ta, [0, 32] : !xetile.tile<16x32xf16>
    %nw = xetile.update_tile_offset %tw, [32, 0] : !xetile.tile<32x32xi4>
    %ns = xetile.update_tile_offset %ts, [32, 0] : !xetile.tile<32x32xf16>
    scf.yield %na, %nw, %ns, %d : !xetile.tile<16x32xf16>, !xetile.tile<32x32xi4>, !xetile.tile<32x32xf16>, vector<16x32xf32>
  }
  %t = xetile.init_tile %C[0, 0] : memref<16x64xf32> -> !xetile.tile<16x32xf32>
  xetile.store_tile %r#3, %t : vector<16x32xf32>, !xetile.tile<16x32xf32>
  gpu.return
}
}"""


@pytest.mark.parametrize(("level", "place"), LEVELS, indirect=["place"])
def test_scaled_weights(level: LevelName | None, place: Place) -> None:
    random = numpy.random.default_rng(2)
    a = random.integers(-4, 5, (16, 64)).astype(numpy.float16)
    w = random.integers(-8, 8, (64, 128))
    scales = (2.0 ** random.integers(-2, 3, (64, 64))).astype(numpy.float16)
    c = numpy.zeros((16, 64), numpy.float32)
    place.execute(lowered(GEMM, level), "k", [a, packed(w), scales, c])
    wanted = a.astype(numpy.float32) @ (w[:, :64] * scales.astype(numpy.float32))
    assert (c[:, :32] == wanted[:, :32]).all()


@pytest.mark.parametrize("level", [None, "blocked", "xegpu"])
def test_outside_of_the_matrix(level: LevelName | None) -> None:
    """Above it and left of it there are zeros, or the padding, in both halves of a byte."""
    text = kernel("i4", "extsi", "i8").replace("8, %c64", "-8, -32")
    values = numpy.random.default_rng(1).integers(-8, 8, (32, 256))
    for padding in (0, -3):
        found = numpy.zeros((16, 128), numpy.int8)
        with_padding = text.replace("load_tile %a", f"load_tile %a {{padding = {padding}}}")
        ON_NUMPY.execute(lowered(with_padding, level), "k", [packed(values), found])
        wanted = numpy.full((16, 64), padding)
        wanted[8:, 32:] = values[:8, :32]
        assert (found[:, :64] == wanted).all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[8, %c64]", "[8, 63]", "'offsets' is [8, 63]: two elements of i4 share a byte, expected an even column"),
        ("16x64xi4", "16x63xi4", "tile shape 16x63: two elements of i4 share a byte, expected even columns"),
        ("32x256xi4", "32x255xi4", "memref<32x255xi4> has rows of 255: two elements of i4 share a byte, expected an even number"),
        ("tile<16x64xi4>", "tile<16x64xi4, #xetile.tile_attr<order = [0, 1]>>", "order [0, 1]: two elements of i4 share a byte along a row; transpose after loading"),
    ],
)  # fmt: skip
def test_what_cuts_bytes_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(XetileError) as found:
        parse(kernel("i4", "extsi", "i8").replace(old, new)).verify()
    assert message in str(found.value)


def test_memory_is_reached_by_tiles_only() -> None:
    text = """
gpu.module @m {
gpu.func @k(%A: memref<4x8xi4>) kernel attributes
    {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
  %c0 = arith.constant 0 : index
  %v = memref.load %A[%c0, %c0] : memref<4x8xi4>
  gpu.return
}
}"""
    with pytest.raises(
        XetileError, match="elements of i4 share bytes of memory, which tiles reach only"
    ):
        ON_NUMPY.execute(parse(text), "k", [numpy.zeros((4, 4), numpy.uint8)])
