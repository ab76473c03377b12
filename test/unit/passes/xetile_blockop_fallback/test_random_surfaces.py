"""Tiles of random matrices: with gathers and scatters the same bits, and no others are touched."""

import pytest
from support.surfaces import random_copy
from support.tiled.case import copies, module_of, same_bits

from xetile.api import lower
from xetile.interpreter import execute
from xetile.targets.target import ASSUMPTIONS, Assume

COUNT = 40


@pytest.mark.parametrize("assume", ASSUMPTIONS[1:])
@pytest.mark.parametrize("seed", range(COUNT))
def test_the_same_bits(seed: int, assume: Assume) -> None:
    case = random_copy(seed)
    module = module_of([case])
    wanted, found = copies(case.arrays), copies(case.arrays)
    execute(module, case.name, wanted)
    execute(lower(module, to="blocked", device="bmg", assume=assume), case.name, found)
    assert same_bits(found, wanted)
