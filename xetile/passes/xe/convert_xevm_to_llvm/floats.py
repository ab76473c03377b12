"""Floats of arith at L.

Arithmetic on bf16 and 8-bit floats, which LLVM's back end does not support, is done in f32 and rounded.

bf16 is an integer of 16 bits at L. Functions of IGC convert it to f32, in which ops compute, and back. Source:
intel-graphics-compiler, DpasFuncsResolution.cpp (`__builtin_IB_ftobf_N` rounds to nearest even, `__builtin_IB_bftof_N`
is exact); SPV_INTEL_bfloat16_conversion's instructions become calls of them too. Each is one instruction a register.

8-bit floats are integers of 8 bits at L. They are converted to f16, which represents all of them, and back from f32.
f8E5M2 is the upper byte of an f16. f8E4M3FN has four bits of exponent where f16 has five, with a bias that is less by
8, no infinity, and one NaN of each sign. Numbers that do not fit round to NaN, as in MLIR and in ml_dtypes. Source:
"FP8 Formats for Deep Learning" (OCP 8-bit Floating Point Specification, revision 1.0), tables 1 and 2.

In arith.maximumf and minimumf, a NaN wins, and zeros have an order, unless flags exclude them.

arith.addf and subf of a product, if both have the flag `contract`, become one instruction with it:

    %p = arith.mulf %a, %b fastmath<contract>
    %s = arith.subf %c, %p fastmath<contract>      ->      llvm.intr.fma(-%a, %b, %c)

The product is then not rounded. IGC contracts nothing by itself, since modules turn contraction off, and SPIR-V has no
flag for it (codegen/llvm_ir.py). Levels above execute the ops as written.

arith.divf of f32 is rounded correctly if the driver is told to (codegen/build_options.py). IGC computes that of f16 by
a reciprocal in any case, so quotients of f16 are computed in f32 and rounded. This equals the quotient rounded once, as
f32 has twice the digits of f16 and two (S. Figueroa, When is Double Rounding Innocuous?, 1995). The same applies to
bf16 and 8-bit floats. With `arcp` or `afn` quotients of f16 stay, and cost a sixth.

OpenCL's functions of floats are called by name, and its native ones if the flag `afn` allows approximations.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    FloatTF32Type,
    IntegerAttr,
    IntegerType,
    f16,
    f32,
    i1,
    i8,
    i16,
    i32,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from xetile.dialects.fast_math import fast_math as said_of
from xetile.dialects.upstream.arith import ROUNDING_MODES
from xetile.dialects.upstream.llvm import FCmpOp, FPToSIOp, FPToUIOp, SelectOp, UIToFPOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.passes.xe.convert_xevm_to_llvm.arithmetic import (
    whole_numbers,
    wide_bits,
    with_bits_of,
)
from xetile.passes.xe.convert_xevm_to_llvm.builtins import mangle
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import (
    chunk_bits,
    chunk_element,
    chunk_type,
    mangled_type,
    vector_element,
    vector_length,
    width,
)
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import LLVMView
from xetile.rewriting.rewriter import Handlers

_Extreme = Callable[[SSAValue, SSAValue], Operation]


class Extreme(NamedTuple):
    """The differences between a maximum and a minimum.

    The predicate that selects the left operand, the function of numbers, the op that joins signs, and the constant
    zero that loses against an equal zero of the other sign.
    """

    predicate: str
    of_numbers: Callable[[SSAValue, SSAValue, llvm.FastMathAttr], Operation]
    join: _Extreme
    losing_zero: str


MAXIMUM = Extreme("gt", llvm.VectorFMaxOp, llvm.AndOp, "-0.0")
MINIMUM = Extreme("lt", llvm.VectorFMinOp, llvm.OrOp, "0.0")


def extreme(
    view: LLVMView,
    kind: Extreme,
    left: SSAValue,
    right: SSAValue,
    flags: llvm.FastMathAttr,
    number: float | None,
) -> SSAValue:
    """Return the extreme of two chunks of floats; `right` may be a `number` throughout, which is not a NaN.

    It takes six instructions of IGC's a register; with a number 2; 3 if zeros have no order or there is no NaN, 1 if
    both hold. llvm.maximum would become OpenCL's fmax, which ignores NaNs.
    """
    has_nan = FastMathFlag.NO_NANS not in flags.data
    has_order = FastMathFlag.NO_SIGNED_ZEROS not in flags.data and not number
    if not has_nan and not has_order:
        return view.new(kind.of_numbers(left, right, flags))
    if number is not None:
        equal = "e" if str(number) == kind.losing_zero else kind.predicate[1]
        return _choose(view, f"u{kind.predicate[0]}{equal}", left, right, flags)
    if has_nan:
        # unordered: a NaN on the left is taken
        chosen = _choose(view, f"u{kind.predicate}", left, right, flags)
    else:
        chosen = view.new(kind.of_numbers(left, right, flags))
    if has_order:
        chosen = _signed(view, kind, left, right, chosen)
    if not has_nan:
        return chosen
    is_nan = view.new(FCmpOp(right, right, "uno", flags))
    return view.new(SelectOp(is_nan, right, chosen, fastmathFlags=flags))


def uniform(value: SSAValue) -> float | None:
    """Return the number that all elements of a constant equal, or None for a NaN and for other values."""
    if not isinstance(value, OpResult):
        return None
    if value.op.name == "vector.broadcast":
        return uniform(value.op.operands[0])
    found = value.op.properties.get("value")
    if value.op.name != "arith.constant":
        return None
    if isa(found, FloatAttr):
        number = found.value.data
    elif isa(found, DenseIntOrFPElementsAttr) and found.is_splat():
        number = cast(float, found.get_values()[0])
    else:
        return None
    return None if number != number else number


def _choose(
    view: LLVMView,
    predicate: str,
    left: SSAValue,
    right: SSAValue,
    flags: llvm.FastMathAttr,
) -> SSAValue:
    is_left = view.new(FCmpOp(left, right, predicate, flags))
    return view.new(SelectOp(is_left, left, right, fastmathFlags=flags))


def _signed(
    view: LLVMView, kind: Extreme, left: SSAValue, right: SSAValue, chosen: SSAValue
) -> SSAValue:
    """Return the chosen number with the sign from joining the operands' signs; this changes zeros only."""
    size, count, emit = chunk_bits(chosen.type), width(chosen), view.new
    word = IntegerType(size)
    words = chunk_type(word, count)
    a, b, c = (emit(llvm.BitcastOp(value, words)) for value in (left, right, chosen))
    sign = -(1 << (size - 1))
    is_and = kind.join is llvm.AndOp
    mask = view.vector_constant([~sign if is_and else sign] * count, word)
    among = llvm.OrOp if is_and else llvm.AndOp
    signs = emit(among(emit(kind.join(a, b)), mask))
    return emit(llvm.BitcastOp(emit(kind.join(c, signs)), chosen.type))


_ROUNDED_ONCE = (Float16Type, Float32Type, Float64Type)
"""Element types that have instructions; others are computed in f32 and rounded after each op."""


def _sum(view: LLVMView, op: Operation) -> None:
    flags = fast_math(op)
    place = _product(view, op)
    if place is None:
        make = llvm.FAddOp if op.name == "arith.addf" else llvm.FSubOp
        parts = [view.new(make(a, b, flags)) for a, b in float_rows(view, op)]
    else:
        parts = [
            view.new(llvm.FMAOp(a, b, c, flags)) for a, b, c in _rows(view, op, place, flags)
        ]
    bind_floats(view, op.results[0], parts)


def _product(view: LLVMView, op: Operation) -> int | None:
    """Return the index of an operand that is a product of this block that may be contracted with the sum, or None."""
    if not isinstance(view.element(op.results[0]), _ROUNDED_ONCE) or not _contracts(op):
        return None
    for place, value in reversed(list(enumerate(op.operands))):
        if not isinstance(value, OpResult) or value.op.parent is not op.parent:
            continue
        if value.op.name == "arith.mulf" and _contracts(value.op):
            return place
    return None


def _contracts(op: Operation) -> bool:
    return FastMathFlag.ALLOW_CONTRACT in fast_math(op).data


def _rows(
    view: LLVMView, op: Operation, place: int, flags: llvm.FastMathAttr
) -> Iterator[tuple[SSAValue, SSAValue, SSAValue]]:
    """Yield factors and summand, chunk by chunk, with the signs of a difference."""
    product = op.operands[place].owner
    assert isinstance(product, Operation)
    rows = zip(
        float_rows(view, product), float_parts(view, op.operands[1 - place]), strict=True
    )
    for (left, right), summand in rows:
        if op.name == "arith.subf" and place == 0:
            summand = view.new(llvm.FNegOp(summand, flags))
        elif op.name == "arith.subf":
            left = view.new(llvm.FNegOp(left, flags))
        yield left, right, summand


_APPROXIMATE = frozenset((FastMathFlag.ALLOW_RECIP, FastMathFlag.APPROX_FUNC))


def _divide(view: LLVMView, op: Operation) -> None:
    parts = [_quotient(view, row, fast_math(op)) for row in float_rows(view, op)]
    bind_floats(view, op.results[0], parts)


def _quotient(view: LLVMView, row: Sequence[SSAValue], flags: llvm.FastMathAttr) -> SSAValue:
    left, right = row
    given = left.type
    if isinstance(chunk_element(given), Float16Type) and not _APPROXIMATE & set(flags.data):
        left, right = (single(view, part) for part in row)
    return as_given(view, view.new(llvm.FDivOp(left, right, flags)), given)


def is_approximate(op: Operation) -> bool:
    """Return True if an op may be approximated."""
    return FastMathFlag.APPROX_FUNC in fast_math(op).data


def called(
    view: LLVMView, name: str, arguments: Sequence[SSAValue], flags: llvm.FastMathAttr
) -> SSAValue:
    """Call an OpenCL function of floats and signed integers on chunks."""
    function = mangle(name, [mangled_type(argument.type) for argument in arguments])
    call = view.call(function, arguments, arguments[0].type)
    call.properties["fastmathFlags"] = flags
    return call.results[0]


def native(
    view: LLVMView, name: str, arguments: Sequence[SSAValue], flags: llvm.FastMathAttr
) -> SSAValue:
    """Call a native function on chunks of f32, or of f16 in f32, as there are none for f16."""
    given = arguments[0].type
    wide = [single(view, argument) for argument in arguments]
    return as_given(view, called(view, f"native_{name}", wide, flags), given)


def single(view: LLVMView, part: SSAValue) -> SSAValue:
    """Return a chunk of f16 or f32 as f32."""
    if not isinstance(chunk_element(part.type), Float16Type):
        return part
    return view.new(llvm.FPExtOp(part, chunk_type(f32, width(part))))


def as_given(view: LLVMView, part: SSAValue, type: Attribute) -> SSAValue:
    """Return a chunk of f32 as f16 if `type` is that."""
    return part if part.type == type else view.new(llvm.FPTruncOp(part, type))


class _Format(NamedTuple):
    """A format: bits of the fraction, exponent bias, largest encoding of a number, encoding of larger numbers."""

    fraction: int
    bias: int
    largest: int
    beyond: int

    @property
    def quantum(self) -> int:
        """The exponent of the smallest number."""
        return 1 - self.bias - self.fraction


_E4M3 = _Format(3, 7, 0x7E, 0x7F)
_E5M2 = _Format(2, 15, 0x7B, 0x7C)
_MAGNITUDE = 0x7F
"""All bits but the sign. If all of them are set, the value is a NaN in both formats."""

_SIGN = 0x80
_F32_FRACTION = 23
_F32_BIAS = 127


def is_float_8(type: Attribute) -> bool:
    """Return True if a type is an 8-bit float."""
    return isinstance(type, (Float8E4M3FNType, Float8E5M2Type))


def halves(view: LLVMView, part: SSAValue, type: Attribute) -> SSAValue:
    """Return a chunk of 8-bit floats as f16."""
    count, new = width(part), view.new

    def number(value: float, element: Attribute = i16) -> SSAValue:
        return view.vector_constant([value] * count, element)

    bits = _words(view, part, count)
    half = chunk_type(f16, count)
    if isinstance(type, Float8E5M2Type):
        return new(llvm.BitcastOp(new(llvm.ShlOp(bits, number(8))), half))
    magnitude = new(llvm.AndOp(bits, number(_MAGNITUDE)))
    sign = new(llvm.ShlOp(new(llvm.AndOp(bits, number(_SIGN))), number(8)))
    moved = new(llvm.OrOp(new(llvm.ShlOp(magnitude, number(7))), sign))
    scaled = new(llvm.FMulOp(new(llvm.BitcastOp(moved, half)), number(256.0, f16)))
    is_nan = view.compare("eq", magnitude, number(_MAGNITUDE))
    nan = new(llvm.BitcastOp(new(llvm.OrOp(moved, number(0x7E00))), half))
    return new(SelectOp(is_nan, nan, scaled))


def _words(view: LLVMView, part: SSAValue, count: int) -> SSAValue:
    """Return bytes as words of 16 bits.

    A single byte is first extended to 32 bits: LLVM's SPIR-V back end (22.1) merges a truncation from 32 to 8 bits and
    an extension to 16 into one `OpBitwiseAnd` of both widths. spirv-val refuses that, and Intel's runtime for CPUs
    crashes.
    """
    if count != 1:
        return view.new(llvm.ZExtOp(part, chunk_type(i16, count)))
    return view.new(llvm.TruncOp(view.new(llvm.ZExtOp(part, i32)), i16))


def rounded(view: LLVMView, part: SSAValue, type: Attribute) -> SSAValue:
    """Return a chunk of f32 rounded to 8-bit floats, to nearest even, once; also for subnormal numbers."""
    count, new = width(part), view.new
    form = _E5M2 if isinstance(type, Float8E5M2Type) else _E4M3
    dropped = _F32_FRACTION - form.fraction

    def number(value: int) -> SSAValue:
        return view.vector_constant([value] * count, i32)

    bits = new(llvm.BitcastOp(part, chunk_type(i32, count)))
    size = new(llvm.AndOp(bits, number(0x7FFFFFFF)))
    odd = new(llvm.AndOp(new(llvm.LShrOp(size, number(dropped))), number(1)))
    bias = new(llvm.AddOp(odd, number((1 << dropped - 1) - 1)))
    near = new(llvm.LShrOp(new(llvm.AddOp(size, bias)), number(dropped)))
    normal = new(llvm.SubOp(near, number(_F32_BIAS - form.bias << form.fraction)))
    # A sum with the number whose last digit is the smallest number rounds to it.
    magic = _F32_BIAS + _F32_FRACTION + form.quantum << _F32_FRACTION
    floats = chunk_type(f32, count)
    anchored = new(
        llvm.FAddOp(
            new(llvm.BitcastOp(size, floats)), new(llvm.BitcastOp(number(magic), floats))
        )
    )
    subnormal = new(
        llvm.SubOp(new(llvm.BitcastOp(anchored, chunk_type(i32, count))), number(magic))
    )
    is_small = view.compare("ult", size, number(_F32_BIAS + 1 - form.bias << _F32_FRACTION))
    found = new(SelectOp(is_small, subnormal, normal))
    is_beyond = view.compare("ugt", found, number(form.largest))
    found = new(SelectOp(is_beyond, number(form.beyond), found))
    found = new(SelectOp(new(FCmpOp(part, part, "uno")), number(_MAGNITUDE), found))
    sign = new(llvm.AndOp(new(llvm.LShrOp(bits, number(24))), number(_SIGN)))
    # Convert in 16 bits: Intel's runtime for CPUs (2026.2) crashes while it builds code that cuts a selection
    # to 8 bits at once and extends that to 16.
    words = new(llvm.TruncOp(new(llvm.OrOp(found, sign)), chunk_type(i16, count)))
    return new(llvm.TruncOp(words, chunk_type(i8, count)))


def widened(view: LLVMView, part: SSAValue) -> SSAValue:
    """Return a chunk of bf16 as f32."""
    count = width(part)
    return view.result_of_call(f"__builtin_IB_bftof_{count}", [part], chunk_type(f32, count))


def narrowed(view: LLVMView, part: SSAValue) -> SSAValue:
    """Return a chunk of f32 rounded to the bits of bf16, to nearest, ties to even; a NaN stays one."""
    count = width(part)
    return view.result_of_call(f"__builtin_IB_ftobf_{count}", [part], chunk_type(i16, count))


def cut_to_odd(view: LLVMView, part: SSAValue, *, unsigned: bool) -> SSAValue:
    """Return a chunk of f64 or of integers as f32 that rounds to bf16, or 8 bits, as the chunk itself would.

    Digits that f32 cannot represent are cut off, and the last bit is set if they were not zero. So a second rounding,
    to fewer bits, knows on which side of a tie the number lies.
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
    """Return True if a value is computed in f32 and rounded."""
    return _is_bfloat(value) or is_float_8(_scalar(value))


def fast_math(op: Operation) -> llvm.FastMathAttr:
    """Return the fast-math flags of an op of arith or math for the ops of L that replace it."""
    return llvm.FastMathAttr(list(said_of(op).data))


def _check_is_no_tf32(view: LLVMView, value: SSAValue) -> None:
    """Refuse tf32: its registers have words with more bits than count, and computed values would need rounding."""
    if isinstance(_scalar(value), FloatTF32Type):
        view.refuse(
            f"on {value.type} has no lowering to LLVM IR; lanes hold tf32 in f32, cut or rounded "
            "by convert-xegpu-to-xevm"
        )


def float_parts(view: LLVMView, value: SSAValue) -> list[SSAValue]:
    """Return the chunks of floats; bf16 and 8-bit floats become f32."""
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
    """Yield the chunks of all operands together."""
    return zip(*(float_parts(view, value) for value in op.operands), strict=True)


def bind_floats(view: LLVMView, value: SSAValue, parts: Sequence[SSAValue]) -> None:
    """Bind a value to these chunks; for bf16 and 8-bit floats the chunks are f32."""
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
    """Return a maker of conversions with flags, for which upstream's conversion has no property."""

    def make(part: SSAValue, type: Attribute) -> Operation:
        made = kind(part, type)
        if flags.data:
            made.attributes["fastmathFlags"] = flags
        return made

    return make


def _to_integer(view: LLVMView, op: Operation) -> None:
    """Saturate numbers that the type cannot represent, and turn NaN into 0, as OpenCL's `_sat` does.

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
    **dict.fromkeys(("arith.addf", "arith.subf"), _sum),
    "arith.divf": _divide,
}
