"""Atomic ops of LLVM at L, which mean the same there."""

from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation

from xetile.dialects.upstream.llvm_atomics import AtomicRMWOp, CmpXchgOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers, on, remade
from xetile.targets.xe.atomics import COMPARED_BITS


def _change(view: LLVMView, op: AtomicRMWOp) -> None:
    type = view.element(op.val)
    if type != op.val.type or (
        isa(type, IntegerType) and type.width.data not in COMPARED_BITS
    ):
        view.refuse(f"on {op.val.type} has no lowering to LLVM IR; {_LEGAL}, or a float")
    operands = [view.scalar(op.ptr), view.scalar(op.val)]
    view.bind_parts(op.res, [view.new(remade(op, operands, [type]))])


def _compare_exchange(view: LLVMView, op: CmpXchgOp) -> None:
    type = cast(IntegerType, op.val.type)
    if type.width.data not in COMPARED_BITS:
        view.refuse(f"on {type} has no lowering to LLVM IR; {_LEGAL}")
    operands = [view.scalar(value) for value in op.operands]
    view.bind(op.res, view.new(remade(op, operands, op.result_types)))


def _member(view: LLVMView, op: Operation) -> None:
    """A part of what a comparison has found."""
    (source,), (result,) = op.operands, op.results
    if not isinstance(source.owner, CmpXchgOp):
        fail(op, f"'{op.name}' of {source.type} has no lowering to LLVM IR")
    operands = [view.scalar(source)]
    view.bind_parts(result, [view.new(remade(op, operands, [result.type]))])


_LEGAL = "expected an integer of 32 or 64 bits"

HANDLERS: Handlers[LLVMView] = {
    **on(AtomicRMWOp, _change),
    **on(CmpXchgOp, _compare_exchange),
    llvm.ExtractValueOp.name: _member,
}
