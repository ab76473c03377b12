"""Memrefs against their types: what a type says of extents, strides and offset holds when executing."""

from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Attribute, Operation

from xetile.dialects.upstream.memref.layout import strides_and_offset
from xetile.errors import fail
from xetile.interpreter.machine.values import Array, MemRef


def check_memref(op: Operation, type: Attribute, found: MemRef) -> None:
    """Refuse, at the op that makes it, a memref that is not as its type says, or has an extent below 0."""
    for dimension, size in enumerate(found.sizes):
        if (size < 0).any():
            fail(
                op,
                f"'{op.name}' makes a memref with extent {int(size.min())} in dimension "
                f"{dimension}; expected none below 0",
            )
    if isinstance(type, MemRefType):
        told = contradiction(cast("MemRefType[Attribute]", type), found)
        if told is not None:
            fail(op, f"'{op.name}' makes a memref with {told}, its type is {type}")


def contradiction(type: MemRefType[Attribute], found: MemRef) -> str | None:
    """What of a memref is not as its type says; None if all is.

    The stride of a dimension with one entry is never used, and may be any.
    """
    if len(found.sizes) != type.get_num_dims():
        return f"rank {len(found.sizes)}"
    for dimension, (size, extent) in enumerate(
        zip(found.sizes, type.get_shape(), strict=True)
    ):
        if extent != DYNAMIC_INDEX and (size != extent).any():
            return f"extent {_first(size, size != extent)} in dimension {dimension}"
    layout = strides_and_offset(type)
    if layout is None:
        return None
    for dimension, (stride, known) in enumerate(zip(found.strides, layout[0], strict=True)):
        wrong = (stride != known) & (found.sizes[dimension] > 1)
        if known is not None and wrong.any():
            return f"stride {_first(stride, wrong)} in dimension {dimension}"
    if layout[1] is not None and (found.offset != layout[1]).any():
        return f"offset {_first(found.offset, found.offset != layout[1])}"
    return None


def _first(values: Array, chosen: Array) -> int:
    """One of the chosen values, which may be one for all."""
    return int(values[chosen][0] if len(values) == len(chosen) else values[0])
