"""Diagnostics that a test input announces in comments, in the notation of mlir-opt.

    // expected-error {{text}}            on this line
    // expected-error@+1 {{text}}         so many lines below (or above, with -)
    // expected-error@below {{text}}      on the next line that announces nothing; also @above
    // expected-error@unknown {{text}}    without a place
    // expected-error-re {{a {{[0-9]+}}}}  with regular expressions between inner braces

The kinds are error, warning, remark and note. A text matches a diagnostic that contains it.

Source: MLIR's documentation of diagnostics, section "SourceMgr Diagnostic Verifier Handler".
"""

import re
from dataclasses import dataclass

_ANNOUNCEMENT = re.compile(
    r"expected-(error|warning|remark|note)(-re)? *(?:@([+-]\d+|above|below|unknown))? *\{\{(.*)\}\}\s*$"
)
MARKER = "expected-"

_MOST_DIGITS = 12
"""Most digits, with the sign, of a distance in lines; a longer distance is past the end of every file even if cut."""


@dataclass(frozen=True)
class Diagnostic:
    """A reported diagnostic: its kind, its line from 1 or None, its message."""

    kind: str
    line: int | None
    message: str


@dataclass(frozen=True)
class Expectation:
    """An announced diagnostic, the line of the announcement, and the pattern that it matches."""

    kind: str
    line: int | None
    at: int
    text: str
    pattern: re.Pattern[str]

    def matches(self, diagnostic: Diagnostic) -> bool:
        return (self.kind, self.line) == (
            diagnostic.kind,
            diagnostic.line,
        ) and self.pattern.search(diagnostic.message) is not None


def read_expectations(text: str) -> list[Expectation]:
    """Return all announcements of an input; lines count from 1."""
    lines = text.split("\n")
    announcing = [_ANNOUNCEMENT.search(line) is not None for line in lines]
    expectations: list[Expectation] = []
    for index, line in enumerate(lines):
        found = _ANNOUNCEMENT.search(line)
        if found is None:
            continue
        kind, is_pattern, place, message = found.groups()
        pattern = re.compile(_pattern(message) if is_pattern else re.escape(message))
        target = _line(place, index, announcing)
        expectations.append(Expectation(kind, target, index + 1, message, pattern))
    return expectations


def _line(place: str | None, index: int, announcing: list[bool]) -> int | None:
    if place is None:
        return index + 1
    if place == "unknown":
        return None
    if place in ("above", "below"):
        step = 1 if place == "below" else -1
        while 0 <= index < len(announcing) and announcing[index]:
            index += step
        return index + 1
    return index + 1 + int(place[:_MOST_DIGITS])


def _pattern(message: str) -> str:
    parts = re.split(r"\{\{(.*?)\}\}", message)
    return "".join(
        f"(?:{p})" if number % 2 else re.escape(p) for number, p in enumerate(parts)
    )


def unmet(
    expectations: list[Expectation], diagnostics: list[Diagnostic], *, unexpected: bool = True
) -> list[tuple[int, str]]:
    """Return the mismatches as lines and messages.

    Mismatches are announcements that nothing met and, if `unexpected`, diagnostics that were not announced.
    """
    open_expectations = list(expectations)
    wrong: list[tuple[int, str]] = []
    for diagnostic in diagnostics:
        met = next((e for e in open_expectations if e.matches(diagnostic)), None)
        if met is not None:
            open_expectations.remove(met)
        elif unexpected:
            wrong.append(
                (diagnostic.line or 1, f"unexpected {diagnostic.kind}: {diagnostic.message}")
            )
    wrong.extend(
        (e.at, f'expected {e.kind} "{e.text}" was not produced') for e in open_expectations
    )
    return wrong
