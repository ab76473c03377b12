"""Layouts as SVG, as a page of their own, and in notebooks, drawn by the explorer's renderer.

SVG is for pages that run no script: primitives of one ink are grouped, so that files are small.
"""

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.show.distributions import check_size
from xetile.layout.show.inline import escaped, hash_of, packed_script, page_text, stripped
from xetile.layout.show.picture import Picture, grid_of
from xetile.layout.show.plain_data import form_of
from xetile.layout.show.register_tables import shown_dims
from xetile.layout.show.scene import (
    HUES,
    TINTS,
    Primitive,
    matrix_plan,
    matrix_scene,
    planned,
    scene,
)

_MARGIN = 12
_GAP = 28
_MOST_WIDTH = 1500
_DARK = "@media (prefers-color-scheme:dark)"
_FONTS = {
    "title": "bold 13px system-ui,sans-serif",
    "note": "12px system-ui,sans-serif",
    "cell": "11px ui-monospace,monospace",
    "axis": "10px ui-monospace,monospace",
    "bit-one": "bold 11px ui-monospace,monospace",
}
_STROKES = ("border", "window", "xor")


class Drawn(NamedTuple):
    """The primitives of a drawing, and its size in pixels; `name` is its class in the SVG."""

    name: str
    primitives: Sequence[Primitive]
    width: int
    height: int


def svg_of_pictures(pictures: Sequence[Picture]) -> str:
    """Return the pictures as SVG, those of layouts with their matrices of bits, side by side up to the page's width."""
    drawn: list[list[Drawn]] = []
    for picture in pictures:
        plan = planned(picture)
        figure = [Drawn("panel", scene(plan), plan.width, plan.height)]
        if picture.dealt is None:
            matrix = matrix_plan(picture)
            figure.append(Drawn("bits", matrix_scene(matrix), matrix.width, matrix.height))
        drawn.append(figure)
    return svg_of(drawn, title=" / ".join(picture.title for picture in pictures))


def svg_of(figures: Iterable[Sequence[Drawn]], *, title: str) -> str:
    """Return figures in one SVG, which follows the reader's dark mode; the parts of a figure are side by side."""
    left, top, width, high, inks = _MARGIN, _MARGIN, 0, 0, set[str]()
    groups: list[str] = []
    for figure in figures:
        across = sum(part.width + _GAP for part in figure)
        if left > _MARGIN and left + across > _MOST_WIDTH:
            left, top, high = _MARGIN, top + high + _GAP, 0
        for part in figure:
            body = _group(part.primitives)
            groups.append(
                f'<g class="{part.name}" transform="translate({left},{top})">{body}</g>\n'
            )
            inks |= {str(primitive[-1]) for primitive in part.primitives}
            left, high = left + part.width + _GAP, max(high, part.height)
        width = max(width, left - _GAP + _MARGIN)
    height = top + high + _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><title>{escaped(title)}</title>\n'
        f"<style>{_style(sorted(inks | {'paper'}))}</style>\n"
        f'<rect class="paper" width="{width}" height="{height}"/>\n{"".join(groups)}</svg>\n'
    )


def _group(primitives: Sequence[Primitive]) -> str:
    shapes: dict[tuple[int, str], list[str]] = {}
    for kind, *numbers, ink in primitives:
        if kind == "text":
            x, y, words, anchor = numbers
            placed = f'<text x="{x:g}" y="{y:g}">{escaped(str(words))}</text>'
            shapes.setdefault((4, f"{anchor} {ink}"), []).append(placed)
        else:
            layer = {"rect": 1 if ink == "mark" else 0, "frame": 2, "line": 3}[str(kind)]
            shapes.setdefault((layer, str(ink)), []).append(_path(str(kind), numbers))
    return "".join(_layer(layer, ink, found) for (layer, ink), found in sorted(shapes.items()))


def _layer(layer: int, ink: str, found: Sequence[str]) -> str:
    if layer == 4:
        return f'<g class="{ink}">{"".join(found)}</g>'
    return f'<path class="{ink}" d="{"".join(found)}"/>'


def _path(kind: str, numbers: Sequence[object]) -> str:
    x, y, third, fourth = numbers
    if kind == "line":
        return f"M{x:g} {y:g}L{third:g} {fourth:g}"
    return f"M{x:g} {y:g}h{third:g}v{fourth:g}h{-float(str(third)):g}z"


def _style(inks: Sequence[str]) -> str:
    light, dark = _rules(inks, colours(dark=False)), _rules(inks, colours(dark=True))
    fonts = "".join(f".{ink}{{font:{_FONTS[ink]}}}" for ink in _FONTS)
    anchors = ".middle{text-anchor:middle}.end{text-anchor:end}.start{text-anchor:start}"
    strokes = ",".join(f"path.{ink}" for ink in _STROKES)
    return f"{light}{fonts}{anchors}{strokes}{{fill:none;stroke-width:2}}path.border{{stroke-width:1}}{_DARK}{{{dark}}}"


def _rules(inks: Sequence[str], known: dict[str, str]) -> str:
    return "".join(_rule(ink, ink_colour(ink, known)) for ink in inks)


def _rule(ink: str, colour: str) -> str:
    kind = "stroke" if ink in _STROKES else "fill"
    return f".{ink}{{{kind}:{colour}}}"


def ink_colour(ink: str, known: dict[str, str]) -> str:
    """Return the color of an ink: its own in the style sheet, or the tint of a hue on paper."""
    if not re.fullmatch(r"c\d+", ink):
        return known[ink]
    key = int(ink[1:])
    level = key // HUES % len(TINTS)
    weight = TINTS[level]
    # the palest ones would be invisible on a dark page
    ground = "tint" if level == len(TINTS) - 1 else "paper"
    hue, paper = (_channels(known[name]) for name in (f"lane-{key % HUES}", ground))
    # a half is rounded up, as in the page
    mixed = [int(weight * a + (1 - weight) * b + 0.5) for a, b in zip(hue, paper, strict=True)]
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def _channels(colour: str) -> list[int]:
    return [int(colour[n : n + 2], 16) for n in (1, 3, 5)]


@cache
def _sheets() -> tuple[dict[str, str], dict[str, str]]:
    light, _, dark = page_text("pictures.css").partition("@media")
    found = [dict(re.findall(r"--([\w-]+):([^;]+);", text)) for text in (light, dark)]
    return found[0], {**found[0], **found[1]}


def colours(*, dark: bool) -> dict[str, str]:
    """Return the style sheet's colors by their names."""
    return _sheets()[dark]


SCRIPTS = ("f2.js", "scene.js", "matrix.js", "pictures.js")
STYLE = "pictures.css"
_MOST_PLACES = 1 << 20
_UNKNOWN_BITS = 8
_LONGEST_TITLE = 100
_NOTEBOOK = (900, 420)
_NOTEBOOK_HEIGHT = 540
_START = 'X.pictures.gallery(document.body, JSON.parse(document.getElementById("pictures").textContent));'
_BODY = "body{margin:8px;background:var(--paper);color:var(--ink)}"


Drawable: TypeAlias = LinearLayout | Distribution


class Panel(NamedTuple):
    """One layout, (register, lane[, warp[, block]]) or (offset[, block]) -> (dim0, dim1, ...), or a distribution.

    `element_bits` selects the colors of shared memory, by 16-byte columns; the default is the layout's
    own, else 8.
    """

    title: str
    layout: Drawable
    element_bits: int | None = None

    def _repr_html_(self) -> str | None:
        return _in_notebook(self)


def draw_svg(panels: Sequence[Panel | Drawable]) -> str:
    """Return one SVG of the panels, or of layouts without a title, side by side; layouts with their matrices of bits.

    A tile of more than 64 rows or columns is drawn as a map of all of it, and a part in full. LayoutError: a layout has
    other in dimensions, or is too large to draw, or there is none.
    """
    return svg_of_pictures(_pictures(panels))


def draw_html(panels: Sequence[Panel | Drawable]) -> str:
    """Return the same as a web page that needs no network; elements under the pointer are outlined in all panels."""
    return _page(_pictures(panels))


def notebook_picture(layout: Drawable) -> str | None:
    """Return the HTML of a layout or a distribution for a notebook, or None to show its text if it cannot be drawn."""
    return _in_notebook(Panel("", layout))


def _in_notebook(panel: Panel) -> str | None:
    try:
        picture = _picture(panel)
    except LayoutError:
        return None
    title = picture.title or _sizes(picture)
    page = _page([picture._replace(title=title, fit=_NOTEBOOK)])
    source = page.replace("&", "&amp;").replace('"', "&quot;")
    return (
        f'<iframe sandbox="allow-scripts" width="100%" height="{_NOTEBOOK_HEIGHT}" frameborder="0" '
        f'title="layout" srcdoc="{source}"></iframe>'
    )


def _sizes(picture: Picture) -> str:
    held_by = grid_of(picture).held
    held = ", ".join(f"{name} {held_by.size(name)}" for name in picture.inputs)
    return f"{held} → {', '.join(f'{name} {size}' for name, size in picture.outputs.items())}"


def _pictures(panels: Sequence[Panel | Drawable]) -> list[Picture]:
    if isinstance(panels, Drawable) or not panels:
        raise LayoutError(
            "a picture needs a list of layouts, such as [layout] or [Panel(title, layout)]"
        )
    return [
        _picture(panel if isinstance(panel, Panel) else Panel("", panel)) for panel in panels
    ]


def _picture(panel: Panel) -> Picture:
    title, layout = panel.title, panel.layout
    if len(title) > _LONGEST_TITLE:
        title = title[: _LONGEST_TITLE - 3] + "..."
    if isinstance(layout, Distribution):
        if not layout.is_linear:
            return _picture_of_distribution(title, layout)
        layout = layout.to_linear_layout()
    shown_dims(layout, most=_MOST_PLACES)
    form = form_of(layout)
    bits = panel.element_bits or layout.element_bits or _UNKNOWN_BITS
    return Picture(title, form.inputs, form.outputs, bits)


def _picture_of_distribution(title: str, distribution: Distribution) -> Picture:
    check_size(distribution, most=_MOST_PLACES)
    outputs = {f"dim{d}": extent for d, extent in enumerate(distribution.shape)}
    return Picture(title, {"register": (), "subgroup": ()}, outputs, dealt=distribution)


def _page(pictures: Sequence[Picture]) -> str:
    title = escaped(" / ".join(picture.title for picture in pictures))
    style = stripped(page_text(STYLE)) + _BODY
    texts = [*(stripped(page_text(name)) for name in SCRIPTS), _START]
    script, allowed = packed_script("\n".join(texts))
    policy = f"default-src 'none'; script-src {allowed}; style-src {hash_of(style)}"
    data = json.dumps([picture.as_json() for picture in pictures], separators=(",", ":"))
    data = data.replace("<", r"\u003c")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><style>{style}</style>'
        f'</head><body><script type="application/json" id="pictures">{data}</script>'
        f"{script}</body></html>\n"
    )
