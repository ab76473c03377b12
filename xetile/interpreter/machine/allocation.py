"""Allocation of memrefs: one buffer per workgroup in shared memory, else one per thread."""

from collections.abc import Sequence
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StridedLayoutAttr
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.xetile.xetile_attributes import SHARED, memory_space_of
from xetile.errors import fail
from xetile.interpreter.machine.crops import ADDRESS_BITS
from xetile.interpreter.machine.elements import element_of
from xetile.interpreter.machine.execution import Frame
from xetile.interpreter.machine.memory import ALIGNMENT
from xetile.interpreter.machine.observer import Allocation
from xetile.interpreter.machine.runtime_values import Array, MemRef, uniform


def memref_type(value: SSAValue) -> MemRefType[Attribute]:
    """Return the type of a memref value."""
    if not isinstance(value.type, MemRefType):
        fail(value, f"expected a memref, found {value.type}")
    return cast("MemRefType[Attribute]", value.type)


def new_memref(
    frame: Frame,
    at: Operation | SSAValue,
    type: MemRefType[Attribute],
    dynamic: Sequence[Array],
    symbols: Sequence[Array] = (),
) -> MemRef:
    """Allocate zeroed memory; `dynamic` are the type's dynamic extents, `symbols` its dynamic offset and strides."""
    found, size = memref_at_zero(at, type, dynamic, symbols)
    slot = slot_of(size)
    shared = memory_space_of(type.memory_space) == SHARED
    per_thread = frame.threads.per_workgroup if shared else 1
    slots = frame.threads.count // per_thread
    base = frame.memory.allocate(slot * slots, "shared memory" if shared else "private memory")
    if shared:
        steps = [int(stride.max()) for stride in found.strides]
        layout = type.layout.layout if isinstance(type.layout, SwizzleAttr) else None
        allocation = Allocation(at, base, slot, size, element_of(type, at).size, steps, layout)
        frame.machine.observer.allocated(allocation)
    return found._replace(base=base + frame.active // per_thread * slot)


def slot_of(size: int) -> int:
    """Return the distance in bytes of buffers that have `size` bytes each."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def memref_at_zero(
    at: Operation | SSAValue,
    type: MemRefType[Attribute],
    dynamic: Sequence[Array],
    symbols: Sequence[Array] = (),
) -> tuple[MemRef, int]:
    """Return a new memref whose buffer begins at address 0, and the bytes that its buffer needs.

    `dynamic` are the dynamic extents of the type, `symbols` its dynamic offset and strides.
    Errors: MemoryError if the size exceeds the address space.
    """
    if isinstance(type.layout, SwizzleAttr):
        return _swizzled_at_zero(type, type.layout, element_of(type, at).size)
    sizes = extents_of(type, dynamic)
    if (smallest := min((int(size.min()) for size in sizes), default=0)) < 0:
        fail(at, f"a new memref has extent {smallest}; expected none below 0")
    of = element_of(type, at)
    # before strides are computed, which would overflow 64 bits
    if prod(max(int(size.max()), 1) for size in sizes) * of.size >= 1 << ADDRESS_BITS:
        raise MemoryError
    strides, offset = _layout(at, type, sizes, symbols)
    if (smallest := min(int(part.min()) for part in (offset, *strides))) < 0:
        fail(
            at, f"a new memref has {smallest} among offset and strides; expected none below 0"
        )
    steps = zip(sizes, strides, strict=True)
    reach = int(offset.max()) + 1
    reach += sum((int(n.max()) - 1) * int(stride.max()) for n, stride in steps)
    return MemRef(uniform(0), offset, sizes, strides), reach * of.size


def _swizzled_at_zero(
    type: MemRefType[Attribute], swizzle: SwizzleAttr, size: int
) -> tuple[MemRef, int]:
    if type.element_count() * size >= 1 << ADDRESS_BITS:
        raise MemoryError
    sizes = extents_of(type, [])
    steps = tuple(np.array([column], np.int64) for column in swizzle.steps)
    found = MemRef(uniform(0), uniform(0), sizes, dense_strides(sizes), steps)
    return found, type.element_count() * size


def _layout(
    at: Operation | SSAValue,
    type: MemRefType[Attribute],
    sizes: Sequence[Array],
    symbols: Sequence[Array],
) -> tuple[tuple[Array, ...], Array]:
    """Return strides and offset; dynamic ones come from `symbols`, or follow from dense rows."""
    layout = strides_and_offset(type)
    if layout is None or (
        layout[1] is None and not isinstance(type.layout, StridedLayoutAttr)
    ):
        fail(
            at, f"cannot allocate {type}: its layout is not strided, or its offset not static"
        )
    strides, offset = layout
    if isinstance(type.layout, StridedLayoutAttr):
        rest = iter(symbols)
        first, *others = (next(rest) if n is None else uniform(n) for n in (offset, *strides))
        return tuple(others), first
    if None in strides:
        return dense_strides(sizes), uniform(0)
    return tuple(uniform(stride or 0) for stride in strides), uniform(offset or 0)


def extents_of(type: MemRefType[Attribute], dynamic: Sequence[Array]) -> tuple[Array, ...]:
    """Return the extents of a memref; `dynamic` are the dynamic ones of its type."""
    rest = iter(dynamic)
    return tuple(next(rest) if n == DYNAMIC_INDEX else uniform(n) for n in type.get_shape())


def dense_strides(sizes: Sequence[Array]) -> tuple[Array, ...]:
    """Return the strides of rows without gaps."""
    strides = [uniform(1)]
    for size in reversed(sizes[1:]):
        strides.append(strides[-1] * size)
    return tuple(reversed(strides[: len(sizes)]))
