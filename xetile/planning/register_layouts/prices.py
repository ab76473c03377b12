"""What a conversion costs (instructions)."""

from xdsl.dialects.builtin import AnyFloat

from xetile.analysis.constants import integers_of
from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xegpu.nd_ops import REGISTER_BITS
from xetile.layout.algebra.linear_layout import LayoutError
from xetile.layout.exchange.plans import Plan, plan
from xetile.layout.exchange.prices import Prices
from xetile.planning.reductions import reduction
from xetile.planning.register_layouts.classes import Use
from xetile.planning.register_layouts.held import Held

_IMPOSSIBLE = 1e9
_ROUNDING = ("add", "mul")


class Conversions:
    """The conversions of one function, and what they cost."""

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
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

    def reduction(self, use: Use, source: Held, wanted: Held | None) -> float:
        """Instructions of a reduction of what is held so, with what brings it into a layout; None for a scalar."""
        assert use.relation is not None
        op, bits = use.op, use.moved.bits
        is_whole = op.name == "vector.reduction"
        dimensions = (0,) if is_whole else tuple(integers_of(op, "reduction_dims"))
        rounds = isinstance(vector_type(use.moved.value).element_type, AnyFloat)
        in_order = rounds and any(kind in str(op.properties["kind"]) for kind in _ROUNDING)
        layout = None if wanted is None else wanted.layout
        found = reduction(
            use.relation,
            source.layout,
            layout,
            dimensions,
            bits,
            self._prices,
            in_order=in_order,
        )
        return found.price

    def _moving(self, source: Held, target: Held, bits: int) -> float:
        if source.layout == target.layout:
            return 0
        try:
            return self.plan(source, target, bits).price
        except LayoutError:
            return _IMPOSSIBLE


def _repacking(source: Held, target: Held, bits: int) -> int:
    return 0 if source.word == target.word or bits >= REGISTER_BITS else target.registers
