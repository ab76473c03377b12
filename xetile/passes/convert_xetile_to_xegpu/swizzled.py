"""Elements of swizzled memory: what a tile's corner and its elements add to an offset, joined by exclusive or.

    %corner = (shifts and masks of %row and %column)
    %b = vector.broadcast %corner : index to vector<8x16xindex>
    %o = arith.xori %b, dense<...> : vector<8x16xindex>

So it is where corners are multiples of their blocks' extents; elsewhere each element's row and column is shifted.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.upstream import arith
from xetile.layout.algebra.f2 import diagonals
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.convert_xetile_to_xegpu.single_elements import Part, numbers, plus, spread
from xetile.passes.convert_xetile_to_xegpu.view import XeGPUView
from xetile.rewriting.layout_arithmetic import apply_layout
from xetile.rewriting.one_to_many import Offset


class Swizzled(NamedTuple):
    """Where elements of swizzled memory lie from a base on.

    `aligned` are powers of two of which the tile's corner (row, column) is a multiple wherever it is: the tile's
    extents, else those of its blocks, else 1.
    """

    base: SSAValue
    layout: SwizzleAttr
    aligned: tuple[int, int]

    def offsets(self, view: XeGPUView, part: Part) -> SSAValue:
        """How far the elements of a block lie from the base (elements)."""
        if any(n > a for n, a in zip(part.block, self.aligned, strict=True)):
            return self._of_each(view, part)
        low = [start & (a - 1) for start, a in zip(part.start, self.aligned, strict=True)]
        high = [start - rest for start, rest in zip(part.start, low, strict=True)]
        corner = [view.add(*pair) for pair in zip(part.corner, high, strict=True)]
        steps = [
            self._offset([at + first for at, first in zip(point, low, strict=True)])
            for point in part.points
        ]
        found = view.once(
            (self.layout, *part.corner, *high), lambda: self._corner(view, corner)
        )
        if isinstance(found, int):
            return numbers(view, [found ^ step for step in steps], part.shape)
        spread_corner = spread(view, found, part.shape)
        return view.new(arith.XOrIOp(spread_corner, numbers(view, steps, part.shape)))

    def _corner(self, view: XeGPUView, corner: Sequence[Offset]) -> Offset:
        """The offset of an element; what lies outside of the memory is masked off, wherever it may lie."""
        inside = {
            f"dim{d}": at % extent if isinstance(at, int) else at
            for d, (at, extent) in enumerate(zip(corner, self.layout.shape, strict=True))
        }
        return apply_layout(self._between_corners, inside, view.emit)["offset"]

    @property
    def _between_corners(self) -> LinearLayout:
        """From coordinates to offsets, without those bits that no corner has."""
        found = self.layout.layout.invert()
        columns = {
            f"dim{d}": tuple(
                [0 if 1 << bit < step else column for bit, column in enumerate(columns)]
            )
            for (d, step), columns in zip(
                enumerate(self.aligned), found.in_columns.values(), strict=True
            )
        }
        return LinearLayout.of_columns(columns, dict(found.out_widths))

    def _offset(self, point: Sequence[int]) -> int:
        total = 0
        for at, steps in zip(point, self.layout.steps, strict=True):
            for bit, step in enumerate(steps):
                total ^= step if at >> bit & 1 else 0
        return total

    def _of_each(self, view: XeGPUView, part: Part) -> SSAValue:
        """The bits of each element's row and column, where the layout has them."""
        shape = part.shape
        total = numbers(view, [0] * len(part.points), shape)
        for dimension, steps in enumerate(self.layout.steps):
            first = part.place(view, dimension)
            at = plus(view, first, [point[dimension] for point in part.points], shape)
            for distance, mask in diagonals(steps):
                bits = view.new(arith.AndIOp(at, spread(view, mask, shape)))
                if distance:
                    by = spread(view, abs(distance), shape)
                    moved: type[Operation] = arith.ShLIOp if distance > 0 else arith.ShRUIOp
                    bits = view.new(moved(bits, by))
                total = view.new(arith.XOrIOp(total, bits))
        return total


def aligned(
    view: XeGPUView, tile: SSAValue, extents: Sequence[int], block: Sequence[int]
) -> tuple[int, int]:
    """The powers of two of which a tile's corner is a multiple: for rows and for columns."""
    rows, columns = (
        next(
            (
                n
                for n in (1 << (extent - 1).bit_length(), step)
                if not n & (n - 1) and view.corners.are_multiples(tile, dimension, n)
            ),
            1,
        )
        for dimension, (extent, step) in enumerate(zip(extents, block, strict=True))
    )
    return rows, columns
