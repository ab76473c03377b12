"""Prices of the steps of a conversion between register layouts, in instructions of one device."""

from typing import NamedTuple


class Prices(NamedTuple):
    """Instructions of steps for one register: a word of at most 32 bits of each lane.

    Attributes:
        move: to another register of the same lane.
        broadcast: from one lane to all.
        swaps: from lane `own ^ number`, by the number; 0 for the own lane.
        permutation: from any other lanes; the addresses are computed once.
        permutation_setup: the addresses of a permutation.
        select: a choice between two registers by the lane.
        select_setup: the flag of a choice.
        shared_setup: the addresses of a subgroup and of its lanes in shared memory.
        block_message: a message of consecutive words of all lanes, with its address.
        lane_message: a message of consecutive words for each lane, with its address.
        narrow_word: a word below 32 bits that is packed into a lane message, or unpacked from it.
        conflict: an additional cycle in which lanes access different words of a bank of shared memory.
        picked: a word that messages move in another order than that of registers, so that lanes access other banks.
        block_words: the most words of a lane that a block message moves.
        block_bits: widths of words (bits) that block messages support.
        block_alignment: alignment in bytes of a block message's address in shared memory.
        lane_words: the most words of a lane that a lane message moves; likewise `lane_bytes`.
        slice_bytes: shared memory of each subgroup for the words of its conversions.
        slice_room: shared memory of each subgroup for those words and the gaps between them.
        banks: of shared memory, of a word of 32 bits each.
        barrier: a wait for the whole workgroup.
        combine: two registers added, or their maximum in each lane.
        reduced: one register of all lanes reduced, by the number (1, 2, 4, ...) of registers reduced at once.
    """

    move: float
    broadcast: float
    swaps: tuple[float, ...]
    permutation: float
    permutation_setup: float
    select: float
    select_setup: float
    shared_setup: float
    block_message: float
    lane_message: float
    narrow_word: float
    conflict: float
    picked: float
    block_words: int
    block_bits: tuple[int, ...]
    block_alignment: int
    lane_words: int
    lane_bytes: int
    slice_bytes: int
    slice_room: int
    banks: int
    barrier: float
    combine: float = 1.0
    reduced: tuple[float, ...] = ()

    def among(self, subgroups: int, shared_bytes: int) -> "Prices":
        """Return the prices in a workgroup of this many subgroups with this much shared memory (bytes)."""
        room = shared_bytes // max(1, subgroups)
        slice_bytes = 1 << room.bit_length() >> 1
        return self._replace(
            slice_bytes=min(self.slice_bytes, slice_bytes),
            slice_room=min(self.slice_room, room),
        )
