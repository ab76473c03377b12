"""Kernels on a device: built once, called with arrays, or with buffers that stay there.

What a call checks depends on types, shapes and strides alone, so that it is checked once for each combination.
"""

import weakref
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from xetile.language.given import Passed
from xetile.language.source import Grid, Source
from xetile.runtime.buffers import Buffer
from xetile.runtime.device import Device

if TYPE_CHECKING:
    from xetile.language.compiled import Compiled
    from xetile.language.grids import Sizes

MOST_COMBINATIONS = 256
"""Of types and shapes that a kernel remembers the grid of."""


def signature(arguments: Sequence[object]) -> tuple[object, ...] | None:
    """What the grid and the checks of a call depend on; None for what is neither buffer, array nor Python's number."""
    found: list[object] = []
    for argument in arguments:
        kind = type(argument)
        if kind is Buffer:
            found.append(cast(Buffer, argument).signature)
        elif kind is float or kind is int:
            found.append(kind)
        elif (strides := getattr(argument, "strides", None)) is not None:
            array = cast(Buffer, argument)
            found.append((array.dtype, array.shape, strides))
        else:
            return None
    return tuple(found)


class OnDevice:
    """A kernel on a device: call it with arrays, numbers and buffers that `device.buffer` and `device.zeros` make.

    It gives back what it holds when nobody has it any more, at the end of a `with`, or by `close`.
    """

    def __init__(
        self,
        source: Source,
        compiled: "Compiled",
        grid_of: "Callable[[Sequence[Passed], Grid | None], Sizes]",
        device: Device,
        *,
        owns: bool,
    ) -> None:
        """`grid_of` checks arguments and counts workgroups; `owns` says that the device is closed with this."""
        self.source = source
        self.compiled = compiled
        self._grid_of = grid_of
        self.device = device
        self._owns = owns
        self.prepared = self.device.prepare(compiled.code, source.name, place=source.place)
        self._grids: dict[tuple[object, ...], Sizes] = {}
        if owns:
            weakref.finalize(self, device.close)

    def __call__(self, *arguments: Passed, grid: Grid | None = None) -> None:
        """Launch the kernel; arrays that it stores to change in place.

        `grid` is as in `Specialised.__call__`. On a GPU a call with buffers returns when the launch is in the queue;
        `Buffer.numpy()` and `device.synchronize()` wait for it.
        Errors: XetileError for arguments that do not fit, with the parameter; what the device does not take.
        """
        key = signature(arguments) if grid is None else None
        sizes = None if key is None else self._grids.get(key)
        if sizes is None:
            sizes = self._grid_of(arguments, grid)
            if key is not None and not callable(self.source.grid):
                if len(self._grids) >= MOST_COMBINATIONS:
                    self._grids.clear()
                self._grids[key] = sizes
        self.prepared(*arguments, grid=sizes)

    def close(self) -> None:
        """Give back the program, and the device if it was opened here."""
        self.prepared.free()
        if self._owns:
            self.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
