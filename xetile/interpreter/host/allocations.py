"""Memory on the host, which stays until it is freed, and of the device."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.errors import fail, with_line
from xetile.interpreter.machine.allocation import memref_at_zero, memref_type
from xetile.interpreter.machine.elements import Element, element_of
from xetile.interpreter.machine.execution import Frame, Handler, Handlers
from xetile.interpreter.machine.reading import all_numbers, mixed_lists, segments
from xetile.interpreter.machine.runtime_values import Array, MemRef, Values, check_memref
from xetile.interpreter.ops.memref_ops import HANDLERS as MEMREF
from xetile.interpreter.ops.memref_ops import check_same_extents

DEVICE_ONLY = "the device's memory"
"""Prefix of the names of buffers that the host cannot access: gpu.alloc without host_shared."""


def allocate(
    frame: Frame,
    op: Operation,
    result: SSAValue,
    given: Sequence[Sequence[SSAValue]],
    owner: str,
) -> MemRef:
    """Allocate on the heap; `given` are the dynamic extents, and the dynamic offset and strides, of the type."""
    sizes, symbols = (all_numbers(frame, part) for part in given)
    found, size = memref_at_zero(op, memref_type(result), sizes, symbols)
    name = f"{owner}{with_line(op, ' allocated in line {}')}"
    base = frame.memory.allocate_on_heap(size, name)
    return found._replace(base=found.base + base)


def _alloc(frame: Frame, op: Operation) -> Values:
    return [allocate(frame, op, op.results[0], segments(op), "the memory")]


def give_back(frame: Frame, op: Operation) -> Values:
    """Free the allocation of a memref, the op's last operand."""
    frame.memory.give_back(int(frame.memref(op.operands[-1]).base[0]), op)
    return []


def element_of_memref(value: SSAValue) -> Element:
    """Return the element type of a memref, ranked or not."""
    type = value.type
    if isinstance(type, UnrankedMemRefType):
        return element_of(cast("UnrankedMemRefType[Attribute]", type).element_type, value)
    return element_of(type, value)


def _numbers(parts: Sequence[Array]) -> list[int]:
    return [int(part[0]) for part in parts]


def array_of(frame: Frame, op: Operation, value: SSAValue) -> Array:
    """Return a memref's elements as an array that shares the memory."""
    found, element = frame.memref(value), element_of_memref(value)
    sizes, strides = _numbers(found.sizes), _numbers(found.strides)
    first = int(found.base[0]) + int(found.offset[0]) * element.size
    return frame.memory.strided(op, first, sizes, strides, element)


def host_array_of(frame: Frame, op: Operation, value: SSAValue) -> Array:
    """Return `array_of` for memory that the host can access."""
    check_reachable(frame, op, value)
    return array_of(frame, op, value)


def check_reachable(frame: Frame, op: Operation, value: SSAValue) -> None:
    """Raise if the host accesses memory of the device."""
    buffer = frame.memory.buffer(int(frame.memref(value).base[0]), op)
    if buffer.name.startswith(DEVICE_ONLY):
        fail(
            op,
            f"'{op.name}' on the host reaches {buffer.name}; "
            "use gpu.memcpy, or allocate with host_shared",
        )


def _reachable(handler: Handler) -> Handler:
    def checked(frame: Frame, op: Operation) -> Values:
        for value in op.operands:
            if isinstance(value.type, MemRefType):
                check_reachable(frame, op, value)
        return handler(frame, op)

    return checked


def _inside(handler: Handler) -> Handler:
    """Wrap a handler of views: raise if the view exceeds the memory of its source."""

    def checked(frame: Frame, op: Operation) -> Values:
        (found,) = handler(frame, op)
        assert isinstance(found, MemRef)
        check_memref(op, op.results[0].type, found)
        of = element_of_memref(op.results[0])
        sizes, strides = _numbers(found.sizes), _numbers(found.strides)
        if 0 not in sizes:
            base, memory = int(found.base[0]), frame.memory
            first = base + int(found.offset[0]) * of.size
            memory.reach(op, memory.buffer(base, op), first, sizes, strides, of.size)
        return [found]

    return checked


def _subview(frame: Frame, op: Operation) -> Values:
    source, parts = frame.memref(op.operands[0]), segments(op)[1:]
    lists = mixed_lists(frame, op, ("static_offsets", "static_sizes", "static_strides"), parts)
    for dimension, extent in enumerate(_numbers(source.sizes)):
        offset, size, stride = (int(part[dimension][0]) for part in lists)
        ends = (offset, offset + (size - 1) * stride)
        if size > 0 and not (min(ends) >= 0 and max(ends) < extent):
            fail(
                op,
                f"the subview reaches {min(ends)} to {max(ends)} in dimension {dimension} "
                f"of extent {extent}",
            )
    return MEMREF["memref.subview"](frame, op)


def check_writable(op: Operation, target: Array) -> None:
    """Refuse an op that writes to an array that is read-only."""
    if not target.flags.writeable:
        fail(op, f"'{op.name}' writes to memory that is read-only")


def copy(frame: Frame, op: Operation, source: Array, target: Array) -> None:
    """Copy all elements; the two arrays may overlap."""
    check_same_extents(op, source.shape, target.shape)
    check_writable(op, target)
    target[...] = source.copy() if np.may_share_memory(source, target) else source


def _copy(frame: Frame, op: Operation) -> Values:
    source, target = (host_array_of(frame, op, value) for value in op.operands)
    copy(frame, op, source, target)
    return []


HANDLERS: Handlers = {
    **MEMREF,
    "memref.alloc": _alloc,
    "memref.dealloc": give_back,
    "memref.load": _reachable(MEMREF["memref.load"]),
    "memref.store": _reachable(MEMREF["memref.store"]),
    "memref.atomic_rmw": _reachable(MEMREF["memref.atomic_rmw"]),
    "memref.copy": _copy,
    "memref.subview": _inside(_subview),
    "memref.reinterpret_cast": _inside(MEMREF["memref.reinterpret_cast"]),
    "memref.view": _inside(MEMREF["memref.view"]),
}
