"""Ops on tiles: move one, load, store and prefetch through it."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    IntegerAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.traits import (
    EffectInstance,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
)
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.cache_hints import HINTS, LOAD_HINTS, STORE_HINTS, verify_hints
from xetile.dialects.traits import PrefetchesTile, ReadsTile, WritesTile
from xetile.dialects.xetile.attributes import CacheHintAttr
from xetile.dialects.xetile.message import MessageAttr, verify_message
from xetile.dialects.xetile.op import XeTileOp
from xetile.dialects.xetile.parsing import (
    ARROWS,
    parse_colon,
    parse_operand_name,
    parse_type_separator,
    refuse,
)
from xetile.dialects.xetile.reading import (
    Format,
    parse_dictionary,
    parse_operand_names,
    parse_tile_type,
    parse_vector_result,
)
from xetile.dialects.xetile.support import (
    Hint,
    Padding,
    as_element,
    hint_properties,
    padding_attribute,
    tile_of,
    verify_dictionary,
    verify_form,
    verify_padding,
    verify_tile_map,
    verify_value,
)
from xetile.dialects.xetile.types import TileType


class TileAccess(XeTileOp):
    """What loads, stores and prefetches share: a hint for each cache level."""

    l1_hint = opt_prop_def(CacheHintAttr)
    l2_hint = opt_prop_def(CacheHintAttr)
    l3_hint = opt_prop_def(CacheHintAttr)

    def __post_init__(self) -> None:
        """An integer padding of floats is the float of that value, so that ops that mean the same are the same."""
        super().__post_init__()
        padding = self.properties.get("padding")
        if padding is None or not self.operands:  # a copy is made before its operands
            return
        if isinstance(tile := self.operands[0].type, TileType):
            self.properties["padding"] = as_element(padding, tile.element_type)

    def hints(self) -> list[CacheHintAttr | None]:
        """The hints of the three cache levels."""
        return [self.l1_hint, self.l2_hint, self.l3_hint]


def mask_type(tile: TileType) -> VectorType:
    """The mask of an access through a scattered tile."""
    return VectorType(i1, tile.value_shape)


def verify_access(
    op: TileAccess, *, other: str, mask: SSAValue | None = None, **values: SSAValue
) -> None:
    """Check a load or store; `values` are tile and vector by name, `other` takes the other kind of tile."""
    (place, accessed), (moved, vector) = values.items()
    tile, loads = tile_of(accessed), moved == "result"
    verify_dictionary(op, op.FORMAT)
    verify_form(place, tile, scattered=mask is not None, other=other)
    verify_value(moved, vector, tile)
    if mask is not None and mask.type != mask_type(tile):
        raise VerifyException(f"'mask' is {mask.type}, {tile} needs {mask_type(tile)}")
    verify_padding(op.properties.get("padding"), tile.element_type)
    verify_hints(op, LOAD_HINTS if loads else STORE_HINTS)
    verify_message(op, tile)
    verify_tile_map(op, tile)


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
        return cls.made(parser, [(source, tile)], [result], entries)

    def verify_(self) -> None:
        verify_access(self, source=self.source, result=self.result, other="xetile.load_gather")


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
        return cls.made(parser, [(value, value_type), (tile, tile_type)], (), entries)

    def verify_(self) -> None:
        verify_access(self, tile=self.tile, value=self.value, other="xetile.store_scatter")


class _CacheEffect(MemoryEffect):
    """A prefetch fills a cache: it must stay where it is, but no load sees it and none is held up by it."""

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
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
        super().__init__(
            operands=[tile], properties={**hint_properties(hints), "locality": number}
        )

    @classmethod
    def parse(cls, parser: Parser) -> "PrefetchTileOp":
        """Read the op, with the RFC's `locality<n>`."""
        tile = parse_operand_name(parser, "the tile")
        entries = parse_dictionary(parser, cls.FORMAT)
        start = parser.pos
        if parser.parse_optional_keyword("locality") is not None:
            with parser.in_angle_brackets():
                number = parser.parse_integer(
                    allow_boolean=False, context_msg=" in locality<>"
                )
            if "locality" in entries.properties:
                refuse(parser, "'locality' is given twice", start)
            entries.properties["locality"] = IntegerAttr(number, i64)
        parse_colon(parser)
        return cls.made(parser, [(tile, parse_tile_type(parser))], (), entries)

    def verify_(self) -> None:
        tile = tile_of(self.tile)
        verify_dictionary(self, self.FORMAT)
        verify_hints(self, LOAD_HINTS)
        verify_message(self, tile)
        verify_tile_map(self, tile)
        if self.locality is not None and not 0 <= self.locality.value.data <= 3:
            raise VerifyException(
                f"'locality' is {self.locality.value.data}, expected 0 (none) to 3 (keep in cache)"
            )
