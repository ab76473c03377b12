"""Which instructions send the messages of moves: those that reach memory and came of the op that moves."""

from collections import defaultdict

from xetile.exploration.instructions import Listing
from xetile.exploration.model import At, Kernel
from xetile.toolchain.classes import MESSAGES, class_of

_OTHERS = ("spill", "fill")
"""Messages that no op asked for."""


def add_instructions(kernel: Kernel, listing: Listing) -> None:
    """Say of each message of a move which instructions it is, in all copies of an unrolled loop.

    Several messages of one op take turns, as they are in the order of the op's parts.
    """
    sent = _sent(kernel, listing)
    for move in kernel.moves:
        for number, message in enumerate(move.messages):
            message.asm = sent[move.op][number :: len(move.messages)]


def _sent(kernel: Kernel, listing: Listing) -> dict[At, list[int]]:
    """By op of any level the messages that came of it."""
    found: dict[At, list[int]] = defaultdict(list)
    for number, one in enumerate(listing.program.instructions):
        kind = class_of(one)
        op = listing.links[number]
        if op is None or kind not in MESSAGES or kind in _OTHERS:
            continue
        waiting = [(listing.origin, op)]
        while waiting:
            level, op = waiting.pop()
            found[level, op].append(number)
            above = kernel.levels[level].of
            if above is not None:
                waiting += [(above, parent) for parent in kernel.levels[level].ops[op].parents]
    return found
