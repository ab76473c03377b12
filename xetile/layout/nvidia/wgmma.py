"""Operands of Hopper's wgmma in shared memory: addresses, swizzle atoms, descriptors, and legality.

The layouts are those of the PTX ISA, "Shared Memory Matrix Layout" and "Matrix Descriptor
Format" of wgmma. Where its text is silent or wrong, the module follows H100 and H200
(3,840 descriptors read back as full address maps, all predicted by `Operand.address`):

- Swizzle<B,4,3> acts on byte addresses, and on absolute ones: bits 4.. are XORed by bits 7.. of start plus offset.
  The text gives no unit; on element offsets its figures are not reproduced.
- K-major swizzled rows `((8,m),(T,2k)):((cT,SBO),(1,T))` have one row of the swizzle along K; beyond it rows
  alias. An instruction reads 32 bytes along K, so it never needs more. The text's 32-byte tf32 example has 64 bytes
  and therefore is no layout: 136 addresses for 256 elements.
- The leading byte offset of swizzled K-major operands is ignored (the text: "assumed 1").
- MN-major operands exist for 16-bit elements only: there are no transpose immediates for tf32 and 8-bit types. No
  instruction reads the text's MN-major layouts of those.
- The base offset is subtracted from the row phase. Data swizzled on absolute addresses, which TMA always does, has
  base offset 0 wherever it starts.
- The text's table of majorness is right only if "transposed" means the instruction's transpose immediate: of a
  column-major BLAS, A not transposed is M-major.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Self

from xetile.layout.algebra.identities import identities
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

Major = Literal["K", "MN"]

SWIZZLES = (0, 32, 64, 128)
# Codes of the swizzles in bits 63 and 62 of a descriptor.
CODES = {0: 0, 128: 1, 64: 2, 32: 3}
FIELD = (1 << 14) - 1
# Start, leading and stride of 14 bits each, three bits of base offset, two of swizzle.
USED_BITS = FIELD | FIELD << 16 | FIELD << 32 | 7 << 49 | 3 << 62
ADDRESS_MASK = 0x3FFFF
UNIT_BYTES = 16
# Along K one instruction reads this many bytes.
INSTRUCTION_K_BYTES = 32
INSTRUCTION_M = 64
INSTRUCTION_MAX_N = 256


class Descriptor(NamedTuple):
    """The 64-bit matrix descriptor; addresses and offsets in bytes, `swizzle` 0, 32, 64 or 128 bytes."""

    start: int
    leading: int
    stride: int
    base_offset: int
    swizzle: int

    def encode(self) -> int:
        """Return the register's value: low 18 bits of addresses and offsets, in units of 16 bytes.

        (In clusters a shared address has the workgroup's rank in bits 24 and up.)
        """
        _check_swizzle(self.swizzle)
        for name in ("start", "leading", "stride"):
            value: int = getattr(self, name)
            if value % UNIT_BYTES:
                raise LayoutError(
                    f"{name} of {value} bytes must be a multiple of {UNIT_BYTES}"
                )
        if not 0 <= self.base_offset < 8:
            raise LayoutError(f"base offset {self.base_offset} must be from 0 to 7")
        return (
            (self.start & ADDRESS_MASK) >> 4
            | (self.leading & ADDRESS_MASK) >> 4 << 16
            | (self.stride & ADDRESS_MASK) >> 4 << 32
            | self.base_offset << 49
            | CODES[self.swizzle] << 62
        )

    @classmethod
    def decode(cls, value: int) -> Descriptor:
        """Return the fields of a register's value; LayoutError for bits outside of all fields."""
        if not 0 <= value < 1 << 64:
            raise LayoutError(f"descriptor {value:#x} must have 64 bits")
        if value & ~USED_BITS:
            raise LayoutError(
                f"descriptor {value:#x} sets bits that are no field of wgmma's: {value & ~USED_BITS:#x}"
            )
        swizzles = {code: swizzle for swizzle, code in CODES.items()}
        return cls(
            (value & FIELD) << 4,
            (value >> 16 & FIELD) << 4,
            (value >> 32 & FIELD) << 4,
            value >> 49 & 7,
            swizzles[value >> 62],
        )


class _OperandFields(NamedTuple):
    element_bits: int
    major: Major
    swizzle: int
    leading: int
    stride: int


class Operand(_OperandFields):
    """One of the eight canonical layouts; `leading` and `stride` (LBO, SBO) are in bytes.

    element_bits: 8, 16 or 32; major ("K" or "MN"): the contiguous dimension; swizzle: 0,
    32, 64 or 128 bytes.
    """

    __slots__ = ()

    def __new__(
        cls, element_bits: int, major: Major, swizzle: int, leading: int, stride: int
    ) -> Self:
        """Create the operand; LayoutError for a mode that does not exist."""
        if element_bits not in (8, 16, 32):
            raise LayoutError(f"elements of {element_bits} bits: must be 8, 16 or 32")
        if major not in ("K", "MN"):
            raise LayoutError(f"major dimension '{major}': must be 'K' or 'MN'")
        _check_swizzle(swizzle)
        return super().__new__(cls, element_bits, major, swizzle, leading, stride)

    @classmethod
    def compact(
        cls, element_bits: int, major: Major, swizzle: int, shape: tuple[int, int]
    ) -> Operand:
        """Return the mode with the offsets of a tile of `shape` (mn, k) elements without gaps.

        Atoms follow one another along MN (K-major operands) or along K.
        """
        operand = cls(element_bits, major, swizzle, UNIT_BYTES, 0)
        mn, k = shape
        if major == "K":
            leading = UNIT_BYTES * mn if swizzle == 0 else UNIT_BYTES
            return operand._replace(leading=leading, stride=8 * max(swizzle, UNIT_BYTES))
        if swizzle == 0:
            return operand._replace(leading=8 * UNIT_BYTES, stride=UNIT_BYTES * k)
        return operand._replace(leading=swizzle * k, stride=8 * swizzle)

    @property
    def element_bytes(self) -> int:
        """Bytes of one element."""
        return self.element_bits // 8

    @property
    def unit(self) -> int:
        """Elements of 16 bytes, the T of the PTX text."""
        return 128 // self.element_bits

    @property
    def atom(self) -> tuple[int, int]:
        """Elements (mn, k) of the tile that the mode repeats (PTX, table "swizzle-atom layout")."""
        units = max(self.swizzle, UNIT_BYTES) // UNIT_BYTES
        return (8, units * self.unit) if self.major == "K" else (units * self.unit, 8)

    @property
    def is_stride_along(self) -> bool:
        """True if the stride is the step along the contiguous dimension, not along the other."""
        return self.major == "MN" and self.swizzle == 0

    @property
    def text(self) -> str:
        """The canonical layout in the PTX text's terms, CuTe's notation in elements."""
        c = max(self.swizzle, UNIT_BYTES) // UNIT_BYTES
        swizzle = f"Swizzle<{c.bit_length() - 1},4,3> o "
        if self.major == "K":
            along_k = "(1,LBO)" if self.swizzle == 0 else "(1,T)"
            return f"{swizzle}((8,m),(T,2k)):(({c}T,SBO),{along_k})"
        if self.swizzle == 0:
            return f"{swizzle}((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))"
        return f"{swizzle}((T,{c},m),(8,k)):((1,T,LBO),({c}T,SBO))"

    def offset(self, mn: int, k: int) -> int:
        """Return the byte offset of an element before swizzling."""
        along, across = (k, mn) if self.major == "K" else (mn, k)
        row = max(self.swizzle, UNIT_BYTES)
        further, at = divmod(along, row // self.element_bytes)
        if self.major == "K" and self.swizzle:
            further, at = 0, along
        rows, down = divmod(across, 8)
        inside = at * self.element_bytes + down * row
        if self.is_stride_along:
            return inside + further * self.stride + rows * self.leading
        return inside + further * self.leading + rows * self.stride

    def address(self, mn: int, k: int, *, start: int = 0, base_offset: int = 0) -> int:
        """Return the byte of shared memory at which the instruction reads an element.

        `start` and `base_offset` are the descriptor's.
        """
        return swizzled_address(
            start + self.offset(mn, k), self.swizzle, base_offset=base_offset
        )

    def descriptor(self, start: int = 0, *, base_offset: int = 0) -> Descriptor:
        """Return the descriptor of a tile that starts at byte `start` (before swizzling)."""
        return Descriptor(start, self.leading, self.stride, base_offset, self.swizzle)

    def layout(self, shape: tuple[int, int]) -> LinearLayout:
        """Return (mn, k) -> offset in bytes, for a tile of elements at the start of the pattern.

        LayoutError if elements share a byte or the sum of offsets carries.
        """
        mn, k = shape
        taken = 0
        bases: dict[str, list[tuple[int]]] = {"mn": [], "k": []}
        for dim, extent in (("mn", mn), ("k", k)):
            if extent < 1 or extent & (extent - 1):
                raise LayoutError(f"extent {extent} of {dim} must be a power of two")
            for bit in range(extent.bit_length() - 1):
                at = {"mn": 0, "k": 0, dim: 1 << bit}
                offset = self.offset(**at)
                if offset & taken or offset == 0:
                    raise LayoutError(
                        f"no linear layout: {dim}={1 << bit} lies at byte {offset} (before swizzling), "
                        "where other elements of the tile lie"
                    )
                taken |= offset
                bases[dim].append((self.address(**at),))
        return LinearLayout.from_bases(
            bases, {"offset": 1 << taken.bit_length()}, require_surjective=False
        )

    def distinct_addresses(self, shape: tuple[int, int]) -> int:
        """Return the number of addresses of a tile's elements; with fewer than elements it is no layout."""
        return len({self.address(mn, k) for mn in range(shape[0]) for k in range(shape[1])})


def swizzled_address(address: int, swizzle: int, *, base_offset: int = 0) -> int:
    """Return the byte that a swizzle of `swizzle` bytes maps byte `address` to (and back)."""
    if swizzle == 0:
        return address
    return address ^ ((address >> 7) - base_offset) % (swizzle // UNIT_BYTES) << 4


def base_offset_of(pattern_start: int, swizzle: int) -> int:
    """Return the base offset for data swizzled relative to `pattern_start`, in bytes."""
    _check_swizzle(swizzle)
    return 0 if swizzle == 0 else (pattern_start >> 7) % (swizzle // UNIT_BYTES)


def swizzle_atom(element_bits: int, major: Major, swizzle: int) -> LinearLayout:
    """Return (offset) in elements -> (mn, k) of one swizzle atom."""
    shape = Operand(element_bits, major, swizzle, 0, 0).atom
    operand = Operand.compact(element_bits, major, swizzle, shape)
    bytes_of = operand.layout(shape)
    element = operand.element_bytes
    bases = {
        name: [(at // element,) for (at,) in columns]
        for name, columns in bytes_of.bases.items()
    }
    atom = LinearLayout.from_bases(bases, {"offset": shape[0] * shape[1]}).invert()
    return atom.of_elements(element_bits)


def tma_address(row: int, byte: int, *, inner_bytes: int, swizzle: int, start: int = 0) -> int:
    """Return the byte to which a two-dimensional tiled TMA transfer to `start` writes a byte of a row of its box.

    Rows have `inner_bytes` bytes; LayoutError if that is wider than the swizzle.
    """
    _check_swizzle(swizzle)
    if swizzle and inner_bytes > swizzle:
        raise LayoutError(
            f"a box with rows of {inner_bytes} bytes cannot have a swizzle of {swizzle} bytes"
        )
    return swizzled_address(start + row * (swizzle or inner_bytes) + byte, swizzle)


def accumulator_layout(columns: int) -> LinearLayout:
    """Return (register, lane, warp) -> (dim0, dim1): a warpgroup's accumulators of 64 rows."""
    return identities(
        ("register", "dim1", 2),
        ("lane", "dim1", 4),
        ("lane", "dim0", 8),
        ("register", "dim0", 2),
        ("register", "dim1", columns // 8),
        ("warp", "dim0", 4),
    ).transpose_outs(["dim0", "dim1"])


def register_operand_layout(element_bits: int) -> LinearLayout:
    """Return (register, lane, warp) -> (dim0, dim1): A from registers, which count elements."""
    return identities(
        ("register", "dim1", 32 // element_bits),
        ("lane", "dim1", 4),
        ("lane", "dim0", 8),
        ("register", "dim0", 2),
        ("register", "dim1", 2),
        ("warp", "dim0", 4),
    ).transpose_outs(["dim0", "dim1"])


def _check_swizzle(swizzle: int) -> None:
    if swizzle not in SWIZZLES:
        raise LayoutError(f"swizzle of {swizzle} bytes: must be one of {SWIZZLES}")
