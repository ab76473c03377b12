"""Bank conflicts of lanes that access shared memory at once."""

from collections.abc import Iterator, Sequence

from xetile.layout.exchange.swizzling import BANK_BITS


def conflicts(lanes: Sequence[int], access_bits: int, banks: int) -> int:
    """Return the additional cycles of an access in which each lane has `access_bits` from its bit on.

    As many lanes are served at once as use all banks; lanes that access the same word of a bank share it. The result
    is that of the worst group of lanes.
    """
    return max(_waits(lanes, access_bits, banks))


def all_conflicts(lanes: Sequence[int], access_bits: int, banks: int) -> int:
    """Return the additional cycles of all groups of lanes together."""
    return sum(_waits(lanes, access_bits, banks))


def _waits(lanes: Sequence[int], access_bits: int, banks: int) -> Iterator[int]:
    at_once = max(1, banks * BANK_BITS // max(access_bits, BANK_BITS))
    for first in range(0, len(lanes), at_once):
        words: dict[int, set[int]] = {}
        for lane in lanes[first : first + at_once]:
            for word in range(lane // BANK_BITS, -(-(lane + access_bits) // BANK_BITS)):
                words.setdefault(word % banks, set()).add(word)
        yield max(len(found) - 1 for found in words.values())
