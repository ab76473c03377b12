"""Tiles of few columns, elements of 64 bits, products smaller than the instruction: the bits of subgroup level."""

import numpy
import pytest
from support.subgroup import TYPES, Array, Shape, given, kernel, memref, same, tile, vector

from xetile.dialects.modules import context, parse
from xetile.interpreter import execute
from xetile.passes.pipelines import lower

WIDE = {"f64": numpy.float64, "i64": numpy.int64}
KINDS = {**TYPES, **WIDE}


def numbers(shape: Shape, element: str, order: str = "") -> Array:
    values = numpy.random.default_rng(shape[0]).standard_normal(shape) * 50
    found = values.astype(KINDS[element])
    return numpy.asfortranarray(found) if order else found


def copied(shape: Shape, element: str, order: str = "") -> str:
    layout = ", strided<[1, 64]>" if order else ""
    source, type = f"memref<64x64x{element}{layout}>", tile(shape, element, order)
    add = "addi" if element.startswith("i") else "addf"
    return f"""
    gpu.module @m {{ gpu.func @k(%A: {source}, %C: {source}) kernel attributes {{known_block_size = array<i32: 16, 1, 1>,
        known_grid_size = array<i32: 1, 1, 1>}} {{
      %a = xetile.init_tile %A[8, 16] : {source} -> {type}
      %v = xetile.load_tile %a : {type} -> {vector(shape, element)}
      %w = arith.{add} %v, %v : {vector(shape, element)}
      %c = xetile.init_tile %C[8, 16] : {source} -> {type}
      xetile.store_tile %w, %c : {vector(shape, element)}, {type}
      gpu.return
    }} }}"""


def check_levels(text: str, *arrays: Array) -> None:
    results: list[list[Array]] = []
    for level in ("subgroup", "blocked", "xegpu"):
        module, found = parse(text), [array.copy(order="K") for array in arrays]
        lower(context(), module, level, "bmg")
        execute(module, "k", found)
        results.append(found)
    for found in results[1:]:
        assert all(map(same, found, results[0]))


@pytest.mark.parametrize(
    ("element", "shape"),
    [
        *((element, shape) for element in WIDE for shape in ((8, 16), (8, 2), (24, 40))),
        *(("f32", shape) for shape in ((8, 4), (4, 4), (8, 8), (1, 4), (24, 40), (3, 20))),
        *(("f16", shape) for shape in ((8, 8), (1, 16), (24, 40))),
        *(("i8", shape) for shape in ((8, 16), (4, 48))),
    ],
)
def test_copies(element: str, shape: Shape) -> None:
    values = numbers((64, 64), element)
    check_levels(copied(shape, element), values, numpy.zeros_like(values))


@pytest.mark.parametrize(
    ("element", "shape"),
    [
        *(("f32", shape) for shape in ((8, 16), (4, 8), (32, 32), (16, 24))),
        *(("f16", shape) for shape in ((8, 16), (16, 32))),
        *(("i8", shape) for shape in ((16, 16), (32, 48))),
    ],
)
def test_copies_of_column_major_tiles(element: str, shape: Shape) -> None:
    order = "order = [0, 1]"
    values = numbers((64, 64), element, order)
    check_levels(copied(shape, element, order), values, numpy.zeros_like(values, order="F"))


@pytest.mark.parametrize("element", ["f16", "bf16", "i8"])
@pytest.mark.parametrize(
    "size", [(8, 8, 16), (7, 24, 24), (33, 16, 8), (16, 40, 40), (9, 16, 9)]
)
def test_products(element: str, size: tuple[int, int, int]) -> None:
    """Sums that are zero keep their sign, and what overflows stays."""
    m, n, k = size
    total = "i32" if element == "i8" else "f32"
    a, b = numbers((64, 64), element), numbers((64, 64), element)
    c = numpy.zeros((64, 64), TYPES[total])
    if element != "i8":
        c[::2] = -0.0
        a[::3], b[:, 1] = 0, numpy.inf
    arguments = [given("a", a, element), given("b", b, element), given("c", c, total)]
    source, type = memref((64, 64), element), memref((64, 64), total)
    text = kernel(
        f"""
        %ta = xetile.init_tile %a[0, 0] : {source} -> {tile((m, k), element)}
        %tb = xetile.init_tile %b[0, 0] : {source} -> {tile((k, n), element)}
        %tc = xetile.init_tile %c[0, 0] : {type} -> {tile((m, n), total)}
        %va = xetile.load_tile %ta : {tile((m, k), element)} -> {vector((m, k), element)}
        %vb = xetile.load_tile %tb : {tile((k, n), element)} -> {vector((k, n), element)}
        %vc = xetile.load_tile %tc : {tile((m, n), total)} -> {vector((m, n), total)}
        %d = xetile.tile_mma %va, %vb, %vc : {vector((m, k), element)}, {vector((k, n), element)}, {vector((m, n), total)} -> {vector((m, n), total)}
        xetile.store_tile %d, %tc : {vector((m, n), total)}, {tile((m, n), total)}""",
        arguments,
    )
    check_levels(text, a, b, c)
