"""Layouts as SVG, as a page of their own, and in notebooks: the explorer's renderer with some layouts for a model."""

import json
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from xetile.layout.algebra.distribution import Distribution
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.show.bases import form_of
from xetile.layout.show.distributions import check_size
from xetile.layout.show.inline import escaped, hash_of, packed_script, page_text, stripped
from xetile.layout.show.picture import Picture, grid_of
from xetile.layout.show.svg import svg_of_pictures
from xetile.layout.show.views import shown_dims

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

    `element_bits` colours shared memory by 16-byte columns; without it the layout's own
    are taken, else 8.
    """

    title: str
    layout: Drawable
    element_bits: int | None = None

    def _repr_html_(self) -> str | None:
        return _in_notebook(self)


def draw_svg(panels: Sequence[Panel | Drawable]) -> str:
    """The panels, or layouts without a title, side by side as one SVG, those of layouts with their matrices of bits.

    A tile of more than 64 rows or columns is a map of all of it, and a part in full. LayoutError: a layout has other in
    dimensions, or is too large to draw, or there is none.
    """
    return svg_of_pictures(_pictures(panels))


def draw_html(panels: Sequence[Panel | Drawable]) -> str:
    """The same as a web page that needs no network; what is pointed at in one is outlined in all."""
    return _page(_pictures(panels))


def notebook_picture(layout: Drawable) -> str | None:
    """What a notebook shows for a layout or a distribution; None where it cannot be drawn and its text is shown."""
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
