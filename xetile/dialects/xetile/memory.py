"""Ops on tiles: move one, load, store and prefetch through it."""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    VectorType,
    i64,
)
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    EffectInstance,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Span

from xetile.dialects.formats import Mixed, join_mixed, print_mixed, resolve_mixed, split_mixed
from xetile.dialects.traits import MovesTile, PrefetchesTile, ReadsTile, WritesTile
from xetile.dialects.xetile.attributes import CacheHintAttr
from xetile.dialects.xetile.init_tile import drop_empty_lists, verify_list
from xetile.dialects.xetile.message import MessageAttr, verify_message
from xetile.dialects.xetile.parsing import (
    ARROWS,
    next_character,
    parse_colon,
    parse_index_list,
    parse_operand_name,
    parse_type_separator,
    refuse,
    span_since,
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


@irdl_op_definition
class UpdateTileOffsetOp(IRDLOperation, HasFolderInterface):
    """`%u = xetile.update_tile_offset %t, [%dx, %dy] : !xetile.tile<32x32xf32>`: the tile, moved."""

    name = "xetile.update_tile_offset"
    FORMAT: ClassVar[Format] = Format("update_tile_offset", ())

    tile = operand_def(TileType)
    offsets = var_operand_def(IndexType)
    indices = opt_operand_def(VectorType)
    const_offsets = opt_prop_def(DenseArrayBase[I64])
    result = result_def(TileType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), MovesTile())

    def __init__(
        self, tile: SSAValue, offsets: Sequence[Mixed] = (), *, indices: SSAValue | None = None
    ) -> None:
        values, literals = split_mixed(offsets)
        super().__init__(
            operands=[tile, values, [] if indices is None else [indices]],
            result_types=[tile.type],
            properties={"const_offsets": literals},
        )

    def __post_init__(self) -> None:
        """An empty list is the absent one."""
        super().__post_init__()
        drop_empty_lists(self, ["const_offsets"])

    @property
    def mixed_offsets(self) -> list[Mixed]:
        """By how much the tile moves: rows, columns (elements)."""
        return join_mixed(self.offsets, self.const_offsets)

    @classmethod
    def parse(cls, parser: Parser) -> "UpdateTileOffsetOp":
        """Read bracketed, unbracketed and scattered steps."""
        tile = parse_operand_name(parser, "the tile")
        parser.parse_punctuation(",", " before the offsets")
        start = parser.pos
        steps, bracketed = _parse_steps(parser)
        span = span_since(parser, start)
        entries = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        tile_type = parse_tile_type(parser)
        step_types: list[Attribute] = []
        while parser.parse_optional_punctuation(",") is not None:
            step_types.append(parser.parse_type())
        _parse_moved_type(parser, tile_type)
        source = parser.resolve_operand(tile, tile_type)
        offsets, indices = _resolve_steps(
            parser, steps, bracketed=bracketed, types=step_types, span=span
        )
        op = cls(source, offsets, indices=indices)
        op.attributes |= entries.attributes
        return op

    def print(self, printer: Printer) -> None:
        """Print the op."""
        print_values(printer, self.tile, self.indices)
        if self.indices is None:
            printer.print_string(", ")
            print_mixed(printer, self.mixed_offsets)
        print_dictionary(printer, self, self.FORMAT)
        print_types(printer, [self.tile] if self.indices is None else [self.tile, self.indices])

    def verify_(self) -> None:
        """Check the number of offsets and the types."""
        tile = tile_of(self.tile)
        verify_dictionary(self, self.FORMAT)
        verify_list(self, "offsets")
        if self.result.type != tile:
            raise VerifyException(
                f"'result' is {self.result.type}, expected the tile's type {tile}"
            )
        if self.indices is None:
            verify_form("tile", tile, scattered=False, other="update_tile_offset %tile, %steps")
            if len(self.mixed_offsets) != 2:
                raise VerifyException(
                    f"'offsets' has {len(self.mixed_offsets)} entries, expected 2: rows and columns"
                )
            return
        verify_form(
            "tile", tile, scattered=True, other="update_tile_offset %tile, [%rows, %columns]"
        )
        expected = VectorType(IndexType(), tile.shape)
        if self.mixed_offsets or self.indices.type != expected:
            raise VerifyException(f"'indices' is {self.indices.type}, {tile} needs {expected}")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A move by zero is no move."""
        steps = [self.indices] if self.indices is not None else self.mixed_offsets
        return (self.tile,) if all(map(_is_zero, steps)) and not self.attributes else None


_Steps = Sequence[int | UnresolvedOperand]


def _parse_steps(parser: Parser) -> tuple[_Steps, bool]:
    """Read `[%dx, %dy]`, `%dx, %dy` or `%steps`; whether there were brackets."""
    if next_character(parser) == "[":
        return parse_index_list(parser, "offsets"), True
    names = [parse_operand_name(parser, "an offset or the steps")]
    while parser.parse_optional_punctuation(",") is not None:
        names.append(parse_operand_name(parser, "an offset"))
    return names, False


def _parse_moved_type(parser: Parser, tile: TileType) -> None:
    """Read `-> type`, where it is written; it is the tile's."""
    if not any(parser.parse_optional_characters(arrow) for arrow in ARROWS):
        return
    start = parser.pos
    result = parser.parse_type()
    if result != tile:
        refuse(parser, f"the tile keeps its type {tile}, found {result}", start)


def _resolve_steps(
    parser: Parser, steps: _Steps, *, bracketed: bool, types: Sequence[Attribute], span: Span
) -> tuple[list[Mixed], SSAValue | None]:
    """The offsets, or the vector of steps, whose types may be written."""
    if not bracketed and len(steps) == 1:
        if len(types) != 1 or not isinstance(types[0], VectorType):
            parser.raise_error(
                "a single step is a vector: write %tile, %steps : tile, vector", span
            )
        vector = cast("VectorType[Attribute]", types[0])
        return [], parser.resolve_operand(cast(UnresolvedOperand, steps[0]), vector)
    if types and types != [IndexType()] * len(steps):
        found = ", ".join(map(str, types))
        parser.raise_error(f"{len(steps)} offsets are as many of type index, found {found}", span)
    return resolve_mixed(parser, steps), None


def _is_zero(step: Mixed) -> bool:
    if isinstance(step, int):
        return step == 0
    constant = step.owner
    if not isinstance(constant, Operation) or constant.name != "arith.constant":
        return False
    value = constant.properties.get("value")
    if isinstance(value, DenseIntOrFPElementsAttr):
        return value.is_splat() and value.get_values()[0] == 0
    return isinstance(value, IntegerAttr) and cast("IntegerAttr", value).value.data == 0
