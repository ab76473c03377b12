"""Shifts of arith at L, also by the width or more, which LLVM leaves open: all bits are shifted out.

Where the amount is known to be below the width, a shift is one instruction.
"""

from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from xetile.analysis.constants import dense_value
from xetile.dialects.upstream.llvm_values import SelectOp
from xetile.passes.convert_xevm_to_llvm.arithmetic import (
    integer_parts,
    most_bits,
    whole_numbers,
    wide_bits,
)
from xetile.passes.convert_xevm_to_llvm.types import (
    NIBBLE_BITS,
    chunk_bits,
    chunk_element,
    chunk_type,
    is_nibble,
    vector_element,
    vector_length,
    width,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers

_MAKERS = {"arith.shli": llvm.ShlOp, "arith.shrui": llvm.LShrOp, "arith.shrsi": llvm.AShrOp}


def _shift(view: LLVMView, op: Operation) -> None:
    (value, amount), (result,) = op.operands, op.results
    bits, unsigned = most_bits(view, (value, amount, result)), op.name != "arith.shrsi"
    numbers = integer_parts(view, value, bits)
    if op.name != "arith.shli":
        numbers = whole_numbers(view, value, numbers, unsigned=unsigned)
    amounts = whole_numbers(view, amount, integer_parts(view, amount, bits), unsigned=True)
    numbers = wide_bits(view, numbers, unsigned=unsigned)
    amounts = wide_bits(view, amounts, unsigned=True)
    element = value.type if vector_length(value.type) is None else vector_element(value.type)
    limit = 1 if element == i1 else NIBBLE_BITS if is_nibble(element) else bits
    is_below = _is_below(view, amount, limit)
    parts: list[SSAValue] = []
    for number, by in zip(numbers, amounts, strict=True):
        made = _shifted(view, op.name, number, by, None if is_below else limit)
        is_bits = element == i1
        parts.append(
            view.new(llvm.TruncOp(made, chunk_type(i1, width(made)))) if is_bits else made
        )
    view.bind_parts(result, parts)


def _shifted(
    view: LLVMView, name: str, number: SSAValue, by: SSAValue, limit: int | None
) -> SSAValue:
    """A chunk shifted; from `limit` on all of its bits are out."""
    make = _MAKERS[name]
    if limit is None:
        return view.new(make(number, by))

    def constant(value: int) -> SSAValue:
        return view.vector_constant([value] * width(by), chunk_element(by.type))

    is_less = view.compare("ult", by, constant(limit))
    if name == "arith.shrsi":
        last = constant(chunk_bits(by.type) - 1)
        return view.new(make(number, view.new(SelectOp(is_less, by, last))))
    return view.new(SelectOp(is_less, view.new(make(number, by)), constant(0)))


def _is_below(view: LLVMView, amount: SSAValue, limit: int) -> bool:
    """Whether every amount of a shift is known to be below the limit."""
    found = view.ranges.get(amount)
    if found is not None:
        return found.low >= 0 and found.high < limit
    op = amount.owner
    if not isinstance(op, Operation):
        return False
    if op.name == "vector.broadcast":
        return _is_below(view, op.operands[0], limit)
    dense = dense_value(op) if op.name == "arith.constant" else None
    return dense is not None and all(0 <= cast(int, n) < limit for n in dense.get_values())


HANDLERS: Handlers[LLVMView] = dict.fromkeys(_MAKERS, _shift)
