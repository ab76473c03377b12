"""A and B may have K in different numbers of units; every level then gives the bits of workgroup level."""

from itertools import product
from typing import Any

import ml_dtypes
import numpy
import pytest
from numpy.typing import NDArray
from support.on_device import ON_NUMPY, Place
from xdsl.dialects.builtin import ModuleOp

from xetile import api
from xetile.dialects.modules import context
from xetile.errors import XetileError
from xetile.levels import LevelName
from xetile.passes.pipelines import lower

Array = NDArray[Any]
Map = tuple[list[int], list[int]]

M, N, K, WIDE = 32, 32, 64, 64
DTYPES = {"f16": numpy.float16, "bf16": ml_dtypes.bfloat16, "i8": numpy.int8}

ALL: tuple[LevelName, ...] = ("subgroup", "blocked", "xegpu", "xevm")


def tile(rows: int, columns: int, element: str, map: Map) -> str:
    layout, data = map
    attribute = f"#xetile.tile_attr<wg_map = <sg_layout = {layout}, sg_data = {data}>>"
    return f"!xetile.tile<{rows}x{columns}x{element}, {attribute}>"


def kernel(element: str, a: Map, b: Map, *, negate: bool = False) -> ModuleOp:
    """C = C + A * B (A * -B where `negate`) for the last columns of a wider B; C's map is A's rows, B's columns."""
    sum = "i32" if element == "i8" else "f32"
    c = (a[0], [a[1][0], b[1][1]])
    ta, tb, tc = tile(M, K, element, a), tile(K, N, element, b), tile(M, N, sum, c)
    threads = 16 * a[0][0] * a[0][1]
    factor = f"%n = arith.negf %y : vector<{K}x{N}x{element}>" if negate else ""
    return api.parse(
        f"""gpu.module @m {{
gpu.func @f(%a: memref<{M}x{K}x{element}>, %b: memref<{K}x{WIDE}x{element}>, %c: memref<{M}x{N}x{sum}>) kernel
    attributes {{known_block_size = array<i32: {threads}, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
  %ta = xetile.init_tile %a[0, 0] : memref<{M}x{K}x{element}> -> {ta}
  %tb = xetile.init_tile %b[0, {WIDE - N}] : memref<{K}x{WIDE}x{element}> -> {tb}
  %tc = xetile.init_tile %c[0, 0] : memref<{M}x{N}x{sum}> -> {tc}
  %x = xetile.load_tile %ta : {ta} -> vector<{M}x{K}x{element}>
  %y = xetile.load_tile %tb : {tb} -> vector<{K}x{N}x{element}>
  %z = xetile.load_tile %tc : {tc} -> vector<{M}x{N}x{sum}>
  {factor}
  %d = xetile.tile_mma %x, {"%n" if negate else "%y"}, %z
    : vector<{M}x{K}x{element}>, vector<{K}x{N}x{element}>, vector<{M}x{N}x{sum}> -> vector<{M}x{N}x{sum}>
  xetile.store_tile %d, %tc : vector<{M}x{N}x{sum}>, {tc}
  gpu.return
}}
}}""",
        name="k.mlir",
    )


def data(element: str) -> list[Array]:
    random = numpy.random.default_rng(3)
    if element == "i8":
        a, b = (random.integers(-128, 128, shape) for shape in ((M, K), (K, WIDE)))
        c = random.integers(-(2**30), 2**30, (M, N)).astype(numpy.int32)
    else:
        a, b = (random.standard_normal(shape) for shape in ((M, K), (K, WIDE)))
        c = random.standard_normal((M, N)).astype(numpy.float32)
    return [a.astype(DTYPES[element]), b.astype(DTYPES[element]), c]


def executed(module: ModuleOp, element: str, place: Place = ON_NUMPY) -> Array:
    a, b, c = data(element)
    place.execute(module, "f", [a, b, c])
    return c


def expected(element: str) -> Array:
    """For k ascending one rank-1 update, the product exact and one rounding per step."""
    a, b, c = data(element)
    wide = numpy.int64 if element == "i8" else numpy.float64
    for k in range(K):
        c = (
            c.astype(wide) + numpy.outer(a[:, k].astype(wide), b[k, WIDE - N :].astype(wide))
        ).astype(c.dtype)
    return c


MAPS: dict[str, tuple[Map, Map]] = {
    "A in 2, B in 1": (([4, 1], [8, 32]), ([4, 1], [64, 32])),
    "A in 1, B in 2": (([1, 2], [32, 64]), ([1, 2], [32, 16])),
    "A in 2, B in 1, several rounds": (([2, 1], [8, 32]), ([2, 1], [64, 16])),
    "A in 1, B in 2, several rounds": (([1, 2], [16, 64]), ([1, 2], [32, 16])),
    "one subgroup, A in 2, B in 1": (([1, 1], [16, 32]), ([1, 1], [64, 32])),
    "one subgroup, A in 1, B in 2": (([1, 1], [32, 64]), ([1, 1], [32, 16])),
}


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("name", MAPS)
def test_every_level_gives_the_same_bits(name: str, element: str, place: Place) -> None:
    maps = MAPS[name]
    bits = expected(element).tobytes()
    assert executed(kernel(element, *maps), element).tobytes() == bits
    for level in place.levels(ALL):
        module = kernel(element, *maps)
        lower(context(), module, level, "bmg")
        module.verify()
        assert executed(module, element, place).tobytes() == bits, f"level {level} differs"


SMALL: dict[str, tuple[Map, Map]] = {
    "A in 4, B in 1": (([4, 1], [8, 16]), ([4, 1], [64, 32])),
    "A in 1, B in 4": (([1, 2], [32, 64]), ([1, 2], [16, 16])),
    "A in 4, B in 2": (([1, 1], [32, 16]), ([1, 1], [32, 32])),
    "A in 2, B in 4": (([1, 1], [32, 32]), ([1, 1], [16, 32])),
}


@pytest.mark.parametrize(("element", "negate"), [("bf16", False), ("f16", True)])
@pytest.mark.parametrize("name", SMALL)
def test_units_of_one_instruction(name: str, element: str, negate: bool, place: Place) -> None:
    maps = SMALL[name]
    bits = executed(kernel(element, *maps, negate=negate), element).tobytes()
    for level in place.levels(ALL):
        module = kernel(element, *maps, negate=negate)
        lower(context(), module, level, "bmg")
        assert executed(module, element, place).tobytes() == bits, f"level {level} differs"


@pytest.mark.parametrize(("unit_a", "unit_b"), list(product((8, 16, 32, 64), repeat=2)))
@pytest.mark.parametrize("layout", [[1, 1], [2, 1], [1, 2]])
def test_all_units_are_taken_or_refused(layout: list[int], unit_a: int, unit_b: int) -> None:
    """Every subgroup holds all of K: where several share it, it is one unit."""
    a: Map = (layout, [M // layout[0], unit_a])
    b: Map = (layout, [unit_b, N // layout[1]])
    legal = (layout[1] == 1 or unit_a == K) and (layout[0] == 1 or unit_b == K)
    for level in ("subgroup", "blocked"):
        module = kernel("i8", a, b)
        if not legal:
            with pytest.raises(XetileError, match=f"K = {K} is spread over 2 subgroups"):
                lower(context(), module, level, "bmg")
            continue
        lower(context(), module, level, "bmg")
        assert executed(module, "i8").tobytes() == expected("i8").tobytes()


@pytest.mark.parametrize("device", ["pvc", "bmg", "lnl", "ptl", "cri"])
def test_every_device(device: str) -> None:
    module = kernel("bf16", *SMALL["A in 4, B in 1"])
    lower(context(), module, "xegpu", device)
    assert executed(module, "bf16").tobytes() == expected("bf16").tobytes()


def test_units_that_no_instruction_divides(place: Place) -> None:
    """16 of i8, of which an instruction takes 32: the rest are zeros."""
    for level in place.levels(ALL):
        module = kernel("i8", *SMALL["A in 4, B in 1"])
        lower(context(), module, level, "bmg")
        found = executed(module, "i8", place)
        assert found.tobytes() == expected("i8").tobytes(), f"level {level} differs"


def sliced(element: str, row: int) -> ModuleOp:
    """C = A * B of rows of B that begin at `row`, in a kernel at subgroup level."""
    sum = "i32" if element == "i8" else "f32"
    depth = 32 if element == "i8" else 16
    return api.parse(
        f"""gpu.module @m {{
gpu.func @f(%a: memref<{M}x{K}x{element}>, %b: memref<{K}x{WIDE}x{element}>, %c: memref<{M}x{N}x{sum}>) kernel
    attributes {{known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{
  %ta = xetile.init_tile %a[0, 0] : memref<{M}x{K}x{element}> -> !xetile.tile<{M}x{depth}x{element}>
  %tb = xetile.init_tile %b[0, 0] : memref<{K}x{WIDE}x{element}> -> !xetile.tile<{K}x{N}x{element}>
  %tc = xetile.init_tile %c[0, 0] : memref<{M}x{N}x{sum}> -> !xetile.tile<{M}x{N}x{sum}>
  %x = xetile.load_tile %ta : !xetile.tile<{M}x{depth}x{element}> -> vector<{M}x{depth}x{element}>
  %y = xetile.load_tile %tb : !xetile.tile<{K}x{N}x{element}> -> vector<{K}x{N}x{element}>
  %s = vector.extract_strided_slice %y {{offsets = [{row}], sizes = [{depth}], strides = [1]}}
    : vector<{K}x{N}x{element}> to vector<{depth}x{N}x{element}>
  %d = xetile.tile_mma %x, %s
    : vector<{M}x{depth}x{element}>, vector<{depth}x{N}x{element}> -> vector<{M}x{N}x{sum}>
  xetile.store_tile %d, %tc : vector<{M}x{N}x{sum}>, !xetile.tile<{M}x{N}x{sum}>
  gpu.return
}}
}}""",
        name="k.mlir",
    )


@pytest.mark.parametrize("row", [0, 3, 8, 20, 32])
@pytest.mark.parametrize("element", ["f16", "i8"])
def test_a_slice_may_begin_anywhere_in_b(element: str, row: int, place: Place) -> None:
    """Between the rows that one instruction takes B stays packed; else blocks are put together, down to XeGPU."""
    whole = row in (0, 32)
    bits = executed(sliced(element, row), element).tobytes()
    for level in place.levels(ALL if whole else ALL[:3]):
        module = sliced(element, row)
        lower(context(), module, level, "bmg")
        packed = any(
            "packed" in op.properties for op in module.walk() if op.name == "xegpu.load_nd"
        )
        assert packed == (level == "xegpu" and whole)
        assert executed(module, element, place).tobytes() == bits, f"level {level} differs"
