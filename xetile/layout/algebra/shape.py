"""Operations that rename, reorder, cut and join a layout's dimensions."""

from __future__ import annotations

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.dimensions import LayoutCore, LayoutError, listed, log2_of_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self, TypeVar

    Value = TypeVar("Value")
    Sizes = Mapping[str, int] | Iterable[tuple[str, int]]


class ShapeOperations(LayoutCore):
    """A layout's operations on its dimensions; none changes which input reaches which bits of the output."""

    __slots__ = ()

    def transpose_ins(self, names: Sequence[str]) -> Self:
        """The in-dims in the order of `names`, minor first; LayoutError unless they are the same names."""
        _check_permutation("in", self._ins, names)
        return self.of_columns({name: self._ins[name] for name in names}, self._outs)

    def transpose_outs(self, names: Sequence[str]) -> Self:
        """The out-dims in the order of `names`, minor first; LayoutError unless they are the same names."""
        _check_permutation("out", self._outs, names)
        if [*self._outs] == list(names):
            return self.of_columns(self._ins, self._outs)
        return self._with_outs({name: self._outs[name] for name in names})

    def reshape_ins(self, new: Sizes) -> Self:
        """Flatten the in-dims, then cut them into dims of the given sizes, minor first.

        LayoutError unless the sizes are powers of two with the same product.
        """
        widths = _new_widths("in", new, self.in_dims)
        columns = self.packed_columns()
        ins: dict[str, tuple[int, ...]] = {}
        for name, width in widths.items():
            ins[name] = tuple(columns[:width])
            del columns[:width]
        return self.of_columns(ins, self._outs)

    def reshape_outs(self, new: Sizes) -> Self:
        """Flatten the out-dims, then cut them into dims of the given sizes, minor first.

        LayoutError unless the sizes are powers of two with the same product.
        """
        return self.of_columns(self._ins, _new_widths("out", new, self.out_dims))

    def flatten_ins(self) -> Self:
        """All in-dims as one, named as the first."""
        if not self._ins:
            return self
        return self.of_columns({next(iter(self._ins)): tuple(self.packed_columns())}, self._outs)

    def flatten_outs(self) -> Self:
        """All out-dims as one, named as the first."""
        if not self._outs:
            return self
        return self.of_columns(self._ins, {next(iter(self._outs)): self.total_out_dim_size_log2})

    def squeeze_ins(self, dim: str) -> Self:
        """Without the in-dim `dim`; LayoutError unless its size is 1."""
        if columns := self._columns(dim):
            raise LayoutError(
                f"cannot squeeze in-dim '{dim}' of size {1 << len(columns)}, only size 1"
            )
        return self.of_columns(_without(self._ins, dim), self._outs)

    def squeeze_outs(self, dim: str) -> Self:
        """Without the out-dim `dim`; LayoutError unless its size is 1."""
        if width := self.out_dim_size_log2(dim):
            raise LayoutError(f"cannot squeeze out-dim '{dim}' of size {1 << width}, only size 1")
        return self.of_columns(self._ins, _without(self._outs, dim))

    def resize_in_dim(self, dim: str, size: int) -> Self:
        """The in-dim cut to its first `size` values, or grown by bases that are zero."""
        width = log2_of_size(size, "in", dim)
        columns = self._columns(dim)
        columns = columns[:width] + (0,) * (width - len(columns))
        return self.of_columns({**self._ins, dim: columns}, self._outs).limited()

    def resize_out_dim(self, dim: str, size: int) -> Self:
        """The out-dim cut to `size`: components that do not fit become 0 (they are not masked).

        LayoutError if `size` is larger than the out-dim.
        """
        width = log2_of_size(size, "out", dim)
        old = self.out_dim_size_log2(dim)
        if width > old:
            raise LayoutError(f"cannot grow out-dim '{dim}' from {1 << old} to {size}, only shrink")
        if width == old:
            return self
        shift = self.field_positions()[dim]
        too_large = (1 << old) - (1 << width) << shift
        field = (1 << old) - 1 << shift
        fitting = {
            name: tuple([column & ~field if column & too_large else column for column in columns])
            for name, columns in self._ins.items()
        }
        return self.of_columns(fitting, self._outs)._with_outs({**self._outs, dim: width})

    def rename_in_dim(self, old: str, new: str) -> Self:
        """The in-dim `old` under the name `new`; LayoutError if that name is taken."""
        _check_rename("in", self._ins, old, new)
        ins = {new if name == old else name: columns for name, columns in self._ins.items()}
        return self.of_columns(ins, self._outs)

    def rename_out_dim(self, old: str, new: str) -> Self:
        """The out-dim `old` under the name `new`; LayoutError if that name is taken."""
        _check_rename("out", self._outs, old, new)
        outs = {new if name == old else name: width for name, width in self._outs.items()}
        return self.of_columns(self._ins, outs)

    def concat_ins(self, other: Self) -> Self:
        """The in-dims of both, this layout's first; out-dims must be equal, in-dims of different names."""
        if [*self._outs.items()] != [*other._outs.items()]:
            raise LayoutError(
                f"cannot join in-dims of layouts with out-dims {self.out_dims} and {other.out_dims}"
            )
        _check_disjoint("in", self._ins, other._ins)
        return self.of_columns(self._ins | other._ins, self._outs).limited()

    def concat_outs(self, other: Self) -> Self:
        """The out-dims of both, this layout's first; in-dims must be equal, out-dims of different names."""
        if [*self.in_dims.items()] != [*other.in_dims.items()]:
            raise LayoutError(
                f"cannot join out-dims of layouts with in-dims {self.in_dims} and {other.in_dims}"
            )
        _check_disjoint("out", self._outs, other._outs)
        shift = self.total_out_dim_size_log2
        ins = {
            name: tuple(
                [low | high << shift for low, high in zip(columns, other._ins[name], strict=True)]
            )
            for name, columns in self._ins.items()
        }
        return self.of_columns(ins, self._outs | other._outs).limited()

    def remove_zero_bases_along_dim(self, dim: str) -> Self:
        """Without the all-zero bases of the in-dim `dim`."""
        kept = tuple([column for column in self._columns(dim) if column])
        return self.of_columns({**self._ins, dim: kept}, self._outs)

    def sublayout(self, in_dims: Iterable[str], out_dims: Iterable[str]) -> Self:
        """The layout with other in-dims set to 0 and other out-dims dropped; order and sizes are kept.

        LayoutError if a dimension is missing.
        """
        ins_kept, outs_kept = list(in_dims), list(out_dims)
        for name in ins_kept:
            self._columns(name)
        for name in outs_kept:
            self.out_dim_size_log2(name)
        ins = {name: columns for name, columns in self._ins.items() if name in ins_kept}
        outs = {name: width for name, width in self._outs.items() if name in outs_kept}
        return self.of_columns(ins, self._outs)._with_outs(outs)

    def sublayout_is_zero(self, in_dims: Iterable[str], out_dims: Iterable[str]) -> bool:
        """Whether none of `in_dims` moves any of `out_dims` (true for no dims at all)."""
        part = self.sublayout(in_dims, out_dims)
        return not any(any(columns) for columns in part._ins.values())

    def _with_outs(self, outs: dict[str, int]) -> Self:
        """The layout with its bit fields moved for `outs`: names of this layout, widths no smaller than the values."""
        if [*outs.items()] == [*self._outs.items()]:
            return self.of_columns(self._ins, outs)
        moves = _moves(self.field_positions(), self._outs, outs)
        ins = {name: tuple(f2.repack(columns, moves)) for name, columns in self._ins.items()}
        return self.of_columns(ins, outs)


def _moves(
    positions: dict[str, int], widths: Mapping[str, int], new: Mapping[str, int]
) -> list[tuple[int, int, int]]:
    """For `f2.repack`: each field of `widths` that is in `new`, to its place there; neighbours move as one."""
    moves: list[tuple[int, int, int]] = []
    place = 0
    for name, width in new.items():
        mask = (1 << widths[name]) - 1
        if mask:
            moves.append((positions[name], mask, place))
        place += width
    return moves


def _check_permutation(kind: str, dims: Mapping[str, object], names: Sequence[str]) -> None:
    if len(names) != len(dims) or set(names) != set(dims):
        raise LayoutError(
            f"{kind}-dims must match, ignoring order: got {listed(names)} for {listed(dims)}"
        )


def _check_rename(kind: str, dims: Mapping[str, object], old: str, new: str) -> None:
    if old not in dims:
        raise LayoutError(f"no {kind}-dim '{old}': the layout has {kind}-dims {listed(dims)}")
    if new != old and new in dims:
        raise LayoutError(f"cannot rename {kind}-dim '{old}' to '{new}': the name is taken")


def _check_disjoint(kind: str, left: Iterable[str], right: Iterable[str]) -> None:
    taken = set(left)
    for name in right:
        if name in taken:
            raise LayoutError(f"cannot join layouts that both have the {kind}-dim '{name}'")


def _new_widths(kind: str, new: Sizes, old: Mapping[str, int]) -> dict[str, int]:
    sizes = dict(new)
    widths = {name: log2_of_size(size, kind, name) for name, size in sizes.items()}
    bits = sum(size.bit_length() - 1 for size in old.values())
    if sum(widths.values()) != bits:
        raise LayoutError(
            f"cannot reshape {kind}-dims {dict(old)} into {sizes}: "
            f"{1 << bits} elements are not {1 << sum(widths.values())}"
        )
    return widths


def _without(dims: Mapping[str, Value], name: str) -> dict[str, Value]:
    return {other: value for other, value in dims.items() if other != name}
