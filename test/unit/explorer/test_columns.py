"""Tables of an exploration become columns of differences and come back; the page reads both forms."""

import json
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

import pytest
from playwright.sync_api import Page

import xetile
from xetile.explorer.page.single_file import ROWS, in_columns
from xetile.layout.show.inline import packed

EXAMPLE = Path(__file__).parents[3] / "examples" / "gemm_f16_plain.mlir"


@pytest.fixture(scope="module")
def exploration() -> dict[str, Any]:
    found = xetile.explore(xetile.parse(EXAMPLE), "bmg", assembly=False)
    return json.loads(found.json())


def in_rows(exploration: dict[str, Any]) -> dict[str, Any]:
    """The JSON form again, as the page makes it of columns."""
    kernels = [
        {**kernel, "levels": [level_in_rows(level) for level in kernel["levels"]]}
        for kernel in exploration["kernels"]
    ]
    return {**exploration, "kernels": kernels}


def level_in_rows(level: dict[str, Any]) -> dict[str, Any]:
    return level | {name: rows(level[name], *kinds) for name, kinds in ROWS.items()}


def rows(table: Any, lists: int | None, nulls: int | None) -> Any:
    if isinstance(table, list):
        return cast("list[object]", table)
    columns: list[list[Any]] = [[*accumulate(column)] for column in table["columns"]]
    if lists is not None:
        columns[lists] = [[one - 1] if one else [] for one in columns[lists]]
    if nulls is not None:
        columns[nulls] = [one - 1 if one else None for one in columns[nulls]]
    return [list(row) for row in zip(*columns, strict=True)]


def test_columns_become_the_same_rows(exploration: dict[str, Any]) -> None:
    columns = in_columns(exploration)
    assert columns["kernels"][0]["levels"][3]["ops"].keys() == {"columns"}
    assert in_rows(json.loads(json.dumps(columns))) == exploration
    small, large = (len(packed(json.dumps(one))) for one in (columns, exploration))
    assert small < 0.6 * large


def test_a_table_with_several_parents_stays_as_it_is(exploration: dict[str, Any]) -> None:
    changed: dict[str, Any] = json.loads(json.dumps(exploration))
    level = changed["kernels"][0]["levels"][2]
    level["ops"][3][4] = [1, 2]
    assert in_columns(changed)["kernels"][0]["levels"][2]["ops"] == level["ops"]
    assert in_rows(in_columns(changed)) == changed


@pytest.mark.browser
def test_the_page_reads_columns_as_rows(
    page: Page, tmp_path: Path, exploration: dict[str, Any]
) -> None:
    made = tmp_path / "page.html"
    xetile.explore(xetile.parse(EXAMPLE), "bmg", assembly=False).save(made)
    page.goto(made.as_uri())
    page.wait_for_selector("[data-line]")
    read = page.evaluate(
        "root => X.model.read(root).explorations[0].kernels[0].levels.map(l => [l.ops, l.values, l.uses])",
        {"explorations": [in_columns(exploration)]},
    )
    levels = exploration["kernels"][0]["levels"]
    assert read == [[one["ops"], one["values"], one["uses"]] for one in levels]
