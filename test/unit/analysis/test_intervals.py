"""Interval arithmetic against every pair of small numbers: what an op can give lies in its interval."""

from collections.abc import Callable, Mapping
from itertools import combinations_with_replacement, product

import pytest

from xetile.analysis.ranges import OPERATIONS

SMALL = list(combinations_with_replacement(range(-3, 5), 2))
NATURAL = [bounds for bounds in SMALL if bounds[0] >= 0]

EXACT: Mapping[str, Callable[[int, int], int]] = {
    "arith.addi": lambda x, y: x + y,
    "arith.subi": lambda x, y: x - y,
    "arith.muli": lambda x, y: x * y,
    "arith.minsi": min,
    "arith.maxsi": max,
}
"""Ops whose interval is the smallest one."""

SAFE: Mapping[str, Callable[[int, int], int]] = {
    "arith.divui": lambda x, y: x // y,
    "arith.remui": lambda x, y: x % y,
    "arith.ceildivui": lambda x, y: -(-x // y),
    "arith.andi": lambda x, y: x & y,
    "arith.ori": lambda x, y: x | y,
    "arith.xori": lambda x, y: x ^ y,
    "arith.shli": lambda x, y: x << y,
    "arith.shrui": lambda x, y: x >> y,
}


@pytest.mark.parametrize("name", EXACT)
def test_the_smallest_interval(name: str) -> None:
    for a, b in product(SMALL, SMALL):
        values = [
            EXACT[name](x, y) for x, y in product(range(a[0], a[1] + 1), range(b[0], b[1] + 1))
        ]
        assert OPERATIONS[name](a, b) == (min(values), max(values))


@pytest.mark.parametrize("name", SAFE)
def test_results_of_naturals_lie_inside(name: str) -> None:
    for a, b in product(NATURAL, NATURAL):
        divisor = max(1, b[0]) if "div" in name or "rem" in name else b[0]
        found = OPERATIONS[name](a, b)
        assert found is not None
        for x, y in product(range(a[0], a[1] + 1), range(divisor, b[1] + 1)):
            assert found[0] <= SAFE[name](x, y) <= found[1]


def test_operands_that_may_be_negative_say_nothing_of_unsigned_ops() -> None:
    for name in ("arith.divui", "arith.remui", "arith.minui", "arith.shrui"):
        assert OPERATIONS[name]((-1, 4), (1, 2)) is None
    assert OPERATIONS["arith.extui"]((-1, 4)) is None
