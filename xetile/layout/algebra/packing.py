"""From basis vectors to packed columns: sizes that are not given, and what is wrong with a basis."""

from __future__ import annotations

from _operator import index
from collections.abc import Sequence

from xetile.layout.algebra.dimensions import LayoutError, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import NoReturn

    Vectors = Sequence[Sequence[int]]


def out_sizes(
    vectors: Mapping[str, Vectors],
    out_dims: Mapping[str, int] | Sequence[str],
    out_dim_sizes: Sequence[int] | None,
    *,
    surjective: bool,
) -> dict[str, int]:
    """Sizes by out-dim name from any of the ways in which `LinearLayout.from_bases` takes them."""
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
    if not surjective:
        raise LayoutError("out-dim sizes must be given when surjectivity is not required")
    return _smallest_sizes(vectors, list(out_dims))


def pack(
    vectors: Mapping[str, Vectors], sizes: Mapping[str, int], widths: Sequence[int]
) -> dict[str, tuple[int, ...]]:
    """Basis vectors as one integer each, checked; `widths` are the bits of `sizes`."""
    ins: dict[str, tuple[int, ...]] = {}
    pack_one = _pack_pairs if len(widths) == 2 else _pack_any
    for in_dim, basis_vectors in vectors.items():
        try:
            columns = pack_one(basis_vectors, widths)
        except ValueError:
            _refuse(in_dim, basis_vectors, sizes)
        ins[in_dim] = tuple(columns)
    return ins


def matrix_columns(matrix: Sequence[Sequence[int]], rows: int, columns: int) -> list[int]:
    """The columns of a matrix; LayoutError unless it has that many rows and columns."""
    if len(matrix) != rows or any(len(row) != columns for row in matrix):
        raise LayoutError(
            f"a matrix of {len(matrix)} rows of {sorted({len(row) for row in matrix})} columns is not "
            f"one of {rows} out bits and {columns} in bits"
        )
    if any(entry not in (0, 1) for row in matrix for entry in row):
        raise LayoutError("a matrix over two elements has the entries 0 and 1 only")
    return [sum(row[n] << bit for bit, row in enumerate(matrix)) for n in range(columns)]


def _check_names(names: Collection[str]) -> None:
    named = not isinstance(names, str) and all(type(name) is str for name in names)
    if not named or len(set(names)) != len(names):
        raise LayoutError(
            f"out-dims {names!r} must be different names such as ['dim0', 'dim1']"
        )


def _smallest_sizes(vectors: Mapping[str, Vectors], names: Sequence[str]) -> dict[str, int]:
    bits = dict.fromkeys(names, 0)
    for in_dim, basis_vectors in vectors.items():
        for position, vector in enumerate(basis_vectors):
            _check_vector(in_dim, position, vector, names)
            for name, value in zip(names, vector, strict=True):
                bits[name] = max(bits[name], index(value).bit_length())
    return {name: 1 << width for name, width in bits.items()}


def _check_vector(
    in_dim: str, position: int, vector: Sequence[int], names: Collection[str]
) -> None:
    wrong = f"invalid basis {tuple(vector)} at position {position} of in-dim '{in_dim}': "
    if any(value < 0 for value in vector):
        raise LayoutError(f"{wrong}basis values must be non-negative")
    if len(vector) != len(names):
        raise LayoutError(
            f"{wrong}it needs one value for each of the {len(names)} out-dims {listed(names)}"
        )


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
    """One integer for each basis vector; ValueError for one that does not fit the widths."""
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
