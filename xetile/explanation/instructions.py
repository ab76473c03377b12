"""An estimate of the number of instructions that the code of level L becomes, for use without ocloc."""

from collections.abc import Iterable

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Block, Operation
from xdsl.utils.hints import isa

from xetile.targets.xe.device import LANES, REGISTER_BYTES

_FREE = frozenset(
    {
        "llvm.mlir.constant",
        "llvm.mlir.undef",
        "llvm.mlir.poison",
        "llvm.mlir.zero",
        "llvm.alloca",
        "llvm.bitcast",
        "llvm.shufflevector",
        "llvm.extractelement",
        "llvm.insertelement",
        "llvm.inttoptr",
        "llvm.ptrtoint",
        "llvm.br",
    }
)
"""Ops that only name registers, or parts of them, or become operands of instructions."""


def instructions(blocks: Iterable[Block]) -> int:
    """Estimate the instructions: one for each call and scalar op; for vectors one per register of the result.

    Ops that only name registers are not counted, nor are accesses to private memory, which is in registers.
    test/unit/explanation/test_figures.py compares the estimate with ocloc's count.
    """
    return sum(_cost(op) for block in blocks for op in block.ops)


def _cost(op: Operation) -> int:
    if op.name in _FREE or _is_private(op):
        return 0
    if isinstance(op, llvm.CallOp) and not op.results:
        return 1
    if isinstance(op, llvm.CallOp) and "matrix_mad" in str(op.callee):
        return 1
    return max((_registers(result.type) for result in op.results), default=1)


def _registers(type: Attribute) -> int:
    """Return the registers of all lanes; a scalar counts as one."""
    if not isa(type, VectorType):
        return 1
    bits: int = getattr(type.element_type, "bitwidth", 0)
    return max(1, type.get_shape()[0] * bits * LANES // (8 * REGISTER_BYTES))


def _is_private(op: Operation) -> bool:
    """Return True if an op accesses the kernel's private memory, or computes an address in it."""
    pointer = next((v for v in op.operands if isinstance(v.type, llvm.LLVMPointerType)), None)
    if pointer is None or not isinstance(op, llvm.LoadOp | llvm.StoreOp | llvm.GEPOp):
        return False
    owner = pointer.owner
    return isinstance(owner, Operation) and (
        isinstance(owner, llvm.AllocaOp)
        or (isinstance(owner, llvm.GEPOp) and _is_private(owner))
    )
