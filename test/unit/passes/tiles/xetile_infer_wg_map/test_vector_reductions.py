"""The vector dialect's reductions at workgroup level: numpy's results, after distribution too."""

import re
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray

from xetile import api
from xetile.errors import XetileError
from xetile.interpreter import execute

Array = NDArray[Any]

KERNEL = """#map = #xetile.wg_map<sg_layout = {layout}, sg_data = {data}>
#reduced = #xetile.wg_map<sg_layout = {layout}, sg_data = {reduced}>
!whole = !xetile.tile<64x32x{type}, #map>
!left = !xetile.tile<{shape}x{type}, #reduced>
gpu.module @kernels {{
  gpu.func @reduce(%A: memref<64x32x{type}>, %C: memref<{shape}x{type}>) kernel
      attributes {{known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
    %a = xetile.init_tile %A[0, 0] : memref<64x32x{type}> -> !whole
    %v = xetile.load_tile %a : !whole -> vector<64x32x{type}>
    %start = arith.constant dense<{start}> : vector<{kept}x{type}>
    %s = vector.multi_reduction <{kind}>, %v, %start [{dimension}] : vector<64x32x{type}> to vector<{kept}x{type}>
    %r = vector.shape_cast %s {map} : vector<{kept}x{type}> to vector<{shape}x{type}>
    %c = xetile.init_tile %C[0, 0] : memref<{shape}x{type}> -> !left
    xetile.store_tile %r, %c : vector<{shape}x{type}>, !left
    gpu.return
  }}
}}
"""
DTYPES = {"f32": numpy.float32, "f16": numpy.float16, "i32": numpy.int32, "i8": numpy.int8}
DIMENSIONS = {
    0: {
        "layout": "[1, 4]",
        "data": "[64, 8]",
        "reduced": "[1, 8]",
        "shape": "1x32",
        "kept": 32,
    },
    1: {
        "layout": "[4, 1]",
        "data": "[16, 32]",
        "reduced": "[16, 1]",
        "shape": "64x1",
        "kept": 64,
    },
}


def kernel(kind: str, type: str, start: str, dimension: int, *, map: str = "") -> str:
    words = DIMENSIONS[dimension]
    return KERNEL.format(
        kind=kind, type=type, start=start, dimension=dimension, map=map, **words
    )


def values(type: str) -> Array:
    random = numpy.random.default_rng(5)
    if type.startswith("f"):
        return (random.standard_normal((64, 32)) - 9).astype(DTYPES[type])
    return (random.integers(-128, 128, (64, 32)) | 9).astype(DTYPES[type])


CASES = [
    ("add", "f32", "0.0"),
    ("add", "f32", "-0.0"),
    ("add", "f16", "1.0"),
    ("mul", "f32", "1.0"),
    ("mul", "f32", "0.125"),
    ("maximumf", "f32", "0xFF800000"),
    ("maximumf", "f16", "-9.0"),
    ("minimumf", "f32", "-9.0"),
    ("maxnumf", "f32", "-9.5"),
    ("minnumf", "f16", "-9.5"),
    ("add", "i32", "7"),
    ("mul", "i8", "3"),
    ("minsi", "i8", "-100"),
    ("maxui", "i32", "4294967290"),
    ("xor", "i32", "255"),
    ("and", "i8", "15"),
    ("or", "i32", "1"),
]


@pytest.mark.parametrize("dimension", [0, 1])
@pytest.mark.parametrize(("kind", "type", "start"), CASES)
def test_every_level_gives_the_bits_of_the_reduction(
    kind: str, type: str, start: str, dimension: int
) -> None:
    module = api.parse(kernel(kind, type, start, dimension))
    a = values(type)
    results: list[bytes] = []
    for level in (None, "subgroup", "blocked"):
        lowered = module if level is None else api.lower(module, to=level, device="bmg")
        c = numpy.zeros((1, 32) if dimension == 0 else (64, 1), DTYPES[type])
        execute(lowered, "reduce", [a, c], sanitize=True)
        results.append(c.tobytes())
        if level == "subgroup":
            text = api.text(lowered)
            assert "multi_reduction" not in text
            assert "xetile.tile_reduce" in text
    assert results[1:] == results[:1] * 2
    assert any(results[0])


def test_a_map_on_either_op_is_the_results() -> None:
    wrong = "{map = #xetile.wg_map<sg_layout = [1, 4], sg_data = [64, 1]>}"
    module = api.parse(kernel("add", "f32", "0.0", 1, map=wrong), name="reduce.mlir")
    with pytest.raises(XetileError, match="sg_data = \\[64, 1\\]"):
        api.lower(module, to="subgroup")


@pytest.mark.parametrize(
    ("kind", "start", "remains"),
    [
        ("add", "-0.0", False),
        ("add", "0.0", True),
        ("mul", "1.0", False),
        ("mul", "0.0", True),
    ],
)
def test_a_start_is_combined_unless_it_changes_nothing(
    kind: str, start: str, remains: bool
) -> None:
    """0.0 makes a sum of negative zeros positive."""
    lowered = api.lower(api.parse(kernel(kind, "f32", start, 1)), to="subgroup")
    assert (f"arith.{kind}f" in api.text(lowered)) is remains


def test_negative_zeros_keep_their_sign_unless_the_start_is_zero() -> None:
    for start, sign in (("-0.0", True), ("0.0", False)):
        module = api.parse(kernel("add", "f32", start, 1))
        for lowered in (module, api.lower(module, to="blocked", device="bmg")):
            c = numpy.ones((64, 1), numpy.float32)
            execute(lowered, "reduce", [numpy.full((64, 32), -0.0, numpy.float32), c])
            assert (numpy.signbit(c) == sign).all()
            assert not c.any()


def same_below(text: str) -> None:
    """What the reduction stores is the same at all levels, where every subgroup takes all of the rows."""
    module = api.parse(text)
    a = numpy.random.default_rng(0).integers(-9, 9, (64, 32)).astype(numpy.float32)
    found: list[Array] = []
    for level in ("workgroup", "subgroup", "blocked"):
        lowered = module if level == "workgroup" else api.lower(module, to=level, device="bmg")
        assert ("vector.multi_reduction" in api.text(lowered)) or level != "subgroup"
        c = numpy.zeros((64, 1), numpy.float32)
        execute(lowered, "reduce", [a, c], sanitize=True)
        found.append(c)
    assert found[0].any()
    assert all((other == found[0]).all() for other in found[1:])


def test_a_start_of_several_numbers_stays() -> None:
    several = f"[{', '.join(['1.0'] * 63)}, 2.0]"
    same_below(kernel("add", "f32", several, 1))


def test_a_result_that_is_used_as_it_is_stays() -> None:
    text = kernel("add", "f32", "0.0", 1)
    text = re.sub(
        r"    %r = vector.shape_cast %s",
        "    %n = arith.negf %s : vector<64xf32>\n    %r = vector.shape_cast %n",
        text,
    )
    assert "%n = " in text
    same_below(text)
