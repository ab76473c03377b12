"""Lower ops that only rearrange elements: transposes, shape casts, bitcasts, broadcasts, slices, insertions.

Most of them compute nothing at lane level. The result is bound to the operand's registers under another layout:

    %t = vector.transpose %v, [1, 0] : vector<16x8xf32> to vector<8x16xf32>

is no op at all if the layout of %v is the transpose of the one wanted for %t. Other cases need ops:

- A slice picks some of the registers. If it contains the elements of some lanes only, those pass them to the others by
  a shuffle whose source lanes are known.
- An inserted part replaces registers. If it covers the elements of some lanes only, the lane's number selects between
  the part and the rest.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerType, VectorType, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import integers_of
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu import ShuffleOp as LaneShuffleOp
from xetile.dialects.upstream.vector import ExtractStridedSliceOp, ShuffleOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import ConvertLayoutOp
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.xe.convert_xegpu_to_xevm.computed import broadcast_scalar, lanes_chosen
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import Registers, register_bits
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import LaneView
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import is_tf32
from xetile.planning.xe.register_layouts.layout_rules import (
    Relation,
    pulled,
    relation_of,
    repeating,
)
from xetile.rewriting.rewriter import Handlers, on

_CARRIED: dict[Attribute, IntegerType] = {i1: i32, IndexType(): i64}
"""Types that a shuffle does not support, and the types in which their elements are moved."""


def from_lanes(view: LaneView, value: SSAValue, *, mask: int, lane: int) -> SSAValue:
    """Return a scalar or a vector of rank 1 from the lanes whose bits of `mask` are those of `lane`."""
    if mask == view.device.lanes - 1:
        return from_lane(view, value, view.constant(lane, i32))
    own = view.lane_number()
    rest = view.constant(view.device.lanes - 1 & ~mask, i32)
    kept = view.shared(("lane within", mask), lambda: arith.AndIOp(own, rest))
    if not lane:
        return from_lane(view, value, kept)
    start = view.constant(lane, i32)
    other = view.shared(("lane at", mask, lane), lambda: arith.OrIOp(kept, start))
    return from_lane(view, value, other)


def from_lane(view: LaneView, value: SSAValue, lane: SSAValue) -> SSAValue:
    """Return a scalar or a vector of rank 1 from the lane with a number (i32)."""
    width = view.constant(view.device.lanes, i32)
    carried = _as(view, value, to=_CARRIED)
    shuffled = view.new(LaneShuffleOp(carried, lane, width, "idx"))
    return shuffled if carried is value else _back(view, shuffled, value.type)


def _element(type: Attribute) -> Attribute:
    return type.element_type if isa(type, VectorType) else type


def _as(view: LaneView, value: SSAValue, *, to: dict[Attribute, IntegerType]) -> SSAValue:
    wide = to.get(_element(value.type))
    if wide is None:
        return value
    type = VectorType(wide, value.type.get_shape()) if isa(value.type, VectorType) else wide
    if _element(value.type) == i1:
        return view.new(arith.ExtUIOp(value, type))
    return view.new(arith.IndexCastOp(value, type))


def _back(view: LaneView, value: SSAValue, type: Attribute) -> SSAValue:
    if _element(type) == i1:
        return view.new(arith.TruncIOp.create(operands=[value], result_types=[type]))
    return view.new(arith.IndexCastOp.create(operands=[value], result_types=[type]))


def relabelled(view: LaneView, op: Operation) -> None:
    """Rename the operand's registers; if it is broadcast, one register has several names."""
    relation = _relation(op, 0)
    layout = view.layouts.of(op.results[0])
    part = view.converted(view.taken(op, 0), repeating(relation, layout))
    view.bind_vector(op.results[0], part.relaid(layout))


def _relation(op: Operation, index: int) -> Relation:
    relation = relation_of(op, index)
    assert relation is not None
    return relation


def _broadcast(view: LaneView, op: Operation) -> None:
    if isa(op.operands[0].type, VectorType):
        relabelled(view, op)
    else:
        broadcast_scalar(view, op)


def _bitcast(view: LaneView, op: Operation) -> None:
    """Rename the same words, of which registers count other parts."""
    source, result = op.operands[0], op.results[0]
    if not isa(source.type, VectorType) or not view.layouts.holds(result):
        view.copy(op)
        return
    relation, part = _relation(op, 0), view.taken(op, 0)
    old, new = (vector_type(value).element_type for value in (source, result))
    if old != new and (is_tf32(old) or is_tf32(new)):
        view.refuse(f"from {old} to {new} has no form in registers; go through f32")
    layout = pulled(relation.inverted(), part.layout)
    recast = part.recast(new, layout)
    if recast is None:
        bits = register_bits(new)
        inner = view.converted(part, pulled(relation, layout))
        recast = Registers(inner.read(view, new, bits), new, layout, word_bits=bits)
    view.bind_vector(result, recast)


# Slices.


def extract_strided_slice(view: LaneView, op: ExtractStridedSliceOp) -> None:
    """Extract a box of a vector."""
    part = view.taken(op, 0)
    given = integers_of(op, "offsets")
    offsets = (*given, *[0] * (len(part.shape) - len(given)))
    view.bind_vector(op.results[0], box(view, part, _relation(op, 0), offsets))


def box(
    view: LaneView, part: Registers, relation: Relation, offsets: Sequence[int]
) -> Registers:
    """Return the box of a vector at these offsets, in the layout that follows from the relation."""
    if relation.placement == "registers":
        return _picked(view, part, relation, offsets)
    layout = pulled(relation.inverted(), part.layout)
    sizes = _sizes(relation, len(offsets))
    sliced = part.sliced(offsets, sizes)
    if sliced is None:
        sliced = _gathered(view, part, offsets, sizes)
    return view.converted(sliced.relaid(_renamed(sliced, relation)), layout)


def _sizes(relation: Relation, rank: int) -> tuple[int, ...]:
    missing = rank - len(relation.result)
    return (*[1] * missing, *relation.result)


def _renamed(part: Registers, relation: Relation) -> LinearLayout:
    """Return a slice's layout without leading dimensions, which have extent 1 and so no bits."""
    widths = list(part.layout.out_widths.values())[-len(relation.result) :]
    names = {f"dim{dimension}": width for dimension, width in enumerate(widths)}
    return LinearLayout.of_columns(part.layout.in_columns, names)


def _gathered(
    view: LaneView, part: Registers, offsets: Sequence[int], sizes: Sequence[int]
) -> Registers:
    """Return a slice that is in some of the lanes, passed on to all of them."""
    layout = part.layout
    outside = _outside(layout, sizes)
    lanes = layout.in_columns["lane"]
    cut = [position for position, column in enumerate(lanes) if column & outside]
    others = [c for i, c in enumerate(lanes) if i not in cut]
    others += layout.in_columns["register"]
    taken = [lanes[position] for position in cut]
    if any(c & (c - 1) for c in taken) or any(c & sum(taken) for c in others):
        return _through_registers(view, part, cut, offsets, sizes)
    start = _column(layout, offsets)
    kept = LinearLayout.of_columns(
        {
            "register": layout.in_columns["register"],
            "lane": tuple([0 if i in cut else column for i, column in enumerate(lanes)]),
        },
        layout.out_widths,
    )
    inside = [
        offset & ~(sum(taken) >> place)
        for offset, (_, _, place) in zip(offsets, layout.fields(), strict=True)
    ]
    sliced = part.relaid(kept).sliced(inside, sizes)
    assert sliced is not None
    mask = sum(1 << position for position in cut)
    lane = sum(1 << position for position in cut if lanes[position] & start)
    value = from_lanes(view, view.natural(sliced), mask=mask, lane=lane)
    bits = register_bits(part.element_type)
    return Registers(value, part.element_type, sliced.layout, word_bits=bits)


def _through_registers(
    view: LaneView,
    part: Registers,
    cut: Sequence[int],
    offsets: Sequence[int],
    sizes: Sequence[int],
) -> Registers:
    """Return a slice after every lane gets the elements of the lanes that the slice cuts."""
    lanes = part.layout.in_columns["lane"]
    columns = {
        "register": (*part.layout.in_columns["register"], *(lanes[i] for i in cut)),
        "lane": tuple([0 if i in cut else column for i, column in enumerate(lanes)]),
    }
    wide = LinearLayout.of_columns(columns, part.layout.out_widths)
    sliced = view.converted(part, wide).sliced(offsets, sizes)
    if sliced is None:
        view.refuse("cuts through what lanes hold in a way that is not lowered")
    return sliced


def _outside(layout: LinearLayout, sizes: Sequence[int]) -> int:
    """Return the bits of a column that are zero inside a box of these sizes at zero."""
    return sum(
        ((1 << width) - size) << place
        for size, (_, width, place) in zip(sizes, layout.fields(), strict=True)
    )


def _column(layout: LinearLayout, at: Sequence[int]) -> int:
    return sum(c << place for c, (_, _, place) in zip(at, layout.fields(), strict=True))


def _picked(
    view: LaneView, part: Registers, relation: Relation, offsets: Sequence[int]
) -> Registers:
    """Return an unaligned box: its registers are picked singly, its lanes are those of the whole."""
    layout = pulled(relation.inverted(), part.layout)
    source = view.converted(part, pulled(relation, layout))
    found = registers_at(source.layout)
    missing = len(offsets) - len(relation.result)
    places = [
        tuple(a + b for a, b in zip(offsets, (*[0] * missing, *at), strict=True))
        for at in coordinates(layout)
    ]
    return source.selected(layout, [found[place] for place in places])


def coordinates(layout: LinearLayout) -> list[tuple[int, ...]]:
    """Return the coordinates of the elements of lane 0."""
    return [
        tuple(layout.apply({"register": register, "lane": 0}).values())
        for register in range(layout.in_dim_size("register"))
    ]


def registers_at(layout: LinearLayout) -> dict[tuple[int, ...], int]:
    """Return the register of lane 0 for each of the lane's elements."""
    found: dict[tuple[int, ...], int] = {}
    for register, at in enumerate(coordinates(layout)):
        found.setdefault(at, register)
    return found


# Insertions into a vector.


def insert_strided_slice(view: LaneView, op: Operation) -> None:
    """Overwrite a box of a vector."""
    merge(view, op, integers_of(op, "offsets"))


def merge(view: LaneView, op: Operation, offsets: Sequence[int]) -> None:
    """Insert the first operand into the second at these offsets, by register if no lane is cut."""
    relation, source = _relation(op, 0), view.taken(op, 0)
    if relation.placement == "registers":
        layout = pulled(relation.inverted(), source.layout)
        exact, chosen = _askew(view, source, relation, layout, offsets)
    else:
        layout = view.layouts.of(op.results[0])
        exact = view.converted(source, repeating(relation, layout))
        sizes = (*[1] * (len(offsets) - len(relation.operand)), *relation.operand)
        chosen = _lanes_inside(layout, offsets, sizes)
    dest = view.converted(view.taken(op, 1), layout)
    bits = register_bits(dest.element_type)
    value = merged(view, exact, dest, chosen)
    view.bind_registers(op.results[0], value, layout, word_bits=bits)


def merged(
    view: LaneView, source: Registers, dest: Registers, chosen: Sequence[int]
) -> SSAValue:
    """Return registers of `source` in the lanes that `chosen` lists for each, else those of `dest`."""
    everyone = (1 << view.device.lanes) - 1
    theirs = view.natural(dest)
    if any(lanes not in (0, everyone) for lanes in chosen):
        ours = view.natural(source)
        return view.new(arith.SelectOp(lanes_chosen(view, chosen), ours, theirs))
    once, places = source.without_repeats()
    ours = view.natural(once)
    count = vector_type(ours).get_shape()[0]
    taken = enumerate(zip(places, chosen, strict=True))
    mask = [place if lanes else count + register for register, (place, lanes) in taken]
    return view.new(ShuffleOp(ours, theirs, mask))


def _lanes_inside(
    layout: LinearLayout, offsets: Sequence[int], sizes: Sequence[int]
) -> list[int]:
    """Return for each register the lanes, as bits, whose elements are in a box."""
    outside, start = _outside(layout, sizes), _column(layout, offsets)
    lanes = _images([column & outside for column in layout.in_columns["lane"]])
    registers = _images([column & outside for column in layout.in_columns["register"]])
    return [
        sum(1 << lane for lane, at in enumerate(lanes) if at ^ own == start)
        for own in registers
    ]


def _images(columns: Sequence[int]) -> list[int]:
    images = [0]
    for column in columns:
        images += [image ^ column for image in images]
    return images


def _askew(
    view: LaneView,
    source: Registers,
    relation: Relation,
    layout: LinearLayout,
    offsets: Sequence[int],
) -> tuple[Registers, list[int]]:
    """Return for each register of the whole that of an unaligned part, and the lanes that take it: all or none."""
    part = view.converted(source, pulled(relation, layout))
    found = registers_at(part.layout)
    missing = len(offsets) - len(relation.operand)
    everyone = (1 << view.device.lanes) - 1
    picked, chosen = list[int](), list[int]()
    for at in coordinates(layout):
        inner = tuple(a - b for a, b in zip(at, offsets, strict=True))
        register = None if any(inner[:missing]) else found.get(inner[missing:])
        picked.append(register or 0)
        chosen.append(0 if register is None else everyone)
    return part.selected(layout, picked), chosen


HANDLERS: Handlers[LaneView] = {
    "vector.bitcast": _bitcast,
    "vector.broadcast": _broadcast,
    "vector.shape_cast": relabelled,
    "vector.transpose": relabelled,
    **on(ConvertLayoutOp, relabelled),
    **on(ExtractStridedSliceOp, extract_strided_slice),
    "vector.insert_strided_slice": insert_strided_slice,
}
