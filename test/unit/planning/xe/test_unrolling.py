"""How many rounds of a loop become one."""

import pytest

from xetile.planning.xe.unrolling import LoopFacts, copies
from xetile.targets.xe.loops import WITH_OFFSETS, WITHOUT_OFFSETS, Row, Unrolling

F16, TF32, I8 = 16, 8, 32


@pytest.mark.parametrize(
    ("products", "depth", "bmg", "pvc"),
    [
        (2, F16, 16, 8),
        (4, F16, 16, 4),
        (8, F16, 16, 4),
        (16, F16, 16, 2),
        (32, F16, 16, 1),
        (64, F16, 8, 1),
        (16, TF32, 16, 2),
        (32, TF32, 4, 1),
        (48, TF32, 4, 4),
        (64, TF32, 8, 4),
        (16, I8, 16, 2),
        (32, I8, 16, 1),
    ],
)
def test_what_measured_best(products: int, depth: int, bmg: int, pvc: int):
    loop = LoopFacts(128, products, depth)
    assert copies(loop, WITH_OFFSETS) == bmg
    assert copies(loop, WITHOUT_OFFSETS) == pvc


def test_operands_through_shared_memory():
    loop = LoopFacts(128, 32, F16, exchanges=True)
    assert copies(loop, WITH_OFFSETS) == 16
    assert copies(loop, WITHOUT_OFFSETS) == 4


def test_parts_of_operands_that_subgroups_compute():
    loop = LoopFacts(128, 32, F16, exchanges=True, computes=8)
    assert copies(loop, WITH_OFFSETS) == 16
    assert copies(loop, WITHOUT_OFFSETS) == 4
    assert copies(loop._replace(computes=9), WITH_OFFSETS) == 1
    assert copies(loop._replace(rounds=4), WITH_OFFSETS) == 1
    assert copies(loop._replace(exchanges=False), WITH_OFFSETS) == 1


@pytest.mark.parametrize(
    "loop",
    [
        LoopFacts(128, 0, 0),
        LoopFacts(128, 32, F16, computes=1),
        LoopFacts(128, 32, F16, nested=True),
        LoopFacts(0, 32, F16),
        LoopFacts(1, 32, F16),
    ],
)
def test_loops_that_stay(loop: LoopFacts):
    assert copies(loop, WITH_OFFSETS) == 1


def test_loops_without_products_have_so_many_loads_in_a_round():
    found = [copies(LoopFacts(256, 0, 0, loads), WITH_OFFSETS) for loads in (0, 1, 2, 16, 32)]
    assert found == [1, 16, 8, 1, 1]
    assert copies(LoopFacts(256, 0, 0, 1), WITHOUT_OFFSETS) == 4
    assert copies(LoopFacts(None, 0, 0, 1), WITH_OFFSETS) == 8
    assert copies(LoopFacts(256, 0, 0, 1, exchanges=True), WITH_OFFSETS) == 1
    assert copies(LoopFacts(256, 0, 0, 1), WITH_OFFSETS, 4) == 1


def test_few_rounds_are_no_loop():
    assert [copies(LoopFacts(n, 32, F16), WITH_OFFSETS) for n in (2, 3, 4)] == [2, 3, 4]
    assert copies(LoopFacts(4, 32, F16), WITHOUT_OFFSETS) == 4


EIGHT = Unrolling((Row(1, 64, 8),), exchanging=8, streaming=8)


@pytest.mark.parametrize(
    ("rounds", "found"),
    [
        (
            5,
            1,
        ),  # 2 would leave a single round behind the loop, 4 one round of the loop, which is none
        (8, 4),
        (9, 1),
        (15, 4),  # 3 and 3
        (16, 8),
        (24, 8),
        (31, 4),  # 7 and 3, as many as of 8
        (100, 8),
        (None, 8),
    ],
)
def test_fewest_branches_of_both_loops(rounds: int | None, found: int):
    loop = LoopFacts(rounds, 32, F16)
    assert copies(loop, EIGHT) == found


def test_an_unknown_end_has_a_bound_of_its_own():
    assert copies(LoopFacts(None, 32, F16), WITH_OFFSETS) == WITH_OFFSETS.unknown == 8
    assert copies(LoopFacts(None, 32, F16), WITHOUT_OFFSETS) == 1


@pytest.mark.parametrize("unrolling", [WITH_OFFSETS, WITHOUT_OFFSETS])
def test_what_the_user_asks_for(unrolling: Unrolling):
    loop = LoopFacts(128, 32, F16)
    assert copies(loop, unrolling, 1) == 1
    assert copies(loop, unrolling, 3) == 3
    assert copies(loop._replace(computes=1), unrolling, 5) == 5
    assert copies(loop._replace(rounds=2), unrolling, 5) == 2
    assert copies(loop._replace(rounds=2), unrolling, 1) == 1
    assert copies(loop._replace(products=0), unrolling, 5) == 1
    assert copies(loop._replace(nested=True), unrolling, 5) == 1
