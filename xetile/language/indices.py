"""Whole numbers that places are made of: sums of multiples of values, so that differences of places are known.

`k + 3 * BK` is the value k once and the constant 96. Only where IR needs it, it is computed; equal sums once.
"""

from collections.abc import Callable, Mapping
from typing import NoReturn, Self

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.language.arithmetic import Single
from xetile.language.builder import current
from xetile.language.conversions import converted
from xetile.language.elementwise import Comparison, compare
from xetile.language.literals import number_of
from xetile.language.refusals import refuse
from xetile.language.scalars import Scalar
from xetile.language.types import ElementType
from xetile.language.types import index as INDEX
from xetile.language.values import Value, describe, unsupported


class Index(Single):
    """The sum of `terms` (values of type index, each times a number that is not zero) and `constant`."""

    __slots__ = ("_constant", "_terms")

    def __init__(self, terms: Mapping[SSAValue, int], constant: int = 0) -> None:
        self._terms = {value: factor for value, factor in terms.items() if factor != 0}
        self._constant = constant

    @property
    def element(self) -> ElementType:
        return INDEX

    @property
    def terms(self) -> Mapping[SSAValue, int]:
        """Values of type index, and how often each counts."""
        return self._terms

    @property
    def constant(self) -> int:
        """What is added to the terms."""
        return self._constant

    @classmethod
    def of(cls, value: object) -> "Index":
        """An index that is a value in IR, a number, or one already.

        Errors: XetileError for what is no whole number.
        """
        if isinstance(value, Index):
            return value
        if isinstance(value, SSAValue):
            return cls({value: 1})
        if isinstance(value, Scalar):
            return cls({_converted(value): 1})
        number = number_of(value)
        if isinstance(value, Value) or not isinstance(number, int) or isinstance(number, bool):
            found = value.describe() if isinstance(value, Value) else repr(value)
            refuse(f"{found} stands where an index or a whole number does")
        return cls({}, number)

    @property
    def type(self) -> Attribute:
        """MLIR's index."""
        return IndexType()

    @property
    def known(self) -> int | None:
        """The number, where it does not depend on how the kernel runs."""
        return None if self._terms else self._constant

    @property
    def shape(self) -> tuple[()]:
        """No extents."""
        return ()

    def like(self, value: SSAValue) -> Self:
        """The value alone."""
        return type(self)({value: 1})

    def describe(self) -> str:
        """What all of them are."""
        return "an index"

    def ssa(self) -> SSAValue:
        """The sum in IR: products first, in the order in which their values came to be, the constant last."""
        from xdsl.dialects.arith import AddiOp, MuliOp

        builder = current()
        total: SSAValue | None = None
        for value, factor in self._terms.items():
            part = value
            if factor != 1:
                part = builder.pure_of(MuliOp, value, builder.index(factor))
            total = part if total is None else builder.pure_of(AddiOp, total, part)
        if total is None:
            return builder.index(self._constant)
        if self._constant:
            total = builder.pure_of(AddiOp, total, builder.index(self._constant))
        return total

    def __add__(self, other: "Single | int") -> "Index":
        right = _operand(other, "+", self)
        if right is None:
            return NotImplemented
        terms = dict(self._terms)
        for value, factor in right._terms.items():
            terms[value] = terms.get(value, 0) + factor
        return Index(terms, self._constant + right._constant)

    __radd__ = __add__

    def __neg__(self) -> "Index":
        return _times(self, -1)

    def __pos__(self) -> "Index":
        return self

    def __abs__(self) -> "Index":
        return largest(self, -self)

    def __sub__(self, other: "Single | int") -> "Index":
        right = _operand(other, "-", self)
        return NotImplemented if right is None else self + _times(right, -1)

    def __rsub__(self, other: "Single | int") -> "Index":
        left = _operand(other, "-", self)
        return NotImplemented if left is None else left + -self

    def __mul__(self, other: "Single | int") -> "Index":
        right = _operand(other, "*", self)
        if right is None:
            return NotImplemented
        for one, number in ((self, right.known), (right, self.known)):
            if number is not None:
                return _times(one, number)
        from xdsl.dialects.arith import MuliOp

        return Index.of(current().pure_of(MuliOp, self.ssa(), right.ssa()))

    __rmul__ = __mul__

    def __floordiv__(self, other: "Single | int") -> "Index":
        right = _operand(other, "//", self)
        return NotImplemented if right is None else _quotient(self, right)

    def __rfloordiv__(self, other: "Single | int") -> "Index":
        left = _operand(other, "//", self)
        return NotImplemented if left is None else _quotient(left, self)

    def __mod__(self, other: "Single | int") -> "Index":
        right = _operand(other, "%", self)
        return NotImplemented if right is None else self - _quotient(self, right) * right

    def __rmod__(self, other: "Single | int") -> "Index":
        left = _operand(other, "%", self)
        return NotImplemented if left is None else left - _quotient(left, self) * self

    def __divmod__(self, other: "Single | int") -> "tuple[Index, Index]":
        return self // other, self % other

    def __truediv__(self, other: object) -> "Index":
        return _no_quotient(other)

    def __rtruediv__(self, other: object) -> "Index":
        return _no_quotient(other)

    def _refused(self, other: object = None) -> NoReturn:
        refuse(
            "an index has the operators + - * // % and comparisons; `.to(xt.i64)` makes a scalar of it"
        )

    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _refused
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __pow__ = __rpow__ = _refused
    __invert__ = __matmul__ = __rmatmul__ = _refused

    def __lt__(self, other: "Single | int") -> Scalar:
        return self._compared("lt", other)

    def __le__(self, other: "Single | int") -> Scalar:
        return self._compared("le", other)

    def __gt__(self, other: "Single | int") -> Scalar:
        return self._compared("gt", other)

    def __ge__(self, other: "Single | int") -> Scalar:
        return self._compared("ge", other)

    def __eq__(self, other: object) -> Scalar:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compared("eq", other)

    def __ne__(self, other: object) -> Scalar:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._compared("ne", other)

    __hash__ = Value.__hash__

    def _compared(self, kind: Comparison, other: object) -> Scalar:
        right = _operand(other, kind, self)
        if right is None:
            return NotImplemented
        found = compare(kind, self.held(), right.held())
        return Scalar(found.value, found.element)

    def to(self, type: ElementType) -> "Scalar | Index":
        """The number in another type, modulo its width."""
        held = converted(self.held(), type)
        return self if type == INDEX else Scalar(held.value, held.element)


def _converted(value: Scalar) -> SSAValue:
    if value.element.kind != "integer":
        refuse(f"{value.describe()} stands where an index does; convert it, `.to(xt.i64)`")
    return converted(value.held(), INDEX).value


def _operand(other: object, symbol: str, one: Index) -> Index | None:
    """The other operand of an operator as an index; None where its class knows what to do."""
    if isinstance(other, Index):
        return other
    if isinstance(other, int) and not isinstance(other, bool):
        return Index({}, int(other))
    if isinstance(other, Value):
        return Index.of(other) if isinstance(other, Scalar) else None
    if not isinstance(number_of(other), int) or isinstance(number_of(other), bool):
        unsupported(symbol, one, other)
    return Index.of(other)


def _times(one: Index, number: int) -> Index:
    terms = {value: factor * number for value, factor in one.terms.items()}
    return Index(terms, one.constant * number)


def _quotient(left: Index, right: Index) -> Index:
    """The quotient, rounded towards minus infinity; multiples of a known divisor are divided exactly."""
    from xetile.dialects.upstream.arith import FloorDivSIOp

    divisor = right.known
    if divisor == 0:
        refuse("division of an index by 0")
    if divisor is None:
        return Index.of(current().pure_of(FloorDivSIOp, left.ssa(), right.ssa()))
    whole = {v: f // divisor for v, f in left.terms.items() if f % divisor == 0}
    rest = Index({v: f for v, f in left.terms.items() if f % divisor}, left.constant % divisor)
    exact = Index(whole, left.constant // divisor)
    if rest.known is not None:
        return exact
    return exact + Index.of(current().pure_of(FloorDivSIOp, rest.ssa(), right.ssa()))


def _no_quotient(other: object) -> Index:
    refuse("'/' of indices has fractions; write '//', or `.to(xt.f32)`")


def refuse_bound(what: str, value: object) -> NoReturn:
    """Refuse a value that stands where an index does, whatever it would be converted to."""
    whole = isinstance(value, Scalar) and value.element.kind == "integer"
    refuse(
        f"expected an index or a whole number as {what}, found {describe(value)}; write "
        + ("xt.index(...) of it" if whole else "an index or an int")
    )


def smallest(left: Index, right: Index) -> Index:
    """The smaller of two."""
    from xetile.dialects.upstream.arith import MinSIOp

    return _chosen(MinSIOp, left, right, min)


def largest(left: Index, right: Index) -> Index:
    """The larger of two."""
    from xetile.dialects.upstream.arith import MaxSIOp

    return _chosen(MaxSIOp, left, right, max)


def _chosen(
    op: Callable[..., Operation], left: Index, right: Index, choose: Callable[[int, int], int]
) -> Index:
    apart = difference(left, right)
    if apart is not None:
        return left if choose(apart, 0) == apart else right
    return Index.of(current().pure_of(op, left.ssa(), right.ssa()))


def difference(stop: Index | int, start: Index | int) -> int | None:
    """How far `stop` is behind `start`, where that does not depend on how the kernel runs."""
    return (Index.of(stop) - Index.of(start)).known
