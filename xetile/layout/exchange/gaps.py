"""Gaps in a subgroup's slice of shared memory, so that lanes that are served at once ask different banks.

Behind every 2^k words there are some that nobody uses. The place of a message plus that of a lane stays the place of
both where they have no bit in common.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import xetile.layout.algebra.f2 as f2
from xetile.layout.exchange.banks import all_conflicts
from xetile.layout.exchange.prices import Prices
from xetile.layout.exchange.steps import Access, Message, Share
from xetile.layout.exchange.swizzling import BANK_BITS

BYTE_BITS = 8
SLICE_ALIGNMENT = 64
"""Bytes of which a slice with gaps is a multiple, as those without are that have so many."""


class _Gap(NamedTuple):
    """So many words behind every 2^`bits`."""

    bits: int
    words: int

    def at(self, word: int) -> int:
        """Where a word lies."""
        return word + self.words * (word >> self.bits)


def with_fewest_conflicts(share: Share, word_bits: int, prices: Prices, lanes: int) -> Share:
    """The share with the gaps that leave the fewest bank conflicts, and of those the smallest; none where none help."""
    best = counted(share, word_bits, prices.banks)
    if not best.conflicts:
        return best
    for gap in _gaps(share, word_bits, prices, lanes):
        found = _spread(share, gap, word_bits)
        if found is None or found.words * word_bits > prices.slice_room * BYTE_BITS:
            continue
        found = counted(found, word_bits, prices.banks)
        if (found.conflicts, found.words) < (best.conflicts, best.words):
            best = found
    return best


def counted(share: Share, word_bits: int, banks: int) -> Share:
    """The share with the number of its conflicts."""
    stores = [message for stores, _ in share.rounds for message in stores]
    loads = [message for _, loads in share.rounds for message in loads]
    total = sum(
        _conflicts(access, messages, word_bits, banks)
        for access, messages in ((share.store, stores), (share.load, loads))
    )
    return share._replace(conflicts=total)


def _conflicts(access: Access, messages: Sequence[Message], word_bits: int, banks: int) -> int:
    """Of all messages of a side, which are alike: another offset asks other banks, but as many."""
    if access.form == "block":
        return 0
    words = len(messages[0].registers)
    lanes = [
        f2.multiply(access.lanes, lane) * word_bits for lane in range(1 << len(access.lanes))
    ]
    return all_conflicts(lanes, words * word_bits, banks) * len(messages)


def _gaps(share: Share, word_bits: int, prices: Prices, lanes: int) -> Iterator[_Gap]:
    """What spans no message and keeps their alignment; the smallest slices first."""
    first, least = 0, max(1, BANK_BITS // word_bits)
    for position, access in enumerate((share.store, share.load)):
        words = max(len(m.registers) for round in share.rounds for m in round[position])
        if access.form == "block":
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


def _spread(share: Share, gap: _Gap, word_bits: int) -> Share | None:
    """With gaps; None where lanes and messages have bits in common, or the lanes' places are no linear map."""
    sides: list[Access] = []
    for position, access in enumerate((share.store, share.load)):
        offsets = [message.offset for round in share.rounds for message in round[position]]
        found = _spread_access(access, offsets, gap)
        if found is None:
            return None
        sides.append(found)
    rounds = tuple(
        [
            (_spread_messages(stores, gap), _spread_messages(loads, gap))
            for stores, loads in share.rounds
        ]
    )
    aligned = SLICE_ALIGNMENT * BYTE_BITS // word_bits
    words = -(-(gap.at(share.words - 1) + 1) // aligned) * aligned
    return Share(sides[0], sides[1], rounds, words)


def _spread_messages(messages: Sequence[Message], gap: _Gap) -> tuple[Message, ...]:
    return tuple([message._replace(offset=gap.at(message.offset)) for message in messages])


def _spread_access(access: Access, offsets: Sequence[int], gap: _Gap) -> Access | None:
    if access.form == "block":
        return access
    used = 0
    for offset in offsets:
        used |= offset
    if any(column & used for column in access.lanes):
        return None
    columns = tuple([gap.at(column) for column in access.lanes])
    for lane in range(1 << len(columns)):
        if f2.multiply(columns, lane) != gap.at(f2.multiply(access.lanes, lane)):
            return None
    return Access("sums", columns)
