"""Linear layouts: maps between named power-of-two dimensions that are linear over the bits of coordinates.

The names and rules are those of Triton's `LinearLayout` (include/triton/Tools/LinearLayout.h), in snake
case; where Triton ends the process, `LayoutError` is raised. `L(x)` is the XOR of the basis vectors that
the set bits of x select, so `L(0)` is 0.
"""

from __future__ import annotations

from _operator import index
from collections.abc import Sequence

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.dimensions import MAX_BITS, LayoutError, listed, log2_of_size, supremum
from xetile.layout.algebra.division import Division

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any, Literal, NoReturn, TypeVar

    from xetile.layout.algebra.shape import Sizes

    Vectors = Sequence[Sequence[int]]
    IdentityDims = Literal["disjoint", "equal"]
    Coordinate = TypeVar("Coordinate")

__all__ = [
    "MAX_BITS",
    "LayoutError",
    "LinearLayout",
    "invert_and_compose_block_local",
    "lstsq",
    "supremum",
]


class LinearLayout(Division):
    """A linear map from in-dims to out-dims, all of power-of-two size; immutable and hashable by value."""

    __slots__ = ()

    # Construction

    @classmethod
    def empty(cls) -> LinearLayout:
        """The layout without dimensions, the unit of `*`."""
        return cls.of_columns({}, {})

    @classmethod
    def strided_1d(cls, size: int, stride: int, in_dim: str, out_dim: str) -> LinearLayout:
        """One in-dim of `size` values to one out-dim, in steps of `stride` elements; empty for size 0.

        The out-dim's size is `stride * size`, which must be a power of two, as `size` must.
        """
        if size == 0:
            return cls.empty()
        width = log2_of_size(size, "in", in_dim)
        stride = index(stride)
        out_width = log2_of_size(stride * size, "out", out_dim)
        _check_bits("out", out_width, {out_dim: stride * size})
        return cls.of_columns(
            {in_dim: tuple([stride << bit for bit in range(width)])}, {out_dim: out_width}
        )

    @classmethod
    def identity_1d(cls, size: int, in_dim: str, out_dim: str) -> LinearLayout:
        """One in-dim of `size` values to one out-dim of the same size, each value to itself; empty for size 0."""
        if size == 0:
            return cls.empty()
        width = log2_of_size(size, "in", in_dim)
        _check_bits("in", width, {in_dim: size})
        return cls.of_columns({in_dim: f2.UNIT_VECTORS[:width]}, {out_dim: width})

    @classmethod
    def zeros_1d(cls, size: int, in_dim: str, out_dim: str, out_dim_size: int = 1) -> LinearLayout:
        """One in-dim of `size` values, all of which go to 0 of the out-dim; empty for size 0."""
        if size == 0:
            return cls.empty()
        width = log2_of_size(size, "in", in_dim)
        out_width = log2_of_size(out_dim_size, "out", out_dim)
        _check_bits("in", width, {in_dim: size})
        _check_bits("out", out_width, {out_dim: out_dim_size})
        return cls.of_columns({in_dim: (0,) * width}, {out_dim: out_width})

    @classmethod
    def from_bases(
        cls,
        bases: Mapping[str, Vectors] | Iterable[tuple[str, Vectors]],
        out_dims: Mapping[str, int] | Sequence[str],
        out_dim_sizes: Sequence[int] | None = None,
        *,
        require_surjective: bool = True,
    ) -> LinearLayout:
        """The layout with these basis vectors, dims minor first.

        `out_dims` gives names and sizes, or names alone; then sizes come from `out_dim_sizes` or, where
        that is missing too, are the smallest that hold every basis value. LayoutError for a basis that is
        negative, of the wrong length or too large for its out-dim, for a size that is not a power of two,
        and, if required, for a layout that does not reach every out coordinate.
        """
        vectors = dict(bases)
        sizes = _out_sizes(vectors, out_dims, out_dim_sizes, require_surjective=require_surjective)
        outs = {name: log2_of_size(size, "out", name) for name, size in sizes.items()}
        layout = cls.of_columns(_pack(vectors, sizes, list(outs.values())), outs).limited()
        if require_surjective and not layout.is_surjective():
            raise LayoutError(
                "layout is expected to be surjective, i.e. every `out` coordinate can be reached by some "
                f"`in` coordinate, but was not: rank {layout.rank} of {sum(outs.values())} bits{layout}"
            )
        return layout

    @classmethod
    def from_matrix(
        cls, matrix: Sequence[Sequence[int]], in_dims: Sizes, out_dims: Sizes
    ) -> LinearLayout:
        """The layout whose matrix has these rows, one for each out bit, minor dim first; see `to_matrix`."""
        ins = {name: log2_of_size(size, "in", name) for name, size in dict(in_dims).items()}
        outs = {name: log2_of_size(size, "out", name) for name, size in dict(out_dims).items()}
        bits = sum(ins.values())
        if len(matrix) != sum(outs.values()) or any(len(row) != bits for row in matrix):
            raise LayoutError(
                f"a matrix of {len(matrix)} rows of {sorted({len(row) for row in matrix})} columns is not "
                f"one of {sum(outs.values())} out bits and {bits} in bits"
            )
        if any(entry not in (0, 1) for row in matrix for entry in row):
            raise LayoutError("a matrix over two elements has the entries 0 and 1 only")
        columns = [
            sum(row[position] << bit for bit, row in enumerate(matrix)) for position in range(bits)
        ]
        return cls.of_columns({"": tuple(columns)}, outs).reshape_ins(dict(in_dims))

    def to_matrix(self) -> list[list[int]]:
        """Rows of 0 and 1, one for each out bit; columns are in bits; both minor dim first, low bit first."""
        columns = self.packed_columns()
        return [
            [column >> bit & 1 for column in columns] for bit in range(self.total_out_dim_size_log2)
        ]

    # Algebra

    def __mul__(self, other: LinearLayout) -> LinearLayout:
        """The direct sum: dims with the same name are concatenated, this layout's bits lowest.

        The order of dims is the `supremum` of both orders. Where both have an out-dim, the other's
        components are shifted past this layout's; nothing is ever XORed.
        """
        if not isinstance(other, LinearLayout):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        left_outs, right_outs = self._outs, other._outs
        left_at, right_at = self.field_positions(), other.field_positions()
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
        ins: dict[str, tuple[int, ...]] = {}
        for name in _merged(self._ins, other._ins):
            low, high = self._ins.get(name), other._ins.get(name)
            columns = f2.repack(low, left_moves) if low else []
            if high:
                columns += f2.repack(high, right_moves)
            ins[name] = tuple(columns)
        return self.of_columns(ins, outs).limited()

    def compose(self, outer: LinearLayout) -> LinearLayout:
        """`x -> outer(self(x))`.

        LayoutError unless this layout's out-dims are the outer one's in-dims in any order, none larger.
        """
        if self._outs.keys() != outer._ins.keys():
            raise LayoutError(
                f"cannot compose: out-dims {listed(self._outs)} of the inner layout must be the in-dims "
                f"{listed(outer._ins)} of the outer one"
            )
        table: list[int] = []
        for name, width in self._outs.items():
            columns = outer._ins[name]
            if width > len(columns):
                raise LayoutError(
                    f"cannot compose: the inner layout has out-dim '{name}' of size {1 << width}, the "
                    f"outer one in-dim '{name}' of size {1 << len(columns)}"
                )
            table += columns[:width]
        units = f2.by_unit(table)
        ins = {name: tuple(f2.multiply_all(units, columns)) for name, columns in self._ins.items()}
        return self.of_columns(ins, outer._outs)

    def invert(self) -> LinearLayout:
        """The inverse map; LayoutError unless the layout is surjective and square."""
        if not self.is_invertible():
            raise LayoutError(
                "a linear layout must be surjective and square to be invertible: it has rank "
                f"{self.rank}, {self.total_in_dim_size_log2} in bits and {self.total_out_dim_size_log2} out bits"
            )
        return self.pseudoinvert()

    def pseudoinvert(self) -> LinearLayout:
        """The map that gives for each out coordinate the smallest input that reaches it.

        LayoutError unless the layout is surjective.
        """
        bits = self.total_in_dim_size_log2
        pivots = f2.echelon(f2.labelled(self.packed_columns()), bits)
        if len(pivots) != self.total_out_dim_size_log2:
            raise LayoutError(
                "a linear layout must be surjective to be pseudo-inverted: it has rank "
                f"{len(pivots)} and {self.total_out_dim_size_log2} out bits"
            )
        units = f2.UNIT_VECTORS[: len(pivots)]
        inverse = f2.solve_all(pivots, bits, units) or []
        ins: dict[str, tuple[int, ...]] = {}
        place = 0
        for name, width in self._outs.items():
            ins[name] = tuple(inverse[place : place + width])
            place += width
        return self.of_columns(ins, {name: len(columns) for name, columns in self._ins.items()})

    def invert_and_compose(
        self, outer: LinearLayout, *, identity_dims: IdentityDims = "disjoint"
    ) -> LinearLayout:
        """The map C with `self(x) == outer(C(x))`, from this layout's in-dims to the outer one's.

        C(x) is the smallest solution, but in-dims that both layouts have with the same bases map to
        themselves: with "equal" every such dim, with "disjoint" those whose out bits no other in-dim of
        either layout touches (triton 3.9's rule; Intel's fork has the first). LayoutError unless the
        out-dims have the same names, the outer ones no smaller, and outer reaches what this layout does.
        """
        columns = self.columns_fitted_to(outer)
        kept = _identity_dims(columns, outer._ins, disjoint=identity_dims == "disjoint")
        bits = outer.total_in_dim_size_log2
        labelled: list[tuple[int, int]] = []
        first: dict[str, int] = {}
        position = 0
        for name, theirs in outer._ins.items():
            first[name] = position
            if name not in kept:
                labelled += f2.labelled(theirs, position)
            position += len(theirs)
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
        return self.of_columns(ins, {name: len(theirs) for name, theirs in outer._ins.items()})

    def columns_fitted_to(self, outer: LinearLayout) -> Mapping[str, tuple[int, ...]]:
        """This layout's columns with the bit fields of `outer`'s out-dims."""
        if self._outs == outer._outs and [*self._outs] == [*outer._outs]:
            return self._ins
        if self._outs.keys() != outer._outs.keys():
            raise LayoutError(
                f"out-dims {listed(self._outs)} and {listed(outer._outs)} must have the same names"
            )
        for name, width in self._outs.items():
            if width > outer._outs[name]:
                raise LayoutError(
                    f"out-dim '{name}' has size {1 << width} here and only {1 << outer._outs[name]} in "
                    "the outer layout"
                )
        return self._with_outs(outer._outs)._ins

    # Evaluation

    def apply(self, coordinates: Mapping[str, Coordinate]) -> dict[str, Coordinate]:
        """The image of one input, or of arrays of inputs, by out-dim.

        Every in-dim has a coordinate, either an integer or an array of integers with `&`, `^`, `<<`, `>>`
        (numpy's are widened to 64 bits, shapes broadcast). Bits past a dimension's size are ignored.
        LayoutError unless the names are the in-dims.
        """
        if coordinates.keys() != self._ins.keys():
            raise LayoutError(
                f"coordinates for {listed(coordinates)}, but the layout has in-dims {listed(self._ins)}"
            )
        image = 0
        for name, columns in self._ins.items():
            value = coordinates[name]
            if not isinstance(value, int):
                from xetile.layout.algebra.batch import apply_to_arrays

                return apply_to_arrays(self, coordinates)
            for column in columns:
                if value & 1:
                    image ^= column
                value >>= 1
        result: dict[str, Any] = {}
        for name, width in self._outs.items():
            result[name] = image & (1 << width) - 1
            image >>= width
        return result


def lstsq(left: LinearLayout, right: LinearLayout) -> LinearLayout | None:
    """The smallest X with `left(X(b)) == right(b)`, or None where there is none.

    There is none if the out-dims have other names, `right` is larger, or it leaves the image of `left`.
    """
    try:
        columns = right.columns_fitted_to(left)
    except LayoutError:
        return None
    bits = left.total_in_dim_size_log2
    pivots = f2.echelon(f2.labelled(left.packed_columns()), bits)
    ins: dict[str, tuple[int, ...]] = {}
    for name, targets in columns.items():
        solved = f2.solve_all(pivots, bits, targets)
        if solved is None:
            return None
        ins[name] = tuple(solved)
    return LinearLayout.of_columns(
        ins, {name: len(theirs) for name, theirs in left.in_columns.items()}
    )


def invert_and_compose_block_local(
    target: LinearLayout, source: LinearLayout, *, identity_dims: IdentityDims = "disjoint"
) -> LinearLayout:
    """`source.invert_and_compose(target)`, but where `target`'s block bit moves nothing the block stays itself.

    Of several inputs of `target` that hold an element it prefers the one in the asking block, so that no
    data crosses blocks needlessly.
    """
    moved = source.invert_and_compose(target, identity_dims=identity_dims)
    block = "block"
    if not (target.has_in_dim(block) and moved.has_in_dim(block) and moved.has_out_dim(block)):
        return moved
    place = moved.field_positions()[block]
    ins: dict[str, list[int]] = {name: [*columns] for name, columns in moved.in_columns.items()}
    for bit, column in enumerate(target.in_columns[block]):
        if column or bit >= len(ins[block]):
            continue
        mask = 1 << place + bit
        for columns in ins.values():
            columns[:] = [vector & ~mask for vector in columns]
        ins[block][bit] |= mask
    return LinearLayout.of_columns(
        {name: tuple(columns) for name, columns in ins.items()}, dict(moved.out_widths)
    )


def _merged(left: Mapping[str, object], right: Mapping[str, object]) -> Sequence[str]:
    """`supremum` of two orders, most often the same one or one that the other begins with."""
    left_names, right_names = [*left], [*right]
    if left_names[: len(right_names)] == right_names:
        return left_names
    return supremum(left_names, right_names)


def _identity_dims(
    ours: Mapping[str, tuple[int, ...]], theirs: Mapping[str, tuple[int, ...]], *, disjoint: bool
) -> set[str]:
    """In-dims of both with the same columns; if `disjoint`, only where no other in-dim touches their out bits."""
    equal = {name for name, columns in ours.items() if theirs.get(name) == columns}
    if not disjoint:
        return equal
    return {name for name in equal if _is_apart(name, ours) and _is_apart(name, theirs)}


def _is_apart(name: str, ins: Mapping[str, tuple[int, ...]]) -> bool:
    own = others = 0
    for other, columns in ins.items():
        for column in columns:
            if other == name:
                own |= column
            else:
                others |= column
    return not own & others


def _check_bits(kind: str, bits: int, sizes: Mapping[str, int]) -> None:
    if bits > MAX_BITS:
        raise LayoutError(
            f"layout too large: {bits} bits in {kind}-dims {dict(sizes)}, at most {MAX_BITS}"
        )


def _out_sizes(
    vectors: Mapping[str, Vectors],
    out_dims: Mapping[str, int] | Sequence[str],
    out_dim_sizes: Sequence[int] | None,
    *,
    require_surjective: bool,
) -> dict[str, int]:
    """Sizes by out-dim name from any of the ways in which `from_bases` takes them."""
    if out_dim_sizes is not None:
        if len(out_dim_sizes) != len(out_dims):
            raise LayoutError(
                f"{len(out_dims)} out-dims {listed(out_dims)} and {len(out_dim_sizes)} sizes"
            )
        sizes = dict(zip(out_dims, out_dim_sizes, strict=True))
        if len(sizes) != len(out_dims):
            _check_names(out_dims)
        return sizes
    if not isinstance(out_dims, Sequence):
        return dict(out_dims)
    _check_names(out_dims)
    if not require_surjective:
        raise LayoutError("out-dim sizes must be given when surjectivity is not required")
    return _smallest_sizes(vectors, list(out_dims))


def _check_names(names: Collection[str]) -> None:
    named = not isinstance(names, str) and all(type(name) is str for name in names)
    if not named or len(set(names)) != len(names):
        raise LayoutError(f"out-dims {names!r} must be different names such as ['dim0', 'dim1']")


def _smallest_sizes(vectors: Mapping[str, Vectors], names: Sequence[str]) -> dict[str, int]:
    bits = dict.fromkeys(names, 0)
    for in_dim, basis_vectors in vectors.items():
        for position, vector in enumerate(basis_vectors):
            _check_vector(in_dim, position, vector, names)
            for name, value in zip(names, vector, strict=True):
                bits[name] = max(bits[name], index(value).bit_length())
    return {name: 1 << width for name, width in bits.items()}


def _check_vector(in_dim: str, position: int, vector: Sequence[int], names: Iterable[str]) -> None:
    if any(value < 0 for value in vector):
        raise LayoutError(
            f"invalid basis {tuple(vector)} at position {position} of in-dim '{in_dim}': "
            "basis values must be non-negative"
        )
    if len(vector) != len(expected := list(names)):
        raise LayoutError(
            f"invalid basis {tuple(vector)} at position {position} of in-dim '{in_dim}': it needs one "
            f"value for each of the {len(expected)} out-dims {listed(expected)}"
        )


def _pack(
    vectors: Mapping[str, Vectors], sizes: Mapping[str, int], widths: Sequence[int]
) -> dict[str, tuple[int, ...]]:
    """Basis vectors as one integer each, checked; `widths` are the bits of `sizes`."""
    ins: dict[str, tuple[int, ...]] = {}
    pack = _pack_pairs if len(widths) == 2 else _pack_any
    for in_dim, basis_vectors in vectors.items():
        try:
            columns = pack(basis_vectors, widths)
        except ValueError:
            _refuse(in_dim, basis_vectors, sizes)
        ins[in_dim] = tuple(columns)
    return ins


def _pack_pairs(basis_vectors: Vectors, widths: Sequence[int]) -> list[int]:
    """`_pack_any` for two out-dims, which most layouts have."""
    low_width, high_width = widths
    columns: list[int] = []
    for low, high in basis_vectors:
        if low >> low_width or high >> high_width:
            raise ValueError
        columns.append(index(low) | index(high) << low_width)
    return columns


def _pack_any(basis_vectors: Vectors, widths: Sequence[int]) -> list[int]:
    """One integer for each basis vector; ValueError where a vector has not one fitting value for each width."""
    columns: list[int] = []
    for vector in basis_vectors:
        column = place = 0
        for value, width in zip(vector, widths, strict=True):
            if value >> width:
                raise ValueError
            column |= index(value) << place
            place += width
        columns.append(column)
    return columns


def _refuse(in_dim: str, basis_vectors: Vectors, sizes: Mapping[str, int]) -> NoReturn:
    """Says which basis is wrong; called only when one is."""
    for position, vector in enumerate(basis_vectors):
        _check_vector(in_dim, position, vector, sizes)
    for position, vector in enumerate(basis_vectors):
        for value, (name, size) in zip(vector, sizes.items(), strict=True):
            if value >= size:
                raise LayoutError(
                    f"invalid basis {value} at position {position} of in-dim '{in_dim}' for out-dim "
                    f"'{name}': it must be less than the out-dim's size {size}"
                )
    raise AssertionError
