"""Scattered tiles and atomic ops at level XeGPU: single elements, and masks of those inside of their memory."""

from pathlib import Path

import numpy
import pytest
from support.element_by_element import check, distinct, names
from support.subgroup import NUMPY, Argument, kernel, memref, tile, vector

from xetile.dialects.atomic_kinds import ATOMIC_KINDS
from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.passes.pipelines import lower

TYPES = ("f16", "bf16", "f32", "tf32", "f64", "i8", "i16", "i32", "i64", "si8", "ui8")
BOX = (8, 32)
MATRIX = (8, 128)
"""Of the matrices around, which 2D messages reach."""


NOTHING = numpy.zeros(0)


def line(name: str, type: str, count: int = 300) -> Argument:
    values = distinct((count,), NUMPY[type], 3)
    return Argument(name, memref((count,), type), values, values)


def places(shape: tuple[int, int] = BOX, seed: int = 0) -> Argument:
    """Indices without repetition, some of them negative, or too large for 300 elements."""
    numbers = numpy.random.default_rng(seed).permutation(400)[: numpy.prod(shape)] - 50
    numbers = numpy.pad(
        numbers.reshape(shape), ((0, MATRIX[0] - shape[0]), (0, MATRIX[1] - shape[1]))
    )
    numbers = numbers.astype(numpy.int32)
    return Argument("I", memref(MATRIX, "i32"), numbers, numbers)


def result(type: str) -> Argument:
    values = numpy.full(MATRIX, 7).astype(NUMPY[type])
    return Argument("C", memref(MATRIX, type), values, values)


def scattered(type: str, source: str, shape: tuple[int, int] = BOX) -> str:
    """A scattered tile %t whose indices are in memory, and a mask that leaves out a corner."""
    return f"""
    %ti = xetile.init_tile %I[0, 0] : {memref(MATRIX, "i32")} -> {tile(shape, "i32")}
    %i = xetile.load_tile %ti : {tile(shape, "i32")} -> {vector(shape, "i32")}
    %indices = arith.index_cast %i : {vector(shape, "i32")} to {vector(shape, "index")}
    %mask = vector.constant_mask [{shape[0] - 1}, {shape[1] - 3}] : {vector(shape, "i1")}
    %t = xetile.init_tile %S, %indices : {source}, {vector(shape, "index")} -> {tile(shape, type, "scattered = true")}"""


def stored(value: str, type: str, shape: tuple[int, int] = BOX) -> str:
    t = tile(shape, type)
    return f"""
    %u = xetile.init_tile %C[0, 0] : {memref(MATRIX, type)} -> {t}
    xetile.store_tile %{value}, %u : {vector(shape, type)}, {t}"""


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("padding", ["", "5"])
def test_gathers_of_each_type(type: str, padding: str, mlir_opt: Path) -> None:
    t, v, m = tile(BOX, type, "scattered = true"), vector(BOX, type), vector(BOX, "i1")
    rest = f" {{padding = {padding}}}" if padding else ""
    memory = line("S", type)
    body = (
        scattered(type, memory.type)
        + f"""
    %r = xetile.load_gather %t, %mask{rest} : {t}, {m} -> {v}"""
    )
    lowered = check(body + stored("r", type), [memory, places(), result(type)], mlir_opt)
    assert ("arith.select" in names(lowered)) == bool(padding)
    assert "arith.cmpi ult" in str(lowered)


@pytest.mark.parametrize("type", TYPES)
def test_scatters_of_each_type(type: str, mlir_opt: Path) -> None:
    t, v, m = tile(BOX, type, "scattered = true"), vector(BOX, type), vector(BOX, "i1")
    memory, values = line("S", type), distinct(MATRIX, NUMPY[type], 9)
    given = Argument("A", memref(MATRIX, type), values, values)
    body = (
        scattered(type, memory.type)
        + f"""
    %ta = xetile.init_tile %A[0, 0] : {given.type} -> {tile(BOX, type)}
    %a = xetile.load_tile %ta : {tile(BOX, type)} -> {v}
    xetile.store_scatter %a, %t, %mask {{l1_hint = #xetile.cache_hint<write_through>}} : {v}, {t}, {m}"""
    )
    lowered = check(body, [memory, places(), given], mlir_opt)
    assert "l1_hint = #xegpu.cache_hint<write_through>" in str(lowered)


def test_indices_move_in_loops(mlir_opt: Path) -> None:
    t, v, m = tile(BOX, "f32", "scattered = true"), vector(BOX, "f32"), vector(BOX, "i1")
    memory = line("S", "f32")
    body = (
        scattered("f32", memory.type)
        + f"""
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %steps = arith.constant dense<17> : {vector(BOX, "index")}
    %zero = arith.constant dense<0.0> : {v}
    %r:2 = scf.for %n = %c0 to %c3 step %c1 iter_args(%p = %t, %sum = %zero) -> ({t}, {v}) {{
      %g = xetile.load_gather %p, %mask : {t}, {m} -> {v}
      %s = arith.addf %sum, %g : {v}
      %next = xetile.update_tile_offset %p, %steps : {t}, {vector(BOX, "index")}
      scf.yield %next, %s : {t}, {v}
    }}"""
    )
    check(body + stored("r#1", "f32"), [memory, places(), result("f32")], mlir_opt)


def test_bounds_that_constants_show_need_no_mask(mlir_opt: Path) -> None:
    t, v, m = (
        tile((4, 16), "f32", "scattered = true"),
        vector((4, 16), "f32"),
        vector((4, 16), "i1"),
    )
    numbers = numpy.arange(64)[::-1].reshape(4, 16).tolist()
    body = f"""
    %indices = arith.constant dense<{numbers}> : {vector((4, 16), "index")}
    %mask = arith.constant dense<true> : {m}
    %t = xetile.init_tile %S, %indices : memref<64xf32>, {vector((4, 16), "index")} -> {t}
    %r = xetile.load_gather %t, %mask {{padding = 3.0}} : {t}, {m} -> {v}"""
    memory = line("S", "f32", 64)
    lowered = check(body + stored("r", "f32", (4, 16)), [memory, result("f32")], mlir_opt)
    assert "arith.cmpi" not in names(lowered)
    assert "arith.select" not in names(lowered)


@pytest.mark.parametrize("source", ["i64", "?", "offset", "scalar", "shared"])
def test_memory_of_every_form(source: str, mlir_opt: Path) -> None:
    t, v, m = tile(BOX, "f32", "scattered = true"), vector(BOX, "f32"), vector(BOX, "i1")
    memory, indices = line("S0", "f32"), places()
    inside = numpy.abs(indices.before) % 200
    views = {
        "i64": (
            "%start = memref.extract_aligned_pointer_as_index %S0 : memref<300xf32> -> index\n"
            "    %S = arith.index_cast %start : index to i64",
            "i64",
        ),
        "?": ("%S = memref.cast %S0 : memref<300xf32> to memref<?xf32>", "memref<?xf32>"),
        "offset": (
            "%S = memref.subview %S0[40] [200] [1] : memref<300xf32> to memref<200xf32, strided<[1], offset: 40>>",
            "memref<200xf32, strided<[1], offset: 40>>",
        ),
        "scalar": (
            "%S = memref.reinterpret_cast %S0 to offset: [0], sizes: [], strides: [] : memref<300xf32> to memref<f32>",
            "memref<f32>",
        ),
        "shared": ("%S = memref.alloc() : memref<400xf32, 3>", "memref<400xf32, 3>"),
    }
    made, type = views[source]
    body = f"\n    {made}" + scattered("f32", type)
    if source == "shared":
        t = tile(BOX, "f32", "memory_space = 3, scattered = true")
        body = (
            body.replace("scattered = true", "memory_space = 3, scattered = true")
            + f"""
    %all = arith.constant dense<true> : {m}
    %x = arith.sitofp %i : {vector(BOX, "i32")} to {v}
    xetile.store_scatter %x, %t, %all : {v}, {t}, {m}
    gpu.barrier"""
        )
    if source in ("i64", "shared"):
        indices = Argument("I", indices.type, inside, inside)
    body += f"\n    %r = xetile.load_gather %t, %mask : {t}, {m} -> {v}"
    check(body + stored("r", "f32"), [memory, indices, result("f32")], mlir_opt)


def test_lines(mlir_opt: Path) -> None:
    """Tiles of rank 1 have no blocks."""
    t, v, m = tile((48,), "f32", "scattered = true"), vector((48,), "f32"), vector((48,), "i1")
    numbers = (numpy.arange(48) * 7 % 100).tolist()
    memory = line("S", "f32", 90)
    body = f"""
    %indices = arith.constant dense<{numbers}> : {vector((48,), "index")}
    %steps = arith.constant dense<1> : {vector((48,), "index")}
    %mask = vector.constant_mask [40] : {m}
    %t = xetile.init_tile %S, %indices : {memory.type}, {vector((48,), "index")} -> {t}
    %g = xetile.load_gather %t, %mask {{padding = 2.0}} : {t}, {m} -> {v}
    %s = xetile.update_tile_offset %t, %steps : {t}, {vector((48,), "index")}
    xetile.store_scatter %g, %s, %mask : {v}, {t}, {m}
    %old = xetile.atomic_rmw_tile <addf> %g, %s : {v}, {t} -> {v}"""
    check(body, [memory], mlir_opt)


FLOATS = ("f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN", "f8E5M2")
ODD = ("tf32", "f8E4M3FN", "f8E5M2", "index", "si8", "ui8", "i1")
"""Types of which XeGPU has no atomic ops, or XeVM: what stands for them is executed there too."""
KINDS = [
    *(
        (kind, type)
        for type in ("f32", "i32")
        for kind in ATOMIC_KINDS
        if kind == "assign" or kind.endswith("f") == (type in FLOATS)
    ),
    *((kind, type) for type in FLOATS if type != "f32" for kind in ("addf", "assign")),
    *(("maxu", type) for type in ("i8", "i16", "i64", "si8", "ui8", "index")),
    ("assign", "i1"),
]


@pytest.mark.parametrize(("kind", "type"), KINDS)
def test_atomic_ops_on_tiles_of_blocks(kind: str, type: str, mlir_opt: Path) -> None:
    """Partly outside: there nothing changes, and zero comes back."""
    t, v = tile(BOX, type), vector(BOX, type)
    matrix, values = distinct((40, 48), NUMPY[type], 2), distinct(MATRIX, NUMPY[type], 4)
    memory = Argument("S", memref((40, 48), type), matrix, matrix)
    given = Argument("A", memref(MATRIX, type), values, values)
    body = f"""
    %n = gpu.block_dim x
    %ta = xetile.init_tile %A[0, 0] : {given.type} -> {t}
    %a = xetile.load_tile %ta : {t} -> {v}
    %t = xetile.init_tile %S[-3, %n] : {memory.type} -> {t}
    %r = xetile.atomic_rmw_tile <{kind}> %a, %t : {v}, {t} -> {v}
    %p = xetile.update_tile_offset %t, [11, 0] : {t}
    %unused = xetile.atomic_rmw_tile <{kind}> %a, %p : {v}, {t} -> {v}"""
    check(
        body + stored("r", type),
        [memory, given, result(type)],
        mlir_opt,
        below=["xevm"] if type in ODD else [],
    )


def test_single_bits_are_only_assigned() -> None:
    t, v = tile(BOX, "i1"), vector(BOX, "i1")
    body = f"""
    %t = xetile.init_tile %S[0, 0] : memref<8x128xi1> -> {t}
    %a = arith.constant dense<true> : {v}
    %r = xetile.atomic_rmw_tile <andi> %a, %t : {v}, {t} -> {v}"""
    module = parse(kernel(body, [Argument("S", "memref<8x128xi1>", NOTHING, NOTHING)]))
    with pytest.raises(
        XetileError, match=r"<andi> on i1, .*; i1 takes <assign>, i8 all kinds"
    ):
        lower(context(), module, "xegpu", "bmg")


@pytest.mark.parametrize("said", ["f16", "7"])
def test_what_an_atomic_op_says_of_its_elements_is_a_float_of_8_bits(said: str) -> None:
    body = f"""
    %i = arith.constant dense<0> : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %v = arith.constant dense<1> : vector<16xi8>
    %d = xegpu.create_tdesc %S, %i : memref<64xi8>, vector<16xindex> -> !xegpu.tensor_desc<16xi8, #xegpu.scatter_tdesc_attr<>>
    %r = xegpu.atomic_rmw addf %d, %m, %v {{xetile.element_type = {said}}} : !xegpu.tensor_desc<16xi8, #xegpu.scatter_tdesc_attr<>>, vector<16xi1>, vector<16xi8> -> vector<16xi8>"""
    module = parse(kernel(body, [Argument("S", "memref<64xi8>", NOTHING, NOTHING)]))
    with pytest.raises(
        XetileError, match=r"'xetile.element_type' is .*; expected f8E4M3FN or f8E5M2, of i8"
    ):
        execute(module, "k", [numpy.zeros(64, numpy.int8)])


@pytest.mark.parametrize("memory", ["columns", "narrow", "address", "shared", "workgroup"])
def test_atomic_ops_on_memory_of_every_form(memory: str, mlir_opt: Path) -> None:
    """Of any pitch: no 2D message comes there."""
    v, kind = vector(BOX, "i32"), "addi"
    values = distinct(MATRIX, numpy.int32, 4)
    matrix = distinct((40, 35), numpy.int32, 5)
    order = "order = [0, 1]" if memory == "columns" else ""
    space = {"shared": "3", "workgroup": "#gpu.address_space<workgroup>"}.get(memory)
    t = tile(
        BOX, "i32", ", ".join(p for p in (order, "memory_space = 3" if space else "") if p)
    )
    plain, made, end = tile(BOX, "i32"), "", ""
    source = "%S[3, 2] : memref<40x35xi32>"
    if memory == "columns":
        made = "%M = memref.transpose %S (d0, d1) -> (d1, d0) : memref<40x35xi32> to memref<35x40xi32, strided<[1, 35]>>"
        source = "%M[3, 2] : memref<35x40xi32, strided<[1, 35]>>"
    if memory == "address":
        made = """%start = memref.extract_aligned_pointer_as_index %S : memref<40x35xi32> -> index
    %M = arith.index_cast %start : index to i64
    %h = arith.constant 40 : index
    %w = gpu.block_dim x
    %p = arith.constant 35 : index"""
        source = "%M[33, 2], [%h, %w], [%p, 1] : i64"
    if space:
        made = f"""%M = memref.alloc() : memref<8x40xi32, {space}>
    %s = xetile.init_tile %M[0, 2] : memref<8x40xi32, {space}> -> {t}
    xetile.store_tile %a, %s : {v}, {t}
    gpu.barrier"""
        source = f"%M[0, 2] : memref<8x40xi32, {space}>"
        end = f"""
    gpu.barrier
    %l = xetile.load_tile %t : {t} -> {v}
    %to = xetile.init_tile %D[0, 0] : memref<8x128xi32> -> {plain}
    xetile.store_tile %l, %to : {v}, {plain}"""
    body = f"""
    %ta = xetile.init_tile %A[0, 0] : memref<8x128xi32> -> {plain}
    %a = xetile.load_tile %ta : {plain} -> {v}
    {made}
    %t = xetile.init_tile {source} -> {t}
    %r = xetile.atomic_rmw_tile <{kind}> %a, %t : {v}, {t} -> {v}{end}"""
    arguments = [
        Argument("S", "memref<40x35xi32>", matrix, matrix),
        Argument("A", "memref<8x128xi32>", values, values),
        result("i32"),
        result("i32")._replace(name="D"),
    ]
    check(body + stored("r", "i32"), arguments, mlir_opt)


@pytest.mark.parametrize("type", ["f32", "i32", "i64", "f16"])
def test_atomic_ops_on_scattered_tiles(type: str, mlir_opt: Path) -> None:
    t, v = tile(BOX, type, "scattered = true"), vector(BOX, type)
    memory, values = line("S", type), distinct(MATRIX, NUMPY[type], 9)
    given = Argument("A", memref(MATRIX, type), values, values)
    kind = "addf" if type in FLOATS else "maxs"
    body = (
        scattered(type, memory.type)
        + f"""
    %ta = xetile.init_tile %A[0, 0] : {given.type} -> {tile(BOX, type)}
    %a = xetile.load_tile %ta : {tile(BOX, type)} -> {v}
    %r = xetile.atomic_rmw_tile <{kind}> %a, %t : {v}, {t} -> {v}"""
    )
    check(body + stored("r", type), [memory, places(), given, result(type)], mlir_opt)
