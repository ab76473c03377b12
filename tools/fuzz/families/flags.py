"""The flags of all commands, with values that they may be given."""

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

from tools.fuzz.corpus import SEEDS

Flags = Mapping[str, Sequence[str]]
"""A command's flags with their values, none for flags that take none."""

RARE = {
    "--help",
    "--version",
    "--list-passes",
    "--list-devices",
    "--show-dialects",
    "--show-pass",
    "--debug",
}
"""Flags that only answer a question, or show more."""

UNTRIED = {"--disable-verify", "--shrink"}
"""Flags that ask for what wrong input does unchecked, and one that is for another tool."""


@cache
def table() -> Mapping[str, Flags]:
    """The flags by command, and under "" the values that have a name."""
    flags: dict[str, dict[str, tuple[str, ...]]] = {"": {}}
    command = ""
    for line in (SEEDS / "flags.txt").read_text().splitlines():
        if line.startswith("["):
            command = line.strip("[]")
            flags[command] = {}
        elif line and not line.startswith("#"):
            name, _, listed = line.partition(" =")
            known = flags[command].get(name, ())
            flags[command][name] = known + _values(listed, flags[""])
    return flags


def _values(listed: str, named: Flags) -> tuple[str, ...]:
    parts = [part.strip() for part in listed.split("|")] if listed else []
    return tuple(value for part in parts for value in named.get(part, (part,)))


def values(name: str) -> Sequence[str]:
    """The values of a name."""
    return table()[""][f"${name}"]


def some_flags(random: Random, command: str, most: int = 5) -> list[str]:
    """Some flags of a command, each with one of its values."""
    known = table()[command]
    names = [name for name in known if name not in RARE or random.random() < 0.05]
    arguments: list[str] = []
    for name in random.choices(names, k=random.randrange(most + 1)):
        if not known[name]:
            arguments.append(name)
        elif name.startswith("--") and random.random() < 0.2:
            arguments.append(f"{name}={random.choice(known[name])}")
        else:
            arguments += [name, random.choice(known[name])]
    return arguments
