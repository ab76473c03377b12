"""What users do with a device that is open: arrays and kernels that stay on it."""

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
    """A device that is open, with what `Keeping` gives to all of them; whoever opened it closes it."""

    def buffer(self, array: "NDArray[numpy.generic]") -> "Buffer":
        """A copy of an array in the device's memory."""
        ...

    def zeros(self, shape: Sequence[int], dtype: "DTypeLike") -> "Buffer":
        """Zeros in the device's memory."""
        ...

    def prepare(
        self,
        code: "Code",
        kernel: str | None = None,
        *,
        place: "FileLineColLoc | None" = None,
    ) -> "PreparedKernel":
        """A kernel of a module, built, to be called."""
        ...


class Keeping:
    """What every device offers, whichever interface is behind it: arrays and kernels that stay on it.

    `left` is what was dropped and is to be given back when the device is asked for something the next time.
    """

    def __init__(self) -> None:
        self.left: deque[Callable[[], object]] = deque()

    def tidy(self) -> None:
        """Give back what was dropped."""
        while self.left:
            try:
                give_back = self.left.popleft()
            except IndexError:  # another thread was faster
                return
            with suppress(XetileError):  # what ended holds nothing
                give_back()

    def buffer(self: Driver, array: "NDArray[numpy.generic]") -> "Buffer":
        """A copy of an array in the device's memory, with its strides; see `Buffer`.

        Errors: XetileError for elements that are no numbers, and where the device does not hold it.
        """
        from xetile.runtime.buffers import buffer_of

        self.tidy()
        return buffer_of(self, array)

    def zeros(self: Driver, shape: Sequence[int], dtype: "DTypeLike") -> "Buffer":
        """Zeros in the device's memory, rows after each other; see `Buffer`."""
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
        """Build a module, and make a kernel of it one to call: the one that is named, or the only one.

        Errors that have no place get `place`.
        Errors: XetileError where there is no such kernel, or the device does not build the module.
        """
        from xetile.runtime.prepared import PreparedKernel

        self.tidy()
        return PreparedKernel(self, code, kernel, place=place)
