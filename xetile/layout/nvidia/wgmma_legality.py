"""Legality of a tile in shared memory as operand of wgmma, and its descriptors."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.algebra.moved_bases import OFFSET
from xetile.layout.nvidia.wgmma import (
    INSTRUCTION_K_BYTES,
    INSTRUCTION_M,
    INSTRUCTION_MAX_N,
    SWIZZLES,
    UNIT_BYTES,
    Operand,
    swizzled_address,
)

MAX_OFFSET = 1 << 18


class Match(NamedTuple):
    """The instructions that read a tile.

    One instruction reads `extent` elements along MN; `starts` are bytes to add to the
    tile's address, before swizzling, for the instructions along K and, outside of that,
    along MN.
    """

    operand: Operand
    extent: int
    starts: tuple[tuple[int, ...], ...]


def match_operand(
    layout: LinearLayout, element_bits: int, operand: Literal["a", "b"]
) -> Match:
    """Return how wgmma reads a tile as its operand A (M x K) or B (K x N).

    `layout` is (offset[, block]) -> (dim0, dim1), offsets in elements from the start of the
    swizzle's pattern; `element_bits` 8, 16 or 32.

    LayoutError: no instruction can read the tile; the text says why each swizzle does not
    fit.
    """
    names = layout.out_dim_names
    if operand not in ("a", "b"):
        raise LayoutError(f"operand '{operand}' of wgmma in shared memory must be 'a' or 'b'")
    if element_bits not in (8, 16, 32):
        raise LayoutError(f"elements of {element_bits} bits: must be 8, 16 or 32")
    if len(names) != 2 or OFFSET not in layout.in_dim_names:
        raise LayoutError(
            f"expected (offset) -> two dimensions, got {list(layout.in_dim_names)} -> {list(names)}"
        )
    mn_dim, k_dim = names if operand == "a" else names[::-1]
    mn, k = layout.out_dim_size(mn_dim), layout.out_dim_size(k_dim)
    extent = INSTRUCTION_M if operand == "a" else min(mn, INSTRUCTION_MAX_N)
    k_extent = INSTRUCTION_K_BYTES * 8 // element_bits
    if mn < max(extent, 8) or k < k_extent:
        raise LayoutError(
            f"a tile of {mn} x {k} (mn x k) elements is smaller than what one instruction reads, "
            f"{max(extent, 8)} x {k_extent}"
        )
    tile = layout.sublayout([OFFSET], names)
    if not tile.is_invertible():
        raise LayoutError("the tile does not have exactly one offset for each element")
    scale = element_bits // 8
    places = {
        name: [at * scale for (at,) in bases] for name, bases in tile.invert().bases.items()
    }
    return _matched(places[mn_dim], places[k_dim], element_bits, extent)


def _matched(mn: Sequence[int], k: Sequence[int], element_bits: int, extent: int) -> Match:
    """Try the swizzles; `mn` and `k` are the bytes of coordinates 1, 2, 4, ..."""
    element = element_bits // 8
    if k[0] != element and mn[0] != element:
        raise LayoutError(
            f"neither dimension is contiguous: k=1 lies at byte {k[0]}, mn=1 at byte {mn[0]}"
        )
    major = "K" if k[0] == element else "MN"
    if major == "MN" and element_bits != 16:
        raise LayoutError(
            f"an MN-major operand of {element_bits}-bit elements: wgmma transposes 16-bit elements only"
        )
    reasons: list[str] = []
    for swizzle in SWIZZLES:
        flat_mn = [swizzled_address(at, swizzle) for at in mn]
        flat_k = [swizzled_address(at, swizzle) for at in k]
        operand = _with_offsets(
            Operand(element_bits, major, swizzle, UNIT_BYTES, 0), flat_mn, flat_k
        )
        reason = _mismatch(operand, flat_mn, flat_k, extent)
        if reason is None:
            return Match(operand, extent, _starts(flat_mn, flat_k, element_bits, extent))
        reasons.append(f"{swizzle} bytes: {reason}" if swizzle else f"none: {reason}")
    raise LayoutError(f"no swizzle fits a {major}-major operand; {'; '.join(reasons)}")


def _with_offsets(operand: Operand, mn: Sequence[int], k: Sequence[int]) -> Operand:
    """Return the operand with its tile's offsets, read off the first coordinate that uses each."""

    def at(places: Sequence[int], coordinate: int, otherwise: int) -> int:
        bit = coordinate.bit_length() - 1
        return places[bit] if bit < len(places) else otherwise

    compact = Operand.compact(
        operand.element_bits, operand.major, operand.swizzle, (1 << len(mn), 1 << len(k))
    )
    along, across, row = (mn, k, operand.atom[0])
    if operand.major == "K":
        along, across, row = (k, mn, operand.atom[1])
    if operand.is_stride_along:
        stride = at(along, row, compact.stride)
        return operand._replace(leading=at(across, 8, compact.leading), stride=stride)
    leading = compact.leading
    if operand.major == "MN" or operand.swizzle == 0:
        leading = at(along, row, leading)
    return operand._replace(leading=leading, stride=at(across, 8, compact.stride))


def _mismatch(
    operand: Operand, mn: Sequence[int], k: Sequence[int], extent: int
) -> str | None:
    """Return why an instruction does not read the tile, before swizzling, or None if it does."""
    for name, value in (("leading", operand.leading), ("stride", operand.stride)):
        if value % UNIT_BYTES or value >= MAX_OFFSET:
            return f"the {name} byte offset would be {value}, not a multiple of 16 below {MAX_OFFSET}"
    for bit in range(extent.bit_length() - 1):
        needed = operand.offset(1 << bit, 0)
        if mn[bit] != needed:
            return f"mn={1 << bit} lies at byte {mn[bit]}, needs {needed}"
    for bit in range((INSTRUCTION_K_BYTES // operand.element_bytes).bit_length() - 1):
        needed = operand.offset(0, 1 << bit)
        if k[bit] != needed:
            return f"k={1 << bit} lies at byte {k[bit]}, needs {needed}"
    taken = 0
    for place in (*mn, *k):
        if place & taken:
            return f"byte {place} is not reached by adding: it shares bits with other offsets"
        taken |= place
    return None


def _starts(
    mn: Sequence[int], k: Sequence[int], element_bits: int, extent: int
) -> tuple[tuple[int, ...], ...]:
    """Return the bytes before swizzling of the first element of each instruction, [mn][k]."""

    def sums(places: Sequence[int]) -> list[int]:
        found = [0]
        for place in places:
            found += [start + place for start in found]
        return found

    k_bits = (INSTRUCTION_K_BYTES * 8 // element_bits).bit_length() - 1
    along_k = sums(k[k_bits:])
    return tuple(
        tuple(outer + inner for inner in along_k)
        for outer in sums(mn[extent.bit_length() - 1 :])
    )
