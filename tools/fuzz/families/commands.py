"""Command lines: flags combined, doubled, misspelled, with wrong values; files that are missing, empty, folders."""

from collections.abc import Sequence
from functools import cache
from io import BytesIO
from random import Random
from shlex import split

import numpy

from tools.fuzz.case import MAIN_FILE, Case
from tools.fuzz.corpus import executable, host_programs, readable
from tools.fuzz.families.calls import PASSES
from tools.fuzz.families.flags import some_flags, values
from tools.fuzz.families.tokens import mutate_tokens

MORE_PASSES = (
    "--mlir",
    "--mlir-opt",
    "--dce",
    "--licm",
    "--xetile-to-xevm",
    "--xetile-blokcing",
)

GEMM = tuple(
    split("gemm --m 64 --n 64 --k 64 --a f16 --acc f32 --wg 64x64 --sg 32x32 --k-step 32")
)
"""A call of xetile-kernel that is right."""

_ALIASES = "#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 16], warpsPerCTA = [1, 1], order = [1, 0]}>"


def make(random: Random) -> Case:
    """A call with up to five flags."""
    tool = random.choices(("opt", "compile", "run", "kernel", "layout"), (3, 3, 4, 2, 3))[0]
    arguments = _MAKERS[tool](random)
    if random.random() < 0.1:
        arguments = _spoiled(random, arguments)
    source = random.choice(executable() + host_programs())
    files = {
        MAIN_FILE: source.encode(), "other.mlir": random.choice(readable()).encode(), "empty": b"",
            "folder/inside": b"x",
        "binary": random.randbytes(64), "out": b"old", "good.npy": _array(), "empty.npy": b"",
        "aliases": _ALIASES.encode(),
    }  # fmt: skip
    return Case(f"xetile-{tool}", tuple(arguments), files, input=source.encode())


def _input(random: Random, arguments: list[str]) -> list[str]:
    """With none, one or two files, before or behind the flags."""
    for _ in range(random.choices((0, 1, 2), (1, 20, 1))[0]):
        arguments.insert(random.choice((0, len(arguments))), random.choice(values("INPUT")))
    return arguments


def _opt(random: Random) -> list[str]:
    passes = random.sample(PASSES + MORE_PASSES, random.choice((0, 0, 1, 2)))
    return _input(random, some_flags(random, "xetile-opt", 4) + passes)


def _compile(random: Random) -> list[str]:
    return _input(random, some_flags(random, "xetile-compile"))


def _run(random: Random) -> list[str]:
    given = ["--arg", "int"] * random.choice((0, 0, 1, 2, 3))
    return _input(random, given + some_flags(random, "xetile-run"))


def _kernel(random: Random) -> list[str]:
    start = [*GEMM] if random.random() < 0.7 else [random.choice(("gemm", "conv", ""))]
    return start + some_flags(random, "xetile-kernel", 3)


def _layout(random: Random) -> list[str]:
    match random.randrange(6):
        case 4:
            right = split("dpas --dtype f16 --operand A")
            return right + some_flags(random, "xetile-layout dpas", 4)
        case 0:
            right = split("block-load --dtype f16 --operand A --shape 32x32")
            return right + some_flags(random, "xetile-layout block-load", 4)
        case 1:
            right = split("wgmma --dtype bf16 --major K --shape 64x64")
            return right + some_flags(random, "xetile-layout wgmma", 4)
        case 2:
            right = [
                "convert",
                _attribute(random),
                _attribute(random),
                "-t",
                random.choice(values("TENSOR")),
            ]
            return right + some_flags(random, "xetile-layout convert", 2)
        case 3:
            right = ["-l", _attribute(random), "-t", random.choice(values("TENSOR"))]
            return right + some_flags(random, "xetile-layout", 2)
        case _:
            return some_flags(random, "xetile-layout")


def _attribute(random: Random) -> str:
    text = random.choice(values("LAYOUT"))
    return mutate_tokens(random, text) if text and random.random() < 0.5 else text


def _spoiled(random: Random, arguments: Sequence[str]) -> list[str]:
    """With an argument dropped, doubled, moved or misspelled."""
    spoiled = list(arguments) or ["--"]
    place = random.randrange(len(spoiled))
    match random.randrange(5):
        case 0:
            del spoiled[place]
        case 1:
            spoiled.insert(place, spoiled[place])
        case 2:
            random.shuffle(spoiled)
        case 3:
            spoiled[place] = spoiled[place][:-1]
        case _:
            spoiled.insert(
                place,
                random.choice(
                    ("--", "-", "---x", "-x", "--nobody", "@file", "\udcff", "--help=1")
                ),
            )
    return spoiled


@cache
def _array() -> bytes:
    stream = BytesIO()
    numpy.save(stream, numpy.arange(1024, dtype=numpy.float16).reshape(32, 32))
    return stream.getvalue()


_MAKERS = {"opt": _opt, "compile": _compile, "run": _run, "kernel": _kernel, "layout": _layout}
