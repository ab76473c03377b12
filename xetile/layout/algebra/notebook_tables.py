"""Tables and short texts of numbers, with which notebooks show plans and distributions."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def html_table(caption: str, rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table of texts, with the first of each row as its head."""
    from html import escape

    lines = [f"<table><caption>{escape(caption)}</caption>"]
    for head, *cells in rows:
        texts = "".join(f"<td>{escape(str(cell))}</td>" for cell in cells)
        lines.append(f"<tr><th>{escape(str(head))}</th>{texts}</tr>")
    return "\n".join([*lines, "</table>"])


def counted(count: int, what: str) -> str:
    """Return a number with its noun: 1 round, 2 rounds."""
    return f"{count:,} {what}" + "s" * (count != 1)


def runs(numbers: Sequence[int]) -> str:
    """Return numbers with runs of neighbors as first-last."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1:
            found[-1].append(number)
        else:
            found.append([number])
    return ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in found)
