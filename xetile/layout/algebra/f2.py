"""Linear algebra over the field of two elements, on vectors and columns stored as integers.

A vector is one integer, bit i its i-th component; a matrix is the sequence of its columns.
Named dimensions are bit fields, which `repack` moves.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Echelon = dict[int, int]


UNIT_VECTORS = tuple([1 << bit for bit in range(64)])
UNITS = frozenset(UNIT_VECTORS)


def multiply(columns: Sequence[int], vector: int) -> int:
    """Return the sum of the columns that the bits of `vector` select; bits past them are ignored."""
    image = 0
    for column in columns:
        if vector & 1:
            image ^= column
        vector >>= 1
    return image


def span(columns: Iterable[int]) -> list[int]:
    """Return the products of a matrix with all vectors, 0 first: one sum each."""
    images = [0]
    for column in columns:
        images += [image ^ column for image in images]
    return images


def multiply_all(units: dict[int, int], vectors: Iterable[int]) -> list[int]:
    """Return the products of a matrix with many vectors; `units` are its columns as from `by_unit`.

    Most bits of real layouts move to single bits, whose images are looked up and not
    summed.
    """
    images: list[int] = []
    for vector in vectors:
        image = units.get(vector)
        if image is None:
            image = 0
            while vector:
                low = vector & -vector
                image ^= units[low]
                vector ^= low
        images.append(image)
    return images


def by_unit(columns: Sequence[int]) -> dict[int, int]:
    """Return a matrix as a table from unit vectors to columns, with zero for zero."""
    units = dict(zip(UNIT_VECTORS, columns, strict=False))
    units[0] = 0
    return units


def repack(columns: Iterable[int], moves: Sequence[tuple[int, int, int]]) -> list[int]:
    """Move fields of columns: (bit position, mask of the field at zero, new position)."""
    if not moves:
        return [0 for _ in columns]
    if len(moves) == 1:
        ((old, mask, new),) = moves
        return [(column >> old & mask) << new for column in columns]
    if len(moves) == 2:
        (old, mask, new), (old_2, mask_2, new_2) = moves
        return [
            (column >> old & mask) << new | (column >> old_2 & mask_2) << new_2
            for column in columns
        ]
    packed: list[int] = []
    for column in columns:
        moved = 0
        for old, mask, new in moves:
            moved |= (column >> old & mask) << new
        packed.append(moved)
    return packed


def rank(columns: Iterable[int]) -> int:
    """Return the dimension of the columns' span."""
    mixed = {*columns}
    mixed.discard(0)
    if mixed <= UNITS:
        return len(mixed)
    units = mixed & UNITS
    found = len(units)
    mixed -= units
    # Each unit column determines its bit, so the others are
    # reduced by deleting these bits.
    unsettled = ~sum(units)
    leading: dict[int, int] = {}
    for column in mixed:
        column &= unsettled
        while column:
            pivot = leading.get(column.bit_length())
            if pivot is None:
                leading[column.bit_length()] = column
                found += 1
                break
            column ^= pivot
    return found


def echelon(columns: Iterable[tuple[int, int]], width: int) -> Echelon:
    """Return reduced combinations of columns, keyed by the bit length of their sum, for `solve`.

    `columns` are pairs (column, label) in order; `width` bounds the labels' bits. A value has
    a sum of columns above bit `width`, and that of their labels below. A column in the span of
    earlier ones enters no combination, so that solutions are the smallest ones.
    """
    pivots: Echelon = {}
    for column, label in columns:
        value = column << width | label
        length = value.bit_length()
        while length > width:
            pivot = pivots.get(length)
            if pivot is None:
                pivots[length] = value
                break
            value ^= pivot
            length = value.bit_length()
    return pivots


def solve(pivots: Echelon, width: int, target: int) -> int | None:
    """Return the sum of the labels of the columns that add up to `target`, or None."""
    solutions = solve_all(pivots, width, (target,))
    return None if solutions is None else solutions[0]


def solve_all(pivots: Echelon, width: int, targets: Iterable[int]) -> list[int] | None:
    """Return `solve` for each target; None if one is not in the columns' span."""
    solutions: list[int] = []
    for target in targets:
        value = target << width
        length = value.bit_length()
        while length > width:
            pivot = pivots.get(length)
            if pivot is None:
                return None
            value ^= pivot
            length = value.bit_length()
        solutions.append(value)
    return solutions


def dependent_columns(columns: Sequence[int]) -> int:
    """Return a mask of the columns that are sums of earlier columns (including zero columns)."""
    leading: dict[int, int] = {}
    found = [_enters(leading, column) for column in columns]
    return sum(1 << index for index, entered in enumerate(found) if not entered)


def kernel(columns: Sequence[int]) -> list[int]:
    """Return a basis of the vectors whose product is zero."""
    width = len(columns)
    pivots: Echelon = {}
    values = [column << width | 1 << index for index, column in enumerate(columns)]
    labels = [_label_of_zero(pivots, value, width) for value in values]
    return [label for label in labels if label]


def labelled(columns: Iterable[int], first: int = 0) -> list[tuple[int, int]]:
    """Return columns with unit vectors as labels, from bit `first`, for `echelon`."""
    return [(column, 1 << index) for index, column in enumerate(columns, first)]


def inverse(columns: Sequence[int]) -> list[int]:
    """Return the inverse of a square matrix; ValueError unless its columns are independent."""
    bits = len(columns)
    found = solve_all(echelon(labelled(columns), bits), bits, UNIT_VECTORS[:bits])
    if found is None:
        raise ValueError(f"matrix {list(columns)} is singular")
    return found


def diagonals(columns: Sequence[int]) -> list[tuple[int, int]]:
    """Return the matrix as pairs (shift, mask): its product with x is the sum of `(x & mask) << shift`.

    Sorted by shift, to the right if negative; at most one pair for each diagonal.
    """
    masks: dict[int, int] = {}
    for index, column in enumerate(columns):
        while column:
            low = column & -column
            shift = low.bit_length() - 1 - index
            masks[shift] = masks.get(shift, 0) | 1 << index
            column ^= low
    return sorted(masks.items())


def complement_basis(columns: Iterable[int], bits: int) -> list[int]:
    """Return the unit vectors, ascending, that complete the columns' span to all of `bits`."""
    lowest: dict[int, int] = {}
    for column in columns:
        while column:
            pivot = lowest.get(column & -column)
            if pivot is None:
                lowest[column & -column] = column
                break
            column ^= pivot
    return [1 << bit for bit in range(bits) if 1 << bit not in lowest]


def independent_of(vectors: Iterable[int], columns: Iterable[int]) -> list[int]:
    """Return those vectors, in order, that are not sums of columns and of earlier ones of them."""
    leading = {vector.bit_length(): vector for vector in reduced_basis(columns)}
    return [vector for vector in vectors if _enters(leading, vector)]


def reduced_basis(columns: Iterable[int]) -> list[int]:
    """Return a basis of the columns' span with pairwise different leading bits, in order of appearance."""
    leading: dict[int, int] = {}
    for column in columns:
        _enters(leading, column)
    return list(leading.values())


def _enters(leading: dict[int, int], column: int) -> bool:
    """Return True if a column is no sum of those in `leading`, and add its reduced form there."""
    while column:
        pivot = leading.get(column.bit_length())
        if pivot is None:
            leading[column.bit_length()] = column
            return True
        column ^= pivot
    return False


def intersection(left: Iterable[int], right: Iterable[int]) -> list[int]:
    """Return a basis of the intersection of two spans (Zassenhaus: rows (u, u) and (v, 0))."""
    left_basis, right_basis = reduced_basis(left), reduced_basis(right)
    width = max((vector.bit_length() for vector in left_basis + right_basis), default=0)
    pivots = echelon(((vector, vector) for vector in left_basis), width)
    common = [_label_of_zero(pivots, vector << width, width) for vector in right_basis]
    return [vector for vector in common if vector]


def _label_of_zero(pivots: Echelon, value: int, width: int) -> int:
    """Return the label of a value that reduces to zero; else return 0 and make the rest a pivot."""
    while value.bit_length() > width:
        pivot = pivots.get(value.bit_length())
        if pivot is None:
            pivots[value.bit_length()] = value
            return 0
        value ^= pivot
    return value
