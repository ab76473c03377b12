"""Tiles in XeGPU: descriptors, and the messages of loads, stores and prefetches."""

from typing import cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.load_planning import memory_bits
from xetile.analysis.messages import TileUse
from xetile.dialects.vector import ExtractOp
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
from xetile.errors import fail
from xetile.layout.block_io import BlockConfiguration, register_word
from xetile.layout.grid import block_offsets
from xetile.passes.expansion import Offset
from xetile.passes.surfaces import Surface, describe_surface
from xetile.passes.xetile_to_xegpu.padding import padded
from xetile.passes.xetile_to_xegpu.view import Grid, Tile, XeGPUView


def init_tile(view: XeGPUView, op: Operation) -> None:
    """A tile is a descriptor per way of using it, and where its corner is."""
    assert isinstance(op, InitTileOp)
    tile = op.tile.type
    if tile.scattered:
        fail(
            op, "scattered tiles are not lowered to XeGPU yet; this kernel runs at the levels above"
        )
    surface = describe_surface(view, op)
    descriptors: dict[TileUse, tuple[SSAValue, BlockConfiguration]] = {}
    for use in view.messages.uses(op.tile):
        message = view.messages.message(op.tile, use)
        descriptors[use] = (_descriptor(view, surface, tile, message), message)
    fixed: dict[int, Offset] = dict(enumerate(surface.offsets))
    moving = {
        dimension: view.index(fixed.pop(dimension))
        for dimension in view.messages.moving_dimensions(op.tile)
    }
    view.bind(op.tile, Tile(descriptors, fixed, moving, surface.plane(op.source.type)))


def _descriptor(
    view: XeGPUView, surface: Surface, tile: TileType, message: BlockConfiguration
) -> SSAValue:
    type = TensorDescType.block(
        (message.rows, message.columns), tile.element_type, array_length=message.blocks
    )
    return surface.descriptor(view, type)


def load_tile(view: XeGPUView, op: Operation) -> None:
    """The fewest messages that cover the tile; what is outside of the surface is padded."""
    assert isinstance(op, LoadTileOp)
    tile = view.tile(op.operands[0])
    descriptor, message = tile.descriptors["load"]
    type = cast(TileType, op.operands[0].type)
    pack = (
        register_word(message, element_bits=memory_bits(type.element_type) or 8)
        if message.packed
        else 1
    )
    shape = (type.shape[0] // message.rows, type.shape[1] // message.columns)
    blocks: list[SSAValue] = []
    for start in block_offsets(type.shape, (message.rows, message.width)):
        corner = [view.add(tile.offset(d), start[d]) for d in range(2)]
        loaded = view.emit_value(
            LoadNdOp(
                descriptor,
                corner,
                _loaded_type(type, message, pack),
                packed=message.packed,
                hints=_hints(op),
            )
        )
        if message.blocks == 1:
            blocks.append(loaded)
        else:
            blocks.extend(
                view.emit_value(ExtractOp(loaded, [index], _block_type(type, message, pack)))
                for index in range(message.blocks)
            )
    grid = Grid(blocks, shape, (message.rows, message.columns), pack)
    view.bind(op.results[0], padded(view, op, tile, grid))


def _block_type(tile: TileType, message: BlockConfiguration, pack: int) -> VectorType[Attribute]:
    if pack == 1:
        return VectorType(tile.element_type, (message.rows, message.columns))
    return VectorType(tile.element_type, (message.rows // pack, message.columns, pack))


def _loaded_type(tile: TileType, message: BlockConfiguration, pack: int) -> VectorType[Attribute]:
    block = _block_type(tile, message, pack)
    if message.blocks == 1:
        return block
    return VectorType(tile.element_type, (message.blocks, *block.get_shape()))


def _hints(op: Operation) -> list[CacheHintAttr | None]:
    """The op's cache hints in XeGPU's spelling."""
    hints = [op.properties.get(name) for name in ("l1_hint", "l2_hint", "l3_hint")]
    return [
        CacheHintAttr(CacheHint(hint.data.value)) if isinstance(hint, XeTileCacheHintAttr) else None
        for hint in hints
    ]


def store_tile(view: XeGPUView, op: Operation) -> None:
    """One message per block."""
    assert isinstance(op, StoreTileOp)
    tile = view.tile(op.operands[1])
    descriptor, message = tile.descriptors["store"]
    grid = view.repack(view.grid(op.operands[0]), (message.rows, message.columns))
    shape = cast(TileType, op.operands[1].type).shape
    starts = block_offsets(shape, grid.block)
    for value, start in zip(grid.values, starts, strict=True):
        corner = [view.add(tile.offset(d), start[d]) for d in range(2)]
        view.emit(StoreNdOp(value, descriptor, corner, hints=_hints(op)))


def prefetch_tile(view: XeGPUView, op: Operation) -> None:
    """The fewest messages that cover the tile."""
    assert isinstance(op, PrefetchTileOp)
    tile = view.tile(op.operands[0])
    descriptor, message = tile.descriptors["prefetch"]
    shape = cast(TileType, op.operands[0].type).shape
    for start in block_offsets(shape, (message.rows, message.width)):
        corner = [view.add(tile.offset(d), start[d]) for d in range(2)]
        view.emit(PrefetchNdOp(descriptor, corner, hints=_hints(op)))


def update_tile_offset(view: XeGPUView, op: Operation) -> None:
    """The corner moves in the dimensions that loops carry; descriptors stay."""
    assert isinstance(op, UpdateTileOffsetOp)
    tile = view.tile(op.operands[0])
    steps = [s if isinstance(s, int) else view.single(s) for s in op.mixed_offsets]
    moved = [
        view.index(view.add(tile.offset(dimension), steps[dimension])) for dimension in tile.moving
    ]
    view.bind(op.results[0], tile.with_values(moved))
