"""Level Y: the Python functions that a kernel was traced from, and which expression each op came of.

Ops of kernels in Python carry the place of the expression that made them, its first character (`language/tracing.py`).
Several expressions begin at one place (`x - y` and `x`); shown is the longest.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from linecache import getlines
from typing import NamedTuple, TypeAlias

from xdsl.ir import Operation

from xetile.errors import file_position
from xetile.exploration.model import Level, Op

Place: TypeAlias = tuple[str, int, int]
"""A file, a line and a column from 1."""


@dataclass
class PythonSource:
    """The level, and by place the index of its op."""

    level: Level
    ops: dict[Place, int] = field(default_factory=dict[Place, int])

    def parents(self, op: Operation) -> tuple[int, ...]:
        """The expression that an op came of."""
        place = _place_of(op)
        return (self.ops[place],) if place is not None and place in self.ops else ()


def is_python(file: str) -> bool:
    """Whether a file that positions name is Python's: by its name, or a cell of a notebook that Python remembers."""
    return file.endswith(".py") or (file.startswith("<") and bool(getlines(file)))


def python_source(
    ops: Iterable[Operation], given: Mapping[str, str], name: Callable[[str], int]
) -> PythonSource:
    """The functions in which the places of ops lie, in the order in which ops name them.

    `given` has texts of files by their names, others are read as tracebacks read them; `name` numbers the names of ops.
    """
    places = list(dict.fromkeys(place for op in ops if (place := _place_of(op)) is not None))
    files = {
        file: _File(file, given.get(file)) for file in dict.fromkeys(p[0] for p in places)
    }
    level = Level("Y", "Python", None)
    numbers = level.numbers = list[int]()
    lines = _copy_functions(places, files, level, numbers)
    source = PythonSource(level)
    for place in sorted(places, key=lambda one: (lines.get(one[:2], -1), one[2])):
        line = lines.get(place[:2])
        if line is not None:
            kind, first, last = files[place[0]].piece(place[1], place[2] - 1)
            source.ops[place] = len(level.ops)
            level.ops.append(Op(line, first, last, name(f"python.{kind}")))
    return source


def _copy_functions(
    places: Iterable[Place], files: Mapping[str, "_File"], level: Level, numbers: list[int]
) -> dict[tuple[str, int], int]:
    """Copy the functions that hold places into the level; by file and line, where each line is there now."""
    lines: dict[tuple[str, int], int] = {}
    main = ""
    for file, line, _ in places:
        main = main or file
        around = files[file].function(line)
        if (file, line) in lines or not around:
            continue
        if lines:
            level.lines += ["", *([f"# {file}"] if file != main else [])]
            numbers += [0] * (len(level.lines) - len(numbers))
        for number in around:
            lines[file, number] = len(level.lines)
            level.lines.append(files[file].lines[number - 1])
            numbers.append(number)
    return lines


def _place_of(op: Operation) -> Place | None:
    place = file_position(op.location)
    if place is None or not is_python(place.filename.data):
        return None
    return place.filename.data, place.line.data, place.column.data


class _Piece(NamedTuple):
    """What stands at a place: its kind in Python's syntax, and its columns in its first line, from 0."""

    kind: str
    first: int
    last: int


class _File:
    """A Python file; one that is not there has no lines, and of one that is no Python each line is a function."""

    def __init__(self, name: str, text: str | None) -> None:
        lines = getlines(name) if text is None else text.splitlines()
        self.lines = [line.rstrip("\n") for line in lines]
        self._functions: list[range] = []
        self._expressions: dict[tuple[int, int], _Piece] = {}
        self._statements: dict[tuple[int, int], _Piece] = {}
        try:
            tree = ast.parse("\n".join(self.lines))
        except SyntaxError:
            return
        self._read(tree, is_inside=False)

    def function(self, line: int) -> range:
        """The lines of the outermost function around a line, from 1; itself where there is none."""
        own = range(line, line + 1) if 0 < line <= len(self.lines) else range(0)
        return next((lines for lines in self._functions if line in lines), own)

    def piece(self, line: int, column: int) -> _Piece:
        """The longest expression that begins at a place, else the statement, else the rest of the line."""
        end = len(self.lines[line - 1].rstrip())
        rest = _Piece("line", column, max(column, end))
        at = line, column
        return self._expressions.get(at) or self._statements.get(at) or rest

    def _read(self, node: ast.AST, *, is_inside: bool) -> None:
        for child in ast.iter_child_nodes(node):
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            if is_function and not is_inside:
                first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
                self._functions.append(range(first, (child.end_lineno or child.lineno) + 1))
            if isinstance(child, ast.expr | ast.stmt) and _makes_something(child):
                self._add(child)
            self._read(child, is_inside=is_inside or is_function)

    def _add(self, node: ast.expr | ast.stmt) -> None:
        """Note an expression or a statement; those around others come first, and stay."""
        first = self._column(node.lineno, node.col_offset)
        last = len(self.lines[node.lineno - 1].rstrip())
        if node.end_lineno == node.lineno and node.end_col_offset is not None:
            last = self._column(node.lineno, node.end_col_offset)
        known = self._expressions if isinstance(node, ast.expr) else self._statements
        piece = _Piece(type(node).__name__.lower(), first, last)
        known.setdefault((node.lineno, first), piece)

    def _column(self, line: int, column: int) -> int:
        """The characters before a column that counts bytes of UTF-8."""
        text = self.lines[line - 1]
        return (
            column if text.isascii() else len(text.encode()[:column].decode(errors="ignore"))
        )


def _makes_something(node: ast.AST) -> bool:
    """Whether ops can come of it: not of a name that is assigned to, nor of what stands side by side."""
    is_target = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    return not is_target and not isinstance(node, ast.Tuple)
