"""The words in which messages move elements of other widths: several elements in one word, or parts of one element.

Transposed messages exchange words of 32 bits, and so several narrow elements at a time. An element of 64 bits moves as
two words of 32 bits. Rows too narrow for stores of their elements move as more, smaller elements. Elements of 4 bits
move as bytes of two.
"""

from functools import lru_cache
from itertools import chain

from xetile.layout.intel.message_layouts import Access, BlockConfiguration
from xetile.planning.xe.uses import TileUse
from xetile.targets.target import BYTE_BITS
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.messages import PART_BITS, TRANSPOSED_WORD_BITS


def known_messages(
    device: XeDevice, access: Access, bits: int
) -> tuple[BlockConfiguration, ...]:
    """Return the messages of a device for elements of `bits`, moved in words of this or another width."""
    return _known(device, access, bits)


def access_of(use: TileUse, message: BlockConfiguration) -> Access:
    """Return the key by which a message of a use is looked up."""
    if use != "load":
        return use
    return (
        "load_packed"
        if message.packed
        else "load_transposed"
        if message.transposed
        else "load"
    )


def word_bits(device: XeDevice, access: Access, message: BlockConfiguration, bits: int) -> int:
    """Return the bits of the words in which a message (in elements of `bits`) moves."""
    if bits < BYTE_BITS:
        return BYTE_BITS
    for word in (bits, *PART_BITS):
        columns, rest = divmod(message.columns * bits, word)
        if not rest and message._replace(columns=columns) in device.messages(access, word):
            return word
    return bits


@lru_cache(maxsize=256)
def _known(device: XeDevice, access: Access, bits: int) -> tuple[BlockConfiguration, ...]:
    if bits < BYTE_BITS:
        plain = access in ("load", "store", "prefetch")
        shared = _scaled(device, access, BYTE_BITS, bits) if plain else ()
        return tuple(c for c in shared if c.blocks == 1)
    own = device.messages(access, bits)
    if access == "load_transposed" and bits < TRANSPOSED_WORD_BITS:
        return _scaled(device, access, TRANSPOSED_WORD_BITS, bits)
    if access not in ("load", "store", "prefetch") or bits <= min(PART_BITS):
        return own
    if own and access != "store":
        return own
    narrowest = min((c.columns for c in own), default=1 << TRANSPOSED_WORD_BITS)
    words = PART_BITS if access == "store" else PART_BITS[:1]
    cut = chain.from_iterable(
        _scaled(device, access, word, bits) for word in words if word < bits
    )
    found = (c for c in cut if c.columns < narrowest and c.blocks == 1)
    return (*own, *dict.fromkeys(found))


def _scaled(
    device: XeDevice, access: Access, word: int, bits: int
) -> tuple[BlockConfiguration, ...]:
    """Return the messages for words, in elements of `bits`."""
    return tuple(
        c._replace(columns=c.columns * word // bits)
        for c in device.messages(access, word)
        if c.columns * word % bits == 0
    )
