"""Functions of floats at L: LLVM's own, which its SPIR-V back end turns into OpenCL's, or OpenCL's by name.

Their errors are those that OpenCL allows (docs/devices.md). Functions of bf16 are computed in f32.

math.exp becomes exp2 of a product: seven instructions of IGC's a register, while OpenCL's exp of f32 has twelve.

With h = x * log2(e), rounded to f32, exp(x) is exp2(h) * exp(r) with r = x - h * ln(2). Here 1 + r is near enough to
exp(r), and ln(2) is two numbers of f32:

    e = exp2(h)
    y = e + e * r
    exp(x) = y, or e where y is a NaN, which results from infinities, and from an e that is one

f16 and bf16 have so few bits that e is near enough. With `afn`, e is near enough too, by the native function. With
`ninf` there is nothing to select. tanh(x) with `afn` is 1 - 2 / (1 + exp2(x * 2 log2(e))), which loses digits near
zero. docs/devices.md lists the errors of all of them.
"""

from collections.abc import Mapping, Sequence
from math import e, log, log2

from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType, f32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from xetile.dialects.upstream.llvm import FCmpOp, SelectOp
from xetile.errors import fail
from xetile.passes.xe.convert_xevm_to_llvm.floats import (
    as_given,
    bind_floats,
    called,
    fast_math,
    float_parts,
    float_rows,
    is_approximate,
    native,
    single,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import (
    chunk_bits,
    chunk_element,
    chunk_type,
    width,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import LLVMView
from xetile.rewriting.rewriter import Handlers

_LOG2_E = log2(e)
_LN_2 = float.fromhex("0x1.62e43p-1")
"""ln(2) rounded to f32."""

_LN_2_REST = log(2) - _LN_2


def exponential(view: LLVMView, op: Operation) -> None:
    """Lower math.exp; f64 uses OpenCL's function."""
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
    """Lower math.tanh with `afn`."""
    flags = fast_math(op)
    made: list[SSAValue] = []
    for (part,) in float_rows(view, op):
        power = _rough(view, part, 2 * _LOG2_E, flags, native=True)
        one, two = (_number(view, part, value) for value in (1.0, -2.0))
        # the power may be infinite although the result is finite
        whole = view.new(llvm.FAddOp(power, one))
        share = view.new(
            llvm.FDivOp(one, whole, llvm.FastMathAttr([FastMathFlag.ALLOW_RECIP]))
        )
        made.append(as_given(view, view.new(llvm.FMAOp(share, two, one, flags)), part.type))
    bind_floats(view, op.results[0], made)


def _near(view: LLVMView, part: SSAValue, flags: llvm.FastMathAttr) -> SSAValue:
    """Return exp of a chunk of f32. Flags apply to the result; values before it may be infinite or NaN."""
    new = view.new
    scaled = new(llvm.FMulOp(part, _number(view, part, _LOG2_E)))
    rest = new(llvm.FMAOp(scaled, _number(view, part, -_LN_2), part))
    rest = new(llvm.FMAOp(scaled, _number(view, part, -_LN_2_REST), rest))
    power = new(llvm.FExp2Op(scaled))
    if FastMathFlag.NO_INFS in flags.data:
        return new(llvm.FMAOp(power, rest, power, flags))
    found = new(llvm.FMAOp(power, rest, power))
    return new(SelectOp(new(FCmpOp(found, found, "ord")), found, power, fastmathFlags=flags))


def _rough(
    view: LLVMView, part: SSAValue, factor: float, flags: llvm.FastMathAttr, *, native: bool
) -> SSAValue:
    """Return exp2 of a chunk times a factor, in f32; the product may be infinite although the result is finite."""
    kept = llvm.FastMathAttr([flag for flag in flags.data if flag != FastMathFlag.NO_INFS])
    part = single(view, part)
    scaled = view.new(llvm.FMulOp(part, _number(view, part, factor), kept))
    if native:
        return called(view, "native_exp2", [scaled], kept)
    return view.new(llvm.FExp2Op(scaled, kept))


def _number(view: LLVMView, like: SSAValue, value: float) -> SSAValue:
    """Return a chunk of f32 that repeats a number."""
    return view.vector_constant([value] * width(like), f32)


_LLVM: Mapping[str, type[IRDLOperation]] = {
    "math.absf": llvm.FAbsOp,
    "math.ceil": llvm.FCeilOp,
    "math.copysign": llvm.FCopySignOp,
    "math.cos": llvm.FCosOp,
    "math.exp2": llvm.FExp2Op,
    "math.floor": llvm.FFloorOp,
    "math.log": llvm.FLogOp,
    "math.log2": llvm.FLog2Op,
    "math.powf": llvm.FPowOp,
    "math.sin": llvm.FSinOp,
    "math.sqrt": llvm.FSqrtOp,
}

_OPENCL: Mapping[str, str] = {
    **{
        f"math.{name}": name
        for name in (
            *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cosh"),
            *("erf", "expm1", "log10", "log1p", "round", "rsqrt", "sinh", "tan", "tanh"),
            "trunc",
        )
    },
    "math.roundeven": "rint",
}
"""Names of OpenCL's functions by those of ops (the OpenCL C specification, "Math Functions")."""

_NATIVE: Mapping[str, str] = {
    f"math.{name}": name
    for name in ("cos", "exp2", "log", "log10", "log2", "rsqrt", "sin", "sqrt", "tan")
}
"""Native functions, used if the flag `afn` allows approximations."""

_EXPONENT_BITS = 32


def _function(view: LLVMView, op: Operation) -> None:
    flags, rows = fast_math(op), list(float_rows(view, op))
    is_wide = isinstance(chunk_element(rows[0][0].type), Float64Type)
    if is_approximate(op) and op.name in _NATIVE and not is_wide:
        parts = [native(view, _NATIVE[op.name], row, flags) for row in rows]
    elif op.name in _OPENCL:
        parts = [called(view, _OPENCL[op.name], row, flags) for row in rows]
    else:
        parts = [_of_llvm(view, op, row, flags) for row in rows]
    bind_floats(view, op.results[0], parts)


def _of_llvm(
    view: LLVMView, op: Operation, row: Sequence[SSAValue], flags: llvm.FastMathAttr
) -> SSAValue:
    properties: dict[str, Attribute] = {"fastmathFlags": flags}
    kind = _LLVM[op.name]
    return view.new(
        kind.create(operands=row, result_types=[row[0].type], properties=properties)
    )


def _tangent(view: LLVMView, op: Operation) -> None:
    is_wide = isinstance(view.element(op.results[0]), Float64Type)
    (_function if is_wide or not is_approximate(op) else approximate_tangent)(view, op)


def _integer_power(view: LLVMView, op: Operation) -> None:
    """Lower math.fpowi to OpenCL's pown, whose exponents have 32 bits."""
    base, exponent = op.operands
    parts = view.parts(exponent)
    bits = chunk_bits(parts[0].type)
    if bits > _EXPONENT_BITS:
        fail(
            op,
            f"'{op.name}' with exponents of {bits} bits has no lowering to LLVM IR; expected at most 32",
        )
    flags = fast_math(op)
    found: list[SSAValue] = []
    for part, power in zip(float_parts(view, base), parts, strict=True):
        if bits < _EXPONENT_BITS:
            wide = chunk_type(IntegerType(_EXPONENT_BITS), width(power))
            power = view.new(llvm.SExtOp(power, wide))
        found.append(called(view, "pown", (part, power), flags))
    bind_floats(view, op.results[0], found)


HANDLERS: Handlers[LLVMView] = {
    **dict.fromkeys((*_LLVM, *_OPENCL), _function),
    "math.exp": exponential,
    "math.fpowi": _integer_power,
    "math.tanh": _tangent,
}
