"""Constants that the lowering needs: repeated numbers, and the identities that reductions begin with."""

from collections.abc import Sequence
from math import copysign, inf, prod
from typing import cast

from xdsl.dialects.arith import FastMathFlagsAttr
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
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import Dense, dense_value, is_splat, taken
from xetile.dialects.atomic_kinds import identity as neutral
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xetile.types import FLOAT_TYPES
from xetile.targets.target import INDEX_BITS


def identity(
    kind: CombiningKindFlag,
    element: Attribute,
    shape: Sequence[int],
    flags: FastMathFlagsAttr,
) -> Dense | FloatAttr | IntegerAttr:
    """The identity of a kind of reduction, repeated over a shape (elements); a scalar for no shape."""
    number = neutral(kind.value, str(element), _integer_bits(element), flags)
    if shape:
        return repeated(number, VectorType(element, shape))
    if isinstance(element, FLOAT_TYPES):
        return FloatAttr(number, cast(AnyFloat, element))
    return IntegerAttr(int(number), cast("IntegerType | IndexType", element))


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


def constant_part(
    value: SSAValue, start: Sequence[int], block: Sequence[int]
) -> Operation | None:
    """A block of a constant whose elements differ, as a constant: where it lies in memory is known of that."""
    op = value.owner
    given = dense_value(op) if isinstance(op, Operation) else None
    if given is None or is_splat(given):
        return None
    columns = vector_type(value).get_shape()[1]
    places = [
        (start[0] + row) * columns + start[1] + column
        for row in range(block[0])
        for column in range(block[1])
    ]
    type = VectorType(vector_type(value).element_type, block)
    return arith.ConstantOp(taken(given, places, type))


def _integer_bits(element: Attribute) -> int | None:
    if isinstance(element, FLOAT_TYPES):
        return None
    return element.bitwidth if isinstance(element, IntegerType) else INDEX_BITS
