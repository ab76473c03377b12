"""Helpers for reading the dialect's text: fields, lists, dictionaries, arrows, with errors at the token at fault."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import NoReturn

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.utils.lexer import Span

from xetile.advice import hint
from xetile.hints import isa

ARROWS = ("->", "into", "to")
"""The tokens accepted before a result type; the first one is printed."""

_MAP_AFTER_OPERAND = re.compile(r"%[\w$.-]+\s*#(?!\d)")
_RESULTS_OF_A_TUPLE = re.compile(r"%([\w$.-]+):(\d+)")


def next_character(parser: AttrParser) -> str:
    """The first character of the next token, empty at the end of the text."""
    return parser.lexer.input.at(parser.pos) or ""


def span_since(parser: AttrParser, start: int) -> Span:
    """The text read since position `start`, without the white space before the next token."""
    text = parser.lexer.input.content[start : parser.pos]
    return Span(start, start + max(len(text.rstrip()), 1), parser.lexer.input)


def parse_fields(
    parser: AttrParser, what: str, legal: Sequence[str], read: Callable[[str], None]
) -> set[str]:
    """Read `<key = value, ...>` in any order; `read(key)` reads the value. Returns the keys.

    Errors: a key that is not in `legal`, or that occurs twice.
    """
    found: set[str] = set()

    def field() -> None:
        start = parser.pos
        key = parser.parse_identifier(context_msg=f" in {what}")
        if key not in legal:
            parser.raise_error(
                f"unknown key '{key}' in {what}{hint(key, legal) or ';'} legal are {', '.join(legal)}",
                span_since(parser, start),
            )
        if key in found:
            parser.raise_error(
                f"key '{key}' occurs twice in {what}", span_since(parser, start)
            )
        found.add(key)
        parser.parse_punctuation("=", f" after '{key}' in {what}")
        read(key)

    parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field, f" in {what}")
    return found


def parse_integers(parser: AttrParser, what: str) -> tuple[int, ...]:
    """Read `[1, 0]`, or `array<i64: 1, 0>` with any integer type."""
    start = parser.pos
    if next_character(parser) == "[":
        return tuple(
            parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE,
                lambda: parser.parse_integer(allow_boolean=False, context_msg=f" in {what}"),
                f" in {what}",
            )
        )
    if not parser.lexer.input.content.startswith("array", start):
        parser.raise_error(f"'{what}' is a list of integers in brackets")
    attribute = parser.parse_attribute()
    values = integers_of(attribute)
    if values is None:
        refuse(parser, f"'{what}' is a list of integers, found {attribute}", start)
    return values


def integers_of(attribute: Attribute) -> tuple[int, ...] | None:
    """The values of a dense integer array or of an array of integers; None for other attributes."""
    if isa(attribute, DenseArrayBase[IntegerType]):
        return attribute.get_values()
    if isa(attribute, ArrayAttr[IntegerAttr]):
        return tuple(element.value.data for element in attribute)
    return None


def integer_array(values: Sequence[int]) -> DenseArrayBase[IntegerType]:
    """The property that holds dimensions or extents."""
    return DenseArrayBase.from_list(i64, list(values))


def fits_in_i64(value: int) -> bool:
    """Return True if a literal is an i64 other than -2**63, which means a dynamic entry."""
    return -(2**63) < value < 2**63


def parse_operand_name(parser: Parser, what: str) -> UnresolvedOperand:
    """Read `%name`; a bare map or a tuple of results after it is answered with how to write it."""
    text = parser.lexer.input.content
    if _MAP_AFTER_OPERAND.match(text, parser.pos):
        parser.parse_characters(text[parser.pos : _name_end(text, parser.pos)])
        parser.raise_error(
            "maps stand in braces: write {#map}; tile_mma takes {#map_a #map_b #map_c} too"
        )
    if found := _RESULTS_OF_A_TUPLE.match(text, parser.pos):
        parser.raise_error(
            f"{found.group()} stands for several values; write each one, as in %{found[1]}#0, %{found[1]}#1"
        )
    return parser.parse_unresolved_operand(f"{what} expected: an SSA value such as %value")


def _name_end(text: str, start: int) -> int:
    end = start + 1
    while end < len(text) and (text[end].isalnum() or text[end] in "_$.-"):
        end += 1
    return end


def parse_index_list(parser: Parser, what: str) -> list[int | UnresolvedOperand]:
    """Read `[%a, 16, ...]`: values of type index and literals."""

    def entry() -> int | UnresolvedOperand:
        if next_character(parser) == "%":
            return parse_operand_name(parser, what)
        start = parser.pos
        value = parser.parse_integer(allow_boolean=False, context_msg=f" or value in {what}")
        if not fits_in_i64(value):
            parser.raise_error(f"{value} in '{what}' is no i64", span_since(parser, start))
        return value

    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, entry, f" in {what}")


def parse_type_separator(parser: Parser, legal: Collection[str], context: str) -> str:
    """Read one of the separators `legal` between two types; spellings that are not read say so."""
    for spelling in legal:
        if parser.parse_optional_characters(spelling) is not None:
            return spelling
    if next_character(parser) == "=":
        parser.raise_error("'=>' is not read; write `->`")
    parser.raise_error(f"{' or '.join(f'`{s}`' for s in legal)} expected {context}")


def parse_result_type(parser: Parser) -> Attribute:
    """Read `-> type`, `into type` or `to type`."""
    parse_type_separator(parser, ARROWS, "before the result type")
    return parser.parse_type()


def parse_colon(parser: Parser) -> None:
    """Read the colon before the types; types in parentheses are not read."""
    parser.parse_punctuation(":", " before the types")
    if next_character(parser) == "(":
        parser.raise_error(
            "types in parentheses are not read; write them separated by commas: type, type -> type"
        )


def refuse(parser: AttrParser, message: str, start: int) -> NoReturn:
    """Raise a parse error for the text since position `start`."""
    parser.raise_error(message, span_since(parser, start))
