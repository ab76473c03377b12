"""One element of memory changed atomically by each lane: by the device's instruction, else by comparing and exchanging.

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

Nothing is read before: a first guess of 0 costs at most the round that a load would, and a load would race with what
others change. An element of fewer bits is changed in the word of 32 bits that it lies in; the word's other bytes are
stored as they are found.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Self

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    IntegerType,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xetile.dialects.upstream import arith
from xetile.dialects.upstream.llvm import AtomicRMWOp, CmpXchgOp
from xetile.dialects.upstream.vector import ExtractOp, FromElementsOp
from xetile.hints import isa
from xetile.passes.xe.convert_xegpu_to_xevm.lane_code import LaneCode
from xetile.passes.xe.convert_xegpu_to_xevm.words import cut, rounded
from xetile.planning.xe.words import BYTE_BITS
from xetile.targets.xe.atomics import COMPARED_BITS, Space

_WORD_BITS = COMPARED_BITS[0]

SCOPES: Mapping[Space, str] = {"global": "device", "shared": "workgroup"}
"""Who sees a change as one: all that can reach the memory."""


class Change(NamedTuple):
    """What is done to an element.

    Attributes:
        word: what `llvm.atomicrmw` calls it; None where it has no word.
        combine: what makes the new element of the old one and the value; None where it is the value.
        tf32: whether elements are words of f32 of which the upper 19 bits count.
    """

    word: str | None
    combine: Callable[[SSAValue, SSAValue], Operation] | None = None
    tf32: bool = False

    def of_tf32(self) -> Self:
        """The same change of words of which the upper bits count: only exchanging them has a word."""
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
    """What a kind of arith's AtomicRMWKind does to elements of a type; None where it does nothing to them."""
    if kind == "assign":
        return Change("xchg")
    return (_FLOATS if isa(element, AnyFloat) else _INTEGERS).get(kind)


def changed(
    view: LaneCode, change: Change, pointer: SSAValue, value: SSAValue, space: Space
) -> SSAValue:
    """The element that was there before; `value` is a scalar of the elements' type."""
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
        return view.new(AtomicRMWOp(change.word, pointer, value, scope))
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
    """What is said of vectors of words, of a single one."""
    made = of(view, view.new(FromElementsOp([value], VectorType(value.type, (1,)))))
    return view.new(ExtractOp(made, [0], value.type))


def _in_word(
    view: LaneCode, change: Change, pointer: SSAValue, value: SSAValue, scope: str
) -> SSAValue:
    """The same for an element of a part of a word."""
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
    """What was found where something made of it was stored; `replaced` emits what makes it."""
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
    """A pointer to an element, counted from another; `place` is an index."""
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
    """The same bits as another type."""
    return value if value.type == type else view.new(arith.BitcastOp(value, type))
