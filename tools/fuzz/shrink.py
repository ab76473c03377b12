"""A failing input with fewer lines."""

from collections.abc import Callable


def shrunk(text: str, fails: Callable[[str], bool]) -> str:
    """The text without the lines that it fails without, tried in ever smaller runs."""
    lines = text.split("\n")
    size = max(1, len(lines) // 2)
    while True:
        start, before = 0, len(lines)
        while start < len(lines):
            rest = lines[:start] + lines[start + size :]
            if rest and fails("\n".join(rest)):
                lines = rest
            else:
                start += size
        if size > 1:
            size //= 2
        elif len(lines) == before:
            return "\n".join(lines)
