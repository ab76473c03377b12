"""What stands around tiles in a kernel: arithmetic, constants, masks, control flow, sources of all forms.

Subgroup and blocked level give the results that numpy gives.
"""

from typing import Any

import ml_dtypes
import numpy
import pytest
from support.subgroup import (
    FLOATS,
    INTEGERS,
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
    random,
    small,
    store,
    tile,
    turned,
    vector,
    window,
)


def _toward_zero(x: Array, y: Array) -> Array:
    return (abs(x.astype(numpy.int64)) // y * numpy.sign(x)).astype(x.dtype)


def _unsigned_minimum(x: Array, y: Array) -> Array:
    kind = numpy.dtype(f"u{x.dtype.name}")
    return numpy.minimum(x.view(kind), y.view(kind))


FLOAT_OPS: dict[str, Any] = {
    "addf": numpy.add,
    "subf": numpy.subtract,
    "mulf": numpy.multiply,
    "divf": numpy.divide,
    "maximumf": numpy.maximum,
    "minnumf": numpy.minimum,
}
INTEGER_OPS: dict[str, Any] = {
    "addi": numpy.add,
    "subi": numpy.subtract,
    "muli": numpy.multiply,
    "divsi": _toward_zero,
    "andi": numpy.bitwise_and,
    "ori": numpy.bitwise_or,
    "xori": numpy.bitwise_xor,
    "maxsi": numpy.maximum,
    "minui": _unsigned_minimum,
}


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_arithmetic(element: str, shape: Shape) -> None:
    """Each op on a vector from row-major memory and one that was transposed, in other blocks."""
    operations = FLOAT_OPS if element in FLOATS else INTEGER_OPS
    x, y = random(element, shape), random(element, shape, 1)
    y = (
        (abs(y) + 1).astype(y.dtype)
        if element in FLOATS
        else (y & numpy.iinfo(y.dtype).max) | 1
    )
    other = turned(shape)
    a, b = given("A", x, element), given("B", numpy.ascontiguousarray(y.T), element)
    v = vector(shape, element)
    body = load("a", a, shape, element) + load("c", b, other, element)
    body += f"""
    %b = xetile.tile_transpose %c, [1, 0] : {vector(other, element)} -> {v}"""
    outs: list[Argument] = []
    for name, operation in operations.items():
        values = numpy.asarray(operation(x, y)).view(x.dtype)
        outs.append(made(name.upper(), values, element))
        body += f"""
    %{name} = arith.{name} %a, %b : {v}""" + store(name, outs[-1], shape, element)
    check(body, a, b, *outs, layouts={shape: LAYOUTS[shape], other: turned(LAYOUTS[shape])})


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_comparisons_selections_and_conversions(element: str, shape: Shape) -> None:
    x, y = random(element, shape), random(element, shape, 1)
    a, b = given("A", x, element), given("B", y, element)
    v, bits = vector(shape, element), vector(shape, "i1")
    is_float = element in FLOATS
    compare = "arith.cmpf olt" if is_float else "arith.cmpi slt"
    c, m = made("C", numpy.where(x < y, x, y), element), made("M", x < y, "i1")
    wide = {"f16": "f32", "bf16": "f32", "f32": "f64", "i8": "i32", "i32": "i64"}[element]
    types = {"f64": numpy.float64, "i64": numpy.int64} | NUMPY
    d = made("D", x.astype(types[wide]), wide)
    e = made("E", (x.astype(types[wide]) * types[wide](3)).astype(x.dtype), element)
    extend, truncate, times = (
        ("extf", "truncf", "mulf") if is_float else ("extsi", "trunci", "muli")
    )
    w = vector(shape, wide)
    check(
        load("a", a, shape, element)
        + load("b", b, shape, element)
        + f"""
    %m = {compare}, %a, %b : {v}
    %c = arith.select %m, %a, %b : {bits}, {v}
    %d = arith.{extend} %a : {v} to {w}
    %three = arith.constant dense<{"3.0" if is_float else "3"}> : {w}
    %f = arith.{times} %d, %three : {w}
    %e = arith.{truncate} %f : {w} to {v}"""
        + store("c", c, shape, element)
        + store("m", m, shape, "i1")
        + store("d", d, shape, wide)
        + store("e", e, shape, element),
        a,
        b,
        c,
        m,
        d,
        e,
        layouts={shape: LAYOUTS[shape]},
    )


def dense(values: Array) -> str:
    if values.dtype == numpy.bool:
        return str(values.tolist()).lower()
    if values.dtype.kind in "iu":
        return str(values.tolist())
    return str(values.astype(numpy.float64).tolist())


@pytest.mark.parametrize("element", [*TYPES, "i1", "index"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_constants(element: str, shape: Shape) -> None:
    """Each block takes its own elements of a constant that is no splat."""
    values = random(element, shape)
    c = made("C", values, element)
    splat = numpy.full(shape, values[0, 0], values.dtype)
    d = made("D", splat, element)
    check(
        f"""
    %c = arith.constant dense<{dense(values)}> : {vector(shape, element)}
    %d = arith.constant dense<{dense(values[0, 0])}> : {vector(shape, element)}"""
        + store("c", c, shape, element)
        + store("d", d, shape, element),
        c,
        d,
        layouts={shape: LAYOUTS[shape]},
    )


@pytest.mark.parametrize("shape", [*SHAPES, (40, 48)], ids=str)
@pytest.mark.parametrize("bounds", [(0, 0), (-3, 5), (3, 17), (9, 1000), (1000, 40)], ids=str)
def test_masks(shape: Shape, bounds: tuple[int, int]) -> None:
    """Bounds that are reached in the first block, in a later one, in none, or are negative."""
    values, (rows, columns) = random("f32", shape), bounds
    i, j = numpy.indices(shape)
    inside = (i < rows) & (j < columns)
    fixed = (i < min(max(rows, 0), shape[0])) & (j < min(max(columns, 0), shape[1]))
    a, c = (
        given("A", values, "f32"),
        made("C", numpy.where(inside, values, numpy.float32(2.5)), "f32"),
    )
    m, n = made("M", inside, "i1"), made("N", fixed, "i1")
    sizes = [min(max(b, 0), s) for b, s in zip(bounds, shape, strict=True)]
    if 0 in sizes:
        sizes = [0, 0]
    v, bits = vector(shape, "f32"), vector(shape, "i1")
    check(
        load("a", a, shape, "f32")
        + f"""
    %h = arith.constant {rows} : index
    %w = arith.constant {columns} : index
    %other = arith.constant 2.5 : f32
    %otherwise = vector.broadcast %other : f32 to {v}
    %m = vector.create_mask %h, %w : {bits}
    %n = vector.constant_mask {sizes} : {bits}
    %c = arith.select %m, %a, %otherwise : {bits}, {v}"""
        + store("c", c, shape, "f32")
        + store("m", m, shape, "i1")
        + store("n", n, shape, "i1"),
        a,
        c,
        m,
        n,
        layouts={shape: LAYOUTS.get(shape, (5, 3))},
    )


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_vectors_of_other_dialects(element: str, shape: Shape) -> None:
    """Ops that know no blocks work on whole vectors: broadcasts of rows, transposes, loads of the vector dialect."""
    x, row = random(element, shape), random(element, (1, shape[1]), 1)
    other = turned(shape)
    a, b = given("A", x, element), given("B", row, element)
    c = made("C", numpy.where(True, row.repeat(shape[0], 0), x), element)
    d = made("D", numpy.ascontiguousarray(x.T), element)
    e = made("E", numpy.full(shape, x[0, 0]), element)
    v, line = vector(shape, element), vector((shape[1],), element)
    check(
        load("a", a, shape, element)
        + f"""
    %c0 = arith.constant 0 : index
    %row = vector.load %B[%c0, %c0] : {b.type}, {line}
    %c = vector.broadcast %row : {line} to {v}
    %d = vector.transpose %a, [1, 0] : {v} to {vector(other, element)}
    %one = vector.extract %a[0, 0] : {element} from {v}
    %e = vector.broadcast %one : {element} to {v}"""
        + store("c", c, shape, element)
        + store("d", d, other, element)
        + store("e", e, shape, element),
        a,
        b,
        c,
        d,
        e,
    )


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("shape", [(16, 32), (24, 19), (1, 16)], ids=str)
def test_loops_and_branches(element: str, shape: Shape) -> None:
    """Loops carry tiles, sums, and a vector that changes places with another one in other blocks."""
    matrix = small(element, (3 * shape[0], shape[1]))
    plus = "addf" if element in FLOATS else "addi"
    parts = [window(matrix, n * shape[0], 0, shape) for n in range(3)]
    total = (parts[0] + parts[1] + parts[2]).astype(matrix.dtype)
    a, c, d = (
        given("A", matrix, element),
        made("C", total, element),
        made("D", parts[1], element),
    )
    t, v = tile(shape, element), vector(shape, element)
    kinds = f"({t}, {v}, {v}, {v}, index)"
    exchanged = vector(turned(shape), element)
    check(
        f"""
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant dense<{"0.0" if element in FLOATS else "0"}> : {v}
    %first = xetile.init_tile %A[0, 0] : {a.type} -> {t}
    %r:5 = scf.for %i = %c0 to %c3 step %c1
        iter_args(%t = %first, %sum = %zero, %x = %zero, %y = %zero, %n = %c0) -> {kinds} {{
      %now = xetile.load_tile %t : {t} -> {v}
      %next = xetile.update_tile_offset %t, [{shape[0]}, 0] : {t}
      %one = arith.cmpi eq, %n, %c1 : index
      %new = scf.if %one -> ({v}) {{
        %u = xetile.tile_transpose %now, [1, 0] : {v} -> {exchanged}
        %w = xetile.tile_transpose %u, [1, 0] : {exchanged} -> {v}
        scf.yield %w : {v}
      }} else {{
        scf.yield %x : {v}
      }}
      %s = arith.{plus} %sum, %now : {v}
      %m = arith.addi %n, %c1 : index
      scf.yield %next, %s, %y, %new, %m : {t}, {v}, {v}, {v}, index
    }}
    %last:2 = scf.while (%p = %r#3, %q = %r#2, %n = %c0) : ({v}, {v}, index) -> ({v}, index) {{
      %more = arith.cmpi ult, %n, %c1 : index
      scf.condition(%more) %q, %n : {v}, index
    }} do {{
    ^bb0(%q: {v}, %n: index):
      %m = arith.addi %n, %c1 : index
      scf.yield %q, %q, %m : {v}, {v}, index
    }}"""
        + store("r#1", c, shape, element).replace("%to_r#1", "%to_r")
        + store("last#0", d, shape, element).replace("%to_last#0", "%to_last"),
        a,
        c,
        d,
    )


@pytest.mark.parametrize("choice", [0, 2, 7])
def test_a_switch_and_a_region_that_is_run_in_place(choice: int) -> None:
    shape = (16, 32)
    x = random("f32", shape)
    values = {0: x + x, 2: x * x}.get(choice, x)
    a, c, v = given("A", x, "f32"), made("C", values, "f32"), vector(shape, "f32")
    check(
        load("a", a, shape, "f32")
        + f"""
    %n = arith.constant {choice} : index
    %r = scf.index_switch %n -> {v}
    case 0 {{
      %s = arith.addf %a, %a : {v}
      scf.yield %s : {v}
    }}
    case 2 {{
      %p = scf.execute_region -> {v} {{
        %q = arith.mulf %a, %a : {v}
        scf.yield %q : {v}
      }}
      scf.yield %p : {v}
    }}
    default {{
      scf.yield %a : {v}
    }}"""
        + store("r", c, shape, "f32"),
        a,
        c,
    )


def test_one_value_in_many_blocks() -> None:
    """A loaded tile is operand A, operand B, reduced, transposed, scattered and stored: each gets its own blocks."""
    n = 48
    x = small("f16", (n, n))
    wide = x.astype(numpy.float32)
    a = given("A", x, "f16")
    sums = wide.sum(axis=1, keepdims=True).astype(numpy.float16)
    c, d = made("C", wide @ wide, "f32"), made("D", numpy.ascontiguousarray(x.T), "f16")
    e, f = made("E", x, "f16"), made("F", (x + sums).astype(numpy.float16), "f16")
    g = made("G", x.reshape(-1), "f16")
    v, s = vector((n, n), "f16"), tile((n, n), "f16", "scattered = true")
    order = numpy.arange(n * n).reshape(n, n)
    check(
        load("x", a, (n, n), "f16")
        + f"""
    %y = xetile.tile_mma %x, %x : {v}, {v} -> {vector((n, n), "f32")}
    %t = xetile.tile_transpose %x, [1, 0] : {v} -> {v}
    %s = xetile.tile_reduce <add>, %x [1] : {v} -> {vector((n, 1), "f16")}
    %b = xetile.tile_broadcast %s [1] : {vector((n, 1), "f16")} -> {v}
    %z = arith.addf %x, %b : {v}
    %i = arith.constant dense<{order.tolist()}> : {vector((n, n), "index")}
    %on = arith.constant dense<true> : {vector((n, n), "i1")}
    %u = xetile.init_tile %G, %i : {g.type}, {vector((n, n), "index")} -> {s}
    xetile.store_scatter %x, %u, %on : {v}, {s}, {vector((n, n), "i1")}"""
        + store("y", c, (n, n), "f32")
        + store("t", d, (n, n), "f16")
        + store("x", e, (n, n), "f16")
        + store("z", f, (n, n), "f16"),
        a,
        c,
        d,
        e,
        f,
        g,
    )


@pytest.mark.parametrize("element", INTEGERS)
def test_batches_and_dynamic_sources(element: str) -> None:
    """The leading offset of a batch, and a memref whose sizes and strides are values."""
    shape = (24, 19)
    batch = random(element, (3, 30, 40))
    a = given("A", batch, element)
    b = Argument("B", f"memref<?x?x{element}>", batch[1].copy(), batch[1])
    c, d = (
        made("C", window(batch[2], 8, 30, shape), element),
        made("D", window(batch[1], -1, 9, shape), element),
    )
    t, v = tile(shape, element), vector(shape, element)
    check(
        f"""
    %c2 = arith.constant 2 : index
    %h = arith.constant 30 : index
    %w = arith.constant 40 : index
    %t = xetile.init_tile %A[%c2, 8, 30] : {a.type} -> {t}
    %c = xetile.load_tile %t : {t} -> {v}
    %u = xetile.init_tile %B[-1, 9], [%h, %w], [%w, 1] : {b.type} -> {t}
    %d = xetile.load_tile %u : {t} -> {v}"""
        + store("c", c, shape, element)
        + store("d", d, shape, element),
        a,
        b,
        c,
        d,
    )


def test_bf16_rounds_at_every_op() -> None:
    """What a wider type would keep is lost between two ops at both levels."""
    x = numpy.full((8, 16), 256, ml_dtypes.bfloat16)
    a, c = given("A", x, "bf16"), made("C", numpy.zeros_like(x), "bf16")
    v = vector((8, 16), "bf16")
    check(
        load("a", a, (8, 16), "bf16")
        + f"""
    %one = arith.constant dense<1.0> : {v}
    %b = arith.addf %a, %one : {v}
    %c = arith.subf %b, %a : {v}"""
        + store("c", c, (8, 16), "bf16"),
        a,
        c,
    )
