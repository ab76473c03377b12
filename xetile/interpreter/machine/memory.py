"""Memory: buffers at virtual addresses, and accesses to rectangles and single elements.

Every buffer has an address of its own above 2^40: the upper bits of an address identify the
buffer, whatever integer arithmetic the address went through.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import ArrayLike
from xdsl.ir import Operation

from xetile.errors import fail, with_line
from xetile.interpreter.machine.crops import ADDRESS_BITS, Crops
from xetile.interpreter.machine.elements import Element, refuse_elements
from xetile.interpreter.machine.runtime_values import Array, Tile, swizzled_offset
from xetile.interpreter.machine.storage import Storage

ALIGNMENT = 64
"""Bytes: every buffer begins at a multiple of this."""


class Buffer(NamedTuple):
    """A contiguous buffer: from address `start` on, an entry of `data` for each byte."""

    name: str
    start: int
    data: Array

    @property
    def end(self) -> int:
        return self.start + self.data.size


class Memory:
    """All buffers of a launch; `storage` defines how they represent elements."""

    def __init__(self, storage: Storage | None = None) -> None:
        self.storage = Storage() if storage is None else storage
        self._buffers: dict[int, Buffer] = {}
        self._allocated: list[int] = []
        self._on_heap: set[int] = set()
        self._freed: dict[int, tuple[str, Operation]] = {}
        self.globals: dict[Operation, int] = {}
        self._count = 0

    def add(self, array: Array, name: str, *, shift: int = 0) -> int:
        """Place an array without negative strides, `shift` bytes after an aligned address.

        Return the address of its first element.
        """
        return self._hold(self.storage.placed(array), name, shift)

    def _hold(self, data: Array, name: str, shift: int = 0) -> int:
        self._count += 1
        start = (self._count << ADDRESS_BITS) + shift
        self._buffers[self._count] = Buffer(name, start, data)
        return start

    def _zeros(self, size: int) -> Array:
        """Return new memory of that many bytes; raise MemoryError if it exceeds the address space."""
        if size >= 1 << ADDRESS_BITS:
            raise MemoryError
        return self.storage.new(max(size, 1))

    def allocate(self, size: int, name: str) -> int:
        """Allocate memory of zeros; `size` in bytes."""
        start = self._hold(self._zeros(size), name)
        self._allocated.append(self._count)
        return start

    def allocate_on_heap(self, size: int, name: str) -> int:
        """Allocate memory of zeros that stays until it is freed; `size` in bytes."""
        start = self._hold(self._zeros(size), name)
        self._on_heap.add(self._count)
        return start

    def give_back(self, address: int, at: Operation) -> None:
        """Free an allocation on the heap; `address` is inside of it."""
        buffer, number = self.buffer(address, at), address >> ADDRESS_BITS
        if number not in self._on_heap:
            fail(at, f"{buffer.name} is no allocation that '{at.name}' could give back")
        self._on_heap.remove(number)
        self._freed[number] = (buffer.name, at)
        del self._buffers[number]

    def outlives_workgroups(self, number: int) -> bool:
        return number in self._buffers and number not in self._allocated

    @contextmanager
    def scope(self) -> Generator[None]:
        """Free allocations made within the context at its end, except those on the heap."""
        before = len(self._allocated)
        try:
            yield
        finally:
            for number in self._allocated[before:]:
                del self._buffers[number]
            del self._allocated[before:]

    def buffer(self, address: int, at: Operation) -> Buffer:
        """Return the buffer that contains an address, or that the address is next to."""
        found = self._buffers.get(address >> ADDRESS_BITS)
        if found is None:
            self._refuse_freed(address, at)
            fail(
                at,
                f"address 0x{address & (1 << 64) - 1:x} belongs to no argument or allocation",
            )
        return found

    def _refuse_freed(self, address: int, at: Operation) -> None:
        freed = self._freed.get(address >> ADDRESS_BITS)
        if freed is None:
            return
        name, by = freed
        line = with_line(by, " in line {}")
        fail(at, f"'{at.name}' uses {name} after '{by.name}'{line} gave it back")

    def strided(
        self,
        at: Operation,
        first: int,
        sizes: Sequence[int],
        strides: Sequence[int],
        element: Element,
    ) -> Array:
        """Return the elements from address `first` on, as a view; strides in elements."""
        if element.per_byte > 1:
            refuse_elements(at, element)
        if 0 in sizes:
            return np.empty(sizes, element.dtype)
        buffer, size = self.buffer(first, at), element.size
        low, high = self.reach(at, buffer, first, sizes, strides, size)
        if size > 1 and low % size:
            _refuse_unaligned(at, size)
        flat = buffer.data[low : low + (high - low) // size * size].view(element.dtype)
        begin = flat[(first - buffer.start - low) // size :]
        writeable = bool(buffer.data.flags.writeable)
        # the stride of a single entry is never used, and may exceed numpy's limit
        steps = [
            stride * size if n > 1 else 0 for n, stride in zip(sizes, strides, strict=True)
        ]
        return as_strided(begin, sizes, steps, writeable=writeable)

    def reach(
        self,
        at: Operation,
        buffer: Buffer,
        first: int,
        sizes: Sequence[int],
        strides: Sequence[int],
        size: int,
    ) -> tuple[int, int]:
        """Return first and end byte in the buffer of elements of `size` bytes from address `first` on; no extent is 0.

        Errors: XetileError if some are outside.
        """
        steps = [(n - 1) * stride for n, stride in zip(sizes, strides, strict=True)]
        low = first - buffer.start + size * sum(step for step in steps if step < 0)
        high = first - buffer.start + size * (sum(step for step in steps if step > 0) + 1)
        if low < 0 or high > buffer.data.size:
            fail(
                at,
                f"'{at.name}' reaches bytes {low} to {high - 1} of {buffer.name}, which has {buffer.data.size}",
            )
        return low, high

    def read_tile(
        self,
        at: Operation,
        tile: Tile,
        shape: tuple[int, int],
        element: Element,
        padding: ArrayLike,
    ) -> Array:
        if tile.surface.swizzle:
            return self._read_swizzled(at, tile, shape, element, padding)
        crops = Crops(tile, shape)
        storage = self.storage
        if crops.agree and crops.whole:
            return storage.loaded(at, self._window(at, crops, slice(None), element), element)
        values = np.empty((crops.count, *shape), storage.held(element))
        values[...] = storage.stored(padding, element)
        for threads in crops.groups():
            top, bottom, left, right = crops.crop(threads)
            if bottom > top and right > left:
                part = self._window(at, crops, threads, element)
                values[threads, top:bottom, left:right] = part
        return storage.loaded(at, values, element)

    def write_tile(
        self,
        at: Operation,
        tile: Tile,
        shape: tuple[int, int],
        element: Element,
        values: Array,
    ) -> None:
        if tile.surface.swizzle:
            found = np.broadcast_arrays(*self.tile_addresses(tile, shape, element), values)
            addresses, inside, stored = found
            self.write(at, addresses[inside], element, stored[inside])
            return
        values = np.asarray(self.storage.stored(values, element))
        crops = Crops(tile, shape, len(values))
        for threads in crops.runs():
            top, bottom, left, right = crops.crop(threads)
            if bottom <= top or right <= left:
                continue
            part = values if len(values) == 1 else values[threads]
            windows, starts = self._windows(at, crops, threads, element)
            self._check_writable(at, int(crops.starts[threads][0]))
            windows[starts] = part[:, top:bottom, left:right]

    def tile_addresses(
        self, tile: Tile, shape: tuple[int, int], element: Element
    ) -> tuple[Array, Array]:
        """Return the addresses of a tile's elements, and which are inside: [threads or 1, rows, columns]."""
        surface, (x, y) = tile
        rows = x.reshape(-1, 1, 1) + np.arange(shape[0])[:, None]
        columns = y.reshape(-1, 1, 1) + np.arange(shape[1])
        height, width, down, across = (
            part.reshape(-1, 1, 1) for part in (*surface.sizes, *surface.strides)
        )
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        steps = rows * down + columns * across
        if surface.swizzle:
            steps = swizzled_offset(surface.swizzle, (rows, columns))
        return surface.base.reshape(-1, 1, 1) + steps * element.size, inside

    def _read_swizzled(
        self,
        at: Operation,
        tile: Tile,
        shape: tuple[int, int],
        element: Element,
        padding: ArrayLike,
    ) -> Array:
        addresses, inside = self.tile_addresses(tile, shape, element)
        inside = np.broadcast_to(inside, addresses.shape)
        found = self.read(at, addresses[inside], element)
        otherwise = np.broadcast_to(padding, addresses.shape)
        return self.storage.filled(found, inside, otherwise, element)

    def read(self, at: Operation, addresses: Array, element: Element) -> Array:
        """Return the elements at addresses (bytes), in the same shape."""
        values = np.empty(addresses.shape, self.storage.held(element))
        for buffer, where in self._by_buffer(at, addresses):
            flat, index = self._elements(at, buffer, addresses[where], element)
            values[where] = flat[index]
        return self.storage.loaded(at, values, element)

    def write(self, at: Operation, addresses: Array, element: Element, values: Array) -> None:
        values = np.broadcast_to(self.storage.stored(values, element), addresses.shape)
        for buffer, where in self._by_buffer(at, addresses):
            self._check_writable(at, buffer.start)
            flat, index = self._elements(at, buffer, addresses[where], element)
            flat[index] = values[where]

    def _by_buffer(
        self, at: Operation, addresses: Array
    ) -> Iterator[tuple[Buffer, Array | slice]]:
        if addresses.size == 0:
            return
        numbers = addresses >> ADDRESS_BITS
        first = int(addresses.flat[0])
        if (numbers == first >> ADDRESS_BITS).all():
            yield self.buffer(first, at), slice(None)
            return
        for number in np.unique(numbers):
            yield self.buffer(int(number) << ADDRESS_BITS, at), numbers == number

    def _elements(
        self, at: Operation, buffer: Buffer, addresses: Array, element: Element
    ) -> tuple[Array, Array]:
        """Return the buffer as elements, and the numbers of those at the addresses."""
        size = element.size
        steps = addresses - buffer.start
        if (steps % size).any():
            _refuse_unaligned(at, size)
        index = steps // size
        count = buffer.data.size // size
        flat = buffer.data[: count * size].view(self.storage.held(element))
        outside = (index < 0) | (index >= count)
        if outside.any():
            found = int(index[outside].flat[0])
            fail(at, f"element {found} is outside of {buffer.name}, which has {count}")
        return flat, index

    def _check_writable(self, at: Operation, address: int) -> None:
        buffer = self.buffer(address, at)
        if not buffer.data.flags.writeable:
            fail(at, f"cannot store to {buffer.name}: the array is read-only")

    def _window(
        self, at: Operation, crops: "Crops", threads: "Array | slice", element: Element
    ) -> Array:
        windows, starts = self._windows(at, crops, threads, element)
        return windows[starts]

    def _windows(
        self, at: Operation, crops: "Crops", threads: "Array | slice", element: Element
    ) -> tuple[Array, Array]:
        """Return every window of the crop's shape over the buffer, and the threads' numbers."""
        top, bottom, left, right = crops.crop(threads)
        row_stride, column_stride = crops.strides(threads)
        rows, columns, size = bottom - top, right - left, element.size
        addresses = crops.addresses(threads, size)
        buffer = self.buffer(int(addresses[0]), at)
        steps = addresses - buffer.start
        starts = steps // size if size > 1 else steps
        reach = (rows - 1) * row_stride + (columns - 1) * column_stride + 1
        number = buffer.data.size // size - reach + 1
        low, high = int(starts.min()), int(starts.max())
        if low < 0 or high >= number or reach < 1:
            position = low if low < 0 else high
            fail(
                at,
                f"the tile reaches elements {position} to {position + reach - 1} of {buffer.name}, "
                f"which has {buffer.data.size // size}",
            )
        if size > 1 and (steps % size).any():
            _refuse_unaligned(at, size)
        step = size * self.storage.unit
        strides = (step, row_stride * step, column_stride * step)
        held = self.storage.held(element)
        windows = np.ndarray((number, rows, columns), held, buffer.data, 0, strides)
        return windows, starts


def _refuse_unaligned(at: Operation, size: int) -> NoReturn:
    fail(at, f"the address is no multiple of the {size} bytes of an element")
