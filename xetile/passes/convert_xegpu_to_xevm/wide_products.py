"""Products of small integers and f16, computed in f32 and rounded once: the same bits in fewer instructions.

Before:

    %x = arith.sitofp %w : vector<8x16xi8> to vector<8x16xf16>
    %y = arith.mulf %x, %scales : vector<8x16xf16>

After, `%wide` right behind the definition of `%scales` (of a row that is broadcast: in front of that), outside of the
loops that it is defined outside of:

    %wide = arith.extf %scales : vector<8x16xf16> to vector<8x16xf32>
    %x = arith.sitofp %w : vector<8x16xi8> to vector<8x16xf32>
    %p = arith.mulf %x, %wide : vector<8x16xf32>
    %y = arith.truncf %p : vector<8x16xf32> to vector<8x16xf16>

The product of 8 and 11 binary digits has at most 19, f32 has 24: it is exact, and so is what either is converted from.

Halves are converted, multiplied and packed in 10 instructions for a register of two elements, so in 7 (ocloc 26.27,
`python -m tools.instruction_counts --only '*scales'`: 166, 227, 168 instructions on bmg, pvc and cri became
158, 211 and 123).
"""

from math import prod
from typing import cast

from xdsl.dialects.builtin import Float16Type, VectorType, f32
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.same_value import vector_shape
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import BroadcastOp
from xetile.planning.register_layouts.classes import bits_of
from xetile.rewriting.rewriter import remade
from xetile.targets.xe.prices import WIDE_FACTORS

_CONVERSIONS = ("arith.sitofp", "arith.uitofp")

_F16_DIGITS = 11
_F32_DIGITS = 24
"""Binary digits of a number, the leading one included (IEEE 754)."""


def widen_products(function: Operation, lanes: int) -> None:
    """Rewrite the products of a function that are exact in f32, where there are registers for their factors."""
    products = [
        (op, number)
        for op in function.walk()
        if isinstance(op, arith.MulfOp) and (number := _converted(op)) is not None
    ]
    factors = dict.fromkeys(op.operands[1 - number] for op, number in products)
    if sum(map(_elements, factors)) > WIDE_FACTORS * lanes:
        return
    wide: dict[SSAValue, SSAValue] = {}
    for op, number in products:
        _widen(op, number, wide)


def _elements(factor: SSAValue) -> int:
    """The elements that a factor has registers for: those of the row, where it is broadcast."""
    maker = factor.owner
    if isinstance(maker, BroadcastOp):
        source = maker.source.type
        return prod(vector_shape(maker.source)) if isinstance(source, VectorType) else 1
    return prod(vector_shape(factor))


def _converted(op: Operation) -> int | None:
    """Which operand of an op on vectors of f16 comes from so small an integer; None where none does."""
    type = op.results[0].type
    if not isinstance(type, VectorType):
        return None
    if not isinstance(cast("VectorType[Attribute]", type).element_type, Float16Type):
        return None
    for number, operand in enumerate(op.operands):
        maker = operand.owner
        if not isinstance(maker, Operation) or maker.name not in _CONVERSIONS:
            continue
        if bits_of(maker.operands[0]) + _F16_DIGITS <= _F32_DIGITS:
            return number
    return None


def _widen(op: Operation, number: int, wide: dict[SSAValue, SSAValue]) -> None:
    conversion, other = op.operands[number].owner, op.operands[1 - number]
    assert isinstance(conversion, Operation)
    type = VectorType(f32, cast("VectorType[Attribute]", op.results[0].type).get_shape())
    operands = [_wide(other, wide)] * len(op.operands)
    operands[number] = _before(op, remade(conversion, conversion.operands, [type]))
    product = _before(op, remade(op, operands, [type]))
    rounded = _before(op, arith.TruncFOp(product, op.results[0].type))
    rounded.name_hint = op.results[0].name_hint
    op.results[0].replace_all_uses_with(rounded)
    for old in (op, conversion):
        if not old.results[0].first_use:
            old.detach()
            old.erase()


def _wide(value: SSAValue, known: dict[SSAValue, SSAValue]) -> SSAValue:
    """A value in f32; a row that is broadcast becomes so before that."""
    if value not in known:
        type = VectorType(f32, cast("VectorType[Attribute]", value.type).get_shape())
        made: Operation = arith.ExtFOp(value, type)
        maker = value.owner
        if isinstance(maker, BroadcastOp) and isinstance(maker.source.type, VectorType):
            made = remade(maker, [_wide(maker.source, known)], [type])
        known[value] = _behind(value, made)
    return known[value]


def _before(place: Operation, op: Operation) -> SSAValue:
    assert place.parent is not None
    op.location = place.location
    place.parent.insert_op_before(op, place)
    return op.results[0]


def _behind(value: SSAValue, op: Operation) -> SSAValue:
    """The result of an op that stands where a value is defined."""
    if isinstance(value.owner, Operation):
        assert value.owner.parent is not None
        op.location = value.owner.location
        value.owner.parent.insert_op_after(op, value.owner)
    else:
        first = value.owner.first_op
        assert first is not None
        return _before(first, op)
    return op.results[0]
