"""Whether barriers order what subgroups store to and load from the buffers of exchanges.

A function is seen as its barriers and the accesses of exchanges, in their control flow. What was accessed since the
last barrier is followed on all ways; a store to a buffer of which something was accessed since, and a load from one to
which something was stored since, are hazards.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from xetile.dialects.xetile import LoadTileOp, StoreTileOp
from xetile.passes.xetile_wg_to_sg.exchanged import Exchanged


class _Access(NamedTuple):
    exchange: Exchanged
    stores: bool


@dataclass(eq=False)
class _Inner:
    """An op with regions in which something happens; a block's part of it is a list."""

    op: Operation
    blocks: list["Events"]


Events = list["_Access | _Inner | Operation"]
"""What happens in a block, in order: accesses, barriers, and what has regions."""

_Since = frozenset[tuple[object, int, bool, Exchanged]]
"""Accesses since the last barrier: buffer, which of its copies, whether it was a store, whose."""


@dataclass(eq=False)
class Hazards:
    """What is assumed of barriers and buffers; then which exchanges are not ordered.

    Attributes:
        removed: barriers that are not there.
        added: ops before which there is one more.
        buffer: what an exchange accesses; equal ones share bytes.
    """

    removed: Collection[Operation]
    added: Collection[Operation]
    buffer: Callable[[Exchanged], object]
    found: set[Exchanged] = field(default_factory=set[Exchanged])

    def of(self, events: Events) -> set[Exchanged]:
        """The exchanges that are not ordered, where nothing was accessed before these events."""
        self._block(events, frozenset(), {})
        return self.found

    def _block(self, events: Events, since: _Since, turns: Mapping[Operation, int]) -> _Since:
        for event in events:
            if isinstance(event, _Access):
                since = self._access(event, since, turns)
            elif isinstance(event, _Inner):
                since = frozenset() if event.op in self.added else since
                since = self._inner(event, since, turns)
            elif event not in self.removed:
                since = frozenset()
        return since

    def _access(self, event: _Access, since: _Since, turns: Mapping[Operation, int]) -> _Since:
        exchange, stores = event
        buffer = self.buffer(exchange)
        turn = 0 if exchange.loop is None else turns[exchange.loop]
        for other, copy, stored, by in since:
            if other != buffer or copy != turn:
                continue
            if stored and not (stores and by is exchange):
                self.found.add(exchange)
            if stores and not stored:
                self.found.add(exchange)
        return since | {(buffer, turn, stores, exchange)}

    def _inner(self, event: _Inner, since: _Since, turns: Mapping[Operation, int]) -> _Since:
        if isinstance(event.op, scf.ForOp):
            return self._loop(event, since, turns)
        if isinstance(event.op, scf.IfOp | scf.IndexSwitchOp):
            ways = [self._block(block, since, turns) for block in event.blocks]
            return since.union(*ways)
        known = since
        while True:
            ways = [self._block(block, known, turns) for block in event.blocks]
            if (more := known.union(*ways)) == known:
                return known
            known = more

    def _loop(self, event: _Inner, since: _Since, turns: Mapping[Operation, int]) -> _Since:
        """An iteration comes after one of the other turn."""
        (body,) = event.blocks
        before: list[_Since] = [since, frozenset()]
        first = True
        while True:
            ways = [
                self._block(body, before[turn], {**turns, event.op: turn}) for turn in (0, 1)
            ]
            more = [before[0] | ways[1], before[1] | ways[0]]
            if more == before and not first:
                return since.union(*ways)
            before, first = more, False


def events_of(block: Block, exchanges: Sequence[Exchanged]) -> Events:
    """What happens in a block."""
    tiles: dict[SSAValue, Exchanged] = {
        tile.results[0]: made for made in exchanges for tile in made.tiles
    }
    return _events(block, tiles)


def _events(block: Block, tiles: Mapping[SSAValue, Exchanged]) -> Events:
    found: Events = []
    for op in block.ops:
        if isinstance(op, LoadTileOp) and op.source in tiles:
            found.append(_Access(tiles[op.source], stores=False))
        elif isinstance(op, StoreTileOp) and op.tile in tiles:
            found.append(_Access(tiles[op.tile], stores=True))
        elif op.name == "gpu.barrier":
            found.append(op)
        elif op.regions:
            blocks = [_events(b, tiles) for region in op.regions for b in region.blocks]
            if any(blocks):
                found.append(_Inner(op, blocks))
    return found
