"""The users of each value in each distribution, while exchanges are compared with loads."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from xetile.dialects.traits import MovesTile, PrefetchesTile, ReadsTile, has_trait
from xetile.dialects.xetile import TileType
from xetile.layout.algebra.block_grids import Distribution
from xetile.layout.algebra.own_pieces import own_pieces
from xetile.planning.distribution.holding_prices import HoldingPrices
from xetile.planning.distribution.needs import Needs, Operands, carries

Node = tuple[SSAValue, Distribution]
"""A class of values (by its representative) in one distribution."""

_Done = tuple[Operation, Distribution | None]
"""An op, and the distribution in which it makes its result."""


class Redirected(NamedTuple):
    """An op that takes its source in another distribution: instructions added and saved, and the loads needed."""

    added: float
    saved: float
    loads: tuple[Operation, ...]

    @property
    def price(self) -> float:
        """The added cost less the saved cost."""
        return self.added - self.saved


class Demands:
    """The distributions in which values are held, each only while it has users. Initially those of the maps."""

    def __init__(self, needs: Needs, prices: HoldingPrices) -> None:
        self._needs = needs
        self._prices = prices
        self._takers: dict[Node, set[_Done]] = {}
        self._held: dict[SSAValue, list[Distribution]] = {}
        self._redirected: dict[Operation, Distribution] = {}
        self._undo: list[Callable[[], None]] = []
        self._exactly = False
        self._added = 0.0
        self._saved = 0.0
        self._loads: list[Operation] = []
        for op in needs.operations:
            if carries(op):
                continue
            for value in needs.mapped(op.results):
                self._held.setdefault(self._class(value), [needs.home(value)])
            done = self._as_usual(op)
            for value, distribution in self._foreign(op, needs.usual(op)):
                self._takers.setdefault((self._class(value), distribution), set()).add(done)

    # Queries after all decisions.

    def held(self, value: SSAValue) -> Sequence[Distribution]:
        home = self._needs.home(value)
        found = self._held.get(self._class(value), [home])
        return sorted(found, key=lambda distribution: distribution != home)

    def wanted(
        self, op: Operation, made: Distribution | None, operand: SSAValue
    ) -> Distribution:
        operands = dict(self._taken(op, made))
        found = operands.get(operand, self._needs.home(operand))
        return self._held_as(operand, found)

    # Decisions.

    def redirect(
        self, op: Operation, source: SSAValue, wanted: Distribution, *, most: float
    ) -> Redirected | None:
        """Let an op take its source as `wanted` if that adds less than `most` instructions; otherwise return None."""
        found = self._try(op, source, wanted)
        if found is None or found.price >= most:
            self._take_back()
            return None
        return found

    def price(
        self, op: Operation, source: SSAValue, wanted: Distribution
    ) -> Redirected | None:
        """Return the cost if an op takes its source as `wanted`, or None if it cannot.

        All ops that make the source are redirected to `wanted`; no pieces are cut out of units in other distributions.
        """
        self._exactly = True
        found = self._try(op, source, wanted)
        self._take_back()
        self._exactly = False
        return found

    def share(self, op: Operation, source: SSAValue, wanted: Distribution) -> None:
        """Let an op take its source as `wanted`, at the price that `price` returned."""
        self._exactly = True
        self._try(op, source, wanted)
        self._exactly = False

    def _try(self, op: Operation, source: SSAValue, wanted: Distribution) -> Redirected | None:
        self._undo, self._added, self._saved, self._loads = [], 0.0, 0.0, []
        done = self._as_usual(op)
        before = self._class(source), self._held_as(source, self._needs.home(source))
        after = self._demand(source, wanted, done)
        if after is None:
            return None
        self._redirected[op] = wanted
        self._undo.append(lambda: self._redirected.pop(op) and None)
        if before != after:
            self._release(before, done)
        return Redirected(self._added, self._saved, tuple(self._loads))

    def _take_back(self) -> None:
        for undo in reversed(self._undo):
            undo()
        self._undo = []

    def move_prefetches(self) -> None:
        """Let prefetches follow the loads of their tile where that costs no more than a tile of their own."""
        for op in self._needs.operations:
            if not has_trait(op, PrefetchesTile):
                continue
            tile = op.operands[0]
            home, done = self._needs.home(tile), self._as_usual(op)
            rep = self._class(tile)
            others = [d for d in self._held.get(rep, []) if d != home]
            takers = self._takers.get((rep, home), set())
            alone = all(has_trait(taker, PrefetchesTile) for taker, _ in takers)
            if not others or not alone:
                continue
            self._undo = []
            best = min(others, key=lambda d: self._prices.of(op, d))
            if self._prices.of(op, best) <= self._prices.of(op, home):
                self._demand(tile, best, done)
                self._redirected[op] = best
                self._release((rep, home), done)

    def _demand(self, value: SSAValue, wanted: Distribution, by: _Done) -> Node | None:
        """Hold a value as wanted, or so that a subgroup can make it from its own units; return None if impossible."""
        rep = self._class(value)
        if rep not in self._held:
            return None
        node = rep, self._held_as(value, wanted)
        if node[1] not in self._held[rep]:
            node = rep, wanted
            if not self._hold(node):
                return None
        takers = self._takers.setdefault(node, set())
        if by not in takers:
            takers.add(by)
            self._undo.append(lambda: takers.discard(by))
        return node

    def _held_as(self, value: SSAValue, wanted: Distribution) -> Distribution:
        """Return the distribution that a value is taken from: the wanted one, or one that contains all of it."""
        held = self._held.get(self._class(value))
        whole = self._exactly or isinstance(value.type, TileType)
        if held is None or wanted in held or whole:
            return wanted
        return next((d for d in held if own_pieces(d, wanted) is not None), wanted)

    def _hold(self, node: Node) -> bool:
        """Add a class in a distribution, with all operands that its makers need."""
        rep, distribution = node
        held = self._held[rep]
        held.append(distribution)
        self._undo.append(lambda: held.remove(distribution))
        for op in self._makers(rep):
            if self._needs.operands(op, distribution) is None:
                return False
            self._charge(op, distribution, 1)
            for value, wanted in self._foreign(op, self._taken(op, distribution)):
                if self._demand(value, wanted, (op, distribution)) is None:
                    return False
        return True

    def _release(self, node: Node, by: _Done) -> None:
        """Remove a user. A distribution without users is dropped, with all that was made only for it."""
        rep, distribution = node
        takers = self._takers.get(node, set())
        if by in takers:
            takers.discard(by)
            self._undo.append(lambda: takers.add(by))
        held = self._held.get(rep, [])
        if takers or distribution not in held or len(held) == 1:
            return
        makers = self._makers(rep)
        if not all(self._needs.droppable(op) for op in makers):
            return
        held.remove(distribution)
        self._undo.append(lambda: held.append(distribution))
        for op in makers:
            self._charge(op, distribution, -1)
            for value, wanted in self._foreign(op, self._taken(op, distribution)):
                self._release((self._class(value), wanted), (op, distribution))

    def _charge(self, op: Operation, distribution: Distribution, sign: int) -> None:
        price = self._prices.of(op, distribution)
        if sign > 0:
            self._added += price
        else:
            self._saved += price
        if has_trait(op, ReadsTile) and sign > 0:
            self._loads.append(op)

    # Ops and their operands.

    def _taken(self, op: Operation, made: Distribution | None) -> Operands:
        result = next(iter(self._needs.mapped(op.results)), None)
        usual = made is None or result is None or made == self._needs.home(result)
        if usual and op in self._redirected:
            return [(op.operands[0], self._redirected[op])]
        if usual:
            return self._needs.usual(op)
        assert made is not None
        return self._needs.operands(op, made) or []

    def _foreign(self, op: Operation, operands: Operands) -> Operands:
        """Return the operands except the tile that the op moves, which is in the class of its result."""
        if has_trait(op, MovesTile):
            return [pair for pair in operands if not isinstance(pair[0].type, TileType)]
        return operands

    def _as_usual(self, op: Operation) -> _Done:
        result = next(iter(self._needs.mapped(op.results)), None)
        return op, None if result is None else self._needs.home(result)

    def _class(self, value: SSAValue) -> SSAValue:
        return self._needs.classes.find(value)

    def _makers(self, rep: SSAValue) -> list[Operation]:
        values = self._needs.classes.fact(rep) or ()
        return [op for value in values if isinstance(op := value.owner, Operation)]
