"""bf16 at L: integers of 16 bits, which functions of IGC make f32, in which is computed, and make of it again.

Source: intel-graphics-compiler, DpasFuncsResolution.cpp (`__builtin_IB_ftobf_N` rounds to nearest even,
`__builtin_IB_bftof_N` is exact); SPV_INTEL_bfloat16_conversion's instructions become calls of them too. Each is one
instruction a register.
"""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, f32, i16, i32
from xdsl.ir import SSAValue

from xetile.dialects.upstream.llvm_values import FCmpOp, FPToSIOp, FPToUIOp
from xetile.hints import isa
from xetile.passes.convert_xevm_to_llvm.builtins import mangle
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_element,
    chunk_type,
    mangled_type,
    width,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView


def widened(view: LLVMView, part: SSAValue) -> SSAValue:
    """A chunk of bf16 as f32."""
    count = width(part)
    return view.result_of_call(f"__builtin_IB_bftof_{count}", [part], chunk_type(f32, count))


def narrowed(view: LLVMView, part: SSAValue) -> SSAValue:
    """A chunk of f32 rounded to the bits of bf16, to nearest, ties to even; a NaN stays one."""
    count = width(part)
    return view.result_of_call(f"__builtin_IB_ftobf_{count}", [part], chunk_type(i16, count))


def cut_to_odd(view: LLVMView, part: SSAValue, *, unsigned: bool) -> SSAValue:
    """A chunk of f64 or of integers as f32 that rounds to bf16, or 8 bits, as the chunk itself would.

    What f32 does not hold is cut off, and the last bit is set where that was something, so that rounding once more, to
    fewer bits, knows on which side of a tie the number lies.
    """
    count, emit = width(part), view.new
    name = f"convert_float{count if count > 1 else ''}_rtz"
    function = mangle(name, [mangled_type(part.type, unsigned=unsigned)])
    cut = view.result_of_call(function, [part], chunk_type(f32, count))
    if isa(chunk_element(part.type), IntegerType):
        back = (FPToUIOp if unsigned else FPToSIOp)(cut, part.type)
        lost = view.compare("ne", emit(back), part)
    else:
        lost = emit(FCmpOp(emit(llvm.FPExtOp(cut, part.type)), part, "une"))
    words = chunk_type(i32, count)
    bits = emit(llvm.OrOp(emit(llvm.BitcastOp(cut, words)), emit(llvm.ZExtOp(lost, words))))
    return emit(llvm.BitcastOp(bits, cut.type))
