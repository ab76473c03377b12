"""The tile type: a rectangle of a matrix in memory, or elements that each have an index."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Unpack

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    BFloat16Type,
    ContainerType,
    FixedBitwidthType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IndexType,
    IntAttr,
    IntegerType,
    NoneAttr,
    ShapedType,
    VectorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.xetile.field_lists import next_character, span_since
from xetile.dialects.xetile.xetile_attributes import (
    COLUMN_MAJOR,
    ScatterAttr,
    SubgroupMapAttr,
    TileAttr,
    TileParts,
    WorkgroupMapAttr,
)
from xetile.targets.target import INDEX_BITS

FLOAT_TYPES = (
    Float16Type,
    BFloat16Type,
    FloatTF32Type,
    Float32Type,
    Float64Type,
    Float8E4M3FNType,
    Float8E5M2Type,
)
"""The float types of tile elements."""

_NIBBLE, _BYTE = 4, 8

MOST_ELEMENTS = 1 << 24
"""Of a tile: far more than the registers of a workgroup hold, and few enough to plan and to execute."""

LEGAL_ELEMENT_TYPES = (
    "i1 to i64 (also si, ui), index, f16, bf16, tf32, f32, f64, f8E4M3FN, f8E5M2"
)


@lru_cache(maxsize=1)
def _defaults() -> TileAttr:
    """Return the default attribute of a tile. It is cached because making it for each query shows in compile times."""
    return TileAttr()


@irdl_attr_definition
class TileType(ParametrizedAttribute, TypeAttribute, ShapedType, ContainerType[Attribute]):
    """`!xetile.tile<64x32xf16>`, `!xetile.tile<64x32xf16, #xetile.tile_attr<...>>`."""

    name = "xetile.tile"

    dimensions: ArrayAttr[IntAttr]
    element_type: Attribute
    encoding: TileAttr | NoneAttr

    def __init__(
        self, shape: Sequence[int], element_type: Attribute, tile_attr: TileAttr | None = None
    ) -> None:
        super().__init__(*_parameters(shape, element_type, tile_attr))

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents in elements."""
        return tuple(extent.data for extent in self.dimensions.data)

    @property
    def tile_attr(self) -> TileAttr:
        """The attribute, with the defaults where none is written."""
        return _defaults() if isinstance(self.encoding, NoneAttr) else self.encoding

    @property
    def sg_map(self) -> SubgroupMapAttr | None:
        """The lane map, which no pass reads."""
        return self.tile_attr.sg_map

    @property
    def wg_map(self) -> WorkgroupMapAttr | None:
        """Which subgroup holds which part."""
        return self.tile_attr.wg_map

    @property
    def order(self) -> tuple[int, ...]:
        """The dimensions, fastest in memory first: (1, 0) is row-major."""
        return self.tile_attr.order

    @property
    def inner_blocks(self) -> tuple[int, int] | None:
        """Rows and columns of one block, in elements."""
        blocks = self.tile_attr.inner_blocks
        return None if blocks is None else (blocks[0], blocks[1])

    @property
    def memory_space(self) -> int:
        """0 for global, 3 for shared memory."""
        return self.tile_attr.memory_space

    @property
    def scattered(self) -> bool:
        """True if every element has its own index."""
        return self.tile_attr.scattered

    @property
    def value_shape(self) -> tuple[int, ...]:
        """Shape of the vector that is loaded or stored: with blocks (rows, columns) of blocks, then of one block."""
        if self.inner_blocks is None:
            return self.shape
        counts = [
            extent // block
            for extent, block in zip(self.shape, self.inner_blocks, strict=True)
        ]
        return (*counts, *self.inner_blocks)

    @property
    def vector_type(self) -> VectorType[Attribute]:
        """The vector that is loaded or stored."""
        return VectorType(self.element_type, self.value_shape)

    def with_(
        self,
        *,
        shape: Sequence[int] | None = None,
        element_type: Attribute | None = None,
        **parts: Unpack[TileParts],
    ) -> "TileType":
        """The same tile with some parts changed; None takes a map or the blocks away."""
        return TileType(
            self.shape if shape is None else shape,
            self.element_type if element_type is None else element_type,
            self.tile_attr.with_(**parts),
        )

    def get_num_dims(self) -> int:
        return len(self.dimensions)

    def get_shape(self) -> tuple[int, ...]:
        return self.shape

    def get_element_type(self) -> Attribute:
        return self.element_type

    def verify(self) -> None:
        _verify_shape(self.shape, scattered=self.scattered)
        verify_element_type(self.element_type)
        if per_byte(self.element_type) > 1:
            _verify_whole_bytes(self)
        if self.inner_blocks is not None:
            _verify_blocks(self.shape, self.inner_blocks)
        if self.wg_map is not None:
            verify_distribution("wg_map", self.wg_map, self.shape)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        start = parser.pos
        tile_attr: TileAttr | None = None
        with parser.in_angle_brackets():
            shape, element_type = parser.parse_ranked_shape()
            if parser.parse_optional_punctuation(",") is not None:
                tile_attr = _parse_tile_attr(parser)
        try:
            return TileType(shape, element_type, tile_attr).parameters
        except VerifyException as error:
            parser.raise_error(str(error), span_since(parser, start))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_dimension_list(self.shape)
            printer.print_string("x")
            printer.print_attribute(self.element_type)
            if isinstance(self.encoding, TileAttr):
                printer.print_string(", ")
                printer.print_attribute(self.encoding)


def _parameters(
    shape: Sequence[int], element_type: Attribute, tile_attr: TileAttr | None
) -> tuple[Attribute, ...]:
    """The parameters of a tile type; an attribute that says only defaults is no attribute."""
    encoding = NoneAttr() if tile_attr is None or tile_attr == TileAttr() else tile_attr
    return (ArrayAttr(IntAttr(extent) for extent in shape), element_type, encoding)


def _parse_tile_attr(parser: AttrParser) -> TileAttr:
    """Read the attribute in a tile type: in full, an alias, stripped, or a bare map or scatter."""
    start = parser.pos
    if next_character(parser) == "<":
        return TileAttr.new(TileAttr.parse_parameters(parser))
    attribute = parser.parse_optional_attribute()
    if attribute is None:
        parser.raise_error(
            "write the tile's keys in #xetile.tile_attr<...>, as in <order = [0, 1]>"
        )
    match attribute:
        case TileAttr():
            return attribute
        case WorkgroupMapAttr():
            return TileAttr(wg_map=attribute)
        case ScatterAttr():
            return TileAttr(scattered=True)
        case _:
            parser.raise_error(
                f"a tile takes a #xetile.tile_attr, #xetile.wg_map or #xetile.scatter, found {attribute}",
                span_since(parser, start),
            )


def _verify_shape(shape: tuple[int, ...], *, scattered: bool) -> None:
    text = "x".join("?" if extent == DYNAMIC_INDEX else str(extent) for extent in shape)
    if any(extent < 1 for extent in shape):
        raise VerifyException(f"tile shape {text} must have positive, static extents")
    if any(extent >= 1 << 63 for extent in shape):
        raise VerifyException(f"tile shape {text} has an extent that no index takes (64 bits)")
    if prod(shape) > MOST_ELEMENTS:
        raise VerifyException(
            f"expected a tile of at most {MOST_ELEMENTS} elements, found {text}; "
            "write a loop over smaller tiles"
        )
    if len(shape) == 2 or (len(shape) == 1 and scattered):
        return
    raise VerifyException(
        f"tile shape {text or '(none)'} has rank {len(shape)}, expected 2, or 1 for a scattered tile"
    )


def verify_element_type(element_type: Attribute) -> None:
    """Refuse what no tile can hold."""
    match element_type:
        case IntegerType() if 1 <= element_type.bitwidth <= 64:
            return
        case IndexType():
            return
        case _ if isinstance(element_type, FLOAT_TYPES):
            return
        case _:
            raise VerifyException(
                f"element type {element_type} is not supported; legal are {LEGAL_ELEMENT_TYPES}"
            )


def _verify_whole_bytes(tile: "TileType") -> None:
    """Refuse what would cut bytes that two neighbours of a row share."""
    shared = f"two elements of {tile.element_type} share a byte"
    if tile.scattered or tile.memory_space != 0:
        where = "scattered tiles" if tile.scattered else "shared memory"
        raise VerifyException(f"{shared}, which {where} cannot hold yet; use i8")
    if tile.order == COLUMN_MAJOR:
        raise VerifyException(
            f"order {list(tile.order)}: {shared} along a row; transpose after loading"
        )
    shape = tile.shape
    if shape[-1] % 2:
        raise VerifyException(
            f"tile shape {'x'.join(map(str, shape))}: {shared}, expected even columns"
        )
    if tile.inner_blocks is not None and tile.inner_blocks[1] % 2:
        raise VerifyException(
            f"'inner_blocks' {list(tile.inner_blocks)}: {shared}, expected even columns"
        )


def _verify_blocks(shape: tuple[int, ...], blocks: tuple[int, ...]) -> None:
    fits = len(shape) == 2 and all(
        extent % block == 0 for extent, block in zip(shape, blocks, strict=True)
    )
    if not fits:
        raise VerifyException(
            f"'inner_blocks' {list(blocks)} do not divide the tile shape {list(shape)}"
        )


def verify_distribution(name: str, wg_map: WorkgroupMapAttr, shape: Sequence[int]) -> None:
    """Refuse a map that does not deal out the shape evenly; `name` is the map's name in the message."""
    if complaint := _uneven(wg_map, tuple(shape)):
        raise VerifyException(
            f"'{name}' {wg_map.body} on {'x'.join(map(str, shape))}: {complaint}"
        )


@lru_cache(maxsize=256)
def _uneven(wg_map: WorkgroupMapAttr, shape: tuple[int, ...]) -> str | None:
    """Why the map does not fit the shape; kept, because the same types are verified many times."""
    from xetile.layout.algebra.linear_layout import LayoutError

    if len(shape) != 2:
        return f"a wg_map distributes 2 dimensions, not {len(shape)}"
    try:
        wg_map.distribution(shape)
    except LayoutError as error:
        return str(error)
    return None


def memory_bits(element_type: Attribute) -> int | None:
    """Bits of an element in memory (tf32 takes 32, two of 4 a byte, an index 64), None for types of no number."""
    if isinstance(element_type, FloatTF32Type):
        return 32
    if isinstance(element_type, IndexType):
        return INDEX_BITS
    if isinstance(element_type, FixedBitwidthType):
        bits = element_type.bitwidth
        return bits if bits == _NIBBLE else max(_BYTE, bits)
    return None


def per_byte(element_type: Attribute) -> int:
    """Elements that share a byte of memory: 2 of 4 bits, else 1."""
    return _BYTE // _NIBBLE if memory_bits(element_type) == _NIBBLE else 1
