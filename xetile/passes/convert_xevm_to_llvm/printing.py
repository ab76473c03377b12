"""What a work-item prints: OpenCL's printf, of a format that is a constant of the module.

OpenCL knows no `ll`: the length that a conversion has is that of what is passed, 64 bits or at most 32. Floats below 32
bits are passed as f32, and f32 as it is, since devices without f64 take no other.
Source: OpenCL C specification 3.0, "printf"; section "Differences between OpenCL C and C99 printf".
"""

import re
from collections.abc import Iterator

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    Float16Type,
    IndexType,
    IntAttr,
    IntegerType,
    StringAttr,
    f32,
    i8,
    i32,
)
from xdsl.ir import Operation, SSAValue

from xetile.analysis.kernels import symbol_name
from xetile.dialects.upstream.gpu.printf_format import (
    CONVERSION,
    SIGNED,
    format_of,
    kinds_of,
)
from xetile.hints import isa
from xetile.passes.convert_xevm_to_llvm.builtins import PRINTF, mangle
from xetile.passes.convert_xevm_to_llvm.floats import float_parts
from xetile.passes.convert_xevm_to_llvm.types import is_nibble
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers
from xetile.targets.xe.device import CONSTANT_ADDRESS_SPACE

_POINTER = llvm.LLVMPointerType(IntAttr(CONSTANT_ADDRESS_SPACE))
_FUNCTION = mangle(PRINTF, [f"PU3AS{CONSTANT_ADDRESS_SPACE}Kc", "z"])


def _printf(view: LLVMView, op: Operation) -> None:
    kinds = kinds_of(op)
    values = [
        _argument(view, value, kind) for kind, value in zip(kinds, op.operands, strict=True)
    ]
    format = _format(view, format_of(op), values)
    view.call_variadic(_FUNCTION, [_pointer(view, format)], values, i32)


def _argument(view: LLVMView, value: SSAValue, kind: str) -> SSAValue:
    """What is passed of a value: an integer of 32 or 64 bits, f32 or f64."""
    if isa(value.type, AnyFloat):
        (part,) = float_parts(view, value)
        is_half = isinstance(part.type, Float16Type)
        return view.new(llvm.FPExtOp(part, f32)) if is_half else part
    if kind == "p":
        view.refuse("has '%p', with which OpenCL's printf prints pointers; expected %x")
    if is_nibble(value.type):
        view.refuse(f"of {value.type} has no lowering to LLVM IR; widen the value before")
    bits = 64 if isinstance(value.type, IndexType) else view.bits(value)
    number = view.integer(value, bits)
    if kind == "c":
        return view.resized(number, 32)
    if bits >= 32:
        return number
    extend = llvm.SExtOp if kind in SIGNED else llvm.ZExtOp
    return view.new(extend(number, i32))


def _format(view: LLVMView, format: str, values: list[SSAValue]) -> str:
    """The format with the lengths that are passed."""
    if "\0" in format:
        view.refuse("has a format with a zero byte, at which OpenCL's printf ends")
    passed: Iterator[SSAValue] = iter(values)

    def converted(found: re.Match[str]) -> str:
        kind = found["kind"]
        type = None if kind == "%" else next(passed).type
        length = "l" if isa(type, IntegerType) and type.width.data == 64 else ""
        return f"%{found['flags']}{found['width']}{found['precision']}{length}{kind}"

    return CONVERSION.sub(converted, format)


def _pointer(view: LLVMView, format: str) -> SSAValue:
    """Where the format stands, once for all that print with it."""
    made = view.texts.get(format)
    if made is None:
        name = f"{symbol_name(view.function)}_format{len(view.texts) or ''}"
        text = format + "\0"
        made = view.texts[format] = llvm.GlobalOp(
            llvm.LLVMArrayType(IntAttr(len(text.encode())), i8),
            name,
            "internal",
            addr_space=CONSTANT_ADDRESS_SPACE,
            constant=True,
            value=StringAttr(text),
        )
        made.location = view.current.location
    name = made.sym_name.data
    return view.shared(("format", name), lambda: llvm.AddressOfOp(name, _POINTER))


def _print(view: LLVMView, op: Operation) -> None:
    view.refuse(
        "has no lowering to LLVM IR; expected gpu.printf, which OpenCL has a function for"
    )


HANDLERS: Handlers[LLVMView] = {"gpu.printf": _printf, "vector.print": _print}
