"""Reading and printing what the ops' formats share: operands, dictionaries with maps, types."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    UnitAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.lexer import Span

from xetile.advice import hint
from xetile.dialects.xetile.field_lists import (
    integers_of,
    next_character,
    parse_operand_name,
    parse_result_type,
    refuse,
    span_since,
)
from xetile.dialects.xetile.message import MessageAttr
from xetile.dialects.xetile.tile_type import TileType
from xetile.dialects.xetile.xetile_attributes import CacheHintAttr, WorkgroupMapAttr

MAP_SPELLINGS = ("wg_map", "map")
"""How the map of an op's result is called where the op is not ours; the first is printed."""

RESULT_MAPS = ("wg_map_result", "wg_map_source")
"""The maps of an op with one vector operand, as they are printed."""

_BARE_TILE = re.compile(r"(?:xetile\.)?tile\s*<")
_HINT = (CacheHintAttr, "a #xetile.cache_hint")
_MAP = (WorkgroupMapAttr, "a #xetile.wg_map")
_BLOCKS = ((ArrayAttr, DenseArrayBase), "a list such as [16, 16]")
PROPERTIES: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "padding": ((FloatAttr, IntegerAttr), "a number"),
    "l1_hint": _HINT,
    "l2_hint": _HINT,
    "l3_hint": _HINT,
    "locality": (IntegerAttr, "an integer from 0 to 3"),
    "inner_blocks": _BLOCKS,
    "message": (MessageAttr, "a #xetile.message"),
    "reduction_size": (IntegerAttr, "an integer"),
    "reassoc": (UnitAttr, "a word without a value"),
    "fastmath": (FastMathFlagsAttr, "#arith.fastmath<...>"),
    "wg_map_a": _MAP,
    "wg_map_b": _MAP,
    "wg_map_c": _MAP,
    "wg_map_result": _MAP,
    "wg_map_source": _MAP,
}
"""The entries of the dictionaries of the dialect's ops: the class of each attribute, and its description."""

NOT_READ: Mapping[str, str] = {
    "array_length": "'array_length' is not read; use one wider tile and let blocking choose how it is loaded",
    "map1": "'map1' and 'map2' are not read, since texts differ on their order; write wg_map_source and wg_map_result",
}
"""Entries of Intel's last version, and how to write what they say."""


class Dictionary:
    """The parsed dictionary of an op: named entries, and maps without names."""

    def __init__(self) -> None:
        self.named: dict[str, Attribute] = {}
        self.spans: dict[str, Span] = {}
        self.maps: list[WorkgroupMapAttr] = []
        self.span: Span | None = None

    def name(self, parser: Parser, name: str, attribute: Attribute, span: Span) -> None:
        """Add a named entry."""
        if name in self.named:
            parser.raise_error(f"'{name}' is given twice", span)
        self.named[name] = attribute
        self.spans[name] = span

    def rename(self, parser: Parser, old: str, new: str) -> None:
        """Give an entry, where there is one, its printed name."""
        if old in self.named:
            self.name(parser, new, self.named.pop(old), self.spans.pop(old))


class Format(NamedTuple):
    """The legal entries of the dictionary of an op.

    `properties` are the entries that are properties, in the order in which they are printed;
    `result_map` is the property that `wg_map`, `map` and a single map without a name mean.
    """

    name: str
    properties: tuple[str, ...]
    result_map: str | None = None


class Entries(NamedTuple):
    """A dictionary, split into properties and discardable attributes."""

    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]


def parse_dictionary(parser: Parser, format: Format) -> Entries:
    """Read an optional dictionary: `{padding = 1.0 : f32, l1_hint = ...}`, `{#map}`, `{#a #b #c}`."""
    dictionary = Dictionary()
    start = parser.pos
    if parser.parse_optional_punctuation("{") is not None:
        _parse_entries(parser, dictionary)
        dictionary.span = span_since(parser, start)
    _name_maps(parser, dictionary, format)
    properties = _take_properties(parser, dictionary, format)
    return Entries(properties, dictionary.named)


def _parse_entries(parser: Parser, dictionary: Dictionary) -> None:
    while next_character(parser) != "}":
        if next_character(parser) == "#":
            _parse_bare_map(parser, dictionary)
        else:
            _parse_named(parser, dictionary)
        if parser.parse_optional_punctuation(",") is None and next_character(parser) != "#":
            break
    parser.parse_punctuation("}", " or `,` in the attributes")


def _parse_bare_map(parser: Parser, dictionary: Dictionary) -> None:
    start = parser.pos
    attribute = parser.parse_attribute()
    if not isinstance(attribute, WorkgroupMapAttr):
        refuse(
            parser,
            f"an attribute without a name is a #xetile.wg_map, found {attribute}",
            start,
        )
    dictionary.maps.append(attribute)


def _parse_named(parser: Parser, dictionary: Dictionary) -> None:
    start = parser.pos
    name = parser.parse_optional_identifier_or_str_literal()
    if name is None:
        parser.raise_error("the name of an attribute or a #xetile.wg_map expected")
    if parser.parse_optional_punctuation("=") is None:
        dictionary.name(parser, name, UnitAttr(), span_since(parser, start))
        return
    dictionary.name(parser, name, parser.parse_attribute(), span_since(parser, start))


def _name_maps(parser: Parser, dictionary: Dictionary, format: Format) -> None:
    """Give maps under other names, or without one, the names of properties."""
    if format.result_map is not None:
        for spelling in MAP_SPELLINGS:
            dictionary.rename(parser, spelling, format.result_map)
    elif isinstance(dictionary.named.get("map"), WorkgroupMapAttr):
        dictionary.rename(parser, "map", "wg_map")
    if not dictionary.maps:
        return
    assert dictionary.span is not None
    maps = [name for name in format.properties if name.startswith("wg_map")]
    names = {1: (format.result_map,), len(maps): maps}.get(len(dictionary.maps))
    if format.result_map is None or names is None or maps == list(RESULT_MAPS) == names:
        parser.raise_error(_how_to_name(len(dictionary.maps), format, maps), dictionary.span)
    for name, map in zip(names, dictionary.maps, strict=True):
        assert name is not None
        dictionary.name(parser, name, map, dictionary.span)


def _how_to_name(count: int, format: Format, maps: Sequence[str]) -> str:
    if format.result_map is None:
        return f"{format.name} has no map of its own; the tile's type says it"
    found = f"{count} maps without names"
    if len(maps) == 2:
        return f"{found} are ambiguous; name them: {{{maps[0]} = #.., {maps[1]} = #..}}"
    return f"{found}; write one, the result's, all of A, B, C, or name them {', '.join(maps)}"


def _take_properties(
    parser: Parser, dictionary: Dictionary, format: Format
) -> dict[str, Attribute]:
    for name in dictionary.named:
        if name in NOT_READ:
            parser.raise_error(NOT_READ[name], dictionary.spans[name])
        if name in PROPERTIES and name not in format.properties:
            parser.raise_error(foreign_property(name, format), dictionary.spans[name])
        if unread(name, format):
            parser.raise_error(unknown_name(name, format), dictionary.spans[name])
    properties: dict[str, Attribute] = {}
    for name in format.properties:
        if name not in dictionary.named:
            continue
        attribute = dictionary.named.pop(name)
        kind, words = PROPERTIES[name]
        if not isinstance(attribute, kind):
            parser.raise_error(
                f"'{name}' is {words}, found {attribute}", dictionary.spans[name]
            )
        properties[name] = _canonical(parser, name, attribute, dictionary.spans[name])
    return properties


def _canonical(parser: Parser, name: str, attribute: Attribute, span: Span) -> Attribute:
    """A property in its one printed form."""
    if name == "locality":
        return IntegerAttr(cast("IntegerAttr", attribute).value.data, i64)
    if name != "inner_blocks":
        return attribute
    values = integers_of(attribute)
    if values is None:
        parser.raise_error(f"'{name}' is {PROPERTIES[name][1]}, found {attribute}", span)
    return DenseArrayBase.from_list(i64, values)


def foreign_property(name: str, format: Format) -> str:
    """That an op does not take a property of its relatives."""
    legal = ", ".join(format.properties) or "no properties"
    return f"{format.name} takes no '{name}'; it takes {legal}"


def unread(name: str, format: Format) -> bool:
    """Return True if nothing reads an entry: it is no property, not the tile's map, and has no dialect's prefix."""
    return "." not in name and name not in _legal_names(format)


def unknown_name(name: str, format: Format, *others: str) -> str:
    """That an op has no such attribute, with the one that is meant; `others` are legal outside of the dictionary."""
    legal = _legal_names(format)
    advice = hint(name, (*legal, *others)) or ";"
    names = ", ".join(legal)
    return f"{format.name} takes no '{name}'{advice} it takes {names}, and names with a dialect's prefix"


def _legal_names(format: Format) -> tuple[str, ...]:
    return format.properties if format.result_map else (*format.properties, MAP_SPELLINGS[0])


def parse_operand_names(parser: Parser, *what: str) -> list[UnresolvedOperand]:
    """Read operands separated by commas, one for each entry of `what`."""
    names = [parse_operand_name(parser, what[0])]
    for expected in what[1:]:
        parser.parse_punctuation(",", f" before {expected}")
        names.append(parse_operand_name(parser, expected))
    return names


def parse_tile_type(parser: Parser) -> TileType:
    """Read a tile type."""
    start = parser.pos
    if _BARE_TILE.match(parser.lexer.input.content, start):
        parser.raise_error("there is no type 'tile'; write !xetile.tile<...>")
    type = parser.parse_type()
    if not isinstance(type, TileType):
        refuse(parser, f"a !xetile.tile expected, found {type}", start)
    return type


def parse_vector_type(parser: Parser) -> VectorType[Attribute]:
    """Read a vector type."""
    start = parser.pos
    return _as_vector(parser, parser.parse_type(), start)


def parse_vector_result(parser: Parser) -> VectorType[Attribute]:
    """Read `-> vector<...>`."""
    start = parser.pos
    return _as_vector(parser, parse_result_type(parser), start)


def _as_vector(parser: Parser, type: Attribute, start: int) -> VectorType[Attribute]:
    if not isinstance(type, VectorType):
        refuse(parser, f"a vector expected, found {type}", start)
    return cast("VectorType[Attribute]", type)


def print_values(printer: Printer, *values: SSAValue | None) -> None:
    """Print the operands that are there, after a space."""
    printer.print_string(" ")
    printer.print_list([v for v in values if v is not None], printer.print_ssa_value)


def print_dictionary(printer: Printer, op: IRDLOperation, format: Format) -> None:
    """Print properties in their order, then the discardable attributes."""
    names = (name for name in format.properties if name in op.properties)
    printer.print_op_attributes(
        {**{name: op.properties[name] for name in names}, **op.attributes}
    )


def print_types(
    printer: Printer, operands: Sequence[SSAValue], results: Sequence[SSAValue] = ()
) -> None:
    """Print ` : type, type -> type`."""
    printer.print_string(" : ")
    printer.print_list([value.type for value in operands], printer.print_attribute)
    if results:
        printer.print_string(" -> ")
        printer.print_list([value.type for value in results], printer.print_attribute)
