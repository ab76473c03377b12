"""Factors of layouts under `*`, and dimensions that can be split off."""

from __future__ import annotations

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.dimensions import (
    LayoutError,
    listed,
    packed,
    positions,
    width_of,
)
from xetile.layout.algebra.shape import cut, sublayout, sublayout_is_zero

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from xetile.layout.algebra.dimensions import Columns, Layout, Same, Widths


def divide_left(self: Same, divisor: Layout) -> Same | None:
    """Return the C with `divisor * C == self`, or None; C keeps all dims of this layout in their order."""
    if not _holds_dims(self, divisor):
        return None
    low = {name: divisor.out_widths.get(name, 0) for name in self.out_widths}
    high = {name: width - low[name] for name, width in self.out_widths.items()}
    expected = _spread(divisor, self.out_widths, dict.fromkeys(low, 0))
    low_mask = _mask(self.out_widths, low)
    quotients: dict[str, tuple[int, ...]] = {}
    for name, columns in self.in_columns.items():
        theirs = expected.get(name, ())
        rest = columns[len(theirs) :]
        if columns[: len(theirs)] != theirs or any(column & low_mask for column in rest):
            return None
        quotients[name] = rest
    return self.of_columns(_part(quotients, self.out_widths, low, high), high)


def divide_right(self: Same, divisor: Layout) -> Same | None:
    """Return the C with `C * divisor == self`, or None; C keeps all dims of this layout in their order."""
    if not _holds_dims(self, divisor):
        return None
    low = {n: width - divisor.out_widths.get(n, 0) for n, width in self.out_widths.items()}
    expected = _spread(divisor, self.out_widths, low)
    low_mask = _mask(self.out_widths, low)
    quotients: dict[str, tuple[int, ...]] = {}
    for name, columns in self.in_columns.items():
        theirs = expected.get(name, ())
        rest = columns[: len(columns) - len(theirs)]
        if columns[len(rest) :] != theirs or any(column & ~low_mask for column in rest):
            return None
        quotients[name] = rest
    return self.of_columns(_part(quotients, self.out_widths, dict.fromkeys(low, 0), low), low)


def is_trivial_over(self: Layout, dims: Sequence[str]) -> bool:
    """Return True if each of `dims` maps to itself unchanged, and no other dim affects or uses them.

    LayoutError unless each is both an in-dim and an out-dim.
    """
    ins, outs = self.in_columns, self.out_widths
    for name in dims:
        if name not in ins or name not in outs:
            raise LayoutError(
                f"dim '{name}' must be an in-dim and an out-dim: the layout has in-dims "
                f"{listed(ins)} and out-dims {listed(outs)}"
            )
    others = [name for name in outs if name not in dims]
    return sublayout_is_zero(self, dims, others) and all(
        is_identity_on_out_dim(self, name) for name in dims
    )


def is_identity_on_out_dim(self: Layout, dim: str) -> bool:
    """Return True if the in-dim maps to the same out-dim unchanged and no other in-dim affects it."""
    if dim not in self.in_columns or dim not in self.out_widths:
        return False
    columns = sublayout(self, [dim], [dim]).in_columns[dim]
    others = [name for name in self.in_columns if name != dim]
    square = columns == f2.UNIT_VECTORS[: self.out_widths[dim]]
    return square and sublayout_is_zero(self, others, [dim])


def quotient(self: Same, dims: Sequence[str]) -> Same | None:
    """Return the layout without `dims`, or None unless it is trivial over them (`is_trivial_over`)."""
    ins, outs = self.in_columns, self.out_widths
    if any(name not in ins or name not in outs for name in dims) or not is_trivial_over(
        self, dims
    ):
        return None
    return sublayout(
        self,
        [name for name in ins if name not in dims],
        [name for name in outs if name not in dims],
    )


def num_consecutive_in_out(self: Layout) -> int:
    """Return the number of values of the first in-dim that are consecutive values of the first out-dim."""
    if not self.in_columns or not self.out_widths:
        return 1
    first, *others = self.in_columns.values()
    width = min(next(iter(self.out_widths.values())), len(first))
    count = 0
    while count < width and first[count] == 1 << count:
        count += 1
    mask = 0
    for columns in (first[count:], *others):
        for column in columns:
            mask |= column
    # Fewer bits leave identity columns, whose bits
    # are above the ones that are then needed.
    low = mask & -mask
    return min(1 << count, low) if low else 1 << count


def contiguous_elems_along_out_dim(self: Layout, dim: str) -> int:
    """Return the largest 2^k such that the layout reaches 1, 2, .. 2^(k-1) of the out-dim `dim`.

    LayoutError if the dim is missing.
    """
    width = width_of(self, dim)
    place = positions(self.out_widths)[dim]
    mask = (1 << width) - 1
    pivots = f2.echelon(((column >> place & mask, 0) for column in packed(self.in_columns)), 0)
    count = 0
    while count < width and f2.solve(pivots, 0, 1 << count) is not None:
        count += 1
    return 1 << count


def free_variable_masks(self: Layout) -> dict[str, int]:
    """Return for each in-dim a mask of the bits that repeat earlier ones (minor dims first)."""
    columns = packed(self.in_columns)
    free = f2.dependent_columns(columns)
    widths = {name: len(theirs) for name, theirs in self.in_columns.items()}
    bits = cut([free >> bit & 1 for bit in range(len(columns))], widths)
    return {
        name: sum(bit << n for n, bit in enumerate(theirs)) for name, theirs in bits.items()
    }


def _holds_dims(layout: Layout, divisor: Layout) -> bool:
    ins, outs = layout.in_columns, layout.out_widths
    return all(
        name in ins and len(columns) <= len(ins[name])
        for name, columns in divisor.in_columns.items()
    ) and all(
        name in outs and width <= outs[name] for name, width in divisor.out_widths.items()
    )


def _mask(outs: Widths, widths: Widths) -> int:
    return sum((1 << widths[name]) - 1 << place for name, place in positions(outs).items())


def _spread(divisor: Layout, outs: Widths, shifts: Widths) -> Columns:
    """Return the divisor's columns in the fields of `outs`, components shifted left by `shifts`."""
    own = positions(divisor.out_widths)
    moves = [
        (own[name], (1 << width) - 1, place + shifts[name])
        for name, place in positions(outs).items()
        if (width := divisor.out_widths.get(name))
    ]
    return {n: tuple(f2.repack(columns, moves)) for n, columns in divisor.in_columns.items()}


def _part(ins: Columns, outs: Widths, skipped: Widths, kept: Widths) -> Columns:
    """Return the columns with `kept` bits of each field of `outs`, after `skipped` low ones."""
    places = positions(kept)
    moves = [
        (place + skipped[name], (1 << kept[name]) - 1, places[name])
        for name, place in positions(outs).items()
        if kept[name]
    ]
    return {name: tuple(f2.repack(columns, moves)) for name, columns in ins.items()}
