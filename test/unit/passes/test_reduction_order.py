"""Reductions of every length give the bits of the page's order at workgroup, subgroup, blocked and XeGPU level."""

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from support.reductions import (
    FLOAT_KINDS,
    INTEGER_KINDS,
    reduced,
    special,
    telling,
)
from support.spread import spread
from support.subgroup import (
    FLOATS,
    TYPES,
    Argument,
    Array,
    Shape,
    blocking,
    distributed,
    distribution,
    given,
    kernel,
    load,
    made,
    memref,
    pipeline,
    run,
    store,
    vector,
)
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import context
from xetile.dialects.upstream.arith import ConstantOp
from xetile.passes.pipelines import lower

LANES = 16
OTHERS = (24, 40, 48, 90)
"""Lengths of which other ways to halve give other sums."""


def xegpu(module: ModuleOp) -> None:
    lower(context(), module, "xegpu", "bmg")


def along(n: int, kind: str, element: str) -> tuple[str, list[Callable[[Array], Array]]]:
    """Reductions of n rows, of n columns, and of both, each stored as one row; with what each gives."""
    rows, columns, row = (n, LANES), (LANES, n), (1, LANES)
    v, t, r = (vector(shape, element) for shape in (rows, columns, row))
    one, column = vector((1, 1), element), vector((LANES, 1), element)
    body = f"""
    %t = xetile.tile_transpose %v, [1, 0] : {v} -> {t}
    %r0 = xetile.tile_reduce <{kind}>, %v [0] : {v} -> {r}
    %c1 = xetile.tile_reduce <{kind}>, %t [1] : {t} -> {column}
    %r1 = xetile.tile_transpose %c1, [1, 0] : {column} -> {r}
    %s2 = xetile.tile_reduce <{kind}>, %v [0, 1] : {v} -> {one}
    %r2 = xetile.tile_broadcast %s2 [0, 1] : {one} -> {r}
    %s3 = xetile.tile_reduce <{kind}>, %t [0, 1] : {t} -> {one}
    %r3 = xetile.tile_broadcast %s3 [0, 1] : {one} -> {r}"""

    def repeated(values: Array) -> Array:
        return numpy.ascontiguousarray(numpy.broadcast_to(values, row))

    return body, [
        lambda x: reduced(kind, x, [0]),
        lambda x: reduced(kind, x, [0]),
        lambda x: repeated(reduced(kind, x, [0, 1])),
        lambda x: repeated(reduced(kind, numpy.ascontiguousarray(x.T), [0, 1])),
    ]


def check(n: int, kind: str, element: str, values: Array) -> None:
    whole = numpy.zeros((96, 64), values.dtype)
    whole[:n, :LANES] = values
    a, rows = given("A", whole, element), (n, LANES)
    body, models = along(n, kind, element)
    text, outs = load("v", a, rows, element) + body, list[Argument]()
    for number, model in enumerate(models):
        after = numpy.zeros((8, 64), values.dtype)
        after[:1, :LANES] = model(values)
        out = made(f"C{number}", after, element)
        outs.append(out)
        text += store(f"r{number}", out, (1, LANES), element)
    arguments = [a, *outs]
    run(kernel(text, arguments), arguments)
    run(kernel(text, arguments), arguments, blocking)
    run(kernel(text, arguments), arguments, xegpu)
    if n not in OTHERS:
        return
    layouts: dict[Shape, Shape] = {rows: (1, 1), (1, LANES): (1, 1)}
    mapped = kernel(distributed(text, layouts), arguments)
    for passes in ([], [distribution], [pipeline], [xegpu]):
        run(mapped, arguments, *passes)


@pytest.mark.parametrize("n", [*range(1, 18), *range(18, 64, 3), 64, 90])
def test_sums_of_every_length(n: int) -> None:
    check(n, "add", "f32", telling("add", numpy.float32, (n, LANES), n))


KINDS = [(e, k) for e in TYPES for k in (FLOAT_KINDS if e in FLOATS else INTEGER_KINDS)]


@pytest.mark.parametrize("case, n", spread(KINDS, OTHERS), ids=str)
def test_every_kind_and_type(case: tuple[str, str], n: int) -> None:
    element, kind = case
    check(n, kind, element, telling(kind, TYPES[element], (n, LANES), n))


@pytest.mark.parametrize("kind", FLOAT_KINDS)
@pytest.mark.parametrize("element", FLOATS)
def test_zeros_infinities_and_nans(element: str, kind: str) -> None:
    for n in (3, 24):
        check(n, kind, element, special(TYPES[element], (n, LANES), n))


ACCUMULATED = """
    %c0 = arith.constant 0 : index
    %start = vector.load %S[%c0] : memref<16x{type}>, vector<16x{type}>
    %one = memref.load %S[%c0] : memref<16x{type}>
    %r = vector.multi_reduction <{kind}>, %v, %start [0] : {v} to vector<16x{type}>
    vector.store %r, %R[%c0] : memref<16x{type}>, vector<16x{type}>
    %q = vector.reduction <{kind}>, %r, %one : vector<16x{type}> into {type}
    memref.store %q, %Q[%c0] : memref<1x{type}>
    %a = vector.multi_reduction <{kind}>, %v, %one [0, 1] : {v} to {type}
    memref.store %a, %P[%c0] : memref<1x{type}>"""


@pytest.mark.parametrize("n", [1, 2, 3, 24, 40, 48, 64, 90])
@pytest.mark.parametrize("kind", FLOAT_KINDS)
def test_accumulators_are_combined_once_and_last(kind: str, n: int) -> None:
    """The vector dialect's own reductions in a kernel on tiles, at subgroup, blocked and XeGPU level."""
    values = numpy.zeros((96, 64), numpy.float32)
    values[:n, :LANES] = telling(kind, numpy.float32, (n, LANES), n)
    start = telling(kind, numpy.float32, (LANES,), 7)
    x = values[:n, :LANES]
    with_start: dict[str, Any] = {"R": last(kind, reduced(kind, x, [0])[0], start)}
    with_start["Q"] = last(kind, reduced(kind, with_start["R"], [0]), start[:1])
    with_start["P"] = last(kind, reduced(kind, x, [0, 1])[0], start[:1])
    a, s = given("A", values, "f32"), given("S", start, "f32")
    outs = [
        Argument(name, memref(v.shape, "f32"), numpy.zeros_like(v), v)
        for name, v in with_start.items()
    ]
    rows = (n, LANES)
    body = ACCUMULATED.format(type="f32", kind=kind, v=vector(rows, "f32"))
    text = kernel(load("v", a, rows, "f32") + body, [a, s, *outs])
    for passes in ([], [blocking], [xegpu]):
        run(text, [a, s, *outs], *passes)


def last(kind: str, values: Array, start: Array) -> Array:
    return reduced(kind, numpy.stack([values, start]), [0])[0]


@pytest.mark.parametrize("block", [(24, 16), (8, 48), (24, 48)], ids=str)
@pytest.mark.parametrize("dimensions", [(0,), (1,), (0, 1)], ids=str)
def test_blocks_of_no_power_of_two(dimensions: tuple[int, ...], block: Shape) -> None:
    """Blocks that somebody wrote by hand are put together: the joined index is halved elsewhere."""
    shape = (48, 96)
    values = telling("add", numpy.float32, shape)
    counts = [n // b for n, b in zip(shape, block, strict=True)]
    packed = vector((*counts, *block), "f32")
    left = [1 if d in dimensions else n for d, n in enumerate(counts)]
    right = [1 if d in dimensions else n for d, n in enumerate(block)]
    small = (left[0] * right[0], left[1] * right[1])
    r = vector((*left, *right), "f32")
    whole = reduced("add", values, dimensions)
    after = numpy.ascontiguousarray(numpy.broadcast_to(whole, shape))
    a, c = given("A", values, "f32"), made("C", after, "f32")
    v, s = vector(shape, "f32"), vector(small, "f32")
    body = (
        load("v", a, shape, "f32")
        + f"""
    %p = xetile.tile_pack %v {{inner_blocks = array<i64: {block[0]}, {block[1]}>}} : {v} -> {packed}
    %q = xetile.tile_reduce <add>, %p {[*dimensions, *(d + 2 for d in dimensions)]} : {packed} -> {r}
    %u = xetile.tile_unpack %q {{inner_blocks = array<i64: {right[0]}, {right[1]}>}} : {r} -> {s}
    %b = xetile.tile_broadcast %u {list(dimensions)} : {s} -> {v}"""
        + store("b", c, shape, "f32")
    )
    for passes in ([], [blocking], [xegpu]):
        run(kernel(body, [a, c]), [a, c], *passes)


def test_no_partial_sum_goes_through_an_accumulator() -> None:
    values = telling("add", numpy.float32, (64, 16))
    a, c = given("A", values, "f32"), made("C", reduced("add", values, [0]), "f32")
    v, r = vector((64, 16), "f32"), vector((1, 16), "f32")
    body = (
        load("v", a, (64, 16), "f32")
        + f"\n%r = xetile.tile_reduce <add>, %v [0] : {v} -> {r}"
        + store("r", c, (1, 16), "f32")
    )
    module = run(kernel(body, [a, c]), [a, c], xegpu)
    (reduction,) = [op for op in module.walk() if op.name == "vector.multi_reduction"]
    assert isinstance(reduction.operands[1].owner, ConstantOp)
