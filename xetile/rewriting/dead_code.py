"""Remove ops whose results are not needed, by marking all ops needed by those that must stay.

xDSL's dce has the same result, but visits every op until nothing changes, and asks all traits each time.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, Region
from xdsl.ir.post_order import PostOrderIterator
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriterListener

from xetile.rewriting.effects import is_needless


@dataclass(frozen=True)
class RemoveDeadCode(ModulePass):
    """Remove ops without effects whose results have no uses, and unreachable blocks."""

    name = "dce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remove_dead_code(op.body)


def remove_dead_code(region: Region, listener: PatternRewriterListener | None = None) -> bool:
    """Remove the dead code of a region and return True if there was any."""
    live = set[int]()
    waiting = [op for op in _reached(region) if not is_needless(op)]
    while waiting:
        op = waiting.pop()
        if id(op) in live:
            continue
        live.add(id(op))
        for operand in op.operands:
            if isinstance(operand, OpResult):
                waiting.append(operand.op)
    return _remove(region, live, listener)


def _reached(region: Region) -> Iterator[Operation]:
    """Yield the ops in reachable blocks, including nested ones."""
    for block in _blocks(region):
        for op in block.ops:
            yield op
            for inner in op.regions:
                yield from _reached(inner)


def _blocks(region: Region) -> Iterator[Block]:
    first = region.first_block
    if first is None or first.next_block is None:
        return iter(()) if first is None else iter((first,))
    return PostOrderIterator(first)


def _remove(region: Region, live: set[int], listener: PatternRewriterListener | None) -> bool:
    """Remove ops that are not live. They are compared by identity, which is faster than hashing them."""
    removed = False
    for block in reversed(region.blocks):
        if block is not region.first_block and not any(id(op) in live for op in block.ops):
            region.erase_block(block, safe_erase=False)
            removed = True
            continue
        for op in reversed(block.ops):
            if id(op) in live:
                for inner in op.regions:
                    removed |= _remove(inner, live, listener)
                continue
            if listener is not None:
                listener.handle_operation_removal(op)
            block.erase_op(op, safe_erase=False)
            removed = True
    return removed
