"""What Python's lists and objects hold, before the body of a traced statement and after.

The body runs once while it is traced, where Python would run it for each round, or one branch of two. A list that
grows, an attribute that is set, an item that a generator gives would be another one then: such changes are refused.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, cast

import numpy as np

from xetile.language.carried import is_same, settle
from xetile.language.refusals import refuse
from xetile.language.unavailable import is_unavailable
from xetile.language.values import Value

Held = tuple[object, ...]

_OURS = ("xetile.language", "xdsl", "numpy", "builtins")
"""Modules whose objects no kernel changes, ours among them."""

_LARGEST = 1 << 16
"""Bytes of a numpy array that are compared; a larger one is a table."""


class Kept(NamedTuple):
    """A container as it was: how its user calls it, what it held, and what tells what it holds."""

    path: str
    held: Held
    now: Callable[[], Held]


class Watch:
    """What can be reached from some names as a statement begins; `own` are those that the statement binds itself."""

    def __init__(self, names: Mapping[str, object], own: Mapping[str, object | None]) -> None:
        self._own = own
        self.seen: dict[int, object] = {}
        """Everything that was visited, by id; kept alive, so that ids stay theirs."""
        self._kept: list[Kept] = []
        self._rest: list[tuple[str, object]] = list(names.items())
        while self._rest:
            self._visit(*self._rest.pop())

    def changed(self) -> str | None:
        """How the user calls what is not as it was, None where all is."""
        for kept in self._kept:
            if not _equal(kept.held, kept.now()):
                return kept.path
        return None

    def _visit(self, path: str, value: object) -> None:
        if is_unavailable(value) or id(value) in self.seen:
            return
        if value is None or isinstance(value, (str, int, float, bytes, ModuleType)):
            return
        self.seen[id(value)] = value
        if isinstance(value, Value):
            settle(value)
        elif isinstance(value, FunctionType):
            self._function(path, value)
        elif isinstance(value, MethodType):
            self._rest += [(path, value.__self__), (path, value.__func__)]
        elif isinstance(value, np.ndarray):
            self._array(path, cast("np.ndarray[Any, Any]", value))
        elif isinstance(value, (list, tuple, set, deque)):
            items = cast("list[object]", value)
            self._keep(path, lambda: tuple(items))
        elif isinstance(value, dict):
            entries = cast("dict[object, object]", value)
            self._keep(path, lambda: (*entries, *entries.values()))
        elif not _module(value).startswith(_OURS):
            self._object(path, value)
        elif hasattr(type(value), "__next__"):
            _refuse_iterator(path)

    def _keep(self, path: str, now: Callable[[], Held]) -> None:
        held = now()
        self._kept.append(Kept(path, held, now))
        self._rest += [(path, item) for item in held]

    def _array(self, path: str, array: "np.ndarray[Any, Any]") -> None:
        if array.nbytes <= _LARGEST:
            self._kept.append(Kept(path, (array.tobytes(),), lambda: (array.tobytes(),)))

    def _object(self, path: str, value: object) -> None:
        if hasattr(type(value), "__next__"):
            _refuse_iterator(path)
        attributes = cast("Mapping[str, object] | None", getattr(value, "__dict__", None))
        if attributes is not None:
            self._keep(path, lambda: _attributes(attributes))
        slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
        if slots:
            self._keep(path, lambda: tuple(getattr(value, name, None) for name in slots))

    def _is_own(self, name: str, content: Held) -> bool:
        return name in self._own and (not content or content[0] is self._own[name])

    def _function(self, path: str, function: FunctionType) -> None:
        if (wrapped := getattr(function, "__wrapped__", None)) is not None:
            self._rest.append((path, wrapped))
        if cast(str, function.__globals__.get("__name__", "")).startswith(_OURS):
            return
        self._rest.append((path, function.__defaults__))
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            if not self._is_own(name, _content(cell)):
                self._keep(name, lambda cell=cell: _content(cell))
        read = [name for name in _globals_of(function) if name in function.__globals__]
        for name in read:
            self._keep(name, lambda name=name: (function.__globals__.get(name),))


def _attributes(held: Mapping[str, object]) -> Held:
    """Names and values, but for those that Python writes itself into a class, such as __slotnames__."""
    names = [name for name in held if not name.startswith("__")]
    return (*names, *(held[name] for name in names))


def _slots(kind: type) -> Iterator[str]:
    slots = cast("str | tuple[str, ...]", vars(kind).get("__slots__", ()))
    return (
        name for name in ((slots,) if isinstance(slots, str) else slots) if name != "__dict__"
    )


def _globals_of(function: FunctionType) -> Iterator[str]:
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        yield from code.co_names
        codes += [part for part in code.co_consts if isinstance(part, type(code))]


def _content(cell: Any) -> Held:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _module(value: object) -> str:
    kind = value if isinstance(value, type) else type(value)
    return kind.__module__


def _equal(before: Held, after: Held) -> bool:
    return len(before) == len(after) and all(map(is_same, before, after))


def _refuse_iterator(path: str) -> None:
    refuse(
        f"'{path}' gives each of its items once, and what is traced here runs once for many rounds; "
        "make it a list before"
    )
