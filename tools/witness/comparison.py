"""Two sets of results held against each other."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from hashlib import sha256

from .store import Result

LINES = 40


@dataclass(frozen=True)
class Difference:
    """A part of a result that differs: the call, the part, the lines of a diff."""

    name: str
    part: str
    lines: tuple[str, ...]

    @property
    def kind(self) -> str:
        """What is the same for differences of which one says all: the changed lines without numbers."""
        changed = [line for line in self.lines[2:] if line[:1] in "+-"]
        return sha256(
            "\n".join(re.sub(r"\d+", "0", line) for line in changed).encode()
        ).hexdigest()


def without_attribute(text: str, name: str) -> str:
    """IR text without an attribute in its dictionaries, and without the dictionaries that it leaves empty."""
    entry = re.compile(rf"(?<![\w.\"$-])\"?{re.escape(name)}\"?(?=\s*[,=}}])")
    kept = ""
    position = 0
    while found := entry.search(text, position):
        kept += text[position : found.start()]
        position = _end_of_entry(text, found.end())
        if kept.endswith("{") and text.startswith(("}", "}>"), position):
            generic = kept.endswith("<{") and text.startswith("}>", position)
            kept = re.sub(
                r" ?(attributes )?<?\{$" if generic else r" ?(attributes )?\{$", "", kept
            )
            position += 2 if generic else 1
        elif text.startswith(",", position) and not kept.endswith(", "):
            position += 2 if text.startswith(", ", position) else 1
        else:
            kept = kept.removesuffix(", ")
    return kept + text[position:]


def _end_of_entry(text: str, position: int) -> int:
    """Where the value of a dictionary's entry ends: at the comma or brace that closes it."""
    depth = 0
    quoted = False
    while position < len(text):
        letter = text[position]
        if quoted:
            position += letter == "\\"
            quoted = letter != '"'
        elif letter == '"':
            quoted = True
        elif letter == "-" and text[position + 1 : position + 2] == ">":
            position += 1
        elif letter in "<[({":
            depth += 1
        elif depth == 0 and letter in ",}":
            return position
        elif letter in ">])}":
            depth -= 1
        position += 1
    return position


def compare(
    base: Sequence[Result],
    head: Sequence[Result],
    *,
    read_base: Callable[[str], bytes],
    read_head: Callable[[str], bytes],
    ignored: Sequence[str] = (),
) -> list[Difference]:
    """The differences of two lists of results; texts are read where their hashes differ."""
    ours = {result.name: result.parts for result in head}
    theirs = {result.name: result.parts for result in base}
    differences: list[Difference] = []
    for name in dict.fromkeys([*theirs, *ours]):
        if name not in ours or name not in theirs:
            where = "the base" if name in theirs else "this tree"
            differences.append(Difference(name, "result", ("", "", f"+ only in {where}")))
            continue
        for part in _differing(theirs[name], ours[name]):
            left = _data(theirs[name], part, read_base)
            right = _data(ours[name], part, read_head)
            lines = difference_lines(left, right, ignored)
            if lines:
                differences.append(Difference(name, part, lines))
    return differences


def _differing(base: Mapping[str, str], head: Mapping[str, str]) -> list[str]:
    return [part for part in dict.fromkeys([*base, *head]) if base.get(part) != head.get(part)]


def _data(parts: Mapping[str, str], part: str, read: Callable[[str], bytes]) -> bytes:
    return read(parts[part]) if part in parts else b""


def difference_lines(base: bytes, head: bytes, ignored: Sequence[str]) -> tuple[str, ...]:
    """A unified diff of two texts without the ignored attributes, or what differs in bytes; empty if nothing."""
    try:
        left, right = base.decode(), head.decode()
    except UnicodeDecodeError:
        return () if base == head else ("--- base", "+++ head", _first_difference(base, head))
    for name in ignored:
        left, right = without_attribute(left, name), without_attribute(right, name)
    lines = unified_diff(
        left.splitlines(), right.splitlines(), "base", "head", n=1, lineterm=""
    )
    found = tuple(lines)
    if not found and left != right:
        return ("--- base", "+++ head", "+ line breaks differ")
    return found


def _first_difference(base: bytes, head: bytes) -> str:
    pairs = enumerate(zip(base, head, strict=False))
    place = next((n for n, (a, b) in pairs if a != b), min(len(base), len(head)))
    return f"+ {len(base)} and {len(head)} bytes, different from byte {place}"


def report(differences: Sequence[Difference], *, most: int | None) -> list[str]:
    """The differences for a person: those with the same diff together, `most` groups at most."""
    groups: dict[str, list[Difference]] = {}
    for difference in differences:
        groups.setdefault(difference.kind, []).append(difference)
    shown = list(groups.values())[:most]
    lines: list[str] = []
    for group in shown:
        first = group[0]
        lines += ["", f"== {first.name} [{first.part}]", *first.lines[:LINES]]
        if len(first.lines) > LINES:
            lines.append(f"... {len(first.lines) - LINES} lines more")
        if len(group) > 1:
            others = ", ".join(f"{other.name} [{other.part}]" for other in group[1:4])
            more = ", ..." if len(group) > 4 else ""
            lines.append(f"-- the same in {len(group) - 1} more: {others}{more}")
    if len(groups) > len(shown):
        lines += ["", f"... {len(groups) - len(shown)} different diffs more; --all shows them"]
    return lines
