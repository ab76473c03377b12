"""arith.divf at L.

Quotients of f32 are rounded correctly where the driver is told so (codegen/options.py). Those of f16 IGC makes of a
reciprocal, whatever it is told: they are quotients of f32, rounded. That is the quotient rounded once, as f32 has twice
the digits of f16 and two (S. Figueroa, When is Double Rounding Innocuous?, 1995); so are those of bf16 and of 8 bits.
With `arcp` or `afn` those of f16 stay, and cost a sixth.
"""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float16Type
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from xetile.passes.convert_xevm_to_llvm.floats import bind_floats, fast_math, float_rows
from xetile.passes.convert_xevm_to_llvm.natives import as_given, single
from xetile.passes.convert_xevm_to_llvm.types import chunk_element
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers

_APPROXIMATE = frozenset((FastMathFlag.ALLOW_RECIP, FastMathFlag.APPROX_FUNC))


def _divide(view: LLVMView, op: Operation) -> None:
    parts = [_quotient(view, row, fast_math(op)) for row in float_rows(view, op)]
    bind_floats(view, op.results[0], parts)


def _quotient(view: LLVMView, row: Sequence[SSAValue], flags: llvm.FastMathAttr) -> SSAValue:
    left, right = row
    given = left.type
    if isinstance(chunk_element(given), Float16Type) and not _APPROXIMATE & set(flags.data):
        left, right = (single(view, part) for part in row)
    return as_given(view, view.new(llvm.FDivOp(left, right, flags)), given)


HANDLERS: Handlers[LLVMView] = {"arith.divf": _divide}
