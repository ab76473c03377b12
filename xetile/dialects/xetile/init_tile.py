"""Making tiles, of memrefs, behind addresses or from a vector of indices, and moving them.

A tile's matrix is checked as far as the program says what it is: by literals, or by constants, which count alike.
"""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
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
from xdsl.traits import (
    Pure,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Span

from xetile.dialects.index_lists import (
    DYNAMIC_INDEX,
    Mixed,
    join_mixed,
    print_mixed,
    resolve_mixed,
    split_mixed,
    verify_count,
)
from xetile.dialects.known_integers import folded_integer
from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.traits import MakesTile, MovesTile
from xetile.dialects.upstream.memref.memref_layout import is_static, strides_and_offset
from xetile.dialects.xetile.field_lists import (
    ARROWS,
    next_character,
    parse_colon,
    parse_index_list,
    parse_operand_name,
    parse_type_separator,
    refuse,
    span_since,
)
from xetile.dialects.xetile.op import XeTileOp
from xetile.dialects.xetile.shared_formats import (
    Format,
    parse_dictionary,
    parse_tile_type,
    parse_vector_type,
    print_dictionary,
    print_types,
    print_values,
)
from xetile.dialects.xetile.tile_support import (
    tile_of,
    verify_dictionary,
    verify_form,
)
from xetile.dialects.xetile.tile_type import TileType, per_byte
from xetile.dialects.xetile.xetile_attributes import (
    COLUMN_MAJOR,
    GLOBAL,
    LEGAL_MEMORY_SPACES,
    memory_space_of,
)

Known = Sequence[int | None]
"""Entries of a list, None where only running tells."""


def known_entries(entries: Sequence[Mixed]) -> list[int | None]:
    """The entries that the program says."""
    return [entry if isinstance(entry, int) else folded_integer(entry) for entry in entries]


def verify_against_type(source: MemRefType[Attribute], sizes: Known, strides: Known) -> None:
    """Refuse extents beyond those of a memref's type, and strides that are not the type's."""
    layout = strides_and_offset(source)
    assert layout is not None
    for dimension, (given, most) in enumerate(zip(sizes, source.get_shape(), strict=True)):
        if given is not None and given > most >= 0:
            raise VerifyException(
                f"'sizes' is {in_words(sizes)}, {source} has {most} along dimension {dimension}; expected no more"
            )
    for dimension, (given, written) in enumerate(zip(strides, layout[0], strict=True)):
        if given is not None and written is not None and given != written:
            raise VerifyException(
                f"'strides' is {in_words(strides)}, {source} has {written} along dimension {dimension}; "
                "expected the same"
            )


def verify_not_negative(name: str, entries: Known) -> None:
    """Refuse sizes or strides below 0."""
    if any(entry is not None and entry < 0 for entry in entries):
        raise VerifyException(f"'{name}' is {in_words(entries)}, expected none below 0")


def verify_batch(offsets: Known, sizes: Known) -> None:
    """Refuse indices of leading dimensions that are outside; rows and columns may be, for padding."""
    for dimension, (index, size) in enumerate(zip(offsets[:-2], sizes[:-2], strict=True)):
        if index is None:
            continue
        if index < 0 or (size is not None and 0 <= size <= index):
            most = "" if size is None or size < 0 else f", expected 0 to {size - 1}"
            raise VerifyException(
                f"'offsets' is {in_words(offsets)}: index {index} of dimension {dimension} is outside{most}"
            )


def verify_order(found: str, strides: Sequence[int | None], tile: TileType) -> None:
    """Refuse strides whose fastest dimension is not the order's; None is not known yet."""
    column_major = tile.order == COLUMN_MAJOR
    fastest = strides[-2] if column_major else strides[-1]
    if fastest in (1, None):
        return
    dimension = len(strides) - (2 if column_major else 1)
    text = in_words(strides)
    other = strides[-1] if column_major else strides[-2]
    advice = ""
    if other == 1:
        advice = f"; this is order = {[1, 0] if column_major else [0, 1]}"
    raise VerifyException(
        f"{found} {text}, order {list(tile.order)} needs stride 1 along dimension {dimension}{advice}"
    )


def verify_whole_bytes(tile: TileType, offsets: Known) -> None:
    """Refuse columns that cut a byte which elements share."""
    if per_byte(tile.element_type) > 1 and _is_odd(offsets[-1]):
        raise VerifyException(
            f"'offsets' is {in_words(offsets)}: two elements of {tile.element_type} share a byte, "
            "expected an even column"
        )


def verify_whole_rows(tile: TileType, sizes: Known, strides: Known, source: Attribute) -> None:
    """Refuse rows and pitches that cut a byte which elements share."""
    if per_byte(tile.element_type) == 1:
        return
    shared = f"two elements of {tile.element_type} share a byte"
    if _is_odd(sizes[-1]):
        raise VerifyException(
            f"{source} has rows of {sizes[-1]}: {shared}, expected an even number"
        )
    if any(map(_is_odd, strides[:-1])):
        raise VerifyException(
            f"{source} has strides {in_words(strides)}: {shared}, expected even ones but for the last"
        )


def _is_odd(entry: int | None) -> bool:
    return entry is not None and entry % 2 == 1


def in_words(entries: Sequence[int | None]) -> str:
    """`[?, 1]`."""
    return f"[{', '.join('?' if entry is None else str(entry) for entry in entries)}]"


ADDRESS_TYPES = ("i64", "ui64", "i32", "ui32")
"""The types of an address that stands for a memref."""

_EMPTY = DenseArrayBase.from_list(i64, [])

_LISTS = ("offsets", "sizes", "strides")


@irdl_op_definition
class InitTileOp(IRDLOperation):
    """A tile of a matrix: where it begins in a memref or behind an address.

    `%t = xetile.init_tile %src[%m, 16] : memref<1024x1024xf16> -> !xetile.tile<32x64xf16>`; dynamic memrefs and
    addresses add sizes and strides, `%src[%m, %n], [%h, %w], [%s0, %s1]`; N-d memrefs take N offsets, batch first;
    scattered tiles take a vector of indices, `%src, %indices : memref<..>, vector<..xindex> -> ...`.
    """

    name = "xetile.init_tile"
    FORMAT: ClassVar[Format] = Format("init_tile", ())

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
    traits = traits_def(Pure(), MakesTile())

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
        for name, mixed in zip(_LISTS, (offsets, sizes, strides), strict=True):
            values, literals = split_mixed(mixed)
            operands.append(values)
            properties[f"const_{name}"] = literals
        super().__init__(
            operands=[source, *operands, [] if indices is None else [indices]],
            result_types=[tile],
            properties=properties,
        )

    def __post_init__(self) -> None:
        """An empty list is the absent one, so that ops that mean the same are the same."""
        super().__post_init__()
        drop_empty_lists(self, [f"const_{name}" for name in _LISTS])

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
        source = parse_operand_name(parser, "the source")
        lists, indices = _parse_position(parser)
        dictionary = parse_dictionary(parser, cls.FORMAT)
        parse_colon(parser)
        source_type = parser.parse_type()
        index_vector = None
        if indices is not None:
            parser.parse_punctuation(",", " before the type of the indices")
            index_vector = parser.resolve_operand(indices, parse_vector_type(parser))
        parse_type_separator(parser, ARROWS, "before the tile's type")
        tile = parse_tile_type(parser)
        operand = parser.resolve_operand(source, source_type)
        offsets, sizes, strides = (resolve_mixed(parser, entries) for entries in lists)
        op = cls(operand, offsets, sizes, strides, tile, indices=index_vector)
        op.attributes |= dictionary.attributes
        return op

    def print(self, printer: Printer) -> None:
        print_values(printer, self.source, self.indices)
        if self.indices is None:
            print_mixed(printer, self.mixed_offsets)
            if self.mixed_sizes or self.mixed_strides:
                for entries in (self.mixed_sizes, self.mixed_strides):
                    printer.print_string(", ")
                    print_mixed(printer, entries)
        print_dictionary(printer, self, self.FORMAT)
        operands = [self.source] if self.indices is None else [self.source, self.indices]
        print_types(printer, operands, [self.tile])

    def verify_(self) -> None:
        verify_dictionary(self, self.FORMAT)
        for name in _LISTS:
            verify_list(self, name)
        source = self.source.type
        if isinstance(source, MemRefType):
            _verify_elements(self.tile.type, cast("MemRefType[Attribute]", source))
        elif str(source) not in ADDRESS_TYPES:
            raise VerifyException(
                f"'source' is {source}, expected a memref or an address ({', '.join(ADDRESS_TYPES)})"
            )
        if self.indices is None:
            self._verify_block()
        else:
            self._verify_scattered(self.indices.type)

    def _verify_scattered(self, indices: Attribute) -> None:
        tile, source = self.tile.type, self.source.type
        if self.mixed_offsets or self.mixed_sizes or self.mixed_strides:
            raise VerifyException("'indices' stand in the place of offsets, sizes and strides")
        if not tile.scattered:
            raise VerifyException(
                f"'indices' need a scattered tile, found {tile}; write scattered = true in its tile_attr"
            )
        expected = VectorType(IndexType(), tile.shape)
        if indices != expected:
            raise VerifyException(f"'indices' is {indices}, {tile} needs {expected}")
        if not isinstance(source, MemRefType):
            return
        memref = cast("MemRefType[Attribute]", source)
        layout = strides_and_offset(memref)
        if memref.get_num_dims() > 1 or layout is None or layout[0] not in ((), (1,), (None,)):
            raise VerifyException(
                f"'source' is {memref}, a scattered tile needs a memref of rank 0 or 1 with stride 1"
            )

    def _verify_block(self) -> None:
        tile, source = self.tile.type, self.source.type
        if tile.scattered:
            raise VerifyException(
                f"'tile' is {tile}, which needs a vector of indices: write %source, %indices"
            )
        offsets = self.mixed_offsets
        if isinstance(source, MemRefType) and len(offsets) != source.get_num_dims():
            raise VerifyException(
                f"'offsets' has {len(offsets)} entries, {source} has rank {source.get_num_dims()}"
            )
        if len(offsets) < 2:
            raise VerifyException(
                f"'offsets' has {len(offsets)} entries for {source}, a matrix has at least 2"
            )
        if isinstance(source, MemRefType) and isinstance(source.layout, SwizzleAttr):
            self._verify_swizzled()
        elif isinstance(source, MemRefType) and is_static(
            cast("MemRefType[Attribute]", source)
        ):
            self._verify_static(cast("MemRefType[Attribute]", source))
        else:
            self._verify_dynamic()

    def _verify_swizzled(self) -> None:
        tile, source = self.tile.type, self.source.type
        if self.mixed_sizes or self.mixed_strides:
            raise VerifyException(
                f"'sizes' and 'strides' are given for {source}, whose type says them; write the offsets only"
            )
        if len(self.mixed_offsets) != 2 or tile.order == COLUMN_MAJOR:
            raise VerifyException(
                f"'source' is {source}, whose swizzle says where elements lie: "
                "expected 2 dimensions and a tile of order [1, 0]; memref.transpose exchanges them"
            )

    def _verify_static(self, source: MemRefType[Attribute]) -> None:
        if self.mixed_sizes or self.mixed_strides:
            raise VerifyException(
                f"'sizes' and 'strides' are given for {source}, whose type says them; write the offsets only"
            )
        layout = strides_and_offset(source)
        assert layout is not None
        verify_order(f"'source' {source} has strides", layout[0], self.tile.type)
        offsets = known_entries(self.mixed_offsets)
        verify_batch(offsets, source.get_shape())
        sizes = [None if extent < 0 else extent for extent in source.get_shape()]
        verify_whole_bytes(self.tile.type, offsets)
        verify_whole_rows(self.tile.type, sizes, layout[0], source)

    def _verify_dynamic(self) -> None:
        source, count = self.source.type, len(self.mixed_offsets)
        memref = (
            cast("MemRefType[Attribute]", source) if isinstance(source, MemRefType) else None
        )
        if memref is not None and strides_and_offset(memref) is None:
            raise VerifyException(f"'source' is {memref}, expected a strided layout")
        for name, entries in (("sizes", self.mixed_sizes), ("strides", self.mixed_strides)):
            if len(entries) != count:
                raise VerifyException(
                    f"'{name}' has {len(entries)} entries; {source} needs {count}, as many as offsets: "
                    "write %source[offsets], [sizes], [strides]"
                )
        sizes, strides = known_entries(self.mixed_sizes), known_entries(self.mixed_strides)
        if memref is not None:
            verify_against_type(memref, sizes, strides)
        verify_not_negative("sizes", sizes)
        verify_not_negative("strides", strides)
        verify_order("'strides' is", strides, self.tile.type)
        offsets = known_entries(self.mixed_offsets)
        verify_batch(offsets, sizes)
        verify_whole_bytes(self.tile.type, offsets)
        verify_whole_rows(self.tile.type, sizes, strides, self.source.type)


def _parse_position(
    parser: Parser,
) -> tuple[list[list[int | UnresolvedOperand]], UnresolvedOperand | None]:
    """Read `[offsets]`, `[offsets], [sizes], [strides]`, or `, %indices`."""
    lists: list[list[int | UnresolvedOperand]] = [[], [], []]
    if next_character(parser) != "[":
        parser.parse_punctuation(",", " or offsets in brackets after the source")
    if next_character(parser) != "[":
        return lists, parse_operand_name(parser, "the indices")
    lists[0] = parse_index_list(parser, "offsets")
    if parser.parse_optional_punctuation(",") is not None:
        lists[1] = parse_index_list(parser, "sizes")
        parser.parse_punctuation(",", " and strides in brackets after the sizes")
        lists[2] = parse_index_list(parser, "strides")
    return lists, None


def drop_empty_lists(op: IRDLOperation, names: Sequence[str]) -> None:
    """Remove empty arrays among the named properties."""
    for name in names:
        if op.properties.get(name) == _EMPTY:
            del op.properties[name]


def verify_list(op: IRDLOperation, name: str) -> None:
    """Refuse a list whose literals do not leave a place for each value."""
    values = cast("Sequence[SSAValue]", getattr(op, name))
    literals = cast("DenseArrayBase[I64] | None", op.properties.get(f"const_{name}"))
    if literals is None and values:
        raise VerifyException(
            f"'const_{name}' is missing; it has {DYNAMIC_INDEX} in the place of each value"
        )
    verify_count(name, values, literals)


def _verify_elements(tile: TileType, source: MemRefType[Attribute]) -> None:
    if source.element_type != tile.element_type:
        raise VerifyException(
            f"'source' {source} has elements of {source.element_type}, the tile of {tile.element_type}; "
            "expected the same"
        )
    space = memory_space_of(source.memory_space)
    if space is None:
        raise VerifyException(
            f"'source' is in memory space {source.memory_space}, expected {LEGAL_MEMORY_SPACES}"
        )
    if space != tile.memory_space:
        raise VerifyException(
            f"'source' is in {_space(space)} memory, the tile in {_space(tile.memory_space)} memory; "
            "memory_space = 3 in the tile_attr says shared"
        )


def _space(space: int) -> str:
    return "global" if space == GLOBAL else "shared"


@irdl_op_definition
class UpdateTileOffsetOp(XeTileOp, HasFolderInterface):
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
        print_values(printer, self.tile, self.indices)
        if self.indices is None:
            printer.print_string(", ")
            print_mixed(printer, self.mixed_offsets)
        print_dictionary(printer, self, self.FORMAT)
        print_types(
            printer, [self.tile] if self.indices is None else [self.tile, self.indices]
        )

    def verify_(self) -> None:
        tile = tile_of(self.tile)
        verify_dictionary(self, self.FORMAT)
        verify_list(self, "offsets")
        if self.result.type != tile:
            raise VerifyException(
                f"'result' is {self.result.type}, expected the tile's type {tile}"
            )
        if self.indices is None:
            verify_form(
                "tile", tile, scattered=False, other="update_tile_offset %tile, %steps"
            )
            if len(self.mixed_offsets) != 2:
                raise VerifyException(
                    f"'offsets' has {len(self.mixed_offsets)} entries, expected 2: rows and columns"
                )
            verify_whole_bytes(tile, known_entries(self.mixed_offsets))
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
        parser.raise_error(
            f"{len(steps)} offsets are as many of type index, found {found}", span
        )
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
