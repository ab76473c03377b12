"""arith.maximumf and minimumf at L: a NaN wins, and zeros have an order, unless flags say that there are none."""

from collections.abc import Callable
from typing import NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, OpResult, SSAValue

from xetile.dialects.upstream.llvm_values import FCmpOp, SelectOp
from xetile.hints import isa
from xetile.passes.convert_xevm_to_llvm.types import chunk_bits, chunk_type, width
from xetile.passes.convert_xevm_to_llvm.view import LLVMView

Binary = Callable[[SSAValue, SSAValue], Operation]


class Extreme(NamedTuple):
    """What tells a maximum from a minimum.

    The predicate by which the left operand is taken, the function of numbers, how signs are joined, and which constant
    zero loses against an equal one of the other sign.
    """

    predicate: str
    of_numbers: Callable[[SSAValue, SSAValue, llvm.FastMathAttr], Operation]
    join: Binary
    losing_zero: str


MAXIMUM = Extreme("gt", llvm.VectorFMaxOp, llvm.AndOp, "-0.0")
MINIMUM = Extreme("lt", llvm.VectorFMinOp, llvm.OrOp, "0.0")


def extreme(
    view: LLVMView,
    kind: Extreme,
    left: SSAValue,
    right: SSAValue,
    flags: llvm.FastMathAttr,
    number: float | None,
) -> SSAValue:
    """The extreme of two chunks of floats, where `right` may be a `number` throughout, which is no NaN.

    Six instructions of IGC's a register; with a number 2; 3 where zeros have no order or there is no NaN, 1 where
    both is so. llvm.maximum would become OpenCL's fmax, which passes over NaNs.
    """
    has_nan = FastMathFlag.NO_NANS not in flags.data
    has_order = FastMathFlag.NO_SIGNED_ZEROS not in flags.data and not number
    if not has_nan and not has_order:
        return view.new(kind.of_numbers(left, right, flags))
    if number is not None:
        equal = "e" if str(number) == kind.losing_zero else kind.predicate[1]
        return _choose(view, f"u{kind.predicate[0]}{equal}", left, right, flags)
    if has_nan:
        # unordered: a NaN on the left is taken
        chosen = _choose(view, f"u{kind.predicate}", left, right, flags)
    else:
        chosen = view.new(kind.of_numbers(left, right, flags))
    if has_order:
        chosen = _signed(view, kind, left, right, chosen)
    if not has_nan:
        return chosen
    is_nan = view.new(FCmpOp(right, right, "uno", flags))
    return view.new(SelectOp(is_nan, right, chosen, flags))


def uniform(value: SSAValue) -> float | None:
    """The number that all elements of a constant are; None for a NaN, and for what is no such constant."""
    if not isinstance(value, OpResult):
        return None
    if value.op.name == "vector.broadcast":
        return uniform(value.op.operands[0])
    found = value.op.properties.get("value")
    if value.op.name != "arith.constant":
        return None
    if isa(found, FloatAttr):
        number = found.value.data
    elif isa(found, DenseIntOrFPElementsAttr) and found.is_splat():
        number = cast(float, found.get_values()[0])
    else:
        return None
    return None if number != number else number


def _choose(
    view: LLVMView,
    predicate: str,
    left: SSAValue,
    right: SSAValue,
    flags: llvm.FastMathAttr,
) -> SSAValue:
    is_left = view.new(FCmpOp(left, right, predicate, flags))
    return view.new(SelectOp(is_left, left, right, flags))


def _signed(
    view: LLVMView, kind: Extreme, left: SSAValue, right: SSAValue, chosen: SSAValue
) -> SSAValue:
    """The chosen number with the sign that it has if the operands' signs are joined, which differs for zeros only."""
    size, count, emit = chunk_bits(chosen.type), width(chosen), view.new
    word = IntegerType(size)
    words = chunk_type(word, count)
    a, b, c = (emit(llvm.BitcastOp(value, words)) for value in (left, right, chosen))
    sign = -(1 << (size - 1))
    is_and = kind.join is llvm.AndOp
    mask = view.vector_constant([~sign if is_and else sign] * count, word)
    among = llvm.OrOp if is_and else llvm.AndOp
    signs = emit(among(emit(kind.join(a, b)), mask))
    return emit(llvm.BitcastOp(emit(kind.join(c, signs)), chosen.type))
