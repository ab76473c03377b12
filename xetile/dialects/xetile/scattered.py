"""Loads and stores through scattered tiles, with a mask."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import VectorType, i1
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.traits import ReadsTile, WritesTile
from xetile.dialects.xetile.memory import TileAccess
from xetile.dialects.xetile.parsing import (
    ARROWS,
    next_character,
    parse_colon,
    parse_type_separator,
)
from xetile.dialects.xetile.reading import (
    HINTS,
    Format,
    parse_dictionary,
    parse_operand_names,
    parse_tile_type,
    parse_vector_result,
    parse_vector_type,
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


@irdl_op_definition
class LoadGatherOp(TileAccess):
    """`%g = xetile.load_gather %t, %mask {padding = ..} : !xetile.tile<..>, vector<4x32xi1> -> vector<4x32xf16>`."""

    name = "xetile.load_gather"
    FORMAT: ClassVar[Format] = Format("load_gather", ("padding", *HINTS))

    source = operand_def(TileType)
    mask = operand_def(VectorType)
    padding = opt_prop_def()
    result = result_def(VectorType)

    traits = traits_def(MemoryReadEffect(), ReadsTile())

    def __init__(
        self,
        source: SSAValue,
        mask: SSAValue,
        *,
        padding: Padding = None,
        hints: Sequence[Hint] = (),
    ) -> None:
        tile = tile_of(source)
        super().__init__(
            operands=[source, mask],
            result_types=[tile.vector_type],
            properties={
                "padding": padding_attribute(padding, tile.element_type),
                **hint_properties(hints),
            },
        )

    @classmethod
    def parse(cls, parser: Parser) -> "LoadGatherOp":
        """Read the op; without the mask's type it is the tile's shape of i1."""
        source, mask = parse_operand_names(parser, "the tile", "the mask")
        if parser.parse_optional_punctuation(",") is not None and next_character(parser) != "{":
            parser.raise_error("the attributes in braces or `:` expected after the mask")
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        tile = parse_tile_type(parser)
        mask_type = _mask_type(tile)
        if parser.parse_optional_punctuation(",") is not None:
            mask_type = parse_vector_type(parser)
        result = parse_vector_result(parser)
        return cls.create(
            operands=[
                parser.resolve_operand(source, tile),
                parser.resolve_operand(mask, mask_type),
            ],
            result_types=[result],
            properties=typed_padding(entries, tile.element_type),
            attributes=entries.attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        print_values(printer, *self.operands)
        print_dictionary(printer, self, self.FORMAT)
        print_types(printer, self.operands, [self.result])

    def verify_(self) -> None:
        """Check vector, mask, padding and hints."""
        tile = tile_of(self.source)
        verify_dictionary(self, self.FORMAT)
        verify_form("source", tile, scattered=True, other="xetile.load_tile")
        verify_value("result", self.result, tile)
        _verify_mask(self.mask, tile)
        verify_padding(self.padding, tile.element_type)
        verify_hints(self, LOAD_HINTS)
        verify_tile_map(self, tile)


@irdl_op_definition
class StoreScatterOp(TileAccess):
    """`xetile.store_scatter %v, %t, %mask : vector<4x32xf16>, !xetile.tile<..>, vector<4x32xi1>`."""

    name = "xetile.store_scatter"
    FORMAT: ClassVar[Format] = Format("store_scatter", HINTS)

    value = operand_def(VectorType)
    tile = operand_def(TileType)
    mask = operand_def(VectorType)

    traits = traits_def(MemoryWriteEffect(), WritesTile())

    def __init__(
        self, value: SSAValue, tile: SSAValue, mask: SSAValue, *, hints: Sequence[Hint] = ()
    ) -> None:
        super().__init__(operands=[value, tile, mask], properties=hint_properties(hints))

    @classmethod
    def parse(cls, parser: Parser) -> "StoreScatterOp":
        """Read the op, and the RFC's `%value, %mask, %tile : vector into tile`."""
        value, tile, mask = parse_operand_names(parser, "the value", "the tile", "the mask")
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        value_type = parse_vector_type(parser)
        separator = parse_type_separator(parser, (",", *ARROWS), "before the tile's type")
        tile_type = parse_tile_type(parser)
        mask_type = _mask_type(tile_type)
        if separator == ",":
            parser.parse_punctuation(",", " before the mask's type")
            mask_type = parse_vector_type(parser)
        else:
            tile, mask = mask, tile
        return cls.create(
            operands=[
                parser.resolve_operand(value, value_type),
                parser.resolve_operand(tile, tile_type),
                parser.resolve_operand(mask, mask_type),
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
        """Check vector, mask, map and hints."""
        tile = tile_of(self.tile)
        verify_dictionary(self, self.FORMAT)
        verify_form("tile", tile, scattered=True, other="xetile.store_tile")
        verify_value("value", self.value, tile)
        _verify_mask(self.mask, tile)
        verify_hints(self, STORE_HINTS)
        verify_tile_map(self, tile)
        verify_one_writer(tile)


def _mask_type(tile: TileType) -> VectorType:
    return VectorType(i1, tile.value_shape)


def _verify_mask(mask: SSAValue, tile: TileType) -> None:
    if mask.type != _mask_type(tile):
        raise VerifyException(f"'mask' is {mask.type}, {tile} needs {_mask_type(tile)}")
