"""Scattered descriptors, and elements of memory that are changed atomically: each element by the lane that has it."""

from collections.abc import Sequence

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import (
    IndexType,
    IntAttr,
    IntegerType,
    VectorType,
    f32,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from xetile.dialects.operand_types import element_type_said
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import FromElementsOp
from xetile.dialects.xegpu import AtomicRMWOp, CreateTdescOp, UpdateOffsetOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.xe.convert_xegpu_to_xevm.changes import (
    Change,
    change_of,
    changed,
    element_pointer,
    same_bits,
)
from xetile.passes.xe.convert_xegpu_to_xevm.computed import lanes_chosen
from xetile.passes.xe.convert_xegpu_to_xevm.lanes import from_lanes
from xetile.passes.xe.convert_xegpu_to_xevm.pointers import base_pointer
from xetile.passes.xe.convert_xegpu_to_xevm.registers import Registers, register_bits
from xetile.passes.xe.convert_xegpu_to_xevm.view import LaneView, Scattered
from xetile.passes.xe.convert_xegpu_to_xevm.words import is_tf32, single
from xetile.planning.xe.register_layouts.layout_rules import relation_of, repeating
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.atomics import Space
from xetile.targets.xe.device import SHARED_ADDRESS_SPACE


def _create_tdesc(view: LaneView, op: CreateTdescOp) -> None:
    type = op.TensorDesc.type
    pointer = base_pointer(view, view.single(op.source))
    view.bind(op.TensorDesc, Scattered((), type, pointer, (op.offsets,)))


def _update_offset(view: LaneView, op: UpdateOffsetOp) -> None:
    view.bind(op.result, view.scattered(op.TensorDesc).moved(op.offsets))


def _atomic_rmw(view: LaneView, op: AtomicRMWOp) -> None:
    descriptor = view.scattered(op.tensorDesc)
    stored = descriptor.type.element_type
    element = element_type_said(op) or stored
    change = change_of(op.kind_name, element)
    if change is None or isinstance(element, IndexType):
        fail(op, f"'{op.kind_name}' of {element} is not lowered to XeVM yet")
    if is_tf32(element):
        change, element, stored = change.of_tf32(), f32, f32
    layout = view.layouts.of(op.result)
    mask = relation_of(op, 1)
    assert mask is not None
    outer = repeating(mask, layout)
    places = descriptor.offsets(view, outer)
    values = view.natural(view.converted(view.taken(op, 2), layout))
    wanted = view.held(op.mask, outer)
    pointers = [
        element_pointer(view, descriptor.pointer, single(view, places, register), element)
        for register in range(layout.in_dim_size("register"))
    ]
    scalars = [
        same_bits(view, single(view, values, register), element)
        for register in range(len(pointers))
    ]
    space: Space = "global"
    if descriptor.pointer.type == llvm.LLVMPointerType(IntAttr(SHARED_ADDRESS_SPACE)):
        space = "shared"
    old: dict[int, SSAValue] = {}
    for registers, condition in _conditions(view, wanted, outer, layout):
        pairs = [(pointers[register], scalars[register]) for register in registers]
        made = _where(view, condition, change, pairs, space, keep=bool(op.result.uses))
        old.update(zip(registers, made, strict=False))
    if op.result.uses:
        found = [same_bits(view, old[register], stored) for register in range(len(pointers))]
        _bind_old(view, op, layout, found)


def _conditions(
    view: LaneView, wanted: Registers, outer: LinearLayout, layout: LinearLayout
) -> list[tuple[list[int], SSAValue | None]]:
    """Registers that share a mask, and what has to be true in a lane that changes their elements; None is nothing.

    Of lanes that hold the same elements the first one does.
    """
    once = _first_holder(view, layout)
    count = range(layout.in_dim_size("register"))
    splat = wanted.splat
    if splat is not None and all(splat.get_values()):
        return [(list(count), once)]
    masks = view.natural(wanted)
    groups: dict[int, list[int]] = {}
    for register in count:
        place = _place(outer, register)
        groups.setdefault(place, []).append(register)
    found: list[tuple[list[int], SSAValue | None]] = []
    for registers in groups.values():
        own = single(view, masks, registers[0])
        condition = own if once is None else view.new(arith.AndIOp(own, once))
        found.append((registers, condition))
    return found


def _place(layout: LinearLayout, register: int) -> int:
    """What names the elements of a register: a column of the layout."""
    place = 0
    for bit, column in enumerate(layout.in_columns["register"]):
        place ^= column if register >> bit & 1 else 0
    return place


def _same_lanes(layout: LinearLayout) -> int:
    """The bits of a lane's number on which what it holds does not depend."""
    return sum(1 << bit for bit, column in enumerate(layout.in_columns["lane"]) if not column)


def _first_holder(view: LaneView, layout: LinearLayout) -> SSAValue | None:
    same = _same_lanes(layout)
    if not same:
        return None
    lanes = sum(1 << lane for lane in range(view.device.lanes) if not lane & same)
    return lanes_chosen(view, [lanes])


def _where(
    view: LaneView,
    condition: SSAValue | None,
    change: Change,
    pairs: Sequence[tuple[SSAValue, SSAValue]],
    space: Space,
    *,
    keep: bool,
) -> list[SSAValue]:
    """What was there before, where it is kept; 0 where the condition is not true."""
    if condition is None:
        return [changed(view, change, *pair, space) for pair in pairs]
    body, other = Block(), Block()
    with view.building(body):
        old = [changed(view, change, *pair, space) for pair in pairs]
        view.emit(scf.YieldOp(*(old if keep else ())))
    types = [value.type for value in old] if keep else []
    with view.building(other):
        view.emit(scf.YieldOp(*[_zero(view, type) for type in types]))
    otherwise = Region(other) if keep else Region()
    return list(view.emit(scf.IfOp(condition, types, Region(body), otherwise)).results)


def _zero(view: LaneView, type: Attribute) -> SSAValue:
    if isa(type, IntegerType):
        return view.constant(0, type)
    zero = view.constant(0, IntegerType(register_bits(type)))
    return view.shared(("zero", type), lambda: arith.BitcastOp(zero, type))


def _bind_old(
    view: LaneView, op: AtomicRMWOp, layout: LinearLayout, old: Sequence[SSAValue]
) -> None:
    type = VectorType(old[0].type, (len(old),))
    made = view.new(FromElementsOp(old, type))
    same = _same_lanes(layout)
    if same:
        made = from_lanes(view, made, mask=same, lane=0)
    view.bind_registers(op.result, made, layout, word_bits=register_bits(old[0].type))


HANDLERS: Handlers[LaneView] = {
    **on(CreateTdescOp, _create_tdesc),
    **on(UpdateOffsetOp, _update_offset),
    **on(AtomicRMWOp, _atomic_rmw),
}
