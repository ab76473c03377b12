"""How the tiles of a function are used: by which accesses, and which of their offsets change."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from xdsl.ir import Operation, SSAValue

from xetile.analysis.same_value import Classes, carried_pairs
from xetile.dialects.known_integers import known_integer
from xetile.dialects.traits import (
    MovesTile,
    PrefetchesTile,
    ReadsTile,
    UpdatesTile,
    WritesTile,
    has_trait,
)
from xetile.dialects.xetile import InitTileOp, TileType, UpdateTileOffsetOp

TileUse = Literal["load", "store", "prefetch"]
"""What 2D block messages do with a tile."""


def use_of(op: Operation) -> TileUse | None:
    """The message that an access needs; none where it goes element by element, as atomics do."""
    if has_trait(op, UpdatesTile):
        return None
    if has_trait(op, ReadsTile):
        return "load"
    if has_trait(op, WritesTile):
        return "store"
    return "prefetch" if has_trait(op, PrefetchesTile) else None


class _Facts(NamedTuple):
    """What is known of a class of tiles: ops that access it, how many make it, which dimensions move."""

    accesses: tuple[Operation, ...] = ()
    beginnings: int = 0
    moves: frozenset[int] = frozenset()


def _join(left: _Facts, right: _Facts) -> _Facts:
    accesses, beginnings, moves = right
    return _Facts(left.accesses + accesses, left.beginnings + beginnings, left.moves | moves)


class Tiles:
    """The classes of tiles of a function: what loops, branches and moves make one tile."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._classes = Classes[_Facts](_join)
        for op in operations:
            for left, right in carried_pairs(op):
                if isinstance(left.type, TileType):
                    self._classes.unite(left, right)
            if has_trait(op, MovesTile):
                self._classes.unite(op.results[0], op.operands[0])
        for op in operations:
            self._collect(op)

    def _collect(self, op: Operation) -> None:
        if has_trait(op, ReadsTile, WritesTile, PrefetchesTile):
            self._classes.give(tile_of(op), _Facts(accesses=(op,)))
        elif isinstance(op, InitTileOp):
            self._classes.give(op.tile, _Facts(beginnings=1))
        elif isinstance(op, UpdateTileOffsetOp):
            steps = [s if isinstance(s, int) else known_integer(s) for s in op.mixed_offsets]
            moves = frozenset(d for d, step in enumerate(steps) if step != 0)
            self._classes.give(op.result, _Facts(moves=moves))

    def find(self, tile: SSAValue) -> SSAValue:
        return self._classes.find(tile)

    def accesses(self, tile: SSAValue, use: TileUse | None = None) -> list[Operation]:
        """The ops that access a tile in program order, all or those of one use."""
        found = self._facts(tile).accesses
        return [op for op in found if use is None or use_of(op) == use]

    def uses(self, tile: SSAValue) -> list[TileUse]:
        """How messages move a tile, each way once."""
        uses = map(use_of, self._facts(tile).accesses)
        return list(dict.fromkeys(use for use in uses if use is not None))

    def moving_dimensions(self, tile: SSAValue) -> tuple[int, ...]:
        """The dimensions in which loops and branches must carry the tile's offset."""
        facts = self._facts(tile)
        return (0, 1) if facts.beginnings > 1 else tuple(sorted(facts.moves))

    def _facts(self, tile: SSAValue) -> _Facts:
        return self._classes.fact(tile) or _Facts()


def tile_of(op: Operation) -> SSAValue:
    """The tile of an op that makes or accesses one."""
    return next(v for v in (*op.results, *op.operands) if isinstance(v.type, TileType))
