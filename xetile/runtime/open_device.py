"""The functions of an open device for users: arrays and kernels that stay on it."""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from xetile.errors import XetileError
from xetile.runtime.driver import Driver

if TYPE_CHECKING:
    import numpy
    from numpy.typing import DTypeLike, NDArray
    from xdsl.dialects.builtin import FileLineColLoc

    from xetile.runtime.buffers import Buffer
    from xetile.runtime.code import Code
    from xetile.runtime.prepared import PreparedKernel


@runtime_checkable
class Device(Driver, Protocol):
    """An open device, with the functions that `Keeping` gives to all of them; the caller that opened it closes it."""

    def buffer(self, array: "NDArray[numpy.generic]") -> "Buffer":
        """Copy an array to the device's memory."""
        ...

    def zeros(self, shape: Sequence[int], dtype: "DTypeLike") -> "Buffer":
        """Allocate zeros in the device's memory."""
        ...

    def prepare(
        self,
        code: "Code",
        kernel: str | None = None,
        *,
        place: "FileLineColLoc | None" = None,
    ) -> "PreparedKernel":
        """Build a kernel of a module, to be called."""
        ...


class Keeping:
    """The functions that all devices share, for every interface: arrays and kernels that stay on it.

    `left` contains functions that free dropped resources; they are called at the next request.
    """

    def __init__(self) -> None:
        self.left: deque[Callable[[], object]] = deque()

    def tidy(self) -> None:
        """Free dropped resources."""
        while self.left:
            try:
                give_back = self.left.popleft()
            except IndexError:  # another thread was faster
                return
            with suppress(XetileError):  # resources of a device that ended are gone already
                give_back()

    def buffer(self: Driver, array: "NDArray[numpy.generic]") -> "Buffer":
        """Copy an array to the device's memory, with its strides; see `Buffer`.

        Raise XetileError for elements that are not numbers, and if the device cannot allocate it.
        """
        from xetile.runtime.buffers import buffer_of

        self.tidy()
        return buffer_of(self, array)

    def zeros(self: Driver, shape: Sequence[int], dtype: "DTypeLike") -> "Buffer":
        """Allocate zeros in the device's memory, row-major; see `Buffer`."""
        from xetile.runtime.buffers import zeros_on

        self.tidy()
        return zeros_on(self, shape, dtype)

    def prepare(
        self: Driver,
        code: "Code",
        kernel: str | None = None,
        *,
        place: "FileLineColLoc | None" = None,
    ) -> "PreparedKernel":
        """Build a module, and prepare one of its kernels to be called: the named one, or the only one.

        Errors without a place get `place`.
        Raise XetileError if there is no such kernel, or the device does not build the module.
        """
        from xetile.runtime.prepared import PreparedKernel

        self.tidy()
        return PreparedKernel(self, code, kernel, place=place)
