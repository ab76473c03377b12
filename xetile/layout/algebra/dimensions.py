"""Named dimensions, their bits in a column, and errors for wrong ones."""

from __future__ import annotations

from _operator import index
from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol, Self, TypeVar

    Columns = Mapping[str, tuple[int, ...]]
    Widths = Mapping[str, int]
    Sizes = Mapping[str, int] | Iterable[tuple[str, int]]

    class Layout(Protocol):
        """The data of a layout for the functions outside of the class; see `LinearLayout`."""

        in_columns: Columns
        out_widths: Widths

        @classmethod
        def of_columns(cls, in_columns: Columns, out_widths: Widths) -> Self:
            """Return a layout of the same class with other data."""
            ...

    Same = TypeVar("Same", bound=Layout)

MAX_BITS = 64
flattened = chain.from_iterable


class LayoutError(ValueError):
    """An invalid layout: a one-line text with the dimension and the value found."""


def listed(names: Iterable[str]) -> str:
    """Return dimension names for a diagnostic."""
    return "[" + ", ".join(f"'{name}'" for name in names) + "]"


def log2_of_size(size: int, kind: str, name: str) -> int:
    """Return the bits of a dimension's size, an integer of any type; LayoutError unless it is a power of two."""
    size = index(size)
    if size <= 0 or size & (size - 1):
        raise LayoutError(
            f"invalid {kind}-dim size {size} for {kind}-dim '{name}': sizes must be powers of two"
        )
    return size.bit_length() - 1


def widths_of(kind: str, sizes: Sizes) -> dict[str, int]:
    """Return the bits of each dimension; LayoutError unless the sizes are powers of two."""
    return {name: log2_of_size(size, kind, name) for name, size in dict(sizes).items()}


def sizes_of(widths: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the sizes of dimensions from their bits."""
    return {name: 1 << width for name, width in widths}


def positions(widths: Widths) -> dict[str, int]:
    """Return for each out-dim the position of its bit field in a column."""
    found: dict[str, int] = {}
    place = 0
    for name, width in widths.items():
        found[name] = place
        place += width
    return found


def packed(columns: Columns) -> list[int]:
    """Return all columns, minor in-dim first."""
    return [*flattened(columns.values())]


def unpacked(columns: Columns, widths: Sequence[int]) -> dict[str, list[tuple[int, ...]]]:
    """Return by in-dim the components of each column, whose out-dims have these bits."""
    if len(widths) == 2:
        width = widths[0]
        mask = (1 << width) - 1
        return {
            name: [(column & mask, column >> width) for column in of_dim]
            for name, of_dim in columns.items()
        }
    fields: list[tuple[int, int]] = []
    place = 0
    for width in widths:
        fields.append((place, (1 << width) - 1))
        place += width
    return {
        name: [tuple([column >> shift & mask for shift, mask in fields]) for column in of_dim]
        for name, of_dim in columns.items()
    }


def columns_of(layout: Layout, in_dim: str) -> tuple[int, ...]:
    """Return the columns of an in-dim; LayoutError if it is missing."""
    columns = layout.in_columns.get(in_dim)
    if columns is None:
        raise LayoutError(
            f"no in-dim '{in_dim}': the layout has in-dims {listed(layout.in_columns)}"
        )
    return columns


def width_of(layout: Layout, out_dim: str) -> int:
    """Return the bits of an out-dim; LayoutError if it is missing."""
    width = layout.out_widths.get(out_dim)
    if width is None:
        raise LayoutError(
            f"no out-dim '{out_dim}': the layout has out-dims {listed(layout.out_widths)}"
        )
    return width


def out_dim_index(self: Layout, name: str) -> int:
    """Return the position of an out-dim, the minor one being 0; LayoutError if it is missing."""
    width_of(self, name)
    return list(self.out_widths).index(name)


def basis(
    self: Layout, in_dim: str, position: int, out_dim: str | None = None
) -> tuple[int, ...] | int:
    """Return the image of `in_dim` = 2^position: all components, or the one of `out_dim`."""
    columns = columns_of(self, in_dim)
    if not 0 <= position < len(columns):
        raise LayoutError(
            f"in-dim '{in_dim}' has {len(columns)} bases, there is none at position {position}"
        )
    components = unpacked(self.in_columns, [*self.out_widths.values()])[in_dim][position]
    return components if out_dim is None else components[out_dim_index(self, out_dim)]


def limited(layout: Same) -> Same:
    """Return the layout, or raise LayoutError if a side has more bits than a coordinate may have."""
    ins = sum(map(len, layout.in_columns.values()))
    if ins > MAX_BITS:
        sizes = sizes_of((name, len(columns)) for name, columns in layout.in_columns.items())
        raise LayoutError(
            f"layout too large: {ins} bits in in-dims {sizes}, at most {MAX_BITS}"
        )
    outs = sum(layout.out_widths.values())
    if outs > MAX_BITS:
        sizes = sizes_of(layout.out_widths.items())
        raise LayoutError(
            f"layout too large: {outs} bits in out-dims {sizes}, at most {MAX_BITS}"
        )
    return layout


def supremum(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Return the smallest list that contains both lists in their orders, preferring the left one's.

    If the orders contradict each other it takes, as Triton's code does, the name that
    comes earlier in the other list.
    """
    merged: dict[str, None] = {}
    in_left = {name: position for position, name in enumerate(left)}
    in_right = {name: position for position, name in enumerate(right)}
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] in merged:
            i += 1
        elif right[j] in merged:
            j += 1
        elif left[i] not in in_right:
            merged[left[i]] = None
        elif right[j] not in in_left or in_left[right[j]] < in_right[left[i]]:
            merged[right[j]] = None
        else:
            merged[left[i]] = None
    merged.update(dict.fromkeys(left[i:]))
    merged.update(dict.fromkeys(right[j:]))
    return list(merged)
