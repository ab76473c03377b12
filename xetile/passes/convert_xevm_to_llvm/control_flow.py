"""scf at L: loops and branches become blocks; what they carry becomes block arguments, chunk by chunk."""

from collections.abc import Sequence
from itertools import islice
from typing import TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from xetile.analysis.ranges import Interval
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.lowering import Chunks, Lowering, Strided
from xetile.passes.convert_xevm_to_llvm.prefetches import plan_prefetches
from xetile.passes.convert_xevm_to_llvm.types import vector_length
from xetile.rewriting.rewriter import Handlers

_Slot: TypeAlias = tuple[Attribute, ...]
"""How a value is carried: the types of its block arguments."""


def _slot(lowering: Lowering, values: Sequence[SSAValue]) -> _Slot:
    """The slot of values that are one in turn; an index has 32 bits if all of them fit."""
    first = values[0]
    if isinstance(first.type, IndexType):
        return (IntegerType(32 if lowering.fits(*values) else 64),)
    return tuple(lowering.part_types(first))


def _flat(lowering: Lowering, value: SSAValue, slot: _Slot) -> tuple[SSAValue, ...]:
    """A value as its slot carries it."""
    if isinstance(lowering.get(value), Strided):
        fail(
            lowering.current,
            f"'{lowering.current.name}' carries {value.type}, which has no lowering to LLVM IR",
        )
    if isa(slot[0], IntegerType) and vector_length(value.type) is None:
        return (lowering.integer(value, slot[0].width.data),)
    return lowering.parts(value)


def _all_flat(
    lowering: Lowering, values: Sequence[SSAValue], slots: Sequence[_Slot]
) -> list[SSAValue]:
    return [p for v, slot in zip(values, slots, strict=True) for p in _flat(lowering, v, slot)]


def _bind(
    lowering: Lowering,
    values: Sequence[SSAValue],
    slots: Sequence[_Slot],
    arguments: Sequence[SSAValue],
) -> None:
    """Say that values are what block arguments carry."""
    rest = iter(arguments)
    for value, slot in zip(values, slots, strict=True):
        parts = tuple(islice(rest, len(slot)))
        if vector_length(value.type) is None:
            lowering.bind(value, parts[0])
        else:
            for part in parts:
                part.name_hint = value.name_hint
            lowering.bind(value, Chunks(lowering.element(value), parts))


def _types(slots: Sequence[_Slot]) -> list[Attribute]:
    return [type for slot in slots for type in slot]


def _yielded(block: Block) -> Sequence[SSAValue]:
    last = block.last_op
    return last.operands if last is not None and last.name in ("scf.yield", "scf.condition") else ()


def _counter_bits(lowering: Lowering, op: Operation) -> int:
    """Bits of a loop's counter: 32 where the bounds, the step and the value past the end fit."""
    low, high, step = op.operands[:3]
    counter = op.regions[0].blocks[0].args[0]
    if not isinstance(counter.type, IndexType):
        return lowering.bits(counter)
    ranges = lowering.ranges
    if not lowering.fits(low, high, step):
        return 64
    past = Interval(ranges[high].low, ranges[high].high + ranges[step].high)
    return 32 if past.fits(32) else 64


def _for(lowering: Lowering, op: Operation) -> None:
    body = op.regions[0].blocks[0]
    counter, *arguments = body.args
    rows = zip(arguments, op.operands[3:], _yielded(body), op.results, strict=True)
    slots = [_slot(lowering, row) for row in rows]
    bits = _counter_bits(lowering, op)
    low, high, step = (lowering.integer(value, bits) for value in op.operands[:3])
    initial = _all_flat(lowering, op.operands[3:], slots)
    plan_prefetches(lowering, op)

    head = Block(arg_types=[IntegerType(bits), *_types(slots)])
    inside, behind = Block(), Block()
    lowering.emit(llvm.BrOp(head, low, *initial))
    lowering.enter(head)
    again = lowering.compare("slt", head.args[0], high)
    lowering.emit(llvm.CondBrOp(again, inside, [], behind, []))

    lowering.enter(inside)
    lowering.bind(counter, head.args[0])
    _bind(lowering, arguments, slots, head.args[1:])
    lowering.rewrite_block(body)
    lowering.current = op
    carried = _all_flat(lowering, _yielded(body), slots)
    next = lowering.emit_value(llvm.AddOp(head.args[0], step))
    lowering.emit(llvm.BrOp(head, next, *carried))

    lowering.enter(behind)
    _bind(lowering, op.results, slots, head.args[1:])


def _if(lowering: Lowering, op: Operation) -> None:
    branches = [region.blocks[0] for region in op.regions if region.blocks]
    rows = zip(op.results, *map(_yielded, branches), strict=True)
    slots = [_slot(lowering, row) for row in rows]
    behind = Block(arg_types=_types(slots))
    blocks = [Block() for _ in branches]
    condition = lowering.scalar(op.operands[0])
    lowering.emit(llvm.CondBrOp(condition, blocks[0], [], (blocks[1:] or [behind])[0], []))
    for branch, block in zip(branches, blocks, strict=True):
        lowering.enter(block)
        lowering.rewrite_block(branch)
        lowering.current = op
        lowering.emit(llvm.BrOp(behind, *_all_flat(lowering, _yielded(branch), slots)))
    lowering.enter(behind)
    _bind(lowering, op.results, slots, behind.args)


def _while(lowering: Lowering, op: Operation) -> None:
    before, after = (region.blocks[0] for region in op.regions)
    condition, *passed = _yielded(before)
    slots = [
        _slot(lowering, row) for row in zip(before.args, op.operands, _yielded(after), strict=True)
    ]
    results = [_slot(lowering, row) for row in zip(after.args, passed, op.results, strict=True)]
    head = Block(arg_types=_types(slots))
    inside, behind = (Block(arg_types=_types(results)) for _ in range(2))
    lowering.emit(llvm.BrOp(head, *_all_flat(lowering, op.operands, slots)))

    lowering.enter(head)
    _bind(lowering, before.args, slots, head.args)
    lowering.rewrite_block(before)
    lowering.current = op
    values = _all_flat(lowering, passed, results)
    lowering.emit(llvm.CondBrOp(lowering.scalar(condition), inside, values, behind, values))

    lowering.enter(inside)
    _bind(lowering, after.args, results, inside.args)
    lowering.rewrite_block(after)
    lowering.current = op
    lowering.emit(llvm.BrOp(head, *_all_flat(lowering, _yielded(after), slots)))

    lowering.enter(behind)
    _bind(lowering, op.results, results, behind.args)


def _skip(lowering: Lowering, op: Operation) -> None:
    """Terminators of regions: their operands are read by the op that owns the region."""


def _return(lowering: Lowering, op: Operation) -> None:
    if op.operands:
        fail(op, "a kernel returns nothing")
    lowering.emit(llvm.ReturnOp())


HANDLERS: Handlers[Lowering] = {
    "func.return": _return,
    "gpu.return": _return,
    "scf.condition": _skip,
    "scf.for": _for,
    "scf.if": _if,
    "scf.while": _while,
    "scf.yield": _skip,
}
