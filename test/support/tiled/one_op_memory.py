"""Kernels of one op each that reaches memory: loads, stores, views, and what needs shared memory, gathers, atomics."""

from collections.abc import Iterator, Sequence

from support.subgroup import tile, vector
from support.tiled.case import Case, Given
from support.tiled.one_op import (
    BOX,
    COLUMNS,
    MATRIX,
    Operand,
    bare,
    literal,
    one_op,
    values,
)


def _moved(type: str) -> Iterator[Case]:
    """Loads and stores: at a place, over the edge, padded, by columns; of few columns and rows."""

    def copied(name: str, operand: Operand, order: str = "") -> Case:
        of = vector(operand.shape, type)
        return one_op(
            f"{name}_{type}",
            f"%r = vector.shape_cast %a : {of} to {of}",
            [operand],
            order=order,
        )

    yield copied("copy", Operand("a", type, at=(16, 32)))
    if type in ("f16", "f32", "i8", "i32", "bf16"):
        yield copied("copy_over_edges", Operand("a", type, at=(56, 48)))
        padding = "1.5" if type[0] in "fb" else "3"
        yield copied(
            "copy_padded", Operand("a", type, at=(56, 48), more=f" {{padding = {padding}}}")
        )
        yield copied("columns_loaded", Operand("a", type, order=COLUMNS))
        yield copied("columns_stored", Operand("a", type), order=COLUMNS)
        for shape in ((8, 8), (8, 1), (1, 32), (4, 16)):
            yield copied(f"copy_{shape[0]}x{shape[1]}", Operand("a", type, shape))


def moves() -> list[Case]:
    """Loads and stores by type and form."""
    types = (
        "f16",
        "bf16",
        "f32",
        "tf32",
        "i8",
        "i16",
        "i32",
        "i64",
        "f64",
        "i1",
        "f8E4M3FN",
        "f8E5M2",
    )
    return [case for type in types for case in _moved(type)]


def accesses() -> list[Case]:
    """Updates, prefetches, hints; static, dynamic, i64-based, batched and offset memrefs."""
    of, v = tile(BOX, "f16"), vector(BOX, "f16")
    a = Operand("a", "f16")
    matrix = values(MATRIX, "f16")
    cases = [
        one_op(
            "update",
            f"""%next = xetile.update_tile_offset %a_tile, [8, 16] : {of}
    %r = xetile.load_tile %next : {of} -> {v}""",
            [a],
        ),
        one_op(
            "update_by_values",
            f"""%eight = arith.constant 8 : index
    %next = xetile.update_tile_offset %a_tile, [%eight, %eight] : {of}
    %r = xetile.load_tile %next : {of} -> {v}""",
            [a],
        ),
        *(
            one_op(
                f"prefetch_{t}",
                f"xetile.prefetch_tile %a_tile{hints} : {tile(BOX, t)}\n    %r = arith.negf %a : {vector(BOX, t)}",
                [Operand("a", t)],
            )
            for t, hints in (
                ("f16", ""),
                (
                    "f32",
                    " {l1_hint = #xetile.cache_hint<cached>, l3_hint = #xetile.cache_hint<uncached>}",
                ),
            )
        ),
        one_op(
            "load_hint",
            f"%r = arith.negf %a : {v}",
            [
                a._replace(
                    more=" {l1_hint = #xetile.cache_hint<streaming>, l3_hint = #xetile.cache_hint<cached>}"
                )
            ],
        ),
        one_op(
            "store_hint",
            f"%r = arith.negf %a : {v}",
            [a],
            more=" {l1_hint = #xetile.cache_hint<write_back>, l3_hint = #xetile.cache_hint<write_back>}",
        ),
    ]
    forms: dict[str, tuple[str, str, Sequence[tuple[str, Given]]]] = {
        "dynamic": (
            "memref<?x?xf16>",
            "%A[8, 16], [%h, %w], [%p, 1] : memref<?x?xf16>",
            [("%h: index", 64), ("%w: index", 64), ("%p: index", 64)],
        ),
        "batched": ("memref<2x3x64x64xf16>", "%A[1, 2, 8, 16] : memref<2x3x64x64xf16>", []),
        "offset": (
            "memref<64x32xf16, strided<[64, 1], offset: 32>>",
            "%A[8, 0] : memref<64x32xf16, strided<[64, 1], offset: 32>>",
            [],
        ),
        "pitched": (
            "memref<64x48xf16, strided<[64, 1]>>",
            "%A[8, 16] : memref<64x48xf16, strided<[64, 1]>>",
            [],
        ),
    }
    for name, (type, init, more) in forms.items():
        array = values((2, 3, 64, 64), "f16") if name == "batched" else matrix
        if name == "offset":
            array = matrix[:, 32:]
        if name == "pitched":
            array = matrix[:, :48]
        cases.append(
            bare(
                f"memref_{name}",
                f"""
    %t = xetile.init_tile {init} -> {of}
    %r = xetile.load_tile %t : {of} -> {v}""",
                [(f"%A: {type}", array), *more],
            )
        )
    cases.append(
        bare(
            "memref_address",
            f"""
    %h = arith.constant 64 : index
    %w = arith.constant 64 : index
    %one = arith.constant 1 : index
    %t = xetile.init_tile %address[8, 16], [%h, %w], [%w, %one] : i64 -> {of}
    %r = xetile.load_tile %t : {of} -> {v}""",
            [("%A: memref<64x64xf16>", matrix)],
            """
    %start = memref.extract_aligned_pointer_as_index %A : memref<64x64xf16> -> index
    %address = arith.index_cast %start : index to i64""",
        )
    )
    return cases


def memrefs() -> list[Case]:
    """Views of memrefs, single elements, printing."""
    of, v = tile(BOX, "f32"), vector(BOX, "f32")
    load = f"%t = xetile.init_tile %view[0, 0] : $ -> {of}\n    %r = xetile.load_tile %t : {of} -> {v}"
    matrix: list[tuple[str, Given]] = [("%A: memref<64x64xf32>", values(MATRIX, "f32"))]
    view = "memref<32x48xf32, strided<[64, 1], offset: 528>>"
    views = {
        "subview": (
            f"%view = memref.subview %A[8, 16] [32, 48] [1, 1] : memref<64x64xf32> to {view}",
            view,
            matrix,
        ),
        "memref_cast": (
            "%view = memref.cast %A : memref<64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: 0>>",
            "memref<64x64xf32, strided<[64, 1], offset: 0>>",
            matrix,
        ),
        "reinterpret_cast": (
            f"%view = memref.reinterpret_cast %A to offset: [528], sizes: [32, 48], strides: [64, 1] : memref<64x64xf32> to {view}",
            view,
            matrix,
        ),
        "expand_shape": (
            "%view = memref.expand_shape %A [[0, 1]] output_shape [64, 64] : memref<4096xf32> into memref<64x64xf32>",
            "memref<64x64xf32>",
            [("%A: memref<4096xf32>", values((4096,), "f32"))],
        ),
    }
    cases = [
        bare(name, f"\n    {line}\n    {load.replace('$', type)}", given, result="f32")
        for name, (line, type, given) in views.items()
    ]
    cases += [
        one_op(
            "memref_load",
            f"%c3 = arith.constant 3 : index\n    %e = memref.load %A[%c3, %c3] : memref<64x64xf32>\n    %r = vector.broadcast %e : f32 to {v}",
        ),
        one_op(
            "memref_store",
            f"%c3 = arith.constant 3 : index\n    %e = arith.constant 2.5 : f32\n    memref.store %e, %A[%c3, %c3] : memref<64x64xf32>\n    %r = arith.negf %a : {v}",
        ),
        one_op(
            "prints",
            f'%c3 = arith.constant 3 : index\n    gpu.printf "%d", %c3 : index\n    %r = arith.negf %a : {v}',
        ),
    ]
    return cases


def meetings() -> list[Case]:
    """What needs shared memory, gathers or atomics: to be refused in words below level B."""
    f = vector(BOX, "f32")
    scattered = "!xetile.tile<4x16xf32, #xetile.tile_attr<scattered = true>>"
    places = f"""%indices = arith.constant dense<{literal((4, 16))}> : vector<4x16xindex>
    %mask = arith.constant dense<true> : vector<4x16xi1>
    %s = xetile.init_tile %S, %indices : memref<64xf32>, vector<4x16xindex> -> {scattered}
    """
    line: list[tuple[str, Given]] = [("%S: memref<64xf32>", values((64,), "f32", 5))]
    small = vector((4, 16), "f32")
    return [
        one_op(
            "shared_memory",
            f"""%memory = memref.alloc() : memref<16x32xf32, 3>
    %s = xetile.init_tile %memory[0, 0] : memref<16x32xf32, 3> -> {tile(BOX, "f32", "memory_space = 3")}
    xetile.store_tile %a, %s : {f}, {tile(BOX, "f32", "memory_space = 3")}
    gpu.barrier
    %r = xetile.load_tile %s : {tile(BOX, "f32", "memory_space = 3")} -> {f}""",
        ),
        one_op(
            "gather",
            f"{places}%r = xetile.load_gather %s, %mask : {scattered}, vector<4x16xi1> -> {small}",
            shape=(4, 16),
            parameters=line,
        ),
        one_op(
            "scatter",
            f"{places}xetile.store_scatter %a, %s, %mask : {small}, {scattered}, vector<4x16xi1>\n    %r = arith.negf %a : {small}",
            [Operand("a", "f32", (4, 16))],
            parameters=line,
        ),
        *(
            one_op(
                f"atomic_{kind}_{t}",
                f"%r = xetile.atomic_rmw_tile <{kind}> %a, %b_tile : {vector((8, 16), t)}, {tile((8, 16), t)} -> {vector((8, 16), t)}",
                [Operand("a", t, (8, 16)), Operand("b", t, (8, 16))],
            )
            for kind, t in (("addf", "f32"), ("addi", "i32"), ("maxs", "i32"))
        ),
    ]
