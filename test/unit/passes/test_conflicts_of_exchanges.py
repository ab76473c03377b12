"""Exchanges meet in no bank of shared memory: their messages are those of the plan, and no addresses of them conflict.

Counted over an execution at lane level. Places that data decide (a histogram's counters) and the conversions of one
subgroup's registers are no exchanges.
"""

import re

import pytest
from support.tiled.across import kernels_across
from support.tiled.case import copies, module_of
from support.tiled.computed import computed_kernels
from support.tiled.weights import weight_kernels
from xdsl.dialects.builtin import FixedBitwidthType, VectorType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.utils.hints import isa

from xetile.api import lower
from xetile.dialects.modules import context
from xetile.interpreter import count_bank_conflicts
from xetile.interpreter.sanitizer.bank_conflicts import Site
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg
from xetile.targets import find
from xetile.targets.xe.device import XeDevice

COMPUTED = {case.name: case for case in (*computed_kernels(), *weight_kernels())}
"""Their operands are computed once for the workgroup."""

CASES = {case.name: case for case in kernels_across()} | COMPUTED
EXCHANGING = [
    name for name in CASES if name.startswith(("softmax", "layer_norm", "transposed", "sums"))
]
SIDE = re.compile(
    r"(stores|loads) of (\d+) bits by (lanes|block messages) with (\d+) conflict"
)
"""What print-plan writes of one side of an exchange."""

CONVERSIONS = "shared"
"""The buffer through which one subgroup's registers change their lanes."""

Message = tuple[str, int, str]
"""Stores or loads, bits of a lane, and the form; that of one element of each lane is the same in both forms."""

ELEMENT = 32
"""Bits of the largest element that is exchanged."""


def device(name: str) -> XeDevice:
    found = find(name)
    assert isinstance(found, XeDevice)
    return found


def counted(name: str, target: str) -> list[Site]:
    """The accesses to what is no buffer of conversions, with their conflicts."""
    case = CASES[name]
    lanes = lower(module_of([case]), to="xevm", device=target)
    banks = device(target).shared_banks
    sites = count_bank_conflicts(lanes, name, copies(case.arrays), banks=banks)
    return [site for site in sites if buffer_of(_address(site)) != CONVERSIONS]


def _address(site: Site) -> SSAValue:
    """What the op accesses: `llvm.store` has it behind the value."""
    return site.at.operands[site.at.name == "llvm.store"]


def buffer_of(address: SSAValue) -> str | None:
    """The name of the buffer that an address lies in."""
    while isinstance(owner := address.owner, Operation):
        address = owner.operands[0]
    assert isinstance(address, BlockArgument)
    return address.name_hint


def message(site: Site) -> Message:
    block = site.at.name.startswith("xevm.block")
    moved = site.at.operands[block] if site.stores else site.at.results[0]
    form = "block messages" if block else "lanes"
    return _message("stores" if site.stores else "loads", _bits(moved.type), form)


def _message(what: str, bits: int, form: str) -> Message:
    return what, bits, "" if bits <= ELEMENT else form


def _bits(type: Attribute) -> int:
    if isa(type, VectorType):
        return type.element_count() * _bits(type.element_type)
    assert isinstance(type, FixedBitwidthType)
    return type.bitwidth


def planned(name: str, errors: pytest.CaptureFixture[str]) -> dict[Message, int]:
    """The messages of the plans that are printed, with their conflicts."""
    errors.readouterr()
    XeTileWgToSg(print_plan=True).apply(context(), module_of([CASES[name]]))
    sides = SIDE.findall(errors.readouterr().err)
    return {_message(what, int(bits), form): int(number) for what, bits, form, number in sides}


@pytest.mark.parametrize("target", ["bmg", "cri"])
@pytest.mark.parametrize("name", EXCHANGING)
def test_exchanges_are_as_planned_and_without_conflicts(
    name: str, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = planned(name, capsys)
    sites = counted(name, target)
    assert sites
    assert {message(site) for site in sites} == plan.keys()
    assert not any(plan.values())
    assert not any(site.conflicts for site in sites)


@pytest.mark.parametrize("target", ["bmg", "cri"])
@pytest.mark.parametrize("name", COMPUTED)
def test_operands_that_are_computed_once_meet_in_no_bank(
    name: str, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Messages may be wider than planned: two cells, one below the other, are one."""
    plan, sites = planned(name, capsys), counted(name, target)
    assert {form for _, _, form in plan} == {"block messages"}
    for side in ("stores", "loads"):
        least = min(bits for what, bits, _ in plan if what == side)
        found = [message(site) for site in sites if site.stores == (side == "stores")]
        assert found
        assert all(bits >= least and form == "block messages" for _, bits, form in found)
    assert not any(site.conflicts for site in sites)
