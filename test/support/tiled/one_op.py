"""Kernels of one op each, by op, type and form, which one subgroup runs; what they compute as written is the reference.

Every kernel reads %A (and %B, %C) and stores %r to %R.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy
from support.subgroup import FLOAT_KINDS, INTEGER_KINDS, NUMPY, memref, tile, vector
from support.tiled.case import Array, Case, Given

Shape = tuple[int, int]

BOX: Shape = (16, 32)
MATRIX: Shape = (64, 64)


class Operand(NamedTuple):
    """A matrix with the tile of it that is loaded: its name is that of the value, and of the parameter in capitals."""

    name: str
    type: str
    shape: Shape = BOX
    matrix: Shape = MATRIX
    order: str = ""
    at: Shape = (0, 0)
    more: str = ""


def values(shape: Sequence[int], type: str, seed: int = 0) -> Array:
    """Numbers of both signs: whole ones, and halves of floats; none is zero."""
    random = numpy.random.default_rng([seed, *shape])
    if type == "i1":
        return random.integers(0, 2, shape).astype(bool)
    numbers = random.integers(1, 8, shape) * random.choice([-1, 1], shape)
    if type.startswith(("f", "bf", "tf")):
        return (numbers / 2).astype(NUMPY[type])
    return numbers.astype(NUMPY[type])


def one_op(
    name: str,
    lines: str,
    operands: Sequence[Operand] = (Operand("a", "f32"),),
    result: str = "",
    shape: Shape | None = None,
    *,
    order: str = "",
    more: str = "",
    parameters: Sequence[tuple[str, Given]] = (),
    subgroups: int = 1,
) -> Case:
    """Load the operands, do the lines, store %r of this type and shape (the first operand's where not given)."""
    element = result or operands[0].type
    box = shape or operands[0].shape
    matrix = (max(box[0], 64), box[1]) if order else (box[0], max(box[1], 64))
    to = _memory(matrix, element, order)
    body = "".join(_load(operand) for operand in operands)
    body += f"""
    {lines}
    %r_tile = xetile.init_tile %R[0, 0] : {to} -> {tile(box, element, order)}
    xetile.store_tile %r, %r_tile{more} : {vector(box, element)}, {tile(box, element, order)}"""
    given: list[tuple[str, Given]] = [
        (
            f"%{operand.name.upper()}: {_memory(operand.matrix, operand.type, operand.order)}",
            _laid_out(values(operand.matrix, operand.type, seed), operand.order),
        )
        for seed, operand in enumerate(operands)
    ]
    filled = numpy.full(matrix, 1, NUMPY[element])
    given += [*parameters, (f"%R: {to}", _laid_out(filled, order))]
    return Case(
        name,
        [parameter for parameter, _ in given],
        body,
        [value for _, value in given],
        {},
        subgroups=subgroups,
    )


def _memory(shape: Shape, type: str, order: str) -> str:
    return memref(shape, type, f", strided<[1, {shape[0]}]>" if order else "")


def _laid_out(array: Array, order: str) -> Array:
    return array.T.copy().T if order else array


def _load(operand: Operand) -> str:
    name, of = operand.name, tile(operand.shape, operand.type, operand.order)
    memory = _memory(operand.matrix, operand.type, operand.order)
    return f"""
    %{name}_tile = xetile.init_tile %{name.upper()}{list(operand.at)} : {memory} -> {of}
    %{name} = xetile.load_tile %{name}_tile{operand.more} : {of} -> {vector(operand.shape, operand.type)}"""


COLUMNS = "order = [0, 1]"


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
            _bare(
                f"memref_{name}",
                f"""
    %t = xetile.init_tile {init} -> {of}
    %r = xetile.load_tile %t : {of} -> {v}""",
                [(f"%A: {type}", array), *more],
            )
        )
    cases.append(
        _bare(
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


def _bare(
    name: str,
    lines: str,
    parameters: Sequence[tuple[str, Given]],
    before: str = "",
    result: str = "f16",
    shape: Shape = BOX,
) -> Case:
    """Lines that make %r of parameters of their own."""
    to = memref((shape[0], 64), result)
    body = f"""{before}{lines}
    %r_tile = xetile.init_tile %R[0, 0] : {to} -> {tile(shape, result)}
    xetile.store_tile %r, %r_tile : {vector(shape, result)}, {tile(shape, result)}"""
    filled = numpy.full((shape[0], 64), 1, NUMPY[result])
    given = [*parameters, (f"%R: {to}", filled)]
    return Case(name, [text for text, _ in given], body, [value for _, value in given], {})


def elementwise() -> list[Case]:
    """Arithmetic, comparisons, casts, constants, by type."""
    cases: list[Case] = []
    for t in ("f16", "bf16", "f32", "f64"):
        v, two = vector(BOX, t), [Operand("a", t), Operand("b", t)]
        for name in ("addf", "mulf", "divf", "maximumf", "minnumf"):
            cases.append(one_op(f"{name}_{t}", f"%r = arith.{name} %a, %b : {v}", two))
    for t in ("i8", "i16", "i32", "i64"):
        v, two = vector(BOX, t), [Operand("a", t), Operand("b", t)]
        for name in ("addi", "muli", "xori", "maxsi"):
            cases.append(one_op(f"{name}_{t}", f"%r = arith.{name} %a, %b : {v}", two))
    casts = (
        ("extf", "f16", "f32"), ("extf", "bf16", "f32"), ("truncf", "f32", "f16"), ("truncf", "f32", "bf16"),
        ("truncf", "f32", "tf32"), ("sitofp", "i8", "f16"), ("sitofp", "i32", "f32"), ("fptosi", "f32", "i32"),
        ("fptosi", "f32", "i8"), ("extsi", "i8", "i32"), ("extui", "i8", "i16"), ("trunci", "i32", "i8"),
        ("trunci", "i32", "i16"), ("bitcast", "f32", "i32"), ("bitcast", "i16", "f16"), ("extf", "f8E4M3FN", "f16"),
        ("truncf", "f16", "f8E5M2"), ("extui", "i1", "i32"),
    )  # fmt: skip
    for name, t, to in casts:
        line = f"%r = arith.{name} %a : {vector(BOX, t)} to {vector(BOX, to)}"
        cases.append(one_op(f"{name}_{t}_{to}", line, [Operand("a", t)], to))
    v = vector(BOX, "f32")
    two = [Operand("a", "f32"), Operand("b", "f32")]
    mask = f"%m = arith.cmpf olt, %a, %b : {v}\n    "
    cases += [
        one_op(
            "select", f"{mask}%r = arith.select %m, %a, %b : {vector(BOX, 'i1')}, {v}", two
        ),
        one_op("mask_stored", f"%r = arith.cmpf olt, %a, %b : {v}", two, "i1"),
        one_op("vector_fma", f"%r = vector.fma %a, %b, %a : {v}", two),
        one_op("splat", f"%r = arith.constant dense<2.5> : {v}"),
        one_op(
            "constant",
            f"%r = arith.constant dense<{_literal((8, 16))}> : {vector((8, 16), 'i32')}",
            result="i32",
            shape=(8, 16),
        ),
    ]
    return cases


def _literal(shape: Shape) -> str:
    return str(numpy.arange(shape[0] * shape[1]).reshape(shape).tolist())


UNARY = (
    "absf", "ceil", "cos", "erf", "exp", "exp2", "floor", "log", "log2", "round", "roundeven", "rsqrt", "sin", "sqrt",
    "tanh", "trunc",
)  # fmt: skip


def functions() -> list[Case]:
    """Functions of math, of f32 and f16."""
    cases: list[Case] = []
    for t in ("f32", "f16"):
        v = vector(BOX, t)
        positive = f"%p = math.absf %a : {v}\n    "
        for name in UNARY:
            cases.append(
                one_op(
                    f"{name}_{t}", f"{positive}%r = math.{name} %p : {v}", [Operand("a", t)]
                )
            )
        two = [Operand("a", t), Operand("b", t)]
        cases.append(one_op(f"powf_{t}", f"{positive}%r = math.powf %p, %b : {v}", two))
        cases.append(one_op(f"fma_{t}", f"%r = math.fma %a, %b, %a : {v}", two))
    return cases


def products() -> list[Case]:
    """Products of every type, of narrow and of odd extents."""
    forms: list[tuple[str, str, str, tuple[int, int, int]]] = [
        ("f16", "f16", "f32", (16, 32, 32)), ("bf16", "bf16", "f32", (16, 32, 32)), ("tf32", "tf32", "f32", (16, 32, 16)),
        ("i8", "i8", "i32", (16, 32, 64)), ("si8", "ui8", "i32", (16, 32, 32)), ("f16", "f16", "f16", (16, 32, 32)),
        ("bf16", "bf16", "bf16", (16, 32, 32)), ("f8E4M3FN", "f8E4M3FN", "f32", (16, 32, 32)),
        ("f8E5M2", "f8E4M3FN", "f32", (16, 32, 32)), ("f32", "f32", "f32", (16, 16, 8)), ("f64", "f64", "f64", (16, 16, 8)),
        ("f16", "f16", "f32", (16, 8, 32)), ("f16", "f16", "f32", (16, 24, 32)), ("f16", "f16", "f32", (16, 4, 32)),
        ("f16", "f16", "f32", (16, 1, 32)), ("i8", "i8", "i32", (16, 8, 32)), ("tf32", "tf32", "f32", (16, 8, 16)),
        ("f16", "f16", "f32", (4, 32, 32)), ("f16", "f16", "f32", (1, 32, 32)), ("f16", "f16", "f32", (12, 16, 16)),
        ("f16", "f16", "f32", (16, 16, 8)), ("f16", "f16", "f32", (16, 16, 24)), ("f16", "f16", "f32", (16, 16, 40)),
        ("bf16", "bf16", "f32", (16, 16, 40)), ("i8", "i8", "i32", (16, 16, 40)), ("tf32", "tf32", "f32", (16, 16, 12)),
    ]  # fmt: skip
    return [_product(*form) for form in forms]


def _product(a: str, b: str, c: str, extents: tuple[int, int, int]) -> Case:
    m, n, k = extents
    of_a, of_b, of_c = vector((m, k), a), vector((k, n), b), vector((m, n), c)
    return one_op(
        f"mma_{a}_{b}_{c}_{m}x{n}x{k}",
        f"%r = xetile.tile_mma %a, %b, %c : {of_a}, {of_b}, {of_c} -> {of_c}",
        [Operand("a", a, (m, k)), Operand("b", b, (k, n)), Operand("c", c, (m, n))],
        c,
        (m, n),
    )


def rearranged() -> list[Case]:
    """Transposes, broadcasts, slices, masks, elements."""
    cases: list[Case] = []
    for t in ("f32", "f16", "i8", "bf16", "i32"):
        v, turned = vector(BOX, t), vector((32, 16), t)
        cases.append(
            one_op(
                f"transpose_{t}",
                f"%r = xetile.tile_transpose %a, [1, 0] : {v} -> {turned}",
                [Operand("a", t)],
                t,
                (32, 16),
            )
        )
        row, column = vector((1, 32), t), vector((16, 1), t)
        cases.append(
            one_op(
                f"broadcast_row_{t}",
                f"%r = xetile.tile_broadcast %a [0] : {row} -> {v}",
                [Operand("a", t, (1, 32))],
                t,
                BOX,
            )
        )
        cases.append(
            one_op(
                f"broadcast_column_{t}",
                f"%r = xetile.tile_broadcast %a [1] : {column} -> {v}",
                [Operand("a", t, (16, 1), order=COLUMNS)],
                t,
                BOX,
            )
        )
    return [*cases, *_pieces()]


def reductions() -> list[Case]:
    """Reductions of every kind along each dimension."""
    cases: list[Case] = []
    for t, kinds in (
        ("f32", FLOAT_KINDS),
        ("i32", INTEGER_KINDS),
        ("f16", ("add", "maximumf")),
        ("i8", ("add",)),
        ("bf16", ("add",)),
    ):
        for kind in kinds:
            for dimensions in ([0], [1], [0, 1]):
                if len(dimensions) == 2 and kind not in ("add", "maximumf"):
                    continue
                cases.append(_reduced(t, kind, dimensions))
    return cases


def _reduced(t: str, kind: str, dimensions: list[int]) -> Case:
    v = vector(BOX, t)
    line = vector((1 if 0 in dimensions else BOX[0], 1 if 1 in dimensions else BOX[1]), t)
    name = "_".join(map(str, dimensions))
    return one_op(
        f"reduce_{kind}_{t}_{name}",
        f"""%line = xetile.tile_reduce <{kind}>, %a {dimensions} : {v} -> {line}
    %r = xetile.tile_broadcast %line {dimensions} : {line} -> {v}""",
        [Operand("a", t)],
    )


def _pieces() -> list[Case]:
    f, half = vector(BOX, "f32"), vector((8, 16), "f32")
    mask = vector(BOX, "i1")
    two = [Operand("a", "f32"), Operand("b", "f32")]
    count: list[tuple[str, Given]] = [("%n: index", 19)]
    return [
        one_op(
            "scalar", f"%r = vector.broadcast %x : f32 to {f}", parameters=[("%x: f32", 2.5)]
        ),
        one_op(
            "reduce_with_accumulator",
            f"""%zero = arith.constant dense<1.5> : vector<16xf32>
    %sum = vector.multi_reduction <add>, %a, %zero [1] : {f} to vector<16xf32>
    %column = vector.shape_cast %sum : vector<16xf32> to vector<16x1xf32>
    %r = vector.broadcast %column : vector<16x1xf32> to {f}""",
        ),
        one_op(
            "reduce_to_scalar",
            f"""%zero = arith.constant 1.5 : f32
    %sum = vector.multi_reduction <add>, %a, %zero [0, 1] : {f} to f32
    %r = vector.broadcast %sum : f32 to {f}""",
        ),
        one_op(
            "slice_taken",
            f"%r = vector.extract_strided_slice %a {{offsets = [8, 16], sizes = [8, 16], strides = [1, 1]}} : {f} to {half}",
            shape=(8, 16),
        ),
        one_op(
            "slice_of_columns",
            f"%r = vector.extract_strided_slice %a {{offsets = [0, 8], sizes = [16, 16], strides = [1, 1]}} : {f} to {vector((16, 16), 'f32')}",
            shape=(16, 16),
        ),
        one_op(
            "slice_put",
            f"""%half = vector.extract_strided_slice %b {{offsets = [8, 16], sizes = [8, 16], strides = [1, 1]}} : {f} to {half}
    %r = vector.insert_strided_slice %half, %a {{offsets = [0, 0], strides = [1, 1]}} : {half} into {f}""",
            two,
        ),
        one_op(
            "element_taken",
            f"%e = vector.extract %a[3, 20] : f32 from {f}\n    %r = vector.broadcast %e : f32 to {f}",
        ),
        one_op(
            "element_put",
            f"%e = vector.extract %a[3, 20] : f32 from {f}\n    %r = vector.insert %e, %a[12, 5] : f32 into {f}",
        ),
        one_op(
            "step",
            f"""%step = vector.step : vector<32xindex>
    %numbers = arith.index_cast %step : vector<32xindex> to vector<32xi32>
    %r = vector.broadcast %numbers : vector<32xi32> to {vector(BOX, "i32")}""",
            [Operand("a", "i32")],
        ),
        one_op(
            "step_down",
            f"""%step = vector.step : vector<16xindex>
    %numbers = arith.index_cast %step : vector<16xindex> to vector<16xi32>
    %column = vector.shape_cast %numbers : vector<16xi32> to vector<16x1xi32>
    %r = vector.broadcast %column : vector<16x1xi32> to {vector(BOX, "i32")}""",
            [Operand("a", "i32")],
        ),
        one_op(
            "mask_made",
            f"%c9 = arith.constant 9 : index\n    %m = vector.create_mask %c9, %n : {mask}\n    %r = arith.select %m, %a, %b : {mask}, {f}",
            two,
            parameters=count,
        ),
        one_op(
            "mask_constant",
            f"%m = vector.constant_mask [9, 19] : {mask}\n    %r = arith.select %m, %a, %b : {mask}, {f}",
            two,
        ),
        one_op(
            "shape_cast",
            f"%line = vector.shape_cast %a : {vector((1, 32), 'f32')} to vector<32xf32>\n    %r = vector.broadcast %line : vector<32xf32> to {f}",
            [Operand("a", "f32", (1, 32))],
            shape=BOX,
        ),
    ]


def control() -> list[Case]:
    """Loops and branches around tiles and vectors."""
    f = vector(BOX, "f32")
    constants = """%c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    """
    return [
        one_op(
            "for",
            f"""{constants}%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %a) -> ({f}) {{
      %t = arith.mulf %s, %s : {f}
      scf.yield %t : {f}
    }}""",
        ),
        one_op(
            "for_of_sums",
            f"""{constants}%none = arith.constant dense<0.0> : {vector((16, 1), "f32")}
    %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %none) -> ({vector((16, 1), "f32")}) {{
      %line = xetile.tile_reduce <add>, %a [1] : {f} -> {vector((16, 1), "f32")}
      %t = arith.addf %s, %line : {vector((16, 1), "f32")}
      scf.yield %t : {vector((16, 1), "f32")}
    }}
    %r = xetile.tile_broadcast %sum [1] : {vector((16, 1), "f32")} -> {f}""",
        ),
        one_op(
            "if",
            f"""{constants}%p = arith.cmpi slt, %n, %c3 : index
    %r = scf.if %p -> ({f}) {{
      %t = arith.negf %a : {f}
      scf.yield %t : {f}
    }} else {{
      scf.yield %a : {f}
    }}""",
            parameters=[("%n: index", 2)],
        ),
        one_op(
            "while",
            f"""{constants}%end:2 = scf.while (%i = %c0, %s = %a) : (index, {f}) -> (index, {f}) {{
      %p = arith.cmpi slt, %i, %c3 : index
      scf.condition(%p) %i, %s : index, {f}
    }} do {{
    ^bb0(%i: index, %s: {f}):
      %t = arith.addf %s, %s : {f}
      %next = arith.addi %i, %c1 : index
      scf.yield %next, %t : index, {f}
    }}
    %r = arith.negf %end#1 : {f}""",
        ),
        one_op(
            "index_switch",
            f"""%r = scf.index_switch %n -> {f}
    case 2 {{
      %t = arith.negf %a : {f}
      scf.yield %t : {f}
    }}
    default {{
      scf.yield %a : {f}
    }}""",
            parameters=[("%n: index", 2)],
        ),
    ]


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
        _bare(name, f"\n    {line}\n    {load.replace('$', type)}", given, result="f32")
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
            "printf",
            f'%c3 = arith.constant 3 : index\n    gpu.printf "%d", %c3 : index\n    %r = arith.negf %a : {v}',
        ),
    ]
    return cases


def meetings() -> list[Case]:
    """What needs shared memory, gathers or atomics: to be refused in words below level B."""
    f = vector(BOX, "f32")
    scattered = "!xetile.tile<4x16xf32, #xetile.tile_attr<scattered = true>>"
    places = f"""%indices = arith.constant dense<{_literal((4, 16))}> : vector<4x16xindex>
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
