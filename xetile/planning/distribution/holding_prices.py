"""The cost for a subgroup to hold a value in a distribution and to exchange it: instructions times rounds of loops."""

from math import ceil, prod
from typing import Literal, NamedTuple, cast

from xdsl.dialects.builtin import IndexType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.traits import (
    Elementwise,
    PrefetchesTile,
    ReadsTile,
    has_trait,
)
from xetile.dialects.xetile import TileReduceOp, TileType
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.dialects.xetile.xetile_attributes import SHARED
from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.exchange.columns import WORD_BITS
from xetile.planning.distribution.exchanges import planned_exchange
from xetile.planning.distribution.needs import Needs, reduced
from xetile.planning.distribution.shared_messages import role_of
from xetile.planning.planner import planner_of
from xetile.planning.rounds import rounds
from xetile.targets.target import BYTE_BITS, INDEX_BITS, Target


class Shared(NamedTuple):
    """An exchange of one round: instructions of a subgroup, and the bytes of a buffer."""

    price: float
    bytes: int


class HoldingPrices:
    """The prices of one function's ops on a device."""

    def __init__(self, device: Target, needs: Needs) -> None:
        self._device = device
        self._planner = planner_of(device)
        self._needs = needs

    def of(self, op: Operation, made: Distribution) -> float:
        """Return the cost of an op that makes its result as `made`, or prefetches it so."""
        price = self._once(op, made)
        return price * rounds(op) if price else 0.0

    def _once(self, op: Operation, made: Distribution) -> float:
        if has_trait(op, ReadsTile):
            turned = made != self._needs.home(op.results[0]) and self._is_turned(op)
            return self._access(op, made, "load", turned=turned)
        if has_trait(op, PrefetchesTile):
            return self._access(op, made, "prefetch", turned=False)
        if has_trait(op, Elementwise):
            words = self._words(made, _bits(op.results[0]))
            return words * self._planner.elementwise(op)
        return 0.0

    def reducing(self, op: TileReduceOp, source: Distribution) -> float:
        """Return the cost of combining a subgroup's units of a reduction's source."""
        words = self._words(source, _bits(op.source))
        return words * self._device.prices.combine * rounds(op)

    def exchange(self, op: Operation) -> float:
        """Return the cost of moving a rearranging op's data through shared memory, less the work that this saves."""
        source, target = self._needs.home(op.operands[0]), self._needs.home(op.results[0])
        turned = self._needs.turns(op)
        if isinstance(op, TileReduceOp):
            source, target = reduced(op, source, target)
        elif prod(source.shape) < prod(target.shape):
            wanted = self._needs.source_of(op)
            assert wanted is not None
            target = wanted
        rows, columns = source.shape
        found = planned_exchange(
            source,
            target,
            max(BYTE_BITS, _bits(op.operands[0])),
            (rows, columns),
            turned=turned,
            role=None,
            device=self._device,
            limit=self._device.shared_bytes,
        )
        moved = (found.price + self._device.prices.barrier) * rounds(op)
        if not isinstance(op, TileReduceOp):
            return moved
        whole = self._needs.source_of(op)
        assert whole is not None
        return (
            moved + self.reducing(op, self._needs.home(op.source)) - self.reducing(op, whole)
        )

    def shared(self, op: Operation, owner: Distribution) -> Shared:
        """Return the cost, in one round, of passing an operand of a product on from its owners by `op`."""
        found = planned_exchange(
            owner,
            self._needs.home(op.results[0]),
            max(BYTE_BITS, _bits(op.operands[0])),
            (owner.shape[0], owner.shape[1]),
            turned=False,
            role=role_of(op.results[0]),
            device=self._device,
            limit=self._device.shared_bytes,
        )
        return Shared(found.price + self._planner.exchange_round, found.bytes)

    def _access(
        self,
        op: Operation,
        made: Distribution,
        use: Literal["load", "prefetch"],
        *,
        turned: bool,
    ) -> float:
        """Return the price of the messages that load or prefetch all units."""
        tile = next(v.type for v in op.operands if isinstance(v.type, TileType))
        prices = self._device.prices
        if tile.scattered or tile.memory_space == SHARED:
            words = self._words(made, memory_bits(tile.element_type) or INDEX_BITS)
            each = 1 if tile.scattered else prices.lane_words
            return ceil(words / each) * prices.lane_message
        unit = tile.with_(shape=made.unit, wg_map=None)
        each = self._planner.access(unit, use, turned=turned)
        if each is not None:
            return made.local_units * each
        elements = prod(made.unit) * made.local_units
        return ceil(elements / self._device.lanes) * prices.lane_message

    def _is_turned(self, load: Operation) -> bool:
        """Return True if a load is only transposed, so that messages may transpose it."""
        uses = [use.operation for use in load.results[0].uses]
        return bool(uses) and all(self._needs.turns(use) for use in uses)

    def _words(self, made: Distribution, bits: int) -> float:
        """Return the words of 32 bits that a lane has of a subgroup's units."""
        elements = prod(made.unit) * made.local_units
        return max(1.0, elements * bits / WORD_BITS / self._device.lanes)


def _bits(value: SSAValue) -> int:
    element = cast(VectorType[Attribute], value.type).element_type
    return INDEX_BITS if isinstance(element, IndexType) else memory_bits(element) or INDEX_BITS
