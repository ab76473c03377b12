"""Lower single elements and rows, matrix instructions, and ops that a subgroup executes once.

Elements are extracted from a vector, inserted into one, or picked along the leading dimension. The first lane executes
the ops that a subgroup does once and that its lanes would do many times.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Literal

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    SymbolRefAttr,
    VectorType,
    bf16,
    f16,
    f32,
    i16,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import SymbolTable

from xetile.analysis.constants import integers_of
from xetile.analysis.module_kernels import symbol_name
from xetile.dialects.operand_types import FLOATS_8, operand_types, set_operand_types
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu.collectives import LaneIdOp
from xetile.dialects.upstream.vector import BroadcastOp, ExtractOp, ToElementsOp
from xetile.dialects.upstream.vector.vector_shapes import ShuffleOp
from xetile.dialects.upstream.vector.vector_support import vector_of, vector_type
from xetile.dialects.xegpu import DpasOp
from xetile.dialects.xevm import MMAOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.intel.xegpu_layouts import dpas_vector_layout
from xetile.passes.xe.convert_xegpu_to_xevm.computed import coordinate, repeated
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import (
    Registers,
    natural_type,
    register_bits,
)
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import LaneView
from xetile.passes.xe.convert_xegpu_to_xevm.renamed_registers import (
    box,
    coordinates,
    from_lane,
    merge,
    merged,
    registers_at,
)
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import cut, is_tf32
from xetile.planning.xe.register_layouts.layout_rules import pulled, relation_of, repeating
from xetile.rewriting.layout_arithmetic import apply_layout
from xetile.rewriting.one_to_many import Offset
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets import which_multiply
from xetile.targets.xe.dpas import XeProduct

_ONCE = ("gpu.printf", "memref.atomic_rmw", "vector.print")


def _by_first_lane(view: LaneView, op: Operation) -> None:
    if any(result.uses for result in op.results):
        view.refuse(
            "is done once by a subgroup and gives all its lanes the old value, "
            "which is not lowered to XeVM yet; expected a result that nothing uses"
        )
    for operand in op.operands:
        # all lanes take part in moving a vector to the first one
        view.single(operand)
    lane = view.new(LaneIdOp())
    first = view.new(arith.CmpiOp(lane, view.constant(0), "eq"))
    body = Block()
    with view.building(body):
        view.other(op)
        view.emit(scf.YieldOp())
    view.emit(scf.IfOp(first, [], Region(body), Region()))


def _store(view: LaneView, op: Operation) -> None:
    """Store a scalar once for a subgroup, except where every lane has memory of its own."""
    source = op.operands[1].owner
    while isinstance(source, Operation) and source.operands:
        source = source.operands[0].owner
    if isinstance(source, Operation) and source.name == "memref.alloca":
        view.other(op)
    else:
        _by_first_lane(view, op)


def _call(view: LaneView, op: Operation) -> None:
    """Let every lane call a function, unless the callee would then do something else."""
    callees = _called(op)
    for callee in callees:
        between = "" if callee is callees[0] else f"@{symbol_name(callees[0])}, and so "
        for inner in callee.walk():
            if inner.name in _ONCE:
                view.refuse(
                    f"calls {between}@{symbol_name(callee)}, whose '{inner.name}' "
                    "every lane of a subgroup would do"
                )
    view.other(op)


def _called(call: Operation) -> list[Operation]:
    """Return the functions that a call reaches, each once, including those called by others."""
    found: list[Operation] = []
    calls = [call]
    while calls:
        call = calls.pop()
        name = call.properties["callee"]
        assert isinstance(name, SymbolRefAttr)
        callee = SymbolTable.lookup_symbol(call, name)
        if callee is not None and callee not in found:
            found.append(callee)
            calls.extend(op for op in callee.walk() if op.name == "func.call")
    return found


_WORDS: Mapping[str, tuple[Attribute, int]] = {
    str(type): (type, type.bitwidth) for type in (i16, i32, f16, bf16, f32)
}
"""Types of register words by their names, and their bits."""


def _instruction(view: LaneView, op: DpasOp, types: tuple[Attribute, Attribute]) -> XeProduct:
    """Return the device's instruction for a product of operands of these types; refuse sizes without one."""
    a, b, c = (vector_type(v) for v in (*op.operands[:2], op.results[0]))
    instruction = view.device.matrix_instruction(*types, c.element_type)
    if instruction is None:
        others = which_multiply(*types, c.element_type)
        fail(
            op,
            f"{view.device.name} has no matrix instruction for A {types[0]}, B {types[1]} and accumulator "
            f"{c.element_type}{others}",
        )
    if a.get_num_dims() != 2:
        fail(op, f"{view.device.name} has no matrix instruction for {a}, {b} and {c}")
    m, k = a.get_shape()
    n = c.get_shape()[1]
    if m not in instruction.m or n != instruction.n or k != instruction.k:
        fail(
            op,
            f"no matrix instruction of m = {m}, n = {n}, k = {k}; {view.device.name} takes m of "
            f"{', '.join(map(str, instruction.m))}, n = {instruction.n}, k = {instruction.k}",
        )
    return instruction


def dpas(view: LaneView, op: DpasOp) -> None:
    """Emit a matrix instruction with its operands in the layouts that it takes."""
    a, b, c = (vector_type(v) for v in (*op.operands[:2], op.results[0]))
    types = operand_types(op) or (a.element_type, b.element_type)
    instruction = _instruction(view, op, types)
    (m, k), n = a.get_shape(), c.get_shape()[1]
    forms: list[tuple[Literal["a", "b", "c"], SSAValue, tuple[int, int]]] = [
        ("a", op.operands[0], (m, k)),
        ("b", op.operands[1], (k, n)),
        *(("c", value, (m, n)) for value in op.operands[2:]),
    ]
    operands: list[SSAValue] = []
    for operand, value, shape in forms:
        vector = vector_type(value)
        pack = vector.get_shape()[2] if vector.get_num_dims() == 3 else 1
        layout = dpas_vector_layout(
            operand,
            shape,
            repeat_count=m,
            ops_per_channel=instruction.ops_per_channel,
            pack=pack,
        )
        registers = view.held(value, layout)
        operands.append(registers.read(view, *_WORDS[instruction.register_word(operand)]))
    layout = dpas_vector_layout(
        "c", (m, n), repeat_count=m, ops_per_channel=instruction.ops_per_channel, pack=1
    )
    type, bits = _WORDS[instruction.register_word("c")]
    result = vector_of(type, (layout.in_dim_size("register"),))
    product = MMAOp(
        *operands,
        shape=(m, n, k),
        types=instruction.mma_types(has_accumulator=len(operands) == 3),
        result_type=result,
    )
    if any(isinstance(type, FLOATS_8) for type in types):
        set_operand_types(product, types)
    view.bind_registers(op.results[0], view.new(product), layout, word_bits=bits)


def _position(view: LaneView, op: Operation, first: int) -> list[Offset]:
    """Return the position that an op names: numbers, and new values of the operands from `first` on."""
    dynamic = iter(op.operands[first:])
    return [
        view.single(next(dynamic)) if number == DYNAMIC_INDEX else number
        for number in integers_of(op, "static_position")
    ]


def extract(view: LaneView, op: Operation) -> None:
    """Extract one block of those that a message loads, one row, or one element."""
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
    """Return the row at a run-time position, by comparing each possible position."""
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
    """Return one element, which all lanes get from the lane that holds it."""
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
    """Return the map dim0, dim1, ... -> the lowest (register, lane) that holds the element."""
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
    """Insert a row, a block or an element into a vector."""
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
    """Return for each register the lanes, as bits, that hold an element."""
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
    """Return a mask of the elements whose leading coordinates are these."""
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
    """Shuffle entries along the leading dimension, which is in registers."""
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
    **dict.fromkeys(_ONCE, _by_first_lane),
    "func.call": _call,
    "memref.store": _store,
    **on(DpasOp, dpas),
}
