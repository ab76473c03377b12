"""Host programs with other types and shapes, executed: interpreted, or with every loop compiled."""

import re
from collections.abc import Callable
from random import Random

from tools.fuzz.case import MAIN_FILE, Case
from tools.fuzz.corpus import host_programs
from tools.fuzz.families.tokens import mutate_tokens

_MEMREF = re.compile(r"memref<([^<>]*(?:<[^<>]*>[^<>]*)*)>")
_EXTENT = re.compile(r"(\d+|\?)x")
_ELEMENT = re.compile(r"\b(?:index|i\d+|b?f\d+)\b")
_LAYOUT = re.compile(r", strided<[^<>]*>")
_LIST = re.compile(r"\[([^\[\]]*)\]")
_NUMBER = re.compile(r"-?\b\d+\b|\?")
_CONSTANT = re.compile(r"(arith\.constant )(-?\d+)( : )")

EXTENTS = (
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "8",
    "9",
    "16",
    "64",
    "1000",
    "100000000",
    "9223372036854775807",
    "?",
)
ELEMENTS = (
    "f16",
    "bf16",
    "f32",
    "f64",
    "i1",
    "i8",
    "i16",
    "i32",
    "i64",
    "index",
    "i128",
    "f8E4M3FN",
    "vector<4xf32>",
    "none",
)
CONSTANTS = ("-9223372036854775808", "-5", "-1", "0", "1", "2", "3", "6", "9", "17", "64", "1000", "4294967296",
             "9223372036854775807")  # fmt: skip
LAYOUTS = ("", ", strided<[1]>", ", strided<[?]>", ", strided<[1, 1]>", ", strided<[?, ?], offset: ?>",
    ", strided<[4, 1], offset: 3>",
           ", strided<[100000000, 1]>", ", strided<[0, 0]>", ", strided<[-1]>",
           ", affine_map<(i, j) -> (j, i)>", ", 3",
           ", #gpu.address_space<workgroup>", ", strided<[]>", ", affine_map<(i) -> (i)>")  # fmt: skip

Mutation = Callable[[Random, str], str]


def make(random: Random) -> Case:
    """A program, most of the time with types or shapes changed; all loops compiled, none, or as users have it."""
    text = random.choice(host_programs())
    for _ in range(random.choice((1, 1, 1, 2, 2, 3))):
        text = random.choice(_MUTATIONS)(random, text)
    if random.random() < 0.1:
        arguments = (
            MAIN_FILE,
            *random.choice(((), ("--canonicalize",), ("--cse",), ("--verify-roundtrip",))),
        )
        return Case(
            "xetile-opt", arguments, {MAIN_FILE: text.encode()}, comparable=_comparable(text)
        )
    arguments = (MAIN_FILE, "--entry", "main", *random.choice(((), (), ("--sanitize",))))
    threshold = random.choice((0, 0, None))
    files = {MAIN_FILE: text.encode()}
    return Case(
        "xetile-run", arguments, files, threshold=threshold, comparable=_comparable(text)
    )


def _comparable(text: str) -> bool:
    return "xetile" not in text


def _one_or_all(
    random: Random, pattern: re.Pattern[str], text: str, new: Callable[[str], str]
) -> str:
    """One match replaced, or every occurrence of the same text, so that uses often stay consistent."""
    found = list(pattern.finditer(text))
    if not found:
        return text
    chosen = random.choice(found)
    replacement = new(chosen[0])
    if random.random() < 0.5:
        return text.replace(chosen[0], replacement)
    return text[: chosen.start()] + replacement + text[chosen.end() :]


def _part(
    random: Random, pattern: re.Pattern[str], text: str, choices: tuple[str, ...]
) -> str:
    """One match of the pattern in a short text replaced."""
    found = list(pattern.finditer(text))
    if not found:
        return text
    chosen = random.choice(found)
    own = tuple(match[0].rstrip("x") for match in found)
    new = random.choice(choices + own)
    return (
        text[: chosen.start()]
        + new
        + chosen[0][len(chosen[0].rstrip("x")) :]
        + text[chosen.end() :]
    )


def _extent(random: Random, text: str) -> str:
    return _one_or_all(random, _MEMREF, text, lambda m: _part(random, _EXTENT, m, EXTENTS))


def _element(random: Random, text: str) -> str:
    return _one_or_all(random, _MEMREF, text, lambda m: _part(random, _ELEMENT, m, ELEMENTS))


def _element_everywhere(random: Random, text: str) -> str:
    """Another type of elements and values in the whole program."""
    found = sorted(set(_ELEMENT.findall(text)) - {"index"})
    return (
        re.sub(rf"\b{random.choice(found)}\b", random.choice(ELEMENTS[:9]), text)
        if found
        else text
    )


def _layout(random: Random, text: str) -> str:
    """Another layout, or a changed one."""

    def new(memref: str) -> str:
        if _LAYOUT.search(memref) and random.random() < 0.6:
            return _LAYOUT.sub(lambda m: _part(random, _NUMBER, m[0], EXTENTS), memref)
        return _LAYOUT.sub("", memref)[:-1] + random.choice(LAYOUTS) + ">"

    return _one_or_all(random, _MEMREF, text, new)


def _rank(random: Random, text: str) -> str:
    """A dimension more or less, or none known."""

    def new(memref: str) -> str:
        inside = memref.removeprefix("memref<")
        if random.random() < 0.2:
            return "memref<*x" + inside.rpartition("x")[2]
        if random.random() < 0.5:
            return f"memref<{random.choice(EXTENTS)}x{inside}"
        return "memref<" + _EXTENT.sub("", inside, count=1)

    return _one_or_all(random, _MEMREF, text, new)


def _static(random: Random, text: str) -> str:
    """Another number in a list of offsets, sizes, strides or dimensions."""
    values = (*CONSTANTS, *EXTENTS[:9], "%c0", "%c1", "%c3")
    return _one_or_all(
        random, _LIST, text, lambda m: _part(random, re.compile(r"-?\d+|%\w+"), m, values)
    )


def _shorter_list(random: Random, text: str) -> str:
    """A list with an entry more or less."""

    def new(found: str) -> str:
        parts = found[1:-1].split(", ")
        if random.random() < 0.5:
            del parts[random.randrange(len(parts))]
        else:
            parts.append(random.choice((*parts, "1", "%c1")))
        return "[" + ", ".join(parts) + "]"

    return _one_or_all(random, _LIST, text, new)


def _constant(random: Random, text: str) -> str:
    found = list(_CONSTANT.finditer(text))
    chosen = random.choice(found)
    return text[: chosen.start(2)] + random.choice(CONSTANTS) + text[chosen.end(2) :]


def _memref(random: Random, text: str) -> str:
    """A whole type for another of the program."""
    types = sorted({match[0] for match in _MEMREF.finditer(text)})
    return _one_or_all(random, _MEMREF, text, lambda m: random.choice(types))


SHAPES: tuple[Mutation, ...] = (_extent, _extent, _element, _element_everywhere, _layout, _rank, _static, _static,
                                _shorter_list, _memref)  # fmt: skip
"""Mutations of types and shapes."""

_MUTATIONS: tuple[Mutation, ...] = (*SHAPES, _constant, _constant, mutate_tokens)
