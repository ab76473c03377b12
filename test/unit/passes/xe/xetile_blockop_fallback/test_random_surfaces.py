"""Tiles of random matrices: with gathers and scatters the same bits, and no others are touched, at every level."""

from functools import cache

import pytest
from support.surfaces import random_copy
from support.tiled.case import Case, Given, copies, module_of, same_bits
from support.tiled.launching import compiled

from xetile.api import lower
from xetile.interpreter import execute
from xetile.runtime.launch import Compiled, execute_compiled
from xetile.runtime.open_device import Device
from xetile.targets.target import Assume

COUNT = 16
TOGETHER = 8
"""Kernels of one program that a device builds."""


def assumption(seed: int) -> Assume:
    """Half of the matrices are tested by the kernel, half are not relied on."""
    return "check" if seed // TOGETHER % 2 else "gather"


def wanted(case: Case) -> list[Given]:
    """What is in the buffers behind the kernel as it is written."""
    arrays = copies(case.arrays)
    execute(module_of([case]), case.name, arrays)
    return arrays


@pytest.mark.parametrize("seed", range(COUNT))
def test_the_same_bits(seed: int) -> None:
    case = random_copy(seed)
    lowered = lower(module_of([case]), to="subgroup", device="bmg")
    expected = wanted(case)
    for level in ("blocked", "xegpu", "xevm"):
        lowered = lower(lowered, to=level, device="bmg", assume=assumption(seed))
        found = copies(case.arrays)
        execute(lowered, case.name, found)
        assert same_bits(found, expected), level


@cache
def program(first: int) -> dict[str, Compiled]:
    cases = [random_copy(seed) for seed in range(first, first + TOGETHER)]
    return compiled(cases, "bmg", assumption(first))


@pytest.mark.opencl
@pytest.mark.parametrize("seed", range(COUNT))
def test_the_same_bits_on_the_device(seed: int, opencl_cpu: Device) -> None:
    """Whole buffers are compared, with the guard around the matrices."""
    case, found = random_copy(seed), copies(random_copy(seed).arrays)
    kernel = program(seed - seed % TOGETHER)[case.name]
    execute_compiled(opencl_cpu, kernel, found)
    assert same_bits(found, wanted(case))
