"""Gaps in a subgroup's slice of shared memory, so that lanes that are served at once access different banks.

After every 2^k words there are some unused ones. The offset of a message plus that of a lane remains the offset of
both if they have no bit in common.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import xetile.layout.algebra.f2 as f2
from xetile.layout.exchange.banks import all_conflicts
from xetile.layout.exchange.step_prices import Prices
from xetile.layout.exchange.steps import Access, Message, Share
from xetile.layout.exchange.swizzling import BANK_BITS

BYTE_BITS = 8
SLICE_ALIGNMENT = 64
"""Alignment in bytes of a slice with gaps, the same as of a slice without gaps of that size or more."""


class _Gap(NamedTuple):
    """A number of unused words after every 2^`bits`."""

    bits: int
    words: int

    def at(self, word: int) -> int:
        """Return the offset of a word."""
        return word + self.words * (word >> self.bits)


class _Side(NamedTuple):
    """The messages of one side, which are alike: their access, words per lane, number, and bits of their offsets."""

    access: Access
    words: int
    messages: int
    places: int


def with_fewest_conflicts(share: Share, word_bits: int, prices: Prices, lanes: int) -> Share:
    """Return the share with the smallest gaps that leave the fewest bank conflicts, or without gaps if none help."""
    sides = _sides(share)
    found = sum(_conflicts(side, word_bits, prices.banks) for side in sides)
    least, best = (found, share.words), share._replace(conflicts=found)
    if not found:
        return best
    chosen: tuple[_Gap, list[Access]] | None = None
    for gap in _gaps(share, sides, word_bits, prices, lanes):
        words = _words(share, gap, word_bits)
        if words * word_bits > prices.slice_room * BYTE_BITS or (0, words) >= least:
            continue  # it does not fit, or is no better even without conflicts
        spread = [_spread_access(side, gap) for side in sides]
        if None in spread:
            continue
        accesses = [access for access in spread if access is not None]
        apart = [side._replace(access=a) for side, a in zip(sides, accesses, strict=True)]
        found = sum(_conflicts(side, word_bits, prices.banks) for side in apart)
        if (found, words) < least:
            least, chosen = (found, words), (gap, accesses)
    if chosen is None:
        return best
    gap, (store, load) = chosen
    rounds = tuple(
        [(_spread(stores, gap), _spread(loads, gap)) for stores, loads in share.rounds]
    )
    conflicts, words = least
    run = 1 << gap.bits
    return Share(store, load, rounds, words, conflicts, (run, run + gap.words))


def counted(share: Share, word_bits: int, banks: int) -> Share:
    """Return the share with the number of its conflicts."""
    total = sum(_conflicts(side, word_bits, banks) for side in _sides(share))
    return share._replace(conflicts=total)


def _sides(share: Share) -> list[_Side]:
    sides: list[_Side] = []
    for position, access in enumerate((share.store, share.load)):
        messages = [message for round in share.rounds for message in round[position]]
        places = 0
        for message in messages:
            places |= message.offset
        words = len(messages[0].registers)
        sides.append(_Side(access, words, len(messages), places))
    return sides


def _conflicts(side: _Side, word_bits: int, banks: int) -> int:
    """Return the conflicts of all messages of a side: another offset shifts the banks, but not their number."""
    access = side.access
    if access.form == "block":
        return 0
    lanes = [lane * word_bits for lane in f2.span(access.lanes)]
    return all_conflicts(lanes, side.words * word_bits, banks) * side.messages


def _gaps(
    share: Share, sides: Sequence[_Side], word_bits: int, prices: Prices, lanes: int
) -> Iterator[_Gap]:
    """Yield the gaps that are not inside a message and keep their alignment; the smallest slices first."""
    first, least = 0, max(1, BANK_BITS // word_bits)
    for side in sides:
        words = side.words
        if side.access.form == "block":
            words *= lanes
            least = max(least, prices.block_alignment * BYTE_BITS // word_bits)
        else:
            least = max(least, words)
        first = max(first, words.bit_length() - 1)
    most = prices.banks * BANK_BITS // word_bits
    for bits in range(share.words.bit_length() - 2, first - 1, -1):
        words = least
        while words < most:
            yield _Gap(bits, words)
            words *= 2


def _words(share: Share, gap: _Gap, word_bits: int) -> int:
    """Return the words of the slice with gaps."""
    aligned = SLICE_ALIGNMENT * BYTE_BITS // word_bits
    return -(-(gap.at(share.words - 1) + 1) // aligned) * aligned


def _spread(messages: Sequence[Message], gap: _Gap) -> tuple[Message, ...]:
    return tuple([message._replace(offset=gap.at(message.offset)) for message in messages])


def _spread_access(side: _Side, gap: _Gap) -> Access | None:
    """Return the access with gaps; None if lanes and messages share bits, or the lanes' offsets are not linear."""
    access = side.access
    if access.form == "block":
        return access
    if any(column & side.places for column in access.lanes):
        return None
    columns = tuple([gap.at(column) for column in access.lanes])
    if f2.span(columns) != [gap.at(place) for place in f2.span(access.lanes)]:
        return None
    return Access("sums", columns)
