"""`xetile-wg-to-sg` on ops that move data between subgroups: the same bits in memory before and after."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy
import pytest
from support.in_field import same_in_field
from support.reductions import bound
from support.spread import spread
from support.subgroup import FLOATS, TYPES, Array, memref, vector
from support.workgroup import (
    Map,
    convert_and_store,
    distributed,
    executed,
    kernel,
    load,
    random_array,
    same_at_subgroup_level,
    same_below,
    store,
    to_level,
    wg_map,
)
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import parse

CONVERSIONS: list[tuple[tuple[int, int], Map, Map]] = [
    ((64, 64), ((4, 2), (16, 32)), ((2, 4), (32, 16))),
    ((64, 64), ((4, 2), (16, 32)), ((8, 1), (8, 64))),
    ((64, 64), ((4, 2), (8, 16)), ((2, 4), (8, 16))),  # rounds on both sides
    ((64, 64), ((4, 2), (64, 32)), ((2, 4), (32, 16))),  # the source is shared
    ((64, 64), ((4, 2), (16, 32)), ((2, 4), (32, 64))),  # the result is shared
    ((64, 64), ((4, 2), (64, 64)), ((2, 4), (64, 64))),  # all of it everywhere
    ((48, 96), ((3, 2), (16, 48)), ((2, 3), (8, 16))),
    ((48, 96), ((3, 2), (48, 16)), ((6, 1), (8, 96))),
    ((32, 32), ((1, 1), (16, 8)), ((1, 1), (32, 32))),
    ((64, 64), ((4, 1), (16, 32)), ((4, 1), (16, 64))),  # put together in registers
    ((64, 64), ((2, 2), (32, 32)), ((2, 2), (32, 16))),  # other rounds: data moves
    ((48, 96), ((1, 2), (24, 48)), ((1, 2), (16, 48))),  # cut in registers across units
]


def in_bands(type: str) -> list[Callable[[ModuleOp], None]]:
    """Distributions with less shared memory than the values have, for one of the types."""
    return [distributed(limit) for limit in (1, 1024) if type == "f32"]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize(("shape", "source", "result"), CONVERSIONS, ids=str)
def test_conv_layout(shape: tuple[int, int], source: Map, result: Map, type: str) -> None:
    surface = (shape[0] - 3, shape[1] - 5)
    text = kernel(
        [f"%A: {memref(surface, type)}", f"%B: {memref(surface, type)}"],
        source[0][0] * source[0][1],
        load("v", "A", memref(surface, type), shape, type, source)
        + f"\n%r = xetile.tile_conv_layout %v {{wg_map_result = {wg_map(result)}}} : {vector(shape, type)}"
        + convert_and_store("r", "B", memref(surface, type), shape, type, result),
    )
    a = random_array(surface, type)
    arrays = [a, numpy.zeros_like(a)]
    found = same_below(text, arrays, to_level("subgroup"), distributed(), *in_bands(type))
    assert found[1].tobytes() == a.tobytes()


TRANSPOSES: list[tuple[tuple[int, int], Map, Map]] = [
    ((64, 32), ((4, 2), (16, 16)), ((2, 4), (16, 16))),  # the RFC's derived map: data moves
    ((64, 32), ((8, 1), (8, 32)), ((1, 8), (32, 8))),  # in registers
    ((256, 32), ((32, 1), (64, 32)), ((8, 4), (32, 64))),  # the RFC's 2.3: in registers
    ((64, 32), ((4, 2), (8, 16)), ((4, 2), (8, 16))),  # rounds
    ((32, 32), ((1, 2), (8, 8)), ((2, 1), (8, 8))),  # rounds in registers
    ((32, 16), ((1, 1), (8, 16)), ((1, 1), (16, 8))),  # one subgroup has everything
    ((48, 96), ((3, 2), (16, 16)), ((2, 3), (16, 16))),
    ((48, 96), ((3, 2), (8, 48)), ((6, 1), (16, 48))),
]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize(("shape", "source", "result"), TRANSPOSES, ids=str)
def test_transpose(shape: tuple[int, int], source: Map, result: Map, type: str) -> None:
    surface, turned = (shape[0] - 3, shape[1] - 5), shape[::-1]
    output = memref(turned, type)
    text = kernel(
        [f"%A: {memref(surface, type)}", f"%B: {output}"],
        source[0][0] * source[0][1],
        load("v", "A", memref(surface, type), shape, type, source)
        + f"""
        %r = xetile.tile_transpose %v, [1, 0] {{wg_map_result = {wg_map(result)}, wg_map_source = {wg_map(source)}}}
            : {vector(shape, type)} -> {vector(turned, type)}"""
        + convert_and_store("r", "B", output, turned, type, result),
    )
    a = random_array(surface, type)
    arrays = [a, numpy.zeros(turned, a.dtype)]
    found = same_below(text, arrays, to_level("subgroup"), distributed(), *in_bands(type))
    expected = numpy.zeros(shape, a.dtype)
    expected[: surface[0], : surface[1]] = a
    assert found[1].tobytes() == expected.T.tobytes()


BROADCASTS: list[tuple[tuple[int, int], tuple[int, ...], Map]] = [
    ((64, 64), (0,), ((4, 2), (16, 32))),
    ((64, 64), (1,), ((4, 2), (16, 32))),
    ((64, 64), (0, 1), ((4, 2), (16, 32))),
    ((64, 64), (0,), ((2, 2), (8, 16))),
    ((64, 64), (1,), ((2, 2), (8, 16))),
    ((64, 64), (1,), ((4, 2), (32, 16))),
    ((48, 96), (0,), ((3, 2), (8, 16))),
    ((48, 96), (1,), ((1, 6), (48, 16))),
]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize(("shape", "dims", "map"), BROADCASTS, ids=str)
def test_broadcast(shape: tuple[int, int], dims: tuple[int, ...], map: Map, type: str) -> None:
    small = tuple(1 if d in dims else n for d, n in enumerate(shape))
    data = tuple(1 if d in dims else n for d, n in enumerate(map[1]))
    text = kernel(
        [f"%A: {memref(small, type)}", f"%B: {memref(shape, type)}"],
        map[0][0] * map[0][1],
        load("v", "A", memref(small, type), small, type, (map[0], (data[0], data[1])))
        + f"""
        %r = xetile.tile_broadcast %v {list(dims)} {{wg_map_result = {wg_map(map)}}}
            : {vector(small, type)} -> {vector(shape, type)}"""
        + convert_and_store("r", "B", memref(shape, type), shape, type, map),
    )
    a = random_array(small, type)
    found = same_at_subgroup_level(text, [a, numpy.zeros(shape, a.dtype)])
    assert found[1].tobytes() == numpy.broadcast_to(a, shape).tobytes()


FLOAT_KINDS = ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf")
INTEGER_KINDS = ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor")
REORDERED = ("add", "mul")
"""Kinds that round, where the pass may change the order."""

REDUCTIONS: list[tuple[tuple[int, int], tuple[int, ...], Map, Map]] = [
    ((64, 32), (1,), ((8, 1), (8, 32)), ((8, 1), (8, 1))),  # the RFC's derived map
    ((64, 32), (1,), ((4, 1), (8, 8)), ((4, 1), (8, 1))),  # over a subgroup's units
    ((64, 64), (1,), ((2, 4), (16, 16)), ((8, 1), (8, 1))),  # over subgroups
    ((64, 64), (1,), ((4, 2), (16, 8)), ((4, 2), (16, 1))),  # over units and subgroups
    ((64, 64), (0,), ((4, 2), (8, 32)), ((1, 8), (1, 8))),
    (
        (24, 40),
        (0, 1),
        ((1, 1), (8, 8)),
        ((1, 1), (1, 1)),
    ),  # all of it over one subgroup's units
    ((64, 40), (1,), ((8, 1), (8, 8)), ((8, 1), (8, 1))),  # five units
    ((16, 96), (1,), ((2, 1), (8, 48)), ((2, 1), (8, 1))),  # units of no power of two
    ((16, 8), (0, 1), ((4, 2), (2, 2)), ((4, 2), (1, 1))),
    ((48, 96), (0,), ((3, 2), (8, 48)), ((1, 6), (1, 16))),
    ((48, 96), (1,), ((3, 2), (48, 96)), ((3, 2), (16, 1))),  # the source is shared
]


def exact(kind: str, values: Array, dims: tuple[int, ...]) -> Array:
    """The reduction of float64 values."""
    functions: dict[str, Any] = {"add": numpy.add, "mul": numpy.multiply}
    function = functions.get(kind) or (
        numpy.minimum if kind.startswith("min") else numpy.maximum
    )
    return function.reduce(values.astype(numpy.float64), axis=dims, keepdims=True)


def reduction_bound(kind: str, values: Array, dims: tuple[int, ...], source: Map) -> Array:
    """How far a sum or product that is formed across subgroups may be off, see passes/tiles/xetile_wg_to_sg/reduced_units.py."""
    depth = sum(_depth(values.shape[d]) for d in dims)
    cut = 0
    for d in dims:
        units = values.shape[d] // source[1][d]
        rounds = max(1, units // source[0][d])
        cut += _depth(source[1][d]) + _depth(rounds) + _depth(units // rounds)
    return bound(kind, values, dims, depth, cut)


def _depth(count: int) -> int:
    return (count - 1).bit_length()


def in_one_subgroup(extent: int, unit: int, subgroups: int) -> bool:
    """Whether each subgroup has all units along a dimension, of a power of two where they are several."""
    units = extent // unit
    return units == 1 or (subgroups == 1 and unit & (unit - 1) == 0)


@pytest.mark.parametrize("case, type", spread(REDUCTIONS, list(TYPES), times=2), ids=str)
def test_reduce(case: tuple[tuple[int, int], tuple[int, ...], Map, Map], type: str) -> None:
    shape, dims, source, result = case
    small = tuple(1 if d in dims else n for d, n in enumerate(shape))
    for kind in FLOAT_KINDS if type in FLOATS else INTEGER_KINDS:
        body = (
            load("v", "A", memref(shape, type), shape, type, source)
            + f"""
        %r = xetile.tile_reduce <{kind}>, %v {list(dims)} {{wg_map_result = {wg_map(result)}, wg_map_source = {wg_map(source)}}}
            : {vector(shape, type)} -> {vector(small, type)}
        %b = xetile.tile_broadcast %r {list(dims)} {{wg_map_result = {wg_map(wide(result, dims, shape))}}}
            : {vector(small, type)} -> {vector(shape, type)}"""
        )
        text = kernel(
            [f"%A: {memref(shape, type)}", f"%B: {memref(shape, type)}"],
            source[0][0] * source[0][1],
            body
            + convert_and_store(
                "b", "B", memref(shape, type), shape, type, wide(result, dims, shape)
            ),
        )
        a = random_array(shape, type, seed=3)
        if kind.startswith("max") and type in FLOATS:
            a = -abs(a)
        if kind == "mul" and type in FLOATS:
            a = (1 + a / 64).astype(a.dtype)
        arrays = [a, numpy.zeros(shape, a.dtype)]
        whole = all(in_one_subgroup(shape[d], source[1][d], source[0][d]) for d in dims)
        if kind not in REORDERED or type not in FLOATS or whole:
            found = same_at_subgroup_level(text, arrays)[1]
        else:
            expected = executed(text, arrays)[1]
            for lowered in (to_level("subgroup"), distributed()):
                found = executed(text, arrays, lowered)[1]
                difference = abs(expected.astype(numpy.float64) - found.astype(numpy.float64))
                assert (difference <= reduction_bound(kind, a, dims, source)).all()
                below = parse(text)
                lowered(below)
                same_in_field([parse(text), below], "k", arrays)
        if type in FLOATS and kind not in REORDERED:
            wanted = numpy.broadcast_to(exact(kind, a, dims), shape).astype(a.dtype)
            assert found.tobytes() == wanted.tobytes()


def wide(map: Map, dims: tuple[int, ...], shape: Sequence[int]) -> Map:
    """The map of a broadcast whose source has `map`."""
    rows, columns = (shape[d] if d in dims else n for d, n in enumerate(map[1]))
    return map[0], (rows, columns)


# Exchanges in control flow, and elements of all sizes.


@pytest.mark.parametrize("type", ["f16", "f32", "i8"])
def test_exchanges_in_a_loop_have_one_barrier_each(type: str) -> None:
    """Every iteration writes the buffers that the one before read, behind the barriers of the others."""
    shape, first, second = (32, 32), ((4, 1), (8, 32)), ((1, 4), (32, 8))
    add = "arith.addf" if type in FLOATS else "arith.addi"
    text = kernel(
        [f"%A: {memref(shape, type)}", f"%B: {memref(shape, type)}", "%n: index"],
        4,
        load("v", "A", memref(shape, type), shape, type, first)
        + f"""
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> ({vector(shape, type)}) {{
          %y = xetile.tile_conv_layout %x {{wg_map_result = {wg_map(second)}}} : {vector(shape, type)}
          %z = xetile.tile_transpose %y, [1, 0] {{wg_map_result = {wg_map(second)}, wg_map_source = {wg_map(second)}}}
              : {vector(shape, type)} -> {vector(shape, type)}
          %w = xetile.tile_conv_layout %z {{wg_map_result = {wg_map(first)}}} : {vector(shape, type)}
          %s = {add} %w, %x : {vector(shape, type)}
          scf.yield %s : {vector(shape, type)}
        }}"""
        + store("r", "B", memref(shape, type), shape, type, first),
    )
    a = random_array(shape, type)
    found = same_at_subgroup_level(text, [a, numpy.zeros_like(a), 3])
    expected = a
    for _ in range(3):
        expected = expected.T + expected
    assert found[1].tobytes() == expected.tobytes()
    module = parse(text)
    distributed()(module)
    assert [op.name for op in module.walk()].count("gpu.barrier") == 3


@pytest.mark.parametrize(
    "element", ["i1", "i4", "i16", "i64", "index", "f64", "f8E4M3FN", "tf32"]
)
def test_elements_of_all_sizes_change_owners(element: str) -> None:
    shape, first, second = (16, 32), ((4, 1), (4, 32)), ((1, 4), (16, 8))
    casts = {
        "i1": ("arith.trunci", "arith.extui", "i32"),
        "i4": ("arith.trunci", "arith.extui", "i32"),
        "i16": ("arith.trunci", "arith.extui", "i32"),
        "i64": ("arith.extsi", "arith.trunci", "i32"),
        "index": ("arith.index_cast", "arith.index_cast", "i32"),
        "f64": ("arith.extf", "arith.truncf", "f32"),
        "f8E4M3FN": ("arith.truncf", "arith.extf", "f32"),
        "tf32": ("arith.truncf", "arith.extf", "f32"),
    }
    into, back, type = casts[element]
    narrow, whole = vector(shape, element), vector(shape, type)
    text = kernel(
        [f"%A: {memref(shape, type)}", f"%B: {memref(shape, type)}"],
        4,
        load("v", "A", memref(shape, type), shape, type, first)
        + f"""
        %n = {into} %v : {whole} to {narrow}
        %c = xetile.tile_conv_layout %n {{wg_map_result = {wg_map(second)}}} : {narrow}
        %r = {back} %c : {narrow} to {whole}"""
        + store("r", "B", memref(shape, type), shape, type, second),
    )
    a = random_array(shape, type)
    found = same_at_subgroup_level(text, [a, numpy.zeros_like(a)])[1]
    assert len(numpy.unique(found)) > 1


def test_branches_and_while_loops_carry_distributed_values() -> None:
    shape, map, other = (24, 32), ((3, 2), (8, 16)), ((6, 1), (4, 32))
    v = vector(shape, "f32")
    text = kernel(
        [f"%A: {memref(shape, 'f32')}", f"%B: {memref(shape, 'f32')}", "%n: index"],
        6,
        load("v", "A", memref(shape, "f32"), shape, "f32", map)
        + f"""
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %two = arith.constant dense<2.0> : {v}
        %w:2 = scf.while (%i = %c0, %x = %v) : (index, {v}) -> (index, {v}) {{
          %more = arith.cmpi ult, %i, %n : index
          scf.condition(%more) %i, %x : index, {v}
        }} do {{
        ^bb0(%i: index, %x: {v}):
          %odd = arith.remui %i, %c2 : index
          %is = arith.cmpi eq, %odd, %c1 : index
          %y = scf.if %is -> ({v}) {{
            %m = arith.mulf %x, %two : {v}
            scf.yield %m : {v}
          }} else {{
            %c = xetile.tile_conv_layout %x {{wg_map_result = {wg_map(other)}}} : {v}
            %d = arith.addf %c, %c : {v}
            %e = arith.addf %d, %d : {v}
            %f = xetile.tile_conv_layout %e {{wg_map_result = {wg_map(map)}}} : {v}
            scf.yield %f : {v}
          }}
          %j = arith.addi %i, %c1 : index
          scf.yield %j, %y : index, {v}
        }}"""
        + f"\n%r = arith.negf %w#1 : {v}"
        + store("r", "B", memref(shape, "f32"), shape, "f32", map),
    )
    a = random_array(shape, "f32")
    found = same_at_subgroup_level(text, [a, numpy.zeros_like(a), 3])
    assert numpy.array_equal(found[1], -a * 32)


def test_two_exchanges_through_one_buffer_stay_two() -> None:
    """The second load of the same tile of the same buffer reads other data."""
    shape, first, second = (16, 32), ((4, 1), (4, 32)), ((1, 4), (16, 8))
    v = vector(shape, "f32")
    text = kernel(
        [f"%A: {memref(shape, 'f32')}", f"%B: {memref(shape, 'f32')}"],
        4,
        load("v", "A", memref(shape, "f32"), shape, "f32", first)
        + f"""
        %w = arith.mulf %v, %v : {v}
        %x = xetile.tile_conv_layout %v {{wg_map_result = {wg_map(second)}}} : {v}
        %y = xetile.tile_conv_layout %w {{wg_map_result = {wg_map(second)}}} : {v}
        %s = arith.subf %x, %y : {v}"""
        + store("s", "B", memref(shape, "f32"), shape, "f32", second),
    )
    a = random_array(shape, "f32")
    found = same_below(text, [a, numpy.zeros_like(a)], to_level("blocked"), distributed())
    assert numpy.array_equal(found[1], a - a * a)
