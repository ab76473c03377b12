"""What loops carry stays in the blocks that the loop asks for: it is repacked before and behind it."""

from collections import Counter

import pytest
from support.tiled.carried import carried_kernels
from support.tiled.case import module_of
from xdsl.ir import Operation

from xetile.api import lower

CASES = {case.name: case for case in carried_kernels()}
REPACKING = ("vector.extract_strided_slice", "vector.insert_strided_slice", "vector.extract")
"""What moves elements between blocks."""


def in_loop(op: Operation) -> bool:
    above = op.parent_op()
    return above is not None and (above.name in ("scf.for", "scf.while") or in_loop(above))


@pytest.mark.parametrize("name", CASES)
def test_no_round_repacks(name: str) -> None:
    made = lower(module_of([CASES[name]]), to="xegpu", device="bmg")
    found = Counter(op.name for op in made.walk() if op.name in REPACKING and in_loop(op))
    assert not found


@pytest.mark.parametrize("name", ["carried_factor", "carried_while", "carried_rows_24"])
def test_no_round_moves_registers(name: str) -> None:
    made = lower(module_of([CASES[name]]), to="xevm", device="bmg")
    assert not any(op.name == "vector.shuffle" and in_loop(op) for op in made.walk())
