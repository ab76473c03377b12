"""Statistics of a kernel's assembly, per K step of its hot loop.

What a kernel's assembly does over time: instructions executed, how far prefetches run ahead, cycles of the pipes.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from xetile.errors import XetileError
from xetile.targets.xe.issue import Rates
from xetile.toolchain.assembly import (
    COUNTED,
    Instruction,
    Program,
    classify,
    hot_range,
    loop_ranges,
    parse_assembly,
    products_of,
    unrolled_range,
)
from xetile.toolchain.description import described


class Distance(NamedTuple):
    """Matrix instructions between a prefetch and the first load of what it fetched."""

    least: int
    most: int


def executed(
    program: Program, hot: range | None, products: int | None, entries: int | None = None
) -> int | None:
    """Instructions that a subgroup executes if `products` of them are matrix instructions; None where nothing tells.

    The hot loop goes round as often as it can; a smaller loop with matrix instructions, which takes the rest, goes
    round for what is left. A loop around it goes round as often as the hot loop is entered, as written (`entries`).
    All else is counted once, branches that are not taken too.
    """
    everything = program.instructions
    loops = loop_ranges(program)
    if not loops:
        return len(everything)
    if hot is None or products is None or len(loops) > 2:
        return None
    others = [loop for loop in loops if loop != hot]
    if others and _holds(others[0], hot):
        return _nested(everything, others[0], hot, products, entries)
    straight = products_of(everything) - sum(_products(everything, loop) for loop in loops)
    rounds, left = divmod(products - straight, _products(everything, hot))
    total = len(everything) + (rounds - 1) * len(hot)
    for loop in others:
        inside = _products(everything, loop)
        if not inside:
            return None
        again, left = divmod(left, inside)
        total += (again - 1) * len(loop)
    return None if left or rounds < 0 else total


def _nested(
    everything: Sequence[Instruction],
    outer: range,
    hot: range,
    products: int,
    entries: int | None,
) -> int | None:
    """The same of a hot loop in another one, which has no matrix instruction beside it: else that were the hot one."""
    inside = _products(everything, hot)
    if not entries or products_of(everything) != inside or products % (entries * inside):
        return None
    rounds = products // (entries * inside)
    return len(everything) + (entries - 1) * len(outer) + entries * (rounds - 1) * len(hot)


def prefetch_distance(
    body: Sequence[Instruction], unroll: float, ahead: int
) -> Distance | None:
    """How many matrix instructions stand between a prefetch and the load that takes what it fetched, over a round.

    A round of the loop has `unroll` K steps, and a prefetch fetches what is loaded `ahead` steps later, as written.
    The compiler may move prefetches, within a round, but not out of order. None where steps do not share them evenly.
    """
    places: dict[str, list[int]] = {"prefetch2d": [], "load2d": []}
    before = 0
    for instruction in body:
        kind = classify(instruction)
        if kind in places:
            places[kind].append(before)
        before += kind == "dpas"
    prefetches, loads = places.values()
    steps = int(unroll)
    if steps != unroll or not prefetches or len(prefetches) % steps or len(loads) % steps:
        return None
    in_step = len(prefetches) // steps, len(loads) // steps
    if not in_step[1]:
        return None
    found: list[int] = []
    for number, place in enumerate(prefetches):
        rounds, step = divmod(number // in_step[0] + ahead, steps)
        taken = min(loads[step * in_step[1] : (step + 1) * in_step[1]])
        found.append(rounds * before + taken - place)
    return Distance(min(found), max(found))


_EXECUTION_SIZE = re.compile(r"\((\d+)\|M\d+\)")
_REPEAT = re.compile(r"dpasw?\.\d+x(\d+)")
_WIDE = re.compile(r"<\d+>:(q|uq|df)\b")


def pipe_cycles(body: Sequence[Instruction], rates: Rates) -> Counter[str]:
    """Cycles of the parts of a vector engine: `matrix`, `math`, `vector` (mov and alu), `issue` (one each).

    The parts work at the same time, for several threads; the busiest one is what a loop takes at least.
    """
    cycles: Counter[str] = Counter(issue=len(body))
    for instruction in body:
        kind = classify(instruction)
        if kind == "dpas":
            repeat = _REPEAT.search(instruction.text)
            cycles["matrix"] += rates.row * (int(repeat.group(1)) if repeat else 1)
        elif kind in ("mov", "alu"):
            size = _EXECUTION_SIZE.search(instruction.text)
            lanes = int(size.group(1)) if size else 1
            passes = -(-lanes // rates.lanes)
            if _WIDE.search(instruction.text) and lanes * rates.wide_bytes > 4 * rates.lanes:
                passes *= 2
            is_math = instruction.mnemonic == "math"
            cycles["math" if is_math else "vector"] += passes * (
                rates.math_factor if is_math else 1
            )
    return cycles


def _products(everything: Sequence[Instruction], loop: range) -> int:
    return products_of(everything[loop.start : loop.stop])


def _holds(outer: range, inner: range) -> bool:
    return outer.start <= inner.start and inner.stop <= outer.stop


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
