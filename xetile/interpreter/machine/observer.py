"""Observers of a launch: they are notified of barriers, and of accesses before they happen."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from xetile.interpreter.machine.elements import Element
from xetile.interpreter.machine.runtime_values import Array, Tile, Value
from xetile.layout.algebra.linear_layout import LinearLayout


class Allocation(NamedTuple):
    """A buffer in shared memory, one for each workgroup of the batch; in bytes, but `strides` in elements.

    The workgroups' buffers, of `size` each, begin every `slot` bytes from `start` on.
    """

    at: Operation | SSAValue
    start: int
    slot: int
    size: int
    element_size: int
    strides: Sequence[int]
    swizzle: LinearLayout | None = None

    def index_of(self, offset: int) -> str:
        """Return the index of the element at an offset in bytes."""
        rest = offset // self.element_size
        if self.swizzle is not None:
            return str(list(self.swizzle.apply({"offset": rest}).values()))
        index = [0] * len(self.strides)
        for dimension in sorted(range(len(index)), key=lambda d: -self.strides[d]):
            index[dimension], rest = divmod(rest, max(1, self.strides[dimension]))
        return str(index)


class Access(NamedTuple):
    """Elements that an op of the threads `active` accesses.

    Attributes:
        addresses: in bytes, [threads or 1, *shape].
        where: which of them are accessed, in a shape that broadcasts; None is all of them.
    """

    at: Operation
    active: Array
    addresses: Array
    element: Element
    where: Array | None = None


class TileAccess(NamedTuple):
    """A tile that an op accesses, one for each of the threads `active`."""

    at: Operation
    active: Array
    tile: Tile
    shape: tuple[int, int]
    element: Element


class Observer:
    """An observer that ignores all events; subclasses override the events that they need."""

    def begin_batch(
        self, kernel: Operation | None = None, given: Sequence[Value] = ()
    ) -> None:
        """Begin a batch of workgroups; `kernel` is None in eager execution, `given` are its arguments."""

    def allocated(self, allocation: Allocation) -> None:
        """Note a new allocation of shared memory, unwritten."""

    def barrier(self, at: Operation, active: Array) -> None:
        """Note that the workgroups of these threads pass a barrier."""

    def read(self, access: Access) -> None:
        """Note that elements are about to be read."""

    def write(self, access: Access, values: Array | None) -> None:
        """Note that elements are about to be overwritten with `values`, or changed by an atomic op (None)."""

    def read_tile(self, access: TileAccess) -> None:
        """Note that a tile is about to be read."""

    def write_tile(self, access: TileAccess, values: Array) -> None:
        """Note that the part of a tile inside of its surface is about to be overwritten."""
