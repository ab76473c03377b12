"""DPAS, the matrix instruction of Xe: element types, extents (elements), and the register layouts of its operands."""

from collections.abc import Mapping
from typing import NamedTuple

from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.intel.dpas_layouts import DpasInstruction
from xetile.targets.target import Operand

DEPTH = 8
"""Steps of 32 bits of K per instruction, on every device (disassembly: every one is `dpas.8xM`)."""

COLUMNS = 16
"""Columns N of an instruction, on every device (disassembly: `(16|M0)`)."""

REPEAT_COUNTS = (1, 2, 4, 8)
"""Rows M for which cl_intel_subgroup_matrix_multiply_accumulate has a builtin."""


CHANNEL_BITS = 32
"""Bits of K that a lane multiplies in one step (the extension packs as many elements into an `int` of B)."""


TF32_BITS = 19
"""Upper bits of a word of tf32 that an instruction reads: sign, 8 of exponent, 10 of fraction.

Source: cl_intel_subgroup_matrix_multiply_accumulate_tf32, "The tf32 Format"; IGC's vISA documentation, DPAS. That it
drops the other bits without rounding: intel-xpu-backend-for-triton, issue 3729.
"""


def ops_per_channel(element_bits: int) -> int:
    """Return how many elements of A and B, of `element_bits` bits, a lane multiplies in one step."""
    return max(1, CHANNEL_BITS // element_bits)


def depth(element_bits: int) -> int:
    """Return K of an instruction on elements of A and B of `element_bits` bits (elements)."""
    return DEPTH * ops_per_channel(element_bits)


class XeProduct(NamedTuple):
    """One DPAS: element types of A, B and accumulator by MLIR's names, and its shape (elements)."""

    a: str
    b: str
    c: str
    m: tuple[int, ...]
    n: int
    k: int

    @property
    def ops_per_channel(self) -> int:
        """Elements per 32 bits of K."""
        return self.k // DEPTH

    def operand_layout(self, operand: Operand, *, m: int) -> LinearLayout:
        """Return (register, lane) -> (dim0, dim1) of an operand of `m` rows of A."""
        return DpasInstruction(m, self.ops_per_channel).layout(operand)

    def mma_types(self, *, has_accumulator: bool) -> tuple[str, str, str, str | None]:
        """Return the types of result, A, B and accumulator by `xevm.mma`'s names, which has none for 8-bit floats."""
        a, b, c = (_XEVM_NAMES.get(name, name) for name in (self.a, self.b, self.c))
        return c, a, b, c if has_accumulator else None

    def register_word(self, operand: Operand) -> str:
        """Return the type of one register word of an operand.

        Source: the signatures of `intel_sub_group_*_matrix_mad_*`: A in 16-bit words, B in
        32-bit words, both as f32 for tf32; the accumulator in its own type.
        """
        if operand == "c":
            return self.c
        if self.a == "tf32":
            return "f32"
        return "i16" if operand == "a" else "i32"


_XEVM_NAMES = {
    **{"i8": "s8", "si8": "s8", "ui8": "u8", "i32": "s32"},
    **dict.fromkeys(("f8E4M3FN", "f8E5M2"), "s8"),
}

_INTEGERS_8 = ("i8", "si8", "ui8")
_FLOATS_8 = ("f8E4M3FN", "f8E5M2")

_BITS: Mapping[str, int] = {
    "f16": 16,
    "bf16": 16,
    "tf32": 32,
    **dict.fromkeys((*_INTEGERS_8, *_FLOATS_8), 8),
}
"""Bits of an element of A in a register."""

Products = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
"""Operand types that may be mixed, and accumulators."""

PRODUCTS: Products = (
    (("f16",), ("f32", "f16")),
    (("bf16",), ("f32", "bf16")),
    (("tf32",), ("f32",)),
    (_INTEGERS_8, ("i32", "si32")),
)
"""On every device (compiled and disassembled, all five)."""

FLOAT_8_PRODUCTS: Products = ((_FLOATS_8, ("f32", "bf16")),)
"""Further products of ptl and cri; the others compile e4m3 as if it were e5m2, which is wrong."""


def find_instruction(products: Products, a: str, b: str, c: str) -> XeProduct | None:
    """Return the instruction for these element types, or None if `products` do not have it."""
    for operands, accumulators in products:
        if a in operands and b in operands and c in accumulators:
            accumulator = "i32" if c == "si32" else c
            return XeProduct(a, b, accumulator, REPEAT_COUNTS, COLUMNS, depth(_BITS[a]))
    return None
