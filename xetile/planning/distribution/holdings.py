"""Choose the subgroups that hold each value of a workgroup; `Holdings` answers in which distributions a value is held.

By default the map of a value (`wg_map`) says which subgroup holds which part. A `tile_transpose`, `tile_conv_layout`,
`tile_broadcast` or `tile_reduce` whose subgroups lack parts of its operand then needs an exchange through shared
memory. This file avoids an exchange if the source is loaded, or computed element by element from loaded values, and it
is cheaper that subgroups load what they need themselves (`Avoided` records this). The load stays in place, but other
subgroups, or additional ones, execute it. So a value may be held in several distributions, or in another one than its
map's. Some of these have an `order` of subgroups that no map can express.

Before, in the terms of a map (8 x 4 subgroups, B is 32x256 in units of 32x64):

    %bt = load_tile ...              // 256x32: map [4, 8] of 64x32, ids row-major: subgroup 6 has rows 0 to 63
    %b = tile_transpose %bt          // 32x256: map [8, 4] of 32x64: subgroup 6 needs columns 128 to 191

After: `%bt` and its tile are held as [4, 8] of 64x32 with ids column-major, so that subgroup 6 loads rows 128 to 191.

Likewise, work on operands of products that many subgroups would repeat may be split among all of them (operands.py).

holding_prices.py computes which way is cheaper. analysis/barriers.py finds loads that must keep their map: those for
which the kernel writes to the same memref with no barrier between.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from xdsl.ir import Operation, SSAValue

from xetile.analysis.kernel_targets import targets_of
from xetile.dialects.xetile import WorkgroupMapAttr
from xetile.layout.algebra.block_grids import Distribution
from xetile.planning.distribution.demands import Demands
from xetile.planning.distribution.holding_prices import HoldingPrices
from xetile.planning.distribution.needs import Needs
from xetile.planning.distribution.operands import OperandSharing, SharedOperand

Kind = Literal["a transposed load", "a second load", "another load", "remaking it"]
"""How an op gets its operand: a transposed load, a load in addition to the map's, one instead, or no load."""


class Avoided(NamedTuple):
    """An exchange that is avoided: the source of `op` is held as `held`, instead of or in addition to `map`.

    `loads` are the loads done for it; `price` and `exchange` are instructions of one subgroup.
    """

    op: Operation
    kind: Kind
    map: Distribution
    held: Distribution
    loads: tuple[Operation, ...]
    price: float
    exchange: float


class Holdings:
    """The units of a workgroup-level function's values that each subgroup holds."""

    def __init__(
        self,
        function: Operation,
        maps: Mapping[SSAValue, WorkgroupMapAttr],
        *,
        most_units: int,
        avoids: bool = True,
        operands: Sequence[Operation] = (),
        most_bytes: int = 0,
    ) -> None:
        """Choose distributions that avoid exchanges and repeated work, or those of the maps if `avoids` is False.

        `maps` has the maps of all values of rank 2; `most_units` bounds the units of one value in a subgroup.
        `operands` are ops whose sources subgroups may make together (operands.py), in `most_bytes` of shared memory.
        """
        self.needs = Needs(function, maps, most_units)
        self.avoided: dict[Operation, Avoided] = {}
        self.shared: list[SharedOperand] = []
        self._demands: Demands | None = None
        target = targets_of(function)[0]
        if not avoids:
            return
        moving = [op for op in self.needs.operations if self.needs.moves(op)]
        if moving or operands:
            prices = HoldingPrices(target, self.needs)
            self._demands = Demands(self.needs, prices)
            for op in moving:
                self._try(op, prices, self._demands)
            sharing = OperandSharing(self.needs, prices, self._demands, most_bytes=most_bytes)
            found = [sharing.choose(op) for op in operands]
            self.shared = [operand for operand in found if operand is not None]
            self._demands.move_prefetches()

    def _try(self, op: Operation, prices: HoldingPrices, demands: Demands) -> None:
        source, wanted = op.operands[0], self.needs.source_of(op)
        assert wanted is not None
        exchange = prices.exchange(op)
        found = demands.redirect(op, source, wanted, most=exchange)
        if found is None:
            return
        kind: Kind = "a second load" if len(self.of(source)) > 1 else "another load"
        if not found.loads:
            kind = "remaking it"
        elif self.needs.turns(op):
            kind = "a transposed load"
        home = self.needs.home(source)
        self.avoided[op] = Avoided(op, kind, home, wanted, found.loads, found.price, exchange)

    def of(self, value: SSAValue) -> Sequence[Distribution]:
        """Return the distributions in which a value of rank 2 is held, that of its map first."""
        if self._demands is None:
            return (self.needs.home(value),)
        return self._demands.held(value)

    def wanted(
        self, op: Operation, made: Distribution | None, operand: SSAValue
    ) -> Distribution:
        """Return the distribution in which an op that makes its result as `made` (None: the map's) takes an operand."""
        if self._demands is None:
            return self.needs.home(operand)
        return self._demands.wanted(op, made, operand)
