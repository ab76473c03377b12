"""Python values across a traced statement, whose body Python would run for each round, or in one of two branches.

A tile, scalar or index is carried as one value in IR; a Python int as an index; a tuple, list, dict, dataclass or
region as its elements. Anything else must be the same object in each round and each branch: `Watch` detects a list
that grows, an attribute that is set, an item taken from a generator, and raises. A name that would have a value of
another round or branch becomes `Unavailable`, and each use of it raises.
"""

import copy
import dataclasses
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from itertools import zip_longest
from sys import stdlib_module_names
from types import CellType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

from xdsl.ir import SSAValue

from xetile.language.arrays import Array, Region
from xetile.language.dependencies import MISSING, Dependencies, content
from xetile.language.positions import refuse
from xetile.language.tile_values import Tile
from xetile.language.values import Index, Value, describe

if TYPE_CHECKING:
    from random import Random


class Unavailable(Value):
    """A placeholder for a value that does not exist; `why` says so, and what to write."""

    def __init__(self, why: str) -> None:
        object.__setattr__(self, "why", why)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        refuse(str(object.__getattribute__(self, "why")))

    def __getattribute__(self, name: str) -> object:
        Unavailable._refuse(self)

    __setattr__ = __delattr__ = __call__ = _refuse
    __bool__ = __index__ = __int__ = __float__ = __len__ = __iter__ = __next__ = _refuse
    __getitem__ = __setitem__ = __delitem__ = __contains__ = __enter__ = __exit__ = _refuse
    __repr__ = __str__ = __format__ = __round__ = __reversed__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __sub__ = __mul__ = __matmul__ = __truediv__ = __floordiv__ = __mod__ = _refuse
    __radd__ = __rsub__ = __rmul__ = __rmatmul__ = __rtruediv__ = __rfloordiv__ = _refuse
    __rmod__ = __pow__ = __rpow__ = __divmod__ = __rdivmod__ = __and__ = __rand__ = _refuse
    __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rlshift__ = __rshift__ = _refuse
    __rrshift__ = __neg__ = __pos__ = __abs__ = __invert__ = _refuse
    __hash__ = object.__hash__


def is_unavailable(value: object) -> bool:
    """Return True if a name has no value; use nothing of such a value but its type."""
    return type(value) is Unavailable


_PLAIN = (int, float, bool, complex, str, bytes)

Change: TypeAlias = Callable[[object], object]


def is_number(value: object) -> bool:
    """Return True if this is a Python int, which a loop carries as an index."""
    return type(value) is int


def mapped(value: object, change: Change, known: dict[int, object]) -> object:
    """Return `value` with `change` applied to each value of the kernel and each int in it.

    `known` maps the id of a container to its copy, so that two names for one list still share one list.
    """
    if is_unavailable(value):
        return value
    if isinstance(value, Value) or is_number(value):
        return change(value)
    if not is_container(value):
        return value
    if id(value) not in known:
        new = [mapped(item, change, known) for _, item in _parts(value)]
        known[id(value)] = _made_of(value, new)
    return known[id(value)]


def leaves(value: object) -> list[Value]:
    """Return the values of the kernel that a value contains; ints as indices."""
    found: list[Value] = []

    def keep(leaf: object) -> object:
        found.append(Index.of(leaf) if isinstance(leaf, int) else cast(Value, leaf))
        return leaf

    mapped(value, keep, {})
    return found


def rebuilt(value: object, new: Iterator[SSAValue | None], known: dict[int, object]) -> object:
    """Return `value` with the kernel values in it replaced from `new`; None leaves a value unchanged."""

    def change(leaf: object) -> object:
        made = next(new)
        if made is None:
            return leaf
        return Index.of(made) if isinstance(leaf, int) else cast(Value, leaf).like(made)

    return mapped(value, change, known)


def settle(value: object) -> None:
    """Compute a lazy tile in the current block, whose end would leave it out of scope."""
    if isinstance(value, Tile):
        value.ssa()


def is_container(value: object) -> bool:
    """Return True if a value is carried as its elements."""
    if isinstance(value, tuple):
        return type(cast(object, value)) is tuple or hasattr(cast(object, value), "_fields")
    return type(value) in (list, dict, Region) or _is_dataclass(value)


def _is_mutable(value: object) -> bool:
    """Return True if a container can be changed in place, so that it matters which names share it."""
    if isinstance(value, (tuple, Region)):
        return False
    return not (_is_dataclass(value) and cast(Any, value).__dataclass_params__.frozen)


def mutables(value: object, name: str) -> list[tuple[str, object]]:
    """Return the lists, dicts and objects in a value that can be changed in place, with their Python spelling."""
    if is_unavailable(value) or isinstance(value, Value) or not is_container(value):
        return []
    inner = [
        found for label, item in _parts(value) for found in mutables(item, f"{name}{label}")
    ]
    return [(name, value), *inner] if _is_mutable(value) else inner


def _parts(value: object) -> list[tuple[str, object]]:
    """Return the elements of a container in order, each with its spelling after the container's name."""
    match value:
        case tuple() | list():
            numbered = enumerate(cast("list[object]", value))
            return [(f"[{number}]", item) for number, item in numbered]
        case dict():
            pairs = cast("dict[object, object]", value).items()
            return [(f"[{key!r}]", item) for key, item in pairs]
        case Region():
            return [(f".starts[{number}]", item) for number, item in enumerate(value.starts)]
        case _:
            return [(f".{name}", getattr(value, name)) for name in _fields(value)]


def _made_of(value: object, new: list[object]) -> object:
    kind = cast("type[Any]", type(value))
    match value:
        case tuple():
            return kind(*new) if hasattr(kind, "_fields") else kind(new)
        case list():
            return kind(new)
        case dict():
            return kind(zip(cast("dict[object, object]", value), new, strict=True))
        case Region():
            made = copy.copy(value)
            made.starts = cast(Any, new)
            return made
        case _:
            made = copy.copy(value)
            for name, item in zip(_fields(value), new, strict=True):
                object.__setattr__(made, name, item)
            return made


def _is_dataclass(value: object) -> bool:
    if isinstance(value, (type, Array)):
        return False
    return dataclasses.is_dataclass(value) and not type(value).__module__.startswith(
        ("xetile.language", "xdsl")
    )


def _fields(value: object) -> list[str]:
    return [field.name for field in dataclasses.fields(cast(Any, value))]


def difference(before: object, after: object, name: str) -> tuple[str, object, object] | None:
    """Return the first part of two values that cannot be carried as one, with both values; None if all can."""
    if is_unavailable(before) or is_unavailable(after):
        return None if before is after else (name, before, after)
    if _is_index(before) and _is_index(after):
        return None
    if isinstance(before, Value) and isinstance(after, Value):
        same = type(before) is type(after) and before.type == after.type
        same = same and before.element == after.element
        return None if same else (name, before, after)
    if not (is_container(before) and is_container(after)):
        return None if is_same(before, after) else (name, before, after)
    if type(before) is not type(after) or not _is_same_place(before, after):
        return (name, before, after)
    first, second = _parts(before), _parts(after)
    if [label for label, _ in first] != [label for label, _ in second]:
        return (name, before, after)
    for (label, one), (_, other) in zip(first, second, strict=True):
        if (found := difference(one, other, f"{name}{label}")) is not None:
            return found
    return None


def _is_index(value: object) -> bool:
    return isinstance(value, Index) or is_number(value)


def is_same(before: object, after: object) -> bool:
    """Return True if two Python objects cannot be distinguished."""
    if before is after:
        return True
    if type(before) is not type(after) or type(before) not in _PLAIN:
        return False
    return before == after and repr(before) == repr(after)


def _is_same_place(before: object, after: object) -> bool:
    """Return True if two regions have one array and shape, or if these are other containers."""
    if not (isinstance(before, Region) and isinstance(after, Region)):
        return True
    return before.array is after.array and before.shape == after.shape


def told(value: object) -> str:
    """Describe a value in a diagnostic on two that differ."""
    if is_unavailable(value):
        return "without a value"
    if isinstance(value, Value):
        return value.describe()
    if isinstance(value, (int, float, str)) or value is None:
        return f"Python's {value!r}"
    if isinstance(value, Array):
        return f"an array of {value.type}"
    if isinstance(value, (tuple, list, dict)):
        held = cast("list[object]", value)
        return f"a {type(held).__name__} of {len(held)}"
    return describe(value)


Names = Mapping[str, object]

_OURS = ("xetile.language", "xdsl", "numpy")
"""Modules whose objects no kernel changes."""

_LARGEST = 1 << 16
"""The largest numpy array that is compared, in bytes; a larger one counts as a constant table."""


class Watch(Dependencies):
    """A snapshot of the objects reachable from some names as a statement begins.

    `own` are the names that the statement binds itself, `read` the names of `module` that it reads.
    """

    def __init__(self, names: Names, own: Names, module: Names, read: Iterable[str]) -> None:
        self._own = own
        super().__init__(())
        self._rest += sorted(names.items(), key=lambda item: item[0])
        self._follow_names([(name,) for name in sorted(read)], (), module.get)
        self._walk()

    def changed(self) -> str | None:
        """Return the user's name of an object that has changed, or None if nothing has."""
        for path, now, seen, names in self.guards:
            found = now()
            for name, before, after in zip_longest(names, seen, found):
                if len(found) != len(seen) or not is_same(before, after):
                    return name or path
        return None

    def _give_up(self) -> None:
        """Follow the rest."""

    def _visit(self, path: str, value: object) -> None:
        if is_unavailable(value):
            return
        if isinstance(value, Value):
            self.seen[id(value)] = value
            settle(value)
        else:
            super()._visit(path, value)

    def _module(self, path: str, module: ModuleType) -> None:
        """Compare the names of a user's module; in Python's and numpy's modules only the random numbers."""
        name, held = module.__name__, vars(module)
        if name == "random":
            self._rest.append((name, held["random"].__self__))
        elif name in ("numpy", "numpy.random"):
            self._rest.append(("numpy.random", import_module("numpy.random").rand.__self__))
        elif not name.startswith(_OURS) and name.partition(".")[0] not in stdlib_module_names:
            names = [name for name in held if not name.startswith("__")]
            found = self._keep(path, lambda: tuple(map(held.get, names)))
            self._rest += [(path, one) for one in found if isinstance(one, (list, dict, set))]

    def _object(self, path: str, value: object) -> None:
        kind = type(value)
        if hasattr(kind, "__next__"):
            refuse(
                f"'{path}' gives each of its items once, and what is traced here runs once for many rounds; "
                "make it a list before"
            )
        if "random" in [base.__module__ for base in kind.__mro__]:
            self._equal(path, cast("Random", value).getstate)
        elif kind.__module__.startswith("numpy.random."):
            self._equal(path, lambda: pickle.dumps(value))
        elif not kind.__module__.startswith(_OURS):
            super()._object(path, value)

    def _array(self, path: str, array: Any) -> None:
        if getattr(array, "nbytes", 0) <= _LARGEST:
            super()._array(path, array)

    def _kind(self, path: str, value: object) -> None:
        """Ignore the class; methods are not followed."""

    def _is_own(self, name: str, cell: CellType) -> bool:
        return name in self._own and any(
            content(cell) is o for o in (MISSING, self._own[name])
        )
