"""Arrays in a device's memory, which stay there from launch to launch."""

import weakref
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

import numpy
from numpy.typing import DTypeLike, NDArray

from xetile.errors import XetileError

if TYPE_CHECKING:
    from xetile.runtime.driver import Driver, Memory

Array = NDArray[numpy.generic]

Signature = tuple[Any, tuple[int, ...], tuple[int, ...]]
"""The types that a kernel is specialized for: the type of elements, the shape, the strides in bytes."""


class Buffer:
    """An array in the memory of `device`, made by `device.buffer` or `device.zeros`.

    It has its own allocation, which begins with element zero. It lives until it is freed, by `free`, at the
    end of a `with`, or when there are no references to it; closing the device frees all buffers.
    """

    __slots__ = ("__weakref__", "_finalizer", "device", "memory", "signature", "size")

    def __init__(
        self, device: "Driver", dtype: DTypeLike, shape: Sequence[int], strides: Sequence[int]
    ) -> None:
        """Allocate zeros; no stride may be below 0.

        Raise XetileError if the device cannot allocate as much.
        """
        self.device = device
        self.signature: Signature = (_checked(numpy.dtype(dtype)), (*shape,), (*strides,))
        steps = zip(shape, strides, strict=True)
        last = sum((extent - 1) * stride for extent, stride in steps) if 0 not in shape else 0
        self.size = last + self.dtype.itemsize * (0 not in shape)
        self.memory: Memory | None = device.allocate(self.size)
        # a collection may run during a call of the device, which therefore frees the memory later
        self._finalizer = weakref.finalize(
            self, device.left.append, partial(device.free, self.memory)
        )
        self._finalizer.atexit = False

    @property
    def dtype(self) -> "numpy.dtype[Any]":
        return cast("numpy.dtype[Any]", self.signature[0])

    @property
    def shape(self) -> tuple[int, ...]:
        return self.signature[1]

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""
        return self.signature[2]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        where = self.device.information.name if self.memory is not None else "freed"
        return f"Buffer({'x'.join(map(str, self.shape))} {self.dtype}, {where})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()

    def numpy(self) -> Array:
        """Return a copy on the host, after all earlier launches, for which it waits.

        Raise XetileError if it is freed, or the device cannot read it.
        """
        return self._view(bytearray(self.device.read(self.held())))

    def write(self, array: Array) -> None:
        """Copy an array of the same shape and type of elements to the device.

        Raise XetileError for another array, and if the buffer is freed.
        """
        if array.shape != self.shape or array.dtype != self.dtype:
            shape, other = (list(of.shape) for of in (self, array))
            raise XetileError(
                f"the buffer has shape {shape} of {self.dtype}; the array has {other} of {array.dtype}"
            )
        memory, raw = self.held(), bytearray(self.size)
        self._view(raw)[...] = array
        self.device.write(memory, bytes(raw))

    def free(self) -> None:
        """Free its memory; a second time does nothing."""
        if self.memory is not None and self._finalizer.detach() is not None:
            memory, self.memory = self.memory, None
            self.device.free(memory)

    def held(self) -> "Memory":
        """Return its memory; raise XetileError if it is freed."""
        if self.memory is None:
            raise XetileError(
                f"a buffer of shape {list(self.shape)} is used after it was freed"
            )
        return self.memory

    def stand_in(self) -> Array:
        """Return an array of the host of the same type, shape and strides, with undefined elements."""
        return self._view(numpy.empty(self.size, numpy.uint8))

    def _view(self, raw: "bytearray | NDArray[numpy.uint8]") -> Array:
        dtype, shape, strides = self.signature
        if not self.size:
            return cast(Array, numpy.empty(shape, dtype))
        return numpy.ndarray(shape, dtype, raw, 0, strides)


def buffer_of(device: "Driver", array: Array) -> Buffer:
    """Return a buffer with a copy of an array, of the same strides; if some are below 0, it is row-major."""
    if any(stride < 0 for stride in array.strides):
        array = numpy.ascontiguousarray(array)
    made = Buffer(device, array.dtype, array.shape, array.strides)
    try:
        made.write(array)
    except BaseException:
        made.free()
        raise
    return made


def zeros_on(device: "Driver", shape: Sequence[int], dtype: DTypeLike) -> Buffer:
    """Return a row-major buffer of zeros."""
    kind = _checked(numpy.dtype(dtype))
    if any(extent < 0 for extent in shape):
        raise XetileError(f"the shape is {list(shape)}; expected no extent below 0")
    strides, step = [0] * len(shape), kind.itemsize
    for dimension in reversed(range(len(shape))):
        strides[dimension] = step
        step *= shape[dimension]
    return Buffer(device, kind, shape, strides)


def _checked(dtype: "numpy.dtype[Any]") -> "numpy.dtype[Any]":
    if dtype.hasobject or dtype.fields is not None or not dtype.isnative:
        raise XetileError(
            f"a device has no elements of {dtype!r}; expected numbers of this machine"
        )
    return dtype
