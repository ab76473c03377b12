"""Shared code of the vector dialect's ops; checks of positions against extents, which xDSL 0.75 lacks."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyDenseElement,
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.dialects.vector import ExtractOp, InsertOp
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.irdl import irdl_to_attr_constraint
from xdsl.pattern_rewriter import PatternRewriter

from xetile.dialects.shared_attributes import integer_array, word
from xetile.dialects.upstream.arith.arith_support import constant_value
from xetile.errors import fail
from xetile.hints import isa

INTEGERS = irdl_to_attr_constraint(ArrayAttr[IntegerAttr[IntegerType]])
"""`[0, 8]`, as the slice ops have them."""


def vector_type(value: SSAValue | Operation) -> VectorType:
    """The type of a value that the op's constraints make a vector."""
    found = value.type if isinstance(value, OpResult) else SSAValue.get(value).type
    assert isinstance(found, VectorType)
    return cast(VectorType, found)


@lru_cache(maxsize=256)
def vector_of(element: Attribute, shape: tuple[int, ...]) -> VectorType:
    """The type of a vector (elements), verified once; a program of many ops has few."""
    return VectorType(element, shape)


def array(values: Sequence[int]) -> DenseArrayBase[IntegerType]:
    """`array<i64: ...>`."""
    return integer_array(values)


def integers(values: Sequence[int]) -> ArrayAttr[IntegerAttr[IntegerType]]:
    """`[...]` of i64."""
    return _integers(tuple(values))


@lru_cache(maxsize=1024)
def _integers(values: tuple[int, ...]) -> ArrayAttr[IntegerAttr[IntegerType]]:
    return ArrayAttr([word(value, 64) for value in values])


def integer_values(values: ArrayAttr[IntegerAttr[IntegerType]]) -> tuple[int, ...]:
    """The numbers of `[...]`."""
    return tuple(value.value.data for value in values)


def constant(value: SSAValue) -> DenseIntOrFPElementsAttr | None:
    """The elements of a constant vector."""
    found = constant_value(value)
    return found if isa(found, DenseIntOrFPElementsAttr) else None


def element_count(type: VectorType) -> int:
    """The number of elements of a vector type without scalable dimensions."""
    return prod(type.get_shape())


def splat_bytes(value: DenseIntOrFPElementsAttr) -> bytes | None:
    """The bytes of the one element that a constant repeats; None where it has several."""
    if len(value) == 0:
        return None
    width = len(value.data.data) // len(value)
    element = value.data.data[:width]
    return element if element * len(value) == value.data.data else None


def splat(element: bytes, type: Attribute) -> DenseIntOrFPElementsAttr | None:
    """A constant that repeats one element; None where `type` is no vector of fixed size."""
    if not isa(type, VectorType) or any(type.get_scalable_dims()):
        return None
    return dense(type, element * element_count(type))


def dense(type: VectorType, data: bytes) -> DenseIntOrFPElementsAttr:
    """A constant of the type with these bytes, little endian, row-major."""
    return DenseIntOrFPElementsAttr(cast("VectorType[AnyDenseElement]", type), BytesAttr(data))


def splat_of(value: SSAValue, type: Attribute) -> DenseIntOrFPElementsAttr | None:
    """The constant of `type` that repeats the element that the constant `value` repeats."""
    found = constant(value)
    element = None if found is None else splat_bytes(found)
    return None if element is None else splat(element, type)


def scalar_bytes(value: SSAValue) -> bytes | None:
    """The bytes of a constant scalar, little endian."""
    found = constant_value(value)
    if isa(found, IntegerAttr):
        return found.type.pack([found.value.data])
    if isa(found, FloatAttr):
        return found.type.pack([found.value.data])
    return None


def replace_alike(rewriter: PatternRewriter, operation: Operation, new: Operation) -> None:
    """Replace an op, and hand on its discardable attributes, such as a `wg_map`."""
    new.attributes |= operation.attributes
    rewriter.replace(operation, new)


_VECTOR_OPERAND: dict[type[Operation], int] = {ExtractOp: 0, InsertOp: 1}


def verify_positions(op: Operation) -> None:
    """Refuse a written position outside of the vector, as mlir-opt does; -1 is poison there.

    Errors: XetileError that names the position and what it may be.
    """
    operand = _VECTOR_OPERAND.get(type(op))
    written = op.properties.get("static_position")
    if (
        operand is None
        or len(op.operands) <= operand
        or not isinstance(written, DenseArrayBase)
    ):
        return
    vector = op.operands[operand].type
    if not isinstance(vector, VectorType):
        return
    extents = cast("VectorType[Attribute]", vector).get_shape()
    for position, extent in zip(written.get_values(), extents, strict=False):
        if position != DYNAMIC_INDEX and not -1 <= position < extent:
            fail(
                op,
                f"the position is {position} in a dimension of {extent} of {vector}, it has to lie in [-1, {extent})",
            )
