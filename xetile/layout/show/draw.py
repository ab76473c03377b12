"""Layouts as pictures: one colour per lane, register numbers in cells, layouts side by side.

The SVG needs nothing beside itself. Its script is a convenience: pointing at a cell names
its holder, a click leaves only what that lane holds, or opens the block of a large tile.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.show.views import shown_dims

_UNFOLDED = 64
_FOLD = 32
_MOST_BLOCKS = 4096
_MOST_PLACES = 1 << 20
_COLOURED = {"lane": "lane", "warp": "subgroup", "offset": "16-byte column"}
_CHUNK_BYTES = 16
_CHUNKS = 8
_CELL_WIDTH, _CELL_HEIGHT = 30, 18
_BLOCK_WIDTH, _BLOCK_HEIGHT = 88, 34
_DIGIT = 7
_MARGIN = 28
_GAP = 36
_LONGEST_TITLE = 100
_TITLE_STEP = 9


class Panel(NamedTuple):
    """One layout: (register, lane[, warp[, block]]) or (offset[, block]) -> (dim0, dim1, ...).

    `element_bits` colours shared memory by 16-byte columns.
    """

    title: str
    layout: LinearLayout
    element_bits: int = 8


def draw_svg(panels: Sequence[Panel | LinearLayout]) -> str:
    """The panels, or layouts without a title, side by side as one SVG.

    A tile of more than 64 rows or columns is folded: an overview of its blocks, and one in
    full. LayoutError: a layout has other in dimensions, or is too large to draw, or there
    is none.
    """
    return _drawn(_titled(panels))


def _titled(panels: Sequence[Panel | LinearLayout]) -> list[Panel]:
    if isinstance(panels, LinearLayout) or not panels:
        raise LayoutError(
            "a picture needs a list of layouts, such as [layout] or [Panel(title, layout)]"
        )
    return [panel if isinstance(panel, Panel) else Panel("", panel) for panel in panels]


def _drawn(panels: Sequence[Panel]) -> str:
    drawn: list[tuple[str, int, int]] = []
    left = 0
    for panel in panels:
        text, width, height = _panel(_Holders(panel))
        drawn.append((f'<g transform="translate({left},0)">{text}</g>', width, height))
        left += width + _GAP
    width = max(left - _GAP, 420) + 2 * _MARGIN
    height = max(height for _, _, height in drawn) + 24
    body = "".join(text for text, _, _ in drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" class="xetile-layout colours{_colours(panels)}">'
        f"<style>{_style(panels)}</style>"
        f'<rect class="paper" width="{width}" height="{height}"/>'
        f'<g transform="translate({_MARGIN},0)">{body}</g>'
        f'<text class="status" x="{_MARGIN}" y="{height - 8}"></text>'
        f"<script><![CDATA[{_beside('picture.js').rstrip()}]]></script></svg>"
    )


def draw_html(panels: Sequence[Panel | LinearLayout]) -> str:
    """The picture as a web page of its own; arguments and errors as in draw_svg."""
    titled = _titled(panels)
    title = _escaped(" / ".join(panel.title for panel in titled))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        "<style>body{margin:1em 1em 3em;background:#fff}.xetile-status{position:fixed;left:0;right:0;"
        "bottom:0;min-height:1.3em;padding:.4em 1.2em;background:#fffd;font:14px ui-monospace,monospace}"
        ".xetile-status:empty{display:none}"
        f'</style></head><body><div class="xetile-status"></div>{_drawn(titled)}</body></html>\n'
    )


def notebook_picture(layout: LinearLayout) -> str | None:
    """What a notebook shows for a layout; None where it cannot be drawn and its text is shown."""
    try:
        return draw_svg([Panel("", layout)])
    except LayoutError:
        return None


class _Holders:
    """Who holds each element, as one number: fields of register, lane, warp, block."""

    def __init__(self, panel: Panel) -> None:
        layout = panel.layout
        self.title = panel.title
        self.shared = layout.has_in_dim("offset")
        self.dims = shown_dims(layout, most=_MOST_PLACES)
        self.names = list(layout.out_dim_names)
        self.shape = list(layout.out_dims.values())
        self.bits = {
            name: layout.in_dim_size_log2(name) if layout.has_in_dim(name) else 0
            for name in self.dims
        }
        self.chunk = max(1, _CHUNK_BYTES * 8 // panel.element_bits)
        longest = len(str((1 << self.bits[self.dims[0]]) - 1))
        self.cell_width = max(_CELL_WIDTH, (longest + 1) * _DIGIT)
        self.coloured = _coloured(layout)
        self._find(layout)

    def _find(self, layout: LinearLayout) -> None:
        bases = layout.bases
        images = [(0,) * len(self.shape)]
        for name in self.dims:
            for vector in bases.get(name, []):
                images += [
                    tuple(a ^ b for a, b in zip(at, vector, strict=True)) for at in images
                ]
        self.first: dict[tuple[int, ...], int] = {}
        for place, at in enumerate(images):
            self.first.setdefault(at, place)
        self.replicas = [place for place, at in enumerate(images) if not any(at)]

    def part(self, place: int, name: str) -> int:
        for dim in self.dims:
            if dim == name:
                return place & ((1 << self.bits[dim]) - 1)
            place >>= self.bits[dim]
        return 0

    def colour(self, place: int) -> int:
        """The class of a place's colour: its lane (subgroup), or its 16-byte column."""
        if self.shared:
            return self.part(place, "offset") // self.chunk % _CHUNKS
        return self.part(place, self.coloured)

    def label(self, at: Sequence[int], place: int) -> str:
        names = {"warp": "subgroup"}
        held = ", ".join(
            f"{names.get(name, name)} {self.part(place, name)}"
            for name in reversed(self.dims)
            if self.bits[name] or name in ("lane", "register", "offset")
        )
        return f"({', '.join(map(str, at))}): {held}"


def _panel(holders: _Holders) -> tuple[str, int, int]:
    rows, columns = ([1, *holders.shape])[-2:]
    slices = list(product(*(range(extent) for extent in holders.shape[:-2])))
    folded = rows > _UNFOLDED or columns > _UNFOLDED or len(slices) > 1
    height = min(rows, _FOLD) if folded else rows
    width = min(columns, _FOLD) if folded else columns
    parts: list[str] = []
    legend, legend_width = _legend(holders)
    title = holders.title
    if len(title) > _LONGEST_TITLE:
        title = title[: _LONGEST_TITLE - 3] + "..."
    parts.append(f'<text class="title" x="0" y="18">{_escaped(title)}</text>{legend}')
    top, right = 62, max(legend_width, len(title) * _TITLE_STEP)
    if folded:
        overview, across, down = _overview(holders, slices, (rows, columns), (height, width))
        parts.append(f'<g transform="translate(0,{top})">{overview}</g>')
        top, right = top + down + 30, max(right, across)
    parts.append(f'<g transform="translate(20,{top})">{_detail(holders, height, width)}</g>')
    right = max(right, 20 + width * holders.cell_width)
    panel = f'<g class="panel"{_data(holders)}>{"".join(parts)}</g>'
    return panel, right, top + height * _CELL_HEIGHT


def _data(holders: _Holders) -> str:
    bits = ",".join(str(holders.bits[name]) for name in holders.dims)
    chunk = holders.chunk if holders.shared else 0
    field = holders.dims.index(holders.coloured)
    return f' data-bits="{bits}" data-chunk="{chunk}" data-coloured="{field}"'


def _legend(holders: _Holders) -> tuple[str, int]:
    count = _CHUNKS if holders.shared else 1 << holders.bits[holders.coloured]
    step = 22 if count <= 32 else 14
    name = _COLOURED[holders.coloured]
    start = 8 * len(name)
    squares = "".join(
        f'<g class="c l{n} key" transform="translate({start + n * step},26)">'
        f'<rect width="{step - 2}" height="14"/><text x="{step / 2 - 1}" y="11">{n}</text></g>'
        for n in range(count)
    )
    return f'<text class="note" x="0" y="37">{name}</text>{squares}', start + count * step


def _overview(
    holders: _Holders,
    slices: Sequence[tuple[int, ...]],
    extents: tuple[int, int],
    block: tuple[int, int],
) -> tuple[str, int, int]:
    down, across = extents[0] // block[0], extents[1] // block[1]
    if len(slices) * down * across > _MOST_BLOCKS:
        raise LayoutError(
            f"shape {holders.shape} has {len(slices) * down * across} blocks of "
            f"{block[0]} x {block[1]}, at most {_MOST_BLOCKS} are drawn"
        )
    inside = [
        place
        for at in product(*(range(n) for n in block))
        if (place := holders.first.get(_full(holders, (), at))) is not None
    ]
    rows = [
        (
            leading,
            [_full(holders, leading, (i * block[0], j * block[1])) for j in range(across)],
        )
        for leading in slices
        for i in range(down)
    ]
    lines = {at: _block_lines(holders, inside, at) for _, row in rows for at in row}
    longest = max((len(line) for texts in lines.values() for line in texts), default=0)
    width = max(_BLOCK_WIDTH, (longest + 1) * _DIGIT)
    parts: list[str] = []
    y, heading = 0, ()
    for leading, row in rows:
        if leading != heading:
            heading = leading
            y += 6 if parts else 0
            named = zip(holders.names, leading, strict=False)
            text = ", ".join(f"{name} = {number}" for name, number in named)
            parts.append(f'<text class="note" x="0" y="{y + 12}">{text}</text>')
            y += 18
        parts += [
            _overview_block(holders, at, lines[at], (j * width, y, width))
            for j, at in enumerate(row)
        ]
        y += _BLOCK_HEIGHT
    return "".join(parts), across * width, y + 6


def _block_lines(
    holders: _Holders, inside: Sequence[int], at: tuple[int, ...]
) -> tuple[str, ...]:
    """Who holds a block of the overview: its subgroups and registers, or its offsets."""
    place = holders.first.get(at)
    if place is None:
        return ()
    fields = ("offset",) if holders.shared else ("warp", "register")
    return tuple([_range(holders, place, inside, name) for name in fields])


def _overview_block(
    holders: _Holders, at: tuple[int, ...], lines: Sequence[str], box: tuple[int, int, int]
) -> str:
    place = holders.first.get(at)
    x, y, width = box
    extent = f'x="{x}" y="{y}" width="{width}" height="{_BLOCK_HEIGHT}"'
    if place is None:
        return f'<rect class="hole" {extent}/>'
    hue = 0 if holders.shared else holders.part(place, "warp")
    count = 1 if holders.shared else 1 << holders.bits["warp"]
    coordinates = ", ".join(map(str, at))
    text = "".join(
        f'<text x="{x + width / 2}" y="{y + 14 + 13 * n}">{line}</text>'
        for n, line in enumerate(lines)
    )
    return (
        f'<g class="fold" data-place="{place}" data-at="{",".join(map(str, at))}">'
        f'<rect {extent} fill="{_hue(hue, count)}"/>{text}'
        f"<title>block at ({coordinates})</title></g>"
    )


def _range(holders: _Holders, place: int, inside: Sequence[int], name: str) -> str:
    """The numbers along an in dimension of all that hold a part of a block."""
    own = {holders.part(place ^ other, name) for other in inside}
    if name == "warp":
        others = {holders.part(other, name) for other in holders.replicas}
        own = {number ^ other for number in own for other in others}
    numbers = sorted(own)
    short = {"warp": "subgroup ", "register": "r", "offset": "offset "}[name]
    if len(numbers) == 1:
        return f"{short}{numbers[0]}"
    dots = "-" if numbers[-1] - numbers[0] == len(numbers) - 1 else ".."
    return f"{short}{numbers[0]}{dots}{numbers[-1]}"


def _detail(holders: _Holders, rows: int, columns: int) -> str:
    width, height = holders.cell_width, _CELL_HEIGHT
    parts = [
        f'<text class="axis" data-column="{j}" x="{j * width + width / 2}" y="-4">{j}</text>'
        for j in range(columns)
    ]
    parts += [
        f'<text class="axis" data-row="{i}" x="-10" y="{i * height + 13}">{i}</text>'
        for i in range(rows)
    ]
    for i, j in product(range(rows), range(columns)):
        at = _full(holders, (), (i, j))
        place = holders.first.get(at)
        if place is None:
            parts.append(
                f'<rect class="hole" x="{j * width}" y="{i * height}" '
                f'width="{width}" height="{height}"/>'
            )
            continue
        parts.append(
            f'<g class="c cell l{holders.colour(place)}" data-place="{place}" data-at="{i},{j}" '
            f'transform="translate({j * width},{i * height})">'
            f'<rect width="{width}" height="{height}"/>'
            f'<text x="{width / 2}" y="13">{holders.part(place, holders.dims[0])}</text>'
            f"<title>{holders.label(at, place)}{_also(holders, place)}</title></g>"
        )
    return "".join(parts) + _borders(holders, rows, columns)


def _also(holders: _Holders, place: int) -> str:
    if len(holders.replicas) < 2:
        return ""
    name = holders.label((), place ^ holders.replicas[1]).removeprefix("(): ")
    more = len(holders.replicas) - 2
    return f"; also {name}" + (f" and {more} more" if more else "")


def _borders(holders: _Holders, rows: int, columns: int) -> str:
    width, height = holders.cell_width, _CELL_HEIGHT
    lines: list[str] = []

    def subgroup(i: int, j: int) -> int | None:
        place = holders.first.get(_full(holders, (), (i, j)))
        return None if place is None else holders.part(place, "warp")

    for i, j in product(range(rows), range(columns)):
        if j + 1 < columns and subgroup(i, j) != subgroup(i, j + 1):
            lines.append(f"M{(j + 1) * width} {i * height}v{height}")
        if i + 1 < rows and subgroup(i, j) != subgroup(i + 1, j):
            lines.append(f"M{j * width} {(i + 1) * height}h{width}")
    return f'<path class="border" d="{"".join(lines)}"/>' if lines else ""


def _full(holders: _Holders, leading: tuple[int, ...], at: tuple[int, ...]) -> tuple[int, ...]:
    rank = len(holders.shape)
    return (*(leading or (0,) * max(0, rank - 2)), *at)[-rank:]


def _colours(panels: Sequence[Panel]) -> int:
    dims = [(panel.layout, _coloured(panel.layout)) for panel in panels]
    return max(
        layout.in_dim_size(name) if name != "offset" and layout.has_in_dim(name) else _CHUNKS
        for layout, name in dims
    )


def _coloured(layout: LinearLayout) -> str:
    """The in dimension that colours show: lanes, else subgroups; shared memory's offsets."""
    if layout.has_in_dim("offset"):
        return "offset"
    lanes = layout.has_in_dim("lane") and layout.in_dim_size("lane") > 1
    return "warp" if not lanes and layout.has_in_dim("warp") else "lane"


def _style(panels: Sequence[Panel]) -> str:
    count = _colours(panels)  # the class of this number keeps other pictures' colours away
    style = _beside("picture.css").replace("\n", "")
    return style + "".join(
        f".colours{count} .l{n} rect{{fill:{_hue(n, count)}}}" for n in range(count)
    )


def _hue(index: int, count: int) -> str:
    """Neighbours differ in hue and in lightness."""
    return f"hsl({360 * index // max(1, count)},72%,{82 if index % 2 else 72}%)"


def _escaped(text: str) -> str:
    # XML has no way to write control characters.
    shown = "".join(c if c.isprintable() else " " for c in text)
    return (
        shown.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
    )


def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
