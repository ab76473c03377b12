"""The part of a tile that is inside of its surface, for all threads at once."""

from itertools import pairwise

import numpy as np

from xetile.interpreter.machine.runtime_values import Array, Tile

ADDRESS_BITS = 40
"""The number of low bits of an address; the bits above them select the buffer."""


class Crops:
    """The part of each thread's tile that is inside of its surface."""

    def __init__(self, tile: Tile, shape: tuple[int, int], least: int = 1) -> None:
        surface, (x, y) = tile
        (height, width), (row_stride, column_stride) = surface.sizes, surface.strides
        rows, columns = shape
        fields = np.broadcast_arrays(
            surface.base >> ADDRESS_BITS,
            np.clip(-x, 0, rows),
            np.clip(height - x, 0, rows),
            np.clip(-y, 0, columns),
            np.clip(width - y, 0, columns),
            row_stride,
            column_stride,
            surface.base,
            x,
            y,
            np.empty(least, np.bool),
        )
        self.count = len(fields[0])
        self._keys = np.stack(fields[:7])
        self.starts, self._x, self._y = fields[7:10]
        self._shape = shape
        self.agree = self.count == 1 or bool((self._keys == self._keys[:, :1]).all())

    @property
    def whole(self) -> bool:
        return self.crop(slice(None)) == (0, self._shape[0], 0, self._shape[1])

    def crop(self, threads: Array | slice) -> tuple[int, int, int, int]:
        """Return first row, end row, first column, end column inside of the surface, for threads that agree."""
        _, top, bottom, left, right, _, _ = self._keys[:, threads][:, 0].tolist()
        return top, bottom, left, right

    def strides(self, threads: Array | slice) -> tuple[int, int]:
        keys = self._keys[:, threads][:, 0]
        return int(keys[5]), int(keys[6])

    def addresses(self, threads: Array | slice, size: int) -> Array:
        keys = self._keys[:, threads]
        rows = self._x[threads] + keys[1]
        columns = self._y[threads] + keys[3]
        return self.starts[threads] + (rows * keys[5] + columns * keys[6]) * size

    def groups(self) -> list[Array | slice]:
        if self.agree:
            return [slice(None)]
        _, kinds = np.unique(self._keys, axis=1, return_inverse=True)
        kinds = kinds.reshape(-1)
        return [np.flatnonzero(kinds == kind) for kind in range(int(kinds.max()) + 1)]

    def runs(self) -> list[slice]:
        """Return runs of consecutive threads that agree, in ascending order."""
        if self.agree:
            return [slice(None)]
        changes = (self._keys[:, 1:] != self._keys[:, :-1]).any(axis=0)
        bounds = [0, *(np.flatnonzero(changes) + 1).tolist(), self.count]
        return [slice(start, end) for start, end in pairwise(bounds)]
