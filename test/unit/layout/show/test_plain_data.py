"""Plain data of layouts: nothing is lost, warps are called subgroups, names of dimensions can be chosen."""

import json
from typing import Any

import pytest

from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.intel.dpas_layouts import dpas_operand_layout
from xetile.layout.show.plain_data import bases_of, form_of, layout_of_form

B = dpas_operand_layout("b", (32, 64), ops_per_channel=2)
LAYOUTS = [
    B,
    dpas_operand_layout("a", (64, 32), ops_per_channel=2),
    Distribution((256, 32), (32, 32), (8, 4)).to_linear_layout(),
    LinearLayout.from_bases({"offset": [(1,), (2,), (0,)]}, {"dim0": 8}, require_surjective=False),
    LinearLayout.empty(),
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS, ids=range(len(LAYOUTS)))
def test_the_layout_comes_back_from_its_json(layout: LinearLayout) -> None:
    form: Any = json.loads(json.dumps(bases_of(layout)))
    back = layout_of_form(form["in"], form["out"])
    names = [{"warp": "subgroup"}.get(name, name) for name in layout.in_dim_names]
    assert list(back.in_dim_names) == names
    assert list(back.bases.values()) == list(layout.bases.values())
    assert back.out_dims == layout.out_dims


def test_what_a_page_reads() -> None:
    layout = LinearLayout.from_bases(
        {"register": [(0, 1)], "lane": [(1, 0), (2, 0)], "warp": [(0, 0)]}, {"M": 4, "N": 2}
    )
    assert bases_of(layout) == {
        "in": {"register": [[0, 1]], "lane": [[1, 0], [2, 0]], "subgroup": [[0, 0]]},
        "out": {"M": 4, "N": 2},
    }


def test_out_dimensions_get_the_names_that_are_given() -> None:
    assert form_of(B, dims=["K", "N"]).outputs == {"K": 32, "N": 64}
    with pytest.raises(ValueError, match="1 names for 2 out dimensions"):
        form_of(B, dims=["K"])
