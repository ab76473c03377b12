"""Division of layouts, and the questions that decide whether a dimension can be split off."""

from __future__ import annotations

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.dimensions import LayoutError, listed
from xetile.layout.algebra.shape import ShapeOperations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self


class Division(ShapeOperations):
    """A layout's factors under `*`, and its trivial dimensions."""

    __slots__ = ()

    def divide_left(self, divisor: Self) -> Self | None:
        """The C with `divisor * C == self`, or None; C keeps all dims of this layout in their order."""
        if not self._holds_dims_of(divisor):
            return None
        low = {name: divisor.out_widths.get(name, 0) for name in self._outs}
        high = {name: width - low[name] for name, width in self._outs.items()}
        expected = divisor._spread(self._outs)
        low_mask = self._field_mask(low)
        quotients: dict[str, tuple[int, ...]] = {}
        for name, columns in self._ins.items():
            theirs = expected.get(name, ())
            rest = columns[len(theirs) :]
            if columns[: len(theirs)] != theirs or any(column & low_mask for column in rest):
                return None
            quotients[name] = rest
        return self._moved(quotients, low, high)

    def divide_right(self, divisor: Self) -> Self | None:
        """The C with `C * divisor == self`, or None; C keeps all dims of this layout in their order."""
        if not self._holds_dims_of(divisor):
            return None
        low = {name: width - divisor.out_widths.get(name, 0) for name, width in self._outs.items()}
        expected = divisor._spread(self._outs, low)
        low_mask = self._field_mask(low)
        quotients: dict[str, tuple[int, ...]] = {}
        for name, columns in self._ins.items():
            theirs = expected.get(name, ())
            kept = len(columns) - len(theirs)
            rest = columns[:kept]
            if columns[kept:] != theirs or any(column & ~low_mask for column in rest):
                return None
            quotients[name] = rest
        return self._moved(quotients, dict.fromkeys(low, 0), low)

    def is_trivial_over(self, dims: Sequence[str]) -> bool:
        """Whether `dims` go to themselves unchanged and nothing else touches them.

        LayoutError unless each is both an in-dim and an out-dim.
        """
        for name in dims:
            if name not in self._ins or name not in self._outs:
                raise LayoutError(
                    f"dim '{name}' must be an in-dim and an out-dim: the layout has in-dims "
                    f"{listed(self._ins)} and out-dims {listed(self._outs)}"
                )
        other_ins = [name for name in self._ins if name not in dims]
        other_outs = [name for name in self._outs if name not in dims]
        return (
            all(self._is_square_identity(name) for name in dims)
            and all(
                self.sublayout_is_zero([name], [other])
                for name in dims
                for other in dims
                if other != name
            )
            and self.sublayout_is_zero(dims, other_outs)
            and self.sublayout_is_zero(other_ins, dims)
        )

    def is_identity_on_out_dim(self, dim: str) -> bool:
        """Whether the in-dim `dim` goes to the out-dim `dim` unchanged and no other in-dim touches it."""
        if dim not in self._ins or dim not in self._outs:
            return False
        others = [name for name in self._ins if name != dim]
        return self._is_square_identity(dim) and self.sublayout_is_zero(others, [dim])

    def quotient(self, dims: Sequence[str]) -> Self | None:
        """The layout without `dims`, or None unless it is trivial over them (`is_trivial_over`)."""
        if any(name not in self._ins or name not in self._outs for name in dims):
            return None
        if not self.is_trivial_over(dims):
            return None
        return self.sublayout(
            [name for name in self._ins if name not in dims],
            [name for name in self._outs if name not in dims],
        )

    def num_consecutive_in_out(self) -> int:
        """How many values of the first in-dim are consecutive values of the first out-dim.

        The largest size whose identity from the one to the other divides the layout from the left.
        """
        if not self._ins or not self._outs:
            return 1
        first, *others = self._ins.values()
        width = min(next(iter(self._outs.values())), len(first))
        count = 0
        while count < width and first[count] == 1 << count:
            count += 1
        mask = 0
        for columns in others:
            for column in columns:
                mask |= column
        for column in first[count:]:
            mask |= column
        # Fewer bits leave identity columns over, whose bits lie above the ones then asked for.
        low = mask & -mask
        return min(1 << count, low) if low else 1 << count

    def contiguous_elems_along_out_dim(self, dim: str) -> int:
        """The largest 2^k such that the layout reaches 1, 2, .. 2^(k-1) of the out-dim `dim`.

        LayoutError if the dim is missing.
        """
        width = self.out_dim_size_log2(dim)
        place = self.field_positions()[dim]
        mask = (1 << width) - 1
        pivots = f2.echelon(((column >> place & mask, 0) for column in self.packed_columns()), 0)
        count = 0
        while count < width and f2.solve(pivots, 0, 1 << count) is not None:
            count += 1
        return 1 << count

    def free_variable_masks(self) -> dict[str, int]:
        """For each in-dim a mask of the bits that repeat what earlier bits (minor dims first) already give."""
        free = f2.dependent_columns(self.packed_columns())
        masks: dict[str, int] = {}
        for name, columns in self._ins.items():
            masks[name] = free & (1 << len(columns)) - 1
            free >>= len(columns)
        return masks

    def _holds_dims_of(self, divisor: Self) -> bool:
        return all(
            name in self._ins and len(columns) <= len(self._ins[name])
            for name, columns in divisor.in_columns.items()
        ) and all(
            name in self._outs and width <= self._outs[name]
            for name, width in divisor.out_widths.items()
        )

    def _is_square_identity(self, dim: str) -> bool:
        columns = self._ins[dim]
        width = self._outs[dim]
        place = self.field_positions()[dim]
        mask = (1 << width) - 1
        return len(columns) == width and all(
            column >> place & mask == 1 << bit for bit, column in enumerate(columns)
        )

    def _field_mask(self, widths: dict[str, int]) -> int:
        """The lowest `widths` bits of each out-dim's field."""
        return sum(
            (1 << widths[name]) - 1 << place for name, place in self.field_positions().items()
        )

    def _spread(
        self, outs: dict[str, int], shifts: dict[str, int] | None = None
    ) -> dict[str, tuple[int, ...]]:
        """This layout's columns with the bit fields of `outs`, each component shifted left by `shifts`."""
        own = self.field_positions()
        moves: list[tuple[int, int, int]] = []
        place = 0
        for name, width in outs.items():
            if self._outs.get(name):
                shift = 0 if shifts is None else shifts[name]
                moves.append((own[name], (1 << self._outs[name]) - 1, place + shift))
            place += width
        return {name: tuple(f2.repack(columns, moves)) for name, columns in self._ins.items()}

    def _moved(
        self, ins: dict[str, tuple[int, ...]], skipped: dict[str, int], widths: dict[str, int]
    ) -> Self:
        """A layout of columns of this one, `widths` bits of each out-dim kept after `skipped` low ones."""
        moves: list[tuple[int, int, int]] = []
        place = 0
        for name, position in self.field_positions().items():
            if widths[name]:
                moves.append((position + skipped[name], (1 << widths[name]) - 1, place))
            place += widths[name]
        kept = {name: tuple(f2.repack(columns, moves)) for name, columns in ins.items()}
        return self.of_columns(kept, widths)
