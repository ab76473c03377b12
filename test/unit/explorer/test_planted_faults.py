"""Faults that are planted into an exploration, each of which the check that guards it has to notice."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

import pytest
from support.explored_kernels import (
    explored_case,
    wrong_in_registers,
    wrong_in_subgroups,
    wrong_of_chosen,
)
from support.explored_places import Explored
from support.explored_registers import (
    EXAMPLES,
    SPILLING,
    elements_met,
    explored,
    per_step,
    products_of,
    scratch_messages,
)
from support.tiled.kernels import FAMILIES

from xetile.api import parse
from xetile.codegen import statistics
from xetile.explorer import explore
from xetile.explorer.isa import register_places as registers
from xetile.explorer.isa.instruction_levels import Listing, listing
from xetile.explorer.model import Bases, Holding, Kernel
from xetile.toolchain import assembly as classes
from xetile.toolchain.assembly import class_of


@pytest.fixture
def gemm() -> Explored:
    """A GEMM with packed operands, several messages and several subgroups."""
    (case,) = (c for c in FAMILIES["gemms"]() if c.name == "gemm_f16_a_transposed_b_rows")
    one = explored_case(case, "bmg")
    assert not wrong_in_registers(one)[1]
    assert not wrong_in_subgroups(one)[1]
    assert not wrong_of_chosen(one)[1]
    return one


def change(one: Explored, letter: str, alter: Callable[[Holding], Holding]) -> int:
    """Alter the holdings of a level's values; how many became others."""
    level = next(level for level in one.kernel.levels if level.id == letter)
    count = 0
    for value in level.values:
        if value.holding is not None:
            holding = one.kernel.holdings[value.holding]
            one.kernel.holdings[value.holding] = alter(holding)
            count += one.kernel.holdings[value.holding] != holding
    return count


def with_inputs(holding: Holding, **inputs: tuple[tuple[int, ...], ...]) -> Holding:
    """The holding with other basis vectors."""
    assert holding.layout is not None
    layout = Bases({**holding.layout.inputs, **inputs}, holding.layout.outputs)
    return replace(holding, layout=layout)


def swapped_halves(holding: Holding) -> Holding:
    """Rows of B that share a word with the wrong neighbour."""
    if holding.tensor != ["K", "N"] or holding.layout is None:
        return holding
    first, second, *rest = holding.layout.inputs["register"]
    return with_inputs(holding, register=(second, first, *rest))


def next_message(holding: Holding) -> Holding:
    """The second half of the columns where the first one is."""
    if holding.tensor != ["K", "N"] or holding.offset is None:
        return holding
    row, column = holding.offset
    return replace(holding, offset=[row, column ^ 16])


def swapped_dimensions(holding: Holding) -> Holding:
    if holding.layout is None:
        return holding
    turned = {
        name: tuple(vector[::-1] for vector in vectors)
        for name, vectors in holding.layout.inputs.items()
    }
    return with_inputs(holding, **turned)


def other_subgroup(holding: Holding) -> Holding:
    """Subgroups counted along the other dimension first."""
    if holding.layout is None:
        return holding
    return with_inputs(holding, subgroup=holding.layout.inputs["subgroup"][::-1])


@pytest.mark.parametrize("fault", [swapped_halves, next_message, swapped_dimensions])
def test_wrong_registers_are_noticed(
    gemm: Explored, fault: Callable[[Holding], Holding]
) -> None:
    assert change(gemm, "V", fault)
    assert wrong_in_registers(gemm)[1]
    assert wrong_of_chosen(gemm)[1]


def test_wrong_subgroups_are_noticed(gemm: Explored) -> None:
    assert change(gemm, "W", other_subgroup)
    assert wrong_in_subgroups(gemm)[1]
    assert wrong_of_chosen(gemm)[1]


@pytest.mark.ocloc
def test_registers_that_begin_one_later() -> None:
    kernel = deepcopy(explored("gemm_f16_plain.mlir", "pvc"))
    matrix = products_of(kernel)
    assert not elements_met(kernel, matrix)[1]
    for holding in kernel.holdings:
        if holding.base is not None and "register" in holding.base:
            holding.base["register"] += 1
            holding.copies = [(asm, register + 1) for asm, register in holding.copies]
    assert elements_met(kernel, matrix)[1]


@pytest.mark.ocloc
def test_loads_that_are_taken_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(kernel: Kernel) -> Listing | None:
        found = listing(kernel)
        assert found is not None
        everything = enumerate(found.program.instructions)
        loads = [n for n, one in everything if class_of(one) == "load2d"]
        links = found.links
        links[loads[0]], links[loads[-1]] = links[loads[-1]], links[loads[0]]
        return found

    monkeypatch.setattr(registers, "listing", swapped)
    (kernel,) = explore(
        parse((EXAMPLES / "gemm_f16_plain.mlir").read_text()), "pvc"
    ).model.kernels
    assert elements_met(kernel, products_of(kernel))[1]


@pytest.mark.ocloc
def test_a_loop_that_is_unrolled_otherwise() -> None:
    kernel = deepcopy(explored("gemm_f16_plain.mlir", "bmg"))
    stats = statistics(parse((EXAMPLES / "gemm_f16_plain.mlir").read_text()), "bmg")["gemm"]
    assert per_step(kernel)["dpas"] == stats["dpas"]
    kernel.loops[0].unroll //= 2
    assert per_step(kernel)["dpas"] != stats["dpas"]


@pytest.mark.ocloc
def test_spills_that_are_taken_for_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = explored(SPILLING, "pvc")
    assert len(scratch_messages(kernel)) > 300

    def none(_: str) -> None:
        return None

    monkeypatch.setattr(classes, "scratch_access", none)
    again = explore(parse((EXAMPLES / SPILLING).read_text()), "pvc").model.kernels[0]
    assert again.costs is not None
    assert again.costs.spill > 0
    assert not scratch_messages(again)
