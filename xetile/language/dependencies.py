"""The Python objects that tracing a function depends on, and a check that they are unchanged.

    found = Dependencies([("kernel", function), ("SIZES", sizes)])
    found.unchanged()            False once one of them is rebound, or changed in place

They are the globals and closure cells that the code reads, the functions found there, and the contents of
containers, instances and classes. With a value that cannot be compared, such as a file, a lock or a generator of
random numbers, `unchanged` always returns False.

    scale = helpers.factor * base          reads ("helpers", "factor") and ("base",)

Names are taken from the instructions, also of nested functions; nothing is executed.
"""

import collections
import dis
import functools
import os
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from operator import attrgetter, is_
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from xetile.language.types import ArrayType, ElementType

if TYPE_CHECKING:
    import numpy


_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_CELLS = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_WRITES = ("STORE_GLOBAL", "DELETE_GLOBAL")
_FILLERS = ("EXTENDED_ARG", "CACHE", "PUSH_NULL", "NOP", "COPY_FREE_VARS")

Path = tuple[str, ...]
"""A name, followed by the attributes that are read of it one after the other."""


class Names(NamedTuple):
    """Names that code reads of its module and enclosing functions, globals it changes, and modules it imports."""

    globals: tuple[Path, ...]
    cells: tuple[Path, ...]
    written: tuple[str, ...]
    imported: tuple[str, ...]


@cache
def names_of(code: CodeType) -> Names:
    """Return the names that a function with this code reads."""
    kinds = (_GLOBALS, _CELLS, _WRITES, ("IMPORT_NAME",))
    found: tuple[list[list[str]], ...] = ([], [], [], [])
    for part in codes_of(code):
        path: list[str] | None = None
        for step in dis.get_instructions(part):
            if step.opname in _FILLERS:
                continue
            if path is not None and step.opname in _ATTRIBUTES:
                path.append(str(step.argval))
                continue
            path = None
            for kind, paths in zip(kinds, found, strict=True):
                if step.opname in kind and (kind != _CELLS or step.argval in code.co_freevars):
                    path = [str(step.argval)]
                    paths.append(path)
    read, cells, written, imported = (dict.fromkeys(map(tuple, paths)) for paths in found)
    return Names(
        tuple(read),
        tuple(cells),
        tuple(name for name, *_ in written),
        tuple(name for name, *_ in imported),
    )


def codes_of(code: CodeType) -> list[CodeType]:
    """Return a function's code and that of the functions, classes and comprehensions inside."""
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    return [code, *(found for part in inner for found in codes_of(part))]


_MODULES = """xetile xdsl numpy ml_dtypes builtins math cmath operator itertools functools collections dataclasses enum
typing typing_extensions types abc numbers fractions decimal statistics string re reprlib textwrap copy contextlib
bisect heapq array struct _operator _collections _collections_abc _functools _abc _struct _typing"""

LIBRARY = frozenset(_MODULES.split())
"""Modules that do not change while a program runs: ours, xDSL's, numpy's, and those of Python that only compute."""

_UNSTABLE = {
    "numpy": "random load loadtxt genfromtxt fromfile memmap empty empty_like",
    "builtins": "open input eval exec globals vars id __import__ compile breakpoint",
}
"""Names in these modules whose result does not depend on their arguments alone."""


@cache
def is_library(name: object) -> bool:
    """Return True if a module of this name is in `LIBRARY`, and not a user's file of the same name."""
    first = name.partition(".")[0] if isinstance(name, str) else ""
    file: object = getattr(sys.modules.get(first), "__file__", None)
    if first in sys.stdlib_module_names and isinstance(file, str):
        return first in LIBRARY and file.startswith(os.path.dirname(os.__file__))
    return first in LIBRARY


def is_unstable(name: str) -> bool:
    """Return True if the result of something in a library, by its full name, may differ from call to call."""
    library, *parts = name.split(".")
    return not set(_UNSTABLE.get(library, "").split()).isdisjoint(parts)


Objects = tuple[object, ...]

_MOST_OBJECTS = 20_000
"""A limit above the number of objects of any kernel and its helpers."""

MISSING: Final = object()
"""The value of a name that is not bound."""

_NAMES = """__dict__ __weakref__ __doc__ __annotations__ __annotate_func__ __annotations_cache__ __classdictcell__
__slotnames__ __orig_bases__ __parameters__ __abstractmethods__ __dataclass_fields__ __dataclass_params__ _abc_impl"""

_OF_PYTHON = frozenset(_NAMES.split())
"""Attributes of classes that Python creates, some of them while a program runs."""

_HEAP_TYPE = 1 << 9
"""CPython's flag of classes that are created while a program runs (Py_TPFLAGS_HEAPTYPE)."""


class Guard(NamedTuple):
    """Objects at the time of the snapshot; `now` returns the current ones, `names` are their names, if any."""

    path: str
    now: Callable[[], Objects]
    seen: Objects
    names: Sequence[str] = ()


def _nothing(_: object) -> Objects:
    return ()


_FIXED: frozenset[type] = frozenset(
    {int, float, bool, complex, str, bytes, range, re.Pattern, Fraction, Decimal}
    | {types.NoneType, types.EllipsisType, types.NotImplementedType, types.CodeType}
    | {types.GetSetDescriptorType, types.MemberDescriptorType, types.MethodDescriptorType}
    | {types.WrapperDescriptorType, types.ClassMethodDescriptorType, ElementType, ArrayType}
    | {type(vars(Guard)["path"])}
)
"""Types of values that never change."""

_OF_C = (types.WrapperDescriptorType, types.MethodDescriptorType, types.GetSetDescriptorType)
"""Types of attributes that a class defines itself only if it is written in C."""

_SLOT = types.MemberDescriptorType

_HELD: Mapping[type, Callable[[Any], Objects]] = {
    **dict.fromkeys((object, int, float, complex, str, bytes), _nothing),
    **dict.fromkeys((list, tuple, set, frozenset, collections.deque, bytearray), tuple),
    dict: lambda value: (*value, *value.values()),
    collections.OrderedDict: _nothing,
    collections.defaultdict: lambda value: (value.default_factory,),
    types.SimpleNamespace: lambda value: (value.__dict__,),
    types.FunctionType: attrgetter("__code__", "__defaults__", "__kwdefaults__", "__dict__"),
    types.MethodType: attrgetter("__func__", "__self__"),
    types.BuiltinFunctionType: lambda value: (value.__self__,),
    functools.partial: attrgetter("func", "args", "keywords"),
    functools.cached_property: lambda value: (value.func,),
    type(functools.cache(_nothing)): lambda value: (value.__wrapped__,),
    slice: attrgetter("start", "stop", "step"),
    property: attrgetter("fget", "fset", "fdel"),
    staticmethod: lambda value: (value.__func__,),
    classmethod: lambda value: (value.__func__,),
}
"""Functions that return the contents of instances of Python's own classes."""


class Dependencies:
    """Everything that can be reached from named values."""

    def __init__(self, values: Iterable[tuple[str, object]]) -> None:
        self.comparable = True
        """False if a value was found that cannot be compared."""
        self.seen: dict[int, object] = {}
        """Everything that was visited, by id; kept alive, so that ids stay unique."""
        self.guards: list[Guard] = []
        self._rest = collections.deque[tuple[str, object]](values)
        try:
            self._walk()
        except Exception:  # of the user's code, such as a property
            self._give_up()

    def _walk(self) -> None:
        while self._rest and self.comparable:
            self._visit(*self._rest.popleft())
            if len(self.seen) > _MOST_OBJECTS:
                self._give_up()

    def unchanged(self) -> bool:
        """Return True if every object is the same as before, with the same contents."""
        if not self.comparable:
            return False
        try:
            for _, now, seen, _ in self.guards:
                found = now()
                if len(found) != len(seen) or not all(map(is_, found, seen)):
                    return False
        except Exception:  # an attribute is gone, or another thread changes a dictionary
            return False
        return True

    def _give_up(self) -> None:
        self.comparable = False

    def _keep(
        self, path: str, now: Callable[[], Objects], names: Sequence[str] = ()
    ) -> Objects:
        """Record the objects that `now` returns, to compare them later."""
        self.guards.append(Guard(path, now, held := now(), names))
        return held

    def _follow(self, path: str, now: Callable[[], Objects]) -> None:
        """Record objects, and those that can be reached from them."""
        self._rest += [(path, held) for held in self._keep(path, now)]

    def _equal(self, path: str, read: Callable[[], object]) -> None:
        """Record a value that `read` creates anew each time, to compare it by equality."""
        seen = read()
        self._keep(path, lambda: (seen if read() == seen else None,))

    def _visit(self, path: str, value: object) -> None:
        if type(value) in _FIXED or id(value) in self.seen:
            return
        self.seen[id(value)] = value
        if isinstance(value, types.FunctionType):
            self._function(path, value)
        elif isinstance(value, types.ModuleType):
            self._module(path, value)
        elif isinstance(value, type):
            self._class(path, value)
        elif "numpy" in sys.modules and isinstance(value, _of_numpy()):
            self._array(path, value)
        else:
            self._object(path, value)

    def _module(self, path: str, module: types.ModuleType) -> None:
        """Handle a module without knowing which of its names are read."""
        if not is_library(module.__name__) or is_unstable(module.__name__):
            self._give_up()

    def _array(self, path: str, array: Any) -> None:
        """Record the bytes of an array; numpy's scalars, types and functions do not change."""
        import numpy

        if not isinstance(array, numpy.ndarray | numpy.void):
            self._check_stable("numpy", array)
            return
        array = cast("numpy.ndarray[Any, Any]", array)
        if type(array) is not numpy.ndarray or array.dtype.hasobject:
            self._give_up()
        self._equal(path, lambda: (array.dtype, array.shape, array.strides, array.tobytes()))

    def _check_stable(self, module: object, value: object) -> None:
        if is_unstable(f"{module}.{getattr(value, '__name__', '')}"):
            self._give_up()

    def _function(self, path: str, function: types.FunctionType) -> None:
        """Follow defaults, attributes, and the values of the names that the code reads."""
        code, space = function.__code__, function.__globals__
        if in_library := is_library(module := space.get("__name__")):
            self._check_stable(module, function)
            if not function.__closure__:
                return
        self._follow(path, functools.partial(_HELD[types.FunctionType], function))
        names = names_of(code)
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        cells = {name: cell for name, cell in cells.items() if not self._is_own(name, cell)}
        inner = [path for path in names.cells if path[0] in cells]
        self._follow_names(inner, tuple(cells), lambda name: content(cells[name]))
        if in_library:
            return
        if names.written or any(not is_library(n) or is_unstable(n) for n in names.imported):
            self._give_up()
        self._follow_names(names.globals, names.written, lambda name: space.get(name, MISSING))

    def _is_own(self, name: str, cell: types.CellType) -> bool:
        """Return True if the statement itself may change the cell; here always False."""
        return False

    def _follow_names(
        self,
        paths: Sequence[Path],
        more: Sequence[str],
        read: Callable[[str], object],
        prefix: str = "",
    ) -> None:
        """Record the values of names, and follow the paths that begin with one."""
        names = tuple(dict.fromkeys([*(name for name, *_ in paths), *more]))
        labels = tuple(prefix + name for name in names)
        held = self._keep("", lambda: tuple(map(read, names)), labels)
        found = dict(zip(names, held, strict=True))
        for name, *attributes in paths:
            value = found[name]
            if isinstance(value, types.ModuleType) and attributes:
                self._of_module(prefix + name, value, attributes)
            elif value is not MISSING:
                self._rest.append((prefix + name, value))
            elif is_unstable(f"builtins.{name}"):
                self._give_up()

    def _of_module(self, path: str, module: types.ModuleType, attributes: list[str]) -> None:
        """Follow the attributes that are read of a module instead of the module."""
        if is_library(module.__name__):
            if is_unstable(".".join((module.__name__, *attributes))):
                self._give_up()
            return
        held = vars(module)
        if type(module) is not types.ModuleType or "__getattr__" in held:
            self._give_up()
        self._follow_names(
            [tuple(attributes)], (), lambda name: held.get(name, MISSING), f"{path}."
        )

    def _class(self, path: str, kind: type) -> None:
        """Follow the attributes of a class and of its bases."""
        if not kind.__flags__ & _HEAP_TYPE or _is_of_library(kind):
            return
        if not _is_python(kind):
            self._give_up()
        self._follow(path, lambda: (type(kind), *kind.__mro__, *_attributes(kind)))

    def _object(self, path: str, value: object) -> None:
        """Follow the contents of an instance: items, attributes, slots, and its class."""
        kind = type(value)
        own = [base for base in kind.__mro__ if base not in _HELD]
        for base in kind.__mro__:
            if (held := _HELD.get(base, _nothing)) is not _nothing:
                self._follow(path, functools.partial(held, value))
        if isinstance(value, types.BuiltinFunctionType):
            self._check_stable(value.__module__, value)
        if not all(map(_is_python, own)):
            self._give_up()
        if own:
            slots = [n for b in own for n, v in vars(b).items() if type(v) is _SLOT]
            names = ("__dict__", *slots)
            self._follow(path, lambda: tuple([getattr(value, n, None) for n in names]))
            self._kind(path, value)

    def _kind(self, path: str, value: object) -> None:
        """Follow the class of an instance."""
        self._follow(path, lambda: (type(value),))


def content(cell: types.CellType) -> object:
    """Return the content of a cell, or MISSING if it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


@functools.cache
def _of_numpy() -> tuple[type, ...]:
    import numpy

    functions = cast("list[type]", [numpy.ufunc, type(numpy.sum)])
    return numpy.ndarray, numpy.dtype, numpy.generic, *functions


def _is_of_library(kind: type) -> bool:
    found: object = sys.modules.get(kind.__module__)
    for part in kind.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is kind and is_library(kind.__module__)


def _is_python(kind: type) -> bool:
    """Return True if a class is written in Python, so that its instances contain nothing but attributes."""
    if not kind.__flags__ & _HEAP_TYPE:
        return False
    return not any(isinstance(v, _OF_C) and v.__objclass__ is kind for v in _attributes(kind))


def _attributes(kind: type) -> list[object]:
    return [value for name, value in list(vars(kind).items()) if name not in _OF_PYTHON]
