"""Every op of the dialect in every element type: how far each comes on every device, as a page of the docs.

    PYTHONPATH=test python -m support.tiled.table > docs/ops-by-type.md

writes the page anew.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from support.subgroup import FLOAT_KINDS, INTEGER_KINDS, tile, vector
from support.tiled.case import Case, Given
from support.tiled.one_op import BOX, Operand, literal, one_op, values
from support.tiled.reaching import Level, followed
from support.workgroup import wg_map

FLOATS = ("f8E4M3FN", "f8E5M2", "bf16", "f16", "tf32", "f32", "f64")
INTEGERS = ("i1", "i8", "i16", "i32", "i64", "index")
TYPES = (*INTEGERS, *FLOATS)
BMG = "bmg"
COMPILED = (BMG, "pvc", "ptl", "cri")
DEVICES = ("pvc", BMG, "lnl", "ptl", "cri")
ATOMIC_FLOATS = ("addf", "mulf", "maximumf", "maxnumf", "minimumf", "minnumf", "assign")
ATOMIC_INTEGERS = (
    "addi",
    "muli",
    "maxs",
    "maxu",
    "mins",
    "minu",
    "andi",
    "ori",
    "xori",
    "assign",
)


class Row(NamedTuple):
    """An op in one form, and its kernel for each element type that it takes."""

    op: str
    cases: Mapping[str, Case]


def _each(op: str, make: Callable[[str], Case], types: Sequence[str] = TYPES) -> Row:
    return Row(op, {t: make(t) for t in types})


def _name(op: str, type: str) -> str:
    return f"{op}_{type}"


def _copied(t: str) -> Case:
    v = vector(BOX, t)
    return one_op(
        _name("moved", t), f"%r = vector.shape_cast %a : {v} to {v}", [Operand("a", t)]
    )


def _prefetched(t: str) -> Case:
    v, of = vector(BOX, t), tile(BOX, t)
    return one_op(
        _name("prefetched", t),
        f"xetile.prefetch_tile %a_tile : {of}\n    %r = vector.shape_cast %a : {v} to {v}",
        [Operand("a", t)],
    )


def _stepped(t: str) -> Case:
    v, of = vector(BOX, t), tile(BOX, t)
    return one_op(
        _name("stepped", t),
        f"""%c8 = arith.constant 8 : index
    %next = xetile.update_tile_offset %a_tile, [%c8, 16] : {of}
    %r = xetile.load_tile %next : {of} -> {v}""",
        [Operand("a", t)],
    )


def _shared(t: str) -> Case:
    v, of = vector(BOX, t), tile(BOX, t, "memory_space = 3")
    memory = f"memref<16x32x{t}, 3>"
    return one_op(
        _name("shared", t),
        f"""%memory = memref.alloc() : {memory}
    %s = xetile.init_tile %memory[0, 0] : {memory} -> {of}
    xetile.store_tile %a, %s : {v}, {of}
    gpu.barrier
    %r = xetile.load_tile %s : {of} -> {v}""",
        [Operand("a", t)],
    )


SMALL = (4, 16)


def _places(t: str) -> str:
    scattered = f"!xetile.tile<4x16x{t}, #xetile.tile_attr<scattered = true>>"
    return f"""%indices = arith.constant dense<{literal(SMALL)}> : vector<4x16xindex>
    %mask = arith.constant dense<{"[" + ", ".join(["[" + ", ".join(["true", "false"] * 8) + "]"] * 4) + "]"}> : vector<4x16xi1>
    %s = xetile.init_tile %S, %indices : memref<64x{t}>, vector<4x16xindex> -> {scattered}
    """


def _line(t: str) -> list[tuple[str, Given]]:
    return [(f"%S: memref<64x{t}>", values((64,), t, 5))]


def _gathered(t: str) -> Case:
    scattered = f"!xetile.tile<4x16x{t}, #xetile.tile_attr<scattered = true>>"
    return one_op(
        _name("gathered", t),
        f"{_places(t)}%r = xetile.load_gather %s, %mask : {scattered}, vector<4x16xi1> -> {vector(SMALL, t)}",
        [Operand("a", t, SMALL)],
        parameters=_line(t),
    )


def _scattered(t: str) -> Case:
    scattered = f"!xetile.tile<4x16x{t}, #xetile.tile_attr<scattered = true>>"
    v = vector(SMALL, t)
    return one_op(
        _name("scattered", t),
        f"{_places(t)}xetile.store_scatter %a, %s, %mask : {v}, {scattered}, vector<4x16xi1>\n"
        f"    %r = vector.shape_cast %a : {v} to {v}",
        [Operand("a", t, SMALL)],
        parameters=_line(t),
    )


def _updated(kind: str, t: str) -> Case:
    box = (8, 16)
    v, of = vector(box, t), tile(box, t)
    return one_op(
        _name(f"atomic_{kind}", t),
        f"%r = xetile.atomic_rmw_tile <{kind}> %a, %b_tile : {v}, {of} -> {v}",
        [Operand("a", t, box), Operand("b", t, box)],
    )


def _updated_scattered(kind: str, t: str) -> Case:
    scattered = f"!xetile.tile<4x16x{t}, #xetile.tile_attr<scattered = true>>"
    v = vector(SMALL, t)
    return one_op(
        _name(f"atomic_scattered_{kind}", t),
        f"{_places(t)}%r = xetile.atomic_rmw_tile <{kind}> %a, %s : {v}, {scattered} -> {v}",
        [Operand("a", t, SMALL)],
        parameters=_line(t),
    )


def _updated_shared(kind: str, t: str) -> Case:
    box = (8, 16)
    v, of = vector(box, t), tile(box, t, "memory_space = 3")
    memory = f"memref<8x16x{t}, 3>"
    return one_op(
        _name(f"atomic_shared_{kind}", t),
        f"""%memory = memref.alloc() : {memory}
    %s = xetile.init_tile %memory[0, 0] : {memory} -> {of}
    xetile.store_tile %a, %s : {v}, {of}
    gpu.barrier
    %before = xetile.atomic_rmw_tile <{kind}> %a, %s : {v}, {of} -> {v}
    gpu.barrier
    %r = xetile.load_tile %s : {of} -> {v}""",
        [Operand("a", t, box)],
    )


def _transposed(t: str) -> Case:
    lines = (
        f"%r = xetile.tile_transpose %a, [1, 0] : {vector(BOX, t)} -> {vector((32, 16), t)}"
    )
    return one_op(_name("transposed", t), lines, [Operand("a", t)], t, (32, 16))


def _reduced(kind: str, t: str) -> Case:
    lines = (
        f"%r = xetile.tile_reduce <{kind}>, %a [0] : {vector(BOX, t)} -> {vector((1, 32), t)}"
    )
    return one_op(_name(f"reduced_{kind}", t), lines, [Operand("a", t)], t, (1, 32))


def _broadcast(t: str) -> Case:
    lines = f"%r = xetile.tile_broadcast %a [0] : {vector((1, 32), t)} -> {vector(BOX, t)}"
    return one_op(_name("broadcast", t), lines, [Operand("a", t, (1, 32))], t, BOX)


def _packed(t: str) -> Case:
    v, blocks = vector(BOX, t), f"vector<2x2x8x16x{t}>"
    return one_op(
        _name("packed", t),
        f"""%p = xetile.tile_pack %a {{inner_blocks = array<i64: 8, 16>}} : {v} -> {blocks}
    %r = xetile.tile_unpack %p {{inner_blocks = array<i64: 8, 16>}} : {blocks} -> {v}""",
        [Operand("a", t)],
    )


def _converted(t: str) -> Case:
    """Between two subgroups: a half of the rows, and a half of the columns."""
    rows, columns = wg_map(((2, 1), (8, 32))), wg_map(((1, 2), (16, 16)))
    v, memory = vector(BOX, t), f"memref<16x64x{t}>"
    given, taken = (
        f"!xetile.tile<16x32x{t}, #xetile.tile_attr<wg_map = {m}>>" for m in (rows, columns)
    )
    body = f"""
    %a_tile = xetile.init_tile %A[0, 0] : {memory} -> {given}
    %a = xetile.load_tile %a_tile : {given} -> {v}
    %c = xetile.tile_conv_layout %a {{wg_map_result = {columns}}} : {v}
    %r_tile = xetile.init_tile %R[0, 0] : {memory} -> {taken}
    xetile.store_tile %c, %r_tile : {v}, {taken}"""
    arrays = [values((16, 64), t), values((16, 64), t, 1)]
    parameters = [f"%A: {memory}", f"%R: {memory}"]
    return Case(_name("converted", t), parameters, body, arrays, {}, subgroups=2)


PRODUCTS: Mapping[str, tuple[str, int]] = {
    "i8": ("i32", 32),
    "f8E4M3FN": ("f32", 32),
    "f8E5M2": ("f32", 32),
    "bf16": ("f32", 16),
    "f16": ("f32", 16),
    "tf32": ("f32", 8),
    "f32": ("f32", 8),
    "f64": ("f64", 8),
}
"""The accumulator's type and K for each type of A and B that the dialect multiplies."""


def _product(t: str, to: str = "") -> Case:
    c, k = PRODUCTS[t]
    c = to or c
    shapes = ((16, k), (k, 16), (16, 16))
    v = [vector(s, e) for s, e in zip(shapes, (t, t, c), strict=True)]
    return one_op(
        _name("product" + to, t),
        f"%r = xetile.tile_mma %a, %b, %c : {v[0]}, {v[1]}, {v[2]} -> {v[2]}",
        [Operand("a", t, shapes[0]), Operand("b", t, shapes[1]), Operand("c", c, shapes[2])],
        c,
        shapes[2],
    )


@cache
def rows() -> Sequence[Row]:
    """The table's rows, in the order of the dialect's page."""
    numbers = [t for t in TYPES if t != "i1"]
    whole = [t for t in INTEGERS if t != "i1"]
    return (
        _each("`init_tile`, `load_tile`, `store_tile`", _copied),
        _each("the same in shared memory", _shared),
        _each("`prefetch_tile`", _prefetched),
        _each("`update_tile_offset`", _stepped),
        _each("`tile_mma` of A and B", _product, tuple(PRODUCTS)),
        _each("`tile_mma`, all of one type", lambda t: _product(t, t), ("bf16", "f16")),
        *(
            _each(f"`atomic_rmw_tile <{kind}>`", lambda t, kind=kind: _updated(kind, t), types)
            for kind, types in _atomic_kinds(whole)
        ),
        *(
            _each(
                f"the same, scattered, `<{kind}>`",
                lambda t, kind=kind: _updated_scattered(kind, t),
                types,
            )
            for kind, types in _atomic_kinds(whole)
            if kind in ("addf", "addi", "assign")
        ),
        *(
            _each(
                f"the same in shared memory, `<{kind}>`",
                lambda t, kind=kind: _updated_shared(kind, t),
                types,
            )
            for kind, types in _atomic_kinds(whole)
            if kind in ("addf", "addi", "assign")
        ),
        _each("`tile_transpose`", _transposed),
        *(
            _each(
                f"`tile_reduce <{kind}>`",
                lambda t, kind=kind: _reduced(kind, t),
                numbers
                if kind in ("add", "mul")
                else FLOATS
                if kind in FLOAT_KINDS
                else whole,
            )
            for kind in dict.fromkeys((*FLOAT_KINDS, *INTEGER_KINDS))
        ),
        _each("`tile_broadcast`", _broadcast),
        _each("`tile_conv_layout`", _converted),
        _each("`load_gather`", _gathered),
        _each("`store_scatter`", _scattered),
        _each("`tile_pack`, `tile_unpack`", _packed),
    )


def _atomic_kinds(whole: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    kinds: dict[str, list[str]] = {}
    for kind in ATOMIC_FLOATS:
        kinds.setdefault(kind, []).extend(FLOATS)
    for kind in ATOMIC_INTEGERS:
        kinds.setdefault(kind, []).extend(whole)
    return list(kinds.items())


def levels(case: Case, *, executed: bool = False) -> dict[str, Level]:
    """How far a kernel comes on each device; lnl is bmg by another name."""
    found: dict[str, Level] = {
        device: followed(case, device, executed=executed and device == BMG).level
        for device in COMPILED
    }
    return {device: found.get(device, found[BMG]) for device in DEVICES}


LETTERS: Mapping[Level, str] = {
    "none": "-",
    "workgroup": "W",
    "subgroup": "S",
    "blocked": "B",
    "xegpu": "X",
    "xevm": "V",
    "spirv": "✓",
}


def cell(found: Mapping[str, Level]) -> str:
    """A level, or the devices of each."""
    different = dict.fromkeys(found.values())
    if len(different) == 1:
        return LETTERS[next(iter(different))]
    return ", ".join(
        f"{LETTERS[level]} {' '.join(d for d in DEVICES if found[d] == level)}"
        for level in different
    )


def letter(written: str, device: str) -> str:
    """What a cell says of a device."""
    for part in written.split(", "):
        found, *devices = part.split(" ")
        if not devices or device in devices:
            return found
    raise ValueError(f"{written!r} does not name {device}")


HEAD = """\
# Ops and element types: how far each comes on each device

Each cell is a kernel of one op on tiles of that type, for pvc, bmg, lnl, ptl and cri. ✓ is assembly; a letter is the
last [level](compiling.md) that is reached, with the devices where these differ; - is what the op does not take.
`test/support/tiled/table.py` writes this page. Tests compare it, execute every kernel at every level, and compile
all for bmg; for pvc, ptl and cri the products and every fourth of the others; for lnl none, whose tables are those of bmg.

Not on every device, for want of an instruction:

- products of f32 and f64: the matrix unit multiplies at most the 19 bits of tf32, and nothing wider, on no device; the
  vector unit's products are `arith.mulf` or `vector.fma`, which have every rounding that is asked for;
- products of f8E4M3FN and f8E5M2: ptl and cri have instructions for them, pvc, bmg and lnl none.
"""


def page(cells: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """The page's lines."""
    yield from HEAD.splitlines()
    yield ""
    yield f"| op | {' | '.join(TYPES)} |"
    yield f"|---|{'---|' * len(TYPES)}"
    for row in rows():
        found = [cells.get((row.op, t), "-") for t in TYPES]
        yield f"| {row.op} | {' | '.join(found)} |"


def cells() -> dict[tuple[str, str], str]:
    """Every cell that has a kernel."""
    return {(row.op, t): cell(levels(case)) for row in rows() for t, case in row.cases.items()}


if __name__ == "__main__":
    print("\n".join(page(cells())))
