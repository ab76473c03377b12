"""What mlir-opt refuses, ours refuses: programs that ours took, handed to mlir-opt many at a time."""

import re
import subprocess
from collections.abc import Iterator, Sequence

from tools.fuzz.case import Finding
from xetile.toolchain.paths import find_mlir_opt

BATCH = 200
"""Programs in one call."""

SECONDS = 120

_SEPARATOR = "\n// -----\n"
_TAKEN = "unexpected decimal integer literal for a floating point value"
"""xDSL reads whole numbers as elements of dense floats, which changes no meaning."""

_ERROR = re.compile(r"^<stdin>:(\d+):\d+: error: (.*)$", re.MULTILINE)


def refused(texts: Sequence[str]) -> Iterator[tuple[int, Finding]]:
    """The texts that mlir-opt refuses, by their place in the list.

    Errors: RuntimeError if there is no mlir-opt.
    """
    program = find_mlir_opt()
    if program is None:
        raise RuntimeError("there is no mlir-opt; name one in XETILE_MLIR_OPT")
    for start in range(0, len(texts), BATCH):
        for place, message in _errors(str(program), texts[start : start + BATCH]):
            yield start + place, Finding("mlir-opt", f"refuses: {message}")


def _errors(program: str, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The first error of each text that has one."""
    ends: list[int] = []
    line = 1
    for text in texts:
        line += text.count("\n") + _SEPARATOR.count("\n")
        ends.append(line)
    try:
        done = subprocess.run(
            [program, "--split-input-file", "-o", "/dev/null"],
            input=_SEPARATOR.join(texts),
            capture_output=True, text=True, timeout=SECONDS, check=False, errors="replace",
        )  # fmt: skip
        crashed = done.returncode not in (0, 1)
    except subprocess.TimeoutExpired:
        crashed, done = True, None
    if crashed or done is None:
        if len(texts) > 1:  # mlir-opt itself has failed at one of them
            middle = len(texts) // 2
            yield from _errors(program, texts[:middle])
            yield from ((middle + n, m) for n, m in _errors(program, texts[middle:]))
        return
    seen: set[int] = set()
    for found in _ERROR.finditer(done.stderr):
        place = next(n for n, end in enumerate(ends) if int(found[1]) < end)
        if place not in seen and found[2] != _TAKEN:
            seen.add(place)
            yield place, found[2]
