"""Accesses of several workgroups of a launch to the same element, which may come in any order."""

from math import prod

import numpy as np
from xdsl.ir import Operation

from xetile.errors import fail, notes_at
from xetile.interpreter.machine.threads import Threads
from xetile.interpreter.machine.values import Array
from xetile.interpreter.sanitizer.numbered_ops import NumberedOps, line_of
from xetile.interpreter.sanitizer.shadows import Accesses, GlobalShadow, last_of


class WorkgroupRaces:
    """Refuses what workgroups do to an element in no order; it `matters` if there are several.

    Workgroups may order themselves by what atomic ops return. One that uses such a result is
    not compared with what others did before.
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
        """An atomic op."""
        mine, places = self._mine(found), found.places
        others = shadow.other_reads(places, mine)
        self._refuse(at, "changes", "read", others, shadow.looking, mine, places)
        others = shadow.other_stores(places, mine)
        self._refuse(at, "changes", "stored", others, shadow.storing, mine, places)
        shadow.note_changer(places, mine, self._ops.number(at))

    def orders(self, active: Array) -> None:
        """These threads know what an atomic op of theirs found."""
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
        """An error where another workgroup is; without `does` and `did` both stored, different values."""
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
    """Another workgroup of each one's group, 0 where there is none."""
    low, high = mine.copy(), mine.copy()
    np.minimum.at(low, group, mine)
    np.maximum.at(high, group, mine)
    found = np.where(high[group] != mine, high[group], low[group])
    return np.where(found != mine, found, 0)
