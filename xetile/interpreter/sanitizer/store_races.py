"""Stores of several workgroups of a launch to the same element, which may come in any order."""

import numpy as np
from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.errors import fail, notes_at, position
from xetile.interpreter.machine.crops import ADDRESS_BITS
from xetile.interpreter.machine.elements import Element
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.observer import Access
from xetile.interpreter.machine.threads import Threads
from xetile.interpreter.machine.values import Array
from xetile.interpreter.sanitizer.shadows import Owners, last_of


class NumberedOps:
    """Ops by numbers that arrays hold."""

    def __init__(self) -> None:
        self._ops: list[Operation] = []
        self._numbers: dict[Operation, int] = {}

    def number(self, op: Operation) -> int:
        if op not in self._numbers:
            self._numbers[op] = len(self._ops)
            self._ops.append(op)
        return self._numbers[op]

    def __getitem__(self, number: int) -> Operation:
        return self._ops[number]


class StoreRaces:
    """Watches workgroups' stores to memory; they `matter` if there are several."""

    def __init__(self, memory: Memory, threads: Threads, ops: NumberedOps) -> None:
        self.matter = int(np.prod(threads.grid)) > 1
        self._memory = memory
        self._threads = threads
        self._ops = ops
        self._owners: dict[int, Owners] = {}

    def write(self, access: Access, values: Array) -> None:
        at, active, addresses, element, where = access
        if not self.matter or addresses.size == 0:
            return
        shape = (len(active), *addresses.shape[1:])
        spread = np.broadcast_to(addresses, shape)
        chosen = None if where is None else np.broadcast_to(where, shape)
        numbers = spread >> ADDRESS_BITS
        for number in np.unique(numbers if chosen is None else numbers[chosen]).tolist():
            if not self._memory.outlives_workgroups(number):
                continue
            mine = (numbers == number) if chosen is None else chosen & (numbers == number)
            aligned = active.reshape(-1, *[1] * (len(shape) - 1))
            threads = np.broadcast_to(aligned, shape)[mine]
            stored = np.broadcast_to(values, shape)[mine]
            self._check(at, threads, spread[mine], element, stored)

    def _check(
        self, at: Operation, threads: Array, addresses: Array, element: Element, values: Array
    ) -> None:
        buffer = self._memory.buffer(int(addresses[0]), at)
        start = buffer.start
        owners = self._owners.setdefault(
            start >> ADDRESS_BITS, Owners(buffer.data.size, element.size)
        )
        places = owners.places(addresses - start, element.size)
        mine = (self._threads.workgroup(threads) + 1).astype(np.int32)
        storage = self._memory.storage
        stored = storage.bits(values, element)
        before = self._memory.read(at, addresses, element)
        kept = (storage.bits(before, element) == stored)[:, None]
        others = owners.others(places, mine)
        raced = (others != 0) & ~(kept & ~owners.changed[places])
        self._refuse(at, raced.any(axis=1), mine, others, owners, places)
        owners.writing[places] = self._ops.number(at)
        winner = last_of(owners.last, places)
        contested = stored[winner] != stored
        if contested.any():
            ahead = _another_of(winner, mine)
            self._refuse(at, contested & (ahead != 0), mine, ahead[:, None], owners, places)
        owners.note_store(places, mine, kept, contested)

    def _refuse(
        self,
        at: Operation,
        bad: Array,
        mine: Array,
        others: Array,
        owners: Owners,
        places: Array,
    ) -> None:
        if not bad.any():
            return
        first = int(np.argmax(bad))
        other = int(others[first].max())
        one, two = (
            list(self._threads.workgroup_place(np.array([number - 1])))
            for number in (int(mine[first]), other)
        )
        other_op = self._ops[int(owners.writing[places[first, 0]])]
        fail(
            at,
            f"workgroup {one} stores to an element to which workgroup {two} stored another value "
            f"at {line_of(other_op)}; workgroups run in any order",
            notes=notes_at(other_op, f"workgroup {two} stored it here"),
        )


def _another_of(group: Array, mine: Array) -> Array:
    """Another workgroup of each one's group, 0 where there is none."""
    low, high = mine.copy(), mine.copy()
    np.minimum.at(low, group, mine)
    np.maximum.at(high, group, mine)
    found = np.where(high[group] != mine, high[group], low[group])
    return np.where(found != mine, found, 0)


def line_of(at: Operation | SSAValue) -> str:
    """The line of an op or argument, for messages."""
    place = at.location if isinstance(at, BlockArgument) else None
    if not isinstance(place, FileLineColLoc):
        place = position(at)
    return "an unknown line" if place is None else f"line {place.line.data}"
