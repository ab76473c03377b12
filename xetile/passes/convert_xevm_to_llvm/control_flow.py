"""scf at L: loops and branches become blocks; what they carry becomes block arguments, chunk by chunk."""

from collections.abc import Sequence
from itertools import islice
from typing import TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from xetile.analysis.constants import integers_of
from xetile.analysis.ranges import Interval
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.prefetches import plan_prefetches
from xetile.passes.convert_xevm_to_llvm.types import vector_length
from xetile.passes.convert_xevm_to_llvm.view import Chunks, LLVMView, Strided
from xetile.rewriting.rewriter import Handlers
from xetile.targets.target import INDEX_BITS

_Slot: TypeAlias = tuple[Attribute, ...]
"""How a value is carried: the types of its block arguments."""


def _slots(view: LLVMView, *values: Sequence[SSAValue]) -> list[_Slot]:
    return [_slot(view, row) for row in zip(*values, strict=True)]


def _slot(view: LLVMView, values: Sequence[SSAValue]) -> _Slot:
    """An index has 32 bits if all of the values fit."""
    if isinstance(values[0].type, IndexType):
        return (IntegerType(32 if view.fits(*values) else 64),)
    return tuple(view.part_types(values[0]))


def _flat(view: LLVMView, value: SSAValue, slot: _Slot) -> tuple[SSAValue, ...]:
    if isinstance(view.get(value), Strided):
        view.refuse(f"carries {value.type}, which has no lowering to LLVM IR")
    if isa(slot[0], IntegerType) and vector_length(value.type) is None:
        return (view.integer(value, slot[0].width.data),)
    return view.parts(value)


def _all_flat(
    view: LLVMView, values: Sequence[SSAValue], slots: Sequence[_Slot]
) -> list[SSAValue]:
    return [p for v, slot in zip(values, slots, strict=True) for p in _flat(view, v, slot)]


def _bind(
    view: LLVMView,
    values: Sequence[SSAValue],
    slots: Sequence[_Slot],
    arguments: Sequence[SSAValue],
) -> None:
    rest = iter(arguments)
    for value, slot in zip(values, slots, strict=True):
        parts = tuple(islice(rest, len(slot)))
        if vector_length(value.type) is None:
            view.bind(value, parts[0])
        else:
            for part in parts:
                part.name_hint = value.name_hint
            view.bind(value, Chunks(view.element(value), parts))


def _types(slots: Sequence[_Slot]) -> list[Attribute]:
    return [type for slot in slots for type in slot]


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
    slots = _slots(view, arguments, op.operands[3:], _yielded(body), op.results)
    bits = _counter_bits(view, op)
    low, high, step = (view.integer(value, bits) for value in op.operands[:3])
    initial = _all_flat(view, op.operands[3:], slots)
    plan_prefetches(view, op)

    head = Block(arg_types=[IntegerType(bits), *_types(slots)])
    inside, behind = Block(), Block()
    view.emit(llvm.BrOp(head, low, *initial))
    view.enter(head)
    again = view.compare("slt", head.args[0], high)
    view.emit(llvm.CondBrOp(again, inside, [], behind, []))

    view.enter(inside)
    view.bind(counter, head.args[0])
    _bind(view, arguments, slots, head.args[1:])
    view.rewrite_block(body)
    view.current = op
    carried = _all_flat(view, _yielded(body), slots)
    next = view.new(llvm.AddOp(head.args[0], step))
    view.emit(llvm.BrOp(head, next, *carried))

    view.enter(behind)
    _bind(view, op.results, slots, head.args[1:])


def _branch(
    view: LLVMView,
    op: Operation,
    branch: Block,
    inside: Block,
    slots: Sequence[_Slot],
    behind: Block,
) -> None:
    """One region of an op, in a block of its own, that ends in a branch behind the op."""
    view.enter(inside)
    view.rewrite_block(branch)
    view.current = op
    view.emit(llvm.BrOp(behind, *_all_flat(view, _yielded(branch), slots)))


def _if(view: LLVMView, op: Operation) -> None:
    branches = [region.blocks[0] for region in op.regions if region.blocks]
    slots = _slots(view, op.results, *map(_yielded, branches))
    behind = Block(arg_types=_types(slots))
    blocks = [Block() for _ in branches]
    condition = view.scalar(op.operands[0])
    view.emit(llvm.CondBrOp(condition, blocks[0], [], (blocks[1:] or [behind])[0], []))
    for branch, block in zip(branches, blocks, strict=True):
        _branch(view, op, branch, block, slots, behind)
    view.enter(behind)
    _bind(view, op.results, slots, behind.args)


def _index_switch(view: LLVMView, op: Operation) -> None:
    """One comparison after the other; the first region is for what no case names."""
    default, *cases = [region.blocks[0] for region in op.regions]
    slots = _slots(view, op.results, *map(_yielded, (default, *cases)))
    behind = Block(arg_types=_types(slots))
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
    view.emit(llvm.BrOp(behind, *_all_flat(view, _yielded(default), slots)))
    view.enter(behind)
    _bind(view, op.results, slots, behind.args)


def _while(view: LLVMView, op: Operation) -> None:
    before, after = (region.blocks[0] for region in op.regions)
    condition, *passed = _yielded(before)
    slots = _slots(view, before.args, op.operands, _yielded(after))
    results = _slots(view, after.args, passed, op.results)
    head = Block(arg_types=_types(slots))
    inside, behind = (Block(arg_types=_types(results)) for _ in range(2))
    view.emit(llvm.BrOp(head, *_all_flat(view, op.operands, slots)))

    view.enter(head)
    _bind(view, before.args, slots, head.args)
    view.rewrite_block(before)
    view.current = op
    values = _all_flat(view, passed, results)
    view.emit(llvm.CondBrOp(view.scalar(condition), inside, values, behind, values))

    view.enter(inside)
    _bind(view, after.args, results, inside.args)
    view.rewrite_block(after)
    view.current = op
    view.emit(llvm.BrOp(head, *_all_flat(view, _yielded(after), slots)))

    view.enter(behind)
    _bind(view, op.results, results, behind.args)


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
