"""Shadow memory: when each element was last written and read, and by which subgroups.

Time counts the barriers of all workgroups, so that each has times of its own. A shadow stores
the subgroups that wrote or read an element since the last barrier; earlier accesses are ordered.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from xetile.interpreter.machine.observer import Allocation
from xetile.interpreter.machine.runtime_values import Array
from xetile.interpreter.sanitizer.sets import several, some


class Accesses(NamedTuple):
    """Elements of one buffer that an op accesses, one entry per thread and element.

    `offsets` are bytes in the buffer, `places` the entries of the shadow, [accesses,
    entries per element], `now` the time of the thread's workgroup; `subgroups` are the sets
    of those that access, [accesses, words], `values` the bits of the stored values.
    """

    threads: Array
    offsets: Array
    places: Array
    now: Array
    subgroups: Array
    values: Array | None = None


class Entries:
    """Arrays with one entry for each unit of a buffer; a unit has the bytes of the smallest access.

    A subclass gives the element types of its arrays as `_TYPES`, by name, and as `_SETS` the names
    of arrays of subgroup sets; all begin with zeros.
    """

    _TYPES: Mapping[str, type[np.generic]] = {}
    _SETS: tuple[str, ...] = ()

    def __init__(self, size: int, grain: int, words: int = 0) -> None:
        """Create entries for a buffer of `size` bytes, each for `grain` bytes at first."""
        self._grain = grain
        count = -(-size // grain)
        for name, dtype in self._TYPES.items():
            setattr(self, name, np.zeros(count, dtype))
        for name in self._SETS:
            setattr(self, name, np.zeros((count, words), np.uint64))

    def places(self, offsets: Array, size: int) -> Array:
        """Return the entries of elements of `size` bytes at offsets in bytes: [elements, entries of one]."""
        if size < self._grain:
            for name in (*self._TYPES, *self._SETS):
                finer = np.repeat(getattr(self, name), self._grain // size, axis=0)
                setattr(self, name, finer)
            self._grain = size
        first = (offsets // self._grain)[:, None]
        return first if size == self._grain else first + np.arange(size // self._grain)


class Shadow(Entries):
    """The history of a buffer since the last barriers.

    For each element: which subgroups have `written` its current bits; whether only by `atomic`
    ops; whether it was `changed` since the last barrier, so that it also had other bits; and
    which subgroups `read` it without having written the same bits.
    """

    _TYPES: Mapping[str, type[np.generic]] = {
        "written": np.int32,
        "writing": np.int32,
        "atomic": np.bool,
        "changed": np.bool,
        "read": np.int32,
        "reading": np.int32,
        "last": np.int64,
    }
    _SETS = ("writers", "readers")
    written: Array
    writers: Array
    writing: Array
    atomic: Array
    changed: Array
    read: Array
    readers: Array
    reading: Array
    last: Array

    def __init__(self, allocation: Allocation, workgroups: int, words: int) -> None:
        super().__init__(allocation.slot * workgroups, allocation.element_size, words)
        self.allocation = allocation

    def unwritten(self, found: Accesses) -> Array:
        """Return which accesses are to elements that nothing has written: [accesses, entries]."""
        return self.written[found.places] == 0

    def unordered_writers(self, found: Accesses) -> Array:
        """Return subgroups whose write no barrier orders before a read: [accesses, entries, words]."""
        readers = found.subgroups[:, None]
        writers = self._since(self.written, self.writers, found)
        # A subgroup that wrote the same bits as the others reads those,
        # whoever came last. Atomic ops change them in turn.
        atomic = self.atomic[found.places][..., None]
        return _where(
            np.where(atomic, several(readers | writers), some(readers & ~writers)), writers
        )

    def unordered_readers(self, found: Accesses) -> Array:
        """Return subgroups whose read no barrier orders before a write: [accesses, entries, words]."""
        readers = self._since(self.read, self.readers, found)
        return _where(several(readers | found.subgroups[:, None]), readers)

    def earlier_writers(self, found: Accesses, kept: Array, *, atomic: bool) -> Array:
        """Return subgroups whose write no barrier orders before a write: [accesses, entries, words].

        A store that `kept` the bits does not race unless the element had other bits before.
        """
        writers = self._since(self.written, self.writers, found)
        raced = several(writers | found.subgroups[:, None])
        places = found.places
        harmless = self.atomic[places] if atomic else kept & ~self.changed[places]
        return _where(raced & ~harmless[..., None], writers)

    def _since(self, times: Array, subgroups: Array, found: Accesses) -> Array:
        return _where(self._fresh(times, found)[..., None], subgroups[found.places])

    def _fresh(self, times: Array, found: Accesses) -> Array:
        return times[found.places] == found.now[:, None]

    def note_read(self, found: Accesses, op: int) -> None:
        """Record a read that no write raced with."""
        places, now = found.places, np.broadcast_to(found.now[:, None], found.places.shape)
        sets = np.broadcast_to(
            found.subgroups[:, None], (*places.shape, found.subgroups.shape[1])
        )
        # These readers wrote the bits that they read: what
        # races with the read races with the write too.
        theirs = self._fresh(self.written, found) & ~self.atomic[places]
        if theirs.any():
            places, now, sets = places[~theirs], now[~theirs], sets[~theirs]
        self.readers[places[self.read[places] != now]] = 0
        np.bitwise_or.at(self.readers, places, sets)
        self.read[places] = now
        self.reading[places] = op

    def note_write(
        self, found: Accesses, op: int, kept: Array, contested: Array, *, atomic: bool
    ) -> None:
        """Record a write; where `kept`, the bits and the earlier writers stay.

        `contested` are the accesses to elements to which the op writes several values.
        """
        places, now = found.places, found.now[:, None]
        fresh = self._fresh(self.written, found)
        self.writing[places] = op
        self.changed[places] = atomic | (fresh & (self.changed[places] | ~kept))
        self.changed[places[contested]] = True
        # After a plain store and an atomic op of one subgroup,
        # others' atomic ops race with the store.
        self.atomic[places] = (self.atomic[places] | ~fresh) & atomic
        self.writers[places[~((kept | atomic) & fresh)]] = 0
        np.bitwise_or.at(self.writers, places, found.subgroups[:, None])
        self.written[places] = np.broadcast_to(now, places.shape)


def _where(condition: Array, sets: Array) -> Array:
    return np.where(condition, sets, np.uint64(0))


class GlobalShadow(Shadow):
    """The history of a buffer that the workgroups of a launch share, which no barrier orders.

    For each element up to two workgroups (linear ids plus one, 0 for none) that stored its
    current bits (`first`, `second`), that read it without having stored them (`reader`,
    `other_reader`) and that changed it atomically; and whether the only one that stored
    `altered` its own earlier store.
    """

    _TYPES: Mapping[str, type[np.generic]] = {
        **Shadow._TYPES,
        "first": np.int32,
        "second": np.int32,
        "storing": np.int32,
        "altered": np.bool,
        "reader": np.int32,
        "other_reader": np.int32,
        "looking": np.int32,
        "changer": np.int32,
        "other_changer": np.int32,
        "updating": np.int32,
    }
    first: Array
    second: Array
    storing: Array
    altered: Array
    reader: Array
    other_reader: Array
    looking: Array
    changer: Array
    other_changer: Array
    updating: Array

    def __init__(self, allocation: Allocation, name: str, words: int) -> None:
        super().__init__(allocation, 1, words)
        self.name = name
        self.updated = False
        """True if an atomic op has changed an element."""

    def other_stores(self, places: Array, mine: Array) -> Array:
        """Return another workgroup that stored each element, 0 for none: [accesses, entries]."""
        return _other(self.first[places], self.second[places], mine)

    def other_reads(self, places: Array, mine: Array) -> Array:
        """Return another workgroup that read each element."""
        return _other(self.reader[places], self.other_reader[places], mine)

    def other_changes(self, places: Array, mine: Array) -> Array:
        """Return another workgroup that changed each element atomically."""
        return _other(self.changer[places], self.other_changer[places], mine)

    def stored_alone(self, places: Array, mine: Array) -> Array:
        """Return the other workgroup that alone stored each element, 0 for none."""
        first = self.first[places]
        alone = (first != mine[:, None]) & (self.second[places] == 0)
        return np.where(alone, first, 0)

    def note_reader(self, places: Array, mine: Array, op: int) -> None:
        """Record reads that do not race, except those of elements that workgroups have stored."""
        theirs = np.broadcast_to(mine[:, None], places.shape)
        own = self.first[places] != 0
        if own.any():
            places, theirs = places[~own], theirs[~own]
        self.looking[places] = op
        _add(self.reader, self.other_reader, places, theirs)

    def note_changer(self, places: Array, mine: Array, op: int) -> None:
        """Record atomic changes that do not race."""
        self.updated = True
        self.updating[places] = op
        theirs = np.broadcast_to(mine[:, None], places.shape)
        _add(self.changer, self.other_changer, places, theirs)

    def note_storer(
        self, places: Array, mine: Array, kept: Array, contested: Array, op: int
    ) -> None:
        """Record stores that do not race; `kept` and `contested` as in `Shadow.note_write`."""
        earlier = self.first[places]
        self.altered[places] |= (earlier != 0) & ~kept
        self.altered[places[contested]] = True
        self.storing[places] = op
        _add(self.first, self.second, places, np.broadcast_to(mine[:, None], places.shape))


def _other(first: Array, second: Array, mine: Array) -> Array:
    return np.where(first == mine[:, None], second, first)


def _add(first: Array, second: Array, places: Array, theirs: Array) -> None:
    """Record workgroups in slots that are free: each element has two."""
    free = first[places] == 0
    first[places[free]] = theirs[free]
    more = (first[places] != theirs) & (second[places] == 0)
    if more.any():
        second[places[more]] = theirs[more]


def last_of(last: Array, places: Array) -> Array:
    """Return the last access to the element of each access, by position; `last` is scratch memory."""
    last[places[:, 0]] = np.arange(len(places))
    return last[places[:, 0]]
