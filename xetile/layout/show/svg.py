"""Scenes as SVG, for pages that no script runs in: primitives of one ink together, so that files are small."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from xetile.layout.show.inline import escaped, page_text
from xetile.layout.show.picture import Picture
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
    """Primitives of something, and its size in pixels; `name` is its class in the SVG."""

    name: str
    primitives: Sequence[Primitive]
    width: int
    height: int


def svg_of_pictures(pictures: Sequence[Picture]) -> str:
    """The pictures, those of layouts with their matrices of bits, side by side as far as a page is wide."""
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
    """Figures in one SVG, which follows the reader's choice of a dark page; the parts of one stand side by side."""
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
    """The colour of an ink: its own in the style sheet, or the tint of a hue on paper."""
    if not re.fullmatch(r"c\d+", ink):
        return known[ink]
    key = int(ink[1:])
    level = key // HUES % len(TINTS)
    weight = TINTS[level]
    # the palest ones would be lost on a dark page
    ground = "tint" if level == len(TINTS) - 1 else "paper"
    hue, paper = (_channels(known[name]) for name in (f"lane-{key % HUES}", ground))
    # a half goes up, as in the page
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
    """The style sheet's colours by their names."""
    return _sheets()[dark]
