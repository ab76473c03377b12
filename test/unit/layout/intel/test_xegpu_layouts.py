"""XeGPU's layouts: units dealt out to subgroups and lanes."""

from itertools import product

import pytest

from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.intel.xegpu_layouts import (
    XegpuLayout,
    default_vector_layout,
    drop_leading_dimension,
)
from xetile.layout.text.attribute_text import layout_of


def wrapped(
    layout: XegpuLayout, shape: tuple[int, int]
) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """For each element its (subgroup, lane), by dealing units out one by one."""
    held: dict[tuple[int, int], set[tuple[int, int]]] = {}
    unit = [
        lanes * data for lanes, data in zip(layout.lane_layout, layout.lane_data, strict=True)
    ]
    order = layout.order or (1, 0)

    def linear(coordinates: list[int], sizes: tuple[int, ...]) -> int:
        number, step = 0, 1
        for d in order:
            number += coordinates[d] * step
            step *= sizes[d]
        return number

    for at in product(range(shape[0]), range(shape[1])):
        lane = [at[d] % unit[d] // layout.lane_data[d] for d in range(2)]
        subgroups = [at[d] // layout.sg_data[d] % layout.sg_layout[d] for d in range(2)]
        replicas = product(
            *(
                range(
                    s,
                    layout.sg_layout[d],
                    max(1, min(layout.sg_layout[d], shape[d] // layout.sg_data[d])),
                )
                for d, s in enumerate(subgroups)
            )
        )
        held[at] = {
            (linear(list(subgroup), layout.sg_layout), linear(lane, layout.lane_layout))
            for subgroup in replicas
        }
    return held


@pytest.mark.parametrize(
    "layout, shape",
    [
        (XegpuLayout((1, 16), (1, 1), (2, 2), (16, 32), (8, 16)), (32, 64)),
        (XegpuLayout((1, 16), (2, 1), (2, 2), (16, 16)), (64, 64)),
        (XegpuLayout((2, 8), (1, 2), (4, 2), (16, 32)), (32, 64)),
        (XegpuLayout((16, 1), (1, 2), (2, 4), (16, 16), order=(0, 1)), (32, 64)),
    ],
)
def test_xegpu_layouts_deal_their_units_out(
    layout: XegpuLayout, shape: tuple[int, int]
) -> None:
    linear = layout.to_linear_layout(shape)
    sizes = linear.in_dims
    held: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for register, lane, warp in product(
        *(range(sizes[n]) for n in ("register", "lane", "warp"))
    ):
        at = linear.apply({"register": register, "lane": lane, "warp": warp})
        held.setdefault((at["dim0"], at["dim1"]), set()).add((warp, lane))
    assert held == wrapped(layout, shape)


def test_a_lane_counts_its_elements_row_by_row() -> None:
    linear = layout_of("#xegpu.layout<lane_layout = [1, 16], lane_data = [2, 1]>", (4, 32))
    rows = [
        tuple(linear.apply({"register": r, "lane": 3, "warp": 0}).values()) for r in range(8)
    ]
    assert rows == list(product(range(4), (3, 19)))


def test_only_a_dimension_of_one_element_is_dropped() -> None:
    assert drop_leading_dimension(default_vector_layout((1, 8, 16))) == default_vector_layout(
        (8, 16)
    )
    with pytest.raises(LayoutError, match="dim0 has extent 2; expected 1"):
        drop_leading_dimension(default_vector_layout((2, 8, 16)))
