"""Canonical layouts of wgmma's operands with numbers for a tile, and shapes beyond one row of a swizzle.

The PTX ISA writes them with T, m, k and the byte offsets; its examples ("Exact layout") have numbers of elements.
"""

from typing import NamedTuple

from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.nvidia.wgmma import Operand

MOST_COUNTED = 1 << 16
"""The most elements of a tile whose addresses are counted."""


class Tiles(NamedTuple):
    """A K-major operand wider than its swizzle: tiles side by side, each with a descriptor of its own.

    `shape` is one tile's (mn, k) in elements, `number` the tiles along K, `layout` (mn, k) -> offset in bytes of all.
    """

    shape: tuple[int, int]
    number: int
    layout: LinearLayout

    @property
    def step(self) -> int:
        """Bytes from one tile to the next."""
        return self.layout.out_dim_size("offset") // self.number


def tiles_of(operand: Operand, shape: tuple[int, int]) -> Tiles:
    """Return the fewest tiles that make up a shape; errors as for `Operand.layout`."""
    mn, k = shape
    row = operand.atom[1]
    count = 1
    # A tile of fewer than eight rows is smaller than the pattern, so that the next one would begin inside the pattern.
    if operand.major == "K" and operand.swizzle and mn >= operand.atom[0] and k % row == 0:
        count = k // row
    one = (mn, k // count)
    layout = operand.layout(one) * LinearLayout.identity_1d(count, "k", "offset")
    return Tiles(one, count, layout)


def exact_text(operand: Operand, shape: tuple[int, int]) -> str:
    """Return the canonical layout of a tile, with elements for numbers, as in the PTX text's examples."""
    mn, k = shape
    unit, element = operand.unit, operand.element_bytes
    columns = max(operand.swizzle, 16) // 16
    leading, stride = operand.leading // element, operand.stride // element
    swizzle = f"Swizzle<{columns.bit_length() - 1},4,3> o "
    if operand.major == "K":
        along = unit if operand.swizzle else leading
        return f"{swizzle}((8,{mn // 8}),({unit},{k // unit})):(({columns * unit},{stride}),(1,{along}))"
    m = mn // (unit * columns)
    if operand.swizzle == 0:
        return (
            f"{swizzle}(({unit},1,{m}),(8,{k // 8})):((1,{unit},{stride}),({unit},{leading}))"
        )
    return f"{swizzle}(({unit},{columns},{m}),(8,{k // 8})):((1,{unit},{leading}),({columns * unit},{stride}))"


def parameters(operand: Operand, shape: tuple[int, int]) -> dict[str, int]:
    """Return T, m and k of the canonical layout; 2k in place of k if that is odd."""
    mn, k = shape
    if operand.major == "MN":
        return {"T": operand.unit, "m": mn // operand.atom[0], "k": k // 8}
    units = k // operand.unit
    found = {"T": operand.unit, "m": mn // 8}
    return found | ({"2k": units} if units % 2 else {"k": units // 2})


def first_meeting(
    operand: Operand, shape: tuple[int, int]
) -> tuple[tuple[int, int], tuple[int, int], int] | None:
    """Return two elements (mn, k) that the canonical layout maps to one byte (before swizzling), and that byte."""
    found: dict[int, tuple[int, int]] = {}
    for k in range(shape[1]):
        for mn in range(shape[0]):
            at = operand.offset(mn, k)
            if at in found:
                return (mn, k), found[at], at
            found[at] = (mn, k)
    return None


def why_no_layout(operand: Operand, shape: tuple[int, int]) -> str | None:
    """Return why the canonical layout of a whole shape is invalid, or None if it is valid or too large to count."""
    elements = shape[0] * shape[1]
    met = first_meeting(operand, shape) if elements <= MOST_COUNTED else None
    if met is None:
        return None
    one, other, at = met
    return (
        f"{exact_text(operand, shape)} has {operand.distinct_addresses(shape)} addresses for {elements} "
        f"elements: (mn, k) = {one} and {other} both lie at byte {at} before swizzling, "
        f"for a row of the swizzle ends at k={operand.atom[1]}"
    )
