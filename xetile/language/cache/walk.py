"""What values mean, as bytes: the same in every process, other ones where anything is another.

    scale (a function)     its code, defaults, the names that it reads, and what those are, and so on
    2.5                    the bits
    Config(2, "x")         its class, as functions are, and its fields

Places, paths and lines are no part of it; they are collected beside.
"""

import builtins
import linecache
import textwrap
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from enum import Enum
from functools import partial
from hashlib import sha256
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import TYPE_CHECKING, Any, cast

from xetile.language.cache.classes import is_python, members, slots
from xetile.language.cache.guards import MISSING, Guards
from xetile.language.cache.leaves import SUBCLASSED, content_of, is_array, leaf
from xetile.language.cache.library import is_library, is_unstable, name_of
from xetile.language.cache.reads import Path, all_codes, reads_of

if TYPE_CHECKING:
    import numpy

KEY_METHOD = "__xetile_key__"
"""Of objects that say themselves what they mean: a tuple of values that are looked into in their place."""

MOST_OBJECTS = 20_000
"""What is looked into for one function; more is no kernel and its helpers."""


class Opaque(Exception):
    """A value that has no meaning which stays the same; the text says what it is."""


class Walk:
    """Takes in values one after the other; `meaning` and `places` are of all, `guards` tell when they change."""

    def __init__(self) -> None:
        self.guards = Guards()
        self.trail: list[str] = []
        self._total = sha256()
        self._places = sha256()
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []
        self._count = 0

    def meaning(self) -> bytes:
        """32 bytes."""
        return self._total.digest()

    def places(self) -> bytes:
        """32 bytes: files and lines of all functions that were met."""
        return self._places.digest()

    def take(self, value: object) -> None:
        """Take in a value.

        Errors: Opaque where it means nothing stable; `trail` then names what led to it.
        """
        found = leaf(value)
        if found is not None:
            self._note(*found)
            return
        number = self._numbers.get(id(value))
        if number is not None:
            self._note("again", str(number).encode())
            return
        if self._count >= MOST_OBJECTS:
            raise Opaque(f"the last of more than {MOST_OBJECTS} objects")
        self._count += 1
        if not issubclass(type(value), tuple):  # Python decides which equal ones are the same
            self._numbers[id(value)] = len(self._kept)
            self._kept.append(value)  # so that no other gets its number
        self._look_into(value)

    def _note(self, kind: str, data: bytes = b"") -> None:
        self._total.update(f"{kind} {len(data)}:".encode())
        self._total.update(data)

    def _look_into(self, value: object) -> None:
        if (library := name_of(value)) is not None:
            self._library(library)
        elif isinstance(value, ModuleType):
            raise Opaque(f"the module '{value.__name__}' as a whole")
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, type):
            self._class(value)
        elif (key := getattr(type(value), KEY_METHOD, None)) is not None:
            self._note("keyed", type(value).__qualname__.encode())
            self.take(self.guards.key(partial(key, value)))
        elif is_array(value):
            self._array(cast("numpy.ndarray[Any, Any]", value))
        elif not self._wrapper(value) and not self._container(value):
            self._instance(value)

    def _library(self, name: str) -> None:
        if is_unstable(name):
            raise Opaque(f"{name}, which does not depend on its arguments alone")
        self._note("library", name.encode())

    def _array(self, array: "numpy.ndarray[Any, Any]") -> None:
        if array.dtype.hasobject:
            raise Opaque("an array of objects")
        kind = type(array).__qualname__
        self._note("array", f"{kind} {array.shape} {array.strides}".encode())
        self.take(array.dtype)
        self._note("bytes", self.guards.bytes(array))

    # what reads names

    def _function(self, function: FunctionType) -> None:
        code, guards = function.__code__, self.guards
        reads = reads_of(code)
        if reads.written:
            raise Opaque(f"a function that changes the global '{reads.written[0]}'")
        guards.function(function)
        self._note("function", f"{function.__name__} {function.__qualname__}".encode())
        self._code(function)
        self.take(function.__defaults__)
        self.take(function.__kwdefaults__)
        self._some(function.__dict__)
        self._some(_annotations(function))
        for module in reads.imported:
            self._named(f"import {module}", partial(self._import, module))
        for path in reads.names:
            self._named(path.name, partial(self._global, function, path))
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        for path in reads.cells:
            self._named(path.name, partial(self._cell, cells[path.name], path))

    def _named(self, name: str, take: Callable[[], None]) -> None:
        self._note("name", name.encode())
        self.trail.append(name)
        take()
        self.trail.pop()

    def _import(self, module: str) -> None:
        if not is_library(module) or is_unstable(module):
            raise Opaque("a module that is imported when the function is called")

    def _global(self, function: FunctionType, path: Path) -> None:
        found = self.guards.name(function.__globals__, path.name)
        if found is MISSING:
            found = self.guards.name(vars(builtins), path.name)
        self._of(found, path.attributes)

    def _cell(self, cell: CellType, path: Path) -> None:
        self._of(self.guards.cell(cell), path.attributes)

    def _of(self, value: object, attributes: tuple[str, ...]) -> None:
        """Attributes of modules are what is read, not the modules."""
        depth = len(self.trail)
        while attributes and isinstance(value, ModuleType):
            if (library := name_of(value)) is not None:
                self._library(".".join((library, *attributes)))
                return
            attribute, *rest = attributes
            self._note("attribute", attribute.encode())
            self.trail.append(attribute)
            module, attributes = value, tuple(rest)
            value = self.guards.name(vars(module), attribute)
            is_plain = type(module) is ModuleType
            if not is_plain or (value is MISSING and hasattr(module, "__getattr__")):
                raise Opaque(f"which module '{module.__name__}' makes when it is asked")
        self.take(_Missing if value is MISSING else value)
        del self.trail[depth:]

    def _code(self, function: FunctionType) -> None:
        """The instructions with their constants, and the text that they were made of, where it is at hand."""
        code = function.__code__
        self._note("source", _source(code, function.__globals__).encode())
        self.guards.source(code.co_filename)
        for part in all_codes(code):
            sizes = (part.co_argcount, part.co_posonlyargcount, part.co_kwonlyargcount)
            self._note("code", part.co_code)
            self._note("flags", f"{part.co_flags} {sizes}".encode())
            self._note("exceptions", part.co_exceptiontable)
            for names in (part.co_names, part.co_varnames, part.co_freevars, part.co_cellvars):
                self.take(names)
            for constant in part.co_consts:
                if not isinstance(constant, CodeType):
                    self.take(constant)
            place = f"{part.co_filename}\0{part.co_firstlineno}\0"
            self._places.update(place.encode(errors="surrogateescape") + part.co_linetable)

    # what holds others

    def _container(self, value: object) -> bool:
        """Take in a list, tuple, set or dictionary, of whatever class."""
        kind = type(value)
        if isinstance(value, list | tuple):
            if isinstance(value, list):
                self.guards.items(lambda: cast("list[object]", value))
            self._all("sequence", [*cast("Iterable[object]", value)])
        elif isinstance(value, dict):
            table = cast("dict[object, object]", value)
            self.guards.table(table)
            self._all("keys", list(table))
            self._all("values", list(table.values()))
        elif isinstance(value, set | frozenset):
            elements = cast("set[object]", value)
            if isinstance(value, set):
                self.guards.items(lambda: elements)
            self._unordered(elements)
        else:
            return False
        if isinstance(value, defaultdict):
            self.take(cast("defaultdict[object, object]", value).default_factory)
        if kind in _CONTAINERS:
            self._note("kind", kind.__name__.encode())
        else:
            self._state(cast(object, value))
        return True

    def _all(self, kind: str, values: list[object]) -> None:
        self._note(kind, str(len(values)).encode())
        for value in values:
            self.take(value)

    def _unordered(self, elements: set[object]) -> None:
        """Elements in an order that does not depend on the process."""
        total, numbers = self._total, self._numbers
        digests: list[bytes] = []
        for element in elements:
            self._total, self._numbers = sha256(), {}
            self.take(element)
            digests.append(self._total.digest())
        self._total, self._numbers = total, numbers
        self._note("set", b"".join(sorted(digests)))

    def _some(self, table: dict[str, object]) -> None:
        """Take in attributes by name, in whatever order they were set."""
        self.guards.table(table)
        self._note("attributes", str(len(table)).encode())
        for name, value in sorted(table.items()):
            self._named(name, partial(self.take, value))

    # what wraps functions

    def _wrapper(self, value: object) -> bool:
        """Take in methods, properties and the like: what they are made of."""
        if isinstance(value, BuiltinFunctionType):
            return self._builtin(value)
        name = type(value).__qualname__
        if type(value).__module__ in ("typing", "types") and not isinstance(
            value, MethodType | SimpleNamespace
        ):
            return self._typing(value)
        for kind, parts in _WRAPPERS.items():
            if name == kind:
                self._note("wrapper", name.encode())
                self._all("parts", [getattr(value, part, None) for part in parts])
                return True
        return False

    def _typing(self, value: object) -> bool:
        """Take in a type that is written with others: its text and those."""
        text = repr(value)
        if " at 0x" in text:
            return False
        self._note("type", text.encode())
        parts = (getattr(value, "__origin__", None), *getattr(value, "__args__", ()))
        self._all("arguments", [part for part in parts if part is not value])
        return True

    def _builtin(self, value: BuiltinFunctionType) -> bool:
        """A method of an object of Python's: its name and the object."""
        owner = cast(object, value.__self__)
        if owner is None or isinstance(owner, ModuleType):
            return False
        self._note("method", value.__name__.encode())
        self.take(owner)
        return True

    # classes and their instances

    def _class(self, kind: type) -> None:
        if kind.__module__ == "builtins" and not is_python(kind):
            self._library(
                f"builtins.{kind.__qualname__}"
            )  # as NoneType, which has no name there
            return
        if not is_python(kind):
            raise Opaque(f"the class {kind.__qualname__} of module '{kind.__module__}'")
        self._note("class", kind.__qualname__.encode())
        # before it is guarded: Python 3.14 keeps annotations in the class when they are asked for
        found = list(members(kind))
        self.guards.items(lambda: (kind.__mro__, *kind.__dict__.values()))
        self._all("bases", list(kind.__mro__[1:]))
        self.take(type(kind))
        for name, value in found:
            self._named(name, partial(self.take, value))

    def _instance(self, value: object) -> None:
        if isinstance(value, Enum):
            self._note("member", str(value.name).encode())
            self.take(value.value)
            self.take(type(value))
            return
        self._state(value)

    def _state(self, value: object) -> None:
        """The class, and what the instance itself has: attributes and slots."""
        kind = type(value)
        library = name_of(kind)
        if library is not None and not _is_plain(value, library):
            raise Opaque(_described(value))
        for base in kind.__mro__:
            if base not in _BASES and not is_python(base):
                raise Opaque(_described(value))
        self._note("instance", content_of(value))
        self.take(kind)
        self.guards.kind(value)
        state: dict[str, object] | None = getattr(value, "__dict__", None)
        if state is not None:
            self._some(state)
        names = slots(kind)
        if names:
            self.guards.items(lambda: [getattr(value, name, MISSING) for name in names])
        for name in names:
            held: object = getattr(value, name, MISSING)
            self._named(name, partial(self.take, _Missing if held is MISSING else held))


class _Missing:
    """What a name means that is not there."""


_CONTAINERS = (list, tuple, set, frozenset, dict, OrderedDict, defaultdict)
_BASES = (object, SimpleNamespace, *SUBCLASSED, *_CONTAINERS)
"""Classes of Python itself whose instances have nothing that is not looked at."""

_WRAPPERS = {
    "method": ("__func__", "__self__"),
    "slice": ("start", "stop", "step"),
    "partial": ("func", "args", "keywords"),
    "staticmethod": ("__func__",),
    "classmethod": ("__func__",),
    "property": ("fget", "fset", "fdel"),
    "cached_property": ("func",),
    "_lru_cache_wrapper": ("__wrapped__",),
}
"""What is made of functions, by the names of its classes, with its parts."""


def _is_plain(value: object, library: str) -> bool:
    """Whether an instance of a library's class is no more than its attributes."""
    return is_dataclass(value) or library == "types.SimpleNamespace"


def _described(value: object) -> str:
    name = type(value).__qualname__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _annotations(function: FunctionType) -> dict[str, object]:
    try:
        return function.__annotations__
    except NameError:  # one that Python 3.14 cannot make yet
        return {}


def _source(code: CodeType, space: dict[str, object]) -> str:
    """The lines of a function that it is traced from; nothing where there are none."""
    last = max((end or 0 for _, end, _, _ in code.co_positions()), default=0)
    lines = linecache.getlines(code.co_filename, space)[code.co_firstlineno - 1 : last]
    return textwrap.dedent("".join(lines))
