"""Constants that the lowering needs: repeated numbers, and the identities that reductions begin with."""

from collections.abc import Sequence
from math import copysign, inf, isfinite, isnan, nan, prod
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
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
from xetile.targets.target import INDEX_BITS

_FLOATS = {
    "add": 0.0,
    "mul": 1.0,
    "minimumf": inf,
    "maximumf": -inf,
    "minnumf": nan,
    "maxnumf": nan,
}
_LARGEST_OF_8_BITS = 448.0
"""The largest f8E4M3FN, which has no infinity (OCP 8-bit floating point specification, table 1)."""


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
        number = _FLOATS[kind.value]
        return number if isfinite(number) or isnan(number) else copysign(_largest(element), number)
    bits = element.bitwidth if isinstance(element, IntegerType) else INDEX_BITS
    ones, sign = -1, 1 << (bits - 1)
    integers = {"mul": 1, "and": ones, "minui": ones, "minsi": sign - 1, "maxsi": -sign}
    return integers.get(kind.value, 0)


def _largest(element: Attribute) -> float:
    return _LARGEST_OF_8_BITS if isinstance(element, Float8E4M3FNType) else inf
