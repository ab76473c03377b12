"""Loads and stores through scattered tiles, with a mask."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from xetile.dialects.cache_hints import HINTS
from xetile.dialects.traits import ReadsTile, WritesTile
from xetile.dialects.xetile.memory import TileAccess, mask_type, verify_access
from xetile.dialects.xetile.parsing import (
    ARROWS,
    next_character,
    parse_colon,
    parse_type_separator,
)
from xetile.dialects.xetile.reading import (
    Format,
    parse_dictionary,
    parse_operand_names,
    parse_tile_type,
    parse_vector_result,
    parse_vector_type,
)
from xetile.dialects.xetile.support import (
    Hint,
    Padding,
    hint_properties,
    padding_attribute,
    tile_of,
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
        if (
            parser.parse_optional_punctuation(",") is not None
            and next_character(parser) != "{"
        ):
            parser.raise_error("the attributes in braces or `:` expected after the mask")
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        tile = parse_tile_type(parser)
        masked = mask_type(tile)
        if parser.parse_optional_punctuation(",") is not None:
            masked = parse_vector_type(parser)
        result = parse_vector_result(parser)
        return cls.made(parser, [(source, tile), (mask, masked)], [result], entries)

    def verify_(self) -> None:
        verify_access(
            self,
            source=self.source,
            result=self.result,
            mask=self.mask,
            other="xetile.load_tile",
        )


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
        masked = mask_type(tile_type)
        if separator == ",":
            parser.parse_punctuation(",", " before the mask's type")
            masked = parse_vector_type(parser)
        else:
            tile, mask = mask, tile
        operands = [(value, value_type), (tile, tile_type), (mask, masked)]
        return cls.made(parser, operands, (), entries)

    def verify_(self) -> None:
        verify_access(
            self, tile=self.tile, value=self.value, mask=self.mask, other="xetile.store_tile"
        )
