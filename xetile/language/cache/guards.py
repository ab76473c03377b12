"""Whether what was read is still what it was: looked at in each call, so that it costs next to nothing.

Names and cells are compared by identity, and so is what lists, dictionaries, instances and classes hold; of arrays the
bytes. Where something is another object, what it means is looked at again.
"""

import linecache
from collections.abc import Callable, Iterable, Mapping
from operator import is_
from types import CellType, CodeType, FunctionType
from typing import Any, Final, cast

MISSING: Final = object()
"""What a name has that is not there."""

_PLAIN = (int, str, bytes, bool)


class Guards:
    """What has to be as it was."""

    def __init__(self) -> None:
        self._names: list[tuple[Mapping[str, object], str, object]] = []
        self._cells: list[tuple[CellType, object]] = []
        self._functions: list[tuple[FunctionType, CodeType, object, object]] = []
        self._empty: list[dict[Any, object]] = []
        self._tables: list[tuple[dict[Any, object], tuple[object, ...]]] = []
        self._kinds: list[tuple[object, type]] = []
        self._checks: list[Callable[[], bool]] = []

    def hold(self) -> bool:
        """Whether all is as it was."""
        try:
            return self._hold()
        except Exception:  # of the user's code, or as another thread changes a dictionary
            return False

    def _hold(self) -> bool:
        for space, name, seen in self._names:
            if space.get(name, MISSING) is not seen:
                return False
        for cell, seen in self._cells:
            if content(cell) is not seen:
                return False
        for function, code, defaults, named in self._functions:
            if (
                function.__code__ is not code
                or function.__defaults__ is not defaults
                or function.__kwdefaults__ is not named
            ):
                return False
        for value, kind in self._kinds:
            if type(value) is not kind:
                return False
        if any(self._empty):
            return False
        for table, held in self._tables:
            now = (*table, *table.values())
            if len(now) != len(held) or not all(map(is_, now, held)):
                return False
        return all(check() for check in self._checks)

    def name(self, space: Mapping[str, object], name: str) -> object:
        """What a name has in a namespace, MISSING where it is not there; it has to stay that."""
        found = space.get(name, MISSING)
        self._names.append((space, name, found))
        return found

    def cell(self, cell: CellType) -> object:
        """What a cell has."""
        found = content(cell)
        self._cells.append((cell, found))
        return found

    def function(self, function: FunctionType) -> None:
        """Its code and defaults."""
        self._functions.append(
            (function, function.__code__, function.__defaults__, function.__kwdefaults__)
        )

    def table(self, table: dict[Any, object]) -> None:
        """What a dictionary holds, and in which order."""
        if table:
            self._tables.append((table, (*table, *table.values())))
        else:
            self._empty.append(table)

    def kind(self, value: object) -> None:
        """The class of an instance, which may be set."""
        self._kinds.append((value, type(value)))

    def source(self, file: str) -> None:
        """The text of a file, as it was read."""
        self._names.append((linecache.cache, file, linecache.cache.get(file, MISSING)))

    def items(self, held: Callable[[], Iterable[object]]) -> None:
        """The objects that `held` gives, one by one."""
        seen = tuple(held())

        def check() -> bool:
            now = tuple(held())
            return len(now) == len(seen) and all(map(is_, now, seen))

        self._checks.append(check)

    def key(self, made: Callable[[], object]) -> object:
        """What an object says that it means; a new tuple of the same is the same."""
        seen = made()
        self._checks.append(lambda: same(made(), seen))
        return seen

    def bytes(self, array: Any) -> bytes:
        """The bytes of a numpy array, and how it is laid out."""

        def layout() -> tuple[object, ...]:
            return (array.dtype, array.shape, array.strides)

        told, seen = layout(), array.tobytes()
        self._checks.append(lambda: layout() == told and array.tobytes() == seen)
        return seen


def content(cell: CellType) -> object:
    """What a cell has; MISSING where it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def same(now: object, seen: object) -> bool:
    """Whether two values mean the same for sure."""
    if now is seen:
        return True
    if type(now) is not type(seen):
        return False
    if isinstance(now, tuple):
        one, other = cast("tuple[object, ...]", now), cast("tuple[object, ...]", seen)
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(now, _PLAIN) and now == seen
