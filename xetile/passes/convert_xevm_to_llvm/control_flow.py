"""scf at L: loops and branches become blocks; what they carry becomes block arguments, chunk by chunk."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IndexType, IntegerType
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
from xetile.passes.convert_xevm_to_llvm.prefetches import plan_prefetches
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers
from xetile.targets.target import INDEX_BITS


def _yielded(block: Block) -> Sequence[SSAValue]:
    last = block.last_op
    return (
        last.operands
        if last is not None and last.name in ("scf.yield", "scf.condition")
        else ()
    )


def _counter_bits(view: LLVMView, op: Operation) -> int:
    """Bits of a loop's counter: 32 where the bounds, the step and the value past the end fit."""
    low, high, step = op.operands[:3]
    counter = op.regions[0].blocks[0].args[0]
    if not isinstance(counter.type, IndexType):
        return view.bits(counter)
    ranges = view.ranges
    if not view.fits(low, high, step):
        return 64
    past = Interval(ranges[high].low, ranges[high].high + ranges[step].high)
    return 32 if past.fits(32) else 64


def _for(view: LLVMView, op: Operation) -> None:
    body = op.regions[0].blocks[0]
    counter, *arguments = body.args
    slots = slots_of(view, arguments, op.operands[3:], _yielded(body), op.results)
    bits = _counter_bits(view, op)
    low, high, step = (view.integer(value, bits) for value in op.operands[:3])
    initial = all_flat(view, op.operands[3:], slots)
    plan_prefetches(view, op)

    head = Block(arg_types=[IntegerType(bits), *types_of(slots)])
    inside, behind = Block(), Block()
    view.emit(llvm.BrOp(head, low, *initial))
    view.enter(head)
    again = view.compare("slt", head.args[0], high)
    view.emit(llvm.CondBrOp(again, inside, [], behind, []))

    view.enter(inside)
    view.bind(counter, head.args[0])
    bind_carried(view, arguments, slots, head.args[1:])
    view.rewrite_block(body)
    view.current = op
    carried = all_flat(view, _yielded(body), slots)
    next = view.new(llvm.AddOp(head.args[0], step))
    view.emit(llvm.BrOp(head, next, *carried))

    view.enter(behind)
    bind_carried(view, op.results, slots, head.args[1:])


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
    view.emit(llvm.BrOp(behind, *all_flat(view, _yielded(branch), slots)))


def _if(view: LLVMView, op: Operation) -> None:
    branches = [region.blocks[0] for region in op.regions if region.blocks]
    slots = slots_of(view, op.results, *map(_yielded, branches))
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
    slots = slots_of(view, op.results, *map(_yielded, (default, *cases)))
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
    view.emit(llvm.BrOp(behind, *all_flat(view, _yielded(default), slots)))
    view.enter(behind)
    bind_carried(view, op.results, slots, behind.args)


def _while(view: LLVMView, op: Operation) -> None:
    before, after = (region.blocks[0] for region in op.regions)
    condition, *passed = _yielded(before)
    slots = slots_of(view, before.args, op.operands, _yielded(after))
    results = slots_of(view, after.args, passed, op.results)
    head = Block(arg_types=types_of(slots))
    inside, behind = (Block(arg_types=types_of(results)) for _ in range(2))
    view.emit(llvm.BrOp(head, *all_flat(view, op.operands, slots)))

    view.enter(head)
    bind_carried(view, before.args, slots, head.args)
    view.rewrite_block(before)
    view.current = op
    values = all_flat(view, passed, results)
    view.emit(llvm.CondBrOp(view.scalar(condition), inside, values, behind, values))

    view.enter(inside)
    bind_carried(view, after.args, results, inside.args)
    view.rewrite_block(after)
    view.current = op
    view.emit(llvm.BrOp(head, *all_flat(view, _yielded(after), slots)))

    view.enter(behind)
    bind_carried(view, op.results, results, behind.args)


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
    "scf.for": _for,
    "scf.if": _if,
    "scf.index_switch": _index_switch,
    "scf.while": _while,
    "scf.yield": _skip,
}
