"""What a kernel's assembly does over time: instructions executed, how far prefetches run ahead, cycles of the pipes."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from xetile.targets.xe.issue import Rates
from xetile.toolchain.assembly import Instruction, Program, classify, loop_ranges, products_of


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
