"""Operands of products that are computed from loaded values, each element by one subgroup of the workgroup.

By the map, all subgroups of a column hold the same part of operand B, and those of a row the same part of A. They
repeat the work on such an operand (casts of weights, scales, zero points). If that costs more than an exchange, each
element gets one owner, which loads it, does the work and stores it to shared memory, from where all load the operand.

Before, in the terms of a map (8 x 4 subgroups, each 32x64 of the product):

    %w = load_tile ...       // 32x256xi8: map [8, 4] of 32x64, eight subgroups hold each element
    %b = arith.sitofp %w     // 32x256xf16
    %d = tile_mma %a, %b

After: `%w` and `%b` are held as [4, 8] of 8x32; a `tile_conv_layout` before the product exchanges `%b`.

This applies only in loops with a barrier in each round that all subgroups reach.
"""

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.ir import Operation, OpResult, SSAValue

from xetile.analysis.dependence import decided_by, told_apart
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.xetile import TileMMAOp
from xetile.layout.algebra.block_grids import Distribution
from xetile.planning.distribution.demands import Demands
from xetile.planning.distribution.holding_prices import HoldingPrices
from xetile.planning.distribution.needs import Needs
from xetile.planning.distribution.shared_messages import Role, role_of
from xetile.planning.rounds import rounds

_LOOPS = ("scf.for", "scf.while")


class SharedOperand(NamedTuple):
    """The source of `op`, of which each `owner` could make a part for `op` to exchange; `taken` says if they do.

    `mapped` and `shared` are instructions of one subgroup in one round: those that sharing saves, and those it costs.
    """

    op: Operation
    role: Role
    home: Distribution
    owner: Distribution
    mapped: float
    shared: float
    taken: bool


def computed_operands(function: Operation) -> list[SSAValue]:
    """Return the operands A and B that are computed element by element in loops that all subgroups execute."""
    values: dict[SSAValue, None] = {}
    for op in function.walk():
        if isinstance(op, TileMMAOp):
            values |= dict.fromkeys(op.operands[:2])
    made = [
        value
        for value in values
        if isinstance(value, OpResult)
        and has_trait(value.op, Elementwise)
        and _in_loop(value.op)
    ]
    if not made:
        return []
    told = told_apart(function)
    return [value for value in made if decided_by(value.op, told) is None]


def _in_loop(op: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and parent.name not in _LOOPS:
        parent = parent.parent_op()
    return parent is not None


class OperandSharing:
    """The choice of owners for ops that pass an operand on to products unchanged."""

    def __init__(
        self, needs: Needs, prices: HoldingPrices, demands: Demands, *, most_bytes: int
    ) -> None:
        """Use at most `most_bytes` of shared memory in all, for two buffers for each operand."""
        self._needs = needs
        self._prices = prices
        self._demands = demands
        self._left = most_bytes

    def choose(self, op: Operation) -> SharedOperand | None:
        """Return the cheapest way to share the source of `op`, if any; use it if it is cheaper than the maps' way."""
        home = self._needs.home(op.operands[0])
        ways = [
            way for owner in owners(home) if (way := self._way(op, home, owner)) is not None
        ]
        if not ways:
            return None
        best, size = min(ways, key=lambda way: way[0].shared - way[0].mapped)
        if best.shared >= best.mapped:
            return best
        self._left -= size
        self._demands.share(op, op.operands[0], best.owner)
        return best._replace(taken=True)

    def _way(
        self, op: Operation, home: Distribution, owner: Distribution
    ) -> tuple[SharedOperand, int] | None:
        exchange = self._prices.shared(op, owner)
        size = 2 * exchange.bytes
        if size > self._left:
            return None
        made = self._demands.price(op, op.operands[0], owner)
        if made is None:
            return None
        often = rounds(op)
        shared = made.added / often + exchange.price
        role = role_of(op.results[0])
        return SharedOperand(
            op, role, home, owner, made.saved / often, shared, taken=False
        ), size


def owners(home: Distribution) -> Iterator[Distribution]:
    """Yield ways to give each subgroup a unit of its own where some share theirs, those with the longest rows first."""
    if not home.is_shared:
        return
    rows, columns = home.shape
    for down in range(home.subgroups, 0, -1):
        across = home.subgroups // down
        if home.subgroups % down or rows % down or columns % across:
            continue
        yield Distribution(home.shape, (rows // down, columns // across), (down, across))
