"""From basis vectors to packed columns: sizes that are not given, and what is wrong with a basis."""

from __future__ import annotations

from _operator import index
from collections.abc import Sequence

from xetile.layout.algebra.dimensions import LayoutError, listed, log2_of_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import NoReturn

    Vectors = Sequence[Sequence[int]]


def read_bases(
    vectors: Mapping[str, Vectors],
    out_dims: Mapping[str, int] | Sequence[str],
    out_dim_sizes: Sequence[int] | None,
    *,
    surjective: bool,
) -> tuple[dict[str, tuple[int, ...]], dict[str, int]]:
    """Columns by in-dim and bits by out-dim of basis vectors, as `LinearLayout.from_bases` takes them."""
    sizes = _sizes(out_dims, out_dim_sizes)
    if sizes is not None:
        widths = {name: log2_of_size(size, "out", name) for name, size in sizes.items()}
        used = _used(vectors, sizes)
        for bits, width in zip(used, widths.values(), strict=True):
            if bits >> width:
                _refuse_large(vectors, sizes)
    else:
        _check_names(out_dims)
        if not surjective:
            raise LayoutError("out-dim sizes must be given when surjectivity is not required")
        used = _used(vectors, out_dims)
        widths = {
            name: index(bits).bit_length() for name, bits in zip(out_dims, used, strict=True)
        }
    columns = _columns(vectors, [*widths.values()])
    if type(sum(used)) is not int:
        # Numbers of numpy, which have fewer bits than Python's.
        vectors = {
            name: [[*map(index, vector)] for vector in found]
            for name, found in vectors.items()
        }
        columns = _columns(vectors, [*widths.values()])
    return columns, widths


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


def _sizes(
    out_dims: Mapping[str, int] | Sequence[str], out_dim_sizes: Sequence[int] | None
) -> dict[str, int] | None:
    """Sizes by out-dim name; None where they are to be found."""
    if out_dim_sizes is None:
        return None if isinstance(out_dims, (list, Sequence)) else dict(out_dims)
    if len(out_dim_sizes) != len(out_dims):
        raise LayoutError(
            f"{len(out_dims)} out-dims {listed(out_dims)} and {len(out_dim_sizes)} sizes"
        )
    sizes = dict(zip(out_dims, out_dim_sizes, strict=True))
    if len(sizes) != len(out_dims):
        _check_names(out_dims)
    return sizes


def _check_names(names: Collection[str]) -> None:
    named = not isinstance(names, str) and {*map(type, names)} <= {str}
    if not named or len({*names}) != len(names):
        raise LayoutError(
            f"out-dims {names!r} must be different names such as ['dim0', 'dim1']"
        )


def _used(vectors: Mapping[str, Vectors], names: Collection[str]) -> list[int]:
    """For each out-dim all bits that its components have; LayoutError for a wrong vector."""
    try:
        used = _used_pairs(vectors) if len(names) == 2 else _used_any(vectors, len(names))
    except ValueError:
        used = [-1]
    if used and min(used) < 0:
        for in_dim, basis_vectors in vectors.items():
            for position, vector in enumerate(basis_vectors):
                _check_vector(in_dim, position, vector, names)
    return used


def _used_pairs(vectors: Mapping[str, Vectors]) -> list[int]:
    """`_used_any` for two out-dims, which most layouts have."""
    lows = highs = 0
    for basis_vectors in vectors.values():
        for low, high in basis_vectors:
            lows |= low
            highs |= high
    return [lows, highs]


def _used_any(vectors: Mapping[str, Vectors], count: int) -> list[int]:
    used = [0] * count
    for basis_vectors in vectors.values():
        for vector in basis_vectors:
            for place, value in zip(range(count), vector, strict=True):
                used[place] |= value
    return used


def _columns(
    vectors: Mapping[str, Vectors], widths: Sequence[int]
) -> dict[str, tuple[int, ...]]:
    """One integer for each basis vector, whose components fit the widths."""
    columns: dict[str, tuple[int, ...]] = {}
    if len(widths) == 2:
        width = widths[0]
        for name, basis_vectors in vectors.items():
            columns[name] = tuple([low | high << width for low, high in basis_vectors])
        return columns
    for name, basis_vectors in vectors.items():
        columns[name] = tuple([_column(vector, widths) for vector in basis_vectors])
    return columns


def _column(vector: Sequence[int], widths: Sequence[int]) -> int:
    column = place = 0
    for value, width in zip(vector, widths, strict=True):
        column |= value << place
        place += width
    return column


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


def _refuse_large(vectors: Mapping[str, Vectors], sizes: Mapping[str, int]) -> NoReturn:
    for in_dim, basis_vectors in vectors.items():
        for position, vector in enumerate(basis_vectors):
            for value, (name, size) in zip(vector, sizes.items(), strict=True):
                if value >= size:
                    raise LayoutError(
                        f"invalid basis {value} at position {position} of in-dim '{in_dim}' for out-dim "
                        f"'{name}': it must be less than the out-dim's size {size}"
                    )
    raise AssertionError
