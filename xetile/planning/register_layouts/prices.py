"""What a conversion costs (instructions)."""

from xetile.dialects.xegpu.nd_ops import REGISTER_BITS
from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.exchange.plans import Plan, plan
from xetile.planning.register_layouts.held import Held
from xetile.targets.xe.device import XeDevice

_IMPOSSIBLE = 1e9


class Conversions:
    """The conversions of one device, and their prices."""

    def __init__(self, device: XeDevice) -> None:
        self._prices = device.prices
        self._known: dict[tuple[Held, Held, int], float] = {}

    def plan(self, source: Held, target: Held, bits: int) -> Plan:
        """How a vector with elements of so many bits is converted."""
        return plan(source.layout, target.layout, bits, self._prices)

    def price(self, source: Held, target: Held, bits: int) -> float:
        """Its instructions; elements that come into words of another width take one each."""
        if source is target or source == target:
            return 0
        key = (source, target, bits)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._moving(source, target, bits) + _repacking(
                source, target, bits
            )
        return found

    def _moving(self, source: Held, target: Held, bits: int) -> float:
        if source.layout == target.layout:
            return 0
        try:
            return self.plan(source, target, bits).price
        except LayoutError:
            return _IMPOSSIBLE


def _repacking(source: Held, target: Held, bits: int) -> int:
    return 0 if source.word == target.word or bits >= REGISTER_BITS else target.registers
