"""What is remembered of each element of shared memory: when it was last written and read, and by whom.

Time counts the barriers of a workgroup. The subgroups that wrote or read an element since
the last barrier are the bits of a number, so that of more than 64 subgroups those that are
64 apart count as one.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from xetile.interpreter.machine.observer import Allocation
from xetile.interpreter.machine.values import Array

FIRST_EPOCH = 2
"""The time before any barrier. 0 is never; 1 before the launch."""


class Accesses(NamedTuple):
    """Elements of one shared buffer that an op accesses, one entry per thread and element.

    `offsets` are bytes in the buffer, `places` the entries of the shadow, [accesses,
    entries per element], `now` the time of the thread's workgroup; `subgroups` are bits
    (None: not known), `values` those of what is stored.
    """

    threads: Array
    offsets: Array
    places: Array
    now: Array
    subgroups: Array | None
    values: Array | None = None


class Entries:
    """Arrays with an entry for as many bytes of a buffer as the smallest access has.

    A subclass gives its arrays' element types as `_TYPES`, by name; all begin with zeros.
    """

    _TYPES: Mapping[str, type[np.generic]] = {}

    def __init__(self, size: int, grain: int) -> None:
        """Entries for a buffer of `size` bytes, each for `grain` bytes at first."""
        self._grain = grain
        for name, dtype in self._TYPES.items():
            setattr(self, name, np.zeros(-(-size // grain), dtype))

    def places(self, offsets: Array, size: int) -> Array:
        """The entries of elements of `size` bytes at offsets in bytes: [elements, entries of one]."""
        if size < self._grain:
            for name in self._TYPES:
                setattr(self, name, np.repeat(getattr(self, name), self._grain // size))
            self._grain = size
        first = (offsets // self._grain)[:, None]
        return first if size == self._grain else first + np.arange(size // self._grain)


class Shadow(Entries):
    """The past of a shared buffer."""

    _TYPES: Mapping[str, type[np.generic]] = {
        "written": np.int32,
        "writers": np.uint64,
        "writing": np.int32,
        "atomic": np.bool,
        "read": np.int32,
        "readers": np.uint64,
        "reading": np.int32,
        "last": np.int64,
    }
    written: Array
    writers: Array
    writing: Array
    atomic: Array
    read: Array
    readers: Array
    reading: Array
    last: Array

    def __init__(self, allocation: Allocation, workgroups: int) -> None:
        super().__init__(allocation.slot * workgroups, allocation.element_size)
        self.allocation = allocation

    def unwritten(self, found: Accesses) -> Array:
        """Which accesses are to elements that nothing has written: [accesses, entries]."""
        return self.written[found.places] == 0

    def unordered_writers(self, found: Accesses) -> Array:
        """Subgroups whose write no barrier orders before a read, as bits: [accesses, entries]."""
        assert found.subgroups is not None
        readers = found.subgroups[:, None]
        writers = self._since(self.written, self.writers, found)
        # Who wrote the same bits as the others reads those,
        # whoever came last. Atomic ops change them in turn.
        raced = np.where(
            self.atomic[found.places], _several(readers | writers), (readers & ~writers) != 0
        )
        return np.where(raced, writers, np.uint64(0))

    def unordered_readers(self, found: Accesses) -> Array:
        """Subgroups whose read no barrier orders before a write, as bits: [accesses, entries]."""
        assert found.subgroups is not None
        writers = found.subgroups[:, None]
        readers = self._since(self.read, self.readers, found)
        return np.where(_several(readers | writers), readers, np.uint64(0))

    def earlier_writers(self, found: Accesses, *, atomic: bool) -> Array:
        """Other subgroups whose write no barrier orders before a write, as bits: [accesses, entries]."""
        assert found.subgroups is not None
        writers = self._since(self.written, self.writers, found) & ~found.subgroups[:, None]
        if not atomic:
            return writers
        return np.where(self.atomic[found.places], np.uint64(0), writers)

    def _since(self, times: Array, subgroups: Array, found: Accesses) -> Array:
        fresh = times[found.places] == found.now[:, None]
        return np.where(fresh, subgroups[found.places], np.uint64(0))

    def note_read(self, found: Accesses, op: int) -> None:
        if found.subgroups is None:
            return
        places, now = found.places, np.broadcast_to(found.now[:, None], found.places.shape)
        self.readers[places[self.read[places] != now]] = 0
        np.bitwise_or.at(self.readers, places, found.subgroups[:, None])
        self.read[places] = now
        self.reading[places] = op

    def note_write(self, found: Accesses, op: int, kept: Array, *, atomic: bool) -> None:
        """Remember a write; where `kept`, the bits and the earlier writers stay."""
        places, now = found.places, found.now[:, None]
        self.writing[places] = op
        if found.subgroups is None:
            self.written[places] = FIRST_EPOCH - 1
            return
        now = np.broadcast_to(now, places.shape)
        fresh = self.written[places] == now
        # After a plain store and an atomic op of one subgroup,
        # others' atomic ops race with the store.
        self.atomic[places] = (self.atomic[places] | ~fresh) & atomic
        self.writers[places[~((kept | atomic) & fresh)]] = 0
        np.bitwise_or.at(self.writers, places, found.subgroups[:, None])
        self.written[places] = now


def _several(subgroups: Array) -> Array:
    return (subgroups & (subgroups - np.uint64(1))) != 0


class Owners(Entries):
    """Which workgroup stored each element last (its linear id plus one), and by which op."""

    _TYPES: Mapping[str, type[np.generic]] = {
        "owner": np.int32,
        "writing": np.int32,
        "last": np.int64,
    }
    owner: Array
    writing: Array
    last: Array


def last_of(last: Array, places: Array) -> Array:
    """The last access to the element of each access, by position; `last` is scratch memory."""
    last[places[:, 0]] = np.arange(len(places))
    return last[places[:, 0]]


def lowest_bit(subgroups: int) -> int:
    """The number of the lowest subgroup of some bits."""
    return (subgroups & -subgroups).bit_length() - 1
