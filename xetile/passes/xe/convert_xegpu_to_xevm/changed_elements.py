"""Scattered descriptors, and atomic changes of memory: the lane that holds an element changes it.

Each lane changes one element by the device's atomic instruction, or else by compare and exchange:

    %old = scf.while (%guess = %zero) : (i32) -> i32 {
      %new = ...                                        // what the element becomes if it is %guess
      %r = llvm.cmpxchg %p, %guess, %new syncscope("device") monotonic monotonic : !llvm.ptr<1>, i32
      %found = llvm.extractvalue %r[0]                  // %guess, if %new was stored
      %stored = llvm.extractvalue %r[1]
      ...
      scf.condition(%again) %found : i32
    } do {
    ^bb0(%next: i32):
      scf.yield %next : i32
    }

There is no load before: a first guess of 0 costs at most one round, as much as a load would, and a load would race with
the changes of others. An element of fewer bits is changed in the 32-bit word that contains it; the word's other bytes
are stored as they are found.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Self

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    IndexType,
    IntAttr,
    IntegerType,
    VectorType,
    f32,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xetile.dialects.operand_types import element_type_said
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.llvm import AtomicRMWOp as PointerAtomicOp
from xetile.dialects.upstream.llvm import CmpXchgOp
from xetile.dialects.upstream.vector import ExtractOp, FromElementsOp
from xetile.dialects.xegpu import AtomicRMWOp, CreateTdescOp, UpdateOffsetOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.xe.convert_xegpu_to_xevm.computed import lanes_chosen
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import Registers, register_bits
from xetile.passes.xe.convert_xegpu_to_xevm.lane_accesses import base_pointer
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import LaneView, Scattered
from xetile.passes.xe.convert_xegpu_to_xevm.renamed_registers import from_lanes
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import (
    LaneCode,
    cut,
    is_tf32,
    rounded,
    single,
)
from xetile.planning.xe.message_words import BYTE_BITS
from xetile.planning.xe.register_layouts.layout_rules import relation_of, repeating
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.atomics import COMPARED_BITS, Space
from xetile.targets.xe.device import SHARED_ADDRESS_SPACE

_WORD_BITS = COMPARED_BITS[0]

SCOPES: Mapping[Space, str] = {"global": "device", "shared": "workgroup"}
"""The scope in which a change is atomic: all threads that can access the memory."""


class Change(NamedTuple):
    """A change of an element.

    Attributes:
        word: its name for `llvm.atomicrmw`, or None if there is none.
        combine: makes the new element from the old one and the value; None if it is the value.
        tf32: True if elements are words of f32 of which only the upper 19 bits count.
    """

    word: str | None
    combine: Callable[[SSAValue, SSAValue], Operation] | None = None
    tf32: bool = False

    def of_tf32(self) -> Self:
        """Return the same change for words of which the upper bits count; only an exchange has a name."""
        return self._replace(word=None if self.combine else self.word, tf32=True)


_FLOATS: Mapping[str, Change] = {
    "addf": Change("fadd", arith.AddfOp),
    "mulf": Change(None, arith.MulfOp),
    "maximumf": Change(None, arith.MaximumfOp),
    "minimumf": Change(None, arith.MinimumfOp),
    "maxnumf": Change("fmax", arith.MaxnumfOp),
    "minnumf": Change("fmin", arith.MinnumfOp),
}
_INTEGERS: Mapping[str, Change] = {
    "addi": Change("add", arith.AddiOp),
    "muli": Change(None, arith.MuliOp),
    "andi": Change("_and", arith.AndIOp),
    "ori": Change("_or", arith.OrIOp),
    "xori": Change("_xor", arith.XOrIOp),
    "maxs": Change("max", arith.MaxSIOp),
    "mins": Change("min", arith.MinSIOp),
    "maxu": Change("umax", arith.MaxUIOp),
    "minu": Change("umin", arith.MinUIOp),
}


def change_of(kind: str, element: Attribute) -> Change | None:
    """Return the change that a kind of arith's AtomicRMWKind makes to elements of a type, or None if it makes none."""
    if kind == "assign":
        return Change("xchg")
    return (_FLOATS if isa(element, AnyFloat) else _INTEGERS).get(kind)


def changed(
    view: LaneCode, change: Change, pointer: SSAValue, value: SSAValue, space: Space
) -> SSAValue:
    """Change an element and return the old one; `value` is a scalar of the elements' type."""
    if change.tf32:
        value = _of_words(view, cut, value)
        change = change._replace(tf32=change.combine is not None)
    type, scope = value.type, SCOPES[space]
    bits = _bits(type)
    raw = change.combine is None and isa(type, AnyFloat)
    if raw:
        old = changed(view, change, pointer, same_bits(view, value, IntegerType(bits)), space)
        return same_bits(view, old, type)
    if change.word is not None and view.device.has_atomic(change.word, str(type), space):
        return view.new(PointerAtomicOp(change.word, pointer, value, scope))
    if bits in COMPARED_BITS:
        old = _exchanged(
            view,
            pointer,
            IntegerType(bits),
            scope,
            lambda guess: same_bits(
                view,
                _combined(view, change, same_bits(view, guess, type), value),
                IntegerType(bits),
            ),
        )
        return same_bits(view, old, type)
    return _in_word(view, change, pointer, value, scope)


def _combined(view: LaneCode, change: Change, old: SSAValue, value: SSAValue) -> SSAValue:
    if change.combine is None:
        return value
    if not change.tf32:
        return view.new(change.combine(old, value))
    new = view.new(change.combine(_of_words(view, cut, old), value))
    return _of_words(view, rounded, new)


def _of_words(
    view: LaneCode, of: Callable[[LaneCode, SSAValue], SSAValue], value: SSAValue
) -> SSAValue:
    """Apply a function of vectors of words to a single word."""
    made = of(view, view.new(FromElementsOp([value], VectorType(value.type, (1,)))))
    return view.new(ExtractOp(made, [0], value.type))


def _in_word(
    view: LaneCode, change: Change, pointer: SSAValue, value: SSAValue, scope: str
) -> SSAValue:
    """Change an element that is part of a word."""
    type = value.type
    bits = _bits(type)
    own = IntegerType(bits)
    address = view.new(llvm.PtrToIntOp(pointer, i64))
    word_bytes = _WORD_BITS // BYTE_BITS
    inside = view.new(arith.AndIOp(address, view.constant(word_bytes - 1, i64)))
    start = view.new(arith.SubiOp(address, inside))
    word = view.new(llvm.IntToPtrOp.create(operands=[start], result_types=[pointer.type]))
    bytes = view.new(arith.TruncIOp.create(operands=[inside], result_types=[i32]))
    shift = view.new(arith.MuliOp(bytes, view.constant(BYTE_BITS, i32)))
    ones = view.constant((1 << bits) - 1, i32)
    mask = view.new(arith.ShLIOp(ones, shift))
    others = view.new(arith.XOrIOp(mask, view.constant(-1, i32)))

    def part(found: SSAValue) -> SSAValue:
        low = view.new(arith.ShRUIOp(found, shift))
        cut = view.new(arith.TruncIOp.create(operands=[low], result_types=[own]))
        return same_bits(view, cut, type)

    def replaced(guess: SSAValue) -> SSAValue:
        new = same_bits(view, _combined(view, change, part(guess), value), own)
        wide = view.new(arith.ExtUIOp(new, i32))
        moved = view.new(arith.ShLIOp(wide, shift))
        return view.new(arith.OrIOp(view.new(arith.AndIOp(guess, others)), moved))

    return part(_exchanged(view, word, i32, scope, replaced))


def _exchanged(
    view: LaneCode,
    pointer: SSAValue,
    type: IntegerType,
    scope: str,
    replaced: Callable[[SSAValue], SSAValue],
) -> SSAValue:
    """Replace an element atomically and return the old one; `replaced` emits the new element from the old one."""
    before, after = Block(arg_types=[type]), Block(arg_types=[type])
    with view.building(before):
        (guess,) = before.args
        pair = view.new(CmpXchgOp(pointer, guess, replaced(guess), scope))
        found, stored = (
            view.new(llvm.ExtractValueOp(DenseArrayBase.from_list(i64, [place]), pair, kind))
            for place, kind in enumerate((type, i1))
        )
        again = view.new(arith.XOrIOp(stored, view.constant(-1, i1)))
        view.emit(scf.ConditionOp(again, found))
    with view.building(after):
        view.emit(scf.YieldOp(*after.args))
    zero = view.constant(0, type)
    return view.new(scf.WhileOp([zero], [type], Region(before), Region(after)))


def element_pointer(
    view: LaneCode, pointer: SSAValue, place: SSAValue, type: Attribute
) -> SSAValue:
    """Return a pointer to an element, relative to another pointer; `place` is an index."""
    number = view.new(arith.IndexCastOp(place, i64))
    bits = _bits(type)
    assert isinstance(pointer.type, llvm.LLVMPointerType)
    return view.new(
        llvm.GEPOp(
            pointer,
            [llvm.GEP_USE_SSA_VAL],
            IntegerType(bits),
            ssa_indices=[number],
            result_type=pointer.type,
        )
    )


def _bits(type: Attribute) -> int:
    assert isa(type, IntegerType) or isa(type, AnyFloat)
    return type.bitwidth


def same_bits(view: LaneCode, value: SSAValue, type: Attribute) -> SSAValue:
    """Return the same bits as another type."""
    return value if value.type == type else view.new(arith.BitcastOp(value, type))


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
    """Group registers by mask: return them, and the condition for a lane to change their elements, or None.

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
    """Return the column of the layout that identifies the elements of a register."""
    place = 0
    for bit, column in enumerate(layout.in_columns["register"]):
        place ^= column if register >> bit & 1 else 0
    return place


def _same_lanes(layout: LinearLayout) -> int:
    """Return the bits of a lane's number on which its elements do not depend."""
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
    """Change elements where the condition is true and return the old ones if `keep`; elsewhere they are 0."""
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
