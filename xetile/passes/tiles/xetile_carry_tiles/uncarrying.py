"""Make tiles in each round of a loop that carries and moves them."""

from typing import NamedTuple

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from xetile.dialects.known_integers import folded_integer
from xetile.dialects.xetile import InitTileOp, TileType, UpdateTileOffsetOp
from xetile.passes.tiles.xetile_carry_tiles.sums import Offset, added, known, times
from xetile.rewriting.kept_positions import place


class _Carried(NamedTuple):
    """A tile that a loop carries as its value number `at`, and the growth of its offsets with the counter."""

    at: int
    start: InitTileOp
    slopes: tuple[int, ...]


def uncarry(loop: scf.ForOp) -> None:
    """Make the tiles that move with a loop again in each round."""
    step, first = folded_integer(loop.step), folded_integer(loop.lb)
    if step is None or first is None:
        return
    found = [_carried(loop, at, step) for at in range(len(loop.iter_args))]
    carried = [one for one in found if one is not None]
    if carried:
        _rebuild(loop, carried, first)


def _carried(loop: scf.ForOp, at: int, step: int) -> _Carried | None:
    block = loop.body.block
    start, end = loop.iter_args[at].owner, block.last_op
    assert isinstance(end, scf.YieldOp)
    moved = end.operands[at].owner
    if not isinstance(start, InitTileOp) or not isinstance(moved, UpdateTileOffsetOp):
        return None
    if moved.tile is not block.args[at + 1] or start.indices is not None:
        return None
    if loop.results[at].first_use is not None or len(list(moved.result.uses)) > 1:
        return None
    moves = [known(offset) for offset in moved.mixed_offsets]
    numbers = [move for move in moves if isinstance(move, int)]
    if len(numbers) < len(moves) or any(number % step for number in numbers):
        return None
    leading = len(start.mixed_offsets) - len(numbers)
    return _Carried(at, start, (*[0] * leading, *(number // step for number in numbers)))


def _rebuild(loop: scf.ForOp, carried: list[_Carried], first: int) -> None:
    gone = {one.at for one in carried}
    stays = [at for at in range(len(loop.iter_args)) if at not in gone]
    old, block = loop.body.block, loop.parent_block()
    assert block is not None
    new = Block(arg_types=[old.args[0].type, *(old.args[at + 1].type for at in stays)])
    for argument, origin in zip(
        new.args, (old.args[0], *(old.args[at + 1] for at in stays)), strict=True
    ):
        argument.name_hint = origin.name_hint
        origin.replace_all_uses_with(argument)
    for one in carried:
        tile = _made(one, new, first, loop)
        old.args[one.at + 1].replace_all_uses_with(tile)
    for op in list(old.ops):
        op.detach()
        new.add_op(op)
    end = new.last_op
    assert isinstance(end, scf.YieldOp)
    after = scf.YieldOp(*(end.operands[at] for at in stays))
    after.location = end.location
    end.detach()
    end.erase()
    new.add_op(after)
    starts = [loop.iter_args[at] for at in stays]
    replaced = scf.ForOp(loop.lb, loop.ub, loop.step, starts, Region(new))
    replaced.location = loop.location
    replaced.attributes |= loop.attributes
    block.insert_op_before(replaced, loop)
    for at, found in zip(stays, replaced.results, strict=True):
        found.name_hint = loop.results[at].name_hint
        loop.results[at].replace_all_uses_with(found)
    loop.detach()
    loop.erase()


def _made(one: _Carried, block: Block, first: int, loop: scf.ForOp) -> SSAValue:
    """Return the tile of a round, made at the end of a block that begins with the counter."""

    def put(op: Operation) -> None:
        place(op, loop.location)
        outer = loop.parent_block()
        if isinstance(op, arith.ConstantOp) and outer is not None:
            outer.insert_op_before(op, loop)
        else:
            block.add_op(op)

    offsets: list[Offset] = []
    for start, slope in zip(one.start.mixed_offsets, one.slopes, strict=True):
        grown = times(block.args[0], slope, put)
        offset = added(known(start), -first * slope, put) if slope else start
        offsets.append(added(grown, offset, put))
    kind = one.start.tile.type
    assert isinstance(kind, TileType)
    op = InitTileOp(
        one.start.source, offsets, one.start.mixed_sizes, one.start.mixed_strides, kind
    )
    op.attributes |= one.start.attributes
    op.location = one.start.location
    put(op)
    op.tile.name_hint = loop.body.block.args[one.at + 1].name_hint
    return op.tile
