"""Conversion of basis vectors to packed columns: inference of sizes, and errors for wrong basis vectors."""

from __future__ import annotations

from _operator import index
from collections.abc import Sequence

from xetile.layout.algebra.dimensions import (
    MAX_BITS,
    LayoutError,
    flattened,
    listed,
    log2_of_size,
    positions,
    widths_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import NoReturn

    Vectors = Sequence[Sequence[int]]

_WIDTHS = {1 << width: width for width in range(MAX_BITS)}


def read_bases(
    vectors: Mapping[str, Vectors],
    out_dims: Mapping[str, int] | Sequence[str],
    out_dim_sizes: Sequence[int] | None,
    *,
    surjective: bool,
) -> tuple[dict[str, tuple[int, ...]], dict[str, int]]:
    """Return columns by in-dim and bits by out-dim of basis vectors, for `LinearLayout.from_bases`."""
    widths = _widths(out_dims, out_dim_sizes)
    if widths is None:
        if not surjective:
            raise LayoutError("out-dim sizes must be given when surjectivity is not required")
        widths = _inferred_widths(vectors, out_dims)
    pack = _pack_pairs if len(widths) == 2 else _pack
    try:
        columns, excess = pack(vectors, widths)
    except ValueError:
        _refuse(vectors, widths)
    if type(excess) is not int:
        # Numbers of numpy, which have fewer bits than Python's.
        columns, excess = pack(_in_python(vectors), widths)
    if excess:
        _refuse(vectors, widths)
    return columns, widths


def matrix_columns(matrix: Sequence[Sequence[int]], rows: int, columns: int) -> list[int]:
    """Return the columns of a matrix; LayoutError unless it has that many rows and columns."""
    if len(matrix) != rows or any(len(row) != columns for row in matrix):
        raise LayoutError(
            f"a matrix of {len(matrix)} rows of {sorted({len(row) for row in matrix})} columns is not "
            f"one of {rows} out bits and {columns} in bits"
        )
    if any(entry not in (0, 1) for row in matrix for entry in row):
        raise LayoutError("a matrix over two elements has the entries 0 and 1 only")
    return [sum(row[n] << bit for bit, row in enumerate(matrix)) for n in range(columns)]


def _widths(
    out_dims: Mapping[str, int] | Sequence[str], out_dim_sizes: Sequence[int] | None
) -> dict[str, int] | None:
    """Return bits by out-dim name, or None if they must be inferred."""
    if out_dim_sizes is None:
        if isinstance(out_dims, (list, Sequence)):
            return None
        return widths_of("out", out_dims)
    if len(out_dim_sizes) != len(out_dims):
        raise LayoutError(
            f"{len(out_dims)} out-dims {listed(out_dims)} and {len(out_dim_sizes)} sizes"
        )
    widths: dict[str, int] = {}
    for name, size in zip(out_dims, out_dim_sizes, strict=True):
        width = _WIDTHS.get(index(size))
        widths[name] = log2_of_size(size, "out", name) if width is None else width
    if len(widths) != len(out_dims):
        _refuse_names(out_dims)
    return widths


def _inferred_widths(vectors: Mapping[str, Vectors], names: Collection[str]) -> dict[str, int]:
    """Return the bits of the largest component of each out-dim; LayoutError for a wrong vector or name."""
    if isinstance(names, str):
        _refuse_names(names)
    each = flattened(vectors.values())
    try:
        used = _used_by_pairs(each) if len(names) == 2 else _used(each, len(names))
    except ValueError:
        used = [-1] * len(names)
    widths: dict[str, int] = {}
    for name, bits in zip(names, used, strict=True):
        if bits < 0:
            _check_vectors(vectors, names)
        if type(name) is not str:
            _refuse_names(names)
        widths[name] = index(bits).bit_length()
    if len(widths) != len(names):
        _refuse_names(names)
    return widths


def _refuse_names(names: Collection[str]) -> NoReturn:
    raise LayoutError(f"out-dims {names!r} must be different names such as ['dim0', 'dim1']")


def _used_by_pairs(vectors: Iterable[Sequence[int]]) -> list[int]:
    """Return `_used` for two out-dims, which most layouts have."""
    lows = highs = 0
    for low, high in vectors:
        lows |= low
        highs |= high
    return [lows, highs]


def _used(vectors: Iterable[Sequence[int]], count: int) -> list[int]:
    """Return for each out-dim the union of its components' bits; ValueError for a vector of another length."""
    used = [0] * count
    for vector in vectors:
        for place, value in zip(range(count), vector, strict=True):
            used[place] |= value
    return used


def _pack_pairs(
    vectors: Mapping[str, Vectors], widths: Mapping[str, int]
) -> tuple[dict[str, tuple[int, ...]], int]:
    """Return `_pack` for two out-dims, which most layouts have."""
    width, high_width = widths.values()
    lows = highs = 0
    columns: dict[str, tuple[int, ...]] = {}
    for name, basis_vectors in vectors.items():
        found: list[int] = []
        for low, high in basis_vectors:
            lows |= low
            highs |= high
            found.append(low | high << width)
        columns[name] = tuple(found)
    return columns, lows >> width | highs >> high_width


def _pack(
    vectors: Mapping[str, Vectors], widths: Mapping[str, int]
) -> tuple[dict[str, tuple[int, ...]], int]:
    """Return one integer for each basis vector, and the bits of components that do not fit or are negative.

    ValueError for a vector of another length.
    """
    fields = [*zip(widths.values(), positions(widths).values(), strict=True)]
    excess = 0
    columns: dict[str, tuple[int, ...]] = {}
    for name, basis_vectors in vectors.items():
        found: list[int] = []
        for vector in basis_vectors:
            column = 0
            for value, (width, place) in zip(vector, fields, strict=True):
                excess |= value >> width
                column |= value << place
            found.append(column)
        columns[name] = tuple(found)
    return columns, excess


def _in_python(vectors: Mapping[str, Vectors]) -> dict[str, list[list[int]]]:
    """Return the basis vectors with Python integers."""
    return {
        name: [[*map(index, vector)] for vector in of_dim] for name, of_dim in vectors.items()
    }


def _refuse(vectors: Mapping[str, Vectors], widths: Mapping[str, int]) -> NoReturn:
    """Raise for the first wrong vector, or else for the first component that exceeds its dimension's bits."""
    _check_vectors(vectors, widths)
    for place, vector in _places(vectors):
        for value, (name, width) in zip(vector, widths.items(), strict=True):
            if value >> width:
                raise LayoutError(
                    f"invalid basis {value} {place} for out-dim '{name}': it must be less than the out-dim's "
                    f"size {1 << width}"
                )
    raise AssertionError


def _check_vectors(vectors: Mapping[str, Vectors], names: Collection[str]) -> None:
    for place, vector in _places(vectors):
        wrong = f"invalid basis {tuple(vector)} {place}: "
        if any(value < 0 for value in vector):
            raise LayoutError(f"{wrong}basis values must be non-negative")
        if len(vector) != len(names):
            raise LayoutError(
                f"{wrong}it needs one value for each of the {len(names)} out-dims {listed(names)}"
            )


def _places(vectors: Mapping[str, Vectors]) -> Iterator[tuple[str, Sequence[int]]]:
    for in_dim, basis_vectors in vectors.items():
        for position, vector in enumerate(basis_vectors):
            yield f"at position {position} of in-dim '{in_dim}'", vector
