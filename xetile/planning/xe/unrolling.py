"""The number of rounds of a loop that are unrolled into one."""

from typing import NamedTuple

from xetile.targets.xe.loops import Unrolling

_FEW = 4
"""The least number of products for each op that computes a part of an operand in a subgroup: 2 to 6 ops for 32."""


class LoopFacts(NamedTuple):
    """The facts about a loop that decide its unrolling.

    Attributes:
        rounds: the number of rounds, or None if it is known only at run time.
        products: matrix instructions of a round.
        depth: elements of K that one of them multiplies.
        loads: 2D block messages that a round loads.
        exchanges: True if its subgroups wait for each other, as they do if operands pass through shared memory.
            computes: ops that compute vectors in addition to the products. Then registers do not suffice for several
        rounds,
            unless the ops are few and their result is exchanged: a part of an operand.
        nested: True if it contains loops.
    """

    rounds: int | None
    products: int
    depth: int
    loads: int = 0
    exchanges: bool = False
    computes: int = 0
    nested: bool = False


def copies(loop: LoopFacts, unrolling: Unrolling, asked: int | None = None) -> int:
    """Return how many copies of a round the unrolled loop has; all rounds if no loop should remain.

    `asked` is the user's choice for loops with products: this many copies, or 1 for loops as they are written.
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
    """Return the copies for a loop without products that computes on loaded values."""
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
    """Return the power of two, up to `most`, that leaves the fewest rounds of unrolled and remainder loop together.

    The unrolled loop keeps at least two rounds, because later passes remove a loop of a single round. The remainder
    never has a single round: no loop would be made of it, and sums would be moved between the two (K = 520 of an f16
    GEMM in steps of 32, on bmg: 16x64 takes 46.75 instructions a step with 4 rounds in one, 28 as it is; 32x64 spilled
    4736 bytes).

    Two rounds at least are left of the first one: of a single one nothing below makes a loop. Of the second one a
    single one is not left: nothing makes a loop of it, and sums are moved between the two (K = 520 of an f16 GEMM in
    steps of 32, on bmg: 16x64 takes 46.75 instructions a step with 4 rounds in one, 28 as it is; 32x64 spilled 4736
    bytes).
    """
    powers = (1 << power for power in range(most.bit_length()) if 1 << power <= rounds // 2)
    tried = (number for number in powers if rounds % number != 1)
    return min(tried, key=lambda number: rounds // number + rounds % number, default=1)
