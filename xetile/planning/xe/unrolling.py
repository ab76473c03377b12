"""How many rounds of a loop are written into one."""

from typing import NamedTuple

from xetile.targets.xe.loops import Unrolling

_FEW = 4
"""Products for each op that computes, or more, where a subgroup computes a part of an operand: 2 to 6 for 32."""


class LoopFacts(NamedTuple):
    """The facts about a loop that decide its unrolling.

    Attributes:
        rounds: how often it goes round; None where only running tells.
        products: matrix instructions of a round.
        depth: elements of K that one of them multiplies.
        loads: 2D block messages that a round loads.
        exchanges: whether its subgroups wait for each other, as they do where operands come through shared memory.
        computes: ops that compute vectors beside the products; then registers do not suffice for several rounds, unless
            they are few, and what they compute is exchanged: a part of an operand.
        nested: whether loops are in it.
    """

    rounds: int | None
    products: int
    depth: int
    loads: int = 0
    exchanges: bool = False
    computes: int = 0
    nested: bool = False


def copies(loop: LoopFacts, unrolling: Unrolling, asked: int | None = None) -> int:
    """How often a round is written in the loop that is made of it; all of its rounds where no loop is to be left.

    `asked` is what the user wants of loops with products: so many copies, 1 for loops as they are written.
    """
    rounds = loop.rounds
    if asked == 1 or loop.nested:
        return 1
    if not loop.products:
        return 1 if asked is not None else _streamed(loop, unrolling)
    if asked is not None:
        return asked if rounds is None else max(1, min(asked, rounds))
    few = rounds is not None and rounds <= unrolling.complete
    part = loop.exchanges and not few and _FEW * loop.computes <= loop.products
    if loop.computes and not part:
        return 1
    if few:
        return max(1, rounds or 0)
    most = _most(loop, unrolling)
    if rounds is None:
        return min(most, unrolling.unknown)
    return _fewest_branches(rounds, most)


def _streamed(loop: LoopFacts, unrolling: Unrolling) -> int:
    """Of a loop that computes on what it loads, with no product."""
    if loop.exchanges or not loop.loads:
        return 1
    most = max(1, unrolling.streaming // loop.loads)
    if loop.rounds is None:
        return min(most, unrolling.unknown)
    return _fewest_branches(loop.rounds, most)


def _most(loop: LoopFacts, unrolling: Unrolling) -> int:
    if loop.exchanges:
        return unrolling.exchanging
    return next(
        (
            row.copies
            for row in unrolling.rows
            if loop.products >= row.products and loop.depth <= row.depth
        ),
        1,
    )


def _fewest_branches(rounds: int, most: int) -> int:
    """The power of two, up to `most`, with which the fewest rounds are left of both loops together.

    Two rounds at least are left of the first one: of a single one nothing below makes a loop. Of the second one a
    single one is not left: nothing makes a loop of it, and sums are moved between the two (K = 520 of an f16 GEMM in
    steps of 32, on bmg: 16x64 takes 46.75 instructions a step with 4 rounds in one, 28 as it is; 32x64 spilled 4736
    bytes).
    """
    powers = (1 << power for power in range(most.bit_length()) if 1 << power <= rounds // 2)
    tried = (number for number in powers if rounds % number != 1)
    return min(tried, key=lambda number: rounds // number + rounds % number, default=1)
