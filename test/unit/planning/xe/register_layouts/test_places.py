"""Places and possible bits against computing the numbers."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy
import pytest

from xetile.analysis.ranges import infer_ranges
from xetile.dialects.modules import parse
from xetile.planning.xe.register_layouts.element_places import PlaceAnalysis
from xetile.planning.xe.register_layouts.places import Places, times

Array = numpy.ndarray[Any, numpy.dtype[numpy.int64]]

ROWS, COLUMNS = numpy.indices((4, 4))
SCALARS = {"n": 24, "x": 2, "y": 5}
"""Numbers that the scalars of the programs may be."""


@pytest.mark.parametrize("factor", range(-6, 8))
@pytest.mark.parametrize("mask", [*range(12), -1, -2, -4, -8])
def test_the_bits_of_a_product_hold_every_product(mask: int, factor: int) -> None:
    found = times(mask, factor)
    numbers = [number for number in range(-32, 32) if number & ~mask == 0]
    for number in numbers:
        assert number * factor & ~found == 0, number
    if mask >= 0 and factor >= 0:
        bits = mask.bit_length() + factor.bit_length()
        assert 0 <= found < 1 << bits


def test_the_bits_of_a_product_are_none_below_the_lowest() -> None:
    assert times(0b1100, 3) == 0b111100
    assert times(0b1100, 4) == 0b110000
    assert times(0b1100, -6) == -8
    assert times(-4, 6) == -8


class Found:
    """The places of %o of a program, and the values of its scalars."""

    def __init__(self, body: str) -> None:
        module = parse(f"""func.func @f(%n: index) {{
        %x = gpu.block_id x upper_bound 3
        %y = gpu.block_id y upper_bound 7
        %s = vector.step : vector<4xindex>
        %c = vector.broadcast %s : vector<4xindex> to vector<4x4xindex>
        %r = vector.transpose %c, [1, 0] : vector<4x4xindex> to vector<4x4xindex>
        %c2 = arith.constant dense<2> : vector<4x4xindex>
        %c3 = arith.constant dense<3> : vector<4x4xindex>
        %c4 = arith.constant dense<4> : vector<4x4xindex>
        %c50 = arith.constant dense<50> : vector<4x4xindex>
        %ns = vector.broadcast %n : index to vector<4x4xindex>
        %xs = vector.broadcast %x : index to vector<4x4xindex>
        %ys = vector.broadcast %y : index to vector<4x4xindex>
        {body}
        return }}""")
        (function,) = module.body.block.ops
        block = function.regions[0].block
        made = [r for op in block.ops for r in op.results]
        values = {value.name_hint: value for value in (*block.args, *made)}
        self.scalars = {values[name]: number for name, number in SCALARS.items()}
        self.analysis = PlaceAnalysis(infer_ranges(function))
        self.places: Places = self.analysis.places(values["o"])

    def numbers(self) -> Array:
        """What the places say the elements are."""
        width = self.places.width
        assert self.places.unknown is None
        found: list[int] = []
        for at in range(1 << width):
            bits = [bit for bit in range(width) if at >> bit & 1]
            total = 0
            for factors, (number, weights) in self.places.terms.items():
                total += self.of(factors) * (number + sum(weights[bit] for bit in bits))
            if (swizzle := self.places.swizzle) is not None:
                mixed = sum(self.of(factors) * count for factors, count in swizzle.uniform)
                mixed ^= swizzle.number
                for bit in bits:
                    mixed ^= swizzle.columns[bit]
                total += mixed
            found.append(total)
        # the first dimension's bits are the lowest of a layout's coordinates
        return numpy.array(found).reshape((4, 4) if width == 4 else -1).T

    def of(self, factors: Any) -> int:
        return int(numpy.prod([self.scalars[value] for value in factors], dtype=int))


V = "vector<4x4xindex>"
SWIZZLED = f"""%h = arith.muli %r, %c4 : {V}
  %t = arith.addi %h, %c : {V}
  %m = arith.xori %t, %r : {V}
  """
MIXED = (4 * ROWS + COLUMNS) ^ ROWS

EXACT: dict[str, tuple[str, Array]] = {
    "swizzle": (SWIZZLED + f"%o = arith.xori %m, %ns : {V}", MIXED ^ 24),
    "swizzle, transposed": (
        SWIZZLED + f"%o = vector.transpose %m, [1, 0] : {V} to {V}",
        MIXED.T,
    ),
    "swizzle of a scalar, transposed": (
        SWIZZLED
        + f"%w = arith.xori %m, %ns : {V}\n%o = vector.transpose %w, [1, 0] : {V} to {V}",
        (MIXED ^ 24).T,
    ),
    "swizzle, four times": (SWIZZLED + f"%o = arith.muli %m, %c4 : {V}", 4 * MIXED),
    "swizzle and a row's start": (
        SWIZZLED + f"%u = arith.muli %xs, %c : {V}\n%o = arith.addi %m, %u : {V}",
        MIXED + 2 * COLUMNS,
    ),
    "a pitch": (
        f"%u = arith.muli %r, %ns : {V}\n%o = arith.subi %u, %c : {V}",
        24 * ROWS - COLUMNS,
    ),
    "two scalars": (
        f"%u = arith.muli %xs, %ys : {V}\n%w = arith.muli %u, %r : {V}\n"
        f"%o = arith.addi %w, %xs : {V}",
        10 * ROWS + 2,
    ),
    "what has bits of its own": (
        f"%u = arith.shli %r, %c2 : {V}\n%o = arith.ori %u, %c : {V}",
        4 * ROWS | COLUMNS,
    ),
    "bits above a scalar's": (
        f"%h = arith.muli %r, %c4 : {V}\n%u = arith.muli %h, %c2 : {V}\n%o = arith.ori %u, %xs : {V}",
        8 * ROWS | 2,
    ),
}


@pytest.mark.parametrize("name", EXACT)
def test_places_say_where_the_elements_are(name: str) -> None:
    body, expected = EXACT[name]
    numpy.testing.assert_array_equal(Found(body).numbers(), expected)


@pytest.mark.parametrize(
    "body, unknown",
    [
        # bit 1 is of both
        (f"%u = arith.muli %r, %c2 : {V}\n%o = arith.ori %u, %c : {V}", 0b1111),
        (f"%o = arith.ori %r, %c3 : {V}", 0b0011),
        (f"%o = arith.ori %c, %xs : {V}", 0b1100),
        # no rule
        (f"%o = arith.divui %r, %c3 : {V}", 0b0011),
        (f"%o = arith.divui %c, %c3 : {V}", 0b1100),
        (f"%o = arith.divui %ns, %c3 : {V}", 0),
        # products of two coordinates
        (f"%o = arith.muli %r, %c : {V}", 0b1111),
    ],
)
def test_what_is_no_sum_is_unknown_where_it_depends(body: str, unknown: int) -> None:
    found = Found(body).places
    assert (found.unknown, found.swizzle, dict(found.terms)) == (unknown, None, {})


SUMMANDS = ("%n", "%x", "%y", "%nx", "%ny", "%xy", "%nxy")


@pytest.mark.parametrize("count", range(1, 8))
def test_sums_of_up_to_six_products_are_kept(count: int) -> None:
    """Of a longer one, only what it depends on."""
    products = """%nx = arith.muli %n, %x : index
      %ny = arith.muli %n, %y : index
      %xy = arith.muli %x, %y : index
      %nxy = arith.muli %nx, %y : index
      """
    sums = "\n".join(
        f"%b{number} = vector.broadcast {summand} : index to {V}\n"
        f"%o{number + 1} = arith.addi %o{number}, %b{number} : {V}"
        for number, summand in enumerate(SUMMANDS[:count])
    )
    text = products + sums.replace("%o0", "%b0", 1)
    found = Found(text.replace(f"%o{count} ", "%o "))
    if count > 6:
        assert (dict(found.places.terms), found.places.unknown) == ({}, 0)
    else:
        assert len(found.places.terms) == count


TO_I8 = "arith.index_cast %q : vector<4x4xindex> to vector<4x4xi8>"
CASTS: dict[str, tuple[str, Callable[[], Array] | None]] = {
    "least": (f"%u = arith.muli %c50, %c : {V}\n%q = arith.subi %c3, %u : {V}", None),
    "below 0": (
        f"%u = arith.muli %c50, %c : {V}\n%q = arith.subi %c50, %u : {V}",
        lambda: 50 - 50 * COLUMNS,
    ),
    "most": (f"%u = arith.muli %c50, %r : {V}\n%q = arith.addi %c3, %u : {V}", None),
    "both signs": (
        f"%u = arith.subi %r, %c : {V}\n%w = arith.muli %c2, %u : {V}\n%q = arith.addi %w, %c50 : {V}",
        lambda: 2 * (ROWS - COLUMNS) + 50,
    ),
    "few of a scalar": (
        f"%q = arith.muli %c50, %xs : {V}",
        lambda: numpy.full((4, 4), 100),
    ),
    "many of a scalar": (f"%q = arith.muli %c50, %ys : {V}", None),
    "below by a scalar": (
        f"%u = arith.muli %c50, %ys : {V}\n%q = arith.subi %c3, %u : {V}",
        None,
    ),
    "a scalar times a column": (
        f"%u = arith.muli %ys, %c50 : {V}\n%q = arith.muli %u, %c : {V}",
        None,
    ),
    "no range": (f"%q = arith.addi %c, %ns : {V}", None),
    "swizzle": (SWIZZLED + f"%q = arith.xori %m, %ns : {V}", None),
    "unknown": (f"%q = arith.divui %c, %c3 : {V}", None),
}


@pytest.mark.parametrize("name", CASTS)
def test_casts_keep_what_fits(name: str) -> None:
    body, expected = CASTS[name]
    found = Found(
        f"{body}\n%i = {TO_I8}\n%o = arith.index_cast %i : vector<4x4xi8> to vector<4x4xindex>"
    )
    if expected is None:
        assert found.places.unknown is not None
        assert not found.places.terms
    else:
        numpy.testing.assert_array_equal(found.numbers(), expected())


def test_an_interval_holds_every_number_and_no_more() -> None:
    for row, column in product((-3, 0, 2), (-5, 1, 4)):
        found = Found(f"""%a = arith.constant dense<{row}> : {V}
          %b = arith.constant dense<{column}> : {V}
          %u = arith.muli %r, %a : {V}
          %w = arith.muli %c, %b : {V}
          %o = arith.addi %u, %w : {V}""")
        numbers = row * ROWS + column * COLUMNS
        assert found.analysis.interval(found.places) == (numbers.min(), numbers.max())


@pytest.mark.parametrize(
    ("body", "number"),
    [
        (f"%o = arith.muli %c3, %c4 : {V}", 12),
        (f"%o = arith.subi %c3, %c3 : {V}", 0),
        (f"%o = arith.subi %xs, %xs : {V}", 0),
        (f"%o = arith.addi %c3, %c : {V}", None),
        (f"%o = arith.addi %c3, %xs : {V}", None),
        (f"%o = arith.divui %ns, %c3 : {V}", None),
        (SWIZZLED + f"%o = arith.xori %m, %c4 : {V}", None),
    ],
)
def test_the_number_that_all_elements_are(body: str, number: int | None) -> None:
    assert Found(body).places.number == number
