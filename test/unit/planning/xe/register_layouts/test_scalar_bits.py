"""Which bits of a scalar may be set, held against all the numbers that it can be."""

from collections.abc import Callable, Mapping
from itertools import product

import pytest

from xetile.analysis.ranges import infer_ranges
from xetile.dialects.modules import parse
from xetile.planning.xe.register_layouts.places import (
    ANY_BITS,
    possible_bits,
    possible_sum,
    union,
)


def numbers(mask: int) -> list[int]:
    return [number for number in range(mask + 1) if number & ~mask == 0]


@pytest.mark.parametrize(
    "masks", [*product((0, 1, 4, 6, 8, 13), repeat=2), (1, 2, 4), (3, 6, 12)]
)
def test_a_sum_sets_no_other_bits(masks: tuple[int, ...]) -> None:
    found = possible_sum(masks)
    for parts in product(*map(numbers, masks)):
        assert sum(parts) & ~found == 0
    # what has no bit in common is not made less exact
    if sum(masks) == union(masks):
        assert found == union(masks)


def test_a_sum_that_carries_has_one_bit_more() -> None:
    assert possible_sum([1, 1]) == 3
    assert possible_sum([4, 6]) == 12 | 2
    assert possible_sum([8, 8, 8]) == 56


def test_without_an_end_multiples_are_left() -> None:
    assert possible_sum([-8, 4]) == -4
    assert possible_sum([-8, -16]) == -8
    assert possible_sum([]) == 0


CASES: Mapping[str, Callable[[int], int]] = {
    "arith.muli %u, %c12 : index": lambda n: 12 * n,
    "arith.addi %u, %c12 : index": lambda n: n + 12,
    "arith.subi %c12, %u : index": lambda n: 12 - n,
    "arith.andi %u, %c12 : index": lambda n: n & 12,
    "arith.ori %u, %c12 : index": lambda n: n | 12,
    "arith.xori %u, %c12 : index": lambda n: n ^ 12,
    "arith.shli %u, %c2 : index": lambda n: n << 2,
    "arith.shrui %u, %c2 : index": lambda n: n >> 2,
}


@pytest.mark.parametrize("text", CASES)
def test_results_set_no_other_bits(text: str) -> None:
    """%u is 0 to 15."""
    module = parse(f"""
      func.func @f(%a: index) -> index {{
        %c2 = arith.constant 2 : index
        %c12 = arith.constant 12 : index
        %c15 = arith.constant 15 : index
        %u = arith.andi %a, %c15 : index
        %r = {text}
        func.return %r : index
      }}""")
    function = next(op for op in module.walk() if op.name == "func.func")
    result = next(op for op in module.walk() if op.name == "func.return").operands[0]
    found = possible_bits(result, infer_ranges(function))
    assert found != ANY_BITS or text.startswith("arith.subi")
    assert all(CASES[text](n) & ~found == 0 for n in range(16))


def test_a_counter_is_a_multiple_of_its_step() -> None:
    module = parse("""
      func.func @f(%n: index) {
        %c16 = arith.constant 16 : index
        %c24 = arith.constant 24 : index
        scf.for %i = %c16 to %n step %c24 {
          %r = arith.muli %i, %i : index
        }
        func.return
      }""")
    square = next(op for op in module.walk() if op.name == "arith.muli")
    function = next(op for op in module.walk() if op.name == "func.func")
    found = possible_bits(square.operands[0], infer_ranges(function))
    assert [bit for bit in range(6) if found >> bit & 1] == [3, 4, 5]
