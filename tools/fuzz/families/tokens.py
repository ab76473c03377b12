"""Mutations of a text's tokens and lines."""

from collections.abc import Callable
from random import Random

from tools.fuzz.corpus import kind, tokens, vocabulary

NUMBERS = ("0", "1", "2", "3", "7", "8", "15", "16", "17", "24", "32", "33", "64", "100", "65536",
           "2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
           "0.0", "1.5", "1.0e300", "0x7FC00000")  # fmt: skip

TokenMutation = Callable[[Random, list[str]], None]


def _place(random: Random, parts: list[str]) -> int:
    """The place of a token that is no blank."""
    places = [i for i, part in enumerate(parts) if not part.isspace()]
    return random.choice(places) if places else 0


def _delete(random: Random, parts: list[str]) -> None:
    del parts[_place(random, parts)]


def _double(random: Random, parts: list[str]) -> None:
    place = _place(random, parts)
    parts.insert(place, parts[place])


def _swap(random: Random, parts: list[str]) -> None:
    i, j = _place(random, parts), _place(random, parts)
    parts[i], parts[j] = parts[j], parts[i]


def _replace(random: Random, parts: list[str]) -> None:
    place = _place(random, parts)
    parts[place] = random.choice(vocabulary()[kind(parts[place])])


def _renumber(random: Random, parts: list[str]) -> None:
    numbers = [i for i, part in enumerate(parts) if part[0].isdigit()]
    if numbers:
        parts[random.choice(numbers)] = random.choice(NUMBERS)


def _rename(random: Random, parts: list[str]) -> None:
    """Another value, attribute alias or symbol of this very program."""
    names = [i for i, part in enumerate(parts) if part[0] in "%#!@" and len(part) > 1]
    if names:
        i, j = random.choice(names), random.choice(names)
        if parts[i][0] == parts[j][0]:
            parts[i] = parts[j]


def _retype(random: Random, parts: list[str]) -> None:
    """Another element type, everywhere."""
    types = ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "i1", "index", "tf32"]
    old, new = random.choice(types), random.choice(types)
    for i, part in enumerate(parts):
        if part == old:
            parts[i] = new


def _resize(random: Random, parts: list[str]) -> None:
    """Another number, everywhere it stands: extents often stay consistent so."""
    numbers = sorted({part for part in parts if part[0].isdigit()})
    if numbers:
        old, new = random.choice(numbers), random.choice((*numbers, *NUMBERS[:13]))
        for i, part in enumerate(parts):
            if part == old:
                parts[i] = new


def _lines(random: Random, parts: list[str]) -> None:
    """Drop, double or move a line."""
    lines = "".join(parts).split("\n")
    line = lines.pop(random.randrange(len(lines)))
    for _ in range(random.choice((0, 1, 2))):
        lines.insert(random.randrange(len(lines) + 1), line)
    parts[:] = tokens("\n".join(lines))


_TOKEN_MUTATIONS: tuple[TokenMutation, ...] = (
    _delete, _double, _swap, _replace, _renumber, _renumber, _rename, _retype, _resize, _resize, _lines,
)  # fmt: skip


def mutate_tokens(random: Random, text: str) -> str:
    """The text with one to four tokens or lines changed."""
    parts = tokens(text)
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        if parts:
            random.choice(_TOKEN_MUTATIONS)(random, parts)
    return "".join(parts)
