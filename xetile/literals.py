"""Numbers as MLIR text writes them: bit patterns, what a type rounds to infinity, lists of plain ones."""

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import AnyFloat
from xdsl.parser import AttrParser
from xdsl.utils.lexer import Span

SAFE = 65504
"""Numbers up to this one fit every type: it is the largest of f16."""

_NUMBER = r"-?+(?:[1-9][0-9]{0,200}+|0(?![0-9x]))(?:\.[0-9]*+(?:[eE][-+]?[0-9]{1,9}+)?+)?+"
_NUMBERS = re.compile(rf"\s*+(?:{_NUMBER}\s*+,\s*+)*+{_NUMBER}\s*+\]", re.ASCII)
_EACH = re.compile(_NUMBER, re.ASCII)


class HexadecimalInteger(int):
    """An integer that the source writes in hexadecimal: bits, where a float is expected."""


def is_index(value: int) -> bool:
    """Whether an index can have that value: it has 64 bits, the first one its sign."""
    return -(1 << 63) <= value < 1 << 63


def float_of_bits(parser: AttrParser, bits: int, float_type: AnyFloat, at: Span) -> float:
    """The float with the bit pattern `bits`; an error at `at` if that is too wide or negative."""
    if bits < 0:
        parser.raise_error("hexadecimal float literal with a leading minus sign", at)
    if bits >> float_type.bitwidth:
        parser.raise_error(f"hexadecimal float literal has more bits than {float_type}", at)
    raw = bits.to_bytes(float_type.compile_time_size, "little")
    return next(iter(float_type.iter_unpack(raw)))


def end_of_numbers(text: str, start: int) -> int | None:
    """Where the list ends whose first element begins at `start`, if all are plain decimal numbers; else None."""
    found = _NUMBERS.match(text, start)
    return None if found is None else found.end()


def numbers(text: str, start: int, end: int) -> Iterator[tuple[int | float, int, int]]:
    """The numbers there, each with where it begins and ends."""
    for found in _EACH.finditer(text, start, end):
        word = found[0]
        yield (float(word) if "." in word else int(word)), *found.span()
