"""What a conversion costs (instructions)."""

from functools import lru_cache

from xetile.dialects.xegpu.nd_ops import REGISTER_BITS
from xetile.layout.exchange.registers import register_permutation
from xetile.planning.register_layouts.held import Held


@lru_cache(maxsize=1 << 14)
def conversion_price(source: Held, target: Held, bits: int) -> int:
    """Instructions of one conversion of a vector with elements of so many bits."""
    return _moving(source, target, bits) + _repacking(source, target, bits)


def _repacking(source: Held, target: Held, bits: int) -> int:
    """Elements that come into words of another width: one instruction for each of a lane."""
    if source.word == target.word or bits >= REGISTER_BITS:
        return 0
    return target.registers


def _moving(source: Held, target: Held, bits: int) -> int:
    if register_permutation(source.layout, target.layout) is not None:
        return 0
    return max(source.registers, target.registers) * max(1, bits // REGISTER_BITS)
