"""Which faults a run plants: a choice by seed, spread over the rooms by their lines, and those on record."""

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from .edits import Edit, changes_the_program, edits_of

Name = TypeVar("Name")

ROOMS = (
    "xetile/analysis",
    "xetile/passes",
    "xetile/planning",
    "xetile/layout",
    "xetile/rewriting",
)


class Fault(NamedTuple):
    """An edit of one file; `name` says which of the recorded ones it is."""

    path: str
    edit: Edit
    name: str = ""

    def __str__(self) -> str:
        shown = " → ".join(
            " ".join(text.split()) for text in (self.edit.before, self.edit.after)
        )
        return f"{self.path}:{self.edit.line}  {shown}"


class Recorded(NamedTuple):
    """A fault that tests once missed: text that stands once in a file, and what is put there."""

    name: str
    path: str
    before: str
    after: str


RECORDED = (
    Recorded(
        "padding: the last row",
        "xetile/passes/xe/convert_xetile_to_xegpu/padding.py",
        "_at_least(rows, height)",
        "_at_least(rows, height - 1)",
    ),
    Recorded(
        "plane: column-major",
        "xetile/passes/xe/convert_xetile_to_xegpu/surface_operands.py",
        "(fast, slow) if order == COLUMN_MAJOR else (slow, fast)",
        "(slow, fast)",
    ),
)


def recorded_faults(root: Path, records: Sequence[Recorded] = RECORDED) -> list[Fault]:
    """The faults on record; ValueError where the text that one changes is no longer there once."""
    found: list[Fault] = []
    for name, path, before, after in records:
        text = (root / path).read_text()
        if text.count(before) != 1:
            raise ValueError(f"{path} does not hold '{before}' once: mend the record '{name}'")
        start = text.index(before)
        line = text.count("\n", 0, start) + 1
        edit = Edit(line, start, start + len(before), before, after, "recorded")
        found.append(Fault(path, edit, name))
    return found


def choose(root: Path, *, seed: int, count: int, rooms: Iterable[str] = ROOMS) -> list[Fault]:
    """Faults in the folders of the rooms, in the order of their places; none shares a line."""
    folders: dict[Path, list[Path]] = {}
    for room in rooms:
        for path in sorted((root / room).rglob("*.py")):
            folders.setdefault(path.parent, []).append(path)
    lines = {
        folder: sum(len(path.read_text().splitlines()) for path in paths)
        for folder, paths in folders.items()
    }
    chosen: list[Fault] = []
    for folder, share in shares(lines, count).items():
        name = folder.relative_to(root).as_posix()
        chosen += _choose(root, folders[folder], random.Random(f"{seed} {name}"), share)
    return sorted(chosen)


def shares(sizes: Mapping[Name, int], count: int) -> dict[Name, int]:
    """`count` things dealt out in proportion to sizes, the largest remainders first."""
    total = sum(sizes.values())
    exact = {name: count * size / total for name, size in sizes.items()}
    dealt = {name: int(share) for name, share in exact.items()}
    rest = sorted(exact, key=lambda name: dealt[name] - exact[name])
    for name in rest[: count - sum(dealt.values())]:
        dealt[name] += 1
    return dealt


def _choose(
    root: Path, files: Sequence[Path], chance: random.Random, count: int
) -> list[Fault]:
    texts = {path: path.read_text() for path in files}
    by_line: dict[tuple[Path, int], list[Edit]] = {}
    for path, text in texts.items():
        for edit in edits_of(text):
            by_line.setdefault((path, edit.line), []).append(edit)
    chosen: list[Fault] = []
    for path, line in chance.sample(sorted(by_line), len(by_line)):
        if len(chosen) == count:
            break
        edits = by_line[path, line]
        edit = next(
            (
                e
                for e in chance.sample(edits, len(edits))
                if changes_the_program(e, texts[path])
            ),
            None,
        )
        if edit is not None:
            chosen.append(Fault(path.relative_to(root).as_posix(), edit))
    return chosen
