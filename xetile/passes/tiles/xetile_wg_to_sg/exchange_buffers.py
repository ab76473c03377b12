"""The buffers of exchanges and the fewest barriers between them, decided after a whole function has been emitted.

At first each exchange has a buffer of its own, so that no other access has to precede its stores. If an iteration of a
loop stores to a buffer that the previous one may still load from, two buffers are used in turn, if both fit; otherwise
the barrier before the stores stays. Exchanges that do not wait for each other share one barrier between all stores and
all loads: the loads of the first move after the barrier of the second. Buffers of one type that are not in use together
are merged.

If all buffers together are larger than what the program's own leave of shared memory, there is one for each type, and
exchanges keep the barriers that let buffers of all types share bytes.

To check that barriers order the stores and loads of exchanges, a function is seen as its barriers and these accesses,
in their control flow. The accesses since the last barrier are followed on all paths. Two accesses are hazards: a store
to a buffer that was accessed since, and a load from a buffer that was stored to since.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from xetile.dialects.known_integers import folded_integer
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.gpu import BarrierOp
from xetile.dialects.xetile import InitTileOp, LoadTileOp, StoreTileOp
from xetile.passes.tiles.xetile_wg_to_sg.exchanged import Exchanged
from xetile.passes.tiles.xetile_wg_to_sg.exchanged_units import buffer_type
from xetile.passes.tiles.xetile_wg_to_sg.subgroup_view import SubgroupView
from xetile.planning.distribution.shared_messages import Memory
from xetile.rewriting.one_to_many import Offset


def bring_together(exchanges: Sequence[Exchanged]) -> None:
    """Remove barriers between stores and loads of exchanges if the next exchange's barrier suffices."""
    waiting: list[Exchanged] = []
    for made in exchanges:
        if not waiting or not _joins(waiting, made):
            waiting.clear()
        waiting.append(made)


def _joins(waiting: Sequence[Exchanged], made: Exchanged) -> bool:
    """Let exchanges wait at the barrier of the next one instead of their own, and return True if that is possible."""
    barriers = waiting[-1].between
    if len(barriers) != 1 or len(made.between) != 1:
        return False
    (start,), (end,) = barriers, made.between
    found = _behind(waiting, start, end, made.before)
    block = end.parent
    if found is None or block is None:
        return False
    for op in reversed(found):
        op.detach()
        block.insert_op_after(op, end)
    barriers.clear()
    start.detach()
    start.erase()
    return True


def _behind(
    waiting: Sequence[Exchanged],
    start: Operation,
    end: Operation,
    before: Sequence[Operation],
) -> list[Operation] | None:
    """Return the loads after `start` and their users, up to `end`; None if they cannot move after `end`."""
    tiles = {tile.results[0] for made in waiting for tile in made.tiles}
    found: dict[Operation, None] = {}
    op = start.next_op
    while op is not end:
        if op is None:
            return None
        loads = isinstance(op, LoadTileOp) and op.source in tiles
        if loads or _needs(op, found):
            if not loads and not is_side_effect_free(op):
                return None
            found[op] = None
        elif op.name == "gpu.barrier" and op not in before:
            return None
        op = op.next_op
    return list(found)


def _needs(op: Operation, made: dict[Operation, None]) -> bool:
    return any(operand.owner in made for inner in op.walk() for operand in inner.operands)


class _Access(NamedTuple):
    exchange: Exchanged
    stores: bool


@dataclass(eq=False)
class _Inner:
    """An op with regions that contain events; each block has a list of them."""

    op: Operation
    blocks: list["Events"]


Events = list["_Access | _Inner | Operation"]
"""The events in a block, in order: accesses, barriers, and ops with regions."""

_Since = frozenset[tuple[object, int, bool, Exchanged]]
"""Accesses since the last barrier: buffer, number of its copy, True for a store, exchange."""


@dataclass(eq=False)
class Hazards:
    """A search for unordered exchanges under assumptions about barriers and buffers.

    Attributes:
        removed: barriers that are assumed absent.
        added: ops before which there is one more barrier.
        buffer: the buffer that an exchange accesses; equal ones share bytes.
    """

    removed: Collection[Operation]
    added: Collection[Operation]
    buffer: Callable[[Exchanged], object]
    found: set[Exchanged] = field(default_factory=set[Exchanged])

    def of(self, events: Events) -> set[Exchanged]:
        """Return the exchanges that are not ordered, if nothing was accessed before these events."""
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
        """Follow a loop, in which an iteration comes after one of the other turn."""
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
    """Return the events in a block, in order."""
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


_MANY = 64
"""The number of exchanges in a function above which buffers are not shared: a bound on the work."""


def settle(view: SubgroupView, shared_bytes: int) -> None:
    """Remove barriers and buffers that the exchanges of a function, which have `shared_bytes`, do not need."""
    exchanges = view.exchanges
    if not exchanges:
        return
    if 2 * sum(made.plan.bytes for made in exchanges) <= shared_bytes:
        bring_together(exchanges)
    events = events_of(view.entry, exchanges)
    settled = _Settled(exchanges, events, view.exchange_bytes)
    settled.buffers_of_their_own()
    settled.share()
    if settled.bytes > shared_bytes:
        settled.one_of_each_type()
    _write(view, settled)


class _Settled:
    """Decisions on buffers and barriers, before anything is changed."""

    def __init__(self, exchanges: Sequence[Exchanged], events: Events, limit: int) -> None:
        self.exchanges = exchanges
        self.events = events
        self.limit = limit
        self.removed: set[Operation] = set()
        self.added: set[Operation] = set()
        self.buffer: dict[Exchanged, Exchanged] = {made: made for made in exchanges}

    @property
    def bytes(self) -> int:
        """The bytes of all buffers."""
        return sum({made: made.bytes for made in self.buffer.values()}.values())

    def unordered(self) -> set[Exchanged]:
        """Return the exchanges that some access may race with."""
        return Hazards(self.removed, self.added, self.buffer.__getitem__).of(self.events)

    def buffers_of_their_own(self) -> None:
        """Find the fewest barriers if each exchange has its own buffer."""
        first = [made for made in self.exchanges if len(made.before) == 1]
        self.removed = {barrier for made in first for barrier in made.before}
        self.removed |= {made.before[0] for made in self.exchanges}
        for made in sorted(self.unordered(), key=self.exchanges.index):
            if made not in self.unordered():
                continue
            if not self._takes_turns(made):
                self.removed.difference_update(made.before)
        self._fewer()

    def _takes_turns(self, made: Exchanged) -> bool:
        """Use two buffers in turn, with a barrier before the loop if needed; return True if that orders accesses."""
        loop = _countable_loop(made.before[0])
        if loop is None or 2 * made.plan.bytes > self.limit:
            return False
        made.loop = loop
        if made not in self.unordered():
            return True
        if loop not in self.added:
            self.added.add(loop)
            if made not in self.unordered():
                return True
            self.added.remove(loop)
        made.loop = None
        return False

    def _fewer(self) -> None:
        """Remove barriers that others have made unnecessary."""
        kept = [b for made in self.exchanges for b in made.before if b not in self.removed]
        for barrier in kept[:_MANY]:
            self.removed.add(barrier)
            if self.unordered():
                self.removed.remove(barrier)

    def share(self) -> None:
        """Use one buffer for exchanges of one type if that leaves all of them ordered."""
        if len(self.exchanges) > _MANY:
            return
        own: list[Exchanged] = []
        for made in self.exchanges:
            for other in own:
                if made.memory.results[0].type != other.memory.results[0].type:
                    continue
                if made.loop is not None or other.loop is not None:
                    continue
                self.buffer[made] = other
                if not self.unordered():
                    break
                self.buffer[made] = made
            else:
                own.append(made)

    def one_of_each_type(self) -> None:
        """Use one buffer for each type, and keep barriers as if all types had the same buffer."""
        self.removed, self.added = set(), set()
        first: dict[Attribute, Exchanged] = {}
        for made in self.exchanges:
            made.loop = None
            self.buffer[made] = first.setdefault(made.memory.results[0].type, made)
        kinds = self.buffer
        self.buffer = dict.fromkeys(self.exchanges, self.exchanges[0])
        self.removed = {barrier for made in self.exchanges for barrier in made.before}
        for made in self.exchanges:
            if made in self.unordered():
                self.removed.difference_update(made.before)
        self._fewer()
        self.buffer = kinds


def _countable_loop(barrier: Operation) -> scf.ForOp | None:
    """Return the loop around a barrier if its iterations are cheap to count (by a known step), else None."""
    outer = barrier.parent_op()
    while isinstance(outer, scf.IfOp | scf.IndexSwitchOp):
        outer = outer.parent_op()
    if not isinstance(outer, scf.ForOp) or folded_integer(outer.step) is None:
        return None
    return outer


# Apply the decisions to the function.


def _write(view: SubgroupView, settled: _Settled) -> None:
    for made in settled.exchanges:
        other = settled.buffer[made]
        if other is not made:
            made.memory.results[0].replace_all_uses_with(other.memory.results[0])
            view.erase(made.memory)
            made.memory = other.memory
    shifts: dict[tuple[Operation, int], SSAValue] = {}
    for made in settled.exchanges:
        if made.loop is not None:
            _double(view, made, shifts)
        for barrier in [b for b in made.before if b in settled.removed]:
            made.before.remove(barrier)
            view.erase(barrier)
    for loop in settled.added:
        _insert_before(loop, BarrierOp())


def _double(
    view: SubgroupView, made: Exchanged, shifts: dict[tuple[Operation, int], SSAValue]
) -> None:
    """Double a buffer, so that iterations use its halves in turn."""
    loop = made.loop
    assert isinstance(loop, scf.ForOp)
    old = made.memory.results[0]
    type = cast("MemRefType[Attribute]", old.type)
    memory, dimension, extent = doubled(made.plan.memory)
    both = memref.AllocOp([], [], buffer_type(memory, type.element_type))
    if (loop, extent) not in shifts:
        shifts[loop, extent] = _turn(view, loop, extent)
    shift = shifts[loop, extent]
    _replace(view, made.memory, both)
    made.memory = both
    if made.turned is not None:
        turned = memref.TransposeOp(both.memref, (1, 0))
        _replace(view, made.turned, turned)
        made.turned = turned
    for index, tile in enumerate(made.tiles):
        assert isinstance(tile, InitTileOp)
        from_turned = made.turned is not None and tile.source == made.turned.results[0]
        place = 1 - dimension if from_turned else dimension
        starts = list(tile.mixed_offsets)
        starts[place] = _shifted(view, tile, starts[place], shift)
        moved = InitTileOp(tile.source, starts, [], [], tile.tile.type)
        _replace(view, tile, moved)
        made.tiles[index] = moved


def _shifted(view: SubgroupView, tile: Operation, start: Offset, shift: SSAValue) -> SSAValue:
    if start == 0:
        return shift
    sum = arith.AddiOp(view.index(start), shift)
    _insert_before(tile, sum)
    return sum.result


def _insert_before(place: Operation, op: Operation) -> None:
    block = place.parent
    assert block is not None
    op.location = place.location
    block.insert_op_before(op, place)


def _replace(view: SubgroupView, old: Operation, new: Operation) -> None:
    _insert_before(old, new)
    for was, now in zip(old.results, new.results, strict=True):
        now.name_hint = was.name_hint
        was.replace_all_uses_with(now)
    view.erase(old)


def doubled(memory: Memory) -> tuple[Memory, int, int]:
    """Return a buffer twice as large, the dimension in which it grows, and where its second half begins (elements)."""
    rows, columns = memory.shape
    if memory.swizzle is not None:
        vectors = (*memory.swizzle, (rows, 0))
        return Memory((2 * rows, columns), memory.strides, vectors), 0, rows
    if memory.strides[1] == 1:
        return memory._replace(shape=(2 * rows, columns)), 0, rows
    return memory._replace(shape=(rows, 2 * columns)), 1, columns


def _turn(view: SubgroupView, loop: scf.ForOp, extent: int) -> SSAValue:
    """Return 0 or `extent`, alternating between iterations."""
    view.current = loop
    first = loop.body.block.first_op
    assert first is not None
    number: SSAValue = loop.body.block.args[0]
    step = folded_integer(loop.step)
    assert step is not None

    def add(op: Operation) -> SSAValue:
        _insert_before(first, op)
        op.location = loop.location
        return op.results[0]

    if folded_integer(loop.lb) != 0:
        number = add(arith.SubiOp(number, loop.lb))
    if step != 1:
        number = add(arith.DivUIOp(number, view.constant(step)))
    number = add(arith.RemUIOp(number, view.constant(2)))
    return number if extent == 1 else add(arith.MuliOp(number, view.constant(extent)))
