"""What a linear layout is: named bit fields on both sides and one integer for each basis vector."""

from __future__ import annotations

from _operator import index

import xetile.layout.algebra.f2 as f2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import NoReturn, Self

MAX_BITS = 64


class LayoutError(ValueError):
    """A layout that cannot be: one line that names the dimension and the value found."""


def log2_of_size(size: int, kind: str, name: str) -> int:
    """Bits of a dimension's size, any kind of integer; LayoutError unless the size is a power of two."""
    size = index(size)
    if size <= 0 or size & (size - 1):
        raise LayoutError(
            f"invalid {kind}-dim size {size} for {kind}-dim '{name}': sizes must be powers of two"
        )
    return size.bit_length() - 1


def listed(names: Iterable[str]) -> str:
    """Dimension names for a message."""
    return "[" + ", ".join(f"'{name}'" for name in names) + "]"


def supremum(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """The smallest list of names that holds both lists in their orders, preferring the left one's.

    Where the orders contradict each other there is none; like Triton's code (whose comment announces an
    error that never comes) this then takes the name that the other list holds earlier.
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


class LayoutCore:
    """The data of a linear layout, its accessors, comparison and text.

    In-dims map a name to its basis vectors, minor dimension first; a basis vector is one integer that
    holds a bit field for each out-dim, the first (minor) one lowest. So the order of both sides is the
    order in which dimensions flatten.
    """

    __slots__ = ("_hash", "_ins", "_outs")

    _ins: dict[str, tuple[int, ...]]
    _outs: dict[str, int]
    _hash: int | None

    @classmethod
    def of_columns(cls, ins: dict[str, tuple[int, ...]], outs: dict[str, int]) -> Self:
        """A layout of packed columns and out-dim widths that the caller vouches for."""
        layout = object.__new__(cls)
        layout._ins = ins
        layout._outs = outs
        layout._hash = None
        return layout

    def limited(self) -> Self:
        """This layout, or LayoutError where a side has more bits than a coordinate may have."""
        ins, outs = self.total_in_dim_size_log2, self.total_out_dim_size_log2
        if ins > MAX_BITS:
            raise LayoutError(
                f"layout too large: {ins} bits in in-dims {self.in_dims}, at most {MAX_BITS}"
            )
        if outs > MAX_BITS:
            raise LayoutError(
                f"layout too large: {outs} bits in out-dims {self.out_dims}, at most {MAX_BITS}"
            )
        return self

    # Accessors

    @property
    def in_columns(self) -> Mapping[str, tuple[int, ...]]:
        """For each in-dim its basis vectors as one integer each: the bit fields of `fields`."""
        return self._ins

    @property
    def out_widths(self) -> Mapping[str, int]:
        """For each out-dim its bits, minor first."""
        return self._outs

    @property
    def bases(self) -> dict[str, list[tuple[int, ...]]]:
        """For each in-dim its basis vectors; vector i is the image of 2^i, one component for each out-dim."""
        fields = [(shift, (1 << width) - 1) for _, width, shift in self.fields()]
        return {
            name: [tuple([column >> shift & mask for shift, mask in fields]) for column in columns]
            for name, columns in self._ins.items()
        }

    @property
    def in_dims(self) -> dict[str, int]:
        """Sizes of the in-dims, minor first."""
        return {name: 1 << len(columns) for name, columns in self._ins.items()}

    @property
    def out_dims(self) -> dict[str, int]:
        """Sizes of the out-dims, minor first."""
        return {name: 1 << width for name, width in self._outs.items()}

    @property
    def in_dim_names(self) -> tuple[str, ...]:
        """Names of the in-dims, minor first."""
        return tuple(self._ins)

    @property
    def out_dim_names(self) -> tuple[str, ...]:
        """Names of the out-dims, minor first."""
        return tuple(self._outs)

    @property
    def out_dim_sizes(self) -> tuple[int, ...]:
        """Sizes of the out-dims, minor first."""
        return tuple([1 << width for width in self._outs.values()])

    @property
    def num_in_dims(self) -> int:
        """Number of in-dims."""
        return len(self._ins)

    @property
    def num_out_dims(self) -> int:
        """Number of out-dims."""
        return len(self._outs)

    @property
    def total_in_dim_size_log2(self) -> int:
        """Bits of all in-dims together."""
        return sum(map(len, self._ins.values()))

    @property
    def total_out_dim_size_log2(self) -> int:
        """Bits of all out-dims together."""
        return sum(self._outs.values())

    @property
    def total_in_dim_size(self) -> int:
        """Number of inputs."""
        return 1 << self.total_in_dim_size_log2

    @property
    def total_out_dim_size(self) -> int:
        """Number of elements of the codomain, reached or not."""
        return 1 << self.total_out_dim_size_log2

    def has_in_dim(self, name: str) -> bool:
        """Whether there is an in-dim of that name."""
        return name in self._ins

    def has_out_dim(self, name: str) -> bool:
        """Whether there is an out-dim of that name."""
        return name in self._outs

    def in_dim_size_log2(self, name: str) -> int:
        """Bits of an in-dim; LayoutError if it is missing."""
        return len(self._columns(name))

    def in_dim_size(self, name: str) -> int:
        """Size of an in-dim; LayoutError if it is missing."""
        return 1 << self.in_dim_size_log2(name)

    def out_dim_size_log2(self, name: str) -> int:
        """Bits of an out-dim; LayoutError if it is missing."""
        width = self._outs.get(name)
        if width is None:
            self._no_out_dim(name)
        return width

    def out_dim_size(self, name: str) -> int:
        """Size of an out-dim; LayoutError if it is missing."""
        return 1 << self.out_dim_size_log2(name)

    def out_dim_index(self, name: str) -> int:
        """Position of an out-dim, the minor one being 0; LayoutError if it is missing."""
        if name not in self._outs:
            self._no_out_dim(name)
        return list(self._outs).index(name)

    def basis(
        self, in_dim: str, position: int, out_dim: str | None = None
    ) -> tuple[int, ...] | int:
        """The image of `in_dim` = 2^position: all components, or the one of `out_dim`."""
        columns = self._columns(in_dim)
        if not 0 <= position < len(columns):
            raise LayoutError(
                f"in-dim '{in_dim}' has {len(columns)} bases, there is none at position {position}"
            )
        components = {
            name: columns[position] >> shift & (1 << width) - 1
            for name, width, shift in self.fields()
        }
        if out_dim is None:
            return tuple(components.values())
        if out_dim not in components:
            self._no_out_dim(out_dim)
        return components[out_dim]

    # Properties of the map

    @property
    def rank(self) -> int:
        """Dimension of the image, in bits."""
        return f2.rank(self.packed_columns())

    def is_surjective(self) -> bool:
        """Whether every out coordinate is reached."""
        return self.rank == self.total_out_dim_size_log2

    def is_injective(self) -> bool:
        """Whether no two inputs have the same image."""
        return self.rank == self.total_in_dim_size_log2

    def is_invertible(self) -> bool:
        """Whether every out coordinate is reached exactly once."""
        bits = self.total_in_dim_size_log2
        return bits == self.total_out_dim_size_log2 and bits == self.rank

    # Comparison, copies, text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LayoutCore):
            return NotImplemented
        return (
            self._ins == other._ins
            and self._outs == other._outs
            and [*self._ins] == [*other._ins]
            and [*self._outs] == [*other._outs]
        )

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((tuple(self._ins.items()), tuple(self._outs.items())))
        return self._hash

    def equal_ignoring_out_dim_sizes(self, other: Self) -> bool:
        """Whether dimensions, their orders and all basis values are equal, whatever the out-dims' sizes."""
        return (
            [*self._ins] == [*other._ins]
            and [*self._outs] == [*other._outs]
            and self.bases == other.bases
        )

    def __reduce__(
        self,
    ) -> tuple[Callable[..., Self], tuple[dict[str, tuple[int, ...]], dict[str, int]]]:
        return type(self).of_columns, (self._ins, self._outs)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} (size {size})" for name, size in self.out_dims.items())
        if not self._ins:
            return f"\n(empty layout with out-dims [{sizes}])" if sizes else "\n(empty layout)"
        lines = [""]
        for name, vectors in self.bases.items():
            if not vectors:
                lines.append(f" - {name} is a size 1 dimension")
            lead = " - "
            for position, vector in enumerate(vectors):
                image = ", ".join(map(str, vector))
                lines.append(f"{lead}{name}={1 << position} -> ({image})")
                lead = "   "
        lines.append(f"where out dims are: [{sizes}]")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"{type(self).__name__}.from_bases({self.bases}, {self.out_dims}, require_surjective=False)"

    def _repr_html_(self) -> str | None:
        """The picture that notebooks show; None where there is none."""
        from importlib import import_module

        # By name, because drawing imports layouts.
        picture: str | None = import_module("xetile.layout.show.draw").notebook_picture(self)
        return picture

    # For the operations built on the data

    def fields(self) -> list[tuple[str, int, int]]:
        """For each out-dim its name, its bits and the position of its bit field in a column."""
        fields: list[tuple[str, int, int]] = []
        shift = 0
        for name, width in self._outs.items():
            fields.append((name, width, shift))
            shift += width
        return fields

    def field_positions(self) -> dict[str, int]:
        """For each out-dim the position of its bit field."""
        positions: dict[str, int] = {}
        shift = 0
        for name, width in self._outs.items():
            positions[name] = shift
            shift += width
        return positions

    def _columns(self, in_dim: str) -> tuple[int, ...]:
        columns = self._ins.get(in_dim)
        if columns is None:
            self._no_in_dim(in_dim)
        return columns

    def packed_columns(self) -> list[int]:
        """All columns, minor in-dim first."""
        return [column for columns in self._ins.values() for column in columns]

    def _no_in_dim(self, name: str) -> NoReturn:
        raise LayoutError(f"no in-dim '{name}': the layout has in-dims {listed(self._ins)}")

    def _no_out_dim(self, name: str) -> NoReturn:
        raise LayoutError(f"no out-dim '{name}': the layout has out-dims {listed(self._outs)}")
