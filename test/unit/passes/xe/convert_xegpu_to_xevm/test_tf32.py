"""Programs on tf32 whose memory holds any f32: every level reads its upper 19 bits, and rounds what it computes."""

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.levels import LevelName
from xetile.passes.pipelines import lower

Array = NDArray[Any]

LEVELS: tuple[LevelName | None, ...] = (None, "blocked", "xegpu", "xevm")
SHAPE = (16, 32)


def kernel(body: str, result: str) -> str:
    stored = "%r" if "%r" in body else "%a"
    return f"""
gpu.module @m {{
  gpu.func @k(%A: memref<16x32xtf32>, %F: memref<16x32xf32>, %R: memref<16x32x{result}>) kernel attributes
      {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %ta = xetile.init_tile %A[0, 0] : memref<16x32xtf32> -> !xetile.tile<16x32xtf32>
    %a = xetile.load_tile %ta : !xetile.tile<16x32xtf32> -> vector<16x32xtf32>
    %tf = xetile.init_tile %F[0, 0] : memref<16x32xf32> -> !xetile.tile<16x32xf32>
    %f = xetile.load_tile %tf : !xetile.tile<16x32xf32> -> vector<16x32xf32>
    %c = arith.constant dense<1.0008> : vector<16x32xtf32>
    {body.replace("T", "vector<16x32xtf32>").replace("V", "vector<16x32xf32>")}
    %tr = xetile.init_tile %R[0, 0] : memref<16x32x{result}> -> !xetile.tile<16x32x{result}>
    xetile.store_tile {stored}, %tr : vector<16x32x{result}>, !xetile.tile<16x32x{result}>
    gpu.return
  }}
}}"""


def cut(values: Array) -> Array:
    return (values.view(numpy.uint32) & numpy.uint32(0xFFFFE000)).view(numpy.float32)


def rounded(values: Array) -> Array:
    """To nearest even, by way of f64, in which a power of two larger takes what does not fit."""
    wide = values.astype(numpy.float64)
    _, exponent = numpy.frexp(wide)
    unit = numpy.ldexp(1.0, numpy.maximum(exponent, -125) - 11)
    with numpy.errstate(all="ignore"):
        found = numpy.where(numpy.isfinite(wide), numpy.rint(wide / unit) * unit, wide)
        return found.astype(numpy.float32)


PROGRAMS: dict[str, tuple[str, str, Callable[[Array, Array], Array]]] = {
    "copied": ("", "tf32", lambda a, f: cut(a)),
    "widened": ("%r = arith.extf %a : T to V", "f32", lambda a, f: cut(a)),
    "narrowed": ("%r = arith.truncf %f : V to T", "tf32", lambda a, f: rounded(f)),
    "constant": (
        "%r = arith.extf %c : T to V",
        "f32",
        lambda a, f: numpy.full(SHAPE, rounded(ONE)),
    ),
    "added": (
        "%r = arith.addf %a, %c : T",
        "tf32",
        lambda a, f: rounded(cut(a) + rounded(ONE)),
    ),
    "multiplied": (
        "%r = arith.mulf %a, %a : T",
        "tf32",
        lambda a, f: rounded(cut(a) * cut(a)),
    ),
    "negated": ("%r = arith.negf %a : T", "tf32", lambda a, f: -cut(a)),
    "twice": (
        "%n = arith.truncf %f : V to T\n%s = arith.addf %n, %a : T\n%r = arith.extf %s : T to V",
        "f32",
        lambda a, f: rounded(rounded(f) + cut(a)),
    ),
    "compared": (
        "%m = arith.cmpf ogt, %a, %c : T\n%r = arith.select %m, %a, %c : vector<16x32xi1>, T",
        "tf32",
        lambda a, f: numpy.where(cut(a) > rounded(ONE), cut(a), rounded(ONE)),
    ),
    "half": (
        "%h = arith.truncf %a : T to vector<16x32xf16>\n%r = arith.extf %h : vector<16x32xf16> to T",
        "tf32",
        lambda a, f: cut(a).astype(numpy.float16).astype(numpy.float32),
    ),
}
ONE = numpy.array(1.0008, numpy.float32)


def arguments() -> tuple[Array, Array]:
    random = numpy.random.default_rng(2)
    a, f = random.standard_normal((2, *SHAPE)).astype(numpy.float32)
    special = numpy.array(
        [
            0.0,
            -0.0,
            numpy.inf,
            -numpy.inf,
            numpy.nan,
            3.4028235e38,
            1e-40,
            1 + 2**-11,
            1 + 3 * 2**-11,
        ],
        numpy.float32,
    )
    a[0, : len(special)] = f[0, : len(special)] = special
    return a, f


@pytest.mark.parametrize("level", LEVELS, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_level_reads_and_rounds_alike(name: str, level: LevelName | None) -> None:
    body, result, expected = PROGRAMS[name]
    a, f = arguments()
    module = parse(kernel(body, result))
    if level is not None:
        lower(context(), module, level, "bmg")
        module.verify()
    found = numpy.zeros(SHAPE, numpy.float32)
    with numpy.errstate(all="ignore"):
        execute(module, None, [a, f, found])
        wanted = expected(a, f)
    numpy.testing.assert_array_equal(found, wanted)
    number = ~numpy.isnan(wanted)
    assert (numpy.signbit(found) == numpy.signbit(wanted))[number].all()


@pytest.mark.parametrize(
    "body",
    [
        "%w = arith.extf %f : V to vector<16x32xf64>\n%r = arith.truncf %w : vector<16x32xf64> to T",
        "%i = arith.fptosi %f : V to vector<16x32xi32>\n%r = arith.sitofp %i : vector<16x32xi32> to T",
        "%r = math.fma %a, %a, %a : T",
    ],
    ids=["f64", "i32", "fma"],
)
def test_what_would_round_twice_is_refused(body: str) -> None:
    module = parse(kernel(body, "tf32"))
    with pytest.raises(XetileError, match="would round twice; go through f32"):
        lower(context(), module, "xevm", "bmg")


@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_products_of_what_is_computed(level: LevelName | None) -> None:
    """Rounded before the product, though the instruction would cut."""
    text = """
gpu.module @m {
  gpu.func @k(%F: memref<16x32xf32>, %B: memref<16x32xtf32>, %R: memref<16x32xf32>) kernel attributes
      {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %tf = xetile.init_tile %F[0, 0] : memref<16x32xf32> -> !xetile.tile<16x16xf32>
    %f = xetile.load_tile %tf : !xetile.tile<16x16xf32> -> vector<16x16xf32>
    %n = arith.truncf %f : vector<16x16xf32> to vector<16x16xtf32>
    %tb = xetile.init_tile %B[0, 0] : memref<16x32xtf32> -> !xetile.tile<16x32xtf32>
    %b = xetile.load_tile %tb : !xetile.tile<16x32xtf32> -> vector<16x32xtf32>
    %r = xetile.tile_mma %n, %b : vector<16x16xtf32>, vector<16x32xtf32> -> vector<16x32xf32>
    %tr = xetile.init_tile %R[0, 0] : memref<16x32xf32> -> !xetile.tile<16x32xf32>
    xetile.store_tile %r, %tr : vector<16x32xf32>, !xetile.tile<16x32xf32>
    gpu.return
  }
}"""
    random = numpy.random.default_rng(4)
    a, b = random.standard_normal((2, *SHAPE)).astype(numpy.float32)
    module = parse(text)
    if level is not None:
        lower(context(), module, level, "bmg")
    found = numpy.zeros(SHAPE, numpy.float32)
    execute(module, None, [a, b, found])
    left, right = rounded(a[:, :16]), cut(b)
    expected = numpy.zeros(SHAPE, numpy.float32)
    for k in range(16):
        expected += left[:, k, None] * right[None, k, :]
    assert (found == expected).all()
