"""Where the expression of an instruction begins, the same on all versions of Python.

They differ in three places, the older ones having that of what is around:

| an instruction that | older | newer | here |
|---|---|---|---|
| makes text of a part of an f-string | 3.11: the string | the part | the string |
| asks for a truth value | 3.11: what has the condition | the condition or a part of it | the condition |
| begins a loop | 3.12: the statement or comprehension | what it goes through | what it goes through |

A comprehension that has several conditions, or goes through several things, begins where it does itself. A condition
that has another one inside, `a if (b if c else d) else e`, is told at `(b` on 3.11 and at `c` later.
"""

import ast
import sys
from collections.abc import Sequence
from functools import cache, lru_cache
from opcode import opmap
from types import CodeType
from typing import NamedTuple

Place = tuple[int, int]
"""Line, counted from 1, and column, counted from 0 in bytes of UTF-8."""

_FORMATS = frozenset({"FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE"})
_TRUTHS = frozenset(
    {"TO_BOOL", "UNARY_NOT"}
    | {name for name in opmap if "JUMP" in name and ("IF_TRUE" in name or "IF_FALSE" in name)}
)
_COMPARES_FOR_TRUTH = 16
"""The bit of a comparison's argument that asks for its truth, where Python has TO_BOOL."""

_NAMES = {number: name for name, number in opmap.items()}


class _Span(NamedTuple):
    first: Place
    last: Place

    def has(self, place: Place) -> bool:
        return self.first <= place < self.last


class _Around(NamedTuple):
    """A statement or expression, and those of its parts of which an instruction may have the place."""

    whole: _Span
    parts: Sequence[_Span]

    @property
    def start(self) -> Place:
        return self.parts[0].first if len(self.parts) == 1 else self.whole.first


class _Syntax(NamedTuple):
    """What of a file has places that differ."""

    strings: Sequence[_Span]
    conditions: Sequence[_Around]
    iterations: Sequence[_Around]


def start_of(code: CodeType, number: int) -> tuple[int | None, int | None]:
    """Line and column of an instruction, which are None where Python keeps none."""
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
        return _start(found, _syntax(code).conditions, is_around=sys.version_info < (3, 12))
    if name == "GET_ITER":
        return _start(found, _syntax(code).iterations, is_around=sys.version_info < (3, 13))
    return found.first


@cache
def _positions(
    code: CodeType,
) -> Sequence[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions())


def _asks(argument: int) -> bool:
    return "TO_BOOL" in opmap and bool(argument & _COMPARES_FOR_TRUTH)


def _start(found: _Span, known: Sequence[_Around], *, is_around: bool) -> Place:
    """Where it begins at a place of Python's, which may be (`is_around`) that of what is around."""
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
