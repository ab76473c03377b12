"""Linear layouts: maps between named power-of-two dimensions, linear over bits of coordinates.

Names and rules are those of Triton's `LinearLayout` (include/triton/Tools/LinearLayout.h),
in snake case; where Triton aborts the process, `LayoutError` is raised.

The text of a layout is the one that Triton prints.
"""

from __future__ import annotations

from _operator import index
from functools import lru_cache

import xetile.layout.algebra.composition as composition
import xetile.layout.algebra.coordinates as coordinates
import xetile.layout.algebra.dimensions as dimensions
import xetile.layout.algebra.division as division
import xetile.layout.algebra.f2 as f2
import xetile.layout.algebra.packing as packing
import xetile.layout.algebra.shape as shape
from xetile.layout.algebra.dimensions import (
    MAX_BITS,
    LayoutError,
    columns_of,
    flattened,
    limited,
    log2_of_size,
    packed,
    positions,
    unpacked,
    width_of,
    widths_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, ClassVar, Self

    from xetile.layout.algebra.dimensions import Columns, Sizes, Widths
    from xetile.layout.algebra.packing import Vectors


_MOST_IMAGES = 1024


def layout_text(columns: Columns, widths: Widths) -> str:
    """Return a text with a line for the image of each basis vector, and the out-dims with their sizes."""
    pattern, images = _form(*columns, *map(len, columns.values()), *widths.items())
    if len(images) > _MOST_IMAGES:
        images.clear()
    return pattern % (*map(images.__getitem__, flattened(columns.values())),)


class _Images(dict[int, str]):
    """A cache of the texts of columns: the basis vectors of layouts are few, and recur."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        self.widths = widths

    def __missing__(self, column: int) -> str:
        rest, components = column, list[str]()
        for width in self.widths:
            components.append(str(rest & (1 << width) - 1))
            rest >>= width
        self[column] = text = f"({', '.join(components)})"
        return text


@lru_cache(maxsize=64)
def _form(*parts: str | int | tuple[str, int]) -> tuple[str, _Images]:
    """Return a text with %s for each image, from in-dims' names, their bits, and out-dims; and the images.

    Layouts that are printed one after another have few such texts.
    """
    names = [part for part in parts if isinstance(part, str)]
    counts = [part for part in parts if isinstance(part, int)]
    outs = [part for part in parts if isinstance(part, tuple)]
    images = _Images(tuple([width for _, width in outs]))
    sizes = ", ".join(f"{name} (size {1 << width})" for name, width in outs)
    sizes = sizes.replace("%", "%%")
    if not names:
        return (
            f"\n(empty layout with out-dims [{sizes}])" if outs else "\n(empty layout)",
            images,
        )
    lines = [""]
    for name, count in zip(names, counts, strict=True):
        shown = name.replace("%", "%%")
        if not count:
            lines.append(f" - {shown} is a size 1 dimension")
        for position in range(count):
            lead = "   " if position else " - "
            lines.append(f"{lead}{shown}={1 << position} -> %s")
    return "\n".join([*lines, f"where out dims are: [{sizes}]"]), images


class LinearLayout:
    """A linear map from in-dims to out-dims of power-of-two size; hashable by value.

    `L(x)` is the XOR of the basis vectors that the set bits of x select. A basis vector is
    stored as one integer, a column, with a bit field for each out-dim, the first (minor) one
    lowest. The order of dims on both sides is the order of flattening, minor first.
    """

    __slots__ = (
        "_element_bits",
        "_hash",
        "_is_surjective",
        "_rank",
        "_text",
        "in_columns",
        "out_widths",
    )

    in_columns: Columns
    out_widths: Widths

    # Computed on first use; unset before, so that
    # intermediate layouts cost nothing.
    _hash: int
    _is_surjective: bool
    _rank: int
    _text: str
    _element_bits: int

    # Draws a layout for notebooks; the package sets it,
    # since drawings are built on layouts.
    picture: ClassVar[Callable[[LinearLayout], str | None] | None] = None

    # Construction

    @classmethod
    def of_columns(cls, in_columns: Columns, out_widths: Widths) -> Self:
        """Return a layout of packed columns and out-dim widths, which are not checked."""
        layout = object.__new__(cls)
        layout.in_columns = in_columns
        layout.out_widths = out_widths
        return layout

    @classmethod
    def empty(cls) -> LinearLayout:
        """Return the layout without dimensions, the unit of `*`."""
        return cls.of_columns({}, {})

    @classmethod
    def strided_1d(cls, size: int, stride: int, in_dim: str, out_dim: str) -> LinearLayout:
        """Map one in-dim to one out-dim, in steps of `stride` elements; empty for size 0.

        `size` and the out-dim's, `stride * size`, must be powers of two.
        """
        if size == 0:
            return cls.empty()
        width, stride = log2_of_size(size, "in", in_dim), index(stride)
        columns = tuple([stride << bit for bit in range(width)])
        out_width = log2_of_size(stride * size, "out", out_dim)
        return limited(cls.of_columns({in_dim: columns}, {out_dim: out_width}))

    @classmethod
    def identity_1d(cls, size: int, in_dim: str, out_dim: str) -> LinearLayout:
        """Map one in-dim to one out-dim, each of `size` values to itself; empty for size 0."""
        if size == 0:
            return cls.empty()
        width = log2_of_size(size, "in", in_dim)
        if width < len(f2.UNIT_VECTORS):
            return cls.of_columns({in_dim: f2.UNIT_VECTORS[:width]}, {out_dim: width})
        return cls.strided_1d(size, 1, in_dim, out_dim)

    @classmethod
    def zeros_1d(
        cls, size: int, in_dim: str, out_dim: str, out_dim_size: int = 1
    ) -> LinearLayout:
        """Map one in-dim of `size` values to 0 of the out-dim; empty for size 0."""
        if size == 0:
            return cls.empty()
        width = log2_of_size(size, "in", in_dim)
        out_width = log2_of_size(out_dim_size, "out", out_dim)
        return limited(cls.of_columns({in_dim: (0,) * width}, {out_dim: out_width}))

    @classmethod
    def from_bases(
        cls,
        bases: Mapping[str, Vectors] | Iterable[tuple[str, Vectors]],
        out_dims: Mapping[str, int] | Sequence[str],
        out_dim_sizes: Sequence[int] | None = None,
        *,
        require_surjective: bool = True,
    ) -> LinearLayout:
        """Return the layout with these basis vectors, dims minor first.

        Sizes are taken from `out_dims`, else from `out_dim_sizes`; the default is the smallest
        that fit every basis value. LayoutError for a basis that is negative, of the wrong length or
        too large, a size that is no power of two, and, if required, for a layout that is
        not surjective.
        """
        ins, outs = packing.read_bases(
            dict(bases), out_dims, out_dim_sizes, surjective=require_surjective
        )
        layout = cls.of_columns(ins, outs)
        columns, bits = packed(ins), sum(outs.values())
        if len(columns) > MAX_BITS or bits > MAX_BITS:
            limited(layout)
        if require_surjective:
            layout._rank = rank = f2.rank(columns)
            layout._is_surjective = True
            if rank != bits:
                raise LayoutError(
                    "layout is expected to be surjective, i.e. every `out` coordinate can be reached by some "
                    f"`in` coordinate, but was not: rank {rank} of {bits} bits{layout}"
                )
        return layout

    @classmethod
    def from_matrix(
        cls, matrix: Sequence[Sequence[int]], in_dims: Sizes, out_dims: Sizes
    ) -> LinearLayout:
        """Return the layout whose matrix has these rows; see `to_matrix`."""
        ins, outs = widths_of("in", in_dims), widths_of("out", out_dims)
        columns = packing.matrix_columns(matrix, sum(outs.values()), sum(ins.values()))
        return cls.of_columns(shape.cut(columns, ins), outs)

    def to_matrix(self) -> list[list[int]]:
        """Return rows of 0 and 1 by out bit, columns by in bit; minor dim first, low bit first."""
        columns, bits = packed(self.in_columns), self.total_out_dim_size_log2
        return [[column >> bit & 1 for column in columns] for bit in range(bits)]

    def of_elements(self, bits: int) -> Self:
        """Return the same layout with the bits of an element attached; it is equal to the one without."""
        layout = self.of_columns(self.in_columns, self.out_widths)
        layout._element_bits = bits
        return layout

    # Accessors; dimensions are minor first

    @property
    def bases(self) -> dict[str, list[tuple[int, ...]]]:
        """For each in-dim its basis vectors: images of 2^i, one component for each out-dim."""
        return unpacked(self.in_columns, [*self.out_widths.values()])

    @property
    def in_dims(self) -> dict[str, int]:
        """Sizes of the in-dims by name."""
        return {name: 1 << len(columns) for name, columns in self.in_columns.items()}

    @property
    def out_dims(self) -> dict[str, int]:
        """Sizes of the out-dims by name."""
        return {name: 1 << width for name, width in self.out_widths.items()}

    @property
    def element_bits(self) -> int | None:
        """Bits of an element, for pictures of shared memory; None if not known."""
        return getattr(self, "_element_bits", None)

    @property
    def in_dim_names(self) -> tuple[str, ...]:
        """Names of the in-dims."""
        return tuple(self.in_columns)

    @property
    def out_dim_names(self) -> tuple[str, ...]:
        """Names of the out-dims."""
        return tuple(self.out_widths)

    @property
    def out_dim_sizes(self) -> tuple[int, ...]:
        """Sizes of the out-dims."""
        return tuple([1 << width for width in self.out_widths.values()])

    @property
    def num_in_dims(self) -> int:
        """Number of in-dims."""
        return len(self.in_columns)

    @property
    def num_out_dims(self) -> int:
        """Number of out-dims."""
        return len(self.out_widths)

    @property
    def total_in_dim_size_log2(self) -> int:
        """Bits of all in-dims together."""
        return sum(map(len, self.in_columns.values()))

    @property
    def total_out_dim_size_log2(self) -> int:
        """Bits of all out-dims together."""
        return sum(self.out_widths.values())

    @property
    def total_in_dim_size(self) -> int:
        """Number of inputs."""
        return 1 << self.total_in_dim_size_log2

    @property
    def total_out_dim_size(self) -> int:
        """Number of elements of the codomain, reached or not."""
        return 1 << self.total_out_dim_size_log2

    def fields(self) -> list[tuple[str, int, int]]:
        """Return for each out-dim its name, its bits and the position of its bit field in a column."""
        places = positions(self.out_widths)
        return [(name, width, places[name]) for name, width in self.out_widths.items()]

    def has_in_dim(self, name: str) -> bool:
        """Return True if there is an in-dim of that name."""
        return name in self.in_columns

    def has_out_dim(self, name: str) -> bool:
        """Return True if there is an out-dim of that name."""
        return name in self.out_widths

    def in_dim_size_log2(self, name: str) -> int:
        """Return the bits of an in-dim; LayoutError if it is missing."""
        return len(columns_of(self, name))

    def in_dim_size(self, name: str) -> int:
        """Return the size of an in-dim; LayoutError if it is missing."""
        return 1 << self.in_dim_size_log2(name)

    def out_dim_size_log2(self, name: str) -> int:
        """Return the bits of an out-dim; LayoutError if it is missing."""
        return width_of(self, name)

    def out_dim_size(self, name: str) -> int:
        """Return the size of an out-dim; LayoutError if it is missing."""
        return 1 << width_of(self, name)

    out_dim_index = dimensions.out_dim_index
    basis = dimensions.basis

    # Properties of the map

    @property
    def rank(self) -> int:
        """Dimension of the image, in bits."""
        try:
            return self._rank
        except AttributeError:
            self._rank = f2.rank(packed(self.in_columns))
            return self._rank

    def is_surjective(self) -> bool:
        """Return True if every out coordinate is reached."""
        try:
            return self._is_surjective
        except AttributeError:
            self._is_surjective = self.rank == self.total_out_dim_size_log2
            return self._is_surjective

    def is_injective(self) -> bool:
        """Return True if no two inputs have the same image."""
        return self.rank == self.total_in_dim_size_log2

    def is_invertible(self) -> bool:
        """Return True if every out coordinate is reached exactly once."""
        bits = self.total_in_dim_size_log2
        return bits == self.total_out_dim_size_log2 and bits == self.rank

    # Evaluation

    apply = coordinates.apply

    # Algebra: products, compositions and factors

    def __mul__(self, other: LinearLayout) -> LinearLayout:
        if not isinstance(other, LinearLayout):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return composition.product(self, other)

    compose = composition.compose
    invert = composition.invert
    pseudoinvert = composition.pseudoinvert
    invert_and_compose = composition.invert_and_compose

    divide_left = division.divide_left
    divide_right = division.divide_right
    is_trivial_over = division.is_trivial_over
    is_identity_on_out_dim = division.is_identity_on_out_dim
    quotient = division.quotient
    num_consecutive_in_out = division.num_consecutive_in_out
    contiguous_elems_along_out_dim = division.contiguous_elems_along_out_dim
    free_variable_masks = division.free_variable_masks

    # Dimensions renamed, reordered, cut, joined: each
    # input still reaches the same bits of the output

    transpose_ins = shape.transpose_ins
    transpose_outs = shape.transpose_outs
    reshape_ins = shape.reshape_ins
    reshape_outs = shape.reshape_outs
    flatten_ins = shape.flatten_ins
    flatten_outs = shape.flatten_outs
    squeeze_ins = shape.squeeze_ins
    squeeze_outs = shape.squeeze_outs
    resize_in_dim = shape.resize_in_dim
    resize_out_dim = shape.resize_out_dim
    rename_in_dim = shape.rename_in_dim
    rename_out_dim = shape.rename_out_dim
    concat_ins = shape.concat_ins
    concat_outs = shape.concat_outs
    remove_zero_bases_along_dim = shape.remove_zero_bases_along_dim
    sublayout = shape.sublayout
    sublayout_is_zero = shape.sublayout_is_zero

    # Comparison, copies, text

    def __eq__(self, other: Any) -> bool:  # noqa: PYI032 - asking its class takes a fifth of the time
        try:
            ours, theirs = self.in_columns, other.in_columns
        except AttributeError:
            return NotImplemented
        if ours is not theirs and (ours != theirs or [*ours] != [*theirs]):
            return False
        outs, others = self.out_widths, other.out_widths
        if outs is not others and (outs != others or [*outs] != [*others]):
            return False
        # Equal data is shared from now on, so that the next
        # comparison succeeds at once.
        self.in_columns, self.out_widths = theirs, others
        return True

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = hash((tuple(self.in_columns.items()), tuple(self.out_widths.items())))
            return self._hash

    def equal_ignoring_out_dim_sizes(self, other: LinearLayout) -> bool:
        """Return True if the layouts are equal except for the out-dims' sizes."""
        ours, theirs = [*self.bases.items()], [*other.bases.items()]
        return ours == theirs and [*self.out_widths] == [*other.out_widths]

    def __reduce__(self) -> tuple[Callable[..., LinearLayout], tuple[Columns, Widths]]:
        return type(self).of_columns, (self.in_columns, self.out_widths)

    def __deepcopy__(self, memo: object = None) -> LinearLayout:
        return self

    __copy__ = __deepcopy__

    def __str__(self) -> str:
        try:
            return self._text
        except AttributeError:
            self._text = layout_text(self.in_columns, self.out_widths)
            return self._text

    def __repr__(self) -> str:
        return (
            f"LinearLayout.from_bases({self.bases}, {self.out_dims}, require_surjective=False)"
        )

    def _repr_html_(self) -> str | None:
        picture = type(self).picture
        return None if picture is None else picture(self)
