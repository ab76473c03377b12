"""Tables of text: columns as wide as their longest cell, numbers aligned right."""

from collections.abc import Iterable, Iterator, Sequence

GAP = "  "


def table(
    rows: Iterable[Sequence[str]], align: str, *, indent: str = "", least: Sequence[int] = ()
) -> Iterator[str]:
    """Yield the lines of rows; `align` has `<` or `>` for each column, `least` the least widths."""
    rows = list(rows)
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    widths = [max(pair) for pair in zip(widths, [*least, *[0] * len(widths)], strict=False)]
    for row in rows:
        cells = [
            f"{cell:{side}{width}}"
            for cell, side, width in zip(row, align, widths, strict=True)
        ]
        yield (indent + GAP.join(cells)).rstrip()


def number(value: float) -> str:
    """Return a number with at most one digit after the point: `32`, `37.4`."""
    return f"{value:.1f}".removesuffix(".0")
