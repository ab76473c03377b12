"""Linear algebra over two elements, against searches of all sums."""

from itertools import product
from random import Random

import pytest

from xetile.layout.algebra import f2

MATRICES = [list(columns) for columns in product(range(8), repeat=4)]


def span(columns: list[int]) -> list[int]:
    """All products in order of the vector: position x holds the product with x."""
    sums = [0]
    for column in columns:
        sums += [total ^ column for total in sums]
    return sums


def test_products() -> None:
    for columns in MATRICES:
        sums = span(columns)
        assert [f2.multiply(columns, x) for x in range(16)] == sums
        assert f2.multiply_all(f2.by_unit(columns), range(16)) == sums
        assert f2.multiply(columns, 1 << 4) == 0


def test_diagonals_are_the_matrix() -> None:
    for columns in MATRICES:
        pairs = f2.diagonals(columns)
        assert [shift for shift, _ in pairs] == sorted({shift for shift, _ in pairs})
        for x, expected in enumerate(span(columns)):
            image = 0
            for shift, mask in pairs:
                image ^= (x & mask) << shift if shift >= 0 else (x & mask) >> -shift
            assert image == expected


def test_rank_counts_sums() -> None:
    for columns in MATRICES:
        assert 1 << f2.rank(columns) == len(set(span(columns)))
    assert f2.rank([]) == 0


def test_solutions_are_the_smallest() -> None:
    for columns in MATRICES:
        sums = span(columns)
        pivots = f2.echelon([(column, 1 << i) for i, column in enumerate(columns)], 4)
        for target in range(8):
            expected = sums.index(target) if target in sums else None
            assert f2.solve(pivots, 4, target) == expected
        assert (f2.solve_all(pivots, 4, range(8)) is None) == (len(set(sums)) < 8)


def test_dependent_columns_are_sums_of_earlier_ones() -> None:
    for columns in MATRICES:
        mask = f2.dependent_columns(columns)
        for i, column in enumerate(columns):
            assert bool(mask >> i & 1) == (column in span(columns[:i]))


def test_bases_of_spans() -> None:
    for columns in MATRICES:
        basis = f2.reduced_basis(columns)
        assert set(span(basis)) == set(span(columns))
        assert len(basis) == f2.rank(columns)
        complement = f2.complement_basis(columns, 3)
        assert len(set(span([*basis, *complement]))) == 8 == 1 << len(basis) + len(complement)


def test_kernel_has_product_zero() -> None:
    for columns in MATRICES:
        kernel = f2.kernel(columns)
        sums = span(columns)
        assert set(span(kernel)) == {x for x in range(16) if sums[x] == 0}
        assert len(kernel) == 4 - f2.rank(columns)


def test_independent_vectors_add_to_the_span() -> None:
    for columns in MATRICES:
        found = f2.independent_of(columns[2:], columns[:2])
        assert f2.rank(columns[:2]) + len(found) == f2.rank(columns)
        assert set(span([*columns[:2], *found])) == set(span(columns))
        assert found == sorted(found, key=columns[2:].index)


def test_inverse() -> None:
    for columns in product(range(8), repeat=3):
        if f2.rank(columns) < 3:
            with pytest.raises(ValueError, match="is singular"):
                f2.inverse(columns)
            continue
        back = f2.inverse(columns)
        assert f2.multiply_all(f2.by_unit(back), columns) == [1, 2, 4]


def test_intersection() -> None:
    random = Random(1)
    for _ in range(2000):
        left = [random.randrange(32) for _ in range(random.randrange(5))]
        right = [random.randrange(32) for _ in range(random.randrange(5))]
        common = f2.intersection(left, right)
        assert set(span(common)) == set(span(left)) & set(span(right))
        assert f2.rank(common) == len(common)


def test_fields_move() -> None:
    moves = [(4, 0xF, 0), (0, 0x3, 4), (2, 0x3, 6), (8, 0x1, 8)]
    for count in range(5):
        for column in (0, 0x1A7, 0x0FF, 0x15B):
            expected = 0
            for old, mask, new in moves[:count]:
                expected |= (column >> old & mask) << new
            assert f2.repack([column, 0], moves[:count]) == [expected, 0]
