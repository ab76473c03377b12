"""Locations in the user's Python file, and diagnostics there.

The location is that of the innermost line outside of the language, at the start of the expression that the
instruction evaluates. It is the same on all versions of Python. They differ for three kinds of instruction, for which
older versions have the location of the enclosing expression:

| an instruction that | older | newer | here |
|---|---|---|---|
| makes text of a part of an f-string | 3.11: the string | the part | the string |
| tests a truth value | 3.11: the node that has the condition | the condition or a part of it | the condition |
| begins a loop | 3.12: the statement or comprehension | the iterable | the iterable |

A comprehension that has several conditions, or several iterables, begins at its own start. A condition with another
one inside, `a if (b if c else d) else e`, is located at `(b` on 3.11 and at `c` later.

A diagnostic is final: if a `try` statement of the kernel catches it, tracing still fails.
"""

import ast
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from inspect import currentframe
from opcode import opmap
from types import CodeType, FrameType
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from xetile.errors import XetileError, one_line

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc


Place = tuple[int, int]
"""Line, counted from 1, and column, counted from 0 in bytes of UTF-8."""

_FORMATS = frozenset({"FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE"})
_TRUTHS = frozenset(
    {"TO_BOOL", "UNARY_NOT"}
    | {name for name in opmap if "JUMP" in name and ("IF_TRUE" in name or "IF_FALSE" in name)}
)
_COMPARES_FOR_TRUTH = 16
"""The bit of a comparison's argument for a truth value, on versions of Python that have TO_BOOL."""

_NAMES = {number: name for name, number in opmap.items()}


class _Span(NamedTuple):
    first: Place
    last: Place

    def has(self, place: Place) -> bool:
        return self.first <= place < self.last


class _Around(NamedTuple):
    """A statement or expression, with those of its parts whose location an instruction may have."""

    whole: _Span
    parts: Sequence[_Span]

    @property
    def start(self) -> Place:
        return self.parts[0].first if len(self.parts) == 1 else self.whole.first


class _Syntax(NamedTuple):
    """The parts of a file whose locations differ between versions."""

    strings: Sequence[_Span]
    conditions: Sequence[_Around]
    iterations: Sequence[_Around]


def start_of(code: CodeType, number: int) -> tuple[int | None, int | None]:
    """Return line and column of an instruction, None if Python records none."""
    line, last_line, column, last_column = _positions(code)[number]
    if line is None or last_line is None or column is None or last_column is None:
        return line, column
    name = _NAMES.get(code.co_code[2 * number], "")
    argument = code.co_code[2 * number + 1]
    found = _Span((line, column), (last_line, last_column))
    if name in _FORMATS:
        strings = (span for span in _syntax(code).strings if span.has(found.first))
        return max(strings, default=found).first
    if name in _TRUTHS or (name == "COMPARE_OP" and _asks(argument)):
        return _start_of(found, _syntax(code).conditions, is_around=sys.version_info < (3, 12))
    if name == "GET_ITER":
        return _start_of(found, _syntax(code).iterations, is_around=sys.version_info < (3, 13))
    return found.first


@cache
def _positions(
    code: CodeType,
) -> Sequence[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions())


def _asks(argument: int) -> bool:
    return "TO_BOOL" in opmap and bool(argument & _COMPARES_FOR_TRUTH)


def _start_of(found: _Span, known: Sequence[_Around], *, is_around: bool) -> Place:
    """Return the start of the part at a location of Python's, which may be (`is_around`) that of the enclosing node."""
    if is_around and (same := [around for around in known if around.whole == found]):
        return same[0].start
    inside = [
        (part, around) for around in known for part in around.parts if part.has(found.first)
    ]
    return max(inside)[1].start if inside else found.first


def _syntax(code: CodeType) -> _Syntax:
    from linecache import getlines

    return _syntax_of("".join(getlines(code.co_filename)))


@lru_cache(maxsize=4)
def _syntax_of(text: str) -> _Syntax:
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError:
        nodes = []
    found = [node for node in nodes if isinstance(node, ast.expr | ast.stmt)]
    return _Syntax(
        [_span(node) for node in found if isinstance(node, ast.JoinedStr)],
        [_around(node, parts) for node in found if (parts := _conditions(node))],
        [_around(node, parts) for node in found if (parts := _iterations(node))],
    )


def _conditions(node: ast.AST) -> Sequence[ast.expr]:
    match node:
        case ast.If() | ast.While() | ast.IfExp() | ast.Assert():
            return [node.test]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return [test for generator in node.generators for test in generator.ifs]
        case _:
            return ()


def _iterations(node: ast.AST) -> Sequence[ast.expr]:
    match node:
        case ast.For():
            return [node.iter]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return [generator.iter for generator in node.generators]
        case _:
            return ()


def _around(node: ast.expr | ast.stmt, parts: Sequence[ast.expr]) -> _Around:
    return _Around(_span(node), [_span(part) for part in parts])


def _span(node: ast.expr | ast.stmt) -> _Span:
    last = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return _Span((node.lineno, node.col_offset), last)


_OURS = "xetile.language"


def here() -> "FileLineColLoc | None":
    """Return the location of the expression that is being evaluated, or None if no user's file is on the stack."""
    frame = user_frame()
    return None if frame is None else place_of(frame)


class Span(NamedTuple):
    """The extent of an expression in the code of a function: its first and its last line and column."""

    code: CodeType
    first: tuple[int, int]
    last: tuple[int, int]

    def has(self, part: "Span") -> bool:
        """Return True if it contains `part`."""
        return part.code is self.code and self.first <= part.first and part.last <= self.last


def span() -> Span | None:
    """Return the user's expression that is being evaluated, or None if no user's file is on the stack."""
    frame = user_frame()
    return None if frame is None else _spans(frame.f_code)[frame.f_lasti // 2]


@cache
def _spans(code: CodeType) -> list[Span]:
    """Return the expression of each instruction; only its lines if Python records no columns."""
    return [
        Span(code, (first or 0, start or 0), (last or first or 0, end or 0))
        for first, last, start, end in code.co_positions()
    ]


def user_frame() -> FrameType | None:
    """Return the innermost frame outside of this package."""
    frame = currentframe()
    while frame is not None:
        if not is_ours(frame):
            return frame
        frame = frame.f_back
    return None


def is_ours(frame: FrameType) -> bool:
    """Return True if a frame executes code of this package."""
    module = frame.f_globals.get("__name__", "")
    return module == _OURS or module.startswith(f"{_OURS}.")


def place_of(frame: FrameType) -> "FileLineColLoc":
    """Return the location that a frame executes; line and column count from 1."""
    return place_at(frame.f_code, frame.f_lasti)


def place_at(code: CodeType, offset: int) -> "FileLineColLoc":
    """Return the location of the instruction at an offset (bytes) in code."""
    line, column = _start(code, offset // 2)
    return location(code.co_filename, line, column)


@cache
def _start(code: CodeType, number: int) -> tuple[int, int]:
    line, column = start_of(code, number)
    return line or code.co_firstlineno, _characters(code.co_filename, line, column) + 1


def _characters(name: str, line: int | None, column: int | None) -> int:
    """Return the number of characters before a column that counts bytes of UTF-8, as Python's do."""
    if not column or line is None:
        return 0
    from linecache import getline

    text = getline(name, line)
    return column if text.isascii() else len(text.encode()[:column].decode(errors="ignore"))


@cache
def location(filename: str, line: int, column: int) -> "FileLineColLoc":
    """Return a location; line and column count from 1."""
    from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

    return FileLineColLoc(StringAttr(filename), IntAttr(line), IntAttr(column))


_said: ContextVar[list[XetileError] | None] = ContextVar("refusals", default=None)


def refuse(message: str, at: "FileLineColLoc | None" = None) -> NoReturn:
    """Raise XetileError at `at`, by default the user's line that is being evaluated."""
    error = XetileError(one_line(message), at or here())  # some values print as several lines
    if (said := _said.get()) is not None:
        said.append(error)
    raise error


@contextmanager
def refusals_are_final() -> Generator[None]:
    """Raise the first diagnostic at the end of the context, even if the code inside caught it."""
    said: list[XetileError] = []
    token = _said.set(said)
    try:
        yield
        if said:
            raise said[0]
    finally:
        _said.reset(token)
