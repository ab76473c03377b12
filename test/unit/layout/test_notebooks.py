"""What notebooks show of layouts, distributions, conversions and load plans."""

import re
from collections.abc import Callable
from typing import cast

from xetile.layout import (
    Distribution,
    Panel,
    dpas_operand_layout,
    layout_of,
    nvmma_shared_layout,
    plan_block_load,
    plan_conversion,
)


def shown_in_notebooks(value: object) -> str | None:
    """What a notebook asks a value for."""
    return cast("Callable[[], str | None]", getattr(value, "_repr_html_"))()  # noqa: B009


def rows(value: object) -> tuple[str, list[list[str]]]:
    """The caption of the table that a notebook shows, and the texts of its rows."""
    shown = shown_in_notebooks(value) or ""
    shown = shown.partition("\n<iframe ")[0]
    found = re.fullmatch(r"<table><caption>(.*)</caption>\n(.*)</table>", shown, re.DOTALL)
    assert found is not None
    lines = found[2].splitlines()
    return found[1], [re.findall(r"<t[hd]>(.*?)</t[hd]>", line) for line in lines]


def test_a_distribution_is_a_table_of_its_units() -> None:
    assert rows(Distribution((96, 64), (32, 32), (3, 4))) == (
        "96x64 elements in units of 32x32 for 3x4 subgroups",
        [["", "0", "32"], ["0", "0, 2", "1, 3"], ["32", "4, 6", "5, 7"], ["64", "8, 10", "9, 11"]],
    )  # fmt: skip


def test_a_distribution_is_drawn_below_its_table() -> None:
    table, picture = (
        shown_in_notebooks(Distribution((96, 64), (32, 32), (3, 4))) or ""
    ).split("\n<iframe ")
    assert table.endswith("</table>")
    assert "register 1024, subgroup 12 → dim0 96, dim1 64" in picture
    assert "&quot;dealt&quot;:{&quot;unit&quot;:[32,32],&quot;grid&quot;:[3,4]" in picture
    only_drawn = shown_in_notebooks(Distribution((2, 2, 2), (1, 1, 1), (2, 2, 2)))
    assert (only_drawn or "").startswith("<iframe ")
    assert shown_in_notebooks(Distribution((2048, 1024), (1, 1), (1, 1))) is None


def test_a_conversion_is_a_table_of_its_steps() -> None:
    def of(register: str, lane: str, warp: str = "") -> str:
        return f"#ttg.linear<{{register = [{register}], lane = [{lane}], warp = [{warp}]}}>"

    def converted(source: str, target: str) -> tuple[str, list[list[str]]]:
        return rows(plan_conversion(layout_of(source, (8,)), layout_of(target, (8,)), 32))

    moved = converted(of("[1], [2]", "[4]"), of("[2], [1]", "[4]"))
    assert moved == ("conversion: registers", [["registers take", "0, 2, 1, 3"]])
    kind, steps = converted(of("[1]", "[2], [4]"), of("[2]", "[1], [4]"))
    assert kind == "conversion: lanes"
    assert [head for head, _ in steps] == [
        "shuffles",
        "selections",
        "register 0",
        "register 1",
    ]
    kind, steps = converted(of("[1]", "[2]", "[4]"), of("[1]", "[4]", "[2]"))
    assert kind == "conversion: shared"
    assert steps[0][0] == "shared memory"
    assert steps[2] == ["bank conflicts", "0 storing, 0 loading"]


def test_a_load_plan_is_a_table_of_its_messages() -> None:
    tile = dpas_operand_layout("a", (32, 32), ops_per_channel=2)
    plan = plan_block_load(tile, element_bits=16, configurations=[(32, 16, 1, False, False)])
    caption, lines = rows(plan)
    assert caption == "2 of 32 x 16 x 1"
    assert lines[:2] == [["message 0", "at (0, 0)"], ["message 1", "at (0, 16)"]]
    assert lines[2][1].startswith("0-7, 32-39, 8-15")


def test_pictures_of_shared_memory_have_the_elements_width() -> None:
    tile = nvmma_shared_layout((8, 64), 128, 16)
    text = "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>"
    plain = tile.of_elements(32)
    for bits, shown in ((16, tile), (16, layout_of(text, (8, 64))), (32, plain), (64, Panel("", plain, 64))):  # fmt: skip
        page = shown_in_notebooks(shown)
        assert page is not None
        assert f"&quot;bits&quot;:{bits}," in page
    assert tile == plain
    assert "&quot;title&quot;:&quot;B&quot;" in (shown_in_notebooks(Panel("B", tile)) or "")
