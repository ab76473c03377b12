"""`xetile-wg-to-sg`, op by op: a workgroup's program and its subgroups' programs leave the same bits in memory."""

from collections.abc import Sequence
from copy import copy
from typing import Any

import ml_dtypes
import numpy
import pytest
from numpy.typing import NDArray

from xetile.interpreter import execute
from xetile.parser import context, parse
from xetile.passes.pipelines import lower

Array = NDArray[Any]
Map = tuple[tuple[int, int], tuple[int, int]]
"""sg_layout and sg_data."""

TYPES: dict[str, Any] = {
    "f16": numpy.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": numpy.float32,
    "i8": numpy.int8,
    "i32": numpy.int32,
}
FLOATS = ("f16", "bf16", "f32")
ROUNDOFF = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24}


def random_array(shape: Sequence[int], type: str, seed: int = 0) -> Array:
    random = numpy.random.default_rng([seed, *shape])
    if type in FLOATS:
        return random.standard_normal(shape).astype(TYPES[type])
    return random.integers(-128, 128, shape).astype(TYPES[type])


def wg_map(map: Map) -> str:
    layout, data = map
    return f"#xetile.wg_map<sg_layout = {list(layout)}, sg_data = {list(data)}>"


def tile(shape: Sequence[int], type: str, map: Map | None = None, more: str = "") -> str:
    attributes = [more] if more else []
    if map is not None:
        attributes.insert(0, f"wg_map = {wg_map(map)}")
    return f"!xetile.tile<{shape[0]}x{shape[1]}x{type}, #xetile.tile_attr<{', '.join(attributes)}>>"


def memref(shape: Sequence[int], type: str) -> str:
    return f"memref<{'x'.join(map(str, shape))}x{type}>"


def vector(shape: Sequence[int], type: str) -> str:
    return f"vector<{'x'.join(map(str, shape))}x{type}>"


def kernel(arguments: Sequence[str], subgroups: int, body: str, grid: int = 1) -> str:
    return f"""
    gpu.module @m {{
      gpu.func @k({", ".join(arguments)}) kernel
          attributes {{known_block_size = array<i32: {16 * subgroups}, 1, 1>, known_grid_size = array<i32: {grid}, 1, 1>}} {{
        {body}
        gpu.return
      }}
    }}"""


def load(name: str, source: str, from_: str, shape: Sequence[int], type: str, map: Map) -> str:
    """Load `%name` from offset (0, 0) of the memref `source`."""
    of = tile(shape, type, map)
    return f"""
        %t_{name} = xetile.init_tile %{source}[0, 0] : {from_} -> {of}
        %{name} = xetile.load_tile %t_{name} : {of} -> {vector(shape, type)}"""


def store(name: str, target: str, to: str, shape: Sequence[int], type: str, map: Map) -> str:
    """Store `%name` at offset (0, 0) of the memref `target`."""
    of = tile(shape, type, map)
    return f"""
        %s_{name} = xetile.init_tile %{target}[0, 0] : {to} -> {of}
        xetile.store_tile %{name}, %s_{name} : {vector(shape, type)}, {of}"""


def executed(text: str, arrays: Sequence[Any], level: Any) -> list[Any]:
    module = parse(text)
    if level is not None:
        lower(context(), module, level, "bmg")
        module.verify()
    copies: list[Any] = [copy(a) for a in arrays]
    execute(module, "k", copies)
    return copies


def same_at_subgroup_level(text: str, arrays: Sequence[Any]) -> list[Any]:
    """Every array has the same bits after W and after S; returns them."""
    expected, found = (executed(text, arrays, level) for level in (None, "subgroup"))
    for left, right in zip(expected, found, strict=True):
        if isinstance(left, numpy.ndarray):
            assert left.tobytes() == right.tobytes()
    return found


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
]


def is_shared(shape: Sequence[int], map: Map) -> bool:
    layout, data = map
    return any(n // d < g for n, d, g in zip(shape, data, layout, strict=True))


def stored_map(shape: Sequence[int], map: Map) -> Map:
    """The map itself, or where it shares units one with the same subgroups that does not."""
    if not is_shared(shape, map):
        return map
    subgroups = map[0][0] * map[0][1]
    layout = next(
        (rows, subgroups // rows)
        for rows in range(subgroups, 0, -1)
        if subgroups % rows == 0 and shape[0] % rows == 0 and shape[1] % (subgroups // rows) == 0
    )
    return layout, (shape[0] // layout[0], shape[1] // layout[1])


def convert_and_store(
    name: str, target: str, to: str, shape: Sequence[int], type: str, map: Map
) -> str:
    """Store `%name`, which has `map`, after a change of its map where its units are shared."""
    output = stored_map(shape, map)
    if output == map:
        return store(name, target, to, shape, type, map)
    return f"""
        %c_{name} = xetile.tile_conv_layout %{name} {{wg_map_result = {wg_map(output)}, wg_map_source = {wg_map(map)}}} : {vector(shape, type)}
    """ + store(f"c_{name}", target, to, shape, type, output)


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
    found = same_at_subgroup_level(text, [a, numpy.zeros_like(a)])
    assert found[1].tobytes() == a.tobytes()


TRANSPOSES: list[tuple[tuple[int, int], Map, Map]] = [
    ((64, 32), ((4, 2), (16, 16)), ((2, 4), (16, 16))),  # the RFC's derived map: data moves
    ((64, 32), ((8, 1), (8, 32)), ((1, 8), (32, 8))),  # in registers
    ((256, 32), ((32, 1), (64, 32)), ((8, 4), (32, 64))),  # the RFC's 2.3: in registers
    ((64, 32), ((4, 2), (8, 16)), ((4, 2), (8, 16))),  # rounds
    ((32, 32), ((1, 2), (8, 8)), ((2, 1), (8, 8))),  # rounds in registers
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
    found = same_at_subgroup_level(text, [a, numpy.zeros(turned, a.dtype)])
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
    ((16, 8), (0, 1), ((4, 2), (2, 2)), ((4, 2), (1, 1))),
    ((48, 96), (0,), ((3, 2), (8, 48)), ((1, 6), (1, 16))),
    ((48, 96), (1,), ((3, 2), (48, 96)), ((3, 2), (16, 1))),  # the source is shared
]


def exact(kind: str, values: Array, dims: tuple[int, ...]) -> Array:
    """The reduction of float64 values."""
    functions: dict[str, Any] = {"add": numpy.add, "mul": numpy.multiply}
    function = functions.get(kind) or (numpy.minimum if kind.startswith("min") else numpy.maximum)
    return function.reduce(values.astype(numpy.float64), axis=dims, keepdims=True)


def reduction_bound(kind: str, values: Array, dims: tuple[int, ...]) -> Array:
    """How far a sum or product in another order may be off: 2 g(n), see passes/wg_to_sg/reduce.py."""
    n = int(numpy.prod([values.shape[d] for d in dims]))
    u = ROUNDOFF[values.dtype.name]
    assert n * u < 1, "the bound says nothing of so many elements"
    return 2 * n * u / (1 - n * u) * exact(kind, abs(values), dims)


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize(("shape", "dims", "source", "result"), REDUCTIONS, ids=str)
def test_reduce(
    shape: tuple[int, int], dims: tuple[int, ...], source: Map, result: Map, type: str
) -> None:
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
        one_unit = all(shape[d] == source[1][d] for d in dims)
        if kind not in REORDERED or type not in FLOATS or one_unit:
            found = same_at_subgroup_level(text, arrays)[1]
        else:
            expected, found = (executed(text, arrays, level)[1] for level in (None, "subgroup"))
            difference = abs(expected.astype(numpy.float64) - found.astype(numpy.float64))
            assert (difference <= reduction_bound(kind, a, dims)).all()
        if type in FLOATS and kind not in REORDERED:
            wanted = numpy.broadcast_to(exact(kind, a, dims), shape).astype(a.dtype)
            assert found.tobytes() == wanted.tobytes()


def wide(map: Map, dims: tuple[int, ...], shape: Sequence[int]) -> Map:
    """The map of a broadcast whose source has `map`."""
    rows, columns = (shape[d] if d in dims else n for d, n in enumerate(map[1]))
    return map[0], (rows, columns)
