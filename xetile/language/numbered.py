"""Tiles of consecutive numbers."""

from functools import cache

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    VectorType,
)

from xetile.hints import isa
from xetile.language.builder import Constant, Pair, current
from xetile.language.held import Held, fitting_in_memory
from xetile.language.types import ElementType


def numbers(count: int, axis: int, element: ElementType) -> Held:
    """0, 1, ... along an axis: a column of `count` elements for axis 0, a row for axis 1."""
    shape = (1, count) if axis == 1 else (count, 1)
    fitting_in_memory(shape)
    return Held(current().constant(_constant(shape, element)), element, shape)


@cache
def _constant(shape: Pair, element: ElementType) -> Constant:
    kind = element.attribute
    count = max(shape)
    if isinstance(kind, AnyFloat):
        return DenseIntOrFPElementsAttr.from_list(
            VectorType(kind, shape), [float(number) for number in range(count)]
        )
    assert isa(kind, IntegerType | IndexType)
    return DenseIntOrFPElementsAttr.from_list(VectorType(kind, shape), list(range(count)))
