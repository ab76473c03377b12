"""Ops on tiles: init, offset updates, loads, stores, prefetches, atomic updates."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import cast

from xdsl.ir import Operation, SSAValue

from xetile.dialects.upstream.gpu import BarrierOp
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
from xetile.errors import fail
from xetile.passes.tiles.xetile_wg_to_sg.once import check_one_buffer
from xetile.passes.tiles.xetile_wg_to_sg.subgroup_view import (
    SubgroupView,
    Units,
    retyped,
    unit_vector,
)
from xetile.rewriting.rewriter import Handlers, on


def init_tile(view: SubgroupView, op: InitTileOp) -> None:
    """Make one tile per unit, at the unit's offset or with the unit's indices."""
    distribution = view.distribution_of(op.tile)
    check_one_buffer(op, op.source)
    _check_blocks(op, distribution.unit)
    type = op.tile.type.with_(shape=distribution.unit, wg_map=None)
    source = view.single(op.source)
    if op.indices is not None:
        indices = view.units(op.indices).values
        view.each_unit(
            op.tile,
            distribution,
            lambda unit: InitTileOp(source, [], [], [], type, indices=indices[unit]),
        )
        return
    offsets, sizes, strides = map(
        view.mapped, (op.mixed_offsets, op.mixed_sizes, op.mixed_strides)
    )
    leading, base = offsets[:-2], offsets[-2:]
    tiles: list[SSAValue] = []
    for starts in view.unit_offsets(distribution):
        moved = [view.add(offset, start) for offset, start in zip(base, starts, strict=True)]
        tiles.append(view.new(InitTileOp(source, [*leading, *moved], sizes, strides, type)))
    view.bind(op.tile, Units(tiles, distribution))


def _check_blocks(op: InitTileOp, unit: Sequence[int]) -> None:
    blocks = op.tile.type.inner_blocks
    if blocks is not None and any(n % b for n, b in zip(unit, blocks, strict=True)):
        fail(
            op,
            f"inner_blocks {list(blocks)} do not divide sg_data {list(unit)}, "
            "the tile of one subgroup",
        )


def update_tile_offset(view: SubgroupView, op: UpdateTileOffsetOp) -> None:
    """Move every unit by the same steps, or each element by its own."""
    tiles = view.units(op.tile)
    if op.indices is not None:
        steps = view.units(op.indices).values
        view.each_unit(
            op.results[0],
            tiles.distribution,
            lambda unit: UpdateTileOffsetOp(tiles.values[unit], indices=steps[unit]),
        )
        return
    moved = view.mapped(op.mixed_offsets)
    view.each_unit(
        op.result,
        tiles.distribution,
        lambda unit: UpdateTileOffsetOp(tiles.values[unit], moved),
    )


def _accessed(view: SubgroupView, op: Operation, tile: SSAValue) -> Units:
    """Return the tiles that a load or store accesses; refuse blocks, which no map distributes."""
    type = cast(TileType, tile.type)
    if type.inner_blocks is not None:
        fail(
            op,
            f"{type} moves blocks, a vector of rank 4, and maps distribute those of rank 2; "
            "leave inner_blocks to xetile-blocking",
        )
    return view.units(tile)


def load(view: SubgroupView, op: LoadTileOp | LoadGatherOp) -> None:
    """Rewrite `load_tile` and `load_gather` of each unit, with the mask's unit."""
    tiles = _accessed(view, op, op.operands[0])
    masks = [view.units(mask) for mask in op.operands[1:]]
    type = unit_vector(op.results[0].type, tiles.distribution)
    view.each_unit(
        op.results[0],
        tiles.distribution,
        lambda unit: retyped(op, [tiles.values[unit], *_unit(masks, unit)], [type]),
    )


def _unit(values: Sequence[Units], unit: int) -> list[SSAValue]:
    return [value.values[unit] for value in values]


def store(view: SubgroupView, op: StoreTileOp | StoreScatterOp) -> None:
    """Rewrite `store_tile` and `store_scatter` of each unit, with the mask's unit, in its first owner."""
    with _one_writer(view, op):
        for operands in _written_units(view, op):
            view.emit(retyped(op, operands, []))


@contextmanager
def _one_writer(view: SubgroupView, op: Operation) -> Generator[None]:
    """Emit ops that only the first subgroup with a unit executes, after all subgroups have read there."""
    distribution = view.units(op.operands[1]).distribution
    if distribution.is_shared and view.holdings.needs.written.follows_read(op):
        view.emit(BarrierOp())
    with view.first_owners(distribution):
        yield


def _atomic_rmw_tile(view: SubgroupView, op: AtomicRMWTileOp) -> None:
    if view.units(op.tile).distribution.is_shared:  # nothing takes the result
        with _one_writer(view, op):
            for operands in _written_units(view, op):
                type = unit_vector(op.result.type, view.units(op.tile).distribution)
                view.emit(retyped(op, operands, [type]))
        return
    units = _written_units(view, op)
    distribution = view.units(op.tile).distribution
    type = unit_vector(op.result.type, distribution)
    view.each_unit(op.result, distribution, lambda unit: retyped(op, units[unit], [type]))


def _written_units(view: SubgroupView, op: Operation) -> list[list[SSAValue]]:
    """Return for each unit the value, the tile and the op's other operands, if one subgroup writes each unit."""
    tiles = _accessed(view, op, op.operands[1])
    values = [view.units(operand) for operand in op.operands]
    return [_unit(values, unit) for unit in range(tiles.distribution.local_units)]


def _prefetch_tile(view: SubgroupView, op: PrefetchTileOp) -> None:
    for tile in view.units(op.tile).values:
        view.emit(retyped(op, [tile], []))


HANDLERS: Handlers[SubgroupView] = {
    **on(InitTileOp, init_tile),
    **on(UpdateTileOffsetOp, update_tile_offset),
    **on(LoadTileOp, load),
    **on(LoadGatherOp, load),
    **on(StoreTileOp, store),
    **on(StoreScatterOp, store),
    **on(AtomicRMWTileOp, _atomic_rmw_tile),
    **on(PrefetchTileOp, _prefetch_tile),
}
