"""How an exchange is cut into bands."""

import pytest

from xetile.passes.tiles.xetile_wg_to_sg.exchanged_units import Bands, cut

Shape = tuple[int, int]


@pytest.mark.parametrize(
    ("units", "limit", "expected"),
    [
        (((32, 64), (8, 256)), 1 << 18, Bands(0, 256, 1)),  # all of it fits
        (
            ((32, 64), (8, 256)),
            1 << 16,
            Bands(0, 64, 4),
        ),  # rows: 64 are whole units of both sides
        (
            ((32, 64), (256, 8)),
            1 << 16,
            Bands(1, 64, 4),
        ),  # columns, because rows cannot be cut
        (((32, 64), (8, 256)), 100, Bands(0, 32, 8)),  # none is so small
        (((256, 8), (8, 256)), 1 << 16, Bands(0, 256, 1)),  # nothing can be cut
        (((32, 32), (64, 64)), (1 << 17) + 1, Bands(0, 128, 2)),
    ],
)
def test_the_fewest_bands_that_fit(
    units: tuple[Shape, Shape], limit: int, expected: Bands
) -> None:
    assert cut((256, 256), units, 4, limit) == expected


def test_bands_hold_whole_units_of_both_sides() -> None:
    assert cut((48, 72), ((4, 72), (6, 24)), 2, 12 * 72 * 2) == Bands(0, 12, 4)
    assert cut((48, 72), ((4, 72), (6, 24)), 2, 13 * 72 * 2) == Bands(0, 12, 4)
    assert cut((48, 72), ((48, 9), (48, 6)), 2, 40 * 48 * 2) == Bands(1, 36, 2)
