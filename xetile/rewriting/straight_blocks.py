"""Merging of blocks that always follow one another."""

from collections import Counter

from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import InsertPoint, Rewriter

_JUMP = "cf.br"


def merge_straight_blocks(function: Operation) -> None:
    """Merge each block of a function's body into its only predecessor if that always jumps to it.

    Blocks with several successors or predecessors stay.
    """
    for region in function.regions[:1]:
        for block in list(region.blocks):
            # A block that was joined to an earlier one no longer has a parent.
            while block.parent is region and (next := _only_successor(region, block)):
                _join(block, next)


def _only_successor(region: Region, block: Block) -> Block | None:
    last = block.last_op
    if last is None or last.name != _JUMP:
        return None
    (next,) = last.successors
    sources = Counter(
        id(successor)
        for source in region.blocks
        if source.last_op is not None
        for successor in source.last_op.successors
    )
    is_entry = next is region.blocks[0]
    return None if is_entry or next is block or sources[id(next)] != 1 else next


def _join(block: Block, next: Block) -> None:
    jump = block.last_op
    assert jump is not None
    given = tuple(jump.operands)
    jump.detach()
    jump.erase()
    Rewriter.inline_block(next, InsertPoint.at_end(block), given)
