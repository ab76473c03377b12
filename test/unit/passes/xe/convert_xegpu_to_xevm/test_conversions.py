"""Registers brought into another layout at lane level, executed."""

from random import Random

import numpy as np
import pytest
from support.conversions import Conversion
from support.layouts import random_layout
from support.on_device import ON_NUMPY, Place
from xdsl.dialects.builtin import IntegerType, bf16, f16, f32, f64
from xdsl.ir import Attribute

from xetile.runtime.open_device import Device

TYPES: tuple[tuple[Attribute, int], ...] = (
    (IntegerType(1), 8),
    (IntegerType(8), 8),
    (f16, 16),
    (bf16, 16),
    (f32, 32),
    (IntegerType(32), 32),
    (f64, 64),
    (IntegerType(64), 64),
)


def check(conversion: Conversion, place: Place) -> None:
    before, after, expected = conversion.arrays()
    place.execute(conversion.module, "convert", [before, after], grid=(1, 1, 1))
    np.testing.assert_array_equal(after, expected)


SEEDS = range(60)
ON_DEVICE = SEEDS[::3]
"""Each is a program that the device builds."""


def conversion(seed: int) -> Conversion:
    random = Random(seed)
    bits = random.randint(0, 7)
    element, width = random.choice(TYPES)
    source, target = (random_layout(random, bits) for _ in range(2))
    return Conversion(source, target, element, width)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_layouts(seed: int) -> None:
    check(conversion(seed), ON_NUMPY)


@pytest.mark.opencl
@pytest.mark.parametrize("seed", ON_DEVICE)
def test_random_layouts_on_a_device(seed: int, opencl_cpu: Device) -> None:
    check(conversion(seed), Place(opencl_cpu))
