"""Column actions and vectorisation."""

import pytest

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.algebra.moved_bases import (
    ColumnAction,
    action_remove_broadcasted_regs,
    largest_vectorisation,
    reg_perm_for_divide,
)

identity = LinearLayout.identity_1d
ROTATE = ColumnAction([2, 0, 1], "register", 3)


def test_action_on_layouts_and_values_agree() -> None:
    layout = identity(8, "register", "offset")
    for action in (
        ROTATE,
        ColumnAction([1, 0], "register", 3),
        ColumnAction([], "register", 3),
    ):
        moved = action.apply(layout)
        order = [
            moved.apply({"register": i})["offset"]
            for i in range(moved.in_dim_size("register"))
        ]
        assert action.apply_to_values(range(8)) == order
    assert ROTATE.apply_to_values("01234567") == list("04152637")


def test_action_inverse_and_composition() -> None:
    layout = identity(8, "register", "offset")
    assert ROTATE.inverse().apply(ROTATE.apply(layout)) == layout
    assert ROTATE.left_compose(ROTATE.inverse()).is_identity
    dropped = ColumnAction([2, 1], "register", 3)
    swapped = ColumnAction([1, 0], "register", 2)
    assert dropped.left_compose(swapped).apply(layout) == swapped.apply(dropped.apply(layout))


def test_action_text_and_equality() -> None:
    assert str(ROTATE) == "ColumnAction([2, 0, 1], register, 3)"
    assert len({ROTATE, ColumnAction((2, 0, 1), "register", 3)}) == 1
    assert ROTATE.inverse() != ROTATE


def test_refused_actions() -> None:
    with pytest.raises(LayoutError, match="invalid position 3 in column action"):
        ColumnAction([0, 3], "register", 3)
    with pytest.raises(LayoutError, match="invalid position 1 in column action"):
        ColumnAction([1, 1], "register", 3)
    with pytest.raises(LayoutError, match="drops bases and has no inverse"):
        ColumnAction([1], "register", 3).inverse()
    with pytest.raises(LayoutError, match="needs in-dim 'register' of size 8"):
        ROTATE.apply(identity(4, "register", "x"))
    with pytest.raises(LayoutError, match="needs 8 values, got 2"):
        ROTATE.apply_to_values("ab")
    with pytest.raises(LayoutError, match="cannot follow"):
        ROTATE.left_compose(ColumnAction([0], "register", 1))


def test_broadcast_registers_are_dropped() -> None:
    layout = LinearLayout.from_bases(
        {"register": [(1,), (0,), (2,), (0,)], "lane": [(0,)]}, ["x"]
    )
    assert action_remove_broadcasted_regs(layout).apply(layout).bases == {
        "register": [(1,), (2,)],
        "lane": [(0,)],
    }


def test_register_order_for_division() -> None:
    layout = LinearLayout.from_bases(
        {"register": [(4,), (1,), (2,)], "lane": [(8,)]}, ["offset"]
    )
    for left, tile in (
        (True, identity(4, "register", "offset")),
        (False, identity(1, "register", "offset")),
    ):
        order = reg_perm_for_divide(layout, tile, left=left)
        assert order is not None
        moved = order.apply(layout)
        assert (moved.divide_left(tile) if left else moved.divide_right(tile)) is not None
    assert reg_perm_for_divide(layout, identity(16, "register", "offset")) is None
    assert reg_perm_for_divide(layout, identity(2, "register", "other")) is None
    right = LinearLayout.from_bases({"register": [(4,), (1,), (2,)]}, ["offset"])
    order = reg_perm_for_divide(right, identity(2, "register", "offset"), left=False)
    assert order == ColumnAction([1, 2, 0], "register", 3)


@pytest.mark.parametrize(
    "registers, element_bits, max_elements, expected",
    [
        ([(4,), (1,), (2,), (8,)], 16, None, (8, (1, 2, 0, 3))),
        ([(4,), (1,), (2,), (8,)], 16, 8, (1, (0, 1, 2, 3))),
        ([(1,), (2,), (4,), (8,)], 32, None, (4, (0, 1, 2, 3))),
        ([(1,), (2,), (4,), (8,)], 32, 2, (2, (0, 1, 2, 3))),
        ([(1,), (2,), (4,), (8,)], 256, None, (1, (0, 1, 2, 3))),
        ([(1,), (4,), (2,), (9,)], 8, None, (1, (0, 1, 2, 3))),
    ],
)
def test_largest_vectorisation(
    registers: list[tuple[int]],
    element_bits: int,
    max_elements: int | None,
    expected: tuple[int, tuple[int, ...]],
) -> None:
    layout = LinearLayout.from_bases({"register": registers, "lane": [(16,)]}, ["offset"])
    elements, order = largest_vectorisation(layout, element_bits, max_elements)
    assert (elements, order.action) == expected


def test_elements_without_bits_are_refused() -> None:
    with pytest.raises(LayoutError, match="element_bits = 0 must be positive"):
        largest_vectorisation(identity(4, "register", "offset"), 0)
