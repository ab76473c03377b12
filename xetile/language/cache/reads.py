"""What a function's code reads beside its arguments: names of its module and of functions around it.

    scale = helpers.factor * base          reads ("helpers", ("factor",)) and ("base", ())

Read off the instructions, those of nested functions included; nothing is executed.
"""

import dis
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_CELLS = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_WRITES = ("STORE_GLOBAL", "DELETE_GLOBAL")
_FILLERS = ("EXTENDED_ARG", "CACHE", "PUSH_NULL", "NOP", "COPY_FREE_VARS")


class Path(NamedTuple):
    """A name, and the attributes that are read of it one after the other."""

    name: str
    attributes: tuple[str, ...]


class Reads(NamedTuple):
    """What code reads, each once and in its order; `written` are globals that it changes, `imported` modules."""

    names: tuple[Path, ...]
    cells: tuple[Path, ...]
    written: tuple[str, ...]
    imported: tuple[str, ...]


def reads_of(code: CodeType) -> Reads:
    """What a function with this code reads."""
    names: dict[Path, None] = {}
    cells: dict[Path, None] = {}
    written: dict[str, None] = {}
    imported: dict[str, None] = {}
    for part in all_codes(code):
        outer = set(code.co_freevars) - set(part.co_cellvars)
        for operation, name, attributes in _loads(part):
            if operation in _GLOBALS:
                names[Path(name, attributes)] = None
            elif operation in _CELLS and name in outer:
                cells[Path(name, attributes)] = None
            elif operation in _WRITES:
                written[name] = None
            elif operation == "IMPORT_NAME":
                imported[name] = None
    return Reads(tuple(names), tuple(cells), tuple(written), tuple(imported))


def all_codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of functions, classes and comprehensions inside."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from all_codes(constant)


def _loads(code: CodeType) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Instructions that name something, each with the attributes that are read right after."""
    pending: tuple[str, str] | None = None
    attributes: list[str] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname in _FILLERS:
            continue
        if pending is not None and instruction.opname in _ATTRIBUTES:
            attributes.append(str(instruction.argval))
            continue
        if pending is not None:
            yield *pending, tuple(attributes)
        pending, attributes = None, []
        if instruction.opname in (*_GLOBALS, *_CELLS, *_WRITES, "IMPORT_NAME"):
            pending = instruction.opname, str(instruction.argval)
    if pending is not None:
        yield *pending, tuple(attributes)
