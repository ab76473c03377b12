"""Integer ops whose namesakes in xDSL 0.74.0 fold nothing, or have wrong traits.

There, `remui` is not pure, so it is never shared nor removed; divisions that may trap may be speculated;
`exact` is refused.
Source: `llvm 22.1.8 mlir/Dialect/Arith/IR/ArithOps.td`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.arith import IntegerOverflowAttr
from xdsl.dialects.builtin import UnitAttr
from xdsl.interfaces import ConditionallySpeculatableInterface
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
from xdsl.traits import Commutative, NoMemoryEffect, Pure

from xetile.dialects.upstream.arith.support import (
    INTEGER_LIKE,
    Foldable,
    bits,
    constant_integer,
    integer_attribute,
    signed,
    unsigned,
)


class _Folding(IRDLOperation, Foldable, ABC):
    """A binary op that computes what it does to constants."""

    T: ClassVar = VarConstraint("T", INTEGER_LIKE)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[SSAValue.get(lhs).type])

    @staticmethod
    @abstractmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """The result for two signed numbers of `width` bits; None where there is none."""

    @classmethod
    def has_right_unit(cls, rhs: int) -> bool:
        """Whether `x op rhs` is x for every x."""
        return False

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """Constants give a constant; a unit on the right gives the left operand."""
        rhs = constant_integer(self.rhs)
        if rhs is None:
            return None
        if self.has_right_unit(rhs):
            return (self.lhs,)
        lhs, type = constant_integer(self.lhs), self.result.type
        if lhs is None:
            return None
        value = self.evaluate(lhs, rhs, bits(type))
        folded = None if value is None else integer_attribute(value, type)
        return None if folded is None else (folded,)


class _Division(_Folding, ConditionallySpeculatableInterface, ABC):
    """Undefined for a divisor of zero, and for the quotient that does not fit."""

    traits = traits_def(NoMemoryEffect())

    @classmethod
    def may_trap(cls, divisor: int) -> bool:
        """Whether some dividend has no quotient by `divisor`."""
        return divisor == 0

    def is_speculatable(self) -> bool:
        """It may be moved where it was not asked for only if it cannot trap."""
        divisor = constant_integer(self.rhs)
        return divisor is not None and not self.may_trap(divisor)


class _Quotient(_Division, ABC):
    """A quotient by one is the number."""

    @classmethod
    def has_right_unit(cls, rhs: int) -> bool:
        """A quotient by one."""
        return rhs == 1


class _SignedQuotient(_Quotient, ABC):
    """The smallest number divided by -1 does not fit."""

    @classmethod
    def may_trap(cls, divisor: int) -> bool:
        """Whether some dividend has no quotient by `divisor`."""
        return divisor in (0, -1)


def _truncated(lhs: int, rhs: int) -> int:
    quotient = abs(lhs) // abs(rhs)
    return quotient if (lhs < 0) == (rhs < 0) else -quotient


def _fitting(quotient: int, width: int) -> int | None:
    return quotient if signed(quotient, width) == quotient else None


@irdl_op_definition
class DivUIOp(_Quotient):
    """The quotient of two unsigned numbers."""

    name = "arith.divui"

    is_exact = opt_prop_def(UnitAttr, prop_name="isExact")

    assembly_format = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """Rounded down."""
        return None if rhs == 0 else unsigned(lhs, width) // unsigned(rhs, width)


@irdl_op_definition
class DivSIOp(_SignedQuotient):
    """The quotient of two signed numbers, rounded towards zero."""

    name = "arith.divsi"

    is_exact = opt_prop_def(UnitAttr, prop_name="isExact")

    assembly_format = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """Rounded towards zero."""
        return None if rhs == 0 else _fitting(_truncated(lhs, rhs), width)


@irdl_op_definition
class FloorDivSIOp(_SignedQuotient):
    """The quotient of two signed numbers, rounded down."""

    name = "arith.floordivsi"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """Rounded down."""
        return None if rhs == 0 else _fitting(lhs // rhs, width)


@irdl_op_definition
class CeilDivSIOp(_SignedQuotient):
    """The quotient of two signed numbers, rounded up."""

    name = "arith.ceildivsi"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """Rounded up."""
        return None if rhs == 0 else _fitting(-(-lhs // rhs), width)


@irdl_op_definition
class CeilDivUIOp(_Quotient):
    """The quotient of two unsigned numbers, rounded up."""

    name = "arith.ceildivui"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """Rounded up."""
        return None if rhs == 0 else -(-unsigned(lhs, width) // unsigned(rhs, width))


@irdl_op_definition
class RemUIOp(_Division):
    """What is left of a division of unsigned numbers."""

    name = "arith.remui"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """Below the divisor."""
        return None if rhs == 0 else unsigned(lhs, width) % unsigned(rhs, width)


@irdl_op_definition
class RemSIOp(_Division):
    """What is left of a division of signed numbers; it has the sign of the dividend."""

    name = "arith.remsi"

    @classmethod
    def may_trap(cls, divisor: int) -> bool:
        """Whether some dividend has no quotient by `divisor`."""
        return divisor in (0, -1)

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """With the sign of the dividend."""
        return None if rhs == 0 else lhs - _truncated(lhs, rhs) * rhs


class _Extremum(_Folding, ABC):
    traits = traits_def(Pure(), Commutative())

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """The extremum of a number and itself is the number."""
        return (self.lhs,) if self.lhs is self.rhs else super().fold_plain()


@irdl_op_definition
class MinUIOp(_Extremum):
    """The smaller of two unsigned numbers."""

    name = "arith.minui"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """The smaller."""
        return min(unsigned(lhs, width), unsigned(rhs, width))


@irdl_op_definition
class MaxUIOp(_Extremum):
    """The larger of two unsigned numbers."""

    name = "arith.maxui"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """The larger."""
        return max(unsigned(lhs, width), unsigned(rhs, width))

    @classmethod
    def has_right_unit(cls, rhs: int) -> bool:
        """Nothing is below zero."""
        return rhs == 0


@irdl_op_definition
class MinSIOp(_Extremum):
    """The smaller of two signed numbers."""

    name = "arith.minsi"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """The smaller."""
        return min(lhs, rhs)


@irdl_op_definition
class MaxSIOp(_Extremum):
    """The larger of two signed numbers."""

    name = "arith.maxsi"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """The larger."""
        return max(lhs, rhs)


class _Shift(_Folding, ABC):
    """Poison where the amount is not below the width."""

    traits = traits_def(Pure())

    @classmethod
    def has_right_unit(cls, rhs: int) -> bool:
        """No shift at all."""
        return rhs == 0


@irdl_op_definition
class ShRUIOp(_Shift):
    """A shift to the right that fills with zeros."""

    name = "arith.shrui"

    is_exact = opt_prop_def(UnitAttr, prop_name="isExact")

    assembly_format = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """Filled with zeros."""
        return unsigned(lhs, width) >> rhs if 0 <= rhs < width else None


@irdl_op_definition
class ShRSIOp(_Shift):
    """A shift to the right that fills with the sign."""

    name = "arith.shrsi"

    is_exact = opt_prop_def(UnitAttr, prop_name="isExact")

    assembly_format = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """Filled with the sign."""
        return lhs >> rhs if 0 <= rhs < width else None


@irdl_op_definition
class ShLIOp(_Shift):
    """A shift to the left that fills with zeros."""

    name = "arith.shli"

    overflow_flags = prop_def(
        IntegerOverflowAttr, default_value=IntegerOverflowAttr("none"), prop_name="overflowFlags"
    )

    assembly_format = "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)"

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """Filled with zeros."""
        return lhs << rhs if 0 <= rhs < width else None
