"""Statistics of a kernel's assembly, per K step of its hot loop."""

import re
from collections import Counter
from typing import NamedTuple

from xetile.errors import XetileError
from xetile.targets.xe.issue import Rates
from xetile.toolchain.assembly import (
    COUNTED,
    classify,
    hot_range,
    parse_assembly,
    products_of,
    unrolled_range,
)
from xetile.toolchain.description import described
from xetile.toolchain.isa_rounds import executed, pipe_cycles, prefetch_distance


class Work(NamedTuple):
    """What is known of a kernel before it is compiled.

    Attributes:
        looped: whether its matrix instructions are in a loop, as written.
        products_per_step: matrix instructions of a K step, as written; 0 for those of one round of the loop.
        products: matrix instructions that a subgroup executes; None where that is unknown.
        entries: how often the hot loop is entered; None where that is unknown.
        ahead: K steps from a prefetch to the load of what it fetches; None where nothing tells.
    """

    looped: bool = False
    products_per_step: int = 0
    products: int | None = None
    ahead: int | None = None
    entries: int | None = None


def statistics(
    assembly: str,
    description: str,
    kernel: str,
    *,
    work: Work | None = None,
    rates: Rates | None = None,
) -> dict[str, float]:
    """Counts for the hot loop of a kernel, per K step.

    `description` is the binary's `.ze_info`. Keys: COUNTED and `total` (instructions per K step), `loop_unroll` (K
    steps per round of the loop), `outside` (instructions of the kernel outside of it), `grf_count` (registers per
    thread), `spill_size` and `scratch` (bytes per thread). Where they are known, too: `instructions` (that a subgroup
    executes), `prefetch_distance_least` and `prefetch_distance_most` (DPAS from a prefetch to the load of what it
    fetched); with `rates`, `cycles` (of the busiest part of a vector engine, per K step).

    Where the loop was unrolled completely, `unrolled_completely` is true: what stands from its first load to its last
    DPAS counts as its body, mixed as it is with what was in front of it. Where there was no loop, the whole kernel is.
    Errors: XetileError when the description does not name the kernel.
    """
    work = Work() if work is None else work
    program = parse_assembly(assembly)
    everything = program.instructions
    hot = hot_range(program)
    unrolled = hot is None and work.looped and products_of(everything) > 0
    place = (unrolled_range(program) if unrolled else hot) or range(len(everything))
    body = everything[place.start : place.stop]
    counts = Counter(map(classify, body))
    step = work.products_per_step
    unroll = counts["dpas"] / step if step and counts["dpas"] else 1.0
    result = {key: _tidy(counts[key] / unroll) for key in COUNTED}
    result |= {"total": _tidy(len(body) / unroll), "loop_unroll": _tidy(unroll)}
    if unrolled:
        result["unrolled_completely"] = True
    result["outside"] = len(everything) - len(body)
    if (instructions := executed(program, hot, work.products, work.entries)) is not None:
        result["instructions"] = instructions
    if work.ahead is not None and (far := prefetch_distance(body, unroll, work.ahead)):
        result["prefetch_distance_least"], result["prefetch_distance_most"] = far
    if rates is not None:
        result["cycles"] = _tidy(max(pipe_cycles(body, rates).values()) / unroll)
    return result | environment(description, kernel)


def environment(description: str, kernel: str) -> dict[str, float]:
    """`grf_count`, `spill_size`, `scratch` of a kernel from a binary's `.ze_info`."""
    kernels = described(description)
    if kernel not in kernels:
        raise XetileError(f"the binary holds no kernel '{kernel}' but {', '.join(kernels)}")
    text = kernels[kernel]
    scratch = re.findall(r"- type: +scratch\n(?: {8}.*\n)*? {8}size: +(\d+)", text)
    return {
        "grf_count": _field(text, "grf_count"),
        "spill_size": _field(text, "spill_size"),
        "scratch": sum(map(int, scratch)),
    }


def _field(text: str, name: str) -> int:
    found = re.search(rf"^ +{name}: +(\d+)$", text, re.MULTILINE)
    return int(found.group(1)) if found else 0


def _tidy(value: float) -> float:
    """Whole numbers as such, others to four places."""
    return int(value) if value == int(value) else round(value, 4)
