"""Where in the user's Python file something is written: the innermost line that is not the language's own."""

from functools import cache
from inspect import currentframe
from types import CodeType, FrameType
from typing import TYPE_CHECKING, NamedTuple

from xetile.language.starts import start_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc

_OURS = "xetile.language"


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
    line, column = _start(code, offset // 2)
    return location(code.co_filename, line, column)


@cache
def _start(code: CodeType, number: int) -> tuple[int, int]:
    line, column = start_of(code, number)
    return line or code.co_firstlineno, _characters(code.co_filename, line, column) + 1


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
