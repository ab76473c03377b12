"""Exchanges that do not wait for each other have one barrier: loads of the first go behind that of the second."""

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free

from xetile.dialects.xetile import LoadTileOp
from xetile.passes.xetile_wg_to_sg.exchanged import Exchanged


def bring_together(exchanges: Sequence[Exchanged]) -> None:
    """Take away barriers between stores and loads of exchanges for which the next one's barrier will do."""
    waiting: list[Exchanged] = []
    for made in exchanges:
        if not waiting or not _joins(waiting, made):
            waiting.clear()
        waiting.append(made)


def _joins(waiting: Sequence[Exchanged], made: Exchanged) -> bool:
    """Whether exchanges before one barrier now stand before that of the next one instead."""
    barriers = waiting[-1].between
    if len(barriers) != 1 or len(made.between) != 1:
        return False
    (start,), (end,) = barriers, made.between
    found = _behind(waiting, start, end, made.before)
    block = end.parent
    if found is None or block is None:
        return False
    for op in reversed(found):
        op.detach()
        block.insert_op_after(op, end)
    barriers.clear()
    start.detach()
    start.erase()
    return True


def _behind(
    waiting: Sequence[Exchanged],
    start: Operation,
    end: Operation,
    before: Sequence[Operation],
) -> list[Operation] | None:
    """The loads after `start` and what needs them, of the ops up to `end`; None where they cannot stand behind that."""
    tiles = {tile.results[0] for made in waiting for tile in made.tiles}
    found: dict[Operation, None] = {}
    op = start.next_op
    while op is not end:
        if op is None:
            return None
        loads = isinstance(op, LoadTileOp) and op.source in tiles
        if loads or _needs(op, found):
            if not loads and not is_side_effect_free(op):
                return None
            found[op] = None
        elif op.name == "gpu.barrier" and op not in before:
            return None
        op = op.next_op
    return list(found)


def _needs(op: Operation, made: dict[Operation, None]) -> bool:
    return any(operand.owner in made for inner in op.walk() for operand in inner.operands)
