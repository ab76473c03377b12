"""Ops on tiles: move one, load, store and prefetch through it."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    IntegerAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    EffectInstance,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
)
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.traits import PrefetchesTile, ReadsTile, WritesTile
from xetile.dialects.xetile.attributes import CacheHintAttr
from xetile.dialects.xetile.message import MessageAttr, verify_message
from xetile.dialects.xetile.parsing import (
    ARROWS,
    parse_colon,
    parse_operand_name,
    parse_type_separator,
    refuse,
)
from xetile.dialects.xetile.reading import (
    HINTS,
    Format,
    parse_dictionary,
    parse_operand_names,
    parse_tile_type,
    parse_vector_result,
    print_dictionary,
    print_types,
    print_values,
    typed_padding,
)
from xetile.dialects.xetile.support import (
    LOAD_HINTS,
    STORE_HINTS,
    Hint,
    Padding,
    hint_properties,
    padding_attribute,
    tile_of,
    verify_dictionary,
    verify_form,
    verify_hints,
    verify_one_writer,
    verify_padding,
    verify_tile_map,
    verify_value,
)
from xetile.dialects.xetile.types import TileType


class TileAccess(IRDLOperation):
    """What loads, stores and prefetches share: a hint for each cache level."""

    l1_hint = opt_prop_def(CacheHintAttr)
    l2_hint = opt_prop_def(CacheHintAttr)
    l3_hint = opt_prop_def(CacheHintAttr)

    def hints(self) -> list[CacheHintAttr | None]:
        """The hints of the three cache levels."""
        return [self.l1_hint, self.l2_hint, self.l3_hint]


@irdl_op_definition
class LoadTileOp(TileAccess):
    """`%v = xetile.load_tile %t {padding = 1.0 : f32} : !xetile.tile<64x32xf16> -> vector<64x32xf16>`."""

    name = "xetile.load_tile"
    FORMAT: ClassVar[Format] = Format("load_tile", ("padding", *HINTS, "message"))

    source = operand_def(TileType)
    padding = opt_prop_def()
    message = opt_prop_def(MessageAttr)
    result = result_def(VectorType)

    traits = traits_def(MemoryReadEffect(), ReadsTile())

    def __init__(
        self,
        source: SSAValue,
        *,
        padding: Padding = None,
        hints: Sequence[Hint] = (),
        result_type: VectorType[Attribute] | None = None,
    ) -> None:
        tile = tile_of(source)
        super().__init__(
            operands=[source],
            result_types=[result_type or tile.vector_type],
            properties={
                "padding": padding_attribute(padding, tile.element_type),
                **hint_properties(hints),
            },
        )

    @classmethod
    def parse(cls, parser: Parser) -> "LoadTileOp":
        """Read the op."""
        source = parse_operand_name(parser, "the tile")
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        tile = parse_tile_type(parser)
        result = parse_vector_result(parser)
        start = parser.pos
        if parser.parse_optional_punctuation(",") is not None:
            refuse(
                parser,
                "load_tile has one result; use one wider tile and let blocking choose how it is loaded",
                start,
            )
        return cls.create(
            operands=[parser.resolve_operand(source, tile)],
            result_types=[result],
            properties=typed_padding(entries, tile.element_type),
            attributes=entries.attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        print_values(printer, self.source)
        print_dictionary(printer, self, self.FORMAT)
        print_types(printer, [self.source], [self.result])

    def verify_(self) -> None:
        """Check vector, padding and hints."""
        tile = tile_of(self.source)
        verify_dictionary(self, self.FORMAT)
        verify_form("source", tile, scattered=False, other="xetile.load_gather")
        verify_value("result", self.result, tile)
        verify_padding(self.padding, tile.element_type)
        verify_hints(self, LOAD_HINTS)
        verify_message(self, tile)
        verify_tile_map(self, tile)


@irdl_op_definition
class StoreTileOp(TileAccess):
    """`xetile.store_tile %v, %t : vector<64x32xf32>, !xetile.tile<64x32xf32>`."""

    name = "xetile.store_tile"
    FORMAT: ClassVar[Format] = Format("store_tile", (*HINTS, "message"))

    value = operand_def(VectorType)
    tile = operand_def(TileType)
    message = opt_prop_def(MessageAttr)

    traits = traits_def(MemoryWriteEffect(), WritesTile())

    def __init__(self, value: SSAValue, tile: SSAValue, *, hints: Sequence[Hint] = ()) -> None:
        super().__init__(operands=[value, tile], properties=hint_properties(hints))

    @classmethod
    def parse(cls, parser: Parser) -> "StoreTileOp":
        """Read the op."""
        value, tile = parse_operand_names(parser, "the value", "the tile")
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        start = parser.pos
        value_type = parser.parse_type()
        if isinstance(value_type, TileType):
            refuse(
                parser,
                "the value comes first: write store_tile %value, %tile : vector<..>, !xetile.tile<..>",
                start,
            )
        parse_type_separator(parser, (",", *ARROWS), "before the tile's type")
        tile_type = parse_tile_type(parser)
        return cls.create(
            operands=[
                parser.resolve_operand(value, value_type),
                parser.resolve_operand(tile, tile_type),
            ],
            properties=entries.properties,
            attributes=entries.attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        print_values(printer, *self.operands)
        print_dictionary(printer, self, self.FORMAT)
        print_types(printer, self.operands)

    def verify_(self) -> None:
        """Check vector, map and hints."""
        tile = tile_of(self.tile)
        verify_dictionary(self, self.FORMAT)
        verify_form("tile", tile, scattered=False, other="xetile.store_scatter")
        verify_value("value", self.value, tile)
        verify_hints(self, STORE_HINTS)
        verify_message(self, tile)
        verify_tile_map(self, tile)
        verify_one_writer(tile)


class _CacheEffect(MemoryEffect):
    """A prefetch fills a cache: it must stay where it is, but no load sees it and none is held up by it."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        """The cache lines that it allocates."""
        return {EffectInstance(MemoryEffectKind.ALLOC)}


@irdl_op_definition
class PrefetchTileOp(TileAccess):
    """`xetile.prefetch_tile %t {l1_hint = ...} : !xetile.tile<16x32xbf16>`."""

    name = "xetile.prefetch_tile"
    FORMAT: ClassVar[Format] = Format("prefetch_tile", (*HINTS, "locality", "message"))

    tile = operand_def(TileType)
    locality = opt_prop_def(IntegerAttr)
    message = opt_prop_def(MessageAttr)

    traits = traits_def(_CacheEffect(), PrefetchesTile())

    def __init__(
        self, tile: SSAValue, *, hints: Sequence[Hint] = (), locality: int | None = None
    ) -> None:
        number = None if locality is None else IntegerAttr(locality, i64)
        super().__init__(operands=[tile], properties={**hint_properties(hints), "locality": number})

    @classmethod
    def parse(cls, parser: Parser) -> "PrefetchTileOp":
        """Read the op, with the RFC's `locality<n>`."""
        tile = parse_operand_name(parser, "the tile")
        entries = parse_dictionary(parser, cls.FORMAT)
        start = parser.pos
        if parser.parse_optional_keyword("locality") is not None:
            with parser.in_angle_brackets():
                number = parser.parse_integer(allow_boolean=False, context_msg=" in locality<>")
            if "locality" in entries.properties:
                refuse(parser, "'locality' is given twice", start)
            entries.properties["locality"] = IntegerAttr(number, i64)
        parse_colon(parser)
        return cls.create(
            operands=[parser.resolve_operand(tile, parse_tile_type(parser))],
            properties=entries.properties,
            attributes=entries.attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        print_values(printer, self.tile)
        print_dictionary(printer, self, self.FORMAT)
        print_types(printer, [self.tile])

    def verify_(self) -> None:
        """Check hints and locality."""
        tile = tile_of(self.tile)
        verify_dictionary(self, self.FORMAT)
        verify_hints(self, LOAD_HINTS)
        verify_message(self, tile)
        verify_tile_map(self, tile)
        if self.locality is not None and not 0 <= self.locality.value.data <= 3:
            raise VerifyException(
                f"'locality' is {self.locality.value.data}, expected 0 (none) to 3 (keep in cache)"
            )
