"""`xetile-wg-to-sg` on tiles of all kinds and on what is made for them: the same bits in memory before and after."""

from collections.abc import Sequence

import numpy
import pytest
from support.subgroup import FLOATS, TYPES, Array, memref, vector
from support.workgroup import (
    Map,
    kernel,
    load,
    random_array,
    same_at_subgroup_level,
    store,
    tile,
    wg_map,
)

from xetile.dialects.modules import context, parse
from xetile.interpreter import execute
from xetile.passes.pipelines import lower

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
    for height, width in (
        (rows, columns),
        (rows // 2 + 1, 5),
        (0, 3),
        (-2, 4),
        (99, columns - 1),
    ):
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
    "source",
    ["vector<32xf32>", "vector<1x32xf32>", "vector<16x1xf32>", "f32", "vector<1xf32>"],
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


def test_elementwise_ops_with_several_results() -> None:
    shape, map = (16, 32), ((2, 2), (4, 8))
    v = vector(shape, "i32")
    text = kernel(
        [f"%A: {memref(shape, 'i32')}"],
        4,
        load("v", "A", memref(shape, "i32"), shape, "i32", map)
        + f"""
        %low, %high = arith.mulsi_extended %v, %v : {v}
        %big = arith.constant dense<1000> : {v}
        %many = arith.muli %v, %big : {v}
        %sum, %over = arith.addui_extended %many, %low : {v}, {vector(shape, "i1")}
        %s = arith.select %over, %high, %sum : {vector(shape, "i1")}, {v}"""
        + store("s", "A", memref(shape, "i32"), shape, "i32", map),
    )
    a = random_array(shape, "i32")
    assert not numpy.array_equal(same_at_subgroup_level(text, [a])[0], a)


def test_buffers_that_are_workgroup_attributions_of_the_kernel() -> None:
    shape, map, other = (16, 32), ((4, 1), (4, 32)), ((1, 4), (16, 8))
    shared, turned = (tile(shape, "f32", m, "memory_space = 3") for m in (map, other))
    text = kernel(
        [f"%A: {memref(shape, 'f32')}", f"%B: {memref(shape, 'f32')}"],
        4,
        load("v", "A", memref(shape, "f32"), shape, "f32", map)
        + f"""
        %w = xetile.init_tile %buffer[0, 0] : memref<16x32xf32, 3> -> {shared}
        xetile.store_tile %v, %w : {vector(shape, "f32")}, {shared}
        gpu.barrier
        %r = xetile.init_tile %buffer[0, 0] : memref<16x32xf32, 3> -> {turned}
        %x = xetile.load_tile %r : {turned} -> {vector(shape, "f32")}"""
        + store("x", "B", memref(shape, "f32"), shape, "f32", other),
    ).replace(") kernel", ") workgroup(%buffer: memref<16x32xf32, 3>) kernel")
    a = random_array(shape, "f32")
    found = same_at_subgroup_level(text, [a, numpy.zeros_like(a)])
    assert found[1].tobytes() == a.tobytes()


def test_a_workgroup_prints_once(capsys: pytest.CaptureFixture[str]) -> None:
    shape, map = (16, 32), ((4, 1), (4, 32))
    text = kernel(
        [f"%A: {memref(shape, 'i32')}"],
        4,
        load("v", "A", memref(shape, "i32"), shape, "i32", map)
        + f"""
        %r = xetile.tile_reduce <maxsi>, %v [0, 1] {{wg_map_result = {wg_map((map[0], (1, 1)))}, wg_map_source = {wg_map(map)}}}
            : {vector(shape, "i32")} -> vector<1x1xi32>
        %e = vector.extract %r[0, 0] : i32 from vector<1x1xi32>
        gpu.printf "%d\\n", %e : i32""",
    )
    a = random_array(shape, "i32")
    same_at_subgroup_level(text, [a])
    assert capsys.readouterr().out == f"{a.max()}\n" * 3
