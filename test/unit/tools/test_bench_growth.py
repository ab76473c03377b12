"""Compiling four times as many ops takes four times as long, counted in calls, which no machine changes."""

import pytest

from tools.bench_growth import FACTOR, FAMILIES, calls

MOST = 1.125 * FACTOR
FEW = 24


@pytest.mark.parametrize("family", FAMILIES)
def test_calls_grow_with_the_number_of_ops(family: str) -> None:
    make, _ = FAMILIES[family]
    few, many = (calls(make(count)) for count in (FEW, FACTOR * FEW))
    assert FACTOR / 2 < many / few <= MOST
