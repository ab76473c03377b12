"""Random programs compute the same bits at every level and on a device; those that are refused are so in words."""

from collections.abc import Sequence
from functools import cache

import pytest

from tools.programs.drawing import draw
from tools.programs.judging import Judged, judged, on_device
from xetile.errors import collected_remarks
from xetile.runtime.open_device import Device

SEED = 11
BATCHES = tuple(range(2))
TOGETHER = 25
AT_LEAST = 25
"""Of a batch reach SPIR-V: all."""


@cache
def batch(number: int) -> Sequence[Judged]:
    with collected_remarks():
        numbers = range(number * TOGETHER, (number + 1) * TOGETHER)
        return [judged(draw(SEED, n), "bmg") for n in numbers]


def wrong(found: Sequence[Judged]) -> list[str]:
    return [
        f"{one.program.name} at {one.level}: {one.detail}"
        for one in found
        if one.verdict == "differs"
    ]


@pytest.mark.parametrize("number", BATCHES)
def test_every_level_computes_the_same(number: int) -> None:
    found = batch(number)
    assert not wrong(found)
    assert sum(one.verdict == "equal" for one in found) >= AT_LEAST
    assert all("\n" not in one.detail for one in found)


@pytest.mark.opencl
@pytest.mark.parametrize("number", BATCHES)
def test_a_device_computes_the_same(number: int, opencl_cpu: Device) -> None:
    equal = [one for one in batch(number) if one.verdict == "equal"]
    assert not wrong(on_device(equal, "bmg", opencl_cpu))


def test_a_number_names_a_program() -> None:
    first, again, other = (draw(SEED, n) for n in (3, 3, 4))
    assert first.text == again.text != other.text


@pytest.mark.opencl
def test_a_difference_is_found(opencl_cpu: Device) -> None:
    """Results that nobody computes."""
    equal = next(one for one in batch(0) if one.verdict == "equal")
    others = [given if isinstance(given, int) else 0 * given for given in equal.results]
    assert wrong(on_device([equal._replace(results=others)], "bmg", opencl_cpu))
