"""Functions of floats at L: LLVM's own, which its SPIR-V back end makes OpenCL's, or those by their names.

Their errors are what OpenCL grants (docs/devices.md). Those of bf16 are computed in f32.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float64Type, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.exponentials import approximate_tangent, exponential
from xetile.passes.convert_xevm_to_llvm.floats import (
    bind_floats,
    fast_math,
    float_parts,
    float_rows,
)
from xetile.passes.convert_xevm_to_llvm.natives import called, is_approximate, native
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_bits,
    chunk_element,
    chunk_type,
    width,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers

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
"""Native functions, where the flag `afn` allows approximations."""

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
    """math.tanh."""
    is_wide = isinstance(view.element(op.results[0]), Float64Type)
    (_function if is_wide or not is_approximate(op) else approximate_tangent)(view, op)


def _integer_power(view: LLVMView, op: Operation) -> None:
    """math.fpowi: OpenCL's pown, whose exponents have 32 bits."""
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
