"""Constants that the lowering needs: repeated numbers, and the identities that reductions begin with."""

from collections.abc import Sequence
from math import copysign, inf, nan, prod
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute

from xetile.analysis.constants import Dense
from xetile.dialects.xetile.types import FLOAT_TYPES

_FLOATS = {
    "add": 0.0,
    "mul": 1.0,
    "minimumf": inf,
    "maximumf": -inf,
    "minnumf": nan,
    "maxnumf": nan,
}
_INDEX_BITS = 64


def identity(
    kind: CombiningKindFlag, element: Attribute, shape: Sequence[int]
) -> Dense | FloatAttr | IntegerAttr:
    """The identity of a kind of reduction, repeated over a shape (elements); a scalar for no shape."""
    number = _number(kind, element)
    if shape:
        return repeated(number, VectorType(element, shape))
    if isinstance(number, float):
        return FloatAttr(number, cast(AnyFloat, element))
    return IntegerAttr(number, cast("IntegerType | IndexType", element))


def repeated(number: float, type: VectorType[Attribute]) -> Dense:
    """A constant that repeats a number, rounded to the element type."""
    count = prod(type.get_shape())
    if not isinstance(type.element_type, FLOAT_TYPES):
        integers = cast("VectorType[IntegerType]", type)
        return cast(Dense, DenseIntOrFPElementsAttr.from_list(integers, [int(number)] * count))
    floats = cast("VectorType[AnyFloat]", type)
    try:
        return cast(Dense, DenseIntOrFPElementsAttr.from_list(floats, [float(number)] * count))
    except OverflowError:  # f16: what rounds to more than the largest number is infinite
        return repeated(copysign(inf, number), type)


def _number(kind: CombiningKindFlag, element: Attribute) -> float | int:
    if isinstance(element, FLOAT_TYPES):
        return _FLOATS[kind.value]
    bits = element.bitwidth if isinstance(element, IntegerType) else _INDEX_BITS
    ones, sign = -1, 1 << (bits - 1)
    integers = {"mul": 1, "and": ones, "minui": ones, "minsi": sign - 1, "maxsi": -sign}
    return integers.get(kind.value, 0)
