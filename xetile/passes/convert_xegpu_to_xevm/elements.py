"""Single elements and rows: taken out of a vector, put into one, picked along the leading dimension."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, VectorType
from xdsl.ir import Operation, SSAValue

from xetile.analysis.constants import integers_of
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import BroadcastOp, ExtractOp, ToElementsOp
from xetile.dialects.upstream.vector.elements import ShuffleOp
from xetile.dialects.upstream.vector.support import vector_type
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.convert_xegpu_to_xevm.computed import coordinate, repeated
from xetile.passes.convert_xegpu_to_xevm.lanes import from_lane
from xetile.passes.convert_xegpu_to_xevm.rearrange import (
    box,
    coordinates,
    merge,
    merged,
    registers_at,
)
from xetile.passes.convert_xegpu_to_xevm.registers import (
    Registers,
    natural_type,
    register_bits,
)
from xetile.passes.convert_xegpu_to_xevm.tf32 import cut, is_tf32
from xetile.passes.convert_xegpu_to_xevm.view import LaneView
from xetile.planning.layout_rules import pulled, relation_of, repeating
from xetile.rewriting.layout_arithmetic import apply_layout
from xetile.rewriting.one_to_many import Offset
from xetile.rewriting.rewriter import Handlers, on


def _position(view: LaneView, op: Operation, first: int) -> list[Offset]:
    """Where an op points: numbers, and what became of the operands from `first` on."""
    dynamic = iter(op.operands[first:])
    return [
        view.single(next(dynamic)) if number == DYNAMIC_INDEX else number
        for number in integers_of(op, "static_position")
    ]


def extract(view: LaneView, op: Operation) -> None:
    """One block of those that a message loads, one row, or one element."""
    source, result = op.operands[0], op.results[0]
    if isinstance(view.get(source), SSAValue):
        view.copy(op)
        return
    position = _position(view, op, 1)
    part = view.taken(op, 0)
    if not isa(result.type, VectorType):
        view.bind(result, element(view, part, position))
        return
    relation = relation_of(op, 0)
    assert relation is not None
    known = [number for number in position if isinstance(number, int)]
    rest = [0] * len(relation.result)
    if len(known) == len(position):
        view.bind_vector(result, box(view, part, relation, (*known, *rest)))
        return
    layout = pulled(relation.inverted(), part.layout)
    exact = view.converted(part, pulled(relation, layout))
    view.bind_vector(result, _row_at(view, exact, layout, position))


def _row_at(
    view: LaneView, part: Registers, layout: LinearLayout, position: Sequence[Offset]
) -> Registers:
    """The row at a place that is known at run time only: one after the other, as long as it is the place."""
    found = registers_at(part.layout)
    within = coordinates(layout)
    made: SSAValue | None = None
    ranges = [
        (number,) if isinstance(number, int) else range(extent)
        for number, extent in zip(position, part.shape, strict=False)
    ]
    for place in product(*ranges):
        row = part.selected(layout, [found[(*place, *at)] for at in within])
        value = view.natural(row)
        if made is None:
            made = value
            continue
        here: SSAValue | None = None
        for number, wanted in zip(place, position, strict=True):
            if isinstance(wanted, SSAValue):
                same = view.new(arith.CmpiOp(wanted, view.constant(number), "eq"))
                here = same if here is None else view.new(arith.AndIOp(here, same))
        assert here is not None
        made = view.new(arith.SelectOp(here, value, made))
    assert made is not None
    return Registers(
        made, part.element_type, layout, word_bits=register_bits(part.element_type)
    )


def element(view: LaneView, part: Registers, position: Sequence[Offset]) -> SSAValue:
    """One element, which all lanes get from that which has it."""
    layout = part.layout
    at = _inverse(layout)
    place = apply_layout(at, _named(position), view.emit) if position else dict[str, Offset]()
    register, lane = place.get("register", 0), place.get("lane", 0)
    if isinstance(register, int):
        one = LinearLayout.of_columns(
            {"register": (), "lane": layout.in_columns["lane"]}, layout.out_widths
        )
        held = part.selected(one, [register])
        found = view.new(
            ExtractOp(_elements(view, held), [0], natural_type(part.element_type))
        )
    else:
        values = _elements(view, part)
        found = view.new(ExtractOp(values, [register], natural_type(part.element_type)))
    if not any(layout.in_columns["lane"]):
        return found
    return from_lane(view, found, view.integer(lane))


def _elements(view: LaneView, part: Registers) -> SSAValue:
    value = view.natural(part)
    return cut(view, value) if is_tf32(part.element_type) else value


def _inverse(layout: LinearLayout) -> LinearLayout:
    """dim0, dim1, ... -> the lowest (register, lane) that holds the element."""
    return layout.pseudoinvert()


def _named(position: Sequence[Offset]) -> Mapping[str, Offset]:
    return {f"dim{dimension}": number for dimension, number in enumerate(position)}


def _to_elements(view: LaneView, op: ToElementsOp) -> None:
    if isinstance(view.get(op.source), SSAValue):
        view.copy(op)
        return
    part = view.taken(op, 0)
    shape = part.shape
    for place, result in zip(product(*map(range, shape)), op.results, strict=True):
        view.bind(result, element(view, part, place))


def insert(view: LaneView, op: Operation) -> None:
    """A row, a block or an element put into a vector."""
    value, result = op.operands[0], op.results[0]
    if isinstance(view.get(op.operands[1]), SSAValue) and not view.layouts.holds(result):
        view.copy(op)
        return
    position = _position(view, op, 2)
    known = [number for number in position if isinstance(number, int)]
    is_row = isa(value.type, VectorType)
    if is_row and len(known) == len(position):
        merge(view, op, (*known, *[0] * vector_type(value).get_num_dims()))
        return
    layout = view.layouts.of(result)
    dest = view.converted(view.taken(op, 1), layout)
    bits, count = register_bits(dest.element_type), layout.in_dim_size("register")
    if is_row:
        relation = relation_of(op, 0)
        assert relation is not None
        source = view.converted(view.taken(op, 0), repeating(relation, layout))
        ours = view.natural(source)
    else:
        type = VectorType(natural_type(dest.element_type), (count,))
        ours = view.new(BroadcastOp(view.single(value), type))
    if len(known) == len(position):
        chosen = _lanes_at(layout, known)
        source = Registers(ours, dest.element_type, layout, word_bits=bits)
        made = merged(view, source, dest, chosen)
    else:
        here = repeated(view, _is_at(view, layout, position), count)
        made = view.new(arith.SelectOp(here, ours, view.natural(dest)))
    view.bind_registers(result, made, layout, word_bits=bits)


def _lanes_at(layout: LinearLayout, position: Sequence[int]) -> list[int]:
    """For each register the lanes, as bits, that hold an element."""
    wanted = tuple(position)
    return [
        sum(
            1 << lane
            for lane in range(layout.in_dim_size("lane"))
            if tuple(layout.apply({"register": register, "lane": lane}).values()) == wanted
        )
        for register in range(layout.in_dim_size("register"))
    ]


def _is_at(view: LaneView, layout: LinearLayout, position: Sequence[Offset]) -> SSAValue:
    """Where the leading coordinates are these."""
    count = layout.in_dim_size("register")
    found: SSAValue | None = None
    for dimension, number in enumerate(position):
        own = coordinate(view, layout, dimension, IndexType())
        wanted = view.index(number)
        if isa(own.type, VectorType):
            wanted = repeated(view, wanted, count)
        same = view.new(arith.CmpiOp(own, wanted, "eq"))
        if found is None:
            found = same
            continue
        if found.type != same.type:
            found, same = repeated(view, found, count), repeated(view, same, count)
        found = view.new(arith.AndIOp(found, same))
    assert found is not None
    return found


def _shuffle(view: LaneView, op: Operation) -> None:
    """Entries along the leading dimension, which lies in registers."""
    mask = integers_of(op, "mask")
    relations = relation_of(op, 0), relation_of(op, 1)
    first, second = view.taken(op, 0), view.taken(op, 1)
    assert relations[0] is not None
    assert relations[1] is not None
    layout = pulled(relations[0].inverted(), first.layout)
    parts = [
        view.converted(part, pulled(relation, layout))
        for part, relation in zip((first, second), relations, strict=True)
        if relation is not None
    ]
    count = prod(parts[0].shape[:1])
    places = [registers_at(part.layout) for part in parts]
    lengths = len(parts[0].selection)
    picked: list[int] = []
    for at in coordinates(layout):
        entry = max(mask[at[0]], 0)
        which, rest = divmod(entry, count) if entry < count else (1, entry - count)
        picked.append(places[which][(rest, *at[1:])] + which * lengths)
    value = view.new(ShuffleOp(view.natural(parts[0]), view.natural(parts[1]), picked))
    bits = register_bits(parts[0].element_type)
    view.bind_registers(op.results[0], value, layout, word_bits=bits)


HANDLERS: Handlers[LaneView] = {
    "vector.extract": extract,
    "vector.insert": insert,
    "vector.shuffle": _shuffle,
    **on(ToElementsOp, _to_elements),
}
