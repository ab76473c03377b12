"""How lanes that access shared memory at once meet in its banks."""

from collections.abc import Iterator, Sequence

from xetile.layout.exchange.swizzling import BANK_BITS


def conflicts(lanes: Sequence[int], access_bits: int, banks: int) -> int:
    """Additional cycles of an access in which each lane has `access_bits` from its bit on.

    So many lanes are served at once as use all banks; those that ask for the same word of a bank share it. Of these
    groups of lanes it is the worst.
    """
    return max(_waits(lanes, access_bits, banks))


def all_conflicts(lanes: Sequence[int], access_bits: int, banks: int) -> int:
    """The same of all groups of lanes together."""
    return sum(_waits(lanes, access_bits, banks))


def _waits(lanes: Sequence[int], access_bits: int, banks: int) -> Iterator[int]:
    at_once = max(1, banks * BANK_BITS // max(access_bits, BANK_BITS))
    for first in range(0, len(lanes), at_once):
        words: dict[int, set[int]] = {}
        for lane in lanes[first : first + at_once]:
            for word in range(lane // BANK_BITS, -(-(lane + access_bits) // BANK_BITS)):
                words.setdefault(word % banks, set()).add(word)
        yield max(len(found) - 1 for found in words.values())
