"""Functions of floats at L: LLVM's own, which its SPIR-V back end makes OpenCL's, or those by their names.

Their errors are what OpenCL grants (docs/devices.md). Those of bf16 are computed in f32.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float32Type, IntegerType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.builtins import mangle
from xetile.passes.convert_xevm_to_llvm.floats import (
    bind_floats,
    fast_math,
    float_parts,
    float_rows,
)
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_bits,
    chunk_element,
    chunk_type,
    mangled_type,
    width,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers

_LLVM: Mapping[str, type[IRDLOperation]] = {
    "math.absf": llvm.FAbsOp,
    "math.ceil": llvm.FCeilOp,
    "math.copysign": llvm.FCopySignOp,
    "math.cos": llvm.FCosOp,
    "math.exp": llvm.FExpOp,
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
    f"math.{name}": f"native_{name}"
    for name in ("cos", "exp", "exp2", "log", "log10", "log2", "rsqrt", "sin", "sqrt", "tan")
}
"""Approximations of f32, where the flag `afn` allows them."""

_EXPONENT_BITS = 32


def _called(
    view: LLVMView, name: str, arguments: Sequence[SSAValue], flags: llvm.FastMathAttr
) -> SSAValue:
    """What a function of OpenCL's of floats and signed integers gives for chunks."""
    function = mangle(name, [mangled_type(argument.type) for argument in arguments])
    call = view.call(function, arguments, arguments[0].type)
    call.properties["fastmathFlags"] = flags
    return call.results[0]


def _opencl_name(op: Operation, rows: Sequence[Sequence[SSAValue]]) -> str | None:
    """The name of the function to call, None where LLVM has one of its own."""
    is_single = isinstance(chunk_element(rows[0][0].type), Float32Type)
    if is_single and FastMathFlag.APPROX_FUNC in fast_math(op).data and op.name in _NATIVE:
        return _NATIVE[op.name]
    return _OPENCL.get(op.name)


def _function(view: LLVMView, op: Operation) -> None:
    flags, rows = fast_math(op), list(float_rows(view, op))
    name = _opencl_name(op, rows)
    properties: dict[str, Attribute] = {"fastmathFlags": flags}
    parts = [
        view.new(
            _LLVM[op.name].create(
                operands=row, result_types=[row[0].type], properties=properties
            )
        )
        if name is None
        else _called(view, name, row, flags)
        for row in rows
    ]
    bind_floats(view, op.results[0], parts)


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
        found.append(_called(view, "pown", (part, power), flags))
    bind_floats(view, op.results[0], found)


HANDLERS: Handlers[LLVMView] = {
    **dict.fromkeys((*_LLVM, *_OPENCL), _function),
    "math.fpowi": _integer_power,
}
