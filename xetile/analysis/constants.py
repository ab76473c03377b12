"""Constants: dense ones, parts of them as bytes, integers that ops list."""

from collections.abc import Iterable
from typing import cast

from xdsl.dialects.builtin import (
    AnyDenseElement,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    VectorType,
)
from xdsl.ir import Attribute, Operation

from xetile.dialects.upstream.vector.vector_support import dense, splat, splat_bytes
from xetile.hints import isa

Dense = DenseIntOrFPElementsAttr[AnyDenseElement]


def dense_value(op: Operation) -> Dense | None:
    """Return the elements of an `arith.constant` of a vector, or None for other constants."""
    value = op.properties.get("value")
    return value if isa(value, DenseIntOrFPElementsAttr[AnyDenseElement]) else None


def is_splat(value: Dense) -> bool:
    """Return True if a constant repeats one element (compared as bytes, so that large ones stay cheap)."""
    return splat_bytes(value) is not None


def splat_of_type(value: Dense, type: VectorType[Attribute]) -> Dense:
    """Return the element that `value` repeats, repeated over another shape of elements of the same width."""
    element = splat_bytes(value)
    assert element is not None
    return cast(Dense, splat(element, type))


def taken(value: Dense, indices: Iterable[int], type: VectorType[Attribute]) -> Dense:
    """Return the elements at these row-major positions of a constant, as a constant of the given type."""
    data = value.data.data
    width = len(data) // len(value)
    picked = b"".join(data[index * width : (index + 1) * width] for index in indices)
    return dense(cast("VectorType[AnyDenseElement]", type), picked)


def integers_of(op: Operation, name: str) -> list[int]:
    """Return the integers that a property of an op lists, as `[0, 8]` or as `array<i64: 0, 8>`."""
    value = op.properties[name]
    if isinstance(value, DenseArrayBase):
        return [int(number) for number in value.get_values()]
    return [number.value.data for number in cast("ArrayAttr[IntegerAttr]", value)]
