"""Where in the user's Python file something is written: the innermost line that is not the language's own."""

import ast
from collections.abc import Iterator
from functools import cache, lru_cache
from inspect import currentframe
from opcode import opmap
from types import CodeType, FrameType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc

_OURS = "xetile.language"

_FORMATTING = frozenset({"FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE"})
"""Instructions that make text of a part of an f-string, in all versions of Python."""


def here() -> "FileLineColLoc | None":
    """The position of the expression that is being evaluated, None where no file of a user's is on the stack."""
    frame = user_frame()
    return None if frame is None else place_of(frame)


class Span(NamedTuple):
    """Where an expression stands in the code of a function: its first and its last line and column."""

    code: CodeType
    first: tuple[int, int]
    last: tuple[int, int]

    def has(self, part: "Span") -> bool:
        """Whether a part stands in it."""
        return part.code is self.code and self.first <= part.first and part.last <= self.last


def span() -> Span | None:
    """The expression of the user's that is being evaluated, None where no file of a user's is on the stack."""
    frame = user_frame()
    return None if frame is None else _spans(frame.f_code)[frame.f_lasti // 2]


@cache
def _spans(code: CodeType) -> list[Span]:
    """The expression of each instruction; where Python keeps no columns, its lines."""
    return [
        Span(code, (first or 0, start or 0), (last or first or 0, end or 0))
        for first, last, start, end in code.co_positions()
    ]


def user_frame() -> FrameType | None:
    """The innermost frame outside of this package."""
    frame = currentframe()
    while frame is not None:
        if not is_ours(frame):
            return frame
        frame = frame.f_back
    return None


def is_ours(frame: FrameType) -> bool:
    """Whether a frame executes code of this package."""
    module = frame.f_globals.get("__name__", "")
    return module == _OURS or module.startswith(f"{_OURS}.")


def place_of(frame: FrameType) -> "FileLineColLoc":
    """The position of what a frame executes: line and column count from 1."""
    return place_at(frame.f_code, frame.f_lasti)


def place_at(code: CodeType, offset: int) -> "FileLineColLoc":
    """The position of the instruction at an offset (bytes) in code."""
    line, column = _columns(code)[offset // 2]
    return location(code.co_filename, line, column)


@cache
def _columns(code: CodeType) -> list[tuple[int, int]]:
    name = code.co_filename
    return [
        (line or code.co_firstlineno, _characters(name, line, column) + 1)
        for line, column in _starts(code)
    ]


def _starts(code: CodeType) -> Iterator[tuple[int | None, int | None]]:
    """Where the expression of each instruction begins.

    Python 3.11 has the string for what formats a part of one, later ones have the part: here it is always the string.
    """
    formatting = {number for name, number in opmap.items() if name in _FORMATTING}
    for operation, (line, _, column, _) in zip(
        code.co_code[::2], code.co_positions(), strict=True
    ):
        if operation in formatting and line is not None and column is not None:
            yield _string_around(code.co_filename, (line, column))
        else:
            yield line, column


def _string_around(name: str, part: tuple[int, int]) -> tuple[int, int]:
    """Where the innermost f-string around a place begins; the place itself where the file cannot be read."""
    from linecache import getlines

    found = _format_strings("".join(getlines(name)))
    strings = ((first, last) for first, last in found if first <= part < last)
    return max(strings, default=(part, part))[0]


@lru_cache(maxsize=4)
def _format_strings(text: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """The f-strings of a file's text, each from its first place up to behind its last."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    return [
        ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        and node.end_lineno is not None
        and node.end_col_offset is not None
    ]


def _characters(name: str, line: int | None, column: int | None) -> int:
    """The characters before a column that counts bytes of UTF-8, as Python has it."""
    if not column or line is None:
        return 0
    from linecache import getline

    text = getline(name, line)
    return column if text.isascii() else len(text.encode()[:column].decode(errors="ignore"))


@cache
def location(filename: str, line: int, column: int) -> "FileLineColLoc":
    """A position; line and column count from 1."""
    from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

    return FileLineColLoc(StringAttr(filename), IntAttr(line), IntAttr(column))
