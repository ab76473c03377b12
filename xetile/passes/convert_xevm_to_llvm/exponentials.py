"""math.exp at L as exp2 of a product: seven instructions of IGC's a register, where OpenCL's exp of f32 has twelve.

With h = x * log2(e), rounded to f32, exp(x) is exp2(h) * exp(r) where r = x - h * ln(2), of which 1 + r is near enough
to exp(r); ln(2) is two numbers of f32:

    e = exp2(h)
    y = e + e * r
    exp(x) = y, or e where y is a NaN: that comes of infinities, and of an e that is one

f16 and bf16 have so few bits that e is near enough; with `afn` it is too, and the native one. With `ninf` there is
nothing to choose. tanh(x) with `afn` is 1 - 2 / (1 + exp2(x * 2 log2(e))), which loses digits near zero. How far all of
them are from the functions: docs/devices.md.
"""

from math import e, log, log2

from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float32Type, Float64Type, f32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from xetile.dialects.upstream.llvm_values import FCmpOp, SelectOp
from xetile.passes.convert_xevm_to_llvm.floats import bind_floats, fast_math, float_rows
from xetile.passes.convert_xevm_to_llvm.natives import (
    as_given,
    called,
    is_approximate,
    single,
)
from xetile.passes.convert_xevm_to_llvm.types import chunk_element, width
from xetile.passes.convert_xevm_to_llvm.view import LLVMView

_LOG2_E = log2(e)
_LN_2 = float.fromhex("0x1.62e43p-1")
"""ln(2) rounded to f32."""

_LN_2_REST = log(2) - _LN_2


def exponential(view: LLVMView, op: Operation) -> None:
    """math.exp; that of f64 is OpenCL's."""
    (result,), flags = op.results, fast_math(op)
    parts = [part for (part,) in float_rows(view, op)]
    if isinstance(chunk_element(parts[0].type), Float64Type):
        made = [view.new(llvm.FExpOp(part, flags)) for part in parts]
    elif isinstance(view.element(result), Float32Type) and not is_approximate(op):
        made = [_near(view, part, flags) for part in parts]
    else:
        native = is_approximate(op)
        made = [_rough(view, part, _LOG2_E, flags, native=native) for part in parts]
        made = [as_given(view, m, part.type) for m, part in zip(made, parts, strict=True)]
    bind_floats(view, result, made)


def approximate_tangent(view: LLVMView, op: Operation) -> None:
    """math.tanh with `afn`."""
    flags = fast_math(op)
    made: list[SSAValue] = []
    for (part,) in float_rows(view, op):
        power = _rough(view, part, 2 * _LOG2_E, flags, native=True)
        one, two = (_number(view, part, value) for value in (1.0, -2.0))
        # the power may be infinite without the result being so
        whole = view.new(llvm.FAddOp(power, one))
        share = view.new(
            llvm.FDivOp(one, whole, llvm.FastMathAttr([FastMathFlag.ALLOW_RECIP]))
        )
        made.append(as_given(view, view.new(llvm.FMAOp(share, two, one, flags)), part.type))
    bind_floats(view, op.results[0], made)


def _near(view: LLVMView, part: SSAValue, flags: llvm.FastMathAttr) -> SSAValue:
    """Exp of a chunk of f32. Flags are of the result: what comes before it may be infinite, or a NaN."""
    new = view.new
    scaled = new(llvm.FMulOp(part, _number(view, part, _LOG2_E)))
    rest = new(llvm.FMAOp(scaled, _number(view, part, -_LN_2), part))
    rest = new(llvm.FMAOp(scaled, _number(view, part, -_LN_2_REST), rest))
    power = new(llvm.FExp2Op(scaled))
    if FastMathFlag.NO_INFS in flags.data:
        return new(llvm.FMAOp(power, rest, power, flags))
    found = new(llvm.FMAOp(power, rest, power))
    return new(SelectOp(new(FCmpOp(found, found, "ord")), found, power, flags))


def _rough(
    view: LLVMView, part: SSAValue, factor: float, flags: llvm.FastMathAttr, *, native: bool
) -> SSAValue:
    """exp2 of a chunk times a factor, in f32, where the product may be infinite without the result being so."""
    kept = llvm.FastMathAttr([flag for flag in flags.data if flag != FastMathFlag.NO_INFS])
    part = single(view, part)
    scaled = view.new(llvm.FMulOp(part, _number(view, part, factor), kept))
    if native:
        return called(view, "native_exp2", [scaled], kept)
    return view.new(llvm.FExp2Op(scaled, kept))


def _number(view: LLVMView, like: SSAValue, value: float) -> SSAValue:
    """A chunk of f32 that repeats a number."""
    return view.vector_constant([value] * width(like), f32)
