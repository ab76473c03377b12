"""Products of computed operands B: each operand is computed right before the products that take it.

Before (16 rows of A and 32 columns of B):

    %b0 = llvm.bitcast(llvm.sitofp %w0)
    %b1 = llvm.bitcast(llvm.sitofp %w1)
    %d0 = llvm.call @..matrix_mad..(%a0, %b0, %c0)
    %d1 = llvm.call @..matrix_mad..(%a0, %b1, %c1)
    %d2 = llvm.call @..matrix_mad..(%a1, %b0, %c2)
    %d3 = llvm.call @..matrix_mad..(%a1, %b1, %c3)

After:

    %b0 = llvm.bitcast(llvm.sitofp %w0)
    %d0 = llvm.call @..matrix_mad..(%a0, %b0, %c0)
    %d2 = llvm.call @..matrix_mad..(%a1, %b0, %c2)
    %b1 = llvm.bitcast(llvm.sitofp %w1)
    %d1 = llvm.call @..matrix_mad..(%a0, %b1, %c1)
    %d3 = llvm.call @..matrix_mad..(%a1, %b1, %c3)

No more of a converted tile is live than one instruction takes; each sum keeps its order. A chunk of one scalar is made
in the block that uses it: there IGC has one register for it, and so do we (planning/pressure). What has an effect, and
what reads memory, stays where it is.

Bytes as halves, 32x64 of B for a subgroup alone, K steps of 32 (ocloc 26.27, `python -m tools.instruction_counts
--only '*one subgroup*'`): 382 instructions on bmg became 364, 816 with scales 620, and nothing is spilled.
"""

from collections.abc import Iterable, Sequence

from xdsl.dialects import llvm
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from xetile.dialects.upstream.llvm_values import ExtractElementOp
from xetile.rewriting.effects import is_pure

_MATRIX_FUNCTION = "_matrix_mad_"

_MOVES = (
    llvm.BitcastOp.name,
    llvm.ShuffleVectorOp.name,
    llvm.InsertElementOp.name,
    llvm.UndefOp.name,
    ExtractElementOp.name,
)
"""Ops that compute nothing."""

_READS = (llvm.CallOp.name, llvm.LoadOp.name)


def order_products(region: Region) -> None:
    """Put computed operands of products beside them, in each block that computes some."""
    for block in region.blocks:
        operands = {op.operands[1] for op in block.ops if _is_product(op)}
        if any(_is_computed(operand, block) for operand in operands):
            _own_splats(block)
            _reorder(block)


def _is_product(op: Operation) -> bool:
    if op.name != llvm.CallOp.name or not isinstance(op, llvm.CallOp) or op.callee is None:
        return False
    return _MATRIX_FUNCTION in op.callee.string_value()


def _is_computed(value: SSAValue, block: Block) -> bool:
    """Whether an operand is more than what a load or another block gave, put together anew."""
    waiting, seen = [value], set[SSAValue]()
    while waiting:
        found = waiting.pop()
        if found in seen or not isinstance(found, OpResult) or found.op.parent is not block:
            continue
        seen.add(found)
        if found.op.name in _MOVES:
            waiting += found.op.operands
        elif found.op.name not in _READS:
            return True
    return False


def _own_splats(block: Block) -> None:
    """Make chunks of one scalar here that come from other blocks."""
    made: dict[tuple[SSAValue, Attribute], SSAValue] = {}
    for op in list(block.ops):
        if isinstance(op, llvm.CallOp) or op is block.last_op:
            continue
        for index, value in enumerate(op.operands):
            splat = value.owner
            if not isinstance(splat, llvm.ShuffleVectorOp) or splat.parent is block:
                continue
            first = splat.v1.owner
            if any(splat.mask.get_values()) or not isinstance(first, llvm.InsertElementOp):
                continue
            key = (first.value, value.type)
            if key not in made:
                one = first.clone()
                many = splat.clone({first.res: one.res})
                block.insert_ops_before([one, many], op)
                made[key] = many.res
            op.operands[index] = made[key]
            _drop_unused(splat, first)


def _drop_unused(*ops: Operation) -> None:
    for op in ops:
        if op.parent is not None and not any(result.first_use for result in op.results):
            op.detach()
            op.erase()


def _reorder(block: Block) -> None:
    order = _Order(block)
    run: list[Operation] = []
    for op in list(block.ops):
        if _is_product(op):
            run.append(op)
        elif not order.floats(op):
            order.place_all(_by_operand(run))
            run.clear()
            order.place(op)
    for op in list(block.ops):
        op.detach()
    block.add_ops(order.placed)


def _by_operand(products: Sequence[Operation]) -> list[Operation]:
    """Products that take one operand B together, operands in the order of their first use."""
    groups: dict[SSAValue, list[Operation]] = {}
    for op in products:
        groups.setdefault(op.operands[1], []).append(op)
    return [op for group in groups.values() for op in group]


class _Order:
    """The ops of a block in their new order, as far as it is known."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.placed: dict[Operation, None] = {}

    def floats(self, op: Operation) -> bool:
        """Whether an op may stand anywhere before its uses, all of which are here."""
        uses = [use for result in op.results for use in result.uses]
        return (
            bool(uses)
            and is_pure(op)
            and all(use.operation.parent is self.block for use in uses)
        )

    def place_all(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            self.place(op)

    def place(self, root: Operation) -> None:
        """Put an op behind all that it takes."""
        stack = [root]
        while stack:
            op = stack[-1]
            missing = [
                value.op
                for value in op.operands
                if isinstance(value, OpResult)
                and value.op.parent is self.block
                and value.op not in self.placed
            ]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            self.placed[op] = None
