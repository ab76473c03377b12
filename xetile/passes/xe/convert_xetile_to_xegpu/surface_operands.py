"""The surface of a tile as operands of XeGPU: source, sizes, pitch, and the requirements of 2D block access."""

from collections.abc import Sequence
from typing import NamedTuple, Self, cast

from xdsl.dialects.builtin import MemRefType, i64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from xetile.dialects.known_integers import folded_integer
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.xegpu import CreateNdTdescOp, TensorDescType
from xetile.dialects.xetile import InitTileOp, TileType
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.dialects.xetile.xetile_attributes import COLUMN_MAJOR
from xetile.errors import fail
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import message_element
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import Elements
from xetile.planning.xe.message_words import BYTE_BITS
from xetile.rewriting.one_to_many import Expansion, Offset
from xetile.targets.xe.surface import SURFACE


class Surface(NamedTuple):
    """The place of a tile: its source in the new function, and numbers in elements.

    `sizes` and `strides` are None if the source is a static memref that has them itself; those of a column-major matrix
    are exchanged, as messages see them. `offsets` are the tile's rows and columns.
    """

    source: SSAValue
    sizes: tuple[Offset, Offset] | None
    strides: tuple[Offset, Offset] | None
    offsets: tuple[Offset, Offset]

    def plane(self, type: Attribute, order: Sequence[int]) -> tuple[Offset, Offset]:
        """Return rows and columns of the matrix in the order of the tile; a static memref has them in its type."""
        if self.sizes is not None:
            slow, fast = self.sizes
            return (fast, slow) if order == COLUMN_MAJOR else (slow, fast)
        rows, columns = cast(MemRefType[Attribute], type).get_shape()
        return rows, columns

    def in_words(self, view: Expansion, bits: int, word: int) -> Self:
        """Return the same surface of elements of `bits` in words; 2D block access requires whole words."""
        source, sizes, strides = self.source, self.sizes, self.strides
        if isinstance(source.type, MemRefType):
            type = cast(MemRefType[Attribute], source.type)
            source = memory_address(view, source)
            if sizes is None or strides is None:
                rows, columns = type.get_shape()
                layout = strides_and_offset(type)
                assert layout is not None
                assert layout[0][0] is not None
                sizes, strides = (rows, columns), (layout[0][0], 1)
        assert sizes is not None
        assert strides is not None
        return self._replace(
            source=source,
            sizes=(sizes[0], counted_in_words(view, sizes[1], bits, word)),
            strides=(counted_in_words(view, strides[0], bits, word), strides[1]),
        )

    def elements(self, view: Expansion, type: Attribute, tile: TileType) -> Elements:
        """Return the places of the surface's single elements."""
        strides = self.strides
        if strides is None:
            layout = strides_and_offset(cast(MemRefType[Attribute], type))
            assert layout is not None
            slow, fast = (stride or 0 for stride in layout[0])
            strides = (slow, fast)
        elif tile.order == COLUMN_MAJOR:
            strides = (strides[1], strides[0])
        source = self.source
        if isinstance(source.type, MemRefType):
            source = memory_address(view, source)
        return Elements(source, 0, strides)

    def descriptor(self, view: Expansion, type: TensorDescType) -> SSAValue:
        """Return a descriptor of this surface, made once per function if it depends on arguments only."""
        sizes, strides = self.sizes or (), self.strides or ()

        def make() -> Operation:
            return CreateNdTdescOp(self.source, type, shape=list(sizes), strides=list(strides))

        parts = (self.source, *sizes, *strides)
        if all(isinstance(part, int | BlockArgument) for part in parts) and (
            not isinstance(self.source, BlockArgument) or self.source.block is view.entry
        ):
            return view.shared(("descriptor", type, *parts), make)
        return view.new(make())


def counted_in_words(view: Expansion, elements: Offset, bits: int, word: int) -> Offset:
    """Return the number of words in `elements` elements; it may be negative if tiles begin outside."""
    if word <= bits:
        return view.multiply(elements, bits // word)
    per_word = word // bits
    if isinstance(elements, int):
        return elements // per_word
    shift = view.constant(per_word.bit_length() - 1)
    return view.new(arith.ShRSIOp(elements, shift))


def describe_surface(view: Expansion, op: InitTileOp, *, by_messages: bool) -> Surface:
    """Return the surface and corner of a tile; if messages reach it, check what 2D block access requires."""
    tile = op.tile.type
    offsets, sizes, strides = map(
        view.mapped, (op.mixed_offsets, op.mixed_sizes, op.mixed_strides)
    )
    source = view.single(op.source)
    start: Offset = 0
    static = False
    if isinstance(source.type, MemRefType):
        type = cast(MemRefType[Attribute], source.type)
        layout = strides_and_offset(type)
        if layout is None:
            fail(op, f"{type} has a layout that is not strided")
        known, start = _layout(view, source, type, layout)
        if not sizes:
            static = True
            sizes = list(type.get_shape())
            strides = list(known)
    leading = len(offsets) - 2
    for offset, stride in zip(offsets[:leading], strides[:leading], strict=True):
        start = view.add(start, view.multiply(offset, stride))
    slow, fast = (-1, -2) if tile.order == COLUMN_MAJOR else (-2, -1)
    plane = (sizes[slow], sizes[fast]), (strides[slow], strides[fast])
    if by_messages:
        _check(view, op, tile, *plane, start, offsets[fast])
    corner = (offsets[-2], offsets[-1])
    if tile.order == COLUMN_MAJOR:
        return Surface(_address(view, source, start, tile), *plane, corner)
    if static and leading == 0 and start == 0:
        return Surface(source, None, None, corner)
    if start != 0 or leading != 0:
        source = _address(view, source, start, tile)
    return Surface(source, *plane, corner)


def _layout(
    view: Expansion,
    source: SSAValue,
    type: MemRefType[Attribute],
    layout: tuple[Sequence[int | None], int | None],
) -> tuple[list[Offset], Offset]:
    """Return strides and offset of a memref in elements; dynamic ones are read from its descriptor."""
    strides, offset = layout
    if offset is not None and None not in strides:
        return [stride for stride in strides if stride is not None], offset
    metadata = view.emit(memref.ExtractStridedMetaDataOp(source))
    rank = type.get_num_dims()
    dynamic = metadata.results[2 + rank :]
    known: list[Offset] = [
        dynamic[d] if stride is None else stride for d, stride in enumerate(strides)
    ]
    return known, metadata.results[1] if offset is None else offset


def _address(view: Expansion, source: SSAValue, start: Offset, tile: TileType) -> SSAValue:
    bits = memory_bits(message_element(tile.element_type)) or 0
    moved = counted_in_words(view, start, bits, BYTE_BITS)
    if not isinstance(source.type, MemRefType):
        if moved == 0:
            return source
        step = view.new(arith.IndexCastOp(view.index(moved), i64))
        return view.new(arith.AddiOp(source, step))
    return memory_address(view, source, moved)


def memory_address(view: Expansion, source: SSAValue, moved: Offset = 0) -> SSAValue:
    """Return the address of a memref plus `moved` bytes."""
    base = view.new(memref.ExtractAlignedPointerAsIndexOp(source))
    total = view.index(view.add(base, moved))
    return view.new(arith.IndexCastOp(total, i64))


def _check(
    view: Expansion,
    op: InitTileOp,
    tile: TileType,
    sizes: tuple[Offset, Offset],
    strides: tuple[Offset, Offset],
    start: Offset,
    column: Offset,
) -> None:
    """Refuse static properties that 2D block access does not support."""
    bits = memory_bits(tile.element_type)
    if bits is None:
        fail(op, f"2D block access has no elements of type {tile.element_type}")
    values = {
        "height": known_offset(sizes[0]),
        "width": known_bytes(sizes[1], bits),
        "pitch": known_bytes(strides[0], bits),
        "base": known_bytes(start, bits),
    }
    known = {name: value for name, value in values.items() if value is not None}
    problem = SURFACE.problem(column=known_bytes(column, bits), **known)
    if problem is not None:
        fail(op, problem)


def known_offset(offset: Offset) -> int | None:
    """Return the offset (elements) if it is constant, else None."""
    return offset if isinstance(offset, int) else folded_integer(offset)


def known_bytes(elements: Offset, bits: int) -> int | None:
    """Return the bytes of `elements` elements of memory if that is constant, else None."""
    number = known_offset(elements)
    return None if number is None else number * bits // BYTE_BITS
