"""Elements of 8 bits and less, and tf32, in memory and out of it: every level, and the device, give the same bits."""

import subprocess
from pathlib import Path
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray
from support.on_device import ON_NUMPY, Place, levels_and_places
from support.subgroup import NUMPY

from xetile.api import lower, parse
from xetile.levels import LevelName

Array = NDArray[Any]

LEVELS = levels_and_places(None, "subgroup", "blocked", "xegpu", "xevm")
ROWS, COLUMNS = 16, 32
SHAPE = (ROWS, 64)
"""Of the matrices, of which a tile is the left half: rows of 64 bytes at least."""

E4, E5 = "f8E4M3FN", "f8E5M2"

PROGRAMS: dict[str, tuple[str, str, str]] = {
    **{
        f"copied {type}": (type, "", type)
        for type in ("i8", "si8", "ui8", "i1", "tf32", E4, E5)
    },
    "narrowed": ("i32", "%r = arith.trunci %v : V<i32> to V<i8>", "i8"),
    "quantised": (
        "f32",
        "%c = arith.constant dense<3.5> : V<f32>\n%s = arith.mulf %v, %c : V<f32>\n%r = arith.fptosi %s : V<f32> to V<i8>",
        "i8",
    ),
    "widened": ("i8", "%r = arith.sitofp %v : V<i8> to V<f16>", "f16"),
    "compared": (
        "f32",
        "%c = arith.constant dense<0.25> : V<f32>\n%r = arith.cmpf olt, %v, %c : V<f32>",
        "i1",
    ),
    "selected": (
        "i1",
        "%c = arith.constant dense<2.0> : V<f32>\n%d = arith.constant dense<-1.0> : V<f32>\n"
        "%r = arith.select %v, %c, %d : V<i1>, V<f32>",
        "f32",
    ),
    "of 8-bit floats": (
        E5,
        f"%c = arith.constant dense<0.375> : V<{E5}>\n%s = arith.mulf %v, %c : V<{E5}>\n"
        f"%x = arith.extf %s : V<{E5}> to V<f32>\n%r = arith.truncf %x : V<f32> to V<{E4}>",
        E4,
    ),
}


def kernel(source: str, body: str, result: str) -> str:
    def vector(type: str) -> str:
        return f"vector<{ROWS}x{COLUMNS}x{type}>"

    for type in ("i1", "i8", "i32", "f16", "f32", E4, E5):
        body = body.replace(f"V<{type}>", vector(type))
    rows, columns = SHAPE
    return f"""
gpu.module @m {{
gpu.func @k(%A: memref<{rows}x{columns}x{source}>, %R: memref<{rows}x{columns}x{result}>) kernel attributes
    {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
  %ta = xetile.init_tile %A[0, 0] : memref<{rows}x{columns}x{source}> -> !xetile.tile<{ROWS}x{COLUMNS}x{source}>
  %v = xetile.load_tile %ta : !xetile.tile<{ROWS}x{COLUMNS}x{source}> -> {vector(source)}
  {body}
  %tr = xetile.init_tile %R[0, 0] : memref<{rows}x{columns}x{result}> -> !xetile.tile<{ROWS}x{COLUMNS}x{result}>
  xetile.store_tile {"%r" if body else "%v"}, %tr : {vector(result)}, !xetile.tile<{ROWS}x{COLUMNS}x{result}>
  gpu.return
}}
}}"""


def data(source: str, result: str) -> list[Array]:
    random = numpy.random.default_rng(5)
    kind = numpy.dtype(NUMPY.get(source, numpy.int8))
    if source in ("f32", "tf32"):
        values = random.standard_normal(SHAPE).astype(kind)
    elif source == "i1":
        values = random.integers(0, 2, SHAPE).astype(kind)
    else:
        values = (
            random.integers(0, 256, (*SHAPE, kind.itemsize)).astype(numpy.uint8).view(kind)
        )
    return [values.reshape(SHAPE), numpy.zeros(SHAPE, NUMPY.get(result, numpy.int8))]


def same(left: Array, right: Array) -> bool:
    if left.dtype.name.startswith("float8"):
        left, right = left.astype(numpy.float32), right.astype(numpy.float32)
    return numpy.array_equal(left, right, equal_nan=left.dtype.kind == "f")


@pytest.mark.parametrize(("level", "place"), LEVELS, indirect=["place"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_bits(name: str, level: LevelName | None, place: Place) -> None:
    source, body, result = PROGRAMS[name]
    text = kernel(source, body, result)
    wanted, found = data(source, result), data(source, result)
    ON_NUMPY.execute(parse(text), "k", wanted)
    module = parse(text)
    if level is not None:
        module = lower(module, to=level, device="bmg")
    module.verify()
    place.execute(module, "k", found)
    assert wanted[1][:, :COLUMNS].any()
    assert same(wanted[1], found[1])


@pytest.mark.mlir_opt
@pytest.mark.parametrize("level", ["xegpu", "xevm"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_upstream_takes_it(mlir_opt: Path, name: str, level: LevelName) -> None:
    module = lower(parse(kernel(*PROGRAMS[name])), to=level, device="bmg")
    done = subprocess.run(
        [mlir_opt], input=str(module), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def conversion(source: str, result: str) -> str:
    """All of a matrix of 256x256, a tile of 32x32 to each subgroup."""
    return f"""
gpu.module @m {{
gpu.func @k(%A: memref<256x256x{source}>, %R: memref<256x256x{result}>) kernel attributes
    {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 8, 8, 1>}} {{
  %x = gpu.block_id x
  %y = gpu.block_id y
  %c32 = arith.constant 32 : index
  %row = arith.muli %x, %c32 : index
  %column = arith.muli %y, %c32 : index
  %ta = xetile.init_tile %A[%row, %column] : memref<256x256x{source}> -> !xetile.tile<32x32x{source}>
  %v = xetile.load_tile %ta : !xetile.tile<32x32x{source}> -> vector<32x32x{source}>
  %r = arith.{"extf" if source in (E4, E5) else "truncf"} %v : vector<32x32x{source}> to vector<32x32x{result}>
  %tr = xetile.init_tile %R[%row, %column] : memref<256x256x{result}> -> !xetile.tile<32x32x{result}>
  xetile.store_tile %r, %tr : vector<32x32x{result}>, !xetile.tile<32x32x{result}>
  gpu.return
}}
}}"""


@pytest.mark.parametrize("narrow", [E4, E5])
@pytest.mark.parametrize("wide", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("narrows", [True, False], ids=["narrowed", "widened"])
def test_every_number(narrow: str, wide: str, narrows: bool, place: Place) -> None:
    """Every f16 and bf16, and f32 between and on them, as 8-bit floats; and every one of these back."""
    source, result = (wide, narrow) if narrows else (narrow, wide)
    bits = numpy.arange(1 << 16).reshape(256, 256)
    if not narrows:
        values = (bits % 256).astype(numpy.uint8).view(NUMPY[source])
    elif wide == "f32":
        steps = numpy.random.default_rng(1).integers(-1, 2, bits.shape)
        values = ((bits << 16) + steps).astype(numpy.uint32).view(numpy.float32)
    else:
        values = bits.astype(numpy.uint16).view(NUMPY[source])
    found = numpy.zeros((256, 256), NUMPY[result])
    module = lower(parse(conversion(source, result)), to="xevm", device="bmg")
    place.execute(module, "k", [values.copy(), found])
    with numpy.errstate(all="ignore"):
        wanted = values.astype(numpy.float32).astype(NUMPY[result])
    assert numpy.array_equal(
        found.astype(numpy.float32), wanted.astype(numpy.float32), equal_nan=True
    )
    assert (numpy.signbit(found) == numpy.signbit(wanted)).all()
