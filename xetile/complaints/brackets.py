"""Which brackets of a text are open at a place, and which braces seem to be closed by that of another."""

import re
from typing import NamedTuple

CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
"""By the sign that opens, the one that closes."""

_BRACKETS = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|->|[<>=]=|[()\[\]{}<>]')


class Brackets(NamedTuple):
    """Which brackets are open at a place, innermost last, and braces that are closed at another indentation."""

    open: list[tuple[str, int]]
    odd: list[tuple[int, int]]


def brackets(text: str, end: int) -> Brackets:
    """The brackets of a text before an offset."""
    found = Brackets([], [])
    for match in _BRACKETS.finditer(text, 0, end):
        sign = match[0]
        if sign in CLOSING:
            found.open.append((sign, match.start()))
        elif any(CLOSING[opened] == sign for opened, _ in found.open):
            _close(found, text, sign, match.start())
    return found


def _close(found: Brackets, text: str, sign: str, place: int) -> None:
    while found.open:
        opened, start = found.open.pop()
        if CLOSING[opened] != sign:
            continue
        line = _line_of(text, place)
        own = sign == "}" and line.lstrip().startswith("}")
        if own and "\n" in text[start:place] and indent(line) not in _indents(text, start):
            found.odd.append((start, place))
        return


def _indents(text: str, place: int) -> set[int]:
    """The indents of a line and of those above that it continues: each less indented, and opening no body."""
    found = {indent(_line_of(text, place))}
    start = text.rfind("\n", 0, place)
    while start >= 0:
        above = _line_of(text, start - 1) if start else ""
        code = above.split("//")[0].rstrip()
        if not code or code.endswith(("{", "}")) or indent(above) >= min(found):
            break
        found.add(indent(above))
        start = text.rfind("\n", 0, start)
    return found


def _line_of(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    return text[start : len(text) if end < 0 else end]


def indent(line: str) -> int:
    """How many blanks a line begins with."""
    return len(line) - len(line.lstrip())
