"""Float ops that xDSL 0.74.0 lacks, or whose constants it folds into an exception.

There, 60000 + 60000 in f16 raises OverflowError in `canonicalize`, `extf` and `truncf` take no flags,
`remf` is missing, and the constructor of `negf` puts its flags in the wrong place.
Source: `llvm 22.1.8 mlir/Dialect/Arith/IR/ArithOps.td`; what is refused is what mlir-opt 22 refuses.
"""

import math
from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.arith import FastMathFlagsAttr, floatingPointLike
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerAttr,
    IntegerType,
    i32,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.printer import Printer
from xdsl.traits import Commutative, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.upstream.arith.support import (
    Foldable,
    bits,
    constant_float,
    element_type,
    float_attribute,
    verify_same_shape,
)

NO_FLAGS = FastMathFlagsAttr("none")

ROUNDING_MODES = ("to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away")
"""Counted through by `roundingmode`."""

# A double holds sums, differences, products and quotients of these so well that rounding it once more, to
# the type, gives what rounding the exact result once would.
_ROUNDED_THROUGH_DOUBLE = (BFloat16Type, Float16Type, Float32Type, Float64Type)


def _folds(type: Attribute) -> bool:
    return isinstance(element_type(type), _ROUNDED_THROUGH_DOUBLE)


class _Reassociate(RewritePattern):
    """`(x op c1) op c2` is `x op (c1 op c2)`, where both ops allow it."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, AddfOp | MulfOp) or op.attributes:
            return
        inner, outer_constant = op.lhs.owner, op.rhs
        if type(inner) is not type(op):
            inner, outer_constant = op.rhs.owner, op.lhs
        if not isinstance(inner, AddfOp | MulfOp) or type(inner) is not type(op):
            return
        allowed = (FastMathFlag.REASSOC in flags.data for flags in (op.fastmath, inner.fastmath))
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
        """Two constants, and a unit on the right."""
        rhs = constant_float(self.rhs)
        if rhs is None:
            return None
        if self.is_unit(rhs):
            return (self.lhs,)
        lhs = constant_float(self.lhs)
        if lhs is None or not _folds(self.result.type):
            return None
        value = self.evaluate(lhs, rhs)
        folded = None if value is None else float_attribute(value, self.result.type)
        return None if folded is None else (folded,)


class _Reassociating(_Binary, HasCanonicalizationPatternsInterface, ABC):
    """A sum or a product."""

    traits = traits_def(Commutative())

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """Two constants, and a unit on either side."""
        lhs = constant_float(self.lhs)
        if lhs is not None and self.is_unit(lhs):
            return (self.rhs,)
        return super().fold_plain()

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """Constants that may meet."""
        return (_Reassociate(),)


@irdl_op_definition
class AddfOp(_Reassociating):
    """A sum."""

    name = "arith.addf"

    @staticmethod
    def evaluate(lhs: float, rhs: float) -> float | None:
        """The sum."""
        return lhs + rhs

    @staticmethod
    def is_unit(rhs: float) -> bool:
        """Negative zero: a positive one would change the sign of a negative one."""
        return rhs == 0 and math.copysign(1, rhs) < 0


@irdl_op_definition
class SubfOp(_Binary):
    """A difference."""

    name = "arith.subf"

    @staticmethod
    def evaluate(lhs: float, rhs: float) -> float | None:
        """The difference."""
        return lhs - rhs

    @staticmethod
    def is_unit(rhs: float) -> bool:
        """Positive zero."""
        return rhs == 0 and math.copysign(1, rhs) > 0


@irdl_op_definition
class MulfOp(_Reassociating):
    """A product."""

    name = "arith.mulf"

    @staticmethod
    def evaluate(lhs: float, rhs: float) -> float | None:
        """The product."""
        return lhs * rhs

    @staticmethod
    def is_unit(rhs: float) -> bool:
        """One."""
        return rhs == 1


@irdl_op_definition
class DivfOp(_Binary):
    """A quotient."""

    name = "arith.divf"

    @staticmethod
    def evaluate(lhs: float, rhs: float) -> float | None:
        """The quotient, as IEEE 754 has it for a divisor of zero."""
        if rhs != 0:
            return lhs / rhs
        if lhs == 0 or math.isnan(lhs):
            return math.nan
        return math.copysign(math.inf, lhs) * math.copysign(1, rhs)

    @staticmethod
    def is_unit(rhs: float) -> bool:
        """One."""
        return rhs == 1


@irdl_op_definition
class RemfOp(_Binary):
    """What is left of a division; it has the sign of the dividend."""

    name = "arith.remf"


@irdl_op_definition
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
        """A constant; twice is nothing."""
        if isinstance(self.operand.owner, NegfOp):
            return (self.operand.owner.operand,)
        value = constant_float(self.operand)
        if value is None or not _folds(self.result.type):
            return None
        folded = float_attribute(-value, self.result.type)
        return None if folded is None else (folded,)


class _FloatCast(IRDLOperation, Foldable, ABC):
    """A cast between floats."""

    input = operand_def(floatingPointLike)
    result = result_def(floatingPointLike)
    fastmath = opt_prop_def(FastMathFlagsAttr)

    traits = traits_def(Pure())

    def verify_width(self, *, narrows: bool) -> None:
        """The width changes in the op's direction."""
        verify_same_shape(self.input, self.result)
        before, after = bits(self.input.type), bits(self.result.type)
        if before == after or narrows != (after < before):
            raise VerifyException(
                f"'in' is {self.input.type} and 'out' is {self.result.type}, "
                f"which {self.name} does not cast"
            )

    def folded(self) -> Sequence[SSAValue | Attribute] | None:
        """The constant in the other type."""
        value = constant_float(self.input)
        if value is None or not _folds(self.input.type) or not _folds(self.result.type):
            return None
        folded = float_attribute(value, self.result.type)
        return None if folded is None else (folded,)


@irdl_op_definition
class ExtFOp(_FloatCast):
    """A wider float."""

    name = "arith.extf"

    assembly_format = (
        "$input (`fastmath` `` $fastmath^)? attr-dict `:` type($input) `to` type($result)"
    )

    def __init__(
        self,
        source: SSAValue | Operation,
        result_type: Attribute,
        fastmath: FastMathFlagsAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[source], result_types=[result_type], properties={"fastmath": fastmath}
        )

    def verify_(self) -> None:
        """It gets wider."""
        self.verify_width(narrows=False)

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant."""
        return self.folded()


@irdl_op_definition
class TruncFOp(_FloatCast):
    """A narrower float, rounded to the nearest, ties to even, unless it says otherwise."""

    name = "arith.truncf"

    roundingmode = opt_prop_def(IntegerAttr[IntegerType])

    def __init__(
        self,
        source: SSAValue | Operation,
        result_type: Attribute,
        fastmath: FastMathFlagsAttr | None = None,
        *,
        rounding_mode: str | None = None,
    ) -> None:
        """Cut off; `rounding_mode` is one of `ROUNDING_MODES`."""
        properties: dict[str, Attribute | None] = {"fastmath": fastmath}
        if rounding_mode is not None:
            properties["roundingmode"] = IntegerAttr(ROUNDING_MODES.index(rounding_mode), i32)
        super().__init__(operands=[source], result_types=[result_type], properties=properties)

    @classmethod
    def parse(cls, parser: Parser) -> "TruncFOp":
        """Read `%in toward_zero fastmath<...> {...} : type to type`."""
        source = parser.parse_unresolved_operand()
        rounding_mode = next(filter(parser.parse_optional_keyword, ROUNDING_MODES), None)
        flags = None
        if parser.parse_optional_keyword("fastmath") is not None:
            flags = FastMathFlagsAttr(list(FastMathFlagsAttr.parse_parameter(parser)))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source_type = parser.parse_type()
        parser.parse_keyword("to")
        operand = parser.resolve_operand(source, source_type)
        operation = cls(operand, parser.parse_type(), flags, rounding_mode=rounding_mode)
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_ssa_value(self.input)
        if self.roundingmode is not None:
            printer.print_string(f" {ROUNDING_MODES[self.roundingmode.value.data]}")
        if self.fastmath is not None and self.fastmath != NO_FLAGS:
            printer.print_string(" fastmath")
            self.fastmath.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.input.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        """It gets narrower, and the rounding mode is one."""
        self.verify_width(narrows=True)
        mode = self.roundingmode
        if mode is not None and not 0 <= mode.value.data < len(ROUNDING_MODES):
            raise VerifyException(
                f"'roundingmode' is {mode.value.data}, it has to lie in [0, {len(ROUNDING_MODES)})"
            )

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """A constant, where it is rounded to the nearest; a widened number is the number."""
        if self.roundingmode is not None and self.roundingmode.value.data != 0:
            return None
        source = self.input.owner
        if isinstance(source, ExtFOp) and source.input.type == self.result.type:
            return (source.input,)
        return self.folded()
