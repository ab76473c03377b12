"""What Python's lists and objects hold, before the body of a traced statement and after.

The body runs once while it is traced, where Python would run it for each round, or one branch of two. A list that
grows, an attribute that is set, an item that a generator gives would be another one then: such changes are refused.
"""

import inspect
import random
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from xetile.language.cache.leaves import is_array
from xetile.language.carried import is_same, settle
from xetile.language.refusals import refuse
from xetile.language.unavailable import is_unavailable
from xetile.language.values import Value

if TYPE_CHECKING:
    import numpy as np

Held = tuple[object, ...]
Names = Mapping[str, object]

_OURS = ("xetile.language", "xdsl", "numpy", "builtins")
"""Modules whose objects no kernel changes, ours among them."""

_PYTHONS = sys.stdlib_module_names
_LARGEST = 1 << 16
"""Bytes of a numpy array that are compared; a larger one is a table."""


class Kept(NamedTuple):
    """A container as it was: how its user calls it, what it held, and what tells what it holds."""

    path: str
    held: Held
    now: Callable[[], Held]


class Watch:
    """What can be reached from some names as a statement begins.

    `own` are those that the statement binds itself, `read` those of `module` that it reads.
    """

    def __init__(self, names: Names, own: Names, module: Names, read: Iterable[str]) -> None:
        self._own = own
        self.seen: dict[int, object] = {}
        """Everything that was visited, by id; kept alive, so that ids stay theirs."""
        self._kept: list[Kept] = []
        self._rest: deque[tuple[str, object]] = deque(sorted(names.items(), key=_name))
        for name in sorted(read):
            self._keep(name, lambda name=name: (module.get(name),))
        while self._rest:
            self._visit(*self._rest.popleft())

    def changed(self) -> str | None:
        """How the user calls what is not as it was, None where all is."""
        for kept in self._kept:
            if not _equal(kept.held, kept.now()):
                return kept.path
        return None

    def _visit(self, path: str, value: object) -> None:
        if is_unavailable(value) or id(value) in self.seen:
            return
        if value is None or isinstance(value, (str, int, float, bytes)):
            return
        self.seen[id(value)] = value
        match value:
            case Value():
                settle(value)
            case FunctionType():
                self._function(path, value)
            case ModuleType():
                self._module(path, value)
            case MethodType() | BuiltinMethodType():
                self._rest += [
                    (path, value.__self__),
                    (path, getattr(value, "__func__", None)),
                ]
            case partial():
                called = cast("partial[object]", value)
                self._rest += [
                    (path, held) for held in (called.func, called.args, called.keywords)
                ]
            case bytearray():
                self._bytes(path, value)
            case _ if is_array(value):
                self._bytes(path, cast("np.ndarray[Any, Any]", value))
            case list() | tuple() | set() | deque():
                items = cast("list[object]", value)
                self._keep(path, lambda: tuple(items))
            case dict():
                entries = cast("dict[object, object]", value)
                self._keep(path, lambda: (*entries, *entries.values()))
            case _:
                self._object(path, value)

    def _keep(self, path: str, now: Callable[[], Held]) -> None:
        held = now()
        self._kept.append(Kept(path, held, now))
        self._rest += [(path, item) for item in held]

    def _bytes(self, path: str, array: "bytearray | np.ndarray[Any, Any]") -> None:
        if isinstance(array, bytearray):
            self._kept.append(Kept(path, (bytes(array),), lambda: (bytes(array),)))
        elif array.nbytes <= _LARGEST:
            self._kept.append(Kept(path, (array.tobytes(),), lambda: (array.tobytes(),)))

    def _module(self, path: str, module: ModuleType) -> None:
        """A user's module: what its names hold, which lazy imports may add to; of Python's the random numbers."""
        if module is random:
            self._kept.append(
                Kept("random", random.getstate()[1], lambda: random.getstate()[1])
            )
        elif module.__name__ in ("numpy", "numpy.random"):
            self._kept.append(Kept("numpy.random", (_drawn(),), lambda: (_drawn(),)))
        if module.__name__.startswith(_OURS) or module.__name__.partition(".")[0] in _PYTHONS:
            return
        held = vars(module)
        names = [name for name in held if not name.startswith("__")]
        now = tuple(held[name] for name in names)
        self._kept.append(Kept(path, now, lambda: tuple(held.get(name) for name in names)))
        self._rest += [(path, value) for value in now if isinstance(value, (list, dict, set))]

    def _object(self, path: str, value: object) -> None:
        if hasattr(type(value), "__next__"):
            refuse(
                f"'{path}' gives each of its items once, and what is traced here runs once for many rounds; "
                "make it a list before"
            )
        if isinstance(value, random.Random):
            self._kept.append(Kept(path, value.getstate()[1], lambda: value.getstate()[1]))
        elif _is_generator(value):
            generator = cast("np.random.Generator", value)
            self._kept.append(Kept(path, (_drawn(generator),), lambda: (_drawn(generator),)))
        kind = value if isinstance(value, type) else type(value)
        if kind.__module__.startswith(_OURS):
            return
        self._rest.append((path, getattr(value, "__wrapped__", None)))
        attributes = cast("Mapping[str, object] | None", getattr(value, "__dict__", None))
        if attributes is not None:
            self._keep(path, lambda: _attributes(attributes))
        slots = [name for base in inspect.getmro(type(value)) for name in _slots(base)]
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
        self._keep(path, lambda: _attributes(function.__dict__))
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            if not self._is_own(name, _content(cell)):
                self._keep(name, lambda cell=cell: _content(cell))
        read = [name for name in _globals_of(function) if name in function.__globals__]
        for name in sorted(read):
            self._keep(name, lambda name=name: (function.__globals__.get(name),))


def _name(item: tuple[str, object]) -> str:
    return item[0]


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


def _is_generator(value: object) -> bool:
    """Whether a value draws numpy's random numbers; numpy is not imported for that."""
    if "numpy" not in sys.modules:
        return False
    import numpy as np

    return isinstance(value, np.random.Generator)


def _drawn(generator: "np.random.Generator | None" = None) -> str:
    """The state of a generator of random numbers of numpy's, by default that of its functions."""
    import numpy as np

    found = (
        np.random.get_state(legacy=False)
        if generator is None
        else generator.bit_generator.state
    )
    return str(found)


def _equal(before: Held, after: Held) -> bool:
    return len(before) == len(after) and all(map(is_same, before, after))
