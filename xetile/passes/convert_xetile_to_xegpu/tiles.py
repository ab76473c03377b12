"""Tiles in XeGPU: descriptors, and the messages of loads, stores and prefetches."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.upstream.vector import BitcastOp, ExtractOp
from xetile.dialects.xegpu import (
    CacheHint,
    CacheHintAttr,
    LoadNdOp,
    PrefetchNdOp,
    StoreNdOp,
    TensorDescType,
)
from xetile.dialects.xetile import CacheHintAttr as XeTileCacheHintAttr
from xetile.dialects.xetile import (
    InitTileOp,
    LoadTileOp,
    PrefetchTileOp,
    StoreTileOp,
    TileType,
    UpdateTileOffsetOp,
)
from xetile.dialects.xetile.attributes import COLUMN_MAJOR
from xetile.dialects.xetile.types import memory_bits
from xetile.errors import fail
from xetile.layout.algebra.distribution import block_offsets
from xetile.layout.intel.messages import BlockConfiguration, register_word
from xetile.passes.convert_xetile_to_xegpu.memory_types import loaded as as_elements
from xetile.passes.convert_xetile_to_xegpu.memory_types import message_element, stored
from xetile.passes.convert_xetile_to_xegpu.padding import padded
from xetile.passes.convert_xetile_to_xegpu.rearrange import transposed
from xetile.passes.convert_xetile_to_xegpu.surfaces import (
    Surface,
    describe_surface,
    known_offset,
    words,
)
from xetile.passes.convert_xetile_to_xegpu.view import Descriptor, Grid, Tile, XeGPUView
from xetile.planning.uses import use_of
from xetile.rewriting.one_to_many import Offset
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.messages import TRANSPOSED_WORD_BITS
from xetile.targets.xe.surface import SURFACE


def init_tile(view: XeGPUView, op: InitTileOp) -> None:
    """A tile is a descriptor per way of using it, and where its corner is."""
    tile = op.tile.type
    if tile.scattered:
        fail(
            op,
            "scattered tiles are not lowered to XeGPU yet; this kernel runs at the levels above",
        )
    surface = describe_surface(view, op)
    descriptors: dict[Descriptor, SSAValue] = {}
    for access in view.messages.tiles.accesses(op.tile):
        use = use_of(access)
        if use is None:
            continue
        message = view.messages.message(access, use)
        if (use, message) not in descriptors:
            descriptors[use, message] = _descriptor(view, tile, surface, message)
    fixed: dict[int, Offset] = dict(enumerate(surface.offsets))
    moving = {
        dimension: view.index(fixed.pop(dimension))
        for dimension in view.messages.tiles.moving_dimensions(op.tile)
    }
    sizes = surface.plane(op.source.type, tile.order)
    parts = (list(moving.values()), list(moving), fixed, descriptors, sizes)
    view.bind(op.tile, Tile(*parts, column_major=tile.order == COLUMN_MAJOR))


def _descriptor(
    view: XeGPUView, tile: TileType, surface: Surface, message: BlockConfiguration
) -> SSAValue:
    element, columns, per_word = tile.element_type, message.columns, _per_word(tile, message)
    if per_word > 1:
        element, columns = i32, columns // per_word
    if per_word > 1 or message_element(element) != element:
        element = message_element(element)
        surface = surface.in_words(view, per_word)
    block = (message.rows, columns)
    type = TensorDescType.block(block, element, array_length=message.blocks)
    return surface.descriptor(view, type)


def _per_word(tile: TileType, message: BlockConfiguration) -> int:
    """Elements of the words that a message exchanges; 1 where it moves elements."""
    bits = memory_bits(tile.element_type) or TRANSPOSED_WORD_BITS
    return max(1, TRANSPOSED_WORD_BITS // bits) if message.transposed else 1


def _memory_shape(type: TileType) -> tuple[int, ...]:
    return type.shape[::-1] if type.order == COLUMN_MAJOR else type.shape


def load_tile(view: XeGPUView, op: LoadTileOp) -> None:
    """The fewest messages that cover the tile; what is outside of the surface is padded."""
    tile, type = view.tile(op.source), cast(TileType, op.source.type)
    descriptor, message = tile.access(view, op, "load")
    if message.transposed and (not tile.column_major or _per_word(type, message) > 1):
        view.bind(op.result, padded(view, op, tile, _rows_in_lanes(view, op)))
        return
    block, pack = _block_type(type, message)
    shape = block.get_shape()
    if message.blocks > 1:
        shape = (message.blocks, *shape)
    extents = _memory_shape(type)
    blocks: list[SSAValue] = []
    for start in block_offsets(extents, (message.rows, message.width)):
        load = LoadNdOp(
            descriptor,
            _corner(view, tile, type, start),
            VectorType(message_element(type.element_type), shape),
            packed=message.packed,
            transpose=[1, 0] if message.transposed else None,
            hints=_hints(op),
        )
        loaded = as_elements(view, view.new(load), type.element_type)
        if message.blocks == 1:
            blocks.append(loaded)
            continue
        for index in range(message.blocks):
            blocks.append(view.new(ExtractOp(loaded, [index], block)))
    counts = (extents[0] // message.rows, extents[1] // message.columns)
    grid = Grid(blocks, counts, (message.rows, message.columns), pack)
    if message.transposed:
        grid = grid.transposed(grid.values)
    elif tile.column_major:
        grid = transposed(view, grid)
    view.bind(op.result, padded(view, op, tile, grid))


def _rows_in_lanes(view: XeGPUView, op: LoadTileOp) -> Grid:
    """What shall lie with a row of memory in each lane, which the layouts below make transposed messages of.

    Elements of less than 32 bits come as words that hold several: as a descriptor of words, whose blocks are cast.
    """
    tile, type = view.tile(op.source), cast(TileType, op.source.type)
    descriptor, message = tile.access(view, op, "load")
    per_word, extents = _per_word(type, message), _memory_shape(type)
    size = (message.rows, message.columns)
    block = VectorType(type.element_type, size)
    element = type.element_type if per_word == 1 else i32
    loaded_type = VectorType(element, (message.rows, message.columns // per_word))
    first = words(view, _corner(view, tile, type, (0, 0))[1], per_word)
    blocks: list[SSAValue] = []
    for start in block_offsets(extents, size):
        row = _corner(view, tile, type, (start[0], 0))[0]
        place = [row, view.add(first, start[1] // per_word)]
        loaded = view.new(LoadNdOp(descriptor, place, loaded_type, hints=_hints(op)))
        blocks.append(loaded if per_word == 1 else view.new(BitcastOp(loaded, block)))
    counts = (extents[0] // message.rows, extents[1] // message.columns)
    grid = Grid(blocks, counts, size)
    return transposed(view, grid) if tile.column_major else grid


def _block_type(
    tile: TileType, message: BlockConfiguration
) -> tuple[VectorType[Attribute], int]:
    """The type of one loaded block, and how many of its rows share a register word."""
    rows, columns, pack = message.rows, message.columns, 1
    if message.transposed:
        shape = (columns, rows)
    elif message.packed:
        pack = register_word(message, element_bits=memory_bits(tile.element_type) or 8)
        shape = (rows // pack, columns, pack)
    else:
        shape = (rows, columns)
    return VectorType(tile.element_type, shape), pack


def _hints(op: Operation) -> list[CacheHintAttr | None]:
    hints = [op.properties.get(name) for name in ("l1_hint", "l2_hint", "l3_hint")]
    return [
        CacheHintAttr(CacheHint(hint.data.value))
        if isinstance(hint, XeTileCacheHintAttr)
        else None
        for hint in hints
    ]


def _store_tile(view: XeGPUView, op: StoreTileOp) -> None:
    tile = view.tile(op.tile)
    descriptor, message = tile.access(view, op, "store")
    grid = view.grid(op.value)
    if tile.column_major:
        grid = transposed(view, view.repack(grid, (message.columns, message.rows)))
    else:
        grid = view.repack(grid, (message.rows, message.columns))
    type = cast(TileType, op.tile.type)
    starts = block_offsets(_memory_shape(type), grid.block)
    for value, start in zip(grid.values, starts, strict=True):
        corner = _corner(view, tile, type, start)
        view.emit(StoreNdOp(stored(view, value), descriptor, corner, hints=_hints(op)))


def _prefetch_tile(view: XeGPUView, op: PrefetchTileOp) -> None:
    tile = view.tile(op.tile)
    descriptor, message = tile.access(view, op, "prefetch")
    type = cast(TileType, op.tile.type)
    for start in block_offsets(_memory_shape(type), (message.rows, message.width)):
        corner = _corner(view, tile, type, start)
        view.emit(PrefetchNdOp(descriptor, corner, hints=_hints(op)))


def _corner(view: XeGPUView, tile: Tile, type: TileType, start: Sequence[int]) -> list[Offset]:
    """Where a message begins, refused where the program says a place that no message begins at."""
    corner = tile.corner(view, start)
    row, column = map(known_offset, corner)
    for place in (row, column):
        if place is not None and (wrong := SURFACE.place_problem(place)) is not None:
            fail(view.current, wrong)
    if column is not None:
        size = (memory_bits(type.element_type) or 8) // 8
        problem = SURFACE.problem(column=column * size)
        if problem is not None:
            fail(view.current, problem)
    return corner


def update_tile_offset(view: XeGPUView, op: UpdateTileOffsetOp) -> None:
    """The corner moves in the dimensions that loops carry; descriptors stay."""
    tile, steps = view.tile(op.tile), view.mapped(op.mixed_offsets)
    moved = [
        view.index(view.add(tile.offset(dimension), steps[dimension]))
        for dimension in tile.moving
    ]
    view.bind(op.result, tile.with_values(moved))


HANDLERS: Handlers[XeGPUView] = {
    **on(InitTileOp, init_tile),
    **on(LoadTileOp, load_tile),
    **on(StoreTileOp, _store_tile),
    **on(PrefetchTileOp, _prefetch_tile),
    **on(UpdateTileOffsetOp, update_tile_offset),
}
