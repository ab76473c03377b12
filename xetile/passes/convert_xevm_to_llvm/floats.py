"""Floats of arith and math at L.

Arithmetic on bf16 and 8-bit floats, which LLVM's back end has not, is done in f32 and rounded.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    FloatTF32Type,
    IntegerAttr,
    IntegerType,
    f32,
    i16,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.hints import isa

from xetile.dialects.upstream.llvm_values import (
    FCmpOp,
    FPToSIOp,
    FPToUIOp,
    SelectOp,
    UIToFPOp,
)
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.arithmetic import (
    Binary,
    whole_numbers,
    wide_bits,
    with_bits_of,
)
from xetile.passes.convert_xevm_to_llvm.floats_8 import halves, is_float_8, rounded
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_bits,
    chunk_type,
    vector_element,
    vector_length,
    width,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers

_FLOATS: Mapping[str, Binary] = {
    "arith.addf": llvm.FAddOp,
    "arith.subf": llvm.FSubOp,
    "arith.mulf": llvm.FMulOp,
    "arith.divf": llvm.FDivOp,
    "arith.remf": llvm.FRemOp,
    "arith.maxnumf": llvm.VectorFMaxOp,
    "arith.minnumf": llvm.VectorFMinOp,
    "math.powf": llvm.FPowOp,
    "math.copysign": llvm.FCopySignOp,
}

_FUNCTIONS: Mapping[str, type[IRDLOperation]] = {
    "arith.negf": llvm.FNegOp,
    "math.absf": llvm.FAbsOp,
    "math.ceil": llvm.FCeilOp,
    "math.cos": llvm.FCosOp,
    "math.exp": llvm.FExpOp,
    "math.exp2": llvm.FExp2Op,
    "math.floor": llvm.FFloorOp,
    "math.log": llvm.FLogOp,
    "math.log2": llvm.FLog2Op,
    "math.sin": llvm.FSinOp,
    "math.sqrt": llvm.FSqrtOp,
}


def _scalar(value: SSAValue) -> Attribute:
    return value.type if vector_length(value.type) is None else vector_element(value.type)


def _is_bfloat(value: SSAValue) -> bool:
    return isinstance(_scalar(value), BFloat16Type)


def _is_narrow(value: SSAValue) -> bool:
    """Whether a value is computed with in f32, and rounded."""
    return _is_bfloat(value) or is_float_8(_scalar(value))


def _widened(view: LLVMView, part: SSAValue) -> SSAValue:
    count = width(part)
    bits = view.new(llvm.ZExtOp(part, chunk_type(i32, count)))
    sixteen = view.vector_constant([16] * count, i32)
    shifted = view.new(llvm.ShlOp(bits, sixteen))
    return view.new(llvm.BitcastOp(shifted, chunk_type(f32, count)))


def _narrowed(view: LLVMView, part: SSAValue) -> SSAValue:
    """f32 rounded to the bits of bf16, to nearest, ties to even; a NaN stays one.

    There is a SPIR-V extension for this (SPV_INTEL_bfloat16_conversion), which asks for more than this costs.
    """
    count, emit = width(part), view.new

    def number(value: int) -> SSAValue:
        return view.vector_constant([value] * count, i32)

    bits = emit(llvm.BitcastOp(part, chunk_type(i32, count)))
    high = emit(llvm.LShrOp(bits, number(16)))
    odd = emit(llvm.AndOp(high, number(1)))
    bias = emit(llvm.AddOp(odd, number(0x7FFF)))
    rounded = emit(llvm.LShrOp(emit(llvm.AddOp(bits, bias)), number(16)))
    quiet = emit(llvm.OrOp(high, number(0x40)))
    is_nan = emit(FCmpOp(part, part, "uno"))
    result = emit(SelectOp(is_nan, quiet, rounded))
    return emit(llvm.TruncOp(result, chunk_type(i16, count)))


def _check_is_no_tf32(view: LLVMView, value: SSAValue) -> None:
    """Registers of tf32 hold words with more bits than count, and what is computed would need rounding."""
    if isinstance(_scalar(value), FloatTF32Type):
        view.refuse(
            f"on {value.type} has no lowering to LLVM IR; lanes hold tf32 in f32, cut or rounded "
            "by convert-xegpu-to-xevm"
        )


def _parts(view: LLVMView, value: SSAValue) -> list[SSAValue]:
    _check_is_no_tf32(view, value)
    if _is_bfloat(value):
        return [_widened(view, part) for part in view.parts(value)]
    if is_float_8(_scalar(value)):
        return [
            view.new(llvm.FPExtOp(part, chunk_type(f32, width(part))))
            for part in _halves(view, value)
        ]
    if isa(view.element(value), IntegerType):
        view.refuse(f"on {value.type} has no lowering to LLVM IR; convert to f32")
    return list(view.parts(value))


def _halves(view: LLVMView, value: SSAValue) -> list[SSAValue]:
    return [halves(view, part, _scalar(value)) for part in view.parts(value)]


def _rows(view: LLVMView, op: Operation) -> Iterator[tuple[SSAValue, ...]]:
    return zip(*(_parts(view, value) for value in op.operands), strict=True)


def _bind(view: LLVMView, value: SSAValue, parts: Sequence[SSAValue]) -> None:
    _check_is_no_tf32(view, value)
    if _is_bfloat(value):
        parts = [_narrowed(view, part) for part in parts]
    elif is_float_8(_scalar(value)):
        parts = [rounded(view, part, _scalar(value)) for part in parts]
    view.bind_parts(value, parts)


def _binary(view: LLVMView, op: Operation) -> None:
    make = _FLOATS[op.name]
    parts = [view.new(make(a, b)) for a, b in _rows(view, op)]
    _bind(view, op.results[0], parts)


def _function(view: LLVMView, op: Operation) -> None:
    make = _FUNCTIONS[op.name]
    flags: dict[str, Attribute] = {"fastmathFlags": llvm.FastMathAttr(None)}
    parts = [
        view.new(make.create(operands=[a], result_types=[a.type], properties=flags))
        for (a,) in _rows(view, op)
    ]
    _bind(view, op.results[0], parts)


def _fused(view: LLVMView, op: Operation) -> None:
    if _is_narrow(op.results[0]):
        fail(
            op,
            f"'math.fma' on {op.results[0].type} has no lowering to LLVM IR; convert to f32",
        )
    parts = [view.new(llvm.FMAOp(a, b, c)) for a, b, c in _rows(view, op)]
    _bind(view, op.results[0], parts)


def _ieee_extreme(view: LLVMView, op: Operation) -> None:
    """IEEE's maximum and minimum: a NaN wins, and zeros have an order."""
    greater = "ogt" if op.name == "arith.maximumf" else "olt"
    tie: Binary = llvm.AndOp if op.name == "arith.maximumf" else llvm.OrOp
    parts: list[SSAValue] = []
    for a, b in _rows(view, op):
        bits = chunk_type(IntegerType(chunk_bits(a.type)), width(a))
        raw = [view.new(llvm.BitcastOp(value, bits)) for value in (a, b)]
        # equal numbers have equal bits, but for zeros, where the sign decides
        equal = view.new(llvm.BitcastOp(view.new(tie(raw[0], raw[1])), a.type))
        chosen = view.new(SelectOp(view.new(FCmpOp(a, b, greater)), a, b))
        chosen = view.new(SelectOp(view.new(FCmpOp(a, b, "oeq")), equal, chosen))
        nan = view.new(llvm.FAddOp(a, b))
        parts.append(view.new(SelectOp(view.new(FCmpOp(a, b, "uno")), nan, chosen)))
    _bind(view, op.results[0], parts)


def _compare(view: LLVMView, op: Operation) -> None:
    predicate = cast("IntegerAttr[IntegerType]", op.properties["predicate"]).value.data
    flag = llvm.FCmpPredicateFlag.from_int(predicate).value
    view.bind_made(op.results[0], (FCmpOp(a, b, flag) for a, b in _rows(view, op)))


def _computed_element(view: LLVMView, op: Operation, hint: str = "") -> Attribute:
    (result,) = op.results
    element = f32 if _is_narrow(result) else view.element(result)
    if isa(element, IntegerType):
        fail(op, f"'{op.name}' to {result.type} has no lowering to LLVM IR{hint}")
    return element


def _check_rounds_once(op: Operation, *, exact: bool) -> None:
    """Refuse bf16 and 8-bit floats made of what f32, in which it is computed, may have rounded already."""
    (source,), (result,) = op.operands, op.results
    if _is_narrow(result) and not exact:
        fail(
            op,
            f"'{op.name}' from {source.type} to {result.type} would round twice; go through f32",
        )


def _convert(view: LLVMView, op: Operation) -> None:
    (source,) = op.operands
    parts = _halves(view, source) if is_float_8(_scalar(source)) else _parts(view, source)
    element = _computed_element(view, op)
    converted = [
        with_bits_of(
            view, part, chunk_type(element, width(part)), llvm.FPTruncOp, llvm.FPExtOp
        )
        for part in parts
    ]
    _check_rounds_once(op, exact=chunk_bits(parts[0].type) <= 32)
    _bind(view, op.results[0], converted)


def _to_integer(view: LLVMView, op: Operation) -> None:
    make: Callable[[SSAValue, Attribute], Operation] = (
        FPToSIOp if op.name == "arith.fptosi" else FPToUIOp
    )
    (source,), (result,) = op.operands, op.results
    parts = zip(_parts(view, source), view.part_types(result), strict=True)
    view.bind_made(result, (make(part, type) for part, type in parts))


def _from_integer(view: LLVMView, op: Operation) -> None:
    make = llvm.SIToFPOp if op.name == "arith.sitofp" else UIToFPOp
    element = _computed_element(view, op, "; convert to f32")
    (source,), unsigned = op.operands, op.name == "arith.uitofp"
    numbers = whole_numbers(view, source, view.parts(source), unsigned=unsigned)
    parts = wide_bits(view, numbers, unsigned=unsigned)
    _check_rounds_once(op, exact=chunk_bits(parts[0].type) <= 16)
    made = [view.new(make(p, chunk_type(element, width(p)))) for p in parts]
    _bind(view, op.results[0], made)


HANDLERS: Handlers[LLVMView] = {
    **dict.fromkeys(_FLOATS, _binary),
    **dict.fromkeys(_FUNCTIONS, _function),
    **dict.fromkeys(("arith.extf", "arith.truncf"), _convert),
    **dict.fromkeys(("arith.fptosi", "arith.fptoui"), _to_integer),
    **dict.fromkeys(("arith.sitofp", "arith.uitofp"), _from_integer),
    **dict.fromkeys(("arith.maximumf", "arith.minimumf"), _ieee_extreme),
    "arith.cmpf": _compare,
    "math.fma": _fused,
}
