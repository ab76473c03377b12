"""The instructions of a kernel's last level, read again from its text, with the op of level L of each."""

from typing import NamedTuple

from xetile.explorer.model import Kernel, Level
from xetile.toolchain.assembly import Program, parse_assembly


class Listing(NamedTuple):
    """The assembly of a kernel.

    Attributes:
        program: its instructions, which are those of the level, as far as a thread executes them.
        links: by instruction the op of level L that it came of; None of the compiler's own, and where it is guessed.
        level: the index of the level with the instructions.
        origin: the index of level L.
    """

    program: Program
    links: list[int | None]
    level: int
    origin: int


def listing(kernel: Kernel) -> Listing | None:
    """The assembly of a kernel; None where nobody made it."""
    found = next((n for n, level in enumerate(kernel.levels) if level.id == "I"), None)
    if found is None or (origin := kernel.levels[found].of) is None:
        return None
    level = kernel.levels[found]
    program = parse_assembly("\n".join(level.lines))
    return Listing(program, _links(kernel, level, len(program.instructions)), found, origin)


def _links(kernel: Kernel, level: Level, count: int) -> list[int | None]:
    """The op of each instruction, None of guessed ones; what stands behind the end of the thread is left out."""
    links = [op.parents[0] if op.parents else None for op in level.ops]
    for number in kernel.inferred:
        links[number] = None
    assert len(links) >= count, (len(links), count)
    return links[:count]
