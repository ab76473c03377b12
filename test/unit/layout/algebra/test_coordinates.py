"""Layouts applied to whole arrays of coordinates."""

from typing import cast

import numpy as np
import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

identity = LinearLayout.identity_1d


TWO = LinearLayout.from_bases(
    {"lane": [(0, 1), (0, 2)], "register": [(1, 0), (2, 8), (0, 4)]},
    {"dim0": 4, "dim1": 16},
    require_surjective=False,
)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"]
)
def test_apply_to_arrays(dtype: str) -> None:
    lane = np.arange(4, dtype=dtype)[:, None]
    register = np.arange(8, dtype=dtype)[None, :]
    images = TWO.apply({"lane": lane, "register": register})
    for l in range(4):
        for r in range(8):
            point = TWO.apply({"lane": l, "register": r})
            assert {name: int(values[l, r]) for name, values in images.items()} == point
    assert {values.dtype for values in images.values()} == {np.dtype("int64")}


def test_apply_to_arrays_of_a_large_layout() -> None:
    large = identity(1 << 20, "register", "dim0") * identity(1 << 20, "lane", "dim1")
    points = np.array([0, 1, 77_777, (1 << 20) - 1, -1])
    images = large.apply({"register": points, "lane": points})
    assert images["dim0"].tolist() == [0, 1, 77_777, (1 << 20) - 1, (1 << 20) - 1]
    assert images["dim1"].tolist() == images["dim0"].tolist()


def test_the_wider_side_decides_how_wide_the_arithmetic_is() -> None:
    """More bits on one side than the other: neither the highest coordinate nor the highest image is cut."""
    narrowing = LinearLayout.zeros_1d(1 << 39, "lane", "dim0") * identity(2, "lane", "dim0")
    assert narrowing.apply({"lane": np.array([1 << 39, 1])})["dim0"].tolist() == [1, 0]
    widening = LinearLayout.from_bases(
        {"lane": [(1 << 39,)]}, {"dim0": 1 << 40}, require_surjective=False
    )
    assert widening.apply({"lane": np.array([1, 0])})["dim0"].tolist() == [1 << 39, 0]


def test_apply_to_an_array_and_an_integer_gives_arrays() -> None:
    images = TWO.apply({"lane": np.arange(4), "register": 2})
    assert np.array_equal(images["dim0"], [2, 2, 2, 2])
    assert np.array_equal(images["dim1"], [8, 9, 10, 11])
    unmoved = LinearLayout.zeros_1d(8, "lane", "dim0", 2).apply({"lane": np.arange(3)})
    assert unmoved["dim0"].tolist() == [0, 0, 0]
    with pytest.raises(
        LayoutError, match="coordinates of in-dim 'lane' must be integers, got float64"
    ):
        TWO.apply({"lane": np.zeros(2), "register": np.zeros(2)})


def test_arrays_of_64_bit_dimensions() -> None:
    wide = identity(1 << 63, "r", "x")
    assert wide.apply({"r": np.array([-1])})["x"].tolist() == [(1 << 63) - 1]
    two = identity(4, "r", "x") * identity(4, "l", "y")
    assert two.apply({"r": np.array([1]), "l": cast("np.ndarray", 1 << 70 | 2)})[
        "y"
    ].tolist() == [2]
    with pytest.raises(
        LayoutError, match="dimension 'r' of size 18446744073709551616 does not fit"
    ):
        identity(1 << 64, "r", "x").apply({"r": np.array([1])})


def test_apply_to_many_points() -> None:
    """More points than are worked on at a time, in two dimensions, held against the integers."""
    points = np.arange(60_000, dtype=np.int64).reshape(3, 20_000)
    images = TWO.apply({"lane": points >> 3, "register": points})
    assert images["dim0"].shape == (3, 20_000)
    for at in ((0, 0), (0, 16_384), (1, 77), (2, 19_999)):
        point = TWO.apply({"lane": int(points[at]) >> 3, "register": int(points[at])})
        assert {name: int(values[at]) for name, values in images.items()} == point
    empty = TWO.apply({"lane": points[:0], "register": points[:0]})
    assert empty["dim1"].shape == (0, 20_000)
