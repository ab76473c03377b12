"""Products, compositions and inverses of layouts, and equations."""

from __future__ import annotations

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.dimensions import (
    LayoutError,
    limited,
    listed,
    packed,
    positions,
    supremum,
)
from xetile.layout.algebra.shape import cut, with_outs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from xetile.layout.algebra.dimensions import Columns, Layout, Same

    IdentityDims = Literal["disjoint", "equal"]


def product(self: Same, other: Same) -> Same:
    """The direct sum: dims with the same name are concatenated, this layout's bits lowest.

    The order of dims is the `supremum` of both. Components of an out-dim that both have are
        shifted, never XORed.
    """
    left_outs, right_outs = self.out_widths, other.out_widths
    left_at, right_at = positions(left_outs), positions(right_outs)
    outs: dict[str, int] = {}
    left_moves: list[tuple[int, int, int]] = []
    right_moves: list[tuple[int, int, int]] = []
    place = 0
    for name in _merged(left_outs, right_outs):
        outs[name] = 0
        if left := left_outs.get(name):
            left_moves.append((left_at[name], (1 << left) - 1, place))
            outs[name] = left
            place += left
        if right := right_outs.get(name):
            right_moves.append((right_at[name], (1 << right) - 1, place))
            outs[name] += right
            place += right
    left_ins, right_ins = self.in_columns, other.in_columns
    ins: dict[str, tuple[int, ...]] = {}
    for name in _merged(left_ins, right_ins):
        low, high = left_ins.get(name), right_ins.get(name)
        columns = f2.repack(low, left_moves) if low else []
        if high:
            columns += f2.repack(high, right_moves)
        ins[name] = tuple(columns)
    return limited(self.of_columns(ins, outs))


def compose(self: Same, outer: Layout) -> Same:
    """`x -> outer(self(x))`.

    LayoutError unless the out-dims are the outer one's in-dims in any order, none larger.
    """
    if self.out_widths.keys() != outer.in_columns.keys():
        raise LayoutError(
            f"cannot compose: out-dims {listed(self.out_widths)} of the inner layout must be the in-dims "
            f"{listed(outer.in_columns)} of the outer one"
        )
    table: list[int] = []
    for name, width in self.out_widths.items():
        columns = outer.in_columns[name]
        if width > len(columns):
            raise LayoutError(
                f"cannot compose: the inner layout has out-dim '{name}' of size {1 << width}, the "
                f"outer one in-dim '{name}' of size {1 << len(columns)}"
            )
        table += columns[:width]
    units = f2.by_unit(table)
    ins = {
        name: tuple(f2.multiply_all(units, columns))
        for name, columns in self.in_columns.items()
    }
    return self.of_columns(ins, outer.out_widths)


def invert(self: Same) -> Same:
    """The inverse map; LayoutError unless the layout is surjective and square."""
    columns = packed(self.in_columns)
    ins, outs, rank = len(columns), sum(self.out_widths.values()), f2.rank(columns)
    if not ins == outs == rank:
        raise LayoutError(
            "a linear layout must be surjective and square to be invertible: it has rank "
            f"{rank}, {ins} in bits and {outs} out bits"
        )
    return pseudoinvert(self)


def pseudoinvert(self: Same) -> Same:
    """For each out coordinate the smallest input that reaches it.

    LayoutError unless the layout is surjective.
    """
    columns = packed(self.in_columns)
    bits = sum(self.out_widths.values())
    pivots = f2.echelon(f2.labelled(columns), len(columns))
    if len(pivots) != bits:
        raise LayoutError(
            "a linear layout must be surjective to be pseudo-inverted: it has rank "
            f"{len(pivots)} and {bits} out bits"
        )
    inverse = f2.solve_all(pivots, len(columns), f2.UNIT_VECTORS[:bits]) or []
    return self.of_columns(cut(inverse, self.out_widths), _in_widths(self))


def invert_and_compose(
    self: Same, outer: Same, *, identity_dims: IdentityDims = "disjoint"
) -> Same:
    """The map C with `self(x) == outer(C(x))`, from this layout's in-dims to the outer one's.

    C(x) is the smallest solution, but in-dims that both layouts have with the same bases
    map to themselves: with "equal" every such dim (Intel's fork), with "disjoint" those
    whose out bits no other in-dim touches (triton 3.9). LayoutError unless the out-dims
    have the same names, the outer ones no smaller, and outer reaches what this layout does.
    """
    columns = _fitted(self, outer)
    kept = _identity_dims(columns, outer.in_columns, disjoint=identity_dims == "disjoint")
    widths = _in_widths(outer)
    bits = sum(widths.values())
    first = positions(widths)
    labelled: list[tuple[int, int]] = []
    for name, theirs in outer.in_columns.items():
        if name not in kept:
            labelled += f2.labelled(theirs, first[name])
    pivots = f2.echelon(labelled, bits)
    ins: dict[str, tuple[int, ...]] = {}
    for name, ours in columns.items():
        if name in kept:
            ins[name] = tuple([1 << first[name] + bit for bit in range(len(ours))])
            continue
        solved = f2.solve_all(pivots, bits, ours)
        if solved is None:
            raise LayoutError(
                f"outer layout does not cover this layout's image: in-dim '{name}' leaves it"
            )
        ins[name] = tuple(solved)
    return self.of_columns(ins, widths)


def lstsq(left: Same, right: Same) -> Same | None:
    """The smallest X with `left(X(b)) == right(b)`, or None.

    There is none if out-dims have other names, or `right` is larger or leaves its image.
    """
    try:
        columns = _fitted(right, left)
    except LayoutError:
        return None
    own = packed(left.in_columns)
    pivots = f2.echelon(f2.labelled(own), len(own))
    ins: dict[str, tuple[int, ...]] = {}
    for name, targets in columns.items():
        solved = f2.solve_all(pivots, len(own), targets)
        if solved is None:
            return None
        ins[name] = tuple(solved)
    return left.of_columns(ins, _in_widths(left))


def invert_and_compose_block_local(
    target: Same, source: Same, *, identity_dims: IdentityDims = "disjoint"
) -> Same:
    """`source.invert_and_compose(target)` that keeps the block where its bit moves nothing.

    Of several inputs that hold an element it prefers the one in the asking block.
    """
    moved = invert_and_compose(source, target, identity_dims=identity_dims)
    block = "block"
    if any(
        block not in dims for dims in (target.in_columns, moved.in_columns, moved.out_widths)
    ):
        return moved
    place = positions(moved.out_widths)[block]
    ins: dict[str, list[int]] = {
        name: [*columns] for name, columns in moved.in_columns.items()
    }
    for bit, column in enumerate(target.in_columns[block]):
        if column or bit >= len(ins[block]):
            continue
        mask = 1 << place + bit
        for columns in ins.values():
            columns[:] = [vector & ~mask for vector in columns]
        ins[block][bit] |= mask
    return moved.of_columns(
        {name: tuple(columns) for name, columns in ins.items()}, moved.out_widths
    )


def _in_widths(layout: Layout) -> dict[str, int]:
    return {name: len(columns) for name, columns in layout.in_columns.items()}


def _fitted(layout: Layout, outer: Layout) -> Columns:
    """The layout's columns with the bit fields of `outer`'s out-dims."""
    ours, theirs = layout.out_widths, outer.out_widths
    if ours == theirs and [*ours] == [*theirs]:
        return layout.in_columns
    if ours.keys() != theirs.keys():
        raise LayoutError(
            f"out-dims {listed(ours)} and {listed(theirs)} must have the same names"
        )
    for name, width in ours.items():
        if width > theirs[name]:
            raise LayoutError(
                f"out-dim '{name}' has size {1 << width} here and only {1 << theirs[name]} in "
                "the outer layout"
            )
    return with_outs(layout, theirs).in_columns


def _merged(left: Mapping[str, object], right: Mapping[str, object]) -> Sequence[str]:
    left_names, right_names = [*left], [*right]
    if left_names[: len(right_names)] == right_names:
        return left_names
    return supremum(left_names, right_names)


def _identity_dims(ours: Columns, theirs: Columns, *, disjoint: bool) -> set[str]:
    """In-dims with the same columns; if `disjoint`, only where no other touches their bits."""
    equal = {name for name, columns in ours.items() if theirs.get(name) == columns}
    if not disjoint:
        return equal
    return {name for name in equal if _is_apart(name, ours) and _is_apart(name, theirs)}


def _is_apart(name: str, ins: Columns) -> bool:
    own = others = 0
    for other, columns in ins.items():
        for column in columns:
            if other == name:
                own |= column
            else:
                others |= column
    return not own & others
