"""8-bit floats at L, where they are integers of 8 bits: their numbers as f16, which has all of them, and back from f32.

f8E5M2 is the upper byte of an f16. f8E4M3FN has four bits of exponent where f16 has five, with a bias that is less by
8, no infinity, and one NaN of each sign; what does not fit rounds to it, as it does in MLIR and in ml_dtypes.
Source: "FP8 Formats for Deep Learning" (OCP 8-bit Floating Point Specification, revision 1.0), tables 1 and 2.
"""

from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float8E4M3FNType, Float8E5M2Type, f16, f32, i8, i16, i32
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.upstream.llvm_values import FCmpOp, SelectOp
from xetile.passes.convert_xevm_to_llvm.types import chunk_type, width
from xetile.passes.convert_xevm_to_llvm.view import LLVMView


class _Format(NamedTuple):
    """Bits of the fraction, exponent bias, the largest encoding of a number, and what is larger rounds to."""

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
"""All bits but the sign; all of them set are a NaN of both formats."""

_SIGN = 0x80
_F32_FRACTION = 23
_F32_BIAS = 127


def is_float_8(type: Attribute) -> bool:
    """Whether a type is an 8-bit float."""
    return isinstance(type, (Float8E4M3FNType, Float8E5M2Type))


def halves(view: LLVMView, part: SSAValue, type: Attribute) -> SSAValue:
    """A chunk of 8-bit floats as f16."""
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
    """Bytes as words of 16 bits.

    A single one by way of 32: LLVM's SPIR-V back end (22.1) joins a cut of 32 bits to 8 and an extension to 16 to one
    `OpBitwiseAnd` of both widths, which spirv-val refuses and Intel's runtime for CPUs ends at.
    """
    if count != 1:
        return view.new(llvm.ZExtOp(part, chunk_type(i16, count)))
    return view.new(llvm.TruncOp(view.new(llvm.ZExtOp(part, i32)), i16))


def rounded(view: LLVMView, part: SSAValue, type: Attribute) -> SSAValue:
    """A chunk of f32 rounded to 8-bit floats, to nearest even, once; subnormal numbers too."""
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
    # By way of 16 bits: Intel's runtime for CPUs (2026.2) ends while it builds what cuts a selection
    # to 8 bits at once, and extends that to 16.
    words = new(llvm.TruncOp(new(llvm.OrOp(found, sign)), chunk_type(i16, count)))
    return new(llvm.TruncOp(words, chunk_type(i8, count)))
