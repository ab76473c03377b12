"""Lower constants, masks, steps and vectors of scalars by computing each lane's elements where they are used.

Such a vector needs no registers until it is used. Each use may want another layout, so `bind_computed` binds the value
to a function that makes its elements in a given layout.

A layout L is linear: register r of lane l has the element at the coordinates L(r, 0) xor L(0, l). So the elements
follow from the numbers of registers, which are known, and of the lane:

- `vector.step` is the coordinate itself;
- a mask compares the coordinate with a limit;
- a constant whose elements differ between lanes is a table, from which the lane's number selects.
"""

from collections.abc import Callable, Iterable, Sequence

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import Dense, dense_value, integers_of, is_splat, taken
from xetile.dialects.known_integers import known_integer
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import (
    BroadcastOp,
    CreateMaskOp,
    ExtractOp,
    FromElementsOp,
)
from xetile.dialects.upstream.vector.vector_support import dense, vector_type
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import (
    Registers,
    natural_type,
    register_bits,
)
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import Computed, LaneView
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import as_words, is_tf32
from xetile.planning.xe.register_layouts.layout_rules import is_dealt_out
from xetile.rewriting.one_to_many import Offset
from xetile.rewriting.rewriter import Handlers, on, remade

Make = Callable[[LinearLayout], SSAValue]
"""Returns the elements of a lane's registers in a layout, as one vector."""


def bind_computed(view: LaneView, op: Operation, make: Make) -> None:
    """Bind the result of an op to a vector that `make` makes where it is used.

    For uses in loops it is made here, outside the loops.
    """
    result = op.results[0]
    element = vector_type(result).element_type
    bits = register_bits(element)
    computed = Computed(
        (), lambda layout: Registers(make(layout), element, layout, word_bits=bits)
    )
    view.bind(result, computed)
    if not op.operands or op.name == "vector.broadcast":
        return
    for use in result.uses:
        if use.operation.parent is not op.parent:
            view.converted(computed, view.layouts.taken(use.operation, use.index))


def constant(view: LaneView, op: Operation) -> None:
    """Repeat one register's value for a splat; select other constants by the lane."""
    value = dense_value(op)
    if value is None or _is_copied(op):
        view.copy(op)
        return
    type = vector_type(op.results[0])
    element = type.element_type
    if is_tf32(element):
        value = as_words(value)
    if is_splat(value):
        bits, splat = register_bits(element), value
        view.bind(
            op.results[0],
            Computed((), lambda layout: Registers(splat, element, layout, word_bits=bits)),
        )
        return
    elements = value
    if element == i1:
        shown = [bool(bit) for bit in elements.get_values()]
        bind_computed(view, op, lambda layout: _chosen(view, layout, type.get_shape(), shown))
    else:
        bind_computed(view, op, lambda layout: _lane_table(view, elements, type, layout))


def _lane_table(
    view: LaneView, value: Dense, type: VectorType[Attribute], layout: LinearLayout
) -> SSAValue:
    """Return the elements of a dense constant that a lane holds: one table over the lanes per register."""
    element = natural_type(type.element_type)
    lanes, rows = _places(layout, type.get_shape())
    result = VectorType(element, (len(rows),))
    if lanes == 1:
        places = [row[0] for row in rows]
        return view.new(arith.ConstantOp(taken(value, places, result)))
    own_lane = view.lane()
    table = VectorType(element, (lanes,))
    elements = [
        view.emit_at_entry(
            ExtractOp(_at_entry(view, taken(value, row, table)), [own_lane], element)
        )
        for row in rows
    ]
    return view.emit_at_entry(FromElementsOp(elements, result))


def _at_entry(view: LaneView, value: Dense) -> SSAValue:
    return view.emit_at_entry(arith.ConstantOp(value))


def _places(layout: LinearLayout, shape: Sequence[int]) -> tuple[int, list[list[int]]]:
    """Return for each register the row-major positions of the lanes' elements; one lane if all hold the same."""
    lanes = layout.in_dim_size("lane") if any(layout.in_columns["lane"]) else 1
    return lanes, [
        [
            _row_major(shape, layout.apply({"register": register, "lane": lane}).values())
            for lane in range(lanes)
        ]
        for register in range(layout.in_dim_size("register"))
    ]


def _row_major(shape: Sequence[int], at: Iterable[int]) -> int:
    index = 0
    for extent, coordinate in zip(shape, at, strict=True):
        index = index * extent + coordinate
    return index


# Masks.


def lanes_chosen(view: LaneView, chosen: Sequence[int]) -> SSAValue:
    """Return for each register if this lane is among those whose bits are set: a vector of i1.

    The result is a single i1 if it is the same for all registers.
    """
    everyone = (1 << view.device.lanes) - 1
    type = VectorType(i1, (len(chosen),))
    if all(lanes in (0, everyone) for lanes in chosen):
        data = b"".join(b"\xff" if lanes else b"\0" for lanes in chosen)
        return view.new(arith.ConstantOp(dense(type, data)))
    lane = view.lane_number()
    if len(set(chosen)) == 1:
        return _bit_of(view, view.constant(chosen[0], i32), lane, i1)
    words = VectorType(i32, (len(chosen),))
    sets = view.emit_at_entry(
        arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(words, list(chosen)))
    )
    lanes = view.shared(("lanes", words), lambda: BroadcastOp(lane, words))
    return _bit_of(view, sets, lanes, type)


def _bit_of(view: LaneView, words: SSAValue, bit: SSAValue, type: Attribute) -> SSAValue:
    shifted = view.shared(("bits", words, bit), lambda: arith.ShRUIOp(words, bit))
    return view.shared(
        ("bit", shifted),
        lambda: arith.TruncIOp.create(operands=[shifted], result_types=[type]),
    )


def _chosen(
    view: LaneView, layout: LinearLayout, shape: Sequence[int], shown: Sequence[bool]
) -> SSAValue:
    """Return a constant mask."""
    lanes, rows = _places(layout, shape)
    copies = range(layout.in_dim_size("lane"))
    chosen = [sum(1 << lane for lane in copies if shown[row[lane % lanes]]) for row in rows]
    return repeated(view, lanes_chosen(view, chosen), len(rows))


def repeated(view: LaneView, value: SSAValue, count: int) -> SSAValue:
    """Return a scalar repeated in `count` registers; a vector stays unchanged."""
    if isa(value.type, VectorType):
        return value
    return view.new(BroadcastOp(value, VectorType(value.type, (count,))))


def _constant_mask(view: LaneView, op: Operation) -> None:
    shape = vector_type(op.results[0]).get_shape()
    limits: list[Offset] = list(integers_of(op, "mask_dim_sizes"))
    bind_computed(view, op, lambda layout: mask(view, layout, shape, limits))


def _create_mask(view: LaneView, op: CreateMaskOp) -> None:
    shape = vector_type(op.results[0]).get_shape()
    limits = view.mapped(op.operands)
    bind_computed(view, op, lambda layout: mask(view, layout, shape, limits))


def mask(
    view: LaneView, layout: LinearLayout, shape: Sequence[int], limits: Sequence[Offset]
) -> SSAValue:
    """Return a mask of the coordinates below their limits, a vector of i1."""
    count = layout.in_dim_size("register")
    known = [limit if isinstance(limit, int) else known_integer(limit) for limit in limits]
    extents = shape or (1,)
    if all(limit is not None for limit in known):
        shown = [True]
        for extent, limit in zip(extents, known, strict=True):
            shown = [a and b < (limit or 0) for a in shown for b in range(extent)]
        return _chosen(view, layout, shape, shown)
    scalar: SSAValue | None = None
    vector: SSAValue | None = None
    for dimension, (extent, limit) in enumerate(zip(extents, limits, strict=True)):
        number = known[dimension]
        if number is not None and number >= extent:
            continue
        below = _below(view, layout, dimension, extent, limit)
        if isa(below.type, VectorType):
            vector = below if vector is None else view.new(arith.AndIOp(vector, below))
        else:
            scalar = below if scalar is None else view.new(arith.AndIOp(scalar, below))
    if scalar is None:
        assert vector is not None
        return vector
    spread = repeated(view, scalar, count)
    return spread if vector is None else view.new(arith.AndIOp(vector, spread))


def _below(
    view: LaneView, layout: LinearLayout, dimension: int, extent: int, limit: Offset
) -> SSAValue:
    """Return a mask of coordinates below a limit: an i1 if all registers share the coordinate, else a vector."""
    top, bottom = view.constant(extent), view.constant(0)
    clamped = view.new(arith.MaxSIOp(view.new(arith.MinSIOp(view.index(limit), top)), bottom))
    bound = view.new(arith.IndexCastOp(clamped, i32))
    own = coordinate(view, layout, dimension, i32)
    if isa(own.type, VectorType):
        bound = repeated(view, bound, layout.in_dim_size("register"))
    return view.new(arith.CmpiOp(own, bound, "slt"))


# Coordinates.


def coordinate(
    view: LaneView, layout: LinearLayout, dimension: int, type: IntegerType | IndexType
) -> SSAValue:
    """Return one coordinate of each register's element in this lane, or a scalar if all registers share it."""
    registers, lanes = _components(layout, dimension)
    lane = view.index(view.lane_part(lanes))
    if isinstance(type, IntegerType):
        part = lane
        lane = view.shared(("as", type, part), lambda: arith.IndexCastOp(part, type))
    if not any(registers):
        return lane
    values = [0]
    for column in registers:
        values += [value ^ column for value in values]
    vector = VectorType(type, (len(values),))
    own = view.new(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(vector, values)))
    if not any(lanes):
        return own
    spread = repeated(view, lane, len(values))
    overlap = _union(registers) & _union(lanes)
    return view.new(arith.XOrIOp(own, spread) if overlap else arith.AddiOp(own, spread))


def _components(layout: LinearLayout, dimension: int) -> tuple[list[int], list[int]]:
    _, width, place = layout.fields()[dimension]
    registers, lanes = (
        [column >> place & (1 << width) - 1 for column in layout.in_columns[name]]
        for name in ("register", "lane")
    )
    return registers, lanes


def _union(columns: Sequence[int]) -> int:
    found = 0
    for column in columns:
        found |= column
    return found


def _is_copied(op: Operation) -> bool:
    """Return True if lanes hold a vector whole because registers and lanes cannot share its extent."""
    return not is_dealt_out(vector_type(op.results[0]))


def _step(view: LaneView, op: Operation) -> None:
    def make(layout: LinearLayout) -> SSAValue:
        count = layout.in_dim_size("register")
        return repeated(view, coordinate(view, layout, 0, IndexType()), count)

    bind_computed(view, op, make)


# Scalars.


def broadcast_scalar(view: LaneView, op: Operation) -> None:
    """Repeat a scalar in every register."""
    if _is_copied(op):
        view.copy(op)
        return
    scalar = view.single(op.operands[0])

    def make(layout: LinearLayout) -> SSAValue:
        type = VectorType(scalar.type, (layout.in_dim_size("register"),))
        return view.new(BroadcastOp(scalar, type))

    bind_computed(view, op, make)


def _from_elements(view: LaneView, op: Operation) -> None:
    """Make a vector from scalars that all lanes have; the bits of a lane's number select its own."""
    if _is_copied(op):
        view.copy(op)
        return
    scalars = [view.single(operand) for operand in op.operands]
    type = vector_type(op.results[0])
    element, shape = natural_type(type.element_type), type.get_shape()

    def make(layout: LinearLayout) -> SSAValue:
        lanes, rows = _places(layout, shape)
        held = [[scalars[place] for place in row] for row in rows]
        elements = [row[0] if lanes == 1 else _of_lane(view, row, lanes) for row in held]
        return view.new(FromElementsOp(elements, VectorType(element, (len(rows),))))

    bind_computed(view, op, make)


def _of_lane(view: LaneView, values: Sequence[SSAValue], lanes: int) -> SSAValue:
    """Return this lane's value among those of `lanes` lanes, selected by the highest bit first."""
    half = lanes // 2
    if values[:half] == values[half:]:
        return values[0] if half < 2 else _of_lane(view, values[:half], half)
    low = _of_lane(view, values[:half], half) if half > 1 else values[0]
    high = _of_lane(view, values[half:], half) if half > 1 else values[half]
    chosen = [sum(1 << lane for lane in range(view.device.lanes) if lane & half)]
    return view.new(arith.SelectOp(lanes_chosen(view, chosen), high, low))


def _poison(view: LaneView, op: Operation) -> None:
    type = op.results[0].type
    if not isa(type, VectorType) or _is_copied(op):
        view.copy(op)
        return
    element = natural_type(type.element_type)

    def make(layout: LinearLayout) -> SSAValue:
        count = layout.in_dim_size("register")
        return view.new(remade(op, (), [VectorType(element, (count,))]))

    bind_computed(view, op, make)


HANDLERS: Handlers[LaneView] = {
    "arith.constant": constant,
    "ub.poison": _poison,
    "vector.constant_mask": _constant_mask,
    **on(CreateMaskOp, _create_mask),
    "vector.step": _step,
    "vector.from_elements": _from_elements,
}
