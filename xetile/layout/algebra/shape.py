"""Layouts with dimensions renamed, reordered, cut, joined."""

from __future__ import annotations

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.dimensions import (
    LayoutError,
    columns_of,
    limited,
    listed,
    log2_of_size,
    packed,
    positions,
    sizes_of,
    width_of,
    widths_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeVar

    from xetile.layout.algebra.dimensions import Columns, Layout, Same, Sizes, Widths

    Value = TypeVar("Value")


def transpose_ins(self: Same, names: Sequence[str]) -> Same:
    """Return the layout with in-dims in the order of `names`, minor first; LayoutError for other names."""
    _check_permutation("in", self.in_columns, names)
    return self.of_columns({name: self.in_columns[name] for name in names}, self.out_widths)


def transpose_outs(self: Same, names: Sequence[str]) -> Same:
    """Return the layout with out-dims in the order of `names`, minor first; LayoutError for other names."""
    _check_permutation("out", self.out_widths, names)
    if [*self.out_widths] == list(names):
        return self
    return with_outs(self, {name: self.out_widths[name] for name in names})


def reshape_ins(self: Same, new: Sizes) -> Same:
    """Flatten the in-dims, then cut them into dims of the given sizes, minor first.

    LayoutError unless the sizes are powers of two with the same product.
    """
    old = {name: len(columns) for name, columns in self.in_columns.items()}
    return self.of_columns(
        cut(packed(self.in_columns), _new_widths("in", new, old)), self.out_widths
    )


def reshape_outs(self: Same, new: Sizes) -> Same:
    """Flatten the out-dims, then cut them into dims of the given sizes, minor first.

    LayoutError unless the sizes are powers of two with the same product.
    """
    return self.of_columns(self.in_columns, _new_widths("out", new, self.out_widths))


def flatten_ins(self: Same) -> Same:
    """Join all in-dims to one, named as the first."""
    if not self.in_columns:
        return self
    columns = tuple(packed(self.in_columns))
    return self.of_columns({next(iter(self.in_columns)): columns}, self.out_widths)


def flatten_outs(self: Same) -> Same:
    """Join all out-dims to one, named as the first."""
    if not self.out_widths:
        return self
    bits = sum(self.out_widths.values())
    return self.of_columns(self.in_columns, {next(iter(self.out_widths)): bits})


def squeeze_ins(self: Same, dim: str) -> Same:
    """Drop the in-dim `dim`; LayoutError unless its size is 1."""
    if columns := columns_of(self, dim):
        raise LayoutError(
            f"cannot squeeze in-dim '{dim}' of size {1 << len(columns)}, only size 1"
        )
    return self.of_columns(_without(self.in_columns, dim), self.out_widths)


def squeeze_outs(self: Same, dim: str) -> Same:
    """Drop the out-dim `dim`; LayoutError unless its size is 1."""
    if width := width_of(self, dim):
        raise LayoutError(f"cannot squeeze out-dim '{dim}' of size {1 << width}, only size 1")
    return self.of_columns(self.in_columns, _without(self.out_widths, dim))


def resize_in_dim(self: Same, dim: str, size: int) -> Same:
    """Cut the in-dim to its first `size` values, or extend it by bases that are zero."""
    width = log2_of_size(size, "in", dim)
    columns = columns_of(self, dim)
    columns = columns[:width] + (0,) * (width - len(columns))
    return limited(self.of_columns({**self.in_columns, dim: columns}, self.out_widths))


def resize_out_dim(self: Same, dim: str, size: int) -> Same:
    """Cut the out-dim to `size`: components that do not fit become 0 (they are not masked).

    LayoutError if it is smaller.
    """
    width = log2_of_size(size, "out", dim)
    old = width_of(self, dim)
    if width > old:
        raise LayoutError(
            f"cannot grow out-dim '{dim}' from {1 << old} to {size}, only shrink"
        )
    if width == old:
        return self
    shift = positions(self.out_widths)[dim]
    too_large = (1 << old) - (1 << width) << shift
    field = (1 << old) - 1 << shift
    fitting = {
        name: tuple([column & ~field if column & too_large else column for column in columns])
        for name, columns in self.in_columns.items()
    }
    cleared = self.of_columns(fitting, self.out_widths)
    return with_outs(cleared, {**self.out_widths, dim: width})


def rename_in_dim(self: Same, old: str, new: str) -> Same:
    """Rename the in-dim `old` to `new`; LayoutError if that name is taken."""
    return self.of_columns(_renamed("in", self.in_columns, old, new), self.out_widths)


def rename_out_dim(self: Same, old: str, new: str) -> Same:
    """Rename the out-dim `old` to `new`; LayoutError if that name is taken."""
    return self.of_columns(self.in_columns, _renamed("out", self.out_widths, old, new))


def concat_ins(self: Same, other: Same) -> Same:
    """Join the in-dims of both, this layout's first; out-dims must be equal."""
    ours, theirs = self.out_widths, other.out_widths
    _check_same("in", "out", [*ours.items()], [*theirs.items()])
    _check_disjoint("in", self.in_columns, other.in_columns)
    return limited(self.of_columns({**self.in_columns, **other.in_columns}, ours))


def concat_outs(self: Same, other: Same) -> Same:
    """Join the out-dims of both, this layout's first; in-dims must be equal."""
    ours, theirs = (
        [(name, len(columns)) for name, columns in layout.in_columns.items()]
        for layout in (self, other)
    )
    _check_same("out", "in", ours, theirs)
    _check_disjoint("out", self.out_widths, other.out_widths)
    shift = sum(self.out_widths.values())
    ins = {
        name: tuple(
            [
                low | high << shift
                for low, high in zip(columns, other.in_columns[name], strict=True)
            ]
        )
        for name, columns in self.in_columns.items()
    }
    return limited(self.of_columns(ins, {**self.out_widths, **other.out_widths}))


def remove_zero_bases_along_dim(self: Same, dim: str) -> Same:
    """Drop the all-zero bases of the in-dim `dim`."""
    kept = tuple([column for column in columns_of(self, dim) if column])
    return self.of_columns({**self.in_columns, dim: kept}, self.out_widths)


def sublayout(self: Same, in_dims: Iterable[str], out_dims: Iterable[str]) -> Same:
    """Set other in-dims to 0 and drop other out-dims; order and sizes are kept.

    LayoutError if a dimension is missing.
    """
    columns = {name: columns_of(self, name) for name in in_dims}
    widths = {name: width_of(self, name) for name in out_dims}
    ins = {name: columns[name] for name in self.in_columns if name in columns}
    outs = {name: widths[name] for name in self.out_widths if name in widths}
    return with_outs(self.of_columns(ins, self.out_widths), outs)


def sublayout_is_zero(self: Layout, in_dims: Iterable[str], out_dims: Iterable[str]) -> bool:
    """Return True if none of `in_dims` moves any of `out_dims` (true for no dims at all)."""
    return not any(packed(sublayout(self, in_dims, out_dims).in_columns))


def with_outs(layout: Same, outs: Widths) -> Same:
    """Return the layout with its fields moved to those of `outs`, which has the same names and fits all values."""
    if [*outs.items()] == [*layout.out_widths.items()]:
        return layout.of_columns(layout.in_columns, outs)
    # Each field moves to its position in `outs`.
    at = positions(layout.out_widths)
    moves: list[tuple[int, int, int]] = []
    place = 0
    for name, width in outs.items():
        if mask := (1 << layout.out_widths[name]) - 1:
            moves.append((at[name], mask, place))
        place += width
    ins = {
        name: tuple(f2.repack(columns, moves)) for name, columns in layout.in_columns.items()
    }
    return layout.of_columns(ins, outs)


def cut(columns: Sequence[int], widths: Widths) -> Columns:
    """Split a list of columns over dimensions in order."""
    ins: dict[str, tuple[int, ...]] = {}
    place = 0
    for name, width in widths.items():
        ins[name] = tuple(columns[place : place + width])
        place += width
    return ins


def _check_permutation(kind: str, dims: Mapping[str, object], names: Sequence[str]) -> None:
    if len(names) != len(dims) or set(names) != set(dims):
        raise LayoutError(
            f"{kind}-dims must match, ignoring order: got {listed(names)} for {listed(dims)}"
        )


def _renamed(kind: str, dims: Mapping[str, Value], old: str, new: str) -> dict[str, Value]:
    if old not in dims:
        raise LayoutError(f"no {kind}-dim '{old}': the layout has {kind}-dims {listed(dims)}")
    if new != old and new in dims:
        raise LayoutError(f"cannot rename {kind}-dim '{old}' to '{new}': the name is taken")
    return {new if name == old else name: value for name, value in dims.items()}


def _check_same(
    joined: str, kind: str, ours: list[tuple[str, int]], theirs: list[tuple[str, int]]
) -> None:
    if ours != theirs:
        raise LayoutError(
            f"cannot join {joined}-dims of layouts with {kind}-dims {sizes_of(ours)} and "
            f"{sizes_of(theirs)}"
        )


def _check_disjoint(kind: str, left: Iterable[str], right: Iterable[str]) -> None:
    taken = set(left)
    for name in right:
        if name in taken:
            raise LayoutError(f"cannot join layouts that both have the {kind}-dim '{name}'")


def _new_widths(kind: str, new: Sizes, old: Widths) -> dict[str, int]:
    sizes = dict(new)
    widths = widths_of(kind, sizes)
    bits, wanted = sum(old.values()), sum(widths.values())
    if wanted != bits:
        raise LayoutError(
            f"cannot reshape {kind}-dims {sizes_of(old.items())} into {sizes}: "
            f"{1 << bits} elements are not {1 << wanted}"
        )
    return widths


def _without(dims: Mapping[str, Value], name: str) -> dict[str, Value]:
    return {other: value for other, value in dims.items() if other != name}
