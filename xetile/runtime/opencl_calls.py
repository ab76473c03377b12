"""Launches through OpenCL that are repeated: what does not change from one to the next is asked of the driver once."""

import ctypes
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import cast

import numpy
import pyopencl

from xetile.errors import XetileError
from xetile.runtime.driver import ALIGNMENT, POINTER, Extents, Memory
from xetile.runtime.emulation import FAULT_KERNEL, fault_text
from xetile.runtime.opencl_launch import check_count, check_launch

_FAULT = struct.Struct("<qq")

_INTEGERS: Mapping[str, type[numpy.unsignedinteger]] = {
    "i8": numpy.uint8,
    "i16": numpy.uint16,
    "i32": numpy.uint32,
    "i64": numpy.uint64,
}
_FLOATS: Mapping[str, type[numpy.floating]] = {
    "f16": numpy.float16,
    "f32": numpy.float32,
    "f64": numpy.float64,
}
_BITS = {name: int(numpy.iinfo(made).max) for name, made in _INTEGERS.items()}

MOST_GRIDS = 256
"""Grids that a kernel remembers."""


def number(type: str, value: float) -> numpy.generic:
    """A number as pyopencl passes it; integers by their bits."""
    made = _FLOATS.get(type)
    return _INTEGERS[type](int(value) & _BITS[type]) if made is None else made(value)


class FaultReader:
    """Asks what emulated functions reported of the launches before."""

    def __init__(self, context: pyopencl.Context, queue: pyopencl.CommandQueue) -> None:
        self._queue = queue
        flags = pyopencl.svm_mem_flags.READ_WRITE
        self._result = pyopencl.SVMAllocation(context, _FAULT.size, ALIGNMENT, flags)
        self._host = numpy.empty(_FAULT.size, numpy.uint8)

    def refuse(self, kernels: Mapping[str, pyopencl.Kernel]) -> None:
        """Wait for the launches of a program, and refuse what went wrong in them."""
        kernel = kernels[FAULT_KERNEL]
        kernel.set_arg(0, self._result)
        pyopencl.enqueue_nd_range_kernel(self._queue, kernel, (1,), (1,))
        pyopencl.enqueue_copy(self._queue, self._host, self._result)
        fault, value = _FAULT.unpack(self._host.tobytes())
        if fault:
            raise XetileError(fault_text(fault, value))


class BoundKernel:
    """A kernel with arguments of its own, which no other launch changes."""

    def __init__(
        self, device: pyopencl.Device, kernel: pyopencl.Kernel, types: Sequence[str]
    ) -> None:
        check_count(kernel, len(types))
        self._device = device
        self._kernel = kernel
        # told what they are, pyopencl packs numbers in a fifth of a microsecond; one of numpy takes it 7
        tell = cast("Callable[[object], None]", kernel.set_scalar_arg_dtypes)
        tell([_FLOATS.get(type) or _INTEGERS.get(type) for type in types])
        self._set = cast("Callable[..., None]", kernel.set_args)
        self._pointers = [at for at, type in enumerate(types) if type == POINTER]
        self._integers = [
            (at, _BITS[type]) for at, type in enumerate(types) if type in _INTEGERS
        ]
        self._count = len(types)
        self._grids: dict[tuple[Extents, Extents], Extents] = {}

    def enqueue(
        self,
        queue: pyopencl.CommandQueue,
        memories: "Mapping[Memory, pyopencl.SVMAllocation]",
        arguments: Sequence[Memory | int | float],
        grid: Extents,
        block: Extents,
    ) -> None:
        """Begin a launch.

        Errors: XetileError for sizes with which it cannot be launched.
        """
        items = self._grids.get((grid, block)) or self._items(grid, block)
        values: list[object] = list(arguments)
        for at in self._pointers:
            values[at] = memories[cast(Memory, arguments[at])]
        for at, bits in self._integers:
            values[at] = int(arguments[at]) & bits
        self._set(*values)
        pyopencl.enqueue_nd_range_kernel(queue, self._kernel, items, block)

    def _items(self, grid: Extents, block: Extents) -> Extents:
        x, y, z = (count * size for count, size in zip(grid, block, strict=True))
        check_launch(self._device, self._kernel, self._count, (x, y, z), block)
        if len(self._grids) >= MOST_GRIDS:
            self._grids.clear()
        self._grids[grid, block] = x, y, z
        return x, y, z


def write_out_prints() -> None:
    """Write out what kernels and drivers printed, which the C library keeps."""
    if os.name == "posix":
        _library().fflush(None)


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)
