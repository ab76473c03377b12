"""Float ops of xDSL 0.75 that do not fold vectors; test_stock_folds_no_vectors in test_arith.py fails when they do.

There, `remf` is missing, and the constructor of `negf` puts its flags in the wrong place.
Source: `llvm 22.1.8 mlir/Dialect/Arith/IR/ArithOps.td`; what is refused is what mlir-opt 22
refuses.
"""

import math
import operator
from abc import ABC
from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from xdsl.dialects.arith import FastMathFlagsAttr, floatingPointLike
from xdsl.dialects.utils import FastMathFlag
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import Commutative, Pure

from xetile.dialects.formats import formatted_op, op_like
from xetile.dialects.upstream.arith.support import (
    NO_FLAGS,
    Foldable,
    constant_float,
    folded_float,
    is_rounded_through_double,
)


class _Reassociate(RewritePattern):
    """`(x op c1) op c2` is `x op (c1 op c2)`, where both ops allow it."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, _Reassociating) or op.attributes:
            return
        inner, outer_constant = op.lhs.owner, op.rhs
        if type(inner) is not type(op):
            inner, outer_constant = op.rhs.owner, op.lhs
        if not isinstance(inner, _Reassociating) or type(inner) is not type(op):
            return
        allowed = (
            FastMathFlag.REASSOC in flags.data for flags in (op.fastmath, inner.fastmath)
        )
        if not all(allowed) or inner.attributes or constant_float(outer_constant) is None:
            return
        if not inner.result.has_one_use():
            return
        value, inner_constant = inner.lhs, inner.rhs
        if constant_float(inner_constant) is None:
            value, inner_constant = inner_constant, value
        if constant_float(inner_constant) is None:
            return
        flags = FastMathFlagsAttr(list(op.fastmath.data | inner.fastmath.data))
        constants = type(op)(inner_constant, outer_constant, flags)
        rewriter.replace(op, [constants, type(op)(value, constants, flags)])


class _Binary(IRDLOperation, Foldable, ABC):
    """A binary op on floats, element by element."""

    T: ClassVar = VarConstraint("T", floatingPointLike)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FLAGS)

    assembly_format = "$lhs `,` $rhs (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        fastmath: FastMathFlagsAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[lhs, rhs],
            result_types=[SSAValue.get(lhs).type],
            properties={"fastmath": fastmath or NO_FLAGS},
        )

    @staticmethod
    def evaluate(lhs: float, rhs: float) -> float | None:
        """The result for two constants, not yet rounded; None where it is not folded."""
        return None

    @staticmethod
    def is_unit(rhs: float) -> bool:
        """Whether `x op rhs` is x for every x."""
        return False

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        rhs = constant_float(self.rhs)
        if rhs is None:
            return None
        if self.is_unit(rhs):
            return (self.lhs,)
        lhs = constant_float(self.lhs)
        if lhs is None or not is_rounded_through_double(self.result.type):
            return None
        return folded_float(self.evaluate(lhs, rhs), self.result)


class _Reassociating(_Binary, HasCanonicalizationPatternsInterface, ABC):
    """A sum or a product."""

    traits = traits_def(Commutative())

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        lhs = constant_float(self.lhs)
        if lhs is not None and self.is_unit(lhs):
            return (self.rhs,)
        return super().fold_plain()

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (_Reassociate(),)


def _quotient(lhs: float, rhs: float) -> float:
    """As IEEE 754 has it for a divisor of zero."""
    if rhs != 0:
        return lhs / rhs
    if lhs == 0 or math.isnan(lhs):
        return math.nan
    return math.copysign(math.inf, lhs) * math.copysign(1, rhs)


_Op = TypeVar("_Op", bound=_Binary)


def _row(
    base: type[_Op], name: str, evaluate: Callable[[float, float], float], unit: float
) -> type[_Op]:
    def is_unit(rhs: float) -> bool:
        return rhs == unit and math.copysign(1, rhs) == math.copysign(1, unit)

    return op_like(base, name, evaluate=staticmethod(evaluate), is_unit=staticmethod(is_unit))


# The unit of a sum is a negative zero: a positive one
# would change the sign of a negative one.
AddfOp = _row(_Reassociating, "arith.addf", operator.add, -0.0)
SubfOp = _row(_Binary, "arith.subf", operator.sub, 0.0)
MulfOp = _row(_Reassociating, "arith.mulf", operator.mul, 1.0)
DivfOp = _row(_Binary, "arith.divf", _quotient, 1.0)
RemfOp = op_like(_Binary, "arith.remf")


@formatted_op
class NegfOp(IRDLOperation, Foldable):
    """The other sign."""

    name = "arith.negf"

    T: ClassVar = VarConstraint("T", floatingPointLike)

    operand = operand_def(T)
    result = result_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FLAGS)

    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($result)"

    traits = traits_def(Pure())

    def __init__(
        self, operand: SSAValue | Operation, fastmath: FastMathFlagsAttr | None = None
    ) -> None:
        super().__init__(
            operands=[operand],
            result_types=[SSAValue.get(operand).type],
            properties={"fastmath": fastmath or NO_FLAGS},
        )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        if isinstance(self.operand.owner, NegfOp):
            return (self.operand.owner.operand,)
        value = constant_float(self.operand)
        if value is None or not is_rounded_through_double(self.result.type):
            return None
        return folded_float(-value, self.result)
