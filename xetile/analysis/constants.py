"""Dense constants: whether they repeat one element, and the same constant in another shape."""

from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType
from xdsl.ir import Attribute

from xetile.dialects.vector.support import splat, splat_bytes


def is_splat(value: DenseIntOrFPElementsAttr) -> bool:
    """Whether a constant repeats one element (compared as bytes, so that large ones stay cheap)."""
    return splat_bytes(value) is not None


def splat_of_type(
    value: DenseIntOrFPElementsAttr, type: VectorType[Attribute]
) -> DenseIntOrFPElementsAttr:
    """The element that `value` repeats, repeated over another shape of elements of the same width."""
    element = splat_bytes(value)
    assert element is not None
    return cast(DenseIntOrFPElementsAttr, splat(element, type))
