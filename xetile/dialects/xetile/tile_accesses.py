"""Accesses through tiles: loads, stores, prefetches and atomic changes, also with a mask through scattered tiles."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I64,
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
    prop_def,
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
from xdsl.utils.lexer import Span

from xetile.advice import hint
from xetile.dialects.atomic_kinds import ATOMIC_KINDS
from xetile.dialects.cache_hints import HINTS, LOAD_HINTS, STORE_HINTS, verify_hints
from xetile.dialects.traits import PrefetchesTile, ReadsTile, UpdatesTile, WritesTile
from xetile.dialects.xetile.field_lists import (
    ARROWS,
    next_character,
    parse_colon,
    parse_operand_name,
    parse_type_separator,
    refuse,
    span_since,
)
from xetile.dialects.xetile.message import MessageAttr, verify_message
from xetile.dialects.xetile.op import XeTileOp
from xetile.dialects.xetile.shared_formats import (
    Format,
    parse_dictionary,
    parse_operand_names,
    parse_tile_type,
    parse_vector_result,
    parse_vector_type,
)
from xetile.dialects.xetile.tile_support import (
    Hint,
    Padding,
    as_element,
    hint_properties,
    padding_attribute,
    tile_of,
    verify_dictionary,
    verify_form,
    verify_one_writer,
    verify_padding,
    verify_tile_map,
    verify_value,
)
from xetile.dialects.xetile.tile_type import FLOAT_TYPES, TileType
from xetile.dialects.xetile.xetile_attributes import CacheHintAttr


class TileAccess(XeTileOp):
    """The base of loads, stores and prefetches, with a hint for each cache level."""

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


_FLOAT_KINDS = ("addf", "mulf", "maximumf", "maxnumf", "minimumf", "minnumf", "assign")
_INTEGER_KINDS = tuple(kind for kind in ATOMIC_KINDS if not kind.endswith("f"))
_SHORT_KINDS = ("add", "mul", "and", "or", "xor")
"""Kinds that the element type completes."""


@irdl_op_definition
class AtomicRMWTileOp(XeTileOp):
    """`%r = xetile.atomic_rmw_tile <addf> %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32> -> vector<8x16xf32>`.

    The result is what was in memory before. A scattered tile is updated at its indices.
    """

    name = "xetile.atomic_rmw_tile"
    FORMAT: ClassVar[Format] = Format("atomic_rmw_tile", ())

    value = operand_def(VectorType)
    tile = operand_def(TileType)
    kind = prop_def(IntegerAttr[I64])
    result = result_def(VectorType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), UpdatesTile())

    def __init__(self, kind: str, value: SSAValue, tile: SSAValue) -> None:
        super().__init__(
            operands=[value, tile],
            result_types=[value.type],
            properties={"kind": IntegerAttr(ATOMIC_KINDS.index(kind), i64)},
        )

    @property
    def kind_name(self) -> str:
        """The kind in arith's words."""
        return ATOMIC_KINDS[self.kind.value.data]

    @classmethod
    def parse(cls, parser: Parser) -> "AtomicRMWTileOp":
        """Read the op, with the kind in brackets, bare or quoted."""
        word, span = _parse_kind(parser)
        value, tile = parse_operand_names(parser, "the value", "the tile")
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        value_type = parse_vector_type(parser)
        parse_type_separator(parser, (",",), "before the tile's type")
        tile_type = parse_tile_type(parser)
        result = parse_vector_result(parser)
        kind = _complete(parser, word, tile_type.element_type, span)
        number = IntegerAttr(ATOMIC_KINDS.index(kind), i64)
        operands = [(value, value_type), (tile, tile_type)]
        return cls.made(parser, operands, [result], entries, kind=number)

    def around_operands(self) -> tuple[str, str]:
        return f" <{self.kind_name}>", ""

    def verify_(self) -> None:
        tile = tile_of(self.tile)
        verify_dictionary(self, self.FORMAT)
        if not 0 <= self.kind.value.data < len(ATOMIC_KINDS):
            raise VerifyException(
                f"'kind' is {self.kind.value.data}, expected 0 to {len(ATOMIC_KINDS) - 1}"
            )
        verify_value("value", self.value, tile)
        verify_value("result", self.result, tile)
        legal = _FLOAT_KINDS if isinstance(tile.element_type, FLOAT_TYPES) else _INTEGER_KINDS
        if self.kind_name not in legal:
            raise VerifyException(
                f"'kind' is {self.kind_name}, elements of {tile.element_type} take {', '.join(legal)}"
            )
        verify_tile_map(self, tile)
        if self.result.first_use is not None:
            verify_one_writer(tile)


def _parse_kind(parser: Parser) -> tuple[str, Span]:
    """Read `<addf>`, `addf` or `"addf"`."""
    bracketed = next_character(parser) == "<"
    if bracketed:
        parser.parse_punctuation("<")
    start = parser.pos
    word = parser.parse_identifier_or_str_literal(" as the kind of the atomic op")
    span = span_since(parser, start)
    if bracketed:
        parser.parse_punctuation(">")
    if word not in ATOMIC_KINDS and word not in _SHORT_KINDS:
        said = f"'{word}' is no kind of atomic op; legal are {', '.join(ATOMIC_KINDS)}"
        parser.raise_error(said + hint(word, ATOMIC_KINDS), span)
    return word, span


def _complete(parser: Parser, word: str, element_type: Attribute, span: Span) -> str:
    """The kind that a word means for an element type: `add` is addf or addi."""
    if word in ATOMIC_KINDS:
        return word
    kind = word + ("f" if isinstance(element_type, FLOAT_TYPES) else "i")
    if kind not in ATOMIC_KINDS:
        legal = ", ".join(_FLOAT_KINDS)
        parser.raise_error(
            f"'{word}' is no kind for elements of {element_type}; legal are {legal}", span
        )
    return kind
