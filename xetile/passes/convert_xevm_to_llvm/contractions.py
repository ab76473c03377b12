"""arith.addf and subf at L; of a product, where both have the flag `contract`, they are one instruction with it.

    %p = arith.mulf %a, %b fastmath<contract>
    %s = arith.subf %c, %p fastmath<contract>      ->      llvm.intr.fma(-%a, %b, %c)

The product is rounded no more. IGC contracts nothing by itself, as modules say that contraction is off, and SPIR-V has
no flag for it (codegen/intrinsics.py). Levels above execute what is written.
"""

from collections.abc import Iterator

from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float16Type, Float32Type, Float64Type
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, OpResult, SSAValue

from xetile.passes.convert_xevm_to_llvm.floats import (
    bind_floats,
    fast_math,
    float_parts,
    float_rows,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers

_ROUNDED_ONCE = (Float16Type, Float32Type, Float64Type)
"""Elements of which there are instructions; others are computed in f32 and rounded after each op."""


def _sum(view: LLVMView, op: Operation) -> None:
    flags = fast_math(op)
    place = _product(view, op)
    if place is None:
        make = llvm.FAddOp if op.name == "arith.addf" else llvm.FSubOp
        parts = [view.new(make(a, b, flags)) for a, b in float_rows(view, op)]
    else:
        parts = [
            view.new(llvm.FMAOp(a, b, c, flags)) for a, b, c in _rows(view, op, place, flags)
        ]
    bind_floats(view, op.results[0], parts)


def _product(view: LLVMView, op: Operation) -> int | None:
    """Which operand is a product that may be contracted with a sum of this block."""
    if not isinstance(view.element(op.results[0]), _ROUNDED_ONCE) or not _contracts(op):
        return None
    for place, value in reversed(list(enumerate(op.operands))):
        if not isinstance(value, OpResult) or value.op.parent is not op.parent:
            continue
        if value.op.name == "arith.mulf" and _contracts(value.op):
            return place
    return None


def _contracts(op: Operation) -> bool:
    return FastMathFlag.ALLOW_CONTRACT in fast_math(op).data


def _rows(
    view: LLVMView, op: Operation, place: int, flags: llvm.FastMathAttr
) -> Iterator[tuple[SSAValue, SSAValue, SSAValue]]:
    """Factors and summand, chunk by chunk, with the signs of a difference."""
    product = op.operands[place].owner
    assert isinstance(product, Operation)
    rows = zip(
        float_rows(view, product), float_parts(view, op.operands[1 - place]), strict=True
    )
    for (left, right), summand in rows:
        if op.name == "arith.subf" and place == 0:
            summand = view.new(llvm.FNegOp(summand, flags))
        elif op.name == "arith.subf":
            left = view.new(llvm.FNegOp(left, flags))
        yield left, right, summand


HANDLERS: Handlers[LLVMView] = dict.fromkeys(("arith.addf", "arith.subf"), _sum)
