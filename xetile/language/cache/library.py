"""Modules that mean the same as long as their versions are the same, so that nothing of them is looked into."""

import os
import sys
from functools import cache
from types import FunctionType, ModuleType

_MODULES = """xetile numpy ml_dtypes builtins math cmath operator itertools functools collections dataclasses enum
typing typing_extensions types abc numbers fractions decimal statistics string re textwrap copy contextlib bisect heapq
array struct _operator _collections _collections_abc _functools _abc _struct _typing"""

LIBRARY = frozenset(_MODULES.split())
"""The first parts of their names: ours, numpy's, and those of Python that compute from their arguments alone."""

_UNSTABLE = {
    "numpy": "random load loadtxt genfromtxt fromfile memmap empty empty_like",
    "builtins": "open input eval exec globals vars id hash __import__ compile breakpoint",
}
"""What of them depends on something else, or reads names that nobody can tell, by parts of its name."""

_NAMED_TUPLE = "namedtuple_"
"""How the module's name begins that Python gives the functions of named tuples."""


def is_library(module: object) -> bool:
    """Whether a module of this name is one of those."""
    if not isinstance(module, str):
        return False
    first = module.partition(".")[0]
    return first in LIBRARY and not _is_hidden(first)


@cache
def _is_hidden(module: str) -> bool:
    """Whether a file of the user's stands in the place of a module of Python's."""
    file: object = getattr(sys.modules.get(module), "__file__", None)
    if module not in sys.stdlib_module_names or not isinstance(file, str):
        return False
    return not file.startswith(os.path.dirname(os.__file__))


def is_unstable(name: str) -> bool:
    """Whether something of a library, by its full name, does not mean the same always."""
    library, *parts = name.split(".")
    return not set(_UNSTABLE.get(library, "").split()).isdisjoint(parts)


def name_of(value: object) -> str | None:
    """The full name of what a library has under that name; None for all else."""
    if isinstance(value, ModuleType):
        return value.__name__ if is_library(value.__name__) else None
    if isinstance(value, FunctionType):
        # `functools.wraps` gives a function the module of what it wraps
        module: object = value.__globals__.get("__name__")
    else:
        module = getattr(value, "__module__", None)
    name: object = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    if module.startswith(_NAMED_TUPLE):
        return f"{_NAMED_TUPLE}.{name}"
    if not is_library(module) or not _is_there(value, module, name):
        return None
    return f"{module}.{name}"


def _is_there(value: object, module: str, name: str) -> bool:
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is value
