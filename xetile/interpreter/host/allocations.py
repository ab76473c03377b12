"""Memory on the host, which stays until it is given back, and of the device."""

from typing import cast

import numpy as np
from xdsl.dialects.builtin import MemRefType, UnrankedMemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.errors import fail, with_line
from xetile.interpreter.machine.allocation import memref_at_zero, memref_type
from xetile.interpreter.machine.elements import Element, element_of
from xetile.interpreter.machine.frame import Frame, Handler, Handlers
from xetile.interpreter.machine.reading import all_numbers, segments
from xetile.interpreter.machine.values import Array, MemRef, Values
from xetile.interpreter.ops.memref import HANDLERS as MEMREF

DEVICE_ONLY = "the device's memory"
"""How the names of buffers begin that the host cannot reach: gpu.alloc without host_shared."""


def allocate(
    frame: Frame, op: Operation, result: SSAValue, sizes: Values, owner: str
) -> MemRef:
    """New memory on the heap, named after the value that it is allocated for."""
    extents = [size for size in sizes if isinstance(size, np.ndarray)]
    found, size = memref_at_zero(op, memref_type(result), extents)
    name = f"{owner}{with_line(op, ' allocated in line {}')}"
    base = frame.memory.allocate_on_heap(size, name)
    return found._replace(base=found.base + base)


def _alloc(frame: Frame, op: Operation) -> Values:
    dynamic, _ = segments(op)
    sizes = all_numbers(frame, dynamic)
    return [allocate(frame, op, op.results[0], sizes, "the memory")]


def give_back(frame: Frame, op: Operation) -> Values:
    """End the allocation that a memref lies in, the op's last operand."""
    frame.memory.give_back(int(frame.memref(op.operands[-1]).base[0]), op)
    return []


def element_of_memref(value: SSAValue) -> Element:
    """How the elements of a memref are held, ranked or not."""
    type = value.type
    if isinstance(type, UnrankedMemRefType):
        return element_of(cast("UnrankedMemRefType[Attribute]", type).element_type, value)
    return element_of(type, value)


def array_of(frame: Frame, op: Operation, value: SSAValue) -> Array:
    """A memref's elements as an array that changes with the memory."""
    found, element = frame.memref(value), element_of_memref(value)
    sizes, strides = (
        [int(part[0]) for part in parts] for parts in (found.sizes, found.strides)
    )
    first = int(found.base[0]) + int(found.offset[0]) * element.size
    return frame.memory.strided(op, first, sizes, strides, element)


def host_array_of(frame: Frame, op: Operation, value: SSAValue) -> Array:
    """As `array_of`, for memory that the host can reach."""
    check_reachable(frame, op, value)
    return array_of(frame, op, value)


def check_reachable(frame: Frame, op: Operation, value: SSAValue) -> None:
    """Refuse an access of the host to memory of the device."""
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


def copy(frame: Frame, op: Operation, source: Array, target: Array) -> None:
    """Copy all elements; the two may overlap."""
    if source.shape != target.shape:
        fail(op, f"'{op.name}' from extents {list(source.shape)} to {list(target.shape)}")
    if not target.flags.writeable:
        fail(op, f"'{op.name}' writes to memory that is read-only")
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
}
