"""Which arguments of a kernel at L are the bases of 2D surfaces."""

from collections.abc import Iterator, Sequence

from xdsl.dialects import llvm
from xdsl.ir import Block, BlockArgument, SSAValue

from xetile.codegen.functions import callee, calls_of
from xetile.dialects.upstream.llvm import AddrSpaceCastOp
from xetile.dialects.upstream.llvm_values import SelectOp

_SURFACE_FUNCTIONS = ("_2d_block_", "createBlock2DAddressPayload")
"""In the names of the functions whose first argument is the base of a surface."""


def surface_bases(kernel: llvm.FuncOp) -> set[BlockArgument]:
    """The arguments from which a 2D block message takes its base.

    Of a sum these are its pointers; where it has none, the integers that are added: one of them is the address.
    """
    found: set[BlockArgument] = set()
    for address in {call.args[0] for call in calls_of(kernel) if _makes_message(call)}:
        terms = set(_terms(address, kernel.body.blocks[0]))
        pointers = {term for term in terms if isinstance(term.type, llvm.LLVMPointerType)}
        found |= pointers or terms
    return found


def _makes_message(call: llvm.CallOp) -> bool:
    name = callee(call) or ""
    return any(part in name for part in _SURFACE_FUNCTIONS)


def _terms(address: SSAValue, entry: Block) -> Iterator[BlockArgument]:
    """The kernel's arguments that are terms of the sum that an address is."""
    seen: set[SSAValue] = set()
    waiting = [address]
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        if not isinstance(value, BlockArgument):
            waiting.extend(_summands(value))
        elif value.block is entry:
            yield value
        else:
            waiting.extend(_handed(value))


def _summands(value: SSAValue) -> Sequence[SSAValue]:
    match value.owner:
        case llvm.AddOp(lhs=left, rhs=right) | SelectOp(lhs=left, rhs=right):
            return left, right
        case llvm.GEPOp(ptr=base) | llvm.SubOp(lhs=base):
            return (base,)
        case llvm.IntToPtrOp() | llvm.PtrToIntOp() | AddrSpaceCastOp() as cast:
            return cast.operands
        case _:  # what is multiplied or loaded is no address any more
            return ()


def _handed(argument: BlockArgument) -> Iterator[SSAValue]:
    """What branches hand to an argument of a block."""
    for block in argument.block.predecessors():
        match block.last_op:
            case llvm.BrOp(arguments=given):
                yield given[argument.index]
            case llvm.CondBrOp() as branch:
                if branch.then_block is argument.block:
                    yield branch.then_arguments[argument.index]
                if branch.else_block is argument.block:
                    yield branch.else_arguments[argument.index]
            case _:
                pass
