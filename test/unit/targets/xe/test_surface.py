"""The rules of 2D surfaces."""

import pytest

from xetile.targets.xe.surface import SURFACE


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"width": 60}, "rows of 60 bytes"),
        ({"width": 1}, "rows of 1 byte; "),
        ({"width": 66}, "a multiple of 4"),
        ({"pitch": 72}, "a multiple of 16"),
        ({"width": 128, "pitch": 64}, "under rows of 128"),
        ({"base": 32}, "a multiple of 64"),
        ({"column": 2}, "a multiple of 4"),
        ({"height": (1 << 24) + 1}, "reaches at most"),
        ({"height": 0}, "a height of 0"),
    ],
)
def test_surfaces_that_2d_access_cannot_reach(values: dict[str, int], word: str) -> None:
    problem = SURFACE.problem(**values)
    assert problem is not None
    assert word in problem


def test_surfaces_that_it_reaches() -> None:
    assert SURFACE.problem(base=128, width=64, height=1, pitch=64, column=-4) is None
