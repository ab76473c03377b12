"""The threads of a batch: workgroups, subgroups or lanes."""

from dataclasses import KW_ONLY, dataclass
from typing import NoReturn

import numpy as np
from xdsl.ir import Operation

from xetile.analysis.lanes import Axis, shared_by_lanes
from xetile.errors import fail
from xetile.interpreter.machine.runtime_values import Array, uniform
from xetile.targets.target import Unit

Sizes = tuple[int, int, int]
"""Along x, y and z; x is the fastest."""


@dataclass(eq=False)
class Threads:
    """The threads of some workgroups, ascending; ids along x are the fastest.

    `block` is the size of a workgroup along x, y, z: in work-items, or in subgroups if
    `counts_subgroups`. `workgroups` are linear ids. A workgroup has `per_workgroup`
    threads, a subgroup `lanes`, or `subgroup_size` work-items.
    """

    level: Unit
    grid: Sizes
    block: Sizes | None
    subgroups: int
    _: KW_ONLY
    subgroup_size: int
    counts_subgroups: bool

    def __post_init__(self) -> None:
        self.workgroups: Array = np.arange(0)
        self.lanes = self.subgroup_size if self.level == "lane" else 1
        self.per_workgroup = 1 if self.level == "workgroup" else self.subgroups * self.lanes

    @property
    def count(self) -> int:
        return len(self.workgroups) * self.per_workgroup

    def workgroup(self, active: Array) -> Array:
        return self.workgroups[active // self.per_workgroup]

    def block_id(self, active: Array, axis: Axis) -> Array:
        return _coordinate(self.workgroup(active), self.grid, axis)

    def subgroup(self, active: Array, at: Operation) -> Array:
        if self.level == "workgroup":
            self._refuse_inside(at)
        return self.subgroup_of(active)

    def subgroup_of(self, active: Array) -> Array:
        return active % self.per_workgroup // self.lanes

    def lane(self, active: Array, at: Operation) -> Array:
        if self.level != "lane":
            self._refuse_inside(at)
        return active % self.subgroup_size

    def thread_id(self, active: Array, axis: Axis, at: Operation) -> Array:
        """Return the coordinates in the workgroup of work-items, or of subgroups if `counts_subgroups`."""
        if self.level == "lane" and not self.counts_subgroups:
            return _coordinate(active % self.per_workgroup, self.block_sizes(at), axis)
        if self.counts_subgroups:
            return _coordinate(self.subgroup(active, at), self.block_sizes(at), axis)
        if (
            self.level == "workgroup"
            or self.block is None
            or not shared_by_lanes(self.block, axis, self.subgroup_size)
        ):
            self._refuse_inside(at, "; use gpu.subgroup_id or gpu.block_id")
        first = self.subgroup_of(active) * self.subgroup_size
        return _coordinate(first, self.block, axis)

    def _refuse_inside(self, at: Operation, hint: str = "") -> NoReturn:
        place = f"a {self.level}, which executes as one thread here"
        fail(at, f"'{at.name}' differs inside of {place}{hint}")

    def block_sizes(self, at: Operation) -> Sizes:
        if self.block is None:
            fail(at, f"'{at.name}' needs known_block_size on the kernel")
        return self.block

    def describe(self, thread: int) -> str:
        number = thread // self.per_workgroup
        place = self.workgroup_place(self.workgroups[number : number + 1])
        parts = [f"workgroup {list(place)}"]
        if self.level != "workgroup":
            parts.append(f"subgroup {thread % self.per_workgroup // self.lanes}")
        if self.level == "lane":
            parts.append(f"lane {thread % self.lanes}")
        return ", ".join(parts)

    def workgroup_place(self, linear: Array) -> Sizes:
        """Return the coordinates of a workgroup by its linear id, [1]."""
        x, y, z = (int(_coordinate(linear, self.grid, axis)[0]) for axis in ("x", "y", "z"))
        return x, y, z

    def broken_workgroup(self, active: Array) -> tuple[Sizes, Array] | None:
        """Return a workgroup that is active in part and the numbers of its active threads, or None."""
        numbers, counts = np.unique(active // self.per_workgroup, return_counts=True)
        broken = np.flatnonzero(counts != self.per_workgroup)
        if not len(broken):
            return None
        place = self.workgroup_place(self.workgroups[numbers[broken[:1]]])
        number = numbers[broken[0]]
        return place, active[active // self.per_workgroup == number] % self.per_workgroup

    def whole_subgroups(self, active: Array) -> bool:
        """Return True if for every subgroup either all lanes are active or none."""
        size = self.subgroup_size
        if len(active) % size:
            return False
        rows = active.reshape(-1, size)
        return bool((rows == rows[:, :1] // size * size + np.arange(size)).all())


def _coordinate(linear: Array, sizes: Sizes, axis: Axis) -> Array:
    dimension = "xyz".index(axis)
    if sizes[dimension] == 1:
        return uniform(0)
    below = int(np.prod(sizes[:dimension]))
    return linear // below % sizes[dimension]
