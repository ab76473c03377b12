"""The content of a picture as plain primitives; the page makes the same ones in scene.js.

    ("rect", x, y, wide, high, ink)      ("frame", x, y, wide, high, ink)
    ("line", x, y, to_x, to_y, ink)      ("text", x, y, words, anchor, ink)

All numbers are pixels. Inks are names of colors in pictures.css; `c7` is the color of the number 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil, log2
from typing import NamedTuple, TypeAlias

from xetile.layout.show.picture import Grid, Meaning, Picture, grid_of

Primitive: TypeAlias = tuple[str | float, ...]

HUES = 6
TINTS = (0.62, 0.38, 0.18)
_DIGIT = 7
_CELL = 26
_ROW = 16
_TOP = 70
_UNFOLDED = 64
_MAP = 512
_FINEST = 256
_MOST_KEYS = 32
_KEY = 26


class Part(NamedTuple):
    """Cells from `row` and `column` on, of `wide` x `high` pixels each; in a map each represents `step` of them."""

    row: int
    column: int
    rows: int
    columns: int
    x: int
    y: int
    wide: int
    high: int
    step: tuple[int, int]
    is_full: bool


class Plan(NamedTuple):
    """The positions of the parts of a picture, and its size in pixels."""

    grid: Grid
    parts: list[Part]
    keys: int
    width: int
    height: int


def planned(picture: Picture) -> Plan:
    """Plan a picture: a tile that is too large gets a map of all of it and, unless `map_only`, a part in full."""
    grid = grid_of(picture)
    wide = max(_CELL, (grid.longest + 1) * _DIGIT)
    left = 14 + _DIGIT * len(grid.row_label(grid.rows - 1))
    fit = _UNFOLDED * wide, _UNFOLDED * _ROW
    if picture.fit is not None:
        fit = picture.fit[0] - left, picture.fit[1] - _TOP
    parts = _parts(grid, left, wide, fit)
    keys = _shown_keys(picture, grid.says, parts)
    right = max(part.x + part.columns * part.wide for part in parts)
    if keys:
        right = max(right, _legend_start(grid.says) + _KEY * keys + _beside(grid.says, parts))
    bottom = max(part.y + part.rows * part.high for part in parts)
    return Plan(grid, parts, keys, right + 2, bottom + 2)


def _parts(grid: Grid, x: int, wide: int, fit: tuple[int, int]) -> list[Part]:
    picture, across = grid.picture, fit[0]
    full = Part(0, 0, grid.rows, grid.columns, x, _TOP, wide, _ROW, (1, 1), is_full=True)
    if grid.rows * _ROW <= fit[1] and grid.columns * wide <= across:
        return [full]
    if picture.map_only:
        return [_map(grid, x, fit, largest=12)]
    most = (_MAP, _MAP) if picture.fit is None else (2 * picture.fit[0] // 5, fit[1])
    overview = _map(grid, x, most, largest=8)
    beside = x + overview.columns * overview.wide + 28 + x
    rows = min(grid.rows, _lens(fit[1] / _ROW))
    columns = min(grid.columns, _lens((x + across - beside) / wide))
    row = min(picture.window[0], grid.rows - rows)
    column = min(picture.window[1], grid.columns - columns)
    part = full._replace(row=row, column=column, rows=rows, columns=columns, x=beside)
    return [overview, part]


def _lens(most: float) -> int:
    """Return the number of cells of the part in full."""
    return 8 if most < 16 else 16 if most < 32 else 32


def _map(grid: Grid, x: int, most: tuple[int, int], *, largest: int) -> Part:
    step = tuple(1 << max(0, ceil(log2(n / _FINEST))) for n in (grid.rows, grid.columns))
    rows, columns = -(-grid.rows // step[0]), -(-grid.columns // step[1])
    wide = max(1, min(largest, most[0] // columns))
    high = max(1, min(largest, most[1] // rows))
    return Part(0, 0, rows, columns, x, _TOP, wide, high, (step[0], step[1]), is_full=False)


def scene(plan: Plan) -> list[Primitive]:
    """Return the primitives of a picture, in the order in which they are painted."""
    grid, parts = plan.grid, plan.parts
    drawn: list[Primitive] = [("text", 0, 14, grid.picture.title, "start", "title")]
    if plan.keys:
        drawn += _legend(plan)
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        drawn += _axes(grid, part, following)
        drawn += _cells(grid, part) if part.is_full else _regions(grid, part, parts[1:])
    return drawn


def _shown_keys(picture: Picture, says: Meaning, parts: Sequence[Part]) -> int:
    """Return the number of keys: none if the map shows only subgroups, else as many as fit."""
    if says.is_parted and not parts[-1].is_full:
        return 0
    room = _MOST_KEYS * _KEY
    if picture.fit is not None:
        room = picture.fit[0] - _legend_start(says) - _beside(says, parts)
    return max(1, min(says.colours, _MOST_KEYS, room // _KEY))


def _legend_start(says: Meaning) -> int:
    return _DIGIT * len(f"colour: {says.legend}") + 8


def _beside(says: Meaning, parts: Sequence[Part]) -> int:
    """Return the width in pixels of the text after the legend's keys."""
    return 28 + _DIGIT * len(f"number: {says.said}") if parts[-1].is_full else 18


def _legend(plan: Plan) -> list[Primitive]:
    says = plan.grid.says
    start = _legend_start(says)
    drawn: list[Primitive] = [("text", 0, 34, f"colour: {says.legend}", "start", "note")]
    for key in range(plan.keys):
        x = start + _KEY * key
        drawn.append(("rect", x, 23, 24, 14, f"c{key}"))
        drawn += _mark(x, 23, 24, key)
        drawn.append(("text", x + 13, 34, str(key), "middle", "cell"))
    end = start + _KEY * plan.keys
    if plan.keys < says.colours:
        drawn.append(("text", end + 2, 34, "...", "start", "note"))
    if plan.parts[-1].is_full:
        drawn.append(("text", end + 18, 34, f"number: {says.said}", "start", "note"))
    return drawn


def _mark(x: int, y: int, wide: int, key: int) -> list[Primitive]:
    """Return the mark that distinguishes colors of one hue, in addition to the tint."""
    level = key // HUES % len(TINTS)
    if key >= HUES * len(TINTS):
        return [("rect", x + wide - 4, y + 1, 3, 4 * (level + 1), "mark")]
    return [("rect", x + 1, y + 1, 3, 4 * level, "mark")] if level else []


def _axes(grid: Grid, part: Part, following: Part | None) -> list[Primitive]:
    """Return names and numbers of a part's axes; names that would overlap the next part are omitted."""
    name = (f"{grid.row_name} ↓  " if grid.row_name else "") + f"{grid.column_name} →"
    if not part.is_full and grid.says.is_parted:
        name += ", number: subgroup"
    if part.step != (1, 1):
        name += f", each cell {part.step[0]} x {part.step[1]}"
    drawn: list[Primitive] = []
    if following is None or part.x + _DIGIT * len(name) <= following.x:
        drawn.append(("text", part.x, part.y - 16, name, "start", "note"))
    last = grid.column_label(part.column + part.columns * part.step[1] - 1)
    middle, anchor = (part.wide / 2, "middle") if part.is_full else (0, "start")
    for j in range(0, part.columns, _spaced(part.wide, _DIGIT * (len(last) or 2))):
        label = grid.column_label(part.column + j * part.step[1])
        if label:
            drawn.append(("text", part.x + j * part.wide + middle, part.y - 4, label, anchor, "axis"))  # fmt: skip
    if not grid.row_name:
        return drawn
    below = 12 if part.is_full else 9
    for i in range(0, part.rows, _spaced(part.high, 12)):
        label = grid.row_label(part.row + i * part.step[0])
        drawn.append(
            ("text", part.x - 6, part.y + i * part.high + below, label, "end", "axis")
        )
    return drawn


def _spaced(pixels: int, wanted: int) -> int:
    """Return the distance of labeled cells."""
    return 1 << max(0, ceil(log2(wanted / pixels)))


def _cells(grid: Grid, part: Part) -> list[Primitive]:
    drawn: list[Primitive] = []
    edges: list[Primitive] = []
    for row in range(part.row, part.row + part.rows):
        y = part.y + (row - part.row) * part.high
        for column in range(part.column, part.column + part.columns):
            x = part.x + (column - part.column) * part.wide
            drawn += _cell(grid, part, (row, column), (x, y))
            if column > part.column and _differ(grid, (row, column), (row, column - 1)):
                edges.append(("line", x, y, x, y + part.high, "border"))
            if row > part.row and _differ(grid, (row, column), (row - 1, column)):
                edges.append(("line", x, y, x + part.wide, y, "border"))
    return drawn + edges


def _cell(
    grid: Grid, part: Part, cell: tuple[int, int], at: tuple[int, int]
) -> list[Primitive]:
    place, (x, y) = grid.place(*cell), at
    if place < 0:
        return [("rect", x, y, part.wide - 1, part.high - 1, "hole")]
    key = grid.says.colour_of(grid.held.field(place, grid.says.colour))
    return [
        ("rect", x, y, part.wide - 1, part.high - 1, f"c{key}"),
        *_mark(x, y, part.wide - 1, key),
        ("text", x + part.wide / 2, y + 12, grid.text(*cell, place), "middle", "cell"),
    ]


def _differ(grid: Grid, cell: tuple[int, int], neighbour: tuple[int, int]) -> bool:
    place, other = grid.place(*cell), grid.place(*neighbour)
    held = place >= 0 and other >= 0
    return held and grid.part(*cell, place) != grid.part(*neighbour, other)


def _regions(grid: Grid, map_part: Part, full: Sequence[Part]) -> list[Primitive]:
    """Return the map: one rectangle with its number for the cells of one subgroup, else for those of one color."""
    held, says, step = grid.held, grid.says, map_part.step

    def key(i: int, j: int) -> object:
        row, column = i * step[0], j * step[1]
        place = grid.place(row, column)
        if place < 0:
            return "hole"
        if says.is_parted:
            return grid.part(row, column, place)
        return f"c{says.colour_of(held.field(place, says.colour))}"

    drawn: list[Primitive] = []
    for i, j, rows, columns, ink in merged(map_part.rows, map_part.columns, key):
        x, y = map_part.x + j * map_part.wide, map_part.y + i * map_part.high
        wide, high = columns * map_part.wide, rows * map_part.high
        if isinstance(ink, str):
            drawn.append(("rect", x, y, wide, high, ink))
            continue
        place = grid.place(i * step[0], j * step[1])
        words = numbers(held.field(one, "subgroup") for one in held.same(place))
        drawn += [("rect", x, y, wide, high, "shade"), ("frame", x, y, wide, high, "border")]
        if wide > _DIGIT * len(words) and high > 11:
            drawn.append(("text", x + wide / 2, y + high // 2 + 4, words, "middle", "cell"))
    for window in full:
        left, top = window.column // step[1], window.row // step[0]
        across, down = -(-window.columns // step[1]), -(-window.rows // step[0])
        x, y = map_part.x + left * map_part.wide, map_part.y + top * map_part.high
        box = (x, y, across * map_part.wide, down * map_part.high)
        drawn.append(("frame", *box, "window"))
    return drawn


def merged(
    rows: int, columns: int, key: Callable[[int, int], object]
) -> list[tuple[int, int, int, int, object]]:
    """Return rectangles (row, column, rows, columns, key) of equal keys: runs of a row, and the same runs below."""
    found: list[tuple[int, int, int, int, object]] = []
    last: list[tuple[int, int, object]] = []
    for i in range(rows):
        runs: list[tuple[int, int, object]] = []
        for j in range(columns):
            of = key(i, j)
            if runs and runs[-1][2] == of:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1, of)
            else:
                runs.append((j, 1, of))
        if runs == last:
            below = found[-len(runs) :]
            found[-len(runs) :] = [
                (r, c, high + 1, wide, of) for r, c, high, wide, of in below
            ]
        else:
            found += [(i, j, 1, wide, of) for j, wide, of in runs]
        last = runs
    return found


def numbers(all_of_them: Iterable[int]) -> str:
    """Return numbers in short form: 3, 0-7, 0..28."""
    found = sorted(set(all_of_them))
    if len(found) == 1:
        return str(found[0])
    return f"{found[0]}{'-' if found[-1] - found[0] == len(found) - 1 else '..'}{found[-1]}"


class MatrixRow(NamedTuple):
    """A bit of a coordinate: its out dimension, and its position there."""

    dimension: int
    bit: int
    label: str


class MatrixColumn(NamedTuple):
    """A bit of an in dimension, its basis vector, and its position in pixels."""

    name: str
    bit: int
    vector: Sequence[int]
    x: int


class MatrixPlan(NamedTuple):
    """The rows and columns of a matrix of bits, and its size in pixels."""

    rows: list[MatrixRow]
    columns: list[MatrixColumn]
    width: int
    height: int


def matrix_plan(picture: Picture) -> MatrixPlan:
    """Return a row for each bit of a coordinate, a column for each bit of a place, minor ones first."""
    names = picture.tensor or list(picture.outputs)
    rows = [
        MatrixRow(d, bit, f"{names[d]} {1 << bit}")
        for d, size in enumerate(picture.outputs.values())
        for bit in range(size.bit_length() - 1)
    ]
    x = 8 + _DIGIT * max((len(row.label) for row in rows), default=0)
    columns: list[MatrixColumn] = []
    for name, vectors in picture.inputs.items():
        columns += [
            MatrixColumn(name, n, vector, x + 22 * n) for n, vector in enumerate(vectors)
        ]
        if vectors:
            x += max(22 * len(vectors), _DIGIT * len(name)) + 10
    return MatrixPlan(rows, columns, x, 38 + 17 * len(rows))


def matrix_scene(plan: MatrixPlan) -> list[Primitive]:
    """Return the primitives of a matrix of bits; columns of several bits, which are exclusive ors, are framed."""
    drawn: list[Primitive] = []
    for name, bit, _, x in plan.columns:
        if not bit:
            drawn.append(("text", x, 12, name, "start", "note"))
        head = str(1 << bit) if bit < 10 else f"2^{bit}"
        drawn.append(("text", x + 10, 28, head, "middle", "axis"))
    for i, row in enumerate(plan.rows):
        drawn.append(("text", 0, 46 + 17 * i, row.label, "start", "axis"))
        for column in plan.columns:
            is_set = column.vector[row.dimension] >> row.bit & 1
            ink = "bit" if is_set else "hole"
            drawn.append(("rect", column.x, 34 + 17 * i, 20, 15, ink))
            if is_set:
                drawn.append(("text", column.x + 10, 46 + 17 * i, "1", "middle", "bit-one"))
    mixed = [c.x for c in plan.columns if sum(value.bit_count() for value in c.vector) > 1]
    return drawn + [("frame", x - 1, 32, 22, 2 + 17 * len(plan.rows), "xor") for x in mixed]
