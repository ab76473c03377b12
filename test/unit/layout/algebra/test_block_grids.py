"""Distribution: the arithmetic of offsets, owners and local units agrees with dealing units out one by one."""

from itertools import product

import pytest

from xetile.layout.algebra.block_grids import (
    Distribution,
    Term,
    block_offsets,
    containing_block,
    power_of_two_part,
)
from xetile.layout.algebra.linear_layout import LayoutError

ROW_MAJOR, COLUMN_MAJOR = (1, 0), (0, 1)
SMALL = [
    Distribution((units0 * 8, units1 * 4), (8, 4), (grid0, grid1), order)
    for units0, units1, grid0, grid1, order in product(
        (1, 2, 3, 4, 6), (1, 2, 4), (1, 2, 3, 6), (1, 2, 4), (ROW_MAJOR, COLUMN_MAJOR)
    )
    if order == ROW_MAJOR or min(grid0, grid1) > 1
    if (units0 % grid0 == 0 or grid0 % units0 == 0)
    and (units1 % grid1 == 0 or grid1 % units1 == 0)
]


def dealt(distribution: Distribution) -> dict[int, set[tuple[int, ...]]]:
    """Who holds which unit, by the rule's own words instead of by arithmetic on ids."""
    held: dict[int, set[tuple[int, ...]]] = {}
    slow_first = [range(distribution.grid[d]) for d in reversed(distribution.order)]
    for subgroup, numbers in enumerate(product(*slow_first)):
        along = dict(zip(reversed(distribution.order), numbers, strict=True))
        coordinates = [along[d] for d in range(distribution.rank)]
        choices: list[list[int]] = []
        for d, c in enumerate(coordinates):
            units = distribution.units(d)
            if units < distribution.grid[d]:
                choices.append([c % units])
            else:
                choices.append([u for u in range(units) if u % distribution.grid[d] == c])
        held[subgroup] = set(product(*choices))
    return held


def held_units(distribution: Distribution, subgroup: int) -> list[tuple[int, ...]]:
    """The coordinates (in units) of a subgroup's local units."""
    return [
        tuple(start // extent for start, extent in zip(offset, distribution.unit, strict=True))
        for offset in distribution.offsets(subgroup)
    ]


@pytest.mark.parametrize("distribution", SMALL, ids=repr)
def test_offsets_and_owners_deal_out_the_units(distribution: Distribution) -> None:
    held = dealt(distribution)
    for subgroup, units in held.items():
        offsets = distribution.offsets(subgroup)
        assert len(offsets) == len(set(offsets)) == distribution.local_units
        assert offsets == sorted(offsets)
        assert held_units(distribution, subgroup) == sorted(units)
    all_units = product(*(range(distribution.units(d)) for d in range(distribution.rank)))
    shared = False
    for unit in all_units:
        owners = distribution.owners(unit)
        assert owners == [subgroup for subgroup, units in held.items() if unit in units]
        shared = shared or len(owners) > 1
    assert distribution.is_shared == shared


@pytest.mark.parametrize("distribution", SMALL, ids=repr)
def test_one_owner_of_every_unit_comes_first(distribution: Distribution) -> None:
    pairs = distribution.first_owner_terms()
    first = [
        subgroup
        for subgroup in range(distribution.subgroups)
        if all(term.offset(subgroup) < bound for term, bound in pairs)
    ]
    all_units = product(*(range(distribution.units(d)) for d in range(distribution.rank)))
    assert first == sorted({distribution.owners(unit)[0] for unit in all_units})
    assert bool(pairs) == distribution.is_shared


@pytest.mark.parametrize("distribution", SMALL, ids=repr)
def test_a_whole_term_needs_no_modulus(distribution: Distribution) -> None:
    for round_ in distribution.round_coordinates:
        for term in distribution.offset_terms(round_):
            unneeded = all(
                subgroup // term.divisor % term.modulus == subgroup // term.divisor
                for subgroup in range(distribution.subgroups)
            )
            assert term.whole == unneeded


def test_the_gemm_maps() -> None:
    a = Distribution((256, 32), (32, 32), (8, 4))
    assert a.local_units == 1
    assert a.is_shared
    assert a.offset_terms((0, 0)) == (Term(4, 8, 32, 0, True), Term(1, 1, 32, 0, False))
    assert a.owners((1, 0)) == [4, 5, 6, 7]
    c = Distribution((256, 256), (32, 64), (8, 4))
    assert c.local_units == 1
    assert not c.is_shared
    assert c.offsets(6) == [(32, 128)]
    prefetch = Distribution((256, 32), (8, 32), (32, 1))
    assert prefetch.offset_terms((0, 0))[0] == Term(1, 32, 8, 0, True)


def test_rounds_are_rows_outer_and_columns_inner() -> None:
    distribution = Distribution((64, 96), (16, 16), (2, 3))
    assert distribution.round_coordinates == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert distribution.offsets(4) == [(16, 16), (16, 64), (48, 16), (48, 64)]


def test_powers_of_two_are_linear_layouts() -> None:
    for distribution in SMALL:
        if any(
            n & (n - 1)
            for d in range(2)
            for n in (distribution.units(d), distribution.grid[d])
        ):
            continue
        layout = distribution.to_linear_layout()
        elements = distribution.unit[0] * distribution.unit[1]
        for subgroup in range(distribution.subgroups):
            for index, offset in enumerate(distribution.offsets(subgroup)):
                at = layout.apply({"register": index * elements, "warp": subgroup})
                assert (at["dim0"], at["dim1"]) == offset
                last = layout.apply({"register": (index + 1) * elements - 1, "warp": subgroup})
                assert last["dim0"] == offset[0] + distribution.unit[0] - 1
                assert last["dim1"] == offset[1] + distribution.unit[1] - 1


@pytest.mark.parametrize("distribution", SMALL, ids=repr)
def test_a_transposed_distribution_stays_in_its_subgroups(distribution: Distribution) -> None:
    turned = distribution.transposed()
    assert turned.transposed() == distribution
    for subgroup in range(distribution.subgroups):
        held = {unit[::-1] for unit in held_units(distribution, subgroup)}
        assert set(held_units(turned, subgroup)) == held


def test_the_order_of_subgroups_matters_where_two_dimensions_have_several() -> None:
    """RFC 2.3 by another way: what a subgroup needs for 8 x 4 units of the product is column-major over 4 x 8."""
    b = Distribution((32, 256), (32, 64), (8, 4))
    assert repr(b.transposed()) == (
        "Distribution(shape=(256, 32), unit=(64, 32), grid=(4, 8), order=(0, 1))"
    )
    assert b.transposed().offsets(6) == [(128, 0)]
    assert b.transposed() != Distribution((256, 32), (64, 32), (4, 8))
    line = Distribution((32, 32), (8, 32), (4, 1))
    assert line == Distribution((32, 32), (8, 32), (4, 1), (0, 1))
    with pytest.raises(LayoutError, match=r"order \[1, 1\] is no permutation of \[0, 1\]"):
        Distribution((32, 32), (8, 32), (4, 1), (1, 1))


def test_a_factor_of_three_is_no_linear_layout() -> None:
    with pytest.raises(LayoutError, match=r"shape \[16, 48\] is no linear layout"):
        Distribution((16, 48), (8, 16), (1, 3)).to_linear_layout()


@pytest.mark.parametrize(
    "shape, unit, grid, message",
    [
        ((256, 30), (32, 32), (8, 4), r"extent 30 of dimension 1 is not a multiple of sg_data 32; legal are the divisors of 30"),
        ((96, 32), (32, 32), (2, 1), r"extent 96 of dimension 0 has 3 units of sg_data 32 for 2 subgroups; .* 1, 2, 3, 4, 6, 8, 12, 16, 24, 48, 96$"),
        ((96, 32), (8, 32), (5, 1), r"12 units of sg_data 8 for 5 subgroups; .* may be 96$"),
        ((12, 32), (4, 32), (2, 1), r"3 units of sg_data 4 for 2 subgroups; .* may be 1, 2, 3, 6, 12$"),
        ((1 << 16, 1), (1 << 13, 1), (3, 1), r"8 units of sg_data 8192 for 3 subgroups; .* may be 65536$"),
        ((100_000, 1), (50_000, 1), (3, 1), r"may be a divisor of 100000 with 3 units, or a multiple or divisor of that many$"),
        ((32,), (32, 32), (2, 1), r"differ in rank"),
        ((32, 0), (32, 32), (2, 1), r"shape \[32, 0\] must have positive entries only"),
        ((32, 32), (32, -1), (2, 1), r"sg_data \[32, -1\] must have positive entries only"),
        ((32, 32), (32, 32), (0, 1), r"sg_layout \[0, 1\] must have positive entries only"),
    ],
)  # fmt: skip
def test_uneven_distributions_are_refused(
    shape: tuple[int, ...], unit: tuple[int, ...], grid: tuple[int, ...], message: str
) -> None:
    with pytest.raises(LayoutError, match=message):
        Distribution(shape, unit, grid)


def test_what_is_not_there_is_refused() -> None:
    distribution = Distribution((64, 64), (32, 32), (2, 2))
    with pytest.raises(LayoutError, match="subgroup 4 does not exist"):
        distribution.offsets(4)
    with pytest.raises(LayoutError, match=r"unit \[2, 0\] does not exist"):
        distribution.owners((2, 0))
    with pytest.raises(LayoutError, match=r"round \[1, 0\] does not exist"):
        distribution.offset_terms((1, 0))


def test_equal_distributions_are_one_key() -> None:
    first = Distribution((64, 64), (32, 32), (2, 2))
    assert {first: 1}[Distribution([64, 64], [32, 32], [2, 2])] == 1
    assert first != Distribution((64, 64), (32, 16), (2, 2))


@pytest.mark.parametrize(
    "extent, limit, part",
    [(24, 16, 8), (32, 16, 16), (32, 20, 16), (7, 64, 1), (64, 64, 64), (96, 1, 1)],
)
def test_power_of_two_part(extent: int, limit: int, part: int) -> None:
    assert power_of_two_part(extent, limit) == part


def test_blocks_of_a_grid() -> None:
    assert block_offsets((32, 32), (16, 16)) == [(0, 0), (0, 16), (16, 0), (16, 16)]
    with pytest.raises(LayoutError, match=r"block \[16, 5\] does not divide \[32, 32\]"):
        block_offsets((32, 32), (16, 5))


def test_containing_block_keeps_the_element() -> None:
    source, target = (32, 16), (8, 16)
    for i, j in product(range(8), range(4)):
        block, offset = containing_block(source, target, i, j)
        assert tuple(b * s + o for b, s, o in zip(block, source, offset, strict=True)) == (
            i * 8,
            j * 16,
        )
        assert all(o + t <= s for o, t, s in zip(offset, target, source, strict=True))
    with pytest.raises(LayoutError, match=r"block \[12, 16\] does not divide \[32, 16\]"):
        containing_block(source, (12, 16), 0, 0)
