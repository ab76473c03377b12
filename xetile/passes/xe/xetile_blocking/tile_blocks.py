"""Tiles get the blocks of their messages, and accesses use the same blocks."""

from typing import cast

from xdsl.ir import Operation

from xetile.analysis.same_value import is_tile_vector
from xetile.dialects.xetile import (
    AtomicRMWTileOp,
    InitTileOp,
    LoadGatherOp,
    LoadTileOp,
    StoreScatterOp,
    StoreTileOp,
    TileType,
    UpdateTileOffsetOp,
)
from xetile.passes.xe.xetile_blocking.blocked_view import BlockedView
from xetile.rewriting.rewriter import Handlers, on, remade


def _init_tile(view: BlockedView, op: InitTileOp) -> None:
    blocked = op.tile.type.with_(inner_blocks=view.blocks.tile_block(op.tile))
    operands = [view.single(operand) for operand in op.operands]
    view.bind(op.tile, view.new(remade(op, operands, [blocked])))


def _update_tile_offset(view: BlockedView, op: UpdateTileOffsetOp) -> None:
    operands = [view.single(operand) for operand in op.operands]
    view.bind(op.results[0], view.new(remade(op, operands, [operands[0].type])))


def _access(view: BlockedView, op: Operation) -> None:
    """Rewrite loads, stores, gathers, scatters and atomics: values and masks have the blocks of the tile."""
    tile = next(view.single(v) for v in op.operands if isinstance(v.type, TileType))
    block = cast(TileType, tile.type).inner_blocks
    if block is None or not any(is_tile_vector(v.type) for v in (*op.operands, *op.results)):
        view.copy(op)
        return
    view.on_blocks(op, block)


HANDLERS: Handlers[BlockedView] = {
    **on(InitTileOp, _init_tile),
    **on(UpdateTileOffsetOp, _update_tile_offset),
    **on(LoadTileOp, _access),
    **on(StoreTileOp, _access),
    **on(LoadGatherOp, _access),
    **on(StoreScatterOp, _access),
    **on(AtomicRMWTileOp, _access),
}
