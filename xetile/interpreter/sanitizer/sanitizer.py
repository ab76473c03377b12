"""What executing in lockstep hides: races on shared memory, reads of it before any write.

Without a barrier between, a read races with another subgroup's write, a write with
another's read or write, unless both are stores of the same bits or both are atomic; who
stored the same bits may read them. Workgroups have no barrier: two that store different
values to an element race.
"""

import numpy as np
from xdsl.ir import Operation

from xetile.errors import fail, notes_at
from xetile.interpreter.machine.crops import ADDRESS_BITS
from xetile.interpreter.machine.elements import Element
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.observer import Access, Allocation, Observer, TileAccess
from xetile.interpreter.machine.threads import Threads
from xetile.interpreter.machine.values import Array
from xetile.interpreter.sanitizer.holders import Holders
from xetile.interpreter.sanitizer.sets import members, several, singletons
from xetile.interpreter.sanitizer.shadows import FIRST_EPOCH, Accesses, Shadow, last_of
from xetile.interpreter.sanitizer.store_races import NumberedOps, StoreRaces, line_of


class Sanitizer(Observer):
    """Refuses races of a launch, and reads of shared memory that nothing has written."""

    def __init__(self, memory: Memory, threads: Threads) -> None:
        self._memory = memory
        self._threads = threads
        self._shadows: dict[int, Shadow] = {}
        self._epochs: Array = np.zeros(0, np.int32)
        # A gpu.launch may have fewer work-items than a subgroup.
        count = max(threads.subgroups, -(-threads.per_workgroup // threads.lanes))
        self._singletons = singletons(count)
        self._holders = Holders(count)
        self._ops = NumberedOps()
        self._stores = StoreRaces(memory, threads, self._ops)

    def begin_batch(self) -> None:
        self._shadows.clear()
        self._epochs = np.full(len(self._threads.workgroups), FIRST_EPOCH, np.int32)

    def allocated(self, allocation: Allocation) -> None:
        count = len(self._threads.workgroups)
        self._shadows[allocation.start >> ADDRESS_BITS] = Shadow(
            allocation, count, self._singletons.shape[1]
        )

    def barrier(self, active: Array) -> None:
        self._epochs[np.unique(active // self._threads.per_workgroup)] += 1

    def _buffers(self, addresses: Array) -> list[int]:
        if not self._shadows or addresses.size == 0:
            return []
        numbers = addresses >> ADDRESS_BITS
        first = numbers.flat[0]
        found = [first] if (numbers == first).all() else np.unique(numbers).tolist()
        return [int(number) for number in found if int(number) in self._shadows]

    def read(self, access: Access) -> None:
        for number in self._buffers(access.addresses):
            shadow = self._shadows[number]
            found = self._accesses(access, shadow)
            self._refuse_unwritten(access.at, shadow, found)
            others = shadow.unordered_writers(found)
            self._refuse_race(access.at, shadow, found, others, "reads", "wrote")
            shadow.note_read(found, self._ops.number(access.at))

    def write(self, access: Access, values: Array | None) -> None:
        at, atomic = access.at, values is None
        if values is not None:
            self._stores.write(access, values)
        for number in self._buffers(access.addresses):
            shadow = self._shadows[number]
            found = self._accesses(access, shadow, values)
            if atomic:
                self._refuse_unwritten(at, shadow, found)
            kept = self._kept(at, found, shadow, access.element)
            others = shadow.unordered_readers(found)
            self._refuse_race(at, shadow, found, others, "writes", "read")
            others = shadow.earlier_writers(found, kept, atomic=atomic)
            self._refuse_race(at, shadow, found, others, "writes", "wrote")
            contested = self._contested(at, shadow, found)
            shadow.note_write(found, self._ops.number(at), kept, contested, atomic=atomic)

    def read_tile(self, access: TileAccess) -> None:
        if self._buffers(access.tile.surface.base):
            self._refuse_edges(access)
            self.read(self._elements(access)._replace(where=None))

    def write_tile(self, access: TileAccess, values: Array) -> None:
        shared = bool(self._buffers(access.tile.surface.base))
        if shared:
            self._refuse_edges(access)
        if shared or self._stores.matter:
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
        chosen = np.broadcast_to(chosen if where is None else chosen & where, shape)
        everything = bool(chosen.all())

        def pick(part: Array) -> Array:
            """The chosen accesses of what has `shape`, or of sets of subgroups."""
            more = part.shape[len(shape) :]
            spread = np.broadcast_to(part, (*shape, *more))
            return spread.reshape(-1, *more) if everything else spread[chosen]

        def by_thread(part: Array) -> Array:
            return part.reshape(len(active), *[1] * (len(shape) - 1), *part.shape[1:])

        workgroups = active // self._threads.per_workgroup
        offsets = pick(addresses - allocation.start)
        within = pick(addresses - allocation.start - by_thread(workgroups * allocation.slot))
        threads = pick(by_thread(active))
        self._refuse_outside(at, allocation, threads, within, element.size)
        if self._threads.level == "workgroup":
            subgroups = self._holders.of(at, shape[1:])
            ones = [1] * (len(shape) + 1 - subgroups.ndim)
            subgroups = subgroups.reshape(*ones, *subgroups.shape)
        else:
            subgroups = by_thread(self._singletons[self._threads.subgroup_of(active)])
        bits = None if values is None else self._memory.storage.bits(pick(values), element)
        places = shadow.places(offsets, element.size)
        now = pick(by_thread(self._epochs[workgroups]))
        return Accesses(threads, offsets, places, now, pick(subgroups), bits)

    def _kept(self, at: Operation, found: Accesses, shadow: Shadow, element: Element) -> Array:
        """Which stores change nothing: [accesses, 1]."""
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
                f"{_buffer(allocation)}, which has {allocation.size} bytes",
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
        first, entry = (int(part[0]) for part in np.nonzero(others.any(axis=-1)))
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
        """Which accesses store another value to an element than the last one of the op.

        Refused where several subgroups store to it: two of them then store different values.
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
        return f"element {allocation.index_of(offset)} of {_buffer(allocation)}"

    def _who(self, thread: int) -> str:
        if self._threads.level == "workgroup":
            return "the workgroup"
        return f"subgroup {int(self._threads.subgroup_of(np.array([thread]))[0])}"


def _one(values: Array, thread: int) -> int:
    return int(values[0 if len(values) == 1 else thread])


def _buffer(allocation: Allocation) -> str:
    return f"the shared buffer allocated at {line_of(allocation.at)}"
