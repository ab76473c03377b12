"""Integer ops with wrong traits in xDSL 0.75; test_stock_traits_are_missing in test_arith.py tells when they close.

There, `remui` is not pure, so it is never shared nor removed; divisions that may trap may be
speculated; `exact` is refused, and vectors are not folded.
Source: `llvm 22.1.8 mlir/Dialect/Arith/IR/ArithOps.td`.
"""

from abc import ABC
from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from xdsl.dialects.arith import IntegerOverflowAttr
from xdsl.dialects.builtin import UnitAttr
from xdsl.interfaces import ConditionallySpeculatableInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Commutative, NoMemoryEffect, Pure

from xetile.dialects.formats import op_like
from xetile.dialects.upstream.arith.support import (
    INTEGER_LIKE,
    Foldable,
    bits,
    constant_integer,
    folded_integer,
    signed,
    unsigned,
)


class _Binary(IRDLOperation, Foldable, ABC):
    """A binary op that computes what it does to constants."""

    T: ClassVar = VarConstraint("T", INTEGER_LIKE)

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    UNIT: ClassVar[int | None] = None
    """The c for which `x op c` is x for every x."""

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[SSAValue.get(lhs).type])

    @staticmethod
    def evaluate(lhs: int, rhs: int, width: int) -> int | None:
        """The result for two signed numbers of `width` bits, where there is one; a row of the table says which."""
        return None

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        lhs, rhs = constant_integer(self.lhs), constant_integer(self.rhs)
        if rhs is None:
            return None
        if rhs == self.UNIT:
            return (self.lhs,)
        value = None if lhs is None else self.evaluate(lhs, rhs, bits(self.result.type))
        return folded_integer(value, self.result)


class _Division(_Binary, ConditionallySpeculatableInterface, ABC):
    """Undefined for some divisors, so it may be moved where it was not asked for only if it has another one."""

    TRAPS: ClassVar[Sequence[int]] = (0,)
    """Divisors by which some dividend has no quotient."""

    traits = traits_def(NoMemoryEffect())

    def is_speculatable(self) -> bool:
        divisor = constant_integer(self.rhs)
        return divisor is not None and divisor not in self.TRAPS

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        return None if constant_integer(self.rhs) == 0 else super().fold_plain()


class _SignedDivision(_Division, ABC):
    """The smallest number divided by -1 does not fit."""

    TRAPS: ClassVar[Sequence[int]] = (0, -1)


class _Quotient(_Division, ABC):
    UNIT: ClassVar[int | None] = 1


class _SignedQuotient(_SignedDivision, ABC):
    UNIT: ClassVar[int | None] = 1


class _Exact(_Binary, ABC):
    """Poison where bits get lost, if it says so."""

    is_exact = opt_prop_def(UnitAttr, prop_name="isExact")

    assembly_format = "$lhs `,` $rhs (`exact` $isExact^)? attr-dict `:` type($result)"


class _ExactQuotient(_Exact, _Quotient, ABC): ...


class _ExactSignedQuotient(_Exact, _SignedQuotient, ABC): ...


class _Extremum(_Binary, ABC):
    traits = traits_def(Pure(), Commutative())

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        return (self.lhs,) if self.lhs is self.rhs else super().fold_plain()


class _UnsignedMaximum(_Extremum, ABC):
    UNIT: ClassVar[int | None] = 0


class _Shift(_Binary, ABC):
    """Poison where the amount is not below the width."""

    traits = traits_def(Pure())

    UNIT: ClassVar[int | None] = 0

    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        amount = constant_integer(self.rhs)
        fits = amount is not None and 0 <= amount < bits(self.result.type)
        return super().fold_plain() if fits else None


class _ExactShift(_Exact, _Shift, ABC): ...


class _LeftShift(_Shift, ABC):
    overflow_flags = prop_def(
        IntegerOverflowAttr,
        default_value=IntegerOverflowAttr("none"),
        prop_name="overflowFlags",
    )

    assembly_format = (
        "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)"
    )


def _truncated(lhs: int, rhs: int) -> int:
    quotient = abs(lhs) // abs(rhs)
    return quotient if (lhs < 0) == (rhs < 0) else -quotient


def _fitting(quotient: int, width: int) -> int | None:
    return quotient if signed(quotient, width) == quotient else None


_Op = TypeVar("_Op", bound=_Binary)


def _signed(
    base: type[_Op], name: str, evaluate: Callable[[int, int, int], int | None]
) -> type[_Op]:
    return op_like(base, name, evaluate=staticmethod(evaluate))


def _unsigned(base: type[_Op], name: str, evaluate: Callable[[int, int], int]) -> type[_Op]:
    return _signed(base, name, lambda a, b, n: evaluate(unsigned(a, n), unsigned(b, n)))


DivUIOp = _unsigned(_ExactQuotient, "arith.divui", lambda a, b: a // b)
CeilDivUIOp = _unsigned(_Quotient, "arith.ceildivui", lambda a, b: -(-a // b))
RemUIOp = _unsigned(_Division, "arith.remui", lambda a, b: a % b)
DivSIOp = _signed(
    _ExactSignedQuotient, "arith.divsi", lambda a, b, n: _fitting(_truncated(a, b), n)
)
FloorDivSIOp = _signed(
    _SignedQuotient, "arith.floordivsi", lambda a, b, n: _fitting(a // b, n)
)
CeilDivSIOp = _signed(
    _SignedQuotient, "arith.ceildivsi", lambda a, b, n: _fitting(-(-a // b), n)
)
RemSIOp = _signed(_SignedDivision, "arith.remsi", lambda a, b, _: a - _truncated(a, b) * b)
MinUIOp = _unsigned(_Extremum, "arith.minui", min)
MaxUIOp = _unsigned(_UnsignedMaximum, "arith.maxui", max)
MinSIOp = _signed(_Extremum, "arith.minsi", lambda a, b, _: min(a, b))
MaxSIOp = _signed(_Extremum, "arith.maxsi", lambda a, b, _: max(a, b))
ShRUIOp = _unsigned(_ExactShift, "arith.shrui", lambda a, b: a >> b)
ShRSIOp = _signed(_ExactShift, "arith.shrsi", lambda a, b, _: a >> b)
ShLIOp = _signed(_LeftShift, "arith.shli", lambda a, b, _: a << b)
