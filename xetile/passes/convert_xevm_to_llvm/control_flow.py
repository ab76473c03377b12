"""Choices of scf at L: blocks; what they hand on becomes block arguments, chunk by chunk. Loops are in loops.py."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.ir import Block, Operation, SSAValue

from xetile.analysis.constants import integers_of
from xetile.analysis.ranges import Interval
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.carried import (
    Slot,
    all_flat,
    bind_carried,
    slots_of,
    types_of,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers
from xetile.targets.target import INDEX_BITS


def yielded(block: Block) -> Sequence[SSAValue]:
    """What a region's last op hands on."""
    last = block.last_op
    return (
        last.operands
        if last is not None and last.name in ("scf.yield", "scf.condition")
        else ()
    )


def _branch(
    view: LLVMView,
    op: Operation,
    branch: Block,
    inside: Block,
    slots: Sequence[Slot],
    behind: Block,
) -> None:
    """One region of an op, in a block of its own, that ends in a branch behind the op."""
    view.enter(inside)
    view.rewrite_block(branch)
    view.current = op
    view.emit(llvm.BrOp(behind, *all_flat(view, yielded(branch), slots)))


def _if(view: LLVMView, op: Operation) -> None:
    branches = [region.blocks[0] for region in op.regions if region.blocks]
    slots = slots_of(view, op.results, *map(yielded, branches))
    behind = Block(arg_types=types_of(slots))
    blocks = [Block() for _ in branches]
    condition = view.scalar(op.operands[0])
    view.emit(llvm.CondBrOp(condition, blocks[0], [], (blocks[1:] or [behind])[0], []))
    for branch, block in zip(branches, blocks, strict=True):
        _branch(view, op, branch, block, slots, behind)
    view.enter(behind)
    bind_carried(view, op.results, slots, behind.args)


def _index_switch(view: LLVMView, op: Operation) -> None:
    """One comparison after the other; the first region is for what no case names."""
    default, *cases = [region.blocks[0] for region in op.regions]
    slots = slots_of(view, op.results, *map(yielded, (default, *cases)))
    behind = Block(arg_types=types_of(slots))
    (flag,) = op.operands
    numbers = integers_of(op, "cases")
    all_fit = all(Interval(number, number).fits(32) for number in numbers)
    bits = view.bits(flag) if all_fit else INDEX_BITS
    for number, branch in zip(numbers, cases, strict=True):
        inside, next = Block(), Block()
        same = view.compare(
            "eq", view.integer(flag, bits), view.integer_constant(number, bits)
        )
        view.emit(llvm.CondBrOp(same, inside, [], next, []))
        _branch(view, op, branch, inside, slots, behind)
        view.enter(next)
    view.rewrite_block(default)
    view.current = op
    view.emit(llvm.BrOp(behind, *all_flat(view, yielded(default), slots)))
    view.enter(behind)
    bind_carried(view, op.results, slots, behind.args)


def _skip(view: LLVMView, op: Operation) -> None:
    """Terminators of regions: their operands are read by the op that owns the region."""


def _return(view: LLVMView, op: Operation) -> None:
    if op.operands:
        fail(op, "a kernel returns nothing")
    view.emit(llvm.ReturnOp())


HANDLERS: Handlers[LLVMView] = {
    "func.return": _return,
    "gpu.return": _return,
    "scf.condition": _skip,
    "scf.if": _if,
    "scf.index_switch": _index_switch,
    "scf.yield": _skip,
}
