"""What a loop computes anew in each round, though nothing that it depends on changes, is computed before it.

As xDSL's licm does for scf.for, here for scf.while too.
"""

from collections import deque
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region
from xdsl.passes import ModulePass
from xdsl.traits import is_speculatable
from xdsl.transforms.loop_invariant_code_motion import can_be_hoisted

from xetile.rewriting.effects import is_pure

_LOOPS = ("scf.for", "scf.while")


@dataclass(frozen=True)
class HoistLoopInvariants(ModulePass):
    """Move ops without side effects out of loops that change none of their operands, from the innermost loop on."""

    name = "licm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in [o for o in op.walk(region_first=True) if o.name in _LOOPS]:
            for region in loop.regions:
                _hoist(loop, region)


def _hoist(loop: Operation, region: Region) -> None:
    block = loop.parent_block()
    assert block is not None
    waiting = deque(op for inner in region.blocks for op in inner.ops)
    while waiting:
        op = waiting.popleft()
        if op.parent_region() is not region or not _may_move(op, region):
            continue
        op.detach()
        block.insert_op_before(op, loop)
        uses = [use for result in op.results for use in result.uses]
        waiting.extend(u.operation for u in uses if u.operation.parent_region() is region)


def _may_move(op: Operation, region: Region) -> bool:
    return is_pure(op) and is_speculatable(op) and bool(can_be_hoisted(op, region))
