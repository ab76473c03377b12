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


def executed(text: str, arrays: Sequence[Any], level: Any, grid: Any = None) -> list[Any]:
    module = parse(text)
    if level is not None:
        lower(context(), module, level, "bmg")
        module.verify()
    copies: list[Any] = [copy(a) for a in arrays]
    execute(module, "k", copies, grid=grid, sanitize=True)
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


# Exchanges in control flow, and elements of all sizes.


@pytest.mark.parametrize("type", ["f16", "f32", "i8"])
def test_exchanges_in_a_loop_use_one_buffer(type: str) -> None:
    """Every iteration writes the buffers that the one before read."""
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
    lower(context(), module, "subgroup", None)
    assert [op.name for op in module.walk()].count("memref.alloc") == 1


@pytest.mark.parametrize("element", ["i1", "i4", "i16", "i64", "index", "f64", "f8E4M3FN", "tf32"])
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


# Scattered tiles, masks and what makes them.


def scattered(shape: Sequence[int], type: str, map: Map) -> str:
    return tile(shape, type, map, "scattered = true")


SCATTERED: list[tuple[tuple[int, int], Map]] = [
    ((16, 32), ((4, 1), (4, 32))),
    ((16, 32), ((2, 2), (4, 8))),
    ((12, 48), ((3, 2), (2, 24))),
]


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize(("shape", "map"), SCATTERED, ids=str)
def test_gathers_and_scatters(shape: tuple[int, int], map: Map, type: str) -> None:
    """Indices of every kind of origin, some outside of the memref, rows and columns masked, moved by vectors."""
    of, n = scattered(shape, type, map), 1000
    indices = vector(shape, "index")
    rows, columns = shape
    ramp = list(range(0, 2 * rows, 2))
    text = kernel(
        [f"%A: memref<{n}x{type}>", f"%B: memref<{n}x{type}>", "%h: index", "%w: index"],
        map[0][0] * map[0][1],
        f"""
        %c32 = arith.constant {columns + 1} : index
        %step = vector.step : vector<{columns}xindex>
        %line = vector.broadcast %step : vector<{columns}xindex> to {indices}
        %ramp = arith.constant dense<{ramp}> : vector<{rows}xindex>
        %column = vector.shape_cast %ramp {{wg_map = {wg_map((map[0], (map[1][0], 1)))}}} : vector<{rows}xindex> to vector<{rows}x1xindex>
        %down = vector.broadcast %column : vector<{rows}x1xindex> to {indices}
        %pitch = vector.broadcast %c32 : index to {indices}
        %far = arith.muli %down, %pitch : {indices}
        %at = arith.addi %far, %line : {indices}
        %t = xetile.init_tile %A, %at : memref<{n}x{type}>, {indices} -> {of}
        %mask = vector.create_mask %h, %w : {vector(shape, "i1")}
        %some = vector.constant_mask [{rows - 1}, {columns - 3}] : {vector(shape, "i1")}
        %both = arith.andi %mask, %some : {vector(shape, "i1")}
        %v = xetile.load_gather %t, %both {{padding = {"1.5 : f32" if type in FLOATS else "7 : i8"}}} : {of}, {vector(shape, "i1")} -> {vector(shape, type)}
        %u = xetile.init_tile %B, %at : memref<{n}x{type}>, {indices} -> {of}
        %moved = xetile.update_tile_offset %u, %pitch : {of}, {indices}
        xetile.store_scatter %v, %moved, %some : {vector(shape, type)}, {of}, {vector(shape, "i1")}
        """,
    )
    a = random_array((n,), type)
    for height, width in ((rows, columns), (rows // 2 + 1, 5), (0, 3), (-2, 4), (99, columns - 1)):
        found = same_at_subgroup_level(text, [a, numpy.zeros_like(a), height, width])[1]
        expected = numpy.zeros_like(a)
        for i in range(rows - 1):
            for j in range(columns - 3):
                index = 2 * i * (columns + 1) + j
                inside = i < height and j < width and index < n
                if index + columns + 1 < n:
                    expected[index + columns + 1] = (
                        a[index] if inside else (1.5 if type in FLOATS else 7)
                    )
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    "source", ["vector<32xf32>", "vector<1x32xf32>", "vector<16x1xf32>", "f32", "vector<1xf32>"]
)
def test_broadcasts_of_the_vector_dialect(source: str) -> None:
    shape, map = (16, 32), ((2, 2), (4, 8))
    parts = source.removeprefix("vector<").split("x")
    extents = [int(part) for part in parts[:-1] if part.isdigit()]
    values = numpy.arange(1, numpy.prod(extents, initial=1) + 1, dtype=numpy.float32).reshape(
        extents
    )
    written = "1.0" if source == "f32" else f"dense<{values.tolist()}>"
    text = kernel(
        [f"%B: {memref(shape, 'f32')}"],
        4,
        f"""
        %c = arith.constant {written} : {source}
        %r = vector.broadcast %c {{wg_map = {wg_map(map)}}} : {source} to {vector(shape, "f32")}"""
        + store("r", "B", memref(shape, "f32"), shape, "f32", map),
    )
    if len(extents) == 2:
        data = [1 if n == 1 else d for n, d in zip(extents, map[1], strict=True)]
        text = text.replace(
            "arith.constant dense",
            f"arith.constant {{wg_map = {wg_map((map[0], (data[0], data[1])))}}} dense",
        )
    (found,) = same_at_subgroup_level(text, [numpy.zeros(shape, numpy.float32)])
    assert numpy.array_equal(found, numpy.broadcast_to(values, shape))


def test_transposes_and_fused_products_of_the_vector_dialect() -> None:
    shape, first, second = (16, 32), ((4, 1), (4, 32)), ((1, 4), (32, 4))
    text = kernel(
        [f"%A: {memref(shape, 'f32')}", f"%B: {memref(shape[::-1], 'f32')}"],
        4,
        load("v", "A", memref(shape, "f32"), shape, "f32", first)
        + f"""
        %r = vector.transpose %v, [1, 0] {{wg_map = {wg_map(second)}}} : {vector(shape, "f32")} to {vector(shape[::-1], "f32")}
        %s = vector.fma %r, %r, %r {{wg_map = {wg_map(second)}}} : {vector(shape[::-1], "f32")}"""
        + store("s", "B", memref(shape[::-1], "f32"), shape[::-1], "f32", second),
    )
    a = random_array(shape, "f32")
    found = same_at_subgroup_level(text, [a, numpy.zeros(shape[::-1], a.dtype)])
    assert abs(found[1] - (a * a + a).T).max() < 1e-5


def test_whole_vectors_are_worked_on_by_any_op() -> None:
    """A reduction over both dimensions, of which every subgroup takes the one element."""
    shape, map = (16, 32), ((4, 2), (4, 16))
    text = kernel(
        [f"%A: {memref(shape, 'i32')}", "%B: memref<1xi32>"],
        8,
        load("v", "A", memref(shape, "i32"), shape, "i32", map)
        + f"""
        %c0 = arith.constant 0 : index
        %r = xetile.tile_reduce <add>, %v [0, 1] {{wg_map_result = {wg_map((map[0], (1, 1)))}, wg_map_source = {wg_map(map)}}}
            : {vector(shape, "i32")} -> vector<1x1xi32>
        %e = vector.extract %r[0, 0] : i32 from vector<1x1xi32>
        memref.store %e, %B[%c0] : memref<1xi32>
        """,
    )
    a = random_array(shape, "i32")
    found = same_at_subgroup_level(text, [a, numpy.zeros(1, numpy.int32)])
    assert found[1][0] == a.sum()


# Tiles of all kinds.


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize(
    ("shape", "map"), [((32, 32), ((4, 2), (8, 16))), ((24, 32), ((3, 2), (4, 8)))], ids=str
)
def test_atomic_updates(shape: tuple[int, int], map: Map, type: str) -> None:
    """Two workgroups, each with its own elements; old values come back; outside of the surface nothing happens."""
    surface, of = (2 * shape[0] - 5, shape[1] - 3), tile(shape, type, map)
    for kind in (
        ("addf", "mulf", "maximumf", "minnumf", "assign")
        if type in FLOATS
        else ("addi", "muli", "maxs", "minu", "andi", "ori", "assign")
    ):
        text = kernel(
            [
                f"%A: {memref(surface, type)}",
                f"%B: {memref(surface, type)}",
                f"%C: {memref(surface, type)}",
            ],
            map[0][0] * map[0][1],
            f"""
            %i = gpu.block_id x
            %rows = arith.constant {shape[0]} : index
            %at = arith.muli %i, %rows : index
            %a = xetile.init_tile %A[%at, 0] : {memref(surface, type)} -> {of}
            %b = xetile.init_tile %B[%at, 0] : {memref(surface, type)} -> {of}
            %c = xetile.init_tile %C[%at, 0] : {memref(surface, type)} -> {of}
            %v = xetile.load_tile %a : {of} -> {vector(shape, type)}
            %old = xetile.atomic_rmw_tile <{kind}> %v, %b : {vector(shape, type)}, {of} -> {vector(shape, type)}
            xetile.store_tile %old, %c : {vector(shape, type)}, {of}
            """,
            grid=2,
        )
        a, b = random_array(surface, type, 1), random_array(surface, type, 2)
        found = same_at_subgroup_level(text, [a, b, numpy.zeros_like(a)])
        assert found[2].tobytes() == b.tobytes()
        if kind in ("addf", "addi"):
            assert found[1].tobytes() == (a + b).tobytes()


@pytest.mark.parametrize("type", TYPES)
def test_column_major_tiles_batches_and_prefetches(type: str) -> None:
    """Column-major tiles of a batch of matrices, offsets that begin outside, a prefetch with its own map."""
    shape, map, other = (24, 32), ((3, 2), (8, 8)), ((6, 1), (4, 32))
    column = tile(shape, type, map, "order = [0, 1]")
    source = f"memref<3x29x37x{type}, strided<[1073, 1, 29]>>"
    text = kernel(
        [f"%A: {source}", f"%B: {memref(shape, type)}", "%i: index"],
        6,
        f"""
        %ahead = xetile.init_tile %A[%i, 0, 0] : {source} -> {tile(shape, type, other, "order = [0, 1]")}
        xetile.prefetch_tile %ahead : {tile(shape, type, other, "order = [0, 1]")}
        %t = xetile.init_tile %A[%i, -3, -2] : {source} -> {column}
        %u = xetile.update_tile_offset %t, [%i, 1] : {column}
        %v = xetile.load_tile %u {{padding = {"2.0 : f32" if type in FLOATS else "3 : i8"}}} : {column} -> {vector(shape, type)}"""
        + store("v", "B", memref(shape, type), shape, type, map),
    )
    stored = random_array((3, 37, 29), type)
    a = stored.transpose(0, 2, 1)
    found = same_at_subgroup_level(text, [a, numpy.zeros(shape, a.dtype), 2])[1]
    expected = numpy.full(shape, 2 if type in FLOATS else 3, a.dtype)
    expected[1:, 1:] = a[2, :23, :31]
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("type", TYPES)
def test_tiles_in_shared_memory_are_loaded_cooperatively(type: str) -> None:
    """One map fills a ring of two tiles in shared memory, another one reads it (the RFC, appendix 2.4)."""
    shape, together, own = (32, 32), ((8, 1), (4, 32)), ((2, 4), (16, 8))
    shared = "memory_space = 3"
    ring = f"memref<32x64x{type}, 3>"
    far, near = tile(shape, type, together), tile(shape, type, together, shared)
    read = tile(shape, type, own, shared)
    result = tile(shape, type, own)
    add = "arith.addf" if type in FLOATS else "arith.addi"
    text = kernel(
        [f"%A: {memref((32, 128), type)}", f"%B: {memref(shape, type)}"],
        8,
        f"""
        %c0 = arith.constant 0 : index
        %c32 = arith.constant 32 : index
        %c64 = arith.constant 64 : index
        %c128 = arith.constant 128 : index
        %zero = arith.constant dense<{"0.0" if type in FLOATS else "0"}> : {vector(shape, type)}
        %ring = memref.alloc() : {ring}
        %b = xetile.init_tile %B[0, 0] : {memref(shape, type)} -> {result}
        %s = scf.for %k = %c0 to %c128 step %c32 iter_args(%sum = %zero) -> ({vector(shape, type)}) {{
          %a = xetile.init_tile %A[0, %k] : {memref((32, 128), type)} -> {far}
          %v = xetile.load_tile %a : {far} -> {vector(shape, type)}
          %at = arith.remui %k, %c64 : index
          %w = xetile.init_tile %ring[0, %at] : {ring} -> {near}
          xetile.store_tile %v, %w : {vector(shape, type)}, {near}
          gpu.barrier
          %r = xetile.init_tile %ring[0, %at] : {ring} -> {read}
          %x = xetile.load_tile %r : {read} -> {vector(shape, type)}
          %y = {add} %sum, %x : {vector(shape, type)}
          scf.yield %y : {vector(shape, type)}
        }}
        xetile.store_tile %s, %b : {vector(shape, type)}, {result}
        """,
    )
    a = random_array((32, 128), type)
    found = same_at_subgroup_level(text, [a, numpy.zeros(shape, a.dtype)])[1]
    expected = numpy.zeros(shape, a.dtype)
    for k in range(4):
        expected = (expected + a[:, 32 * k : 32 * k + 32]).astype(a.dtype)
    assert found.tobytes() == expected.tobytes()


def test_kernels_that_count_subgroups_and_several_in_one_module() -> None:
    """The older convention's block size counts subgroups; a second kernel has another number of them."""
    shape, first, second = (16, 32), ((4, 2), (4, 16)), ((1, 2), (16, 16))
    name = memref(shape, "f32")
    one = kernel(
        [f"%A: {name}"],
        8,
        load("v", "A", name, shape, "f32", first)
        + """
        %s = arith.addf %v, %v : vector<16x32xf32>"""
        + store("s", "A", name, shape, "f32", first),
    )
    other = kernel(
        [f"%A: {name}"],
        2,
        load("v", "A", name, shape, "f32", second)
        + """
        %s = arith.mulf %v, %v : vector<16x32xf32>"""
        + store("s", "A", name, shape, "f32", second),
    )
    one = one.replace(
        "known_block_size = array<i32: 128, 1, 1>",
        "VectorComputeFunctionINTEL, known_block_size = array<i32: 4, 2, 1>",
    )
    one = one.replace("@k", "@one")
    both = one[: one.rindex("}")] + other[other.index("gpu.func") :]
    a = random_array(shape, "f32")
    results: list[Array] = []
    for level in (None, "subgroup"):
        module = parse(both)
        if level is not None:
            lower(context(), module, "subgroup", None)
        array = a.copy()
        execute(module, "one", [array])
        execute(module, "k", [array])
        results.append(array)
    assert results[0].tobytes() == results[1].tobytes()
    assert numpy.array_equal(results[0], (a + a) * (a + a))
