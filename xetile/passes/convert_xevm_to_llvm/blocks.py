"""cf at L: a kernel's blocks and the branches between them stay what they are."""

from collections.abc import Sequence

from xdsl.dialects import cf, llvm
from xdsl.ir import Block, Operation, SSAValue

from xetile.passes.convert_xevm_to_llvm.carried import (
    all_flat,
    bind_carried,
    slots_of,
    types_of,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers


def rewrite_blocks(view: LLVMView, entry: Block) -> None:
    """Rewrite the entry block, whose arguments are bound, and all that it leads to."""
    order = _from_definitions_on(entry)
    for block in order[1:]:
        view.targets[block] = Block(arg_types=types_of(slots_of(view, block.args)))
    view.rewrite_block(entry)
    for block in order[1:]:
        made = view.targets[block]
        view.enter(made)
        bind_carried(view, block.args, slots_of(view, block.args), made.args)
        view.rewrite_block(block)


def _from_definitions_on(entry: Block) -> list[Block]:
    """The blocks that are reached, each behind those that dominate it: depth first, the last that ends in front."""
    found: list[Block] = []
    seen, open = {entry}, [(entry, iter(_successors(entry)))]
    while open:
        block, rest = open[-1]
        following = next((s for s in rest if s not in seen), None)
        if following is None:
            found.append(block)
            open.pop()
        else:
            seen.add(following)
            open.append((following, iter(_successors(following))))
    return found[::-1]


def _successors(block: Block) -> Sequence[Block]:
    last = block.last_op
    return () if last is None else last.successors


def _handed(view: LLVMView, to: Block, values: Sequence[SSAValue]) -> list[SSAValue]:
    return all_flat(view, values, slots_of(view, to.args))


def _branch(view: LLVMView, op: Operation) -> None:
    assert isinstance(op, cf.BranchOp)
    to = op.successor
    view.emit(llvm.BrOp(view.targets[to], *_handed(view, to, op.arguments)))


def _choice(view: LLVMView, op: Operation) -> None:
    """Two ways to one block are parted by a block between, since LLVM tells ways by where they come from."""
    assert isinstance(op, cf.ConditionalBranchOp)
    ways = [(op.then_block, op.then_arguments), (op.else_block, op.else_arguments)]
    condition = view.scalar(op.cond)
    handed = [_handed(view, to, values) for to, values in ways]
    yes, no = (view.targets[to] for to, _ in ways)
    if yes is not no:
        view.emit(llvm.CondBrOp(condition, yes, handed[0], no, handed[1]))
        return
    between = Block()
    view.emit(llvm.CondBrOp(condition, between, [], no, handed[1]))
    view.enter(between)
    view.emit(llvm.BrOp(yes, *handed[0]))


def _switch(view: LLVMView, op: Operation) -> None:
    """One comparison after the other; each way has a block between, of which LLVM tells it."""
    assert isinstance(op, cf.SwitchOp)
    values = op.case_values
    numbers = [] if values is None else [int(number) for number in values.get_values()]
    flag, ways = view.scalar(op.flag), zip(op.case_blocks, op.case_operand, strict=True)
    bits = view.bits(op.flag)
    handed = [(view.targets[to], _handed(view, to, given)) for to, given in ways]
    default = _handed(view, op.default_block, op.default_operands)
    for number, (to, given) in zip(numbers, handed, strict=True):
        chosen, next = Block(), Block()
        same = view.compare("eq", flag, view.integer_constant(number, bits))
        view.emit(llvm.CondBrOp(same, chosen, [], next, []))
        view.enter(chosen)
        view.emit(llvm.BrOp(to, *given))
        view.enter(next)
    view.emit(llvm.BrOp(view.targets[op.default_block], *default))


HANDLERS: Handlers[LLVMView] = {
    "cf.br": _branch,
    "cf.cond_br": _choice,
    "cf.switch": _switch,
}
