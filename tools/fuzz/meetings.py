"""Whether what a kernel computes depends on the order in which its subgroups run."""

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from xetile.interpreter import execute
from xetile.interpreter.launch import Arguments
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.observer import Access, Observer, TileAccess
from xetile.interpreter.machine.threads import Threads
from xetile.interpreter.machine.values import Array


def depends_on_order(module: ModuleOp, kernel: str, arguments: Arguments) -> bool:
    """Execute a kernel; whether a subgroup writes a byte that another one reads or writes too.

    Barriers are not looked at, so a kernel that orders its subgroups may be said to depend as well.
    """
    made: list[Meetings] = []

    def observer(memory: Memory, threads: Threads) -> Observer:
        made.append(Meetings(memory, threads))
        return made[-1]

    execute(module, kernel, arguments, observer=observer)
    return any(meetings.conflict() for meetings in made)


class Meetings(Observer):
    """Notes who reads and writes which bytes."""

    def __init__(self, memory: Memory, threads: Threads) -> None:
        self._memory, self._threads = memory, threads
        self._notes: list[tuple[Array, Array, bool]] = []

    def read(self, access: Access) -> None:
        """Elements are about to be read."""
        self._note(access, writes=False)

    def write(self, access: Access, values: Array | None) -> None:
        """Elements are about to be written."""
        self._note(access, writes=True)

    def read_tile(self, access: TileAccess) -> None:
        """A tile is about to be read."""
        self._note(self._elements(access), writes=False)

    def write_tile(self, access: TileAccess, values: Array) -> None:
        """A tile is about to be written."""
        self._note(self._elements(access), writes=True)

    def _elements(self, access: TileAccess) -> Access:
        addresses, inside = self._memory.tile_addresses(
            access.tile, access.shape, access.element
        )
        return Access(access.at, access.active, addresses, access.element, inside)

    def _note(self, access: Access, *, writes: bool) -> None:
        threads, shape = self._threads, (len(access.active), *access.addresses.shape[1:])
        subgroup = threads.workgroup(access.active) * threads.subgroups
        subgroup = subgroup + threads.subgroup_of(access.active)
        who = np.broadcast_to(subgroup.reshape(-1, *[1] * (len(shape) - 1)), shape)
        addresses = np.broadcast_to(access.addresses, shape)
        if access.where is not None:
            chosen = np.broadcast_to(access.where, shape)
            who, addresses = who[chosen], addresses[chosen]
        bytes = addresses.reshape(-1, 1) + np.arange(access.element.size)
        self._notes.append((bytes.reshape(-1), who.repeat(access.element.size), writes))

    def conflict(self) -> bool:
        """Whether several subgroups met at a byte that one of them wrote."""
        if not self._notes:
            return False
        addresses = np.concatenate([addresses for addresses, _, _ in self._notes])
        who = np.concatenate([who for _, who, _ in self._notes])
        writes = np.concatenate([np.full(len(who), writes) for _, who, writes in self._notes])
        _, place = np.unique(addresses, return_inverse=True)
        first = np.full(place.max() + 1, who.max())
        last, written = np.zeros_like(first), np.zeros(len(first), bool)
        np.minimum.at(first, place, who)
        np.maximum.at(last, place, who)
        np.logical_or.at(written, place, writes)
        return bool((written & (first != last)).any())
