"""Whole numbers that places are made of: sums of multiples of values, so that differences of places are known.

`k + 3 * BK` is the value k once and the constant 96. Only where IR needs it, it is computed; equal sums once.
"""

from collections.abc import Mapping
from typing import Self

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, SSAValue

from xetile.language.builder import current
from xetile.language.types import index as INDEX
from xetile.language.values import Value


class Index(Value):
    """The sum of `terms` (values of type index, each times a number that is not zero) and `constant`."""

    element = INDEX

    def __init__(self, terms: Mapping[SSAValue, int], constant: int = 0) -> None:
        self.terms = {value: factor for value, factor in terms.items() if factor != 0}
        self.constant = constant

    @classmethod
    def of(cls, value: "SSAValue | Index | int") -> "Index":
        """An index that is a value in IR, a Python number, or one already."""
        if isinstance(value, Index):
            return value
        return cls({}, value) if isinstance(value, int) else cls({value: 1})

    @property
    def type(self) -> Attribute:
        """MLIR's index."""
        return IndexType()

    @property
    def known(self) -> int | None:
        """The number, where it does not depend on how the kernel runs."""
        return None if self.terms else self.constant

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
        for value, factor in self.terms.items():
            part = value if factor == 1 else builder.pure(MuliOp(value, builder.index(factor)))
            total = part if total is None else builder.pure(AddiOp(total, part))
        if total is None:
            return builder.index(self.constant)
        if self.constant:
            total = builder.pure(AddiOp(total, builder.index(self.constant)))
        return total

    def __add__(self, other: "Index | int") -> "Index":
        right = Index.of(other)
        terms = dict(self.terms)
        for value, factor in right.terms.items():
            terms[value] = terms.get(value, 0) + factor
        return Index(terms, self.constant + right.constant)

    __radd__ = __add__

    def __neg__(self) -> "Index":
        return self * -1

    def __sub__(self, other: "Index | int") -> "Index":
        return self + -Index.of(other)

    def __rsub__(self, other: int) -> "Index":
        return -self + other

    def __mul__(self, other: "Index | int") -> "Index":
        for one, number in ((self, Index.of(other).known), (Index.of(other), self.known)):
            if number is not None:
                terms = {value: factor * number for value, factor in one.terms.items()}
                return Index(terms, one.constant * number)
        from xdsl.dialects.arith import MuliOp

        return Index.of(current().pure(MuliOp(self.ssa(), Index.of(other).ssa())))

    __rmul__ = __mul__


def difference(stop: Index | int, start: Index | int) -> int | None:
    """How far `stop` is behind `start`, where that does not depend on how the kernel runs."""
    return (Index.of(stop) - Index.of(start)).known
