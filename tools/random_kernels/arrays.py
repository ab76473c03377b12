"""Arrays that kernels are called with: their types as text, their data, and their elements at given places."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tools.random_kernels.nodes import Value

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "i8": np.int8,
    "ui8": np.uint8,
    "i16": np.int16,
    "i32": np.int32,
}
BYTES = {name: np.dtype(dtype).itemsize for name, dtype in DTYPES.items()}


class Array(NamedTuple):
    """An argument: its extents, the names that some of them have in its type, and its elements as whole numbers."""

    name: str
    element: str
    data: Value
    named: tuple[str | int, ...]
    column_major: bool
    written: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return self.data.shape

    @property
    def low(self) -> int:
        """The lowest element."""
        return int(self.data.min())

    @property
    def high(self) -> int:
        """The highest element."""
        return int(self.data.max())

    def type(self) -> str:
        """The type as `specialize` takes it."""
        if not self.named:
            return f"xt.{self.element}"
        extents = list(self.named)
        if self.column_major:
            extents[-2:] = extents[:-3:-1]
        return f"xt.{self.element}{extents}" + ".T" * self.column_major

    def given(self) -> NDArray[Any]:
        """An array for a call, with the type's order in memory."""
        return laid_out(self.data, self.element, column_major=self.column_major)


def laid_out(data: Value, element: str, *, column_major: bool) -> NDArray[Any]:
    """An array of whole numbers in a type, row-major or with its last two dimensions exchanged in memory."""
    typed = data.astype(DTYPES[element])
    if not column_major:
        return typed.copy()
    return typed.swapaxes(-1, -2).copy().swapaxes(-1, -2)


def seen(data: Value, batch: Sequence[Value], *, transposed: bool) -> Value:
    """The matrix or vector at batch indices, at times transposed; it shares memory."""
    found = data[tuple(int(i) for i in batch)]
    return found.T if transposed else found


def taken(matrix: Value, rows: Value, columns: Value, padding: int) -> Value:
    """Elements at rows and columns, which broadcast; padding outside of the matrix."""
    rows, columns = np.broadcast_arrays(rows, columns)
    inside = _inside(matrix, rows, columns)
    found = matrix[np.where(inside, rows, 0), np.where(inside, columns, 0)]
    return np.where(inside, found, padding)


def put(matrix: Value, rows: Value, columns: Value, value: Value, mask: Value) -> None:
    """Store elements at rows and columns; those outside of the matrix are dropped."""
    rows, columns, mask, value = _selected(matrix, rows, columns, value, mask)
    matrix[rows[mask], columns[mask]] = value[mask]


def added(matrix: Value, rows: Value, columns: Value, value: Value, mask: Value) -> None:
    """Add to elements at rows and columns, each as often as it is named."""
    rows, columns, mask, value = _selected(matrix, rows, columns, value, mask)
    np.add.at(matrix, (rows[mask], columns[mask]), value[mask])


def _selected(
    matrix: Value, rows: Value, columns: Value, value: Value, mask: Value
) -> tuple[Value, Value, Value, Value]:
    rows, columns, value, mask = np.broadcast_arrays(rows, columns, value, mask)
    return rows, columns, (mask != 0) & _inside(matrix, rows, columns), value


def _inside(matrix: Value, rows: Value, columns: Value) -> Any:
    height, width = matrix.shape
    return (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
