"""Reductions of vectors in registers and lanes, in the order that all levels share.

Before:

    %s = vector.multi_reduction <add>, %v, %start [1] : vector<2x16xf32> to vector<2xf32>

After, for each of a lane's two registers:

    %x8, %ok = gpu.shuffle xor %x, %c8, %c16 : f32
    %y = arith.addf %x, %x8 : f32
    ... and so with 4, 2 and 1

or, if rows should be in lanes, with half of the registers after each step:

    %mine = arith.select %upper, %x1, %x0 : f32
    %other = arith.select %upper, %x0, %x1 : f32
    %theirs, %ok = gpu.shuffle xor %other, %c8, %c16 : f32
    %y = arith.addf %mine, %theirs : f32

or, if shared memory is cheaper, as pairs of registers after a conversion that moves rows into lanes.

`planning/xe/register_layouts/reduction_steps.py` decides. A full exchange is written register by register, as IGC
recognizes it and combines several. Integers use gpu.subgroup_reduce, whose order is not specified.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerType,
    UnitAttr,
    VectorType,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import CombiningKindAttr
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import Dense, dense_value, integers_of, is_splat
from xetile.dialects.atomic_kinds import identity
from xetile.dialects.fast_math import fast_math
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.arith.arith_support import bits
from xetile.dialects.upstream.gpu import AllReduceOperationAttr, SubgroupReduceOp
from xetile.dialects.upstream.gpu import ShuffleOp as LaneShuffleOp
from xetile.dialects.upstream.gpu.gpu_attributes import AllReduceOperation
from xetile.dialects.upstream.vector import (
    BitcastOp,
    ExtractOp,
    FromElementsOp,
    ShuffleOp,
)
from xetile.dialects.upstream.vector.vector_support import splat, vector_type
from xetile.dialects.xetile.tile_type import FLOAT_TYPES
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import (
    Registers,
    natural_type,
    register_bits,
)
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import LaneView
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import cut, is_tf32, rounded
from xetile.planning.xe.register_layouts.layout_rules import relation_of
from xetile.planning.xe.register_layouts.reduction_steps import (
    Butterfly,
    Merge,
    Pairs,
    Step,
    is_in_order,
    reduction,
)
from xetile.rewriting.combining import combined
from xetile.rewriting.rewriter import Handlers

_LARGEST_NUMBER = {"bf16": 0x7F80, "f8E5M2": 0x7C, "f8E4M3FN": 0x7E}
"""The word of the largest value other than NaN: infinity, or the largest number (OCP 8-bit floating point, table 1)."""

_EXCHANGED = (f16, f32, f64)
"""Floats that lanes exchange directly; others are exchanged as integers."""

_SUBGROUP_KINDS = ("add", "minsi", "maxsi", "minui", "maxui")
"""The kinds of integer reductions for which there are functions over all lanes."""

_AS_INTEGERS = {"maximumf": "maxsi", "minimumf": "minsi"}
"""Kinds of float reductions that equal those of integers on words in the floats' order."""

_NUMBERS = frozenset((FastMathFlag.NO_NANS, FastMathFlag.NO_SIGNED_ZEROS))
"""The flags with which maxima and minima of floats are one instruction, as those of integers are."""


def reduce(view: LaneView, op: Operation) -> None:
    """Emit a reduction of some dimensions, and its accumulator."""
    source, result = op.operands[0], op.results[0]
    if isinstance(view.get(source), SSAValue) and not view.layouts.holds(result):
        view.copy(op)
        return
    relation = relation_of(op, 0)
    assert relation is not None
    kept = isa(result.type, VectorType)
    wanted = view.layouts.of(result) if kept else None
    part = view.taken(op, 0)
    work = _Reducing(view, op, part.element_type)
    found = reduction(
        relation,
        part.layout,
        wanted,
        _dimensions(op),
        register_bits(part.element_type),
        view.prices,
        in_order=is_in_order(op, part.element_type),
    )
    value = view.natural(view.converted(part, found.operand))
    if is_tf32(part.element_type):
        value = cut(view, value)
    value = work.reduced(value, found.steps)
    if not kept:
        scalar = view.new(ExtractOp(value, [0], vector_type(value).element_type))
        view.bind(result, work.accumulated_scalar(scalar))
        return
    assert wanted is not None
    made = Registers(
        value, part.element_type, found.result, word_bits=register_bits(part.element_type)
    )
    made = view.converted(made, wanted)
    view.bind_vector(result, work.accumulated(made, wanted))


def _dimensions(op: Operation) -> tuple[int, ...]:
    return (0,) if op.name == "vector.reduction" else tuple(integers_of(op, "reduction_dims"))


class _Reducing:
    """One reduction's kind, and its steps as ops."""

    def __init__(
        self, view: LaneView, op: Operation, element: Attribute, kind: str | None = None
    ) -> None:
        self.view = view
        self.op = op
        self.element = element
        self.kind = kind or str(cast(CombiningKindAttr, op.properties["kind"]).data)
        self.flags = fast_math(op)

    def reduced(self, value: SSAValue, steps: Sequence[Step]) -> SSAValue:
        """Return the registers after all steps."""
        if steps and self.kind in _AS_INTEGERS and not set(self.flags.data) >= _NUMBERS:
            return self._reduced_as_integers(value, steps)
        for step in steps:
            match step:
                case Pairs(bit):
                    value = self.pairs(value, bit)
                case Butterfly(lanes):
                    value = self.butterfly(value, lanes)
                case Merge(lane, bit):
                    value = self.merge(value, lane, bit)
        return value

    def _reduced_as_integers(self, value: SSAValue, steps: Sequence[Step]) -> SSAValue:
        """Reduce integers in the order of floats (NaN last, -0.0 before +0.0): one op in place of eight on floats.

        Words of negative numbers have the bits below the sign inverted.
        """
        kind = _AS_INTEGERS[self.kind]
        floats = vector_type(value)
        word = IntegerType(bits(floats.element_type))
        type = VectorType(word, floats.get_shape())
        words = self.view.new(BitcastOp(value, type))
        ordered = self._ordered(self._one_nan(words, value, negative=kind == "minsi"))
        inner = _Reducing(self.view, self.op, word, kind)
        found = self._ordered(inner.reduced(ordered, steps))
        left = VectorType(floats.element_type, vector_type(found).get_shape())
        return self.view.new(BitcastOp(found, left))

    def _one_nan(self, words: SSAValue, value: SSAValue, *, negative: bool) -> SSAValue:
        """Return words in which NaN is the value that comes last, or first if `negative`."""
        new, type = self.view.new, vector_type(words)
        width = bits(type.element_type)
        sign = 1 << width - 1
        if _element(value.type) in _EXCHANGED:
            is_nan = new(arith.CmpfOp(value, value, "uno"))
        else:
            magnitude = new(arith.AndIOp(words, self._repeated(sign - 1, type)))
            largest = self._repeated(_LARGEST_NUMBER[str(_element(value.type))], type)
            is_nan = new(arith.CmpiOp(magnitude, largest, "ugt"))
        nan = -1 if negative else sign - 1
        return new(arith.SelectOp(is_nan, self._repeated(nan, type), words))

    def _ordered(self, words: SSAValue) -> SSAValue:
        """Return words of floats as integers in the floats' order, or back."""
        new, type = self.view.new, vector_type(words)
        width = bits(type.element_type)
        signs = new(arith.ShRSIOp(words, self._repeated(width - 1, type)))
        inverted = new(arith.AndIOp(signs, self._repeated((1 << width - 1) - 1, type)))
        return new(arith.XOrIOp(words, inverted))

    def _repeated(self, number: int, type: VectorType[Attribute]) -> SSAValue:
        data = (number & (1 << bits(type.element_type)) - 1).to_bytes(8, "little")
        size = bits(type.element_type) // 8
        return self.view.new(arith.ConstantOp(cast(Dense, splat(data[:size], type))))

    def combine(self, left: SSAValue, right: SSAValue) -> SSAValue:
        """Combine two vectors, or two scalars, by the kind."""
        element = natural_type(self.element)
        made = self.view.new(combined(self.kind, left, right, element, self.flags))
        return rounded(self.view, made) if is_tf32(self.element) else made

    def pairs(self, value: SSAValue, bit: int) -> SSAValue:
        """Combine registers whose numbers differ in a bit."""
        return self.combine(*self._halves(value, bit))

    def merge(self, value: SSAValue, lane: int, bit: int) -> SSAValue:
        """Combine two registers: lanes with the bit keep the upper ones, those without it the lower ones."""
        view, (lower, upper) = self.view, self._halves(value, bit)
        here = self._has_bit(lane)
        mine = view.new(arith.SelectOp(here, upper, lower))
        other = view.new(arith.SelectOp(here, lower, upper))
        return self.combine(mine, self._exchanged(other, 1 << lane))

    def butterfly(self, value: SSAValue, lanes: Sequence[int]) -> SSAValue:
        """Combine each register with those of the lanes that differ in these bits, bit after bit."""
        if is_tf32(self.element):  # rounded as vectors
            return self._of_lanes(value, lanes)
        view, type = self.view, vector_type(value)
        count = type.get_shape()[0]
        found = [
            self._of_lanes(view.new(ExtractOp(value, [place], type.element_type)), lanes)
            for place in range(count)
        ]
        return view.new(FromElementsOp(found, type))

    def _of_lanes(self, value: SSAValue, lanes: Sequence[int]) -> SSAValue:
        takes = isa(value.type, IntegerType) and self.kind in _SUBGROUP_KINDS
        everyone = 1 << len(lanes) == self.view.device.lanes
        if takes and everyone and bits(value.type) >= bits(i8):
            kind = AllReduceOperationAttr(AllReduceOperation(self.kind))
            return self.view.new(SubgroupReduceOp(value, op=kind, uniform=UnitAttr()))
        for lane in lanes:
            value = self.combine(value, self._exchanged(value, 1 << lane))
        return value

    def accumulated(self, made: Registers, layout: LinearLayout) -> Registers:
        """Return the result combined with the accumulator, once and last."""
        view = self.view
        if self._begins_with_nothing():
            return made
        start = view.natural(view.converted(view.taken(self.op, 1), layout))
        if is_tf32(self.element):
            start = cut(view, start)
        value = self.combine(view.natural(made), start)
        return Registers(value, self.element, layout, word_bits=register_bits(self.element))

    def accumulated_scalar(self, made: SSAValue) -> SSAValue:
        """Return a scalar result combined with the accumulator."""
        if self._begins_with_nothing():
            return made
        return self.combine(made, self.view.single(self.op.operands[1]))

    def _begins_with_nothing(self) -> bool:
        """Return True if there is no accumulator, or only one that changes nothing."""
        if len(self.op.operands) == 1:
            return True
        owner = self.op.operands[1].owner
        if not isinstance(owner, Operation) or owner.name != "arith.constant":
            return False
        width = None if isinstance(self.element, FLOAT_TYPES) else bits(self.element)
        element = str(self.element)
        nothing = {
            repr(identity(self.kind, element, width)),
            repr(identity(self.kind, element, width, self.flags)),
        }
        dense = dense_value(owner)
        if dense is not None:
            return is_splat(dense) and repr(dense.get_values()[0]) in nothing
        number = owner.properties.get("value")
        return isa(number, FloatAttr[AnyFloat]) and repr(number.value.data) in nothing

    def _halves(self, value: SSAValue, bit: int) -> list[SSAValue]:
        """Return the registers without a bit in their numbers, and those with it."""
        count = vector_type(value).get_shape()[0]
        sides: tuple[list[int], list[int]] = ([], [])
        for place in range(count):
            sides[place >> bit & 1].append(place)
        return [self.view.new(ShuffleOp(value, value, side)) for side in sides]

    def _has_bit(self, bit: int) -> SSAValue:
        view = self.view
        lane, mask = view.lane_number(), view.constant(1 << bit, i32)
        masked = view.shared(("lane bit", bit), lambda: arith.AndIOp(lane, mask))
        zero = view.constant(0, i32)
        return view.shared(("lane has", bit), lambda: arith.CmpiOp(masked, zero, "ne"))

    def _exchanged(self, value: SSAValue, lane: int) -> SSAValue:
        """Return the value of the lane whose number differs by `lane` (xor)."""
        view = self.view
        carried = self._carried(value)
        width, other = view.constant(view.device.lanes, i32), view.constant(lane, i32)
        theirs = view.new(LaneShuffleOp(carried, other, width, "xor"))
        return theirs if carried is value else self._back(theirs, value.type)

    def _carried(self, value: SSAValue) -> SSAValue:
        """Return a value as a type that lanes can exchange."""
        element = _element(value.type)
        if isinstance(element, IndexType):
            return self.view.new(arith.IndexCastOp(value, _of(value.type, i64)))
        if isa(element, IntegerType) and bits(element) < bits(i8):
            return self.view.new(arith.ExtUIOp(value, _of(value.type, i8)))
        if isinstance(element, FLOAT_TYPES) and element not in _EXCHANGED:
            word = IntegerType(bits(element))
            return self.view.new(arith.BitcastOp(value, _of(value.type, word)))
        return value

    def _back(self, value: SSAValue, type: Attribute) -> SSAValue:
        element = _element(type)
        if isinstance(element, IndexType):
            return self.view.new(arith.IndexCastOp(value, type))
        kind = arith.TruncIOp if isa(element, IntegerType) else arith.BitcastOp
        return self.view.new(kind.create(operands=[value], result_types=[type]))


def _element(type: Attribute) -> Attribute:
    return type.element_type if isa(type, VectorType) else type


def _of(like: Attribute, element: Attribute) -> Attribute:
    """Return the type with as many elements as `like`."""
    return VectorType(element, like.get_shape()) if isa(like, VectorType) else element


HANDLERS: Handlers[LaneView] = {
    "vector.multi_reduction": reduce,
    "vector.reduction": reduce,
}
