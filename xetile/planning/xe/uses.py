"""The uses of a function's tiles: their accesses, and the offsets that change."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

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
"""The ways in which 2D block messages use a tile."""


def use_of(op: Operation) -> TileUse | None:
    """Return the message that an access needs, or None for element accesses, such as atomics."""
    if has_trait(op, UpdatesTile):
        return None
    if has_trait(op, ReadsTile):
        return "load"
    if has_trait(op, WritesTile):
        return "store"
    return "prefetch" if has_trait(op, PrefetchesTile) else None


@dataclass
class _Facts:
    """The facts about a class of tiles: accesses, also by use; number of ops that make it; dimensions that move."""

    accesses: list[Operation] = field(default_factory=list)
    by_use: dict[TileUse, list[Operation]] = field(default_factory=dict)
    beginnings: int = 0
    moves: set[int] = field(default_factory=set)


class Tiles:
    """The classes of a function's tiles that loops, branches and moves make one."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._classes = Classes[None](lambda left, right: None)
        self._facts = defaultdict[SSAValue, _Facts](_Facts)
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
            facts, use = self._of(tile_of(op)), use_of(op)
            facts.accesses.append(op)
            if use is not None:
                facts.by_use.setdefault(use, []).append(op)
        elif isinstance(op, InitTileOp):
            self._of(op.tile).beginnings += 1
        elif isinstance(op, UpdateTileOffsetOp):
            steps = [s if isinstance(s, int) else known_integer(s) for s in op.mixed_offsets]
            self._of(op.result).moves.update(d for d, step in enumerate(steps) if step != 0)

    def find(self, tile: SSAValue) -> SSAValue:
        return self._classes.find(tile)

    def accesses(self, tile: SSAValue, use: TileUse | None = None) -> list[Operation]:
        """Return the ops that access a tile in program order, all or those of one use."""
        facts = self._of(tile)
        return facts.accesses if use is None else facts.by_use.get(use, [])

    def uses(self, tile: SSAValue) -> list[TileUse]:
        """Return the uses of a tile by messages, each once."""
        return list(self._of(tile).by_use)

    def moving_dimensions(self, tile: SSAValue) -> tuple[int, ...]:
        """Return the dimensions in which loops and branches must carry the tile's offset."""
        facts = self._of(tile)
        return (0, 1) if facts.beginnings > 1 else tuple(sorted(facts.moves))

    def _of(self, tile: SSAValue) -> _Facts:
        return self._facts[self._classes.find(tile)]


def tile_of(op: Operation) -> SSAValue:
    """Return the tile that an op makes or accesses."""
    return next(v for v in (*op.results, *op.operands) if isinstance(v.type, TileType))
