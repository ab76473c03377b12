"""Annotations of loops as OpLoopMerge of SPIR-V, which Intel's compiler obeys.

LLVM's back end for SPIR-V drops `!llvm.loop`. It makes OpLoopMerge of a call in the loop's first block:

    call void (...) @"llvm.spv.loop.merge"(ptr blockaddress(@k, %behind), ptr blockaddress(@k, %latch), i32 2)

somewhere in that block; spirv_emitter.py moves it to where SPIR-V wants it. No two loops may have the same merge
block, the block after the loop: the second gets a new block in between.

Source: SPIR-V specification, OpLoopMerge and "Loop Control"; spirv-val accepts it, ocloc obeys (test_loop_merges.py).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from llvmlite import ir
from xdsl.dialects import llvm
from xdsl.dialects.builtin import BoolAttr, IntegerAttr
from xdsl.ir import Block, Operation

from xetile.dialects.upstream.llvm import (
    LOOP_ANNOTATION,
    LoopAnnotationAttr,
    LoopUnrollAttr,
    annotation_of,
)
from xetile.errors import fail
from xetile.hints import isa

_UNROLL, _DONT_UNROLL, _PARTIAL_COUNT = 0x1, 0x2, 0x100
"""Bits of a loop control; the count follows the last one."""

_MERGE = "llvm.spv.loop.merge"


class _Loop(NamedTuple):
    """A loop that a branch closes: its first block, and all of its blocks in order."""

    head: Block
    inside: Sequence[Block]


def write_loop_merges(
    op: llvm.FuncOp, function: ir.Function, blocks: Mapping[Block, ir.Block]
) -> None:
    """Write the loop annotations of a function's branches into its LLVM IR; `blocks` maps its blocks to LLVM's.

    Raise XetileError at an annotation that belongs to no loop, or that SPIR-V cannot express.
    """
    said: dict[Block, LoopAnnotationAttr] = {}
    merged: set[Block] = set()
    taken: set[ir.Block] = set()
    for latch in op.body.blocks:
        branch = latch.last_op
        annotation = None if branch is None else annotation_of(branch)
        if branch is None or annotation is None:
            continue
        control = _control(branch, annotation)
        loops = list(_loops(op, latch))
        if not loops:
            fail(branch, f"'{LOOP_ANNOTATION}' stands on a branch that goes back in no loop")
        for head, inside in loops:
            if said.setdefault(head, annotation) != annotation:
                fail(branch, "another branch says something else of this loop")
            if control and head not in merged:
                merged.add(head)
                behind = _behind(branch, inside, blocks, taken)
                taken.add(behind)
                _call_merge(blocks[head], behind, blocks[latch], control)


def _control(branch: Operation, annotation: LoopAnnotationAttr) -> Sequence[int]:
    """Return the words of a loop control, or none if the annotation asks for nothing."""
    unroll = annotation.unroll
    asked = {
        **annotation.given,
        **(unroll.given if isinstance(unroll, LoopUnrollAttr) else {}),
    }
    true = {name for name, value in asked.items() if value == BoolAttr.from_bool(True)}
    for name in ("disableNonforced", "runtimeDisable"):
        if name in true:
            fail(
                branch,
                f"SPIR-V cannot say '{name}' of a loop; expected disable, count or full of unroll",
            )
    count = asked.get("count")
    if "disable" in true:
        return (_DONT_UNROLL,)
    if isa(count, IntegerAttr):
        number = count.value.data
        return (_PARTIAL_COUNT, number) if number > 1 else (_DONT_UNROLL,)
    return (_UNROLL,) if "full" in true else ()


def _loops(op: llvm.FuncOp, latch: Block) -> Iterator[_Loop]:
    """Yield the loops that a block's branch closes; every block of a loop is reached only through its first block."""
    entry = op.body.blocks[0]
    for head in dict.fromkeys(_next(latch)):
        inside, waiting = {head}, [latch]
        while waiting:
            block = waiting.pop()
            if block not in inside:
                inside.add(block)
                waiting.extend(block.predecessors())
        if entry not in inside and any(block in inside for block in head.predecessors()):
            yield _Loop(head, [block for block in op.body.blocks if block in inside])


def _next(block: Block) -> Sequence[Block]:
    last = block.last_op
    return () if last is None else last.successors


def _behind(
    branch: Operation,
    inside: Sequence[Block],
    blocks: Mapping[Block, ir.Block],
    taken: Collection[ir.Block],
) -> ir.Block:
    """Return a block after the loop that is no other loop's merge block."""
    ways = [(block, to) for block in inside for to in _next(block) if to not in inside]
    if not ways:
        fail(branch, f"'{LOOP_ANNOTATION}' stands in a loop that never ends; SPIR-V has none")
    free = next((blocks[to] for _, to in ways if blocks[to] not in taken), None)
    if free is not None:
        return free
    block, to = ways[0]
    return _block_between(blocks[block], blocks[to])


def _block_between(block: ir.Block, to: ir.Block) -> ir.Block:
    """Insert a block on the edge from one block to another."""
    between = block.function.append_basic_block()
    ir.IRBuilder(between).branch(to)
    last = block.terminator
    last.operands = [between if operand is to else operand for operand in last.operands]
    for made in to.instructions:
        if isinstance(made, ir.PhiInstr):
            made.incomings = [
                (value, between if origin is block else origin)
                for value, origin in made.incomings
            ]
    return between


def _call_merge(
    head: ir.Block, behind: ir.Block, latch: ir.Block, control: Sequence[int]
) -> None:
    module = head.function.module
    merge = module.globals.get(_MERGE)
    if not isinstance(merge, ir.Function):
        type = ir.FunctionType(ir.VoidType(), [], var_arg=True)
        merge = ir.Function(module, type, _MERGE)
    # llvmlite's own type of such an address is an i8*, which LLVM has no more
    places = [
        ir.Constant(ir.PointerType(), ir.BlockAddress(head.function, block).get_reference())
        for block in (behind, latch)
    ]
    builder = ir.IRBuilder()
    builder.position_before(head.terminator)
    builder.call(merge, [*places, *(ir.Constant(ir.IntType(32), word) for word in control)])
