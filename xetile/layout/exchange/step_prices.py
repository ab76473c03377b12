"""What the steps of a conversion between register layouts cost, in instructions of one device."""

from typing import NamedTuple


class Prices(NamedTuple):
    """Instructions that steps take for one register: a word of at most 32 bits of each lane.

    Attributes:
        move: to another register of the same lane.
        broadcast: from one lane to all.
        swaps: from lane `own ^ number`, by the number; 0 for the own lane.
        permutation: from lanes that are no such number away, and the addresses that are computed once.
        permutation_setup: the addresses of a permutation.
        select: a choice between two registers by the lane.
        select_setup: the flag of a choice.
        shared_setup: the place of a subgroup and of its lanes in shared memory.
        block_message: a message of consecutive words of all lanes, with its address.
        lane_message: a message of words next to each other for each lane, with its address.
        narrow_word: a word below 32 bits that is packed into one of the latter, or taken out of it.
        conflict: an additional cycle in which lanes ask a bank of shared memory for different words.
        picked: a word that messages take or give in another order than registers have, so that lanes ask other banks.
        block_words: the most words of a lane that one of the former moves.
        block_bits: widths of words (bits) that there are messages of the former kind for.
        block_alignment: bytes of which the address of one in shared memory is a multiple.
        lane_words: the most words of a lane that one of the latter moves; likewise `lane_bytes`.
        slice_bytes: words of its conversions that each subgroup has shared memory for.
        slice_room: shared memory that each subgroup has for those words and gaps between them.
        banks: of shared memory, of a word of 32 bits each.
        barrier: a wait for the whole workgroup.
        combine: two registers added, or the larger one of each lane.
        reduced: one register of all lanes reduced, where it is one of 1, 2, 4, ... that are.
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
        """The prices in a workgroup of so many subgroups, which has so much shared memory (bytes)."""
        room = shared_bytes // max(1, subgroups)
        slice_bytes = 1 << room.bit_length() >> 1
        return self._replace(
            slice_bytes=min(self.slice_bytes, slice_bytes),
            slice_room=min(self.slice_room, room),
        )
