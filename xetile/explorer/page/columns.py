"""Rows of numbers as columns of differences, which pack to a fifth: what a page carries in place of the JSON form.

    [[3, 0, 9, 2, [7]], [4, 0, 9, 2, []]]  <->  {"columns": [[3, 1], [0, 0], [9, 0], [2, 0], [8, -8]]}

The ops, values and uses of levels are such rows. A list of at most one number counts as the number plus one, none as 0;
`null` likewise. A page reads them in `page/model.js`.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, cast

ROWS: Mapping[str, tuple[int | None, int | None]] = {
    "ops": (4, None),
    "values": (None, 5),
    "uses": (None, None),
}
"""The tables of a level: which of their columns is a list, and which may be null."""


def in_columns(exploration: Mapping[str, Any]) -> dict[str, Any]:
    """An exploration's JSON form with the tables of its levels in columns; a table that has longer lists stays."""
    return _each(exploration, _columns)


def in_rows(exploration: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON form again."""
    return _each(exploration, _rows)


def _each(exploration: Mapping[str, Any], change: Any) -> dict[str, Any]:
    kernels = [
        {
            **kernel,
            "levels": [
                {
                    **level,
                    **{name: change(level[name], *kinds) for name, kinds in ROWS.items()},
                }
                for level in kernel["levels"]
            ],
        }
        for kernel in exploration["kernels"]
    ]
    return {**exploration, "kernels": kernels}


def _columns(rows: Sequence[Sequence[Any]], lists: int | None, nulls: int | None) -> Any:
    if not rows or (lists is not None and any(len(row[lists]) > 1 for row in rows)):
        return rows
    columns = [list(column) for column in zip(*rows, strict=True)]
    if lists is not None:
        columns[lists] = [one[0] + 1 if one else 0 for one in columns[lists]]
    if nulls is not None:
        columns[nulls] = [0 if one is None else one + 1 for one in columns[nulls]]
    return {"columns": [_differences(column) for column in columns]}


def _rows(table: Any, lists: int | None, nulls: int | None) -> Any:
    if isinstance(table, list):
        return cast("list[object]", table)
    differences = cast("list[list[int]]", table["columns"])
    columns: list[list[Any]] = [[*accumulate(column)] for column in differences]
    if lists is not None:
        columns[lists] = [[one - 1] if one else [] for one in columns[lists]]
    if nulls is not None:
        columns[nulls] = [one - 1 if one else None for one in columns[nulls]]
    return [list(row) for row in zip(*columns, strict=True)]


def _differences(column: Sequence[int]) -> list[int]:
    return [one - before for before, one in zip([0, *column], column, strict=False)]
