"""The sanitizer: it detects races, and reads of shared memory before any write, which lockstep execution hides.

Without a barrier in between, a read races with another subgroup's write, and a write with
another's read or write, unless both are stores of the same bits or both are atomic; a
subgroup that stored the same bits may read them. No barrier orders workgroups (`WorkgroupRaces`).

`Holders` are the subgroups that access an element at level workgroup, where one thread executes for all of them.

`WorkgroupRaces` detects accesses of several workgroups to the same element, which may come in any order.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod

import numpy as np
from xdsl.ir import Operation, SSAValue

from xetile.analysis.maps.inference import known_tile_maps
from xetile.dialects.traits import WritesTile, has_trait
from xetile.dialects.xetile import TileType, WorkgroupMapAttr
from xetile.errors import fail, notes_at
from xetile.interpreter.machine.crops import ADDRESS_BITS
from xetile.interpreter.machine.elements import Element
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.observer import Access, Allocation, Observer, TileAccess
from xetile.interpreter.machine.runtime_values import Array, MemRef, Value
from xetile.interpreter.machine.thread_batches import Threads
from xetile.interpreter.sanitizer.numbered_ops import NumberedOps, line_of
from xetile.interpreter.sanitizer.sets import members, several, singletons, some, union
from xetile.interpreter.sanitizer.shadows import Accesses, GlobalShadow, Shadow, last_of
from xetile.interpreter.sanitizer.touched import touched_parameters


class WorkgroupRaces:
    """A detector of unordered accesses of workgroups to one element; it `matters` if there are several.

    Workgroups may synchronize through the results of atomic ops. One that uses such a result is
    not compared with earlier accesses of others.
    """

    def __init__(self, threads: Threads, ops: NumberedOps) -> None:
        count = prod(threads.grid)
        self.matters = count > 1
        self._threads = threads
        self._ops = ops
        self._ordered: Array = np.zeros(count + 1 if self.matters else 0, np.bool)

    def read(self, at: Operation, shadow: GlobalShadow, found: Accesses) -> None:
        mine, places = self._mine(found), found.places
        others = shadow.stored_alone(places, mine)
        self._refuse(at, "reads", "stored", others, shadow.storing, mine, places)
        if shadow.updated:
            others = shadow.other_changes(places, mine)
            self._refuse(at, "reads", "changed", others, shadow.updating, mine, places)
        shadow.note_reader(places, mine, self._ops.number(at))

    def change(self, at: Operation, shadow: GlobalShadow, found: Accesses) -> None:
        """Check and record an atomic op."""
        mine, places = self._mine(found), found.places
        others = shadow.other_reads(places, mine)
        self._refuse(at, "changes", "read", others, shadow.looking, mine, places)
        others = shadow.other_stores(places, mine)
        self._refuse(at, "changes", "stored", others, shadow.storing, mine, places)
        shadow.note_changer(places, mine, self._ops.number(at))

    def orders(self, active: Array) -> None:
        """Record that these threads use the result of an atomic op."""
        if self.matters:
            self._ordered[self._threads.workgroup(active) + 1] = True

    def write(self, at: Operation, shadow: GlobalShadow, found: Accesses, kept: Array) -> None:
        mine, places, stored = self._mine(found), found.places, found.values
        assert stored is not None
        others = shadow.other_reads(places, mine)
        self._refuse(at, "stores to", "read", others, shadow.looking, mine, places)
        if shadow.updated:
            others = shadow.other_changes(places, mine)
            self._refuse(at, "stores to", "changed", others, shadow.updating, mine, places)
        others = shadow.other_stores(places, mine)
        if others.any():
            others = np.where(kept & ~shadow.altered[places], 0, others)
            self._refuse(at, "", "", others, shadow.storing, mine, places)
        winner = last_of(shadow.last, places)
        contested = stored[winner] != stored
        if contested.any():
            shadow.storing[places] = self._ops.number(at)
            ahead = np.where(contested, _another_of(winner, mine), 0)[:, None]
            self._refuse(at, "", "", ahead, shadow.storing, mine, places)
        shadow.note_storer(places, mine, kept, contested, self._ops.number(at))

    def _mine(self, found: Accesses) -> Array:
        return (self._threads.workgroup(found.threads) + 1).astype(np.int32)

    def _refuse(
        self,
        at: Operation,
        does: str,
        did: str,
        others: Array,
        ops: Array,
        mine: Array,
        places: Array,
    ) -> None:
        """Raise if another workgroup is found; with empty `does` and `did`, both stored different values."""
        if not others.any():
            return
        bad = (others != 0) & ~self._ordered[mine][:, None]
        if not bad.any():
            return
        first, entry = (int(part[0]) for part in np.nonzero(bad))
        other = int(others[first, entry])
        one, two = (
            list(self._threads.workgroup_place(np.array([number - 1])))
            for number in (int(mine[first]), other)
        )
        other_op = self._ops[int(ops[places[first, entry]])]
        line, did_it = line_of(other_op), f"workgroup {two} {did or 'stored'} it here"
        said = (
            f"{does} an element that workgroup {two} {did} at {line}"
            if does
            else f"stores to an element to which workgroup {two} stored another value at {line}"
        )
        fail(
            at,
            f"workgroup {one} {said}; workgroups run in any order",
            notes=notes_at(other_op, did_it),
        )


def _another_of(group: Array, mine: Array) -> Array:
    """Return another workgroup of each one's group, 0 for none."""
    low, high = mine.copy(), mine.copy()
    np.minimum.at(low, group, mine)
    np.maximum.at(high, group, mine)
    found = np.where(high[group] != mine, high[group], low[group])
    return np.where(found != mine, found, 0)


class Holders:
    """The subgroups that access each element by the map of an op's tile; without a tile all of them.

    If several subgroups have a unit, the first one writes it. If the map of a tile is not known,
    as in eager execution, no subgroup is returned.
    """

    def __init__(self, subgroups: int) -> None:
        self._singletons = singletons(subgroups)
        self._everyone = union(self._singletons)
        self._nobody = np.zeros_like(self._everyone)
        self._dealt: dict[tuple[WorkgroupMapAttr, tuple[int, ...], bool], Array] = {}
        self._inferred: dict[Operation, Mapping[SSAValue, WorkgroupMapAttr]] = {}

    def of(self, at: Operation, shape: Sequence[int]) -> Array:
        """Return the sets of subgroups that access each element: [*shape, words], or [words] for all."""
        tile = next((value for value in at.operands if isinstance(value.type, TileType)), None)
        if tile is None:
            return self._everyone
        map = self._map(tile, at)
        if map is None:
            return self._nobody
        assert isinstance(tile.type, TileType)
        # No map covers blocks, which have four dimensions.
        if tile.type.shape != tuple(shape):
            return self._everyone
        key = (map, tile.type.shape, has_trait(at, WritesTile))
        if key not in self._dealt:
            self._dealt[key] = self._deal(at, map, tile.type.shape)
        return self._dealt[key]

    def _map(self, tile: SSAValue, at: Operation) -> WorkgroupMapAttr | None:
        assert isinstance(tile.type, TileType)
        if tile.type.wg_map is not None:
            return tile.type.wg_map
        function = _function_around(at)
        if function not in self._inferred:
            self._inferred[function] = known_tile_maps(function)
        return self._inferred[function].get(tile)

    def _deal(self, at: Operation, map: WorkgroupMapAttr, shape: tuple[int, ...]) -> Array:
        dealt, there = map.distribution(shape), len(self._singletons)
        if dealt.subgroups > there:
            fail(
                at,
                f"sg_layout {list(map.sg_layout)} has {dealt.subgroups} subgroups, "
                f"the workgroup has {there}",
            )
        height, width = dealt.unit
        rows, columns = dealt.units(0), dealt.units(1)
        writers = 1 if has_trait(at, WritesTile) else None
        units = [
            union(self._singletons[dealt.owners(unit)[:writers]])
            for unit in np.ndindex(rows, columns)
        ]
        held = np.array(units).reshape(rows, columns, -1)
        return held.repeat(height, axis=0).repeat(width, axis=1)


def _function_around(op: Operation) -> Operation:
    while (outer := op.parent_op()) is not None and not op.name.endswith("func"):
        op = outer
    return op


class Sanitizer(Observer):
    """An observer that raises for races of a launch, and for reads of unwritten shared memory.

    In global memory it observes buffers that the kernel may both read and write, and stores.
    """

    def __init__(self, memory: Memory, threads: Threads) -> None:
        self._memory = memory
        self._threads = threads
        self._shared: dict[int, Shadow] = {}
        self._global: dict[int, GlobalShadow] = {}
        self._known: dict[int, Allocation] = {}
        self._never_written: set[int] = set()
        self._never_read: set[int] = set()
        self._time = 0
        # For each workgroup, counted by barriers of shared and of global memory.
        self._times: tuple[Array, Array] = (np.zeros(0, np.int32), np.zeros(0, np.int32))
        self._eager = False
        # A gpu.launch may have fewer work-items than a subgroup.
        count = max(threads.subgroups, -(-threads.per_workgroup // threads.lanes))
        self._singletons = singletons(count)
        self._several = count > 1
        self._holders = Holders(count)
        self._ops = NumberedOps()
        self._workgroups = WorkgroupRaces(threads, self._ops)

    def begin_batch(
        self, kernel: Operation | None = None, given: Sequence[Value] = ()
    ) -> None:
        self._shared.clear()
        everyone = np.arange(len(self._threads.workgroups))
        self._times = (self._next_times(everyone), self._next_times(everyone))
        self._eager = kernel is None
        if kernel is not None and not self._global:
            self._learn(kernel, given)

    def _learn(self, kernel: Operation, given: Sequence[Value]) -> None:
        """Find the arguments that cannot race, and the shapes of the others for diagnostics."""
        numbers = [_number_of(value) for value in given]
        for value, number in zip(given, numbers, strict=True):
            if isinstance(value, MemRef) and len(value.base) == 1 and number:
                self._know(kernel, value, number)
        if (touched := touched_parameters(kernel)) is None:
            return
        read = {numbers[n] for n in touched.read if n < len(numbers)}
        written = {numbers[n] for n in touched.written if n < len(numbers)}
        self._never_read = {*numbers} - read
        self._never_written = {*numbers} - written

    def _know(self, at: Operation, memref: MemRef, number: int) -> None:
        buffer = self._memory.buffer(number << ADDRESS_BITS, at)
        strides = [int(stride[0]) for stride in memref.strides]
        self._known[number] = Allocation(
            at, buffer.start, buffer.data.size, buffer.data.size, 1, strides
        )

    def _next_times(self, workgroups: Array) -> Array:
        self._time += len(workgroups)
        return np.arange(self._time - len(workgroups) + 1, self._time + 1, dtype=np.int32)

    def allocated(self, allocation: Allocation) -> None:
        count = len(self._threads.workgroups)
        self._shared[allocation.start >> ADDRESS_BITS] = Shadow(
            allocation, count, self._singletons.shape[1]
        )

    def barrier(self, at: Operation, active: Array) -> None:
        workgroups = np.unique(active // self._threads.per_workgroup)
        spaces = at.properties.get("address_spaces") or at.attributes.get("address_spaces")
        for times, space in zip(self._times, ("workgroup", "global"), strict=True):
            if spaces is None or space in str(spaces):
                times[workgroups] = self._next_times(workgroups)

    def _shared_in(self, access: Access) -> Iterator[Shadow]:
        if self._shared:
            for number in _numbers(access.addresses, access.where):
                if number in self._shared:
                    yield self._shared[number]

    def _global_in(self, access: Access, never: set[int]) -> Iterator[GlobalShadow]:
        """Yield the accessed buffers in global memory that may race; `never` are those that cannot."""
        if not (self._several or self._workgroups.matters):
            return
        for number in _numbers(access.addresses, access.where):
            if number in never or not self._memory.outlives_workgroups(number):
                continue
            if number not in self._global:
                self._global[number] = self._shadow(access, number)
            yield self._global[number]

    def _shadow(self, access: Access, number: int) -> GlobalShadow:
        buffer = self._memory.buffer(number << ADDRESS_BITS, access.at)
        size, grain = buffer.data.size, access.element.size
        allocation = self._known.get(number)
        if allocation is None:
            allocation = Allocation(access.at, buffer.start, size, size, grain, [1])
        return GlobalShadow(
            allocation._replace(element_size=grain), buffer.name, self._singletons.shape[1]
        )

    def read(self, access: Access) -> None:
        at = access.at
        for shadow in self._shared_in(access):
            found = self._accesses(access, shadow)
            self._refuse_unwritten(at, shadow, found)
            self._read(at, shadow, found)
        for shadow in self._global_in(access, self._never_written):
            found = self._accesses(access, shadow)
            if self._workgroups.matters:
                self._workgroups.read(at, shadow, found)
            if self._several:
                self._read(at, shadow, found)

    def _read(self, at: Operation, shadow: Shadow, found: Accesses) -> None:
        others = shadow.unordered_writers(found)
        self._refuse_race(at, shadow, found, others, "reads", "wrote")
        shadow.note_read(found, self._ops.number(at))

    def write(self, access: Access, values: Array | None) -> None:
        at, atomic = access.at, values is None
        for shadow in self._global_in(access, set()):
            found = self._accesses(access, shadow, values)
            kept = self._kept(at, found, shadow, access.element)
            if self._workgroups.matters and atomic:
                self._workgroups.change(at, shadow, found)
            elif self._workgroups.matters:
                self._workgroups.write(at, shadow, found, kept)
            if self._several:
                self._write(at, shadow, found, kept, atomic=atomic)
        for shadow in self._shared_in(access):
            found = self._accesses(access, shadow, values)
            if atomic:
                self._refuse_unwritten(at, shadow, found)
            kept = self._kept(at, found, shadow, access.element)
            self._write(at, shadow, found, kept, atomic=atomic)
        if atomic and any(self._eager or one.first_use is not None for one in at.results):
            self._workgroups.orders(access.active)

    def _write(
        self, at: Operation, shadow: Shadow, found: Accesses, kept: Array, *, atomic: bool
    ) -> None:
        others = shadow.unordered_readers(found)
        self._refuse_race(at, shadow, found, others, "writes", "read")
        others = shadow.earlier_writers(found, kept, atomic=atomic)
        self._refuse_race(at, shadow, found, others, "writes", "wrote")
        contested = self._contested(at, shadow, found)
        shadow.note_write(found, self._ops.number(at), kept, contested, atomic=atomic)

    def read_tile(self, access: TileAccess) -> None:
        numbers = _numbers(access.tile.surface.base)
        if any(number in self._shared for number in numbers):
            self._refuse_edges(access)
            self.read(self._elements(access)._replace(where=None))
        elif not self._never_written.issuperset(numbers):
            self.read(self._elements(access))

    def write_tile(self, access: TileAccess, values: Array) -> None:
        shared = any(number in self._shared for number in _numbers(access.tile.surface.base))
        if shared:
            self._refuse_edges(access)
        if shared or self._several or self._workgroups.matters:
            self.write(self._elements(access), values)

    def _elements(self, access: TileAccess) -> Access:
        at, active, tile, shape, element = access
        addresses, inside = self._memory.tile_addresses(tile, shape, element)
        return Access(at, active, addresses, element, inside)

    def _refuse_edges(self, access: TileAccess) -> None:
        at, active, tile, shape, _ = access
        (height, width), (x, y) = tile.surface.sizes, tile.corner
        names = (("row", x, shape[0], height), ("column", y, shape[1], width))
        for name, first, extent, limit in names:
            outside = np.atleast_1d((first < 0) | (first + extent > limit))
            if not outside.any():
                continue
            thread = int(np.argmax(outside))
            low, most = (_one(part, thread) for part in (first, limit))
            place = low if low < 0 else low + extent - 1
            fail(
                at,
                f"{self._who(int(active[thread]))} accesses {name} {place} of a matrix in shared memory, "
                f"which has {most} {name}s",
            )

    def _accesses(
        self, access: Access, shadow: Shadow, values: Array | None = None
    ) -> Accesses:
        at, active, addresses, element, where = access
        shape, allocation = (len(active), *addresses.shape[1:]), shadow.allocation
        chosen = (addresses >> ADDRESS_BITS) == allocation.start >> ADDRESS_BITS
        shared = not isinstance(shadow, GlobalShadow)
        if not shared:
            # Accesses outside of the buffer raise when they are executed.
            steps = addresses - allocation.start
            chosen &= (steps >= 0) & (steps + element.size <= allocation.size)
        chosen = np.broadcast_to(chosen if where is None else chosen & where, shape)
        everything = bool(chosen.all())

        def pick(part: Array) -> Array:
            """Return the chosen accesses of an array of `shape`, or of sets of subgroups."""
            more = part.shape[len(shape) :]
            spread = np.broadcast_to(part, (*shape, *more))
            return spread.reshape(-1, *more) if everything else spread[chosen]

        def by_thread(part: Array) -> Array:
            return part.reshape(len(active), *[1] * (len(shape) - 1), *part.shape[1:])

        workgroups = active // self._threads.per_workgroup
        offsets = pick(addresses - allocation.start)
        threads = pick(by_thread(active))
        if shared:
            within = offsets - pick(by_thread(workgroups * allocation.slot))
            self._refuse_outside(at, allocation, threads, within, element.size)
        if self._threads.level == "workgroup":
            subgroups = self._holders.of(at, shape[1:])
            ones = [1] * (len(shape) + 1 - subgroups.ndim)
            subgroups = subgroups.reshape(*ones, *subgroups.shape)
        else:
            subgroups = by_thread(self._singletons[self._threads.subgroup_of(active)])
        bits = None if values is None else self._memory.storage.bits(pick(values), element)
        places = shadow.places(offsets, element.size)
        now = pick(by_thread(self._times[0 if shared else 1][workgroups]))
        return Accesses(threads, offsets, places, now, pick(subgroups), bits)

    def _kept(self, at: Operation, found: Accesses, shadow: Shadow, element: Element) -> Array:
        """Return which stores change nothing: [accesses, 1]."""
        if found.values is None:
            return np.zeros((len(found.threads), 1), np.bool)
        old = self._memory.read(at, found.offsets + shadow.allocation.start, element)
        return (self._memory.storage.bits(old, element) == found.values)[:, None]

    def _refuse_outside(
        self, at: Operation, allocation: Allocation, threads: Array, within: Array, size: int
    ) -> None:
        outside = (within < 0) | (within + size > allocation.size)
        if outside.any():
            first = int(np.argmax(outside))
            fail(
                at,
                f"{self._who(int(threads[first]))} accesses byte {int(within[first])} of "
                f"{_shared_buffer(allocation)}, which has {allocation.size} bytes",
            )

    def _refuse_unwritten(self, at: Operation, shadow: Shadow, found: Accesses) -> None:
        unwritten = shadow.unwritten(found).any(axis=1)
        if unwritten.any():
            first = int(np.argmax(unwritten))
            fail(
                at,
                f"{self._who(int(found.threads[first]))} reads {self._element(shadow, found, first)}, "
                "which nothing has written",
            )

    def _refuse_race(
        self,
        at: Operation,
        shadow: Shadow,
        found: Accesses,
        others: Array,
        does: str,
        did: str,
    ) -> None:
        if not others.any():
            return
        bad = others.any(axis=-1) & some(found.subgroups)
        if not bad.any():
            return
        first, entry = (int(part[0]) for part in np.nonzero(bad))
        place = found.places[first, entry]
        ops = shadow.writing if did == "wrote" else shadow.reading
        other_op = self._ops[int(ops[place])]
        mine, theirs = members(found.subgroups[first]), members(others[first, entry])
        one = next((n for n in mine if n not in theirs), mine[0])
        other = next(n for n in theirs if n != one)
        element = self._element(shadow, found, first)
        fail(
            at,
            f"subgroup {one} {does} {element}, which subgroup {other} {did} at {line_of(other_op)} "
            "with no barrier between",
            notes=notes_at(other_op, f"subgroup {other} {did} it here"),
        )

    def _contested(self, at: Operation, shadow: Shadow, found: Accesses) -> Array:
        """Return which accesses store another value to an element than the last one of the op.

        Raise if several subgroups store to it: two of them then store different values.
        """
        if found.values is None:
            return np.zeros(len(found.threads), np.bool)
        winner = last_of(shadow.last, found.places)
        different = found.values[winner] != found.values
        if not different.any():
            return different
        elements, group = np.unique(winner, return_inverse=True)
        storing = np.zeros((len(elements), found.subgroups.shape[1]), np.uint64)
        np.bitwise_or.at(storing, group, found.subgroups)
        raced = different & several(storing)[group, 0]
        if raced.any():
            first = int(np.argmax(raced))
            mine, all_there = members(found.subgroups[first]), members(storing[group[first]])
            last = members(found.subgroups[winner[first]])
            other = next(n for n in (*last, *all_there) if n != mine[0])
            one, other = sorted((mine[0], other))
            fail(
                at,
                f"subgroups {one} and {other} store different values to "
                f"{self._element(shadow, found, first)}",
            )
        return different

    def _element(self, shadow: Shadow, found: Accesses, first: int) -> str:
        allocation = shadow.allocation
        offset = int(found.offsets[first]) % allocation.slot
        return f"element {allocation.index_of(offset)} of {_buffer(shadow)}"

    def _who(self, thread: int) -> str:
        if self._threads.level == "workgroup":
            return "the workgroup"
        return f"subgroup {int(self._threads.subgroup_of(np.array([thread]))[0])}"


def _one(values: Array, thread: int) -> int:
    return int(values[0 if len(values) == 1 else thread])


def _buffer(shadow: Shadow) -> str:
    if isinstance(shadow, GlobalShadow):
        return shadow.name
    return _shared_buffer(shadow.allocation)


def _shared_buffer(allocation: Allocation) -> str:
    return f"the shared buffer allocated at {line_of(allocation.at)}"


def _number_of(value: Value) -> int:
    """Return the buffer that an argument begins in, 0 for none."""
    base = value.base if isinstance(value, MemRef) else value
    if not isinstance(base, np.ndarray) or base.dtype != np.int64 or base.size == 0:
        return 0
    return int(base.flat[0]) >> ADDRESS_BITS


def _numbers(addresses: Array, where: Array | None = None) -> list[int]:
    """Return the numbers of the accessed buffers."""
    if addresses.size == 0:
        return []
    numbers = addresses >> ADDRESS_BITS
    first = int(numbers.flat[0])
    if (numbers == first).all():
        return [first]
    if where is not None:
        numbers, where = np.broadcast_arrays(numbers, where)
        numbers = numbers[where]
    return np.unique(numbers).tolist()
