"""Tiles in XeGPU: descriptors, and the messages of loads, stores and prefetches.

This includes accesses whose messages move other words than a tile's elements, or more than the tile. The message of a
column-major tile of f16 exchanges words of two elements, so its descriptor has words as elements:

    %d = xegpu.create_nd_tdesc %address, shape : [96, 32], strides : [32, 1] : i64 -> !xegpu.tensor_desc<16x8xi32>
    %w = xegpu.load_nd %d[16, %words] : !xegpu.tensor_desc<16x8xi32> -> vector<16x8xi32>
    %v = vector.bitcast %w : vector<16x8xi32> to vector<16x16xf16>
"""

from collections.abc import Iterator, Sequence
from math import lcm
from typing import cast

from xdsl.dialects.builtin import FloatTF32Type, IndexType, UnitAttr, VectorType, f32
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.shared_attributes import integer_array, integer_type
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import BitcastOp, ExtractOp, ExtractStridedSliceOp
from xetile.dialects.upstream.vector.vector_support import vector_of, vector_type
from xetile.dialects.xegpu import LoadNdOp, PrefetchNdOp, StoreNdOp, TensorDescType
from xetile.dialects.xetile import (
    AtomicRMWTileOp,
    InitTileOp,
    LoadGatherOp,
    LoadTileOp,
    PrefetchTileOp,
    StoreScatterOp,
    StoreTileOp,
    TileType,
    UpdateTileOffsetOp,
)
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.dialects.xetile.xetile_attributes import COLUMN_MAJOR, GLOBAL
from xetile.errors import fail
from xetile.layout.algebra.block_grids import block_offsets, containing_block
from xetile.layout.intel.message_layouts import BlockConfiguration, register_word
from xetile.passes.xe.convert_xetile_to_xegpu.atomic_tiles import atomic_rmw_tile
from xetile.passes.xe.convert_xetile_to_xegpu.bands import Bands
from xetile.passes.xe.convert_xetile_to_xegpu.block_combinations import transposed
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import (
    loaded,
    message_element,
    stored,
)
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import loaded as as_elements
from xetile.passes.xe.convert_xetile_to_xegpu.padding import padded
from xetile.passes.xe.convert_xetile_to_xegpu.scattered_tiles import (
    ScatteredTile,
    hints_of,
    init_scattered_tile,
    load_gather,
    store_scatter,
    update_scattered_tile,
)
from xetile.passes.xe.convert_xetile_to_xegpu.shared_tiles import (
    SharedTile,
    init_shared_tile,
    load_shared_tile,
    store_shared_tile,
)
from xetile.passes.xe.convert_xetile_to_xegpu.surface_operands import (
    Surface,
    counted_in_words,
    describe_surface,
    known_bytes,
    known_offset,
)
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import (
    Descriptor,
    Grid,
    Placed,
    Tile,
    XeGPUView,
)
from xetile.planning.xe.message_plans import in_memory
from xetile.planning.xe.message_words import access_of, word_bits
from xetile.planning.xe.roles import Block, pads
from xetile.planning.xe.uses import TileUse, use_of
from xetile.rewriting.one_to_many import Expansion, Offset
from xetile.rewriting.rewriter import Handlers, on
from xetile.targets.xe.surface import SURFACE


def element_bits(tile: TileType) -> int:
    """Return the bits of a tile's element in memory."""
    bits = memory_bits(tile.element_type)
    assert bits is not None, "a surface of such elements is refused"
    return bits


def bits_of_words(
    view: XeGPUView, tile: TileType, use: TileUse, message: BlockConfiguration
) -> int:
    """Return the bits of the words in which a message moves a tile, usually those of an element."""
    return word_bits(view.device, access_of(use, message), message, element_bits(tile))


def words_type(
    element: Attribute, rows: int, columns: int, bits: int, word: int
) -> VectorType[Attribute]:
    """Return the type of a block of elements in words."""
    kind = message_element(element) if word == bits else integer_type(word)
    return vector_of(kind, (rows, columns * bits // word))


def cast_to(view: Expansion, value: SSAValue, type: VectorType[Attribute]) -> SSAValue:
    """Return the same bits as elements of another size; tf32 is f32 in memory, and index is i64."""
    if value.type == type:
        return value
    given = vector_type(value)
    if isinstance(type.element_type, IndexType):
        numbers = VectorType(message_element(type.element_type), type.get_shape())
        return loaded(view, cast_to(view, value, numbers), type.element_type)
    if isinstance(given.element_type, IndexType):
        return cast_to(view, stored(view, value), type)
    if isinstance(given.element_type, FloatTF32Type):
        value = view.new(arith.ExtFOp(value, VectorType(f32, given.get_shape())))
    return view.new(BitcastOp(value, type))


def within(view: Expansion, covered: Grid, block: Block, extents: Block) -> Grid:
    """Return the blocks of a vector of these extents, cut from larger messages that also loaded elements around it."""
    if covered.block == block:
        return covered

    def part(row: int, column: int) -> SSAValue:
        source, start = containing_block(covered.block, block, row, column)
        value = covered.at(*source)
        if vector_type(value).get_shape() == block:
            return value
        return view.new(ExtractStridedSliceOp(value, list(start), list(block)))

    shape = (extents[0] // block[0], extents[1] // block[1])
    return Grid.built(shape, block, part)


def fits(message: BlockConfiguration, block: Block) -> bool:
    """Return True if a message moves no more than a block, as upstream's smaller messages do."""
    return message.rows <= block[0] and message.columns <= block[1]


def rounded_up(extents: Block, block: Block) -> Block:
    """Return the extents of the fewest whole blocks that cover a tile."""
    rows, columns = (-(-n // step) * step for n, step in zip(extents, block, strict=True))
    return rows, columns


def inner_blocks(tile: TileType) -> Block:
    """Return the blocks of a tile that has them."""
    return cast(Block, tile.inner_blocks)


def init_tile(view: XeGPUView, op: InitTileOp) -> None:
    """Rewrite a tile as one descriptor per use, and the place of its corner."""
    tile = op.tile.type
    if tile.scattered:
        init_scattered_tile(view, op)
        return
    if tile.memory_space != GLOBAL:
        init_shared_tile(view, op)
        return
    accesses = view.messages.tiles.accesses(op.tile)
    single = [access for access in accesses if use_of(access) is None]
    surface = describe_surface(view, op, by_messages=len(single) < max(1, len(accesses)))
    descriptors: dict[Descriptor, SSAValue] = {}
    for access in accesses:
        use = use_of(access)
        if use is None:
            continue
        for message in view.messages.messages(access, use):
            if (use, message) not in descriptors:
                descriptors[use, message] = _descriptor(view, tile, surface, use, message)
    fixed: dict[int, Offset] = dict(enumerate(surface.offsets))
    moving = {
        dimension: view.index(fixed.pop(dimension))
        for dimension in view.messages.tiles.moving_dimensions(op.tile)
    }
    sizes = surface.plane(op.source.type, tile.order)
    parts = (list(moving.values()), list(moving), fixed, sizes, descriptors)
    elements = surface.elements(view, op.source.type, tile) if single else None
    view.bind(op.tile, Tile(*parts, tile.order == COLUMN_MAJOR, elements))


def _descriptor(
    view: XeGPUView,
    tile: TileType,
    surface: Surface,
    use: TileUse,
    message: BlockConfiguration,
) -> SSAValue:
    bits, word = element_bits(tile), bits_of_words(view, tile, use, message)
    block = words_type(tile.element_type, message.rows, message.columns, bits, word)
    if block.element_type != tile.element_type:
        surface = surface.in_words(view, bits, word)
    type = TensorDescType.block(
        block.get_shape(), block.element_type, array_length=message.blocks
    )
    return surface.descriptor(view, type)


def load_tile(view: XeGPUView, op: LoadTileOp) -> None:
    """Load a tile by the fewest messages that cover it; elements outside the surface are padded."""
    shared = view.get(op.source)
    if isinstance(shared, SharedTile):
        load_shared_tile(view, op, shared)
        return
    tile, type = view.tile(op.source), cast(TileType, op.source.type)
    stack = tile.access(view, op, "load")
    message = stack[0][1]
    is_stack = view.messages.is_stack(op, "load")
    otherwise = (
        bits_of_words(view, type, "load", message) != element_bits(type)
        or (message.transposed and not tile.column_major)
        or (not is_stack and not fits(message, in_memory(type, inner_blocks(type))))
    )
    if otherwise:
        view.bind(op.result, padded(view, op, tile, _loaded_otherwise(view, op)))
        return
    if is_stack:
        bands = _loaded_in_bands(view, op, stack)
        if not (tile.column_major or pads(op)):
            view.bind(op.result, bands)
            return
        grid = view.evenly(bands, in_memory(type, inner_blocks(type))[0])
    else:
        blocks = _loaded(view, op, *stack[0])
        extents = in_memory(type, type.shape)
        counts = (extents[0] // message.rows, extents[1] // message.columns)
        grid = Grid(blocks, counts, message[:2], _pack(type, message))
    if message.transposed:
        grid = grid.transposed(grid.values)
    elif tile.column_major:
        grid = transposed(view, grid)
    view.bind(op.result, padded(view, op, tile, grid))


def _loaded(
    view: XeGPUView,
    op: LoadTileOp,
    descriptor: SSAValue,
    message: BlockConfiguration,
    rows: range | None = None,
) -> list[SSAValue]:
    """Return the blocks of one message that is repeated over a tile, or over some of its rows."""
    tile, type = view.tile(op.source), cast(TileType, op.source.type)
    block = _block_type(type, message)
    shape = block.get_shape()
    if message.blocks > 1:
        shape = (message.blocks, *shape)
    height, width = in_memory(type, type.shape)
    rows = rows or range(height)
    blocks: list[SSAValue] = []
    for start in block_offsets((len(rows), width), (message.rows, message.width)):
        first = (rows.start + start[0], start[1])
        load = LoadNdOp(
            descriptor,
            offsets=_corner(view, tile, type, first),
            result_type=VectorType(message_element(type.element_type), shape),
            packed=UnitAttr() if message.packed else None,
            transpose=integer_array([1, 0]) if message.transposed else None,
            hints=hints_of(op),
        )
        loaded = as_elements(view, view.message(load, first).results[0], type.element_type)
        if message.blocks == 1:
            blocks.append(loaded)
            continue
        for index in range(message.blocks):
            blocks.append(view.new(ExtractOp(loaded, [index], block)))
    return blocks


def _loaded_in_bands(
    view: XeGPUView, op: LoadTileOp, stack: Sequence[tuple[SSAValue, BlockConfiguration]]
) -> Bands:
    """Return the blocks of messages one below the other."""
    blocks: list[SSAValue] = []
    for rows, (descriptor, message) in _placed(stack):
        blocks += _loaded(view, op, descriptor, message, rows)
    type, first = cast(TileType, op.source.type), stack[0][1]
    height = in_memory(type, type.shape)[0]
    heights = tuple(min(rows.stop, height) - rows.start for rows, _ in _placed(stack))
    return Bands(blocks, heights, first.columns, _pack(type, first))


def _placed(
    stack: Sequence[tuple[SSAValue, BlockConfiguration]],
) -> Iterator[tuple[range, tuple[SSAValue, BlockConfiguration]]]:
    """Yield messages one below the other with the rows of the tile that they move."""
    start = 0
    for descriptor, message in stack:
        yield range(start, start + message.rows), (descriptor, message)
        start += message.rows


def _loaded_otherwise(view: XeGPUView, op: LoadTileOp) -> Grid:
    """Load a tile by messages of words, of a row of memory in each lane, or of more than the tile.

    Transposed messages of words, and of row-major tiles, are made of it by the layouts below.
    """
    tile, type = view.tile(op.source), cast(TileType, op.source.type)
    descriptor, message = tile.access(view, op, "load")[0]
    bits, word = element_bits(type), bits_of_words(view, type, "load", message)
    size, extents = (message.rows, message.width), in_memory(type, type.shape)
    block = VectorType(type.element_type, size)
    loaded_type = words_type(type.element_type, *size, bits, word)
    first = counted_in_words(view, _corner(view, tile, type, (0, 0))[1], bits, word)
    blocks: list[SSAValue] = []
    for start in block_offsets(rounded_up(extents, size), size):
        row = _corner(view, tile, type, (start[0], 0))[0]
        place = [row, view.add(first, start[1] * bits // word)]
        load = LoadNdOp(descriptor, offsets=place, result_type=loaded_type, hints=hints_of(op))
        loaded = view.message(load, start).results[0]
        if word == bits:
            blocks.append(as_elements(view, loaded, type.element_type))
        else:
            blocks.append(cast_to(view, loaded, block))
    across = rounded_up(extents, size)[1] // message.width
    covered = Grid(blocks, (len(blocks) // across, across), size)
    grid = within(view, covered, in_memory(type, inner_blocks(type)), extents)
    return transposed(view, grid) if tile.column_major else grid


def _block_type(tile: TileType, message: BlockConfiguration) -> VectorType[Attribute]:
    rows, columns, pack = message.rows, message.columns, _pack(tile, message)
    if message.transposed:
        shape = (columns, rows)
    elif message.packed:
        shape = (rows // pack, columns, pack)
    else:
        shape = (rows, columns)
    return VectorType(tile.element_type, shape)


def _pack(tile: TileType, message: BlockConfiguration) -> int:
    """Return how many rows of a loaded block share a register word."""
    if not message.packed:
        return 1
    return register_word(message, element_bits=memory_bits(tile.element_type) or 8)


def _store_tile(view: XeGPUView, op: StoreTileOp) -> None:
    shared = view.get(op.tile)
    if isinstance(shared, SharedTile):
        store_shared_tile(view, op, shared)
        return
    tile, type = view.tile(op.tile), cast(TileType, op.tile.type)
    stack = tile.access(view, op, "store")
    message = stack[0][1]
    value = view.blocks(op.value)
    if tile.column_major:
        grid = view.grid(op.value)
        joined = _whole_blocks(type, grid.block, (message.columns, stack[-1][1].rows))
        value = transposed(view, view.repack(grid, joined))
    if len(stack) > 1 or isinstance(value, Bands):
        heights = tuple(m.rows for _, m in stack)
        if len(stack) == 1:
            heights *= in_memory(type, type.shape)[0] // message.rows
            stack *= len(heights)
        bands = view.banded(value, heights, message.columns)
        for band, (rows, (descriptor, _)) in enumerate(_placed(stack)):
            for column in range(bands.columns):
                start = (rows.start, column * message.columns)
                _store(view, op, descriptor, message, bands.at(band, column), start)
        return
    grid = view.repack(value, message[:2])
    starts = block_offsets(in_memory(type, type.shape), grid.block)
    for block, start in zip(grid.values, starts, strict=True):
        _store(view, op, stack[0][0], message, block, start)


def _store(
    view: XeGPUView,
    op: StoreTileOp,
    descriptor: SSAValue,
    message: BlockConfiguration,
    value: SSAValue,
    start: Sequence[int],
) -> None:
    """Store one block, in the words of its message."""
    tile, type = view.tile(op.tile), cast(TileType, op.tile.type)
    bits, word = element_bits(type), bits_of_words(view, type, "store", message)
    first = counted_in_words(view, _corner(view, tile, type, (0, 0))[1], bits, word)
    row = _corner(view, tile, type, (start[0], 0))[0]
    place = [row, view.add(first, start[1] * bits // word)]
    rows, columns = vector_type(value).get_shape()
    in_words = words_type(type.element_type, rows, columns, bits, word)
    words = stored(view, value) if word == bits else cast_to(view, value, in_words)
    view.message(StoreNdOp(words, descriptor, offsets=place, hints=hints_of(op)), start)


def _whole_blocks(tile: TileType, have: Block, want: Block) -> Block:
    """Return blocks that old and wanted ones tile, so that none is cut before its transpose; else the wanted ones."""
    rows, columns = (lcm(*extents) for extents in zip(have, want, strict=True))
    whole = tile.shape[0] % rows == 0 and tile.shape[1] % columns == 0
    return (rows, columns) if whole else want


def _prefetch_tile(view: XeGPUView, op: PrefetchTileOp) -> None:
    if isinstance(view.get(op.tile), SharedTile):
        return  # shared memory has no caches
    tile, type = view.tile(op.tile), cast(TileType, op.tile.type)
    stack = tile.access(view, op, "prefetch")
    message = stack[0][1]
    bits, word = element_bits(type), bits_of_words(view, type, "prefetch", message)
    first = counted_in_words(view, _corner(view, tile, type, (0, 0))[1], bits, word)
    height, width = rounded_up(in_memory(type, type.shape), (message.rows, message.width))
    if len(stack) == 1:
        stack *= height // message.rows
    for rows, (descriptor, _) in _placed(stack):
        for column in range(0, width, message.width):
            row = _corner(view, tile, type, (rows.start, 0))[0]
            place = [row, view.add(first, column * bits // word)]
            prefetch = PrefetchNdOp(descriptor, offsets=place, hints=hints_of(op))
            view.message(prefetch, (rows.start, column))


def _corner(view: XeGPUView, tile: Tile, type: TileType, start: Sequence[int]) -> list[Offset]:
    """Return where a message begins; refuse a constant place at which no message can begin."""
    corner = tile.message_corner(view, start)
    row, column = map(known_offset, corner)
    for place in (row, column):
        if place is not None and (wrong := SURFACE.place_problem(place)) is not None:
            fail(view.current, wrong)
    if column is not None:
        problem = SURFACE.problem(column=known_bytes(column, element_bits(type)))
        if problem is not None:
            fail(view.current, problem)
    return corner


def update_tile_offset(view: XeGPUView, op: UpdateTileOffsetOp) -> None:
    """Move the corner in the dimensions that loops carry; descriptors stay."""
    tile = view.get(op.tile)
    if isinstance(tile, ScatteredTile):
        update_scattered_tile(view, op, tile)
        return
    if not isinstance(tile, Placed):
        tile = view.tile(op.tile)
    steps = view.mapped(op.mixed_offsets)
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
    **on(LoadGatherOp, load_gather),
    **on(StoreScatterOp, store_scatter),
    **on(AtomicRMWTileOp, atomic_rmw_tile),
}
