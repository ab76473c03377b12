"""Every op of the dialect for each element type that it takes: subgroup and blocked level give numpy's results.

Each kernel is run by one subgroup; what it shall do is computed here, element by element, without the project's code.
"""

from collections.abc import Sequence
from itertools import product

import numpy
import pytest
from support.reductions import KINDS, reduced
from support.subgroup import (
    FLOAT_KINDS,
    FLOATS,
    INTEGER_KINDS,
    LAYOUTS,
    NUMPY,
    SHAPES,
    TYPES,
    Argument,
    Array,
    Shape,
    check,
    given,
    load,
    made,
    memref,
    random,
    small,
    store,
    tile,
    turned,
    vector,
    window,
    written,
)

CORNERS = ((0, 0), (-3, 7), (9, -5), (0, 20), (-30, 5))


@pytest.mark.parametrize("element", [*TYPES, "i1", "index"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_load_and_store(element: str, shape: Shape) -> None:
    """Reads outside give zero, writes outside are dropped, above and below, left and right."""
    source, target = random(element, (26, 40)), random(element, (26, 40), 1)
    a, body, outs = given("A", source, element), "", list[Argument]()
    for number, (top, left) in enumerate(CORNERS):
        values = window(source, top, left, shape)
        c = Argument(
            f"C{number}", memref((26, 40), element), target, written(target, left, top, values)
        )
        outs.append(c)
        body += (
            load(f"v{number}", a, shape, element, top, left)
            + f"""
    %c{number} = xetile.init_tile %C{number}[{left}, {top}] : {c.type} -> {tile(shape, element)}
    xetile.prefetch_tile %c{number} : {tile(shape, element)}
    xetile.store_tile %v{number}, %c{number} : {vector(shape, element)}, {tile(shape, element)}"""
        )
    check(body, a, *outs, layouts={shape: LAYOUTS[shape]})


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_padding_that_is_not_zero(element: str, shape: Shape) -> None:
    source = random(element, (26, 40))
    text, padding = ("1.5", 1.5) if element in FLOATS else ("-7", -7)
    a, body, outs = given("A", source, element), "", list[Argument]()
    for number, (top, left) in enumerate(CORNERS):
        outs.append(made(f"C{number}", window(source, top, left, shape, padding), element))
        body += load(f"v{number}", a, shape, element, top, left)
        body += store(f"v{number}", outs[-1], shape, element)
    check(body.replace(" : !xetile.tile", f" {{padding = {text}}} : !xetile.tile"), a, *outs)


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_column_major_tiles_and_padded_pitches(element: str, shape: Shape) -> None:
    """Rows of A stand 5 elements apart from their end, C is stored by columns with a pitch of its own."""
    wide = random(element, (26, 45))
    a = Argument(
        "A", memref((26, 40), element, ", strided<[45, 1]>"), wide[:, :40], wide[:, :40]
    )
    column_major = numpy.zeros((shape[1], shape[0] + 6), wide.dtype).T
    filled = column_major.copy(order="F")
    values = window(a.before, 2, 9, shape)
    filled[: shape[0] + 3][3:] = values
    layout = f", strided<[1, {shape[0] + 6}]>"
    c = Argument("C", memref((shape[0] + 6, shape[1]), element, layout), column_major, filled)
    d = made("D", values, element)
    by_columns = tile(shape, element, "order = [0, 1]")
    check(
        load("v", a, shape, element, 2, 9)
        + f"""
    %t = xetile.init_tile %C[0, 0] : {c.type} -> {by_columns}
    %u = xetile.update_tile_offset %t, [3, 0] : {by_columns}
    xetile.store_tile %v, %u : {vector(shape, element)}, {by_columns}
    %w = xetile.load_tile %u : {by_columns} -> {vector(shape, element)}"""
        + store("w", d, shape, element),
        a,
        c,
        d,
        layouts={shape: LAYOUTS[shape]},
    )


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shared_memory_tiles(element: str, shape: Shape) -> None:
    source = random(element, shape)
    a, c = given("A", source, element), made("C", source, element)
    shared = tile(shape, element, "memory_space = 3")
    space = memref(shape, element, ", 3")
    check(
        load("v", a, shape, element)
        + f"""
    %s = memref.alloc() : {space}
    %t = xetile.init_tile %s[0, 0] : {space} -> {shared}
    xetile.store_tile %v, %t : {vector(shape, element)}, {shared}
    gpu.barrier
    %w = xetile.load_tile %t : {shared} -> {vector(shape, element)}"""
        + store("w", c, shape, element),
        a,
        c,
    )


@pytest.mark.parametrize("element", [*TYPES, "i1"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_tile_transpose(element: str, shape: Shape) -> None:
    source = random(element, shape)
    other = turned(shape)
    a, c = given("A", source, element), made("C", numpy.ascontiguousarray(source.T), element)
    check(
        load("v", a, shape, element)
        + f"""
    %r = xetile.tile_transpose %v, [1, 0] : {vector(shape, element)} -> {vector(other, element)}"""
        + store("r", c, other, element),
        a,
        c,
        layouts={shape: LAYOUTS[shape], other: turned(LAYOUTS[shape])},
    )


@pytest.mark.parametrize("element", [*TYPES, "i1"])
@pytest.mark.parametrize("dimensions", [(0,), (1,), (0, 1), ()], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_tile_broadcast(element: str, dimensions: tuple[int, ...], shape: Shape) -> None:
    narrow = (1 if 0 in dimensions else shape[0], 1 if 1 in dimensions else shape[1])
    source = random(element, narrow)
    values = numpy.array(
        [
            [source[i % narrow[0], j % narrow[1]] for j in range(shape[1])]
            for i in range(shape[0])
        ]
    )
    a, c = given("A", source, element), made("C", values.astype(NUMPY[element]), element)
    check(
        load("v", a, narrow, element)
        + f"""
    %r = xetile.tile_broadcast %v {list(dimensions)} : {vector(narrow, element)} -> {vector(shape, element)}"""
        + store("r", c, shape, element),
        a,
        c,
        layouts=along(dimensions, shape, narrow),
    )


def along(dimensions: Sequence[int], shape: Shape, narrow: Shape) -> dict[Shape, Shape] | None:
    """Subgroups beside one another that each have all of these dimensions."""
    if shape != (16, 32) or len(dimensions) == 2:
        return None
    layout = (1 if 0 in dimensions else 2, 1 if 1 in dimensions else 2)
    return {shape: layout, narrow: layout}


def exposing(kind: str, element: str, shape: Shape) -> Array:
    """Data with which zero, or any other wrong identity, would win or change the result."""
    values = random(element, shape)
    if element in FLOATS:
        values = numpy.where(values == 0, numpy.ones_like(values), values)
        if kind == "mul":
            values = (1 + values / 64).astype(values.dtype)
        elif kind.startswith("max"):
            values = -abs(values)
        elif kind.startswith("min"):
            values = abs(values)
        if "num" in kind or "imum" in kind:
            values[0, 0] = numpy.nan
        return values
    if kind in ("mul", "and"):
        return values | 1
    if kind in ("maxsi", "minui"):
        return values | numpy.iinfo(values.dtype).min
    return values & numpy.iinfo(values.dtype).max if kind == "minsi" else values


@pytest.mark.parametrize(
    ("element", "kind"),
    [(e, k) for e in TYPES for k in (FLOAT_KINDS if e in FLOATS else INTEGER_KINDS)],
)
def test_tile_reduce(element: str, kind: str) -> None:
    """All kinds along rows, columns and both, on sums that depend on their order."""
    cases = list(product(SHAPES, [(0,), (1,), (0, 1), ()]))
    for shape, dimensions in cases if kind == "add" else cases[::5]:
        source = exposing(kind, element, shape)
        values = reduced(kind, source, dimensions) if dimensions else source
        narrow = (values.shape[0], values.shape[1])
        a, c = given("A", source, element), made("C", values, element)
        check(
            load("v", a, shape, element)
            + f"""
    %r = xetile.tile_reduce <{kind}>, %v {list(dimensions)} : {vector(shape, element)} -> {vector(narrow, element)}"""
            + store("r", c, narrow, element),
            a,
            c,
            layouts=along(dimensions, shape, narrow),
        )


@pytest.mark.parametrize("element", ["f64", "tf32", "f8E4M3FN", "f8E5M2", "i16", "ui8"])
@pytest.mark.parametrize("largest", [True, False])
def test_types_beside_the_usual_ones(element: str, largest: bool) -> None:
    """Transposed and reduced; f8E4M3FN has no infinity that a maximum could begin with."""
    shape, sign = (24, 19), -1 if largest and element != "ui8" else 1
    source = (abs(small("i8", shape)) + 1) * sign
    kind = ("max" if largest else "min") + ("imumf" if element[0] in "ft" else "si")
    if element == "ui8":
        kind = kind.replace("si", "ui")
    values = source.astype(NUMPY[element])
    best = (source.max if largest else source.min)(axis=0, keepdims=True)
    a, c = given("A", values, element), made("C", best.astype(values.dtype).T, element)
    v, s = vector(shape, element), vector((1, 19), element)
    check(
        load("v", a, shape, element)
        + f"""
    %s = xetile.tile_reduce <{kind}>, %v [0] : {v} -> {s}
    %r = xetile.tile_transpose %s, [1, 0] : {s} -> {vector((19, 1), element)}"""
        + store("r", c, (19, 1), element),
        a,
        c,
    )


ATOMICS = {
    "addf": "add",
    "mulf": "mul",
    "maximumf": "maximumf",
    "maxnumf": "maxnumf",
    "minimumf": "minimumf",
    "minnumf": "minnumf",
    "addi": "add",
    "muli": "mul",
    "andi": "and",
    "ori": "or",
    "xori": "xor",
    "maxs": "maxsi",
    "maxu": "maxui",
    "mins": "minsi",
    "minu": "minui",
    "assign": None,
}


@pytest.mark.parametrize(
    ("element", "kind"),
    [
        (e, k)
        for e in TYPES
        for k in ATOMICS
        if k == "assign" or k.endswith("f") == (e in FLOATS)
    ],
)
def test_atomic_rmw_tile(element: str, kind: str) -> None:
    """Memory has the combination, the result what was there; outside nothing changes and the result is zero."""
    for shape, (top, left) in zip(SHAPES, CORNERS[1:], strict=True):
        memory, values = random(element, (26, 40)), random(element, shape, 1)
        old = window(memory, top, left, shape)
        combine = KINDS.get(ATOMICS[kind] or "", lambda x, y: y)
        after = written(memory, top, left, combine(old, values))
        a, c = given("A", values, element), made("C", old, element)
        m = Argument("M", memref((26, 40), element), memory, after)
        check(
            load("v", a, shape, element)
            + f"""
    %t = xetile.init_tile %M[{top}, {left}] : {m.type} -> {tile(shape, element)}
    %r = xetile.atomic_rmw_tile <{kind}> %v, %t : {vector(shape, element)}, {tile(shape, element)} -> {vector(shape, element)}"""
            + store("r", c, shape, element),
            a,
            m,
            c,
            layouts={shape: LAYOUTS[shape]},
        )


PRODUCTS = [
    ("f16", "f32"),
    ("f16", "f16"),
    ("bf16", "f32"),
    ("bf16", "bf16"),
    ("tf32", "f32"),
    ("f32", "f32"),
    ("i8", "i32"),
]


@pytest.mark.parametrize(("element", "accumulator"), PRODUCTS)
@pytest.mark.parametrize("size", [(16, 32, 32), (24, 19, 8), (1, 16, 56), (5, 1, 90)], ids=str)
@pytest.mark.parametrize("start", [True, False], ids=["with C", "without C"])
def test_tile_mma(
    element: str, accumulator: str, size: tuple[int, int, int], start: bool
) -> None:
    m, n, k = size
    a, b = (
        given("A", small(element, (m, k)), element),
        given("B", small(element, (k, n), 1), element),
    )
    c = given("C", small(accumulator, (m, n), 2), accumulator)
    exact = a.before.astype(numpy.int64) @ b.before.astype(numpy.int64)
    exact += c.before.astype(numpy.int64) * start
    d = made("D", exact.astype(NUMPY[accumulator]), accumulator)
    assert abs(exact).max() < 256 or accumulator != "bf16"
    types = [vector((m, k), element), vector((k, n), element)]
    operands, result = "%a, %b", vector((m, n), accumulator)
    if start:
        operands, types = operands + ", %c", [*types, result]
    check(
        load("a", a, (m, k), element)
        + load("b", b, (k, n), element)
        + load("c", c, (m, n), accumulator)
        + f"""
    %d = xetile.tile_mma {operands} : {", ".join(types)} -> {result}"""
        + store("d", d, (m, n), accumulator),
        a,
        b,
        c,
        d,
    )


def indices_with_outsiders(shape: Sequence[int]) -> Array:
    """Each index once, some far out of range, some negative."""
    count = int(numpy.prod(shape))
    order = numpy.random.default_rng(count).permutation(count + 9)[:count].astype(numpy.int64)
    order[::7] = -1 - order[::7]
    order[3::11] += 5000
    return order.reshape(shape)


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (8, 4)], ids=str)
def test_load_gather_and_store_scatter(element: str, shape: Shape) -> None:
    """Lanes that are masked off or out of range are padded when read and dropped when written."""
    count = shape[0] * shape[1]
    source, target = random(element, (count + 9,)), random(element, (count + 9,), 1)
    at, steps, mask = (
        indices_with_outsiders(shape),
        small("index", shape, 4),
        random("i1", shape, 2),
    )
    text, padding = ("2.0", 2) if element in FLOATS else ("-3", -3)
    values, after = numpy.full(shape, padding, NUMPY[element]), target.copy()
    for place in numpy.ndindex(*shape):
        moved = at[place] + steps[place]
        if mask[place] and 0 <= moved < len(source):
            values[place] = source[moved]
        if mask[place] and 0 <= at[place] < len(target):
            after[at[place]] = values[place]
    a, c = given("A", source, element), made("C", values, element)
    d = Argument("D", memref(target.shape, element), target, after)
    i, s, k = given("I", at, "index"), given("S", steps, "index"), given("K", mask, "i1")
    scattered, v = tile(shape, element, "scattered = true"), vector(shape, element)
    check(
        load("i", i, shape, "index")
        + load("s", s, shape, "index")
        + load("k", k, shape, "i1")
        + f"""
    %ta = xetile.init_tile %A, %i : {a.type}, {vector(shape, "index")} -> {scattered}
    %tb = xetile.update_tile_offset %ta, %s : {scattered}, {vector(shape, "index")}
    xetile.prefetch_tile %tb : {scattered}
    %g = xetile.load_gather %tb, %k {{padding = {text}}} : {scattered}, {vector(shape, "i1")} -> {v}
    %td = xetile.init_tile %D, %i : {d.type}, {vector(shape, "index")} -> {scattered}
    xetile.store_scatter %g, %td, %k : {v}, {scattered}, {vector(shape, "i1")}"""
        + store("g", c, shape, element),
        a,
        d,
        c,
        i,
        s,
        k,
        layouts={shape: LAYOUTS[shape]} if shape in LAYOUTS else None,
    )


@pytest.mark.parametrize("element", TYPES)
def test_scattered_tiles_of_rank_1(element: str) -> None:
    """They have no blocks, and stay as they are."""
    source = random(element, (48,))
    a, c = given("A", source, element), made("C", source[::-1].copy(), element)
    scattered = tile((48,), element, "scattered = true")
    reversed_ = f"dense<{list(range(47, -1, -1))}> : vector<48xindex>"
    check(
        f"""
    %i = vector.step : vector<48xindex>
    %j = arith.constant {reversed_}
    %on = arith.constant dense<true> : vector<48xi1>
    %t = xetile.init_tile %A, %i : {a.type}, vector<48xindex> -> {scattered}
    %u = xetile.init_tile %C, %j : {c.type}, vector<48xindex> -> {scattered}
    %v = xetile.load_gather %t, %on : {scattered}, vector<48xi1> -> vector<48x{element}>
    xetile.store_scatter %v, %u, %on : vector<48x{element}>, {scattered}, vector<48xi1>""",
        a,
        c,
    )
