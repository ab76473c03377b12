"""Bank conflicts of lanes in shared memory, counted by brute force over the addresses of an execution.

The rules are those of docs/linear-layouts.md: lanes that together use every bank once are served at once (all lanes of
a subgroup if each accesses at most one word, 4 of them if each accesses 4 words); among these the slowest bank
decides, the one with the most different words. Lanes that access the same word do not conflict. A block message is
served row by row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation

from xetile.interpreter.machine.crops import ADDRESS_BITS
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.observer import Access, Allocation, Observer, TileAccess
from xetile.interpreter.machine.runtime_values import Array, Value
from xetile.interpreter.machine.thread_batches import Threads
from xetile.layout.exchange.swizzling import BANK_BITS

_BANK_BYTES = BANK_BITS // 8
_BLOCKS = ("xevm.blockload", "xevm.blockstore")


@dataclass(eq=False)
class Site:
    """An op that accesses shared memory.

    Attributes:
        accesses: the number of times that lanes were served at once.
        conflicts: additional cycles of all of them; `most` those of the worst one.
    """

    at: Operation
    stores: bool
    accesses: int = 0
    conflicts: int = 0
    most: int = 0


class BankConflicts(Observer):
    """An observer that counts the conflicts of each op and forwards events to `inner`.

    Only lanes access single words: at other levels nothing is counted.
    """

    def __init__(self, threads: Threads, inner: Observer | None = None, *, banks: int) -> None:
        self._threads = threads
        self._banks = banks
        self._inner = inner or Observer()
        self._shared: set[int] = set()
        self._sites: dict[Operation, Site] = {}

    @property
    def sites(self) -> Sequence[Site]:
        """The ops that accessed shared memory, in the order of their first access."""
        return tuple(self._sites.values())

    def begin_batch(
        self, kernel: Operation | None = None, given: Sequence[Value] = ()
    ) -> None:
        self._shared.clear()
        self._inner.begin_batch(kernel, given)

    def allocated(self, allocation: Allocation) -> None:
        self._shared.add(allocation.start >> ADDRESS_BITS)
        self._inner.allocated(allocation)

    def barrier(self, at: Operation, active: Array) -> None:
        self._inner.barrier(at, active)

    def read(self, access: Access) -> None:
        self._count(access, stores=False)
        self._inner.read(access)

    def write(self, access: Access, values: Array | None) -> None:
        self._count(access, stores=True)
        self._inner.write(access, values)

    def read_tile(self, access: TileAccess) -> None:
        self._inner.read_tile(access)

    def write_tile(self, access: TileAccess, values: Array) -> None:
        self._inner.write_tile(access, values)

    def _count(self, access: Access, *, stores: bool) -> None:
        at, active, addresses, element, where = access
        if self._threads.level != "lane" or addresses.size == 0:
            return
        if int(addresses.flat[0]) >> ADDRESS_BITS not in self._shared:
            return
        spread = np.broadcast_to(addresses, (len(active), *addresses.shape[1:]))
        places = spread.reshape(len(active), -1)
        wanted = np.ones(places.shape, np.bool)
        if where is not None:
            shape = (len(active), *np.broadcast_shapes(where.shape[1:], addresses.shape[1:]))
            wanted = np.broadcast_to(where, shape).reshape(len(active), -1)
        site = self._sites.setdefault(at, Site(at, stores))
        rows = range(places.shape[1]) if at.name in _BLOCKS else [slice(None)]
        for row in rows:
            own = places[:, row].reshape(len(active), -1)
            chosen = wanted[:, row].reshape(len(active), -1)
            self._serve(site, active, own, chosen, element.size)

    def _serve(
        self, site: Site, active: Array, places: Array, wanted: Array, size: int
    ) -> None:
        lanes = self._threads.lanes
        together = max(1, min(lanes, self._banks * _BANK_BYTES // (places.shape[1] * size)))
        groups = (active // lanes) * (lanes // together) + active % lanes // together
        words = np.concatenate(
            [(places + byte) // _BANK_BYTES for byte in range(0, size, _BANK_BYTES)],
            axis=1,
        )
        chosen = np.tile(wanted, (1, words.shape[1] // wanted.shape[1]))
        spread = np.broadcast_to(groups[:, None], words.shape)
        asked = np.unique(np.stack([spread[chosen], words[chosen]]), axis=1)
        if asked.shape[1] == 0:
            return
        numbers, group = np.unique(asked[0], return_inverse=True)
        counts = np.zeros((len(numbers), self._banks), np.int64)
        np.add.at(counts, (group, asked[1] % self._banks), 1)
        slowest = counts.max(axis=1) - 1
        site.accesses += len(numbers)
        site.conflicts += int(slowest.sum())
        site.most = max(site.most, int(slowest.max()))


def watching(
    made: list[BankConflicts],
    inner: Callable[[Memory, Threads], Observer] | None = None,
    *,
    banks: int,
) -> Callable[[Memory, Threads], Observer]:
    """Return a function that makes the counter of a launch and adds it to `made`; `inner` makes another observer."""

    def make(memory: Memory, threads: Threads) -> Observer:
        beside = None if inner is None else inner(memory, threads)
        counter = BankConflicts(threads, beside, banks=banks)
        made.append(counter)
        return counter

    return make
