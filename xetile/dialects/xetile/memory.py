"""Ops on tiles: make one, move it, load, store and prefetch through it."""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
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
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.memref_layout import strides_and_offset
from xetile.dialects.mixed import (
    Mixed,
    join_mixed,
    print_mixed,
    resolve_mixed,
    split_mixed,
    verify_count,
)
from xetile.dialects.xetile.attributes import COLUMN_MAJOR, CacheHintAttr, memory_space_of
from xetile.dialects.xetile.parsing import (
    next_character,
    parse_colon,
    parse_index_list,
    parse_operand_name,
    parse_result_type,
    refuse,
)
from xetile.dialects.xetile.support import (
    HINTS,
    LOAD_HINTS,
    STORE_HINTS,
    in_words,
    vector_of,
    verify_hints,
    verify_padding,
)
from xetile.dialects.xetile.types import TileType

_ADDRESSES = ("i64", "ui64", "i32", "ui32")


@irdl_op_definition
class InitTileOp(IRDLOperation):
    """A tile of a matrix: where it begins in a memref or behind an address.

    `%t = xetile.init_tile %src[%m, 16] : memref<1024x1024xf16> -> !xetile.tile<32x64xf16>`; dynamic memrefs and
    addresses add sizes and strides, `%src[%m, %n], [%h, %w], [%s0, %s1]`; N-d memrefs take N offsets, batch first;
    scattered tiles take a vector of indices, `%src, %indices : memref<..>, vector<..xindex> -> ...`.
    """

    name = "xetile.init_tile"

    source = operand_def()
    offsets = var_operand_def(IndexType)
    sizes = var_operand_def(IndexType)
    strides = var_operand_def(IndexType)
    indices = opt_operand_def(VectorType)
    const_offsets = opt_prop_def(DenseArrayBase[I64])
    const_sizes = opt_prop_def(DenseArrayBase[I64])
    const_strides = opt_prop_def(DenseArrayBase[I64])
    tile = result_def(TileType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self,
        source: SSAValue,
        offsets: Sequence[Mixed],
        sizes: Sequence[Mixed],
        strides: Sequence[Mixed],
        tile: TileType,
        *,
        indices: SSAValue | None = None,
    ) -> None:
        operands: list[list[SSAValue]] = []
        properties: dict[str, Attribute] = {}
        entries = {"const_offsets": offsets, "const_sizes": sizes, "const_strides": strides}
        for name, mixed in entries.items():
            values, literals = split_mixed(mixed)
            operands.append(values)
            if mixed:
                properties[name] = literals
        super().__init__(
            operands=[source, *operands, [] if indices is None else [indices]],
            result_types=[tile],
            properties=properties,
        )

    @property
    def mixed_offsets(self) -> list[Mixed]:
        """Offsets in elements, batch dimensions first."""
        return join_mixed(self.offsets, self.const_offsets)

    @property
    def mixed_sizes(self) -> list[Mixed]:
        """Extents of the matrix in elements; none for static memrefs."""
        return join_mixed(self.sizes, self.const_sizes)

    @property
    def mixed_strides(self) -> list[Mixed]:
        """Strides of the matrix in elements; none for static memrefs."""
        return join_mixed(self.strides, self.const_strides)

    @classmethod
    def parse(cls, parser: Parser) -> "InitTileOp":
        """Read all forms."""
        source = parse_operand_name(parser, "the source")
        lists: list[list[Mixed]] = [[], [], []]
        indices = None
        if next_character(parser) == "[":
            lists[0] = resolve_mixed(parser, parse_index_list(parser, "offsets"))
            for position in (1, 2):
                if parser.parse_optional_punctuation(",") is not None:
                    what = ("sizes", "strides")[position - 1]
                    lists[position] = resolve_mixed(parser, parse_index_list(parser, what))
        else:
            parser.parse_punctuation(",", " or offsets in brackets after the source")
            indices = parse_operand_name(parser, "the indices")
        attributes = parser.parse_optional_attr_dict()
        parse_colon(parser)
        source_type = parser.parse_type()
        index_vector = None
        if indices is not None:
            parser.parse_punctuation(",", " before the type of the indices")
            index_vector = parser.resolve_operand(indices, parser.parse_type())
        start = parser.pos
        tile = parse_result_type(parser)
        if not isinstance(tile, TileType):
            refuse(parser, f"the result is a !xetile.tile, found {tile}", start)
        offsets, sizes, strides = lists
        operand = parser.resolve_operand(source, source_type)
        op = cls(operand, offsets, sizes, strides, tile, indices=index_vector)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        """Print the form that the operands make."""
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        if self.indices is not None:
            printer.print_string(", ")
            printer.print_ssa_value(self.indices)
        else:
            print_mixed(printer, self.mixed_offsets)
            if self.mixed_sizes or self.mixed_strides:
                for entries in (self.mixed_sizes, self.mixed_strides):
                    printer.print_string(", ")
                    print_mixed(printer, entries)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        if self.indices is not None:
            printer.print_string(", ")
            printer.print_attribute(self.indices.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.tile.type)

    def verify_(self) -> None:
        """Check the source against the tile, and the numbers of offsets, sizes and strides."""
        tile = self.tile.type
        verify_count("offsets", self.offsets, self.const_offsets)
        verify_count("sizes", self.sizes, self.const_sizes)
        verify_count("strides", self.strides, self.const_strides)
        if isinstance(self.source.type, MemRefType):
            self._verify_memref(tile, cast(MemRefType[Attribute], self.source.type))
        elif str(self.source.type) not in _ADDRESSES:
            raise VerifyException(
                f"'source' is {self.source.type}, expected a memref or an address ({', '.join(_ADDRESSES)})"
            )
        if self.indices is not None:
            self._verify_scattered(tile)
            return
        if tile.scattered:
            raise VerifyException("a scattered tile needs a vector of indices, not offsets")
        self._verify_ranks(tile)

    def _verify_scattered(self, tile: TileType) -> None:
        assert self.indices is not None
        if not tile.scattered:
            raise VerifyException("indices need a scattered tile (scattered = true)")
        vector = vector_of(self.indices)
        if not isinstance(vector.element_type, IndexType) or vector.get_shape() != tile.shape:
            raise VerifyException(
                f"'indices' is {vector}, expected vector<{in_words(tile.shape)}xindex>, the tile's shape"
            )

    def _verify_ranks(self, tile: TileType) -> None:
        offsets, sizes, strides = self.mixed_offsets, self.mixed_sizes, self.mixed_strides
        source = self.source.type
        static = isinstance(source, MemRefType) and DYNAMIC_INDEX not in source.get_shape()
        if static and (sizes or strides):
            raise VerifyException(
                f"'sizes' and 'strides' are given for {source}, whose type says them; write the offsets only"
            )
        if isinstance(source, MemRefType) and len(offsets) != len(source.get_shape()):
            raise VerifyException(
                f"'offsets' has {len(offsets)} entries, {source} has rank {len(source.get_shape())}"
            )
        if len(offsets) < 2:
            raise VerifyException(f"'offsets' has {len(offsets)} entries, expected at least 2")
        if not static and (len(sizes) != len(offsets) or len(strides) != len(offsets)):
            raise VerifyException(
                f"'sizes' and 'strides' have {len(sizes)} and {len(strides)} entries; {source} needs "
                f"{len(offsets)} of both, as many as offsets"
            )
        innermost = strides[-2 if tile.order == COLUMN_MAJOR else -1] if strides else 1
        if isinstance(innermost, int) and innermost != 1:
            raise VerifyException(
                f"'strides' gives {innermost} along the fastest dimension of order {list(tile.order)}, expected 1"
            )

    def _verify_memref(self, tile: TileType, source: MemRefType[Attribute]) -> None:
        if source.element_type != tile.element_type:
            raise VerifyException(
                f"'source' has elements of {source.element_type}, the tile of {tile.element_type}; expected the same"
            )
        space = memory_space_of(source.memory_space)
        if space != tile.memory_space:
            raise VerifyException(
                f"'source' is in memory space {source.memory_space}, the tile in {tile.memory_space}; "
                "expected the same (tile_attr<memory_space = 3> for shared memory)"
            )
        if self.indices is not None:
            if len(source.get_shape()) > 1:
                raise VerifyException(
                    f"'source' is {source}; scattered tiles need a memref of rank 0 or 1"
                )
            return
        if DYNAMIC_INDEX not in source.get_shape():
            self._verify_order(tile, source)

    def _verify_order(self, tile: TileType, source: MemRefType[Attribute]) -> None:
        layout = strides_and_offset(source)
        if layout is None:
            raise VerifyException(f"'source' is {source}, expected a strided layout")
        strides = layout[0]
        fastest = -2 if tile.order == COLUMN_MAJOR else -1
        slowest = -1 if fastest == -2 else -2
        shape = source.get_shape()
        if len(shape) < 2:
            raise VerifyException(f"'source' is {source}, expected rank 2 or more")
        wrong = strides[fastest] not in (1, None)
        ambiguous = strides[fastest] == 1 and strides[slowest] == 1 and shape[fastest] != 1
        if wrong or (ambiguous and shape[slowest] != 1):
            other = "[0, 1] is column-major" if fastest == -1 else "[1, 0] is row-major"
            raise VerifyException(
                f"'source' has strides {list(strides)}, order {list(tile.order)} needs stride 1 along "
                f"dimension {len(shape) + fastest}; {other}"
            )


class _TileAccess(IRDLOperation):
    """What loads, stores and prefetches share."""

    l1_hint = opt_prop_def(CacheHintAttr)
    l2_hint = opt_prop_def(CacheHintAttr)
    l3_hint = opt_prop_def(CacheHintAttr)

    def hints(self) -> list[CacheHintAttr | None]:
        """The hints of the three cache levels."""
        return [self.l1_hint, self.l2_hint, self.l3_hint]


def _take(attributes: dict[str, Attribute], names: Sequence[str]) -> dict[str, Attribute]:
    """Move the named entries of an attribute dictionary out of it: they are properties."""
    return {name: attributes.pop(name) for name in names if name in attributes}


def _print_dictionary(printer: Printer, op: IRDLOperation, names: Sequence[str]) -> None:
    properties = {name: op.properties[name] for name in names if name in op.properties}
    printer.print_op_attributes({**properties, **op.attributes})


def _verify_value(tile: TileType, value: SSAValue, name: str) -> None:
    vector = vector_of(value)
    expected = tile.vector_type
    if vector == expected:
        return
    note = " (inner_blocks make it 4D)" if tile.inner_blocks is not None else ""
    raise VerifyException(f"'{name}' is {vector}, {tile} needs {expected}{note}")


def _tile_of(value: SSAValue) -> TileType:
    return cast(TileType, value.type)


@irdl_op_definition
class LoadTileOp(_TileAccess):
    """`%v = xetile.load_tile %t {padding = 1.0 : f32} : !xetile.tile<64x32xf16> -> vector<64x32xf16>`."""

    name = "xetile.load_tile"

    source = operand_def(TileType)
    padding = opt_prop_def()
    result = result_def(VectorType)

    traits = traits_def(MemoryReadEffect())

    DICTIONARY: ClassVar[tuple[str, ...]] = ("padding", *HINTS)

    def __init__(
        self,
        source: SSAValue,
        *,
        padding: Attribute | None = None,
        hints: Sequence[CacheHintAttr | None] = (),
        result_type: VectorType[Attribute] | None = None,
    ) -> None:
        properties: dict[str, Attribute | None] = {"padding": padding}
        properties |= dict(zip(HINTS, hints, strict=False))
        super().__init__(
            operands=[source],
            result_types=[result_type or _tile_of(source).vector_type],
            properties=properties,
        )

    @classmethod
    def parse(cls, parser: Parser) -> "LoadTileOp":
        """Read the op."""
        source = parse_operand_name(parser, "the tile")
        attributes = dict(parser.parse_optional_attr_dict())
        parse_colon(parser)
        tile = parser.parse_type()
        start = parser.pos
        result = parse_result_type(parser)
        if parser.parse_optional_punctuation(",") is not None:
            refuse(
                parser,
                "load_tile has one result; load one wider tile and let blocking choose",
                start,
            )
        return cls.create(
            operands=[parser.resolve_operand(source, tile)],
            result_types=[result],
            properties=_take(attributes, cls.DICTIONARY),
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        _print_dictionary(printer, self, self.DICTIONARY)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        """Check vector, padding and hints."""
        tile = _tile_of(self.source)
        if tile.scattered:
            raise VerifyException("a scattered tile is loaded by xetile.load_gather")
        _verify_value(tile, self.result, "result")
        verify_padding(self.padding, tile.element_type)
        verify_hints(iter(self.hints()), LOAD_HINTS)


@irdl_op_definition
class StoreTileOp(_TileAccess):
    """`xetile.store_tile %v, %t : vector<64x32xf32>, !xetile.tile<64x32xf32>`."""

    name = "xetile.store_tile"

    value = operand_def(VectorType)
    tile = operand_def(TileType)

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self, value: SSAValue, tile: SSAValue, *, hints: Sequence[CacheHintAttr | None] = ()
    ) -> None:
        super().__init__(operands=[value, tile], properties=dict(zip(HINTS, hints, strict=False)))

    @classmethod
    def parse(cls, parser: Parser) -> "StoreTileOp":
        """Read the op."""
        value = parse_operand_name(parser, "the value")
        parser.parse_punctuation(",", " between value and tile")
        tile = parse_operand_name(parser, "the tile")
        attributes = dict(parser.parse_optional_attr_dict())
        parse_colon(parser)
        start = parser.pos
        value_type = parser.parse_type()
        if isinstance(value_type, TileType):
            refuse(
                parser,
                "the value comes first: write `store_tile %value, %tile : vector, tile`",
                start,
            )
        parser.parse_punctuation(",", " between the types of value and tile")
        tile_type = parser.parse_type()
        return cls.create(
            operands=[
                parser.resolve_operand(value, value_type),
                parser.resolve_operand(tile, tile_type),
            ],
            properties=_take(attributes, HINTS),
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        _print_dictionary(printer, self, HINTS)
        printer.print_string(" : ")
        printer.print_list([v.type for v in self.operands], printer.print_attribute)

    def verify_(self) -> None:
        """Check vector, map and hints."""
        tile = _tile_of(self.tile)
        if tile.scattered:
            raise VerifyException("a scattered tile is stored by xetile.store_scatter")
        _verify_value(tile, self.value, "value")
        verify_hints(iter(self.hints()), STORE_HINTS)
        if tile.wg_map is not None and tile.wg_map.distribution(tile.shape).is_shared:
            raise VerifyException(
                f"wg_map {tile.wg_map.body} makes several subgroups write the same unit of {in_words(tile.shape)}; "
                "use no more subgroups than units in a dimension"
            )


@irdl_op_definition
class PrefetchTileOp(_TileAccess):
    """`xetile.prefetch_tile %t {l1_hint = ...} : !xetile.tile<16x32xbf16>`."""

    name = "xetile.prefetch_tile"

    tile = operand_def(TileType)
    locality = opt_prop_def(IntegerAttr)

    # A prefetch has no result and changes no value, but must stay where it is.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    DICTIONARY: ClassVar[tuple[str, ...]] = (*HINTS, "locality")

    def __init__(
        self,
        tile: SSAValue,
        *,
        hints: Sequence[CacheHintAttr | None] = (),
        locality: int | None = None,
    ) -> None:
        properties: dict[str, Attribute | None] = dict(zip(HINTS, hints, strict=False))
        properties["locality"] = None if locality is None else IntegerAttr(locality, i64)
        super().__init__(operands=[tile], properties=properties)

    @classmethod
    def parse(cls, parser: Parser) -> "PrefetchTileOp":
        """Read the op, with the RFC's `locality<n>`."""
        tile = parse_operand_name(parser, "the tile")
        locality: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("locality") is not None:
            with parser.in_angle_brackets():
                locality["locality"] = IntegerAttr(parser.parse_integer(), i64)
        attributes = dict(parser.parse_optional_attr_dict())
        parse_colon(parser)
        return cls.create(
            operands=[parser.resolve_operand(tile, parser.parse_type())],
            properties=_take(attributes, cls.DICTIONARY) | locality,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_ssa_value(self.tile)
        _print_dictionary(printer, self, self.DICTIONARY)
        printer.print_string(" : ")
        printer.print_attribute(self.tile.type)

    def verify_(self) -> None:
        """Check hints and locality."""
        verify_hints(iter(self.hints()), LOAD_HINTS)
        if self.locality is not None and not 0 <= self.locality.value.data <= 3:
            raise VerifyException(f"'locality' is {self.locality.value.data}, expected 0 to 3")


@irdl_op_definition
class UpdateTileOffsetOp(IRDLOperation, HasFolderInterface):
    """`%u = xetile.update_tile_offset %t, [%dx, %dy] : !xetile.tile<32x32xf32>`: the tile, moved."""

    name = "xetile.update_tile_offset"

    tile = operand_def(TileType)
    offsets = var_operand_def(IndexType)
    indices = opt_operand_def(VectorType)
    const_offsets = opt_prop_def(DenseArrayBase[I64])
    result = result_def(TileType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self, tile: SSAValue, offsets: Sequence[Mixed] = (), *, indices: SSAValue | None = None
    ) -> None:
        values, literals = split_mixed(offsets)
        super().__init__(
            operands=[tile, values, [] if indices is None else [indices]],
            result_types=[tile.type],
            properties={"const_offsets": literals} if offsets else {},
        )

    @property
    def mixed_offsets(self) -> list[Mixed]:
        """By how much the tile moves: rows, columns (elements)."""
        return join_mixed(self.offsets, self.const_offsets)

    @classmethod
    def parse(cls, parser: Parser) -> "UpdateTileOffsetOp":
        """Read bracketed, unbracketed and scattered steps."""
        tile = parse_operand_name(parser, "the tile")
        parser.parse_punctuation(",", " between tile and offsets")
        if next_character(parser) == "[":
            bracketed = parse_index_list(parser, "offsets")
            names: list[UnresolvedOperand] = []
        else:
            bracketed = []
            names = [parse_operand_name(parser, "an offset")]
            while parser.parse_optional_punctuation(",") is not None:
                names.append(parse_operand_name(parser, "an offset"))
        attributes = parser.parse_optional_attr_dict()
        parse_colon(parser)
        tile_type = parser.parse_type()
        types: list[Attribute] = []
        while parser.parse_optional_punctuation(",") is not None:
            types.append(parser.parse_type())
        if next_character(parser) in "-it" and parser.parse_optional_punctuation("->") is not None:
            parser.parse_type()
        source = parser.resolve_operand(tile, tile_type)
        indices = None
        if len(names) == 1 and len(types) == 1:
            indices = parser.resolve_operand(names[0], types[0])
            offsets: list[Mixed] = []
        else:
            offsets = resolve_mixed(parser, bracketed or names)
        op = cls(source, offsets, indices=indices)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        """Print the op."""
        printer.print_string(" ")
        printer.print_ssa_value(self.tile)
        printer.print_string(", ")
        if self.indices is not None:
            printer.print_ssa_value(self.indices)
        else:
            print_mixed(printer, self.mixed_offsets)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.tile.type)
        if self.indices is not None:
            printer.print_string(", ")
            printer.print_attribute(self.indices.type)

    def verify_(self) -> None:
        """Check the number of offsets and the type."""
        tile = _tile_of(self.tile)
        verify_count("offsets", self.offsets, self.const_offsets)
        if self.result.type != tile:
            raise VerifyException(
                f"'result' is {self.result.type}, expected the tile's type {tile}"
            )
        if self.indices is not None:
            if not tile.scattered:
                raise VerifyException("a vector of steps needs a scattered tile")
        elif len(self.mixed_offsets) != 2:
            raise VerifyException(f"'offsets' has {len(self.mixed_offsets)} entries, expected 2")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """A move by zero is no move."""
        offsets = self.mixed_offsets
        if self.indices is None and all(_is_zero(offset) for offset in offsets):
            return (self.tile,)
        return None


def _is_zero(offset: Mixed) -> bool:
    if isinstance(offset, int):
        return offset == 0
    owner = offset.owner
    if not isinstance(owner, Operation) or owner.name != "arith.constant":
        return False
    value = owner.properties.get("value")
    return (
        isinstance(value, IntegerAttr) and cast("IntegerAttr[IntegerType]", value).value.data == 0
    )
