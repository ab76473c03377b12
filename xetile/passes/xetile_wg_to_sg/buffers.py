"""The buffers of exchanges and the fewest barriers between them, when all of a function has been emitted.

At first each exchange has a buffer of its own, so that nothing keeps its stores behind other accesses. Where an
iteration of a loop stores what the one before may still load, two buffers are used in turn, if both fit; else the
barrier before the stores stays. Exchanges that do not wait for each other have one barrier between all stores and all
loads (`together.py`). Buffers of one type that are not in use together become one.

Where all of them together are larger than shared memory, there is one of each type, and exchanges keep the barriers
that let those of all types share bytes.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.known_integers import folded_integer
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.gpu import BarrierOp
from xetile.dialects.xetile import InitTileOp
from xetile.passes.xetile_wg_to_sg.exchange import buffer_type
from xetile.passes.xetile_wg_to_sg.exchanged import Exchanged
from xetile.passes.xetile_wg_to_sg.hazards import Events, Hazards, events_of
from xetile.passes.xetile_wg_to_sg.together import bring_together
from xetile.passes.xetile_wg_to_sg.view import SubgroupView
from xetile.planning.shared_messages import Memory
from xetile.rewriting.one_to_many import Offset

_MANY = 64
"""Exchanges of one function from which on buffers are not shared: a bound on the work."""


def settle(view: SubgroupView, shared_bytes: int) -> None:
    """Take away barriers and buffers that the exchanges of a function do not need."""
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
    """Decisions on buffers and barriers; nothing is changed yet."""

    def __init__(self, exchanges: Sequence[Exchanged], events: Events, limit: int) -> None:
        self.exchanges = exchanges
        self.events = events
        self.limit = limit
        self.removed: set[Operation] = set()
        self.added: set[Operation] = set()
        self.buffer: dict[Exchanged, Exchanged] = {made: made for made in exchanges}

    @property
    def bytes(self) -> int:
        """Of all buffers."""
        return sum({made: made.bytes for made in self.buffer.values()}.values())

    def unordered(self) -> set[Exchanged]:
        """The exchanges that something may race with."""
        return Hazards(self.removed, self.added, self.buffer.__getitem__).of(self.events)

    def buffers_of_their_own(self) -> None:
        """The fewest barriers where no exchange has another one's buffer."""
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
        """Use two buffers in turn, with a barrier before the loop where that needs one."""
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
        """Take away barriers that others have made unnecessary."""
        kept = [b for made in self.exchanges for b in made.before if b not in self.removed]
        for barrier in kept[:_MANY]:
            self.removed.add(barrier)
            if self.unordered():
                self.removed.remove(barrier)

    def share(self) -> None:
        """One buffer for exchanges of one type of which no barrier is missing then."""
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
        """One buffer for each type, and barriers as if they all were one."""
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
    """The loop around, if it is one whose iterations are counted cheaply: by a step that is known."""
    outer = barrier.parent_op()
    while isinstance(outer, scf.IfOp | scf.IndexSwitchOp):
        outer = outer.parent_op()
    if not isinstance(outer, scf.ForOp) or folded_integer(outer.step) is None:
        return None
    return outer


# What was decided, written into the function.


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
    """Two buffers in one, of which iterations take turns."""
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
    """A buffer twice as large, the dimension along which it is, and where its second half begins (elements)."""
    rows, columns = memory.shape
    if memory.swizzle is not None:
        vectors = (*memory.swizzle, (rows, 0))
        return Memory((2 * rows, columns), memory.strides, vectors), 0, rows
    if memory.strides[1] == 1:
        return memory._replace(shape=(2 * rows, columns)), 0, rows
    return memory._replace(shape=(rows, 2 * columns)), 1, columns


def _turn(view: SubgroupView, loop: scf.ForOp, extent: int) -> SSAValue:
    """0 or `extent`, by turns of iterations."""
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
