"""Prefetches in loops through an address payload.

The message of a prefetch takes an 8-word payload. The plain builtin builds it anew every time (5 moves); IGC can keep
one in a register, and then a round of a loop only moves X and Y. So where pointer and surface of a prefetch do not
change in the loop around it, the payload is made before the loop.
"""

from collections.abc import Iterator

from xdsl.ir import Block, Operation, SSAValue

from xetile.analysis.same_value import terminator
from xetile.dialects.xevm import BlockPrefetch2dOp
from xetile.passes.convert_xevm_to_llvm.arithmetic import WRAPPING
from xetile.passes.convert_xevm_to_llvm.message_shapes import shape_of
from xetile.passes.convert_xevm_to_llvm.payload_accesses import create_payload
from xetile.passes.convert_xevm_to_llvm.places import CASTS, holds_places
from xetile.passes.convert_xevm_to_llvm.view import LLVMView, Payload
from xetile.targets.xe.messages import PAYLOAD_ROW_BYTES


def plan_prefetches(view: LLVMView, loop: Operation) -> None:
    """Make the payloads of a loop, before it; `view.payloads` says which prefetch has which."""
    body = loop.regions[0].blocks[0]
    for prefetch, always in _prefetches(body):
        surface = prefetch.operands[:4]
        if shape_of(prefetch).row_bytes > PAYLOAD_ROW_BYTES:
            continue
        if not all(_invariant(value, body) for value in surface):
            continue
        view.current = prefetch
        view.payloads[prefetch] = _create(view, prefetch, loop, always=always)
    view.current = loop


def _prefetches(body: Block) -> Iterator[tuple[BlockPrefetch2dOp, bool]]:
    """Prefetches of a loop's body, and whether every round runs them; not those of inner loops."""
    for op in body.ops:
        if isinstance(op, BlockPrefetch2dOp):
            yield op, True
        elif op.name == "scf.if":
            inner = (block for region in op.regions for block in region.blocks)
            yield from (
                (prefetch, False) for block in inner for prefetch, _ in _prefetches(block)
            )


def _create(
    view: LLVMView, prefetch: BlockPrefetch2dOp, loop: Operation, *, always: bool
) -> Payload:
    sizes = (prefetch.base_width, prefetch.base_height, prefetch.base_pitch)
    place: list[SSAValue] = []
    steps: list[int | None] = []
    for coordinate in (prefetch.x, prefetch.y):
        step = _step(view, coordinate, loop)
        if step is None or (step and not always):
            step = None
            place.append(view.i32(0))
        else:
            place.append(_at_start(view, coordinate, loop))
        steps.append(step)
    surface = (prefetch.ptr, *sizes)
    return Payload(create_payload(view, surface, place, shape_of(prefetch)), *steps)


def _invariant(value: SSAValue, body: Block) -> bool:
    """Whether a value is computed outside of a loop, or a constant."""
    op = value.owner
    if isinstance(op, Operation) and op.name == "arith.constant":
        return True
    block = op if isinstance(op, Block) else op.parent_block()
    while block is not None and block is not body:
        parent = block.parent_op()
        block = None if parent is None else parent.parent_block()
    return block is None


def _step(view: LLVMView, value: SSAValue, loop: Operation) -> int | None:
    """By how much a value grows in each round of a loop, None where that is not a known constant."""
    body = loop.regions[0].blocks[0]
    if _invariant(value, body):
        return 0
    if value is body.args[0]:
        return view.number(loop.operands[2])
    if value.owner is body:
        index = body.args.index(value) - 1
        return _difference(view, value, terminator(body).operands[index])
    op = value.owner
    if not isinstance(op, Operation):
        return None
    if op.name in CASTS and all(map(holds_places, (op.operands[0].type, op.results[0].type))):
        return _step(view, op.operands[0], loop)
    if op.name in ("arith.addi", "arith.subi"):
        left, right = (_step(view, operand, loop) for operand in op.operands)
        if left is None or right is None:
            return None
        return left + right if op.name == "arith.addi" else left - right
    if op.name == "arith.muli":
        for factor, other in (op.operands, reversed(op.operands)):
            number, step = view.number(factor), _step(view, other, loop)
            if number is not None and step is not None:
                return number * step
    return None


def _difference(view: LLVMView, argument: SSAValue, value: SSAValue) -> int | None:
    """By how much a yielded value exceeds a loop's argument, where it is a sum of it and constants."""
    if value is argument:
        return 0
    op = value.owner
    if not isinstance(op, Operation) or op.name not in ("arith.addi", "arith.subi"):
        return None
    left, right = op.operands
    if op.name == "arith.addi" and view.number(left) is not None:
        left, right = right, left
    before, number = _difference(view, argument, left), view.number(right)
    if before is None or number is None:
        return None
    return before + number if op.name == "arith.addi" else before - number


def _at_start(view: LLVMView, value: SSAValue, loop: Operation) -> SSAValue:
    """A value that grows by a constant step, as it is in the first round, in 32 bits."""
    body = loop.regions[0].blocks[0]
    if _invariant(value, body):
        number = view.number(value)
        if number is not None:
            return view.i32(number)
        return view.integer(value, 32)
    if value is body.args[0]:
        return view.integer(loop.operands[0], 32)
    if value.owner is body:
        return view.integer(loop.operands[2 + body.args.index(value)], 32)
    op = value.owner
    assert isinstance(op, Operation)
    operands = [_at_start(view, operand, loop) for operand in op.operands]
    if op.name in CASTS:
        return operands[0]
    return view.new(WRAPPING[op.name](*operands))
