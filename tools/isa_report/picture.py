"""The picture of the page: bars of the loop's instructions, ours above upstream's best and stock, by kernel."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from tools.isa_report.figures import Figures, Row
from tools.isa_report.page import number

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "code-quality.svg"

DEVICES = ("bmg", "pvc")
LABELS = 226
"""Pixels for the names of the kernels."""
BARS = 250
"""Pixels of the longest bar of a device."""
VALUES = 62
BAR, GAP, GROUP = 9, 2, 12
TOP = 92


class Series(NamedTuple):
    """One of the bars of a group."""

    name: str
    colour: str


SERIES = (
    Series("xetile", "#0550ae"),
    Series("upstream's best", "#f0883e"),
    Series("upstream's stock", "#c9d1d9"),
)


def picture(figures: Figures) -> str:
    """The SVG. A kernel's bars for a device are to the scale of the longest one; numbers stand behind them."""
    names = [
        name
        for name, rows in figures.items()
        if any(device in rows and rows[device].stock for device in DEVICES)
    ]
    group = 3 * BAR + 2 * GAP + GROUP
    panel = BARS + VALUES
    width, height = LABELS + len(DEVICES) * panel + 16, TOP + len(names) * group + 12
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" font-size="12" '
        'fill="#24292f">',
        f'<rect width="{width}" height="{height}" fill="#ffffff" />',
        '<text x="16" y="26" font-size="16" font-weight="600">Instructions of the loop per step</text>',
        '<text x="16" y="44" fill="#57606a">ocloc\'s assembly; less is better. A scale for each kernel.</text>',
        *_legend(),
    ]
    for place, device in enumerate(DEVICES):
        x = LABELS + place * panel
        lines.append(f'<text x="{x}" y="{TOP - 8}" font-weight="600">{device}</text>')
        for position, name in enumerate(names):
            row = figures[name].get(device)
            if row is not None:
                lines += _bars(row, x, TOP + position * group)
    for position, name in enumerate(names):
        y = TOP + position * group + 1.5 * BAR + GAP + 4
        lines.append(
            f'<text x="{LABELS - 10}" y="{y:g}" text-anchor="end">{escape(name)}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def _legend() -> Sequence[str]:
    lines: list[str] = []
    x = 16
    for series in SERIES:
        lines.append(f'<rect x="{x}" y="56" width="12" height="12" fill="{series.colour}" />')
        lines.append(f'<text x="{x + 18}" y="66">{escape(series.name)}</text>')
        x += 144
    return lines


def _bars(row: Row, x: int, y: int) -> list[str]:
    counted = [row.ours] + [way and way.counts for way in (row.best, row.stock)]
    values = [None if counts is None else counts["total"] for counts in counted]
    longest = max((value for value in values if value is not None), default=1.0)
    lines: list[str] = []
    for series, value in zip(SERIES, values, strict=True):
        if value is None:
            lines.append(
                f'<text x="{x + 4}" y="{y + BAR}" font-size="9.5" fill="#8c959f">fails</text>'
            )
        else:
            length = BARS * value / longest
            lines.append(
                f'<rect x="{x}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{series.colour}" />'
            )
            lines.append(
                f'<text x="{x + length + 4:.1f}" y="{y + BAR}" font-size="10">{number(value)}</text>'
            )
        y += BAR + GAP
    return lines
