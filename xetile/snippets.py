"""The line of source that a diagnostic speaks of, with a caret under the column, as mlir-opt prints it."""

WIDTH = 120
"""Characters of a line that are shown; a longer one is cut around the caret."""

_CUT = "…"


def snippet(text: str, line: int, column: int) -> str:
    """The line and, below, a caret; both numbers count from 1, columns in characters.

    Nothing where the text has no such line, the line alone where it has no such column. Tabs
    stand in both lines, so that the caret stands right however wide they are.
    """
    found = _line(text, line)
    if not found.strip():
        return ""
    place = column - 1
    if not 0 <= place <= len(found):
        return _cut(found, 0)[0]
    shown, place = _cut(found, place)
    return f"{shown}\n{_blanks(shown[:place])}^"


def _line(text: str, number: int) -> str:
    """A line without its end, with a sign in place of what terminals do not show; empty if there is none."""
    start = 0
    for _ in range(number - 1):
        start = text.find("\n", start) + 1
        if start == 0:
            return ""
    end = text.find("\n", start)
    line = text[start : len(text) if end < 0 else end] if number > 0 else ""
    return "".join(
        character if character.isprintable() or character == "\t" else "\ufffd"
        for character in line.removesuffix("\r")
    )


def _cut(line: str, place: int) -> tuple[str, int]:
    """At most WIDTH characters of a line around a place, and where the place is in them."""
    if len(line) <= WIDTH:
        return line, place
    start = 0 if place < WIDTH - 1 else min(place - WIDTH // 2, len(line) - WIDTH + 1)
    before = _CUT if start else ""
    rest = WIDTH - len(before)
    behind = _CUT if start + rest < len(line) else ""
    shown = line[start : start + rest - len(behind)]
    return before + shown + behind, place - start + len(before)


def _blanks(text: str) -> str:
    """Blanks as wide as a text, tabs in place of its tabs."""
    return "".join(map(_blank, text))


def _blank(character: str) -> str:
    import unicodedata

    if character == "\t":
        return character
    if unicodedata.combining(character):
        return ""
    return "  " if unicodedata.east_asian_width(character) in ("W", "F") else " "
