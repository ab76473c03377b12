"""Integers as bf16: rounded once, to even where two are as near; against exact arithmetic."""

import ml_dtypes
import numpy
import pytest
from support.on_device import Place
from support.subgroup import Argument, kernel, load, memref, tile, vector

from xetile import api

SHAPE = (8, 32)
DIGITS = 8
"""Binary digits of a number of bf16."""


def rounded(number: int, digits: int) -> float:
    """The nearest number of so many binary digits, of two the even one."""
    size = abs(number)
    dropped = max(0, size.bit_length() - digits)
    kept, rest = size >> dropped, size & ((1 << dropped) - 1)
    if dropped:
        half = 1 << (dropped - 1)
        kept += rest > half or (rest == half and kept & 1)
    return float((kept << dropped) * (-1 if number < 0 else 1))


def near_ties(digits: int) -> list[int]:
    """Ties, and what lies next to them: below 2^24, where f32 holds them, and above."""
    found: list[int] = []
    for bit in range(digits, 32):
        for kept in (1 << digits - 1, (1 << digits - 1) + 1, (1 << digits) - 1):
            tie = (2 * kept + 1) << (bit - digits)
            found += [tie, tie - 1, tie + 1]
    return [number for number in found if number < 2**32]


@pytest.mark.parametrize("cast", ["sitofp", "uitofp"])
def test_integers_are_rounded_once(cast: str, place: Place) -> None:
    numbers = near_ties(DIGITS)
    if cast == "sitofp":
        numbers = [n for n in numbers if n < 2**31]
        numbers = [sign * n for n in numbers for sign in (1, -1)]
    words = numpy.array([n % 2**32 for n in numbers], numpy.uint32)
    given = numpy.resize(words, (-(-len(words) // (8 * 32)) * 8, 32))
    written = numpy.zeros(given.shape, ml_dtypes.bfloat16)
    subgroups = len(given) // SHAPE[0]
    arguments = [
        Argument("A", memref(given.shape, "i32"), given.view(numpy.int32), given),
        Argument("B", memref(given.shape, "bf16"), written, written),
    ]
    t, v = tile(SHAPE, "bf16"), vector(SHAPE, "bf16")
    body = f"""
    %height = arith.constant {SHAPE[0]} : index
    %subgroup = gpu.subgroup_id : index
    %row = arith.muli %subgroup, %height : index
    {load("a", arguments[0], SHAPE, "i32").replace("[0, 0]", "[%row, 0]")}
    %r = arith.{cast} %a : {vector(SHAPE, "i32")} to {v}
    %t = xetile.init_tile %B[%row, 0] : {memref(given.shape, "bf16")} -> {t}
    xetile.store_tile %r, %t : {v}, {t}"""
    module = api.lower(api.parse(kernel(body, arguments, subgroups)), to="xevm", device="bmg")
    place.execute(module, "k", [given.view(numpy.int32), written])
    exact = [rounded(n, DIGITS) for n in numbers]
    expected = numpy.resize(numpy.array(exact), given.shape)
    numpy.testing.assert_array_equal(written.astype(numpy.float64), expected)
