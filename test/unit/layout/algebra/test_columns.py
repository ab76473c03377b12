"""Column actions, vectorisation, and fitting layouts to tensors."""

import pytest

from xetile.layout.algebra.columns import (
    ColumnAction,
    action_remove_broadcasted_regs,
    combine_cta_cga_with_shape,
    ensure_layout_not_larger_than,
    ensure_layout_not_smaller_than,
    identity_standard_nd,
    largest_vectorisation,
    reg_perm_for_divide,
)
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

identity = LinearLayout.identity_1d
ROTATE = ColumnAction([2, 0, 1], "register", 3)


def test_action_on_layouts_and_values_agree() -> None:
    layout = identity(8, "register", "offset")
    for action in (ROTATE, ColumnAction([1, 0], "register", 3), ColumnAction([], "register", 3)):
        moved = action.apply(layout)
        order = [
            moved.apply({"register": i})["offset"] for i in range(moved.in_dim_size("register"))
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
    layout = LinearLayout.from_bases({"register": [(1,), (0,), (2,), (0,)], "lane": [(0,)]}, ["x"])
    assert action_remove_broadcasted_regs(layout).apply(layout).bases == {
        "register": [(1,), (2,)],
        "lane": [(0,)],
    }


def test_register_order_for_division() -> None:
    layout = LinearLayout.from_bases({"register": [(4,), (1,), (2,)], "lane": [(8,)]}, ["offset"])
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


def test_layout_is_cut_to_a_shape() -> None:
    layout = identity(4, "register", "x") * identity(8, "lane", "x") * identity(2, "register", "y")
    cut = ensure_layout_not_larger_than(layout, {"x": 8, "y": 1})
    assert cut.bases == {"register": [(1, 0), (2, 0), (0, 0)], "lane": [(4, 0), (0, 0), (0, 0)]}
    assert cut.out_dims == {"x": 8, "y": 1}
    without = ensure_layout_not_larger_than(layout, {"x": 8, "y": 1}, broadcast_registers=False)
    assert without.bases["register"] == [(1, 0), (2, 0)]
    had_zero = LinearLayout.zeros_1d(2, "register", "x") * layout
    kept = ensure_layout_not_larger_than(had_zero, {"x": 8, "y": 1}, broadcast_registers=False)
    assert kept.bases["register"] == [(0, 0), (1, 0), (2, 0)]


def test_layout_is_repeated_to_a_shape() -> None:
    layout = identity(4, "register", "x") * identity(2, "lane", "y")
    grown = ensure_layout_not_smaller_than(layout, {"x": 8, "y": 2})
    assert grown == layout * identity(2, "register", "x")
    assert ensure_layout_not_smaller_than(LinearLayout.empty(), {}) == LinearLayout.empty()


def test_blocks_and_one_block_make_a_tensor() -> None:
    cta = identity(2, "register", "dim1") * identity(4, "lane", "dim0")
    cga = identity(2, "block", "dim0") * identity(1, "block", "dim1")
    whole = combine_cta_cga_with_shape(cta, cga, [16, 4])
    assert whole.bases == {
        "register": [(0, 1), (0, 2), (4, 0)],
        "lane": [(1, 0), (2, 0)],
        "block": [(8, 0)],
    }
    small = combine_cta_cga_with_shape(cta, cga, [4, 1])
    assert small.bases == {"register": [(0, 0)], "lane": [(1, 0), (0, 0)], "block": [(2, 0)]}


def test_identity_counts_in_the_given_order() -> None:
    assert identity_standard_nd("offset", [4, 2], [1, 0]).bases == {
        "offset": [(1, 0), (0, 1), (0, 2)]
    }
    assert identity_standard_nd("offset", [4, 2], [0, 1]).out_dim_names == ("dim0", "dim1")


def test_shapes_and_widths_that_are_none() -> None:
    layout = identity(4, "register", "dim0") * identity(4, "register", "dim1")
    for fit in (ensure_layout_not_larger_than, ensure_layout_not_smaller_than):
        with pytest.raises(LayoutError, match=r"sizes of \['dim0'\] for a layout with out-dims"):
            fit(layout, {"dim0": 4})
    with pytest.raises(LayoutError, match="element_bits = 0 must be positive"):
        largest_vectorisation(identity(4, "register", "offset"), 0)
