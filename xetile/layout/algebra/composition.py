"""Products, compositions and inverses of layouts, and solutions of equations between them."""

from __future__ import annotations

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.dimensions import (
    MAX_BITS,
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
    from collections.abc import Iterable, Mapping
    from typing import Literal

    from xetile.layout.algebra.dimensions import Columns, Layout, Same, Widths

    IdentityDims = Literal["disjoint", "equal"]


def product(self: Same, other: Same) -> Same:
    """Return the direct sum: dims with the same name are concatenated, this layout's bits lowest.

    The order of dims is the `supremum` of both. Components of an out-dim that both have are
    shifted, never XORed.
    """
    left_outs, right_outs = self.out_widths, other.out_widths
    outs: dict[str, int] = {}
    low_at: dict[str, int] = {}
    high_at: dict[str, int] = {}
    place = 0
    for name in _merged(left_outs, right_outs):
        low_at[name] = place
        place += left_outs.get(name, 0)
        high_at[name] = place
        place += right_outs.get(name, 0)
        outs[name] = place - low_at[name]
    low_moves, high_moves = _moves(left_outs, low_at), _moves(right_outs, high_at)
    left_ins, right_ins = self.in_columns, other.in_columns
    ins: dict[str, tuple[int, ...]] = {}
    bits = 0
    for name in _merged(left_ins, right_ins):
        columns = left_ins.get(name, ())
        if columns and low_moves is not None:
            columns = tuple(f2.repack(columns, low_moves))
        if high := right_ins.get(name):
            columns += high if high_moves is None else tuple(f2.repack(high, high_moves))
        ins[name] = columns
        bits += len(columns)
    layout = self.of_columns(ins, outs)
    return limited(layout) if bits > MAX_BITS or place > MAX_BITS else layout


def compose(self: Same, outer: Layout) -> Same:
    """Return `x -> outer(self(x))`.

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
    """Return the inverse map; LayoutError unless the layout is surjective and square."""
    columns = packed(self.in_columns)
    ins, outs, rank = len(columns), sum(self.out_widths.values()), f2.rank(columns)
    if not ins == outs == rank:
        raise LayoutError(
            "a linear layout must be surjective and square to be invertible: it has rank "
            f"{rank}, {ins} in bits and {outs} out bits"
        )
    return pseudoinvert(self)


def pseudoinvert(self: Same) -> Same:
    """Return the map from each out coordinate to the smallest input that reaches it.

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
    """Return the map C with `self(x) == outer(C(x))`, from this layout's in-dims to the outer one's.

    C(x) is the smallest solution, but in-dims that both layouts have with the same bases
    map to themselves: with "equal" every such dim (Intel's fork), with "disjoint" those
    whose out bits no other in-dim affects (triton 3.9). LayoutError unless the out-dims
    have the same names, the outer ones no smaller, and outer covers this layout's image.
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
    """Return the smallest X with `left(X(b)) == right(b)`, or None.

    There is none if out-dims have other names, or `right` is larger or leaves the image of `left`.
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
    """Return `source.invert_and_compose(target)`, changed to keep the block if its bit moves nothing.

    If several inputs have an element, it prefers the one in the same block as the output.
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
    """Return the layout's columns with the bit fields of `outer`'s out-dims."""
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


def _moves(widths: Widths, to: Mapping[str, int]) -> list[tuple[int, int, int]] | None:
    """Return the arguments for `f2.repack` that move out-dims to other positions; None if all stay.

    Neighbors that stay neighbors move together.
    """
    moves: list[tuple[int, int, int]] = []
    start = first = end = 0
    for name, width in widths.items():
        if not width:
            continue
        if end > first and to[name] - start != end - first:
            moves.append((first, (1 << end - first) - 1, start))
            first = end
        if end == first:
            start = to[name]
        end += width
    if end == first == 0 or (first == start == 0):
        return None
    moves.append((first, (1 << end - first) - 1, start))
    return moves


def _merged(left: Mapping[str, object], right: Mapping[str, object]) -> Iterable[str]:
    if len(right) == 1:
        (name,) = right
        return left if name in left else [*left, name]
    left_names, right_names = [*left], [*right]
    if left_names[: len(right_names)] == right_names:
        return left_names
    return supremum(left_names, right_names)


def _identity_dims(ours: Columns, theirs: Columns, *, disjoint: bool) -> set[str]:
    """Return the in-dims with the same columns; if `disjoint`, only those that share no bits with others."""
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
