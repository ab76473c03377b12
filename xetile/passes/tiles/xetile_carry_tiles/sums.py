"""Offsets as numbers if they are known, else values: sums and multiples that fold."""

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue

from xetile.dialects.known_integers import folded_integer

Offset = SSAValue | int

Put = Callable[[Operation], None]
"""Inserts an op at the place where a sum is computed."""


def known(value: Offset) -> Offset:
    """Return the number that an offset equals, or the offset itself if that is not known."""
    if isinstance(value, int):
        return value
    number = folded_integer(value)
    return value if number is None else number


def added(left: Offset, right: Offset, put: Put) -> Offset:
    """Return left + right."""
    if isinstance(left, int) and isinstance(right, int):
        return left + right
    if left == 0:
        return right
    if right == 0:
        return left
    return _computed(arith.AddiOp(value(left, put), value(right, put)), put)


def times(left: Offset, factor: int, put: Put) -> Offset:
    """Return left * factor."""
    if isinstance(left, int):
        return left * factor
    if factor in (0, 1):
        return left if factor else 0
    return _computed(arith.MuliOp(left, value(factor, put)), put)


def value(offset: Offset, put: Put) -> SSAValue:
    """Return the offset as a value."""
    if isinstance(offset, int):
        return _computed(arith.ConstantOp(IntegerAttr(offset, IndexType())), put)
    return offset


def _computed(op: Operation, put: Put) -> SSAValue:
    put(op)
    return op.results[0]
