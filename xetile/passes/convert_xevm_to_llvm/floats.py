"""Floats of arith at L.

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
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.fast_math import fast_math as said_of
from xetile.dialects.upstream.arith.casts import ROUNDING_MODES
from xetile.dialects.upstream.llvm_values import (
    FCmpOp,
    SelectOp,
    UIToFPOp,
)
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.convert_xevm_to_llvm.arithmetic import (
    whole_numbers,
    wide_bits,
    with_bits_of,
)
from xetile.passes.convert_xevm_to_llvm.bfloats import cut_to_odd, narrowed, widened
from xetile.passes.convert_xevm_to_llvm.builtins import mangle
from xetile.passes.convert_xevm_to_llvm.extremes import MAXIMUM, MINIMUM, extreme, uniform
from xetile.passes.convert_xevm_to_llvm.floats_8 import halves, is_float_8, rounded
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_bits,
    chunk_type,
    mangled_type,
    vector_element,
    vector_length,
    width,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers

Binary = Callable[[SSAValue, SSAValue, llvm.FastMathAttr], Operation]

_FLOATS: Mapping[str, Binary] = {
    "arith.mulf": llvm.FMulOp,
    "arith.remf": llvm.FRemOp,
    "arith.maxnumf": llvm.VectorFMaxOp,
    "arith.minnumf": llvm.VectorFMinOp,
}


def _scalar(value: SSAValue) -> Attribute:
    return value.type if vector_length(value.type) is None else vector_element(value.type)


def _is_bfloat(value: SSAValue) -> bool:
    return isinstance(_scalar(value), BFloat16Type)


def _is_narrow(value: SSAValue) -> bool:
    """Whether a value is computed with in f32, and rounded."""
    return _is_bfloat(value) or is_float_8(_scalar(value))


def fast_math(op: Operation) -> llvm.FastMathAttr:
    """The flags of an op of arith or math, for those of L that it becomes."""
    return llvm.FastMathAttr(list(said_of(op).data))


def _check_is_no_tf32(view: LLVMView, value: SSAValue) -> None:
    """Registers of tf32 hold words with more bits than count, and what is computed would need rounding."""
    if isinstance(_scalar(value), FloatTF32Type):
        view.refuse(
            f"on {value.type} has no lowering to LLVM IR; lanes hold tf32 in f32, cut or rounded "
            "by convert-xegpu-to-xevm"
        )


def float_parts(view: LLVMView, value: SSAValue) -> list[SSAValue]:
    """The chunks of floats, of bf16 and 8-bit floats as f32."""
    _check_is_no_tf32(view, value)
    if _is_bfloat(value):
        return [widened(view, part) for part in view.parts(value)]
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


def float_rows(view: LLVMView, op: Operation) -> Iterator[tuple[SSAValue, ...]]:
    """The chunks of all operands, side by side."""
    return zip(*(float_parts(view, value) for value in op.operands), strict=True)


def bind_floats(view: LLVMView, value: SSAValue, parts: Sequence[SSAValue]) -> None:
    """Say that a value became these chunks; those of bf16 and 8-bit floats are given in f32."""
    _check_is_no_tf32(view, value)
    if _is_bfloat(value):
        parts = [narrowed(view, part) for part in parts]
    elif is_float_8(_scalar(value)):
        parts = [rounded(view, part, _scalar(value)) for part in parts]
    view.bind_parts(value, parts)


def _binary(view: LLVMView, op: Operation) -> None:
    make, flags = _FLOATS[op.name], fast_math(op)
    parts = [view.new(make(a, b, flags)) for a, b in float_rows(view, op)]
    bind_floats(view, op.results[0], parts)


def _negate(view: LLVMView, op: Operation) -> None:
    flags = fast_math(op)
    parts = [view.new(llvm.FNegOp(a, flags)) for (a,) in float_rows(view, op)]
    bind_floats(view, op.results[0], parts)


def _fused(view: LLVMView, op: Operation) -> None:
    if _is_narrow(op.results[0]):
        fail(
            op,
            f"'{op.name}' on {op.results[0].type} has no lowering to LLVM IR; convert to f32",
        )
    flags = fast_math(op)
    parts = [view.new(llvm.FMAOp(a, b, c, flags)) for a, b, c in float_rows(view, op)]
    bind_floats(view, op.results[0], parts)


def _extreme(view: LLVMView, op: Operation) -> None:
    kind = MAXIMUM if op.name == "arith.maximumf" else MINIMUM
    left, right = op.operands
    if uniform(right) is None and uniform(left) is not None:
        left, right = right, left
    number, flags = uniform(right), fast_math(op)
    rows = zip(float_parts(view, left), float_parts(view, right), strict=True)
    parts = [extreme(view, kind, a, b, flags, number) for a, b in rows]
    bind_floats(view, op.results[0], parts)


def _compare(view: LLVMView, op: Operation) -> None:
    predicate = cast("IntegerAttr[IntegerType]", op.properties["predicate"]).value.data
    flag, fast = llvm.FCmpPredicateFlag.from_int(predicate).value, fast_math(op)
    view.bind_made(op.results[0], (FCmpOp(a, b, flag, fast) for a, b in float_rows(view, op)))


def _computed_element(view: LLVMView, op: Operation, hint: str = "") -> Attribute:
    (result,) = op.results
    element = f32 if _is_narrow(result) else view.element(result)
    if isa(element, IntegerType):
        fail(op, f"'{op.name}' to {result.type} has no lowering to LLVM IR{hint}")
    return element


def _convert(view: LLVMView, op: Operation) -> None:
    mode = op.properties.get("roundingmode")
    if isa(mode, IntegerAttr) and mode.value.data:
        name = ROUNDING_MODES[mode.value.data]
        fail(
            op, f"'{op.name}' {name} has no lowering to LLVM IR; expected {ROUNDING_MODES[0]}"
        )
    (source,) = op.operands
    is_octet = is_float_8(_scalar(source))
    parts = _halves(view, source) if is_octet else float_parts(view, source)
    element = _computed_element(view, op)
    if _is_narrow(op.results[0]) and chunk_bits(parts[0].type) > 32:
        parts = [cut_to_odd(view, part, unsigned=False) for part in parts]
    narrow, widen = (_flagged(kind, fast_math(op)) for kind in (llvm.FPTruncOp, llvm.FPExtOp))
    converted = [
        with_bits_of(view, part, chunk_type(element, width(part)), narrow, widen)
        for part in parts
    ]
    bind_floats(view, op.results[0], converted)


def _flagged(
    kind: Callable[[SSAValue, Attribute], Operation], flags: llvm.FastMathAttr
) -> Callable[[SSAValue, Attribute], Operation]:
    """A conversion with flags, which upstream's has no property for."""

    def make(part: SSAValue, type: Attribute) -> Operation:
        made = kind(part, type)
        if flags.data:
            made.attributes["fastmathFlags"] = flags
        return made

    return make


def _to_integer(view: LLVMView, op: Operation) -> None:
    """What the type does not hold becomes its nearest number, and NaN 0, as OpenCL's `_sat` has it.

    On bmg that is two instructions a register more than LLVM's own conversion (cmp and sel, for NaN).
    """
    unsigned = op.name == "arith.fptoui"
    (source,), (result,) = op.operands, op.results
    bits = cast(IntegerType, _scalar(result)).width.data
    parts = [_whole(view, part, bits, unsigned=unsigned) for part in float_parts(view, source)]
    view.bind_parts(result, parts)


_OF_C = {8: "char", 16: "short", 32: "int", 64: "long"}


def _whole(view: LLVMView, part: SSAValue, bits: int, *, unsigned: bool) -> SSAValue:
    count, held = width(part), max(8, bits)
    if chunk_bits(part.type) == 16 < held:  # half the instructions of IGC's own from f16
        part = view.new(llvm.FPExtOp(part, chunk_type(f32, count)))
    name = f"convert_{'u' * unsigned}{_OF_C[held]}{count if count > 1 else ''}_sat"
    function = mangle(name, [mangled_type(part.type)])
    whole = view.result_of_call(function, [part], chunk_type(IntegerType(held), count))
    if bits == held:
        return whole
    digits = bits if unsigned else bits - 1
    low, high = 0 if unsigned else -(1 << digits), (1 << digits) - 1
    limits = [("ugt", high)] if unsigned else [("sgt", high), ("slt", low)]
    for predicate, number in limits:
        limit = view.vector_constant([number] * count, IntegerType(held))
        whole = view.new(SelectOp(view.compare(predicate, whole, limit), limit, whole))
    return whole if bits > 1 else view.new(llvm.TruncOp(whole, chunk_type(i1, count)))


def _from_integer(view: LLVMView, op: Operation) -> None:
    make, unsigned = llvm.SIToFPOp, op.name == "arith.uitofp"
    if unsigned:
        make = UIToFPOp
    element = _computed_element(view, op, "; convert to f32")
    (source,) = op.operands
    numbers = whole_numbers(view, source, view.parts(source), unsigned=unsigned)
    parts = wide_bits(view, numbers, unsigned=unsigned)
    if _is_narrow(op.results[0]) and chunk_bits(parts[0].type) > 16:
        made = [cut_to_odd(view, part, unsigned=unsigned) for part in parts]
    else:
        made = [view.new(make(p, chunk_type(element, width(p)))) for p in parts]
    bind_floats(view, op.results[0], made)


HANDLERS: Handlers[LLVMView] = {
    **dict.fromkeys(_FLOATS, _binary),
    **dict.fromkeys(("arith.extf", "arith.truncf"), _convert),
    **dict.fromkeys(("arith.fptosi", "arith.fptoui"), _to_integer),
    **dict.fromkeys(("arith.sitofp", "arith.uitofp"), _from_integer),
    **dict.fromkeys(("arith.maximumf", "arith.minimumf"), _extreme),
    **dict.fromkeys(("math.fma", "vector.fma"), _fused),
    "arith.cmpf": _compare,
    "arith.negf": _negate,
}
