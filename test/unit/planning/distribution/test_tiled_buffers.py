"""Orders of buffers that tiles alone reach: each side's messages, none with conflicts, every element in one place."""

import pytest

from xetile.dialects.swizzle import SwizzleAttr
from xetile.planning.distribution.exchanges import Reach, planned_buffer
from xetile.planning.distribution.shared_messages import Role, predicted_cell
from xetile.planning.planner import Place
from xetile.targets import find

DEVICE = find("bmg")


def reach(unit: Place, bits: int, role: Role, *, loads: bool) -> Reach:
    cell = predicted_cell(unit, bits, role, DEVICE)
    cells = unit[0] * unit[1] // (cell.extents[0] * cell.extents[1])
    return Reach(cell, cells, 1, loads)


@pytest.mark.parametrize(
    ("shape", "stored", "role", "messages"),
    [((256, 128), (4, 32), "a", [2, 8]), ((128, 256), (4, 32), "b", [2, 4])],
)
def test_operands_come_in_blocks(
    shape: Place, stored: Place, role: Role, messages: list[int]
) -> None:
    reaches = [reach(stored, 16, None, loads=False), reach((32, 32), 16, role, loads=True)]
    laid = planned_buffer(shape, reaches, 16, DEVICE)
    assert [side.form for side in laid.sides] == ["block", "block"]
    assert [side.messages for side in laid.sides] == messages


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("role", ["a", "b", "rows", None])
@pytest.mark.parametrize("loaded", [(32, 32), (8, 64), (64, 16)])
def test_no_conflicts(bits: int, role: Role, loaded: Place) -> None:
    reaches = [reach((16, 32), bits, None, loads=False), reach(loaded, bits, role, loads=True)]
    laid = planned_buffer((64, 64), reaches, bits, DEVICE)
    assert all(side.conflicts == 0 for side in laid.sides)
    if laid.memory.swizzle is not None:
        SwizzleAttr(laid.memory.swizzle).verify()


def test_rows_stay_where_nothing_is_cheaper() -> None:
    reaches = [reach((8, 16), 32, None, loads=loads) for loads in (False, True)]
    assert planned_buffer((8, 16), reaches, 32, DEVICE).memory.swizzle is None
