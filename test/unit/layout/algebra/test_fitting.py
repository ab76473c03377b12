"""Fitting layouts to tensors."""

import pytest

from xetile.layout.algebra.fitting import (
    combine_cta_cga_with_shape,
    ensure_layout_not_larger_than,
    ensure_layout_not_smaller_than,
    identity_standard_nd,
)
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

identity = LinearLayout.identity_1d


def test_layout_is_cut_to_a_shape() -> None:
    layout = (
        identity(4, "register", "x") * identity(8, "lane", "x") * identity(2, "register", "y")
    )
    cut = ensure_layout_not_larger_than(layout, {"x": 8, "y": 1})
    assert cut.bases == {
        "register": [(1, 0), (2, 0), (0, 0)],
        "lane": [(4, 0), (0, 0), (0, 0)],
    }
    assert cut.out_dims == {"x": 8, "y": 1}
    without = ensure_layout_not_larger_than(
        layout, {"x": 8, "y": 1}, broadcast_registers=False
    )
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


def test_sizes_for_other_dimensions_are_refused() -> None:
    layout = identity(4, "register", "dim0") * identity(4, "register", "dim1")
    for fit in (ensure_layout_not_larger_than, ensure_layout_not_smaller_than):
        with pytest.raises(
            LayoutError, match=r"sizes of \['dim0'\] for a layout with out-dims"
        ):
            fit(layout, {"dim0": 4})
