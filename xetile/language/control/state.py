"""What Python's lists and objects hold, before the body of a traced statement and after.

The body runs once while it is traced, where Python would run it for each round, or one branch of two. A list that
grows, an attribute that is set, an item that a generator gives would be another one then: such changes are refused.
"""

import pickle
from collections.abc import Iterable, Mapping
from importlib import import_module
from itertools import zip_longest
from sys import stdlib_module_names
from types import CellType, ModuleType
from typing import TYPE_CHECKING, Any, cast

from xetile.language.cache.dependencies import MISSING, Dependencies, content
from xetile.language.carried import is_same, settle
from xetile.language.refusals import refuse
from xetile.language.unavailable import is_unavailable
from xetile.language.values import Value

if TYPE_CHECKING:
    from random import Random

Names = Mapping[str, object]

_OURS = ("xetile.language", "xdsl", "numpy")
"""Modules whose objects no kernel changes."""

_LARGEST = 1 << 16
"""Bytes of a numpy array that are compared; a larger one is a table."""


class Watch(Dependencies):
    """What can be reached from some names as a statement begins.

    `own` are those that the statement binds itself, `read` those of `module` that it reads.
    """

    def __init__(self, names: Names, own: Names, module: Names, read: Iterable[str]) -> None:
        self._own = own
        super().__init__(())
        self._rest += sorted(names.items(), key=lambda item: item[0])
        self._follow_names([(name,) for name in sorted(read)], (), module.get)
        self._walk()

    def changed(self) -> str | None:
        """Return how the user calls what is not as it was, None if all is."""
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
        """Compare the names of a user's module; of Python's and numpy's only the random numbers."""
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
        """Leave the class as it is; methods are not followed."""

    def _is_own(self, name: str, cell: CellType) -> bool:
        return name in self._own and any(
            content(cell) is o for o in (MISSING, self._own[name])
        )
