"""Make tiles before a loop that makes them in each round; the loop carries and moves them."""

from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from xetile.dialects.known_integers import folded_integer
from xetile.dialects.xetile import InitTileOp, TileType, UpdateTileOffsetOp
from xetile.passes.tiles.xetile_carry_tiles.sums import Offset, Put, added, known, times
from xetile.rewriting.kept_positions import place

_MOVED = 2
"""Rows and columns; leading offsets of a tile do not move."""


class _Moving(NamedTuple):
    """A tile that a loop makes, and the growth of each offset when the counter grows by one."""

    tile: InitTileOp
    slopes: tuple[int, ...]


def carry(loop: scf.ForOp) -> None:
    """Carry the tiles that are made directly in a loop's body and move with it."""
    step = folded_integer(loop.step)
    if step is None:
        return
    found = [_moving(op, loop) for op in loop.body.block.ops if isinstance(op, InitTileOp)]
    moving = [one for one in found if one is not None]
    if moving:
        _rebuild(loop, moving, step)


def _moving(tile: InitTileOp, loop: scf.ForOp) -> _Moving | None:
    if tile.indices is not None:
        return None
    kept = (tile.source, *tile.sizes, *tile.strides)
    slopes = [_slope(offset, loop) for offset in tile.mixed_offsets]
    if any(_is_inside(value, loop) for value in kept) or None in slopes:
        return None
    growing = tuple(slope for slope in slopes if slope is not None)
    if not any(growing) or any(growing[:-_MOVED]):
        return None
    return _Moving(tile, growing)


def _is_inside(value: SSAValue, loop: scf.ForOp) -> bool:
    return loop.is_ancestor(value.owner)


def _slope(offset: Offset, loop: scf.ForOp) -> int | None:
    """Return the growth of an offset with the counter, or None if it depends on the round in another way."""
    offset = known(offset)
    if isinstance(offset, int) or not _is_inside(offset, loop):
        return 0
    if offset is loop.body.block.args[0]:
        return 1
    op = offset.owner
    if not isinstance(op, Operation) or op.name not in (
        "arith.addi",
        "arith.subi",
        "arith.muli",
    ):
        return None
    left, right = (_slope(operand, loop) for operand in op.operands)
    if left is None or right is None:
        return None
    if op.name == "arith.muli":
        return _product(op, left, right)
    return left + right if op.name == "arith.addi" else left - right


def _product(op: Operation, left: int, right: int) -> int | None:
    first, second = (folded_integer(operand) for operand in op.operands)
    if second is not None:
        return left * second
    if first is not None:
        return right * first
    return 0 if left == right == 0 else None


def _rebuild(loop: scf.ForOp, moving: list[_Moving], step: int) -> None:
    """Rebuild the loop with the tiles carried before its other carried values."""
    block = loop.parent_block()
    assert block is not None

    def put(op: Operation) -> None:
        place(op, loop.location)
        block.insert_op_before(op, loop)

    old = loop.body.block
    tiles = [one.tile for one in moving]
    starts = [_start(tile, loop, put) for tile in tiles]
    types = [
        old.args[0].type,
        *(tile.tile.type for tile in tiles),
        *(a.type for a in old.args[1:]),
    ]
    new = Block(arg_types=types)
    for argument, origin in zip(
        new.args, (old.args[0], *(t.tile for t in tiles), *old.args[1:]), strict=True
    ):
        argument.name_hint = origin.name_hint
        origin.replace_all_uses_with(argument)
    for op in list(old.ops):
        op.detach()
        new.add_op(op)
    end = new.last_op
    assert isinstance(end, scf.YieldOp)
    moved = [_next(new.args[n + 1], one, step, end) for n, one in enumerate(moving)]
    after = scf.YieldOp(*moved, *end.operands)
    after.location = end.location
    end.detach()
    new.add_op(after)
    for tile in tiles:
        tile.detach()
        tile.erase()
    replaced = scf.ForOp(loop.lb, loop.ub, loop.step, [*starts, *loop.iter_args], Region(new))
    replaced.location = loop.location
    replaced.attributes |= loop.attributes
    block.insert_op_before(replaced, loop)
    for result, found in zip(loop.results, replaced.results[len(tiles) :], strict=True):
        found.name_hint = result.name_hint
        result.replace_all_uses_with(found)
    loop.detach()
    loop.erase()


def _start(tile: InitTileOp, loop: scf.ForOp, put: Put) -> SSAValue:
    offsets = [_before(offset, loop, put) for offset in tile.mixed_offsets]
    kind = tile.tile.type
    assert isinstance(kind, TileType)
    made = InitTileOp(tile.source, offsets, tile.mixed_sizes, tile.mixed_strides, kind)
    made.attributes |= tile.attributes
    made.location = tile.location
    put(made)
    if tile.tile.name_hint is not None:
        made.tile.name_hint = f"{tile.tile.name_hint.removesuffix('_tile')}_start"
    return made.tile


def _before(offset: Offset, loop: scf.ForOp, put: Put) -> Offset:
    """Return an offset of the first round, computed before the loop."""
    offset = known(offset)
    if isinstance(offset, int) or not _is_inside(offset, loop):
        return offset
    if offset is loop.body.block.args[0]:
        return known(loop.lb)
    op = offset.owner
    assert isinstance(op, Operation)
    left, right = (_before(operand, loop, put) for operand in op.operands)
    if op.name == "arith.muli":
        if isinstance(left, int):
            return times(right, left, put)
        assert isinstance(right, int)
        return times(left, right, put)
    return added(left, right if op.name == "arith.addi" else times(right, -1, put), put)


def _next(tile: SSAValue, moving: _Moving, step: int, end: Operation) -> SSAValue:
    block = end.parent_block()
    assert block is not None
    op = UpdateTileOffsetOp(tile, [slope * step for slope in moving.slopes[-_MOVED:]])
    op.location = moving.tile.location
    block.insert_op_before(op, end)
    if tile.name_hint is not None:
        op.result.name_hint = f"{tile.name_hint}_next"
    return op.result
