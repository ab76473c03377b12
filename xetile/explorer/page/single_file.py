"""One page of an exploration: template, style, scripts and the model in a single self-contained file.

The page cannot reach a network: its Content-Security-Policy allows its own script and style, by their hashes, and
nothing else. A served page may also ask its server. There is no build step: files of `page/` are joined without
comments and indentation, so their scripts have no text of several lines; script and style are packed.

The tables of levels are columns of differences, which pack to a fifth of the size of the JSON form's rows:

    [[3, 0, 9, 2, [7]], [4, 0, 9, 2, []]]  <->  {"columns": [[3, 1], [0, 0], [9, 0], [2, 0], [8, -8]]}

The ops, values and uses of levels are such rows. A list of at most one number counts as the number plus one, none as 0;
`null` likewise. A page reads them in `page/model.js`.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any, TypeAlias

from xetile.layout.show.inline import hash_of, packed, packed_script, stripped

ROWS: Mapping[str, tuple[int | None, int | None]] = {
    "ops": (4, None),
    "values": (None, 5),
    "uses": (None, None),
}
"""The tables of a level: the column that is a list, and the column that may be null."""


def in_columns(exploration: Mapping[str, Any]) -> dict[str, Any]:
    """Return an exploration's JSON form with its levels' tables in columns; tables with longer lists stay rows."""
    kernels = [
        {**kernel, "levels": [_level_in_columns(level) for level in kernel["levels"]]}
        for kernel in exploration["kernels"]
    ]
    return {**exploration, "kernels": kernels}


def _level_in_columns(level: Mapping[str, Any]) -> dict[str, Any]:
    tables = {name: _columns(level[name], *kinds) for name, kinds in ROWS.items()}
    return {**level, **tables}


def _columns(rows: Sequence[Sequence[Any]], lists: int | None, nulls: int | None) -> Any:
    if not rows or (lists is not None and any(len(row[lists]) > 1 for row in rows)):
        return rows
    columns = [list(column) for column in zip(*rows, strict=True)]
    if lists is not None:
        columns[lists] = [one[0] + 1 if one else 0 for one in columns[lists]]
    if nulls is not None:
        columns[nulls] = [0 if one is None else one + 1 for one in columns[nulls]]
    return {"columns": [_differences(column) for column in columns]}


def _differences(column: Sequence[int]) -> list[int]:
    return [one - before for before, one in zip([0, *column], column, strict=False)]


_Room: TypeAlias = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A package, and the scripts and styles of its folder `page`."""

_PICTURES: _Room = (
    "xetile.layout.show",
    ("f2.js", "scene.js", "matrix.js", "pictures.js", "exchanges.js"),
    ("pictures.css",),
)
_EXPLORER: _Room = (
    "xetile.explorer",
    (
        "model.js",
        "elements.js",
        "lines.js",
        "rows.js",
        "pane.js",
        "drawing.js",
        "panes.js",
        "tiles.js",
        "moves.js",
        "stages.js",
        "way.js",
        "costs.js",
        "type.js",
    ),
    ("style.css",),
)
_COMPARED: _Room = ("xetile.explorer", ("compared.js", "compare.js"), ("compare.css",))
"""Scripts and styles that only a page of two explorations has."""

_LAST = "main.js"
_SERVED = "served.js"


def page(explorations: Sequence[Mapping[str, object]], *, served: bool = False) -> str:
    """Return the page of an exploration, or of two to compare, each as `model.as_json` returns it.

    A `served` page asks the server for changes. The same explorations give the same text.
    """
    title = " and ".join(dict.fromkeys(_title(one) for one in explorations))
    model = packed(
        json.dumps({"explorations": [*map(in_columns, explorations)]}, separators=(",", ":"))
    )
    rooms = (
        (_PICTURES, _EXPLORER, _COMPARED) if len(explorations) == 2 else (_PICTURES, _EXPLORER)
    )
    style = _style(rooms)
    script, allowed = packed_script(_script(rooms, served=served), style)
    parts = {
        "title": escape(title),
        "policy": _policy(style, allowed, served=served),
        "model": model,
        "script": script,
    }
    text = _text("xetile.explorer", "explorer.html")
    for name, part in parts.items():
        before, mark, after = text.partition(f"<!--{name}-->")
        if not mark:
            raise ValueError(f"explorer.html has no mark <!--{name}-->")
        text = before + part + after
    return text


def prepare() -> None:
    """Build the parts that every page of one exploration has, so that `page` finds them ready."""
    rooms = _PICTURES, _EXPLORER
    _style(rooms)
    packed_script(_script(rooms, served=False))


def _title(exploration: Mapping[str, object]) -> str:
    return f"{exploration['file']} on {exploration['device']}"


@cache
def _style(rooms: tuple[_Room, ...]) -> str:
    return "\n".join(stripped(_text(room, name)) for room, _, names in rooms for name in names)


@cache
def _script(rooms: tuple[_Room, ...], *, served: bool) -> str:
    last = [_SERVED, _LAST] if served else [_LAST]
    wanted = [(room, name) for room, names, _ in rooms for name in names]
    wanted += [("xetile.explorer", name) for name in last]
    return "\n".join(stripped(_text(room, name)) for room, name in wanted)


def _policy(style: str, scripts: str, *, served: bool) -> str:
    allowed = [
        "default-src 'none'",
        f"script-src {scripts}",
        f"style-src {hash_of(style)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    if served:
        allowed.append("connect-src 'self'")
    return "; ".join(allowed)


def _text(room: str, name: str) -> str:
    return files(room).joinpath("page", name).read_text(encoding="utf-8")
