"""OpenCL's functions of floats by their names at L, and its native ones, where the flag `afn` allows approximations."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float16Type, f32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.passes.convert_xevm_to_llvm.builtins import mangle
from xetile.passes.convert_xevm_to_llvm.floats import fast_math
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_element,
    chunk_type,
    mangled_type,
    width,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView


def is_approximate(op: Operation) -> bool:
    """Whether an op may be an approximation."""
    return FastMathFlag.APPROX_FUNC in fast_math(op).data


def called(
    view: LLVMView, name: str, arguments: Sequence[SSAValue], flags: llvm.FastMathAttr
) -> SSAValue:
    """What a function of OpenCL's of floats and signed integers gives for chunks."""
    function = mangle(name, [mangled_type(argument.type) for argument in arguments])
    call = view.call(function, arguments, arguments[0].type)
    call.properties["fastmathFlags"] = flags
    return call.results[0]


def native(
    view: LLVMView, name: str, arguments: Sequence[SSAValue], flags: llvm.FastMathAttr
) -> SSAValue:
    """What a native function gives for chunks of f32, or of f16, for which there are none."""
    given = arguments[0].type
    wide = [single(view, argument) for argument in arguments]
    return as_given(view, called(view, f"native_{name}", wide, flags), given)


def single(view: LLVMView, part: SSAValue) -> SSAValue:
    """A chunk of f16 or f32 as f32."""
    if not isinstance(chunk_element(part.type), Float16Type):
        return part
    return view.new(llvm.FPExtOp(part, chunk_type(f32, width(part))))


def as_given(view: LLVMView, part: SSAValue, type: Attribute) -> SSAValue:
    """A chunk of f32 as one of f16, where that is the type."""
    return part if part.type == type else view.new(llvm.FPTruncOp(part, type))
