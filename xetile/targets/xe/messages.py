"""2D block messages: those that the devices compile, and those that xevm's verifier accepts.

Each row is (columns, blocks): heights, all in elements. Sources, both exhaustive over powers
of two:
- compiled: one kernel per configuration and device with Intel's offline compiler (ocloc 26.27, IGC 2.40.14),
  builtins `intel_sub_group_2d_block_*` of cl_intel_subgroup_2d_block_io, accepted when exactly one message results;
- verified: `mlir-opt` 22.1.8 on `xevm.blockload2d`, `xevm.blockstore2d`, `xevm.blockprefetch2d`.
"""

from xetile.layout.intel.message_layouts import Access, BlockConfiguration

Rows = dict[tuple[int, int], tuple[int, ...]]
"""Heights by (columns, blocks)."""

TRANSPOSED_WORD_BITS = 32
"""Bits of the least that a transposed message exchanges; smaller elements stay in a word with their neighbors."""

PART_BITS = (32, 16, 8)
"""Bits of the words that elements are cut into if no message moves them whole, the largest first."""

HEIGHTS = (1, 2, 4, 8, 16, 32)
"""Heights that a message can have (rows)."""


def _from(lowest: int) -> tuple[int, ...]:
    return tuple(height for height in HEIGHTS if height >= lowest)


def _rows(heights: tuple[int, ...], *shapes: tuple[int, int]) -> Rows:
    return dict.fromkeys(shapes, heights)


_ONE_BLOCK_WIDTHS = {
    8: (4, 8, 16, 32, 64),
    16: (2, 4, 8, 16, 32),
    32: (1, 2, 4, 8, 16),
    64: (1, 2, 4, 8),
}
"""Columns of one block, by element bits: together at most 64 bytes."""

PAYLOAD_ROW_BYTES = 64
"""Widest row of all blocks of a prefetch whose address payload IGC keeps in a register over a loop.

Source: IGC ("width x numBlocks > 64 bytes"); for cri's wider messages only the OpenCL
builtin is left.
"""

JOINED_STORE_BITS = (16,)
"""Bits of elements for which two neighboring stores of half a row of a register are merged.

Source: ocloc 26.27: a 32x64 tile in f16 takes 8 instructions fewer outside of the loop on bmg, 56 on pvc; one in i8,
where a conversion produces every fourth byte, takes 376 more than with separate stores.
"""

PAYLOAD_REACH = 512
"""Columns and rows (elements) that a message can be right of its payload's place, or below it: less than this.

Source: ocloc 26.27 for bmg: 511 and -512 are in the message, for 512 and -513 the payload is copied and added to. On
pvc, whose messages have no offsets, it always is.
"""

_PREFETCH_BYTES = 64
_LARGE_PREFETCH_BYTES = 256

COMPILED_LOADS: dict[int, Rows] = {
    8: _rows(HEIGHTS, (4, 1), (8, 1), (16, 1), (32, 1), (32, 2), (64, 1))
    | _rows((1, *_from(4)), (16, 2), (16, 4))
    | _rows(_from(8), (8, 2), (8, 4))
    | _rows(_from(16), (4, 2), (4, 4)),
    16: _rows(HEIGHTS, (2, 1), (4, 1), (8, 1), (16, 1), (16, 2), (32, 1))
    | _rows(_from(4), (8, 2), (8, 4))
    | _rows(_from(8), (4, 2), (4, 4))
    | _rows(_from(16), (2, 2), (2, 4)),
    32: _rows(
        HEIGHTS, (1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (1, 2), (2, 2), (4, 2), (8, 2)
    ),
    64: {(8, 1): _from(2), (4, 1): _from(4), (2, 1): _from(8), (1, 1): _from(16)},
}

COMPILED_PACKED: dict[int, Rows] = {
    8: _rows(_from(4), *((columns, blocks) for columns in (4, 8, 16) for blocks in (1, 2, 4))),
    16: _rows(_from(2), *((columns, blocks) for columns in (2, 4, 8) for blocks in (1, 2, 4)))
    | _rows(_from(2), (16, 1), (16, 2)),
}

WIDE_PACKED: dict[int, Rows] = {
    8: _rows(_from(4), (32, 1), (32, 2), (64, 1)),
    16: _rows(_from(2), (32, 1)),
}
"""Further packed loads, on all devices but pvc."""

COMPILED_TRANSPOSED: dict[int, Rows] = {
    32: _rows(HEIGHTS, (1, 1), (2, 1), (4, 1), (8, 1)),
    64: _rows((8,), (2, 1), (4, 1)),
}

WIDE_TRANSPOSED: dict[int, Rows] = {
    32: _rows(HEIGHTS, (16, 1)),
    64: _rows((8, 16), (2, 1), (4, 1), (8, 1)) | _rows((16,), (1, 1)),
}
"""Transposed loads of cri beyond those of all devices."""

COMPILED_STORES: dict[int, Rows] = {
    bits: _rows((1, 2, 4, 8), *((columns, 1) for columns in widths))
    for bits, widths in _ONE_BLOCK_WIDTHS.items()
}


def _prefetches(exact_bytes: int | None = None) -> dict[int, Rows]:
    """Return prefetches of at most 64 bytes a row, or of exactly `exact_bytes`."""
    blocks = {8: (1, 2, 4), 16: (1, 2, 4), 32: (1, 2), 64: (1,)}
    if exact_bytes is not None:
        blocks = dict.fromkeys(blocks, (1, 2, 4))
    table: dict[int, Rows] = {}
    for bits, smallest in ((8, 4), (16, 2), (32, 1), (64, 1)):
        shapes = [
            (columns, count)
            for columns in (1, 2, 4, 8, 16, 32, 64, 128, 256)
            for count in blocks[bits]
            if columns >= smallest
            and (
                columns * count * bits <= _PREFETCH_BYTES * 8
                if exact_bytes is None
                else columns * count * bits == exact_bytes * 8
            )
        ]
        table[bits] = _rows(HEIGHTS, *shapes)
    return table


COMPILED_PREFETCHES = _prefetches()
LARGE_PREFETCHES = _prefetches(_LARGE_PREFETCH_BYTES)
"""Prefetches of cri beyond those of all devices: rows of exactly 256 bytes."""

_VERIFIED_LOADS: dict[int, Rows] = {
    8: _rows(
        HEIGHTS, (4, 4), (8, 2), (8, 4), (16, 1), (16, 2), (16, 4), (32, 1), (32, 2), (64, 1)
    )
    | _rows(_from(2), (4, 2), (8, 1))
    | _rows(_from(4), (4, 1)),
    16: _rows(HEIGHTS, (4, 4), (8, 2), (8, 4), (16, 1), (16, 2), (32, 1))
    | _rows(_from(2), (2, 4), (4, 2), (8, 1))
    | _rows(_from(4), (2, 2), (4, 1))
    | _rows(_from(8), (2, 1)),
    32: _rows(HEIGHTS, (8, 2), (16, 1))
    | _rows(_from(2), (4, 2), (8, 1))
    | _rows(_from(4), (2, 2), (4, 1))
    | _rows(_from(8), (1, 2), (2, 1))
    | _rows(_from(16), (1, 1)),
}

_VERIFIED_PACKED: dict[int, Rows] = {
    8: _rows(_from(4), (16, 1), (16, 2), (16, 4)),
    16: _rows(_from(2), (16, 1), (16, 2)),
}

_VERIFIED_TRANSPOSED: dict[int, Rows] = {
    32: {(8, 1): _from(2), (4, 1): _from(4), (2, 1): _from(8), (1, 1): _from(16)}
}

_VERIFIED_STORES: dict[int, Rows] = {
    8: _rows((1, 2, 4, 8), (16, 1), (32, 1)),
    16: _rows((1, 2, 4, 8), (16, 1)),
    32: _rows((1, 2, 4, 8), (16, 1)),
}

_VERIFIED_PREFETCHES: dict[int, Rows] = {
    bits: _rows(HEIGHTS, *((columns, blocks) for columns in widths for blocks in (1, 2, 4, 8)))
    for bits, widths in ((8, (16, 32)), (16, (16,)), (32, (8, 16)))
}

VERIFIED: dict[Access, dict[int, Rows]] = {
    "load": _VERIFIED_LOADS,
    "load_packed": _VERIFIED_PACKED,
    "load_transposed": _VERIFIED_TRANSPOSED,
    "store": _VERIFIED_STORES,
    "prefetch": _VERIFIED_PREFETCHES,
}
"""The messages that xevm's verifier accepts."""


def configurations(access: Access, rows: Rows) -> tuple[BlockConfiguration, ...]:
    """Return the rows of a table as configurations, in a fixed order."""
    return tuple(
        BlockConfiguration(
            height, columns, blocks, access == "load_packed", access == "load_transposed"
        )
        for (columns, blocks), heights in sorted(rows.items())
        for height in heights
    )


def verified(access: Access, element_bits: int) -> tuple[BlockConfiguration, ...]:
    """Return the messages that xevm's verifier accepts for elements of `element_bits` bits."""
    return configurations(access, VERIFIED[access].get(element_bits, {}))


_WORD_BITS = (32, 64)
"""Bits of words of which a lane can have several in one message."""

LEAST_WORD_BITS = _WORD_BITS[0]
"""Bits in which a lane's narrower words are loaded and stored."""

_WORD_COUNTS = (1, 2, 4, 8)


ROW_BITS = (16, 32)
"""Bits of elements of which a row for a subgroup is one 1D block read, at any address that is a multiple of 4 bytes.

Source: cl_intel_subgroups and its _short, "intel_sub_group_block_read"; ocloc 26.27 (`load.ugm.d32x8t` and wider).
"""


def lane_words(bits: int, count: int, alignment: int | None) -> tuple[int, int] | None:
    """Return the words (bits, how many) in which one message moves a lane's elements, or None if none does.

    `alignment` is that of the address (bytes), None for the size of all elements. Source: IGC's functions
    `__builtin_IB_lsc_load_global_*` (IGCBiF_Intrinsics_Lsc.cl), of which ocloc 26.27 makes one message each, of 8 words
    of 64 bits two.
    """
    total = bits * count
    word = bits
    if bits < _WORD_BITS[0] <= total:
        word = _WORD_BITS[0]
    words = total // word if word else 0
    if words not in _WORD_COUNTS or (words > 1 and word not in _WORD_BITS):
        return None
    if word not in (8, 16, *_WORD_BITS) or (alignment is not None and 8 * alignment < word):
        return None
    return word, words
