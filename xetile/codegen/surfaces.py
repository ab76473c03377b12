"""Which arguments of a kernel at L are the bases of 2D surfaces."""

from xdsl.dialects import llvm
from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.codegen.functions import callee

_SURFACE_FUNCTIONS = ("_2d_block_", "createBlock2DAddressPayload")
"""In the names of the functions whose first argument is the base of a surface."""


def surface_bases(kernel: llvm.FuncOp) -> set[BlockArgument]:
    """The arguments from which a 2D block message takes its base."""
    found: set[BlockArgument] = set()
    for argument in kernel.body.blocks[0].args:
        if _reaches_message(argument):
            found.add(argument)
    return found


def _reaches_message(start: SSAValue) -> bool:
    """Whether a value, or an address that is computed from it, is the base of a message."""
    seen: set[SSAValue] = set()
    waiting = [start]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            if isinstance(use.operation, llvm.CallOp):
                if use.index == 0 and _makes_message(use.operation):
                    return True
                continue
            waiting.extend(_results(use.operation, use.index))
    return False


def _makes_message(call: llvm.CallOp) -> bool:
    name = callee(call) or ""
    return any(part in name for part in _SURFACE_FUNCTIONS)


def _results(op: Operation, operand: int) -> list[SSAValue]:
    """The values that an operand becomes, computed from or handed to another block; not what is loaded from it."""
    if isinstance(op, llvm.LoadOp):
        return []
    handed: list[SSAValue] = list(op.results)
    for successor in op.successors:
        handed.extend(successor.args)
    return handed
