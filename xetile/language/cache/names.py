"""The names that a function's code reads in addition to its arguments, and the modules that stay as they are.

    scale = helpers.factor * base          reads ("helpers", "factor") and ("base",)

Names are read off the instructions, those of nested functions included; nothing is executed.
"""

import dis
import os
import sys
from functools import cache
from types import CodeType
from typing import NamedTuple

_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_CELLS = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_WRITES = ("STORE_GLOBAL", "DELETE_GLOBAL")
_FILLERS = ("EXTENDED_ARG", "CACHE", "PUSH_NULL", "NOP", "COPY_FREE_VARS")

Path = tuple[str, ...]
"""A name, and the attributes that are read of it one after the other."""


class Names(NamedTuple):
    """What code reads of its module and of functions around it, the globals it changes, the modules it imports."""

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
"""Modules that nobody changes while a program runs: ours, xDSL's, numpy's, and those of Python that only compute."""

_UNSTABLE = {
    "numpy": "random load loadtxt genfromtxt fromfile memmap empty empty_like",
    "builtins": "open input eval exec globals vars id __import__ compile breakpoint",
}
"""Names in them whose result does not depend on their arguments alone."""


@cache
def is_library(name: object) -> bool:
    """Return whether a module of this name is one of those, and not a file of the user's in its place."""
    first = name.partition(".")[0] if isinstance(name, str) else ""
    file: object = getattr(sys.modules.get(first), "__file__", None)
    if first in sys.stdlib_module_names and isinstance(file, str):
        return first in LIBRARY and file.startswith(os.path.dirname(os.__file__))
    return first in LIBRARY


def is_unstable(name: str) -> bool:
    """Return whether the result of something in a library, by its full name, may differ from call to call."""
    library, *parts = name.split(".")
    return not set(_UNSTABLE.get(library, "").split()).isdisjoint(parts)
