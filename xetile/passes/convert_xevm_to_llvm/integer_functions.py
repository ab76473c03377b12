"""Integers at L, continued: divisions that round up or down, counts of bits, powers, and results of twice the bits."""

from collections.abc import Callable, Mapping

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from xetile.dialects.upstream.llvm_values import SelectOp
from xetile.errors import fail
from xetile.passes.convert_xevm_to_llvm.arithmetic import integer_rows, wide_bits
from xetile.passes.convert_xevm_to_llvm.builtins import mangle
from xetile.passes.convert_xevm_to_llvm.types import (
    chunk_bits,
    chunk_element,
    is_nibble,
    mangled_type,
    width,
)
from xetile.passes.convert_xevm_to_llvm.view import LLVMView
from xetile.rewriting.rewriter import Handlers
from xetile.targets.target import INDEX_BITS

_Number = Callable[[LLVMView, SSAValue, SSAValue], SSAValue]

_COUNTS: Mapping[str, str] = {
    "math.absi": "abs",
    "math.ctlz": "clz",
    "math.ctpop": "popcount",
    "math.cttz": "ctz",
}
"""Names of OpenCL's functions, which give the number of bits for the zeros of 0, as math's do."""


def _constant(view: LLVMView, like: SSAValue, number: int) -> SSAValue:
    count = width(like)
    return view.vector_constant([number] * count, chunk_element(like.type))


def _full_bits(view: LLVMView, *values: SSAValue) -> int:
    """The most bits of an element; an index has its 64, since bits are counted or products cut there."""
    return max(
        INDEX_BITS if isinstance(value.type, IndexType) else view.bits(value)
        for value in values
    )


def _rounded_up(view: LLVMView, a: SSAValue, b: SSAValue) -> SSAValue:
    """The quotient of unsigned numbers, and one more where there is a rest."""
    quotient = view.new(llvm.UDivOp(a, b))
    rest = view.compare("ne", view.new(llvm.MulOp(quotient, b)), a)
    return view.new(llvm.SubOp(quotient, view.new(llvm.SExtOp(rest, a.type))))


def _signed_quotient(view: LLVMView, a: SSAValue, b: SSAValue, *, down: bool) -> SSAValue:
    """The quotient of signed numbers, and one less, or more, where there is a rest and the signs say so."""
    quotient, zero = view.new(llvm.SDivOp(a, b)), _constant(view, a, 0)
    rest = view.compare("ne", view.new(llvm.MulOp(quotient, b)), a)
    signs = (view.compare("slt", value, zero) for value in (a, b))
    meant = view.compare("ne" if down else "eq", *signs)
    one = view.new(llvm.SExtOp(view.new(llvm.AndOp(rest, meant)), a.type))
    return view.new((llvm.AddOp if down else llvm.SubOp)(quotient, one))


def _floor(view: LLVMView, a: SSAValue, b: SSAValue) -> SSAValue:
    return _signed_quotient(view, a, b, down=True)


def _ceil(view: LLVMView, a: SSAValue, b: SSAValue) -> SSAValue:
    return _signed_quotient(view, a, b, down=False)


def _power(view: LLVMView, base: SSAValue, exponent: SSAValue) -> SSAValue:
    """The power, by squares; a negative exponent leaves the powers of 1 and -1, and 0 of all else."""
    one, zero, minus = (_constant(view, base, number) for number in (1, 0, -1))
    result, square = one, base
    bits = chunk_bits(base.type)
    for bit in range(bits - 1):
        taken = view.new(llvm.AndOp(exponent, _constant(view, base, 1 << bit)))
        factor = view.new(SelectOp(view.compare("ne", taken, zero), square, one))
        result = view.new(llvm.MulOp(result, factor))
        square = view.new(llvm.MulOp(square, square))
    odd = view.compare("ne", view.new(llvm.AndOp(exponent, one)), zero)
    of_minus = view.new(SelectOp(odd, minus, one))
    inverse = view.new(SelectOp(view.compare("eq", base, minus), of_minus, zero))
    inverse = view.new(SelectOp(view.compare("eq", base, one), one, inverse))
    return view.new(SelectOp(view.compare("slt", exponent, zero), inverse, result))


_BINARY: Mapping[str, _Number] = {
    "arith.ceildivsi": _ceil,
    "arith.ceildivui": _rounded_up,
    "arith.floordivsi": _floor,
    "math.ipowi": _power,
}


def _binary(view: LLVMView, op: Operation) -> None:
    make, unsigned = _BINARY[op.name], op.name == "arith.ceildivui"
    parts: list[SSAValue] = []
    bits = _full_bits(view, *op.operands, *op.results)
    for row in integer_rows(view, op, bits, unsigned=unsigned):
        a, b = wide_bits(view, row, unsigned=unsigned)
        made = make(view, a, b)
        parts.append(_cut(view, made, row[0]))
    view.bind_parts(op.results[0], parts)


def _cut(view: LLVMView, made: SSAValue, like: SSAValue) -> SSAValue:
    return made if made.type == like.type else view.new(llvm.TruncOp(made, like.type))


def _count(view: LLVMView, op: Operation) -> None:
    parts: list[SSAValue] = []
    bits, is_count = _full_bits(view, op.operands[0]), op.name != "math.absi"
    if is_count and op.name != "math.ctpop":
        _check_is_no_nibble(op)
    for (part,) in integer_rows(view, op, bits, unsigned=is_count):
        if chunk_bits(part.type) > 1:
            name = mangle(_COUNTS[op.name], [mangled_type(part.type)])
            parts.append(view.result_of_call(name, [part], part.type))
        elif op.name in ("math.absi", "math.ctpop"):
            parts.append(part)
        else:
            parts.append(view.new(llvm.XOrOp(part, _constant(view, part, 1))))
    view.bind_parts(op.results[0], parts)


def _check_is_no_nibble(op: Operation) -> None:
    type = op.operands[0].type
    if is_nibble(chunk_element(type)):
        fail(op, f"'{op.name}' on {type} has no lowering to LLVM IR; extend to i8")


def _add_extended(view: LLVMView, op: Operation) -> None:
    """The sum, and whether it lost a bit: then it is less than either number."""
    _check_is_no_nibble(op)
    sums: list[SSAValue] = []
    carries: list[SSAValue] = []
    for a, b in integer_rows(view, op, _full_bits(view, *op.operands)):
        total = view.new(llvm.AddOp(a, b))
        sums.append(total)
        carries.append(
            view.new(llvm.AndOp(a, b))
            if chunk_bits(a.type) == 1
            else view.compare("ult", total, a)
        )
    view.bind_parts(op.results[0], sums)
    view.bind_parts(op.results[1], carries)


def _multiply_extended(view: LLVMView, op: Operation) -> None:
    """The lower and the upper half of the product; OpenCL's mul_hi is the latter."""
    unsigned = op.name == "arith.mului_extended"
    _check_is_no_nibble(op)
    lows: list[SSAValue] = []
    highs: list[SSAValue] = []
    for a, b in integer_rows(view, op, _full_bits(view, *op.operands)):
        if chunk_bits(a.type) == 1:
            # -1 times -1 is 1, of two bits 01, as is 1 times 1
            lows.append(view.new(llvm.AndOp(a, b)))
            highs.append(_constant(view, a, 0))
            continue
        lows.append(view.new(llvm.MulOp(a, b)))
        types = [mangled_type(value.type, unsigned=unsigned) for value in (a, b)]
        highs.append(view.result_of_call(mangle("mul_hi", types), [a, b], a.type))
    view.bind_parts(op.results[0], lows)
    view.bind_parts(op.results[1], highs)


HANDLERS: Handlers[LLVMView] = {
    **dict.fromkeys(_BINARY, _binary),
    **dict.fromkeys(_COUNTS, _count),
    **dict.fromkeys(("arith.mulsi_extended", "arith.mului_extended"), _multiply_extended),
    "arith.addui_extended": _add_extended,
}
