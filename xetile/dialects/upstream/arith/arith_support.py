"""Types and constants that the ops of the arith dialect share, and what they fold."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import cast

from xdsl.dialects.arith import FastMathFlagsAttr, signlessIntegerLike
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
    container_of,
    i1,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.type import get_element_type_or_self, have_compatible_shape

from xetile.hints import isa


def constant_value(value: SSAValue) -> Attribute | None:
    """Return the value of a constant op, or None if another op, or a block, defines the value."""
    if isinstance(value, OpResult) and _is_constant(type(value.op)):
        return ConstantLike.get_constant_value(value)
    return None


@cache
def _is_constant(kind: type[Operation]) -> bool:
    return kind.get_trait(ConstantLike) is not None


INDEX_BITS = 64
"""The width that folding takes an index to have, as MLIR does."""


class Foldable(HasFolderInterface, ABC):
    """An op that folds unless it carries discardable attributes.

    They would be lost, and a `wg_map` among them says how the user wants the result
    distributed.
    """

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        return None if self.attributes else self.fold_plain()

    @abstractmethod
    def fold_plain(self) -> Sequence[SSAValue | Attribute] | None:
        """Return the results of the op without discardable attributes if it folds, or None."""


NO_FLAGS = FastMathFlagsAttr("none")

FIXED_INTEGER_LIKE = container_of(IntegerType)
INTEGER_LIKE = signlessIntegerLike


def element_type(type: Attribute) -> Attribute:
    """The type of one element of a vector or tensor, else the type itself."""
    return get_element_type_or_self(type)


def with_element(type: Attribute, element: Attribute) -> Attribute:
    """A type of the same shape with other elements."""
    if isa(type, VectorType):
        return VectorType(element, type.shape, type.scalable_dims)
    if isa(type, TensorType):
        return TensorType(element, type.get_shape(), type.encoding)
    return element


def condition_type(type: Attribute) -> Attribute:
    """Return the result type of a comparison of two values of `type`."""
    return with_element(type, i1)


def bits(type: Attribute) -> int:
    """Return the width of one element in bits."""
    element = element_type(type)
    if isinstance(element, IndexType):
        return INDEX_BITS
    assert isinstance(element, IntegerType | AnyFloat)
    return element.bitwidth


def verify_same_shape(source: SSAValue, result: SSAValue) -> None:
    """A cast works element by element."""
    shaped = [isa(value.type, VectorType | TensorType) for value in (source, result)]
    alike = shaped[0] == shaped[1] and isa(source.type, VectorType) == isa(
        result.type, VectorType
    )
    if not alike or not have_compatible_shape(source.type, result.type):
        raise VerifyException(
            f"'out' is {result.type}, it has to have the shape of {source.type}"
        )


def constant_integer(value: SSAValue) -> int | None:
    """The integer that a constant holds, or that a splat repeats; signed, as it is stored."""
    found = constant_value(value)
    if isinstance(found, IntegerAttr):
        return found.value.data
    repeated = _repeated(found)
    return repeated if isinstance(repeated, int) else None


def constant_unsigned(value: SSAValue) -> int | None:
    """As `constant_integer`, its bits without a sign."""
    found = constant_integer(value)
    return None if found is None else unsigned(found, bits(value.type))


def constant_float(value: SSAValue) -> float | None:
    """The float that a constant holds, or that a splat repeats."""
    found = constant_value(value)
    if isinstance(found, FloatAttr):
        return found.value.data
    repeated = _repeated(found)
    return repeated if isinstance(repeated, float) else None


def _repeated(value: Attribute | None) -> int | float | None:
    if value is None or not isa(value, DenseIntOrFPElementsAttr) or len(value) == 0:
        return None
    width = len(value.data.data) // len(value)
    if value.data.data[:width] * len(value) != value.data.data:
        return None
    first = next(iter(value.iter_values()))
    return None if isinstance(first, tuple) else first


def signed(value: int, width: int) -> int:
    """The two's complement number with the low `width` bits of `value`."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def unsigned(value: int, width: int) -> int:
    """The number that the low `width` bits of `value` mean without a sign."""
    return value & ((1 << width) - 1)


def integer_attribute(value: int, type: Attribute) -> Attribute | None:
    """A constant of `type` with `value`, modulo its width, in every element."""
    element = element_type(type)
    if not isa(element, IntegerType | IndexType):
        return None
    value = signed(value, bits(element))
    if isa(type, VectorType) or isa(type, TensorType):
        return _dense(type, element, value)
    return IntegerAttr(value, element)


def folded_integer(value: int | None, result: SSAValue) -> tuple[Attribute] | None:
    """Return the results of a fold to a constant, or None if the value is unknown or has no constant of that type."""
    constant = None if value is None else integer_attribute(value, result.type)
    return None if constant is None else (constant,)


def folded_float(value: float | None, result: SSAValue) -> tuple[Attribute] | None:
    """Return the results of a fold to a constant, or None if the value is unknown or has no constant of that type."""
    constant = None if value is None else float_attribute(value, result.type)
    return None if constant is None else (constant,)


def float_attribute(value: float, type: Attribute) -> Attribute | None:
    """A constant of `type` with `value`, rounded to it, in every element."""
    element = element_type(type)
    if not isinstance(element, AnyFloat):
        return None
    value = element.round(value)
    if isa(type, VectorType) or isa(type, TensorType):
        return _dense(type, element, value)
    return FloatAttr(value, element)


def is_rounded_through_double(type: Attribute) -> bool:
    """Return True if rounding a sum, product or quotient to f64 and then to the type equals rounding once."""
    exact = BFloat16Type | Float16Type | Float32Type | Float64Type
    return isinstance(element_type(type), exact)


def _dense(
    type: VectorType | TensorType, element: Attribute, value: float
) -> Attribute | None:
    shape = type.get_shape()
    if any(extent < 0 for extent in shape):
        return None
    if isinstance(type, VectorType) and any(type.get_scalable_dims()):
        return None
    if isinstance(element, AnyFloat):
        floats = cast("VectorType[AnyFloat]", type)
        return DenseIntOrFPElementsAttr.from_list(floats, [float(value)] * math.prod(shape))
    integers = cast("VectorType[IntegerType | IndexType]", type)
    return DenseIntOrFPElementsAttr.from_list(integers, [int(value)] * math.prod(shape))
