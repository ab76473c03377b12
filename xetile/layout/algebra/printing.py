"""A layout as text, as Triton prints its own."""

from __future__ import annotations

from functools import lru_cache

from xetile.layout.algebra.dimensions import flattened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from xetile.layout.algebra.dimensions import Columns, Widths

_MOST_IMAGES = 1024


def layout_text(columns: Columns, widths: Widths) -> str:
    """The image of each basis of each input dimension, a line each, and the output dimensions with their sizes."""
    pattern, images = _form(*columns, *map(len, columns.values()), *widths.items())
    if len(images) > _MOST_IMAGES:
        images.clear()
    return pattern % (*map(images.__getitem__, flattened(columns.values())),)


class _Images(dict[int, str]):
    """The text of a column by the column: the basis vectors of layouts are few, and met again and again."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        self.widths = widths

    def __missing__(self, column: int) -> str:
        rest, components = column, list[str]()
        for width in self.widths:
            components.append(str(rest & (1 << width) - 1))
            rest >>= width
        self[column] = text = f"({', '.join(components)})"
        return text


@lru_cache(maxsize=64)
def _form(*parts: str | int | tuple[str, int]) -> tuple[str, _Images]:
    """The text with %s for each image, of in-dims' names, their bits, and out-dims; and the images.

    Layouts that are printed one after another have few such texts.
    """
    names = [part for part in parts if isinstance(part, str)]
    counts = [part for part in parts if isinstance(part, int)]
    outs = [part for part in parts if isinstance(part, tuple)]
    images = _Images(tuple([width for _, width in outs]))
    sizes = ", ".join(f"{name} (size {1 << width})" for name, width in outs)
    sizes = sizes.replace("%", "%%")
    if not names:
        return (
            f"\n(empty layout with out-dims [{sizes}])" if outs else "\n(empty layout)",
            images,
        )
    lines = [""]
    for name, count in zip(names, counts, strict=True):
        shown = name.replace("%", "%%")
        if not count:
            lines.append(f" - {shown} is a size 1 dimension")
        for position in range(count):
            lead = "   " if position else " - "
            lines.append(f"{lead}{shown}={1 << position} -> %s")
    return "\n".join([*lines, f"where out dims are: [{sizes}]"]), images
