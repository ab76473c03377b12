"""The functions of the llvm dialect in a module: the kernels among them, their calls, their hot loops."""

import re
from collections.abc import Iterator, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation

from xetile.analysis.module_kernels import outermost
from xetile.hints import isa
from xetile.levels import PRODUCTS_PER_STEP_ATTRIBUTE

KERNEL_ATTRIBUTE = "gpu.kernel"
WORKGROUP_SIZE = "reqd_work_group_size"
"""The attribute with the work-items of a workgroup."""

_MATRIX_FUNCTION = "_matrix_mad_"

_BLOCK = re.compile(
    r"2d_block_\w*?_(\d+)b_(\d+)r(\d+)x(\d+)c"
    r"|block_(?:read|write|prefetch)\w*_u(\d+)_m(\d+)k(\d+)v(\d+)"
)


def llvm_functions(module: ModuleOp) -> Iterator[llvm.FuncOp]:
    """Yield the functions of the llvm dialect, also those inside a gpu.module."""
    for op in outermost(module, (llvm.FuncOp.name,)):
        assert isinstance(op, llvm.FuncOp)
        yield op


def is_kernel(function: llvm.FuncOp) -> bool:
    """Return True if a function is launched from the host."""
    return KERNEL_ATTRIBUTE in function.attributes


def callee(op: llvm.CallOp) -> str | None:
    """Return the name of the called function, or None if it is called by pointer."""
    return None if op.callee is None else op.callee.root_reference.data


def block_of(name: str) -> tuple[int, int, int, int] | None:
    """Return the bits of an element, rows, columns and blocks that a builtin of this name moves, or None."""
    if (found := _BLOCK.search(name)) is None:
        return None
    bits, rows, columns, blocks = map(int, filter(None, found.groups()))
    return bits, rows, columns, blocks


def calls(module: ModuleOp) -> int:
    """Return the number of calls in the functions of a module."""
    return sum(1 for function in llvm_functions(module) for _ in calls_of(function))


def called(functions: Sequence[llvm.FuncOp]) -> set[str]:
    """Return the names of all functions that these functions call."""
    names = (callee(call) for function in functions for call in calls_of(function))
    return {name for name in names if name is not None}


def calls_of(function: llvm.FuncOp) -> Iterator[llvm.CallOp]:
    """Yield the calls of a function in order."""
    for op in ops_of(function):
        if op.name == llvm.CallOp.name and isinstance(op, llvm.CallOp):
            yield op


def ops_of(function: llvm.FuncOp) -> Iterator[Operation]:
    """Yield the ops of a function; ops of the llvm dialect have no regions."""
    for block in function.body.blocks:
        yield from block.ops


def products_per_step(kernel: llvm.FuncOp) -> int:
    """Return the number of matrix instructions in one round of the hot loop, as written: in a K step.

    If loops were unrolled, the kernel states it. Without a loop it is the number in the whole kernel.
    """
    said = kernel.attributes.get(PRODUCTS_PER_STEP_ATTRIBUTE)
    if isa(said, IntegerAttr):
        return said.value.data
    return sum(map(products_of, hot_blocks(kernel) or kernel.body.blocks))


def hot_blocks(kernel: llvm.FuncOp) -> Sequence[Block]:
    """Return the blocks of the hot loop, the innermost with the most matrix instructions, or none if there is none."""
    blocks = list(kernel.body.blocks)
    numbers = [products_of(block) for block in blocks]
    best, hot = (0, 0), slice(0)
    for tail, block in enumerate(blocks):
        last = block.last_op
        for target in () if last is None else last.successors:
            head = blocks.index(target)
            if head <= tail:
                # the blocks of a loop follow one another
                rank = sum(numbers[head : tail + 1]), head - tail
                if rank[0] and rank > best:
                    best, hot = rank, slice(head, tail + 1)
    return blocks[hot]


def products_of(block: Block) -> int:
    """Return the number of matrix instructions in a block."""
    return sum(map(is_product, block.ops))


def is_product(op: Operation) -> bool:
    """Return True if an op is a matrix instruction."""
    return isinstance(op, llvm.CallOp) and _MATRIX_FUNCTION in (callee(op) or "")
