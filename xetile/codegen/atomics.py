"""Atomic instructions in LLVM IR."""

from collections.abc import Sequence

from llvmlite import ir

from xetile.dialects.upstream.llvm_atomics import AtomicRMWOp, CmpXchgOp


def atomic_instruction(
    op: AtomicRMWOp | CmpXchgOp, builder: ir.IRBuilder, operands: Sequence[ir.Value]
) -> ir.Value:
    """Add the instruction that an atomic op is.

    llvmlite 0.50 knows no scopes; they stand in front of the ordering, which it writes as it is.
    """
    scope = "" if op.syncscope is None else f'syncscope("{op.syncscope.data}") '
    if isinstance(op, AtomicRMWOp):
        pointer, value = operands
        word = op.word.removeprefix("_")
        return builder.atomic_rmw(word, pointer, value, scope + op.order)
    pointer, expected, value = operands
    stored, not_stored = op.orders
    return builder.cmpxchg(pointer, expected, value, scope + stored, not_stored)
