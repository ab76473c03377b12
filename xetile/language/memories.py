"""An array in memory, seen as a matrix, a row, a column or a line of elements; each view is made once."""

from collections.abc import Callable

from xetile.language.refusals import refuse
from xetile.language.surfaces import Start, Surface, as_line, line_as_column, line_as_row
from xetile.language.types import ElementType


class Memory:
    """The memory of an array: `surface` has as many extents as the array has dimensions."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self._views: dict[str, Surface] = {}

    @property
    def element(self) -> ElementType:
        """The type of the elements."""
        return self.surface.element

    @property
    def extents(self) -> tuple[Start, ...]:
        """The extents of all dimensions."""
        return self.surface.extents

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self.extents)

    @property
    def row(self) -> Surface:
        """An array of one dimension as one row."""
        return self._view("row", line_as_row)

    @property
    def column(self) -> Surface:
        """An array of one dimension as one column."""
        return self._view("column", line_as_column)

    @property
    def line(self) -> Surface:
        """All elements as they lie in memory."""
        return self.surface if len(self.extents) == 1 else self._view("line", as_line)

    def _view(self, name: str, make: Callable[[Surface], Surface]) -> Surface:
        if name not in self._views:
            self._views[name] = make(self.surface)
        return self._views[name]

    def transposed(self) -> "Memory":
        """The last two dimensions exchanged."""
        if len(self.extents) == 1:
            refuse(
                "an array of one dimension has no .T; A[i:i + N] is a row of it, A[i:i + N, None] a column"
            )
        return Memory(self.surface.transposed())
