"""Pieces of own units put together make the units of another distribution, in every subgroup."""

from itertools import product

import pytest

from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.algebra.own_pieces import Piece, own_pieces

Element = tuple[int, ...]
SHAPE = (24, 16)


def distributions(subgroups: int) -> list[Distribution]:
    """All of a small shape."""
    units = [
        [unit for unit in range(4, extent + 1, 4) if extent % unit == 0] for extent in SHAPE
    ]
    grids = [(n, subgroups // n) for n in range(1, subgroups + 1) if subgroups % n == 0]
    return [
        Distribution(SHAPE, unit, grid, order)
        for unit in product(*units)
        for grid in grids
        for order in ((1, 0), (0, 1))
        if order == (1, 0) or min(grid) > 1
        if all(
            (n // u) % g == 0 or g % (n // u) == 0
            for n, u, g in zip(SHAPE, unit, grid, strict=True)
        )
    ]


def box(start: Element, sizes: Element) -> list[Element]:
    return list(product(*(range(s, s + n) for s, n in zip(start, sizes, strict=True))))


def contents(distribution: Distribution, subgroup: int) -> list[list[Element]]:
    """The elements of each local unit, row-major."""
    return [box(start, distribution.unit) for start in distribution.offsets(subgroup)]


def at(unit: list[Element], distribution: Distribution, place: Element) -> Element:
    row, column = place
    return unit[row * distribution.unit[1] + column]


@pytest.mark.parametrize("subgroups", [1, 2, 4, 6])
def test_pieces_make_the_new_units_or_some_subgroup_lacks_something(subgroups: int) -> None:
    found = lacking = differing = 0
    for source, target in product(distributions(subgroups), repeat=2):
        pieces = own_pieces(source, target)
        if pieces is None:
            complete = all(
                {e for unit in contents(target, s) for e in unit}
                <= {e for unit in contents(source, s) for e in unit}
                for s in range(subgroups)
            )
            lacking += not complete
            differing += complete
            continue
        found += 1
        for subgroup in range(subgroups):
            old = contents(source, subgroup)
            for unit, parts in zip(contents(target, subgroup), pieces, strict=True):
                made: dict[Element, Element] = {}
                for piece in parts:
                    pairs = zip(
                        box(piece.place, piece.sizes),
                        box(piece.start, piece.sizes),
                        strict=True,
                    )
                    made |= {to: at(old[piece.source], source, from_) for to, from_ in pairs}
                assert [made[place] for place in box((0, 0), target.unit)] == unit
    assert found
    assert lacking or subgroups == 1
    if subgroups == 1:
        assert not differing


def test_a_unit_in_one_piece_a_smaller_one_and_a_larger_one() -> None:
    whole = Distribution((32, 32), (16, 32), (2, 1))
    halves = Distribution((32, 32), (16, 16), (2, 1))
    assert own_pieces(whole, whole) == ((Piece(0, (0, 0), (16, 32), (0, 0)),),)
    assert own_pieces(whole, halves) == (
        (Piece(0, (0, 0), (16, 16), (0, 0)),),
        (Piece(0, (0, 16), (16, 16), (0, 0)),),
    )
    assert own_pieces(halves, whole) == (
        (Piece(0, (0, 0), (16, 16), (0, 0)), Piece(1, (0, 0), (16, 16), (0, 16))),
    )
    assert own_pieces(whole, Distribution((32, 32), (32, 16), (1, 2))) is None
