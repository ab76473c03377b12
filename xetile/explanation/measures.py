"""Figures by which configurations of a kernel are compared without a GPU, read off its explanation."""

from dataclasses import dataclass
from math import prod
from typing import Literal

from xetile.explanation.facts import Access, Counter, Kernel, Tally
from xetile.targets.xe.device import REGISTER_BYTES
from xetile.targets.xe.dpas import REPEAT_COUNTS

Unit = Literal["kernel", "round"]
"""The scope of flops and bytes: all work of a workgroup, or one round of its hot loop."""


WorkUnit = Literal["dpas", "register stored"]


@dataclass(frozen=True)
class Figures:
    """The costs of a kernel.

    Attributes:
        kernel, device: the kernel, and the device.
        counter: the source of instructions and spills: `ocloc`, else `estimate` (of level L, not of the assembly).
        spilled: bytes of a thread that are spilled.
        instructions: of a subgroup, in a round of the hot loop; of the whole kernel if no loop has products.
        work: the work of these, in units of `work_unit`: matrix instructions of 8 rows of A each (`dpas`); if there is
            none, and no loop, registers that are stored (`register stored`); 0 if unknown.
        unit: the scope of the following: all of a workgroup's work (`kernel`), or, if the number of rounds of loops is
            known only at run time, one round of the hot loop (`round`).
        flops: of matrix instructions, by all subgroups of a workgroup.
        message_bytes: of their loads, stores and atomics, each time that they are executed.
        tile_bytes: of the workgroup's tiles, each element once; None if the source has none.
        stored_bytes: those of the stores among `message_bytes`.
        registers: live at once, by estimate; `register_file` and its registers.
        workgroups: of the grid; None if the host decides.
        subgroups: of a workgroup; None if the host decides; then all the above is one subgroup's.
        shared_bytes: of a workgroup.
    """

    kernel: str
    device: str
    counter: Counter
    spilled: int
    instructions: float
    work: float
    work_unit: WorkUnit
    unit: Unit
    flops: int
    message_bytes: int
    tile_bytes: int | None
    stored_bytes: int
    registers: int
    register_file: int
    workgroups: int | None
    subgroups: int | None
    shared_bytes: int

    @property
    def instructions_per_work(self) -> float | None:
        """Instructions for each unit of work, or None if the amount of work is unknown."""
        return self.instructions / self.work if self.work else None

    @property
    def intensity(self) -> float | None:
        """Flops for each byte of the workgroup's tiles, or None without products or tiles."""
        return self.flops / self.tile_bytes if self.flops and self.tile_bytes else None

    @property
    def bytes_per_work(self) -> float | None:
        """Bytes of messages for 1,000 flops; without products for each byte that is stored; None without either."""
        work = self.flops / 1000 if self.flops else self.stored_bytes
        return self.message_bytes / work if work else None


def figures_of(kernel: Kernel) -> Figures:
    """Return the figures of a kernel that was explained."""
    unit = _unit(kernel)
    inside = kernel.subgroups or 1
    moved = [
        (access, _times(kernel, access.loop, unit))
        for access in kernel.accesses
        if access.kind != "prefetch" and access.space == "global"
    ]
    tiles = [_tile_bytes(access, times) for access, times in moved]
    stored = sum(access.bytes * times for access, times in moved if access.kind == "store")
    work, work_unit = _work(kernel, stored)
    return Figures(
        kernel=kernel.name,
        device=kernel.device,
        counter=kernel.counter,
        spilled=kernel.spilled,
        instructions=kernel.instructions,
        work=work,
        work_unit=work_unit,
        unit=unit,
        flops=inside * sum(tally.flops * times for tally, times in _tallies(kernel, unit)),
        message_bytes=inside * sum(access.bytes * times for access, times in moved),
        tile_bytes=None if None in tiles else sum(filter(None, tiles)),
        stored_bytes=inside * stored,
        registers=kernel.registers.held,
        register_file=kernel.registers.size,
        workgroups=None if kernel.grid is None else prod(kernel.grid),
        subgroups=kernel.subgroups,
        shared_bytes=kernel.shared_bytes,
    )


def _work(kernel: Kernel, stored: int) -> tuple[float, WorkUnit]:
    """Return the work of the counted instructions, and its unit."""
    tally = kernel.once if kernel.hot is None else kernel.loops[kernel.hot].tally
    if kernel.hot is not None or (tally.rows and not kernel.loops):
        return tally.rows / max(REPEAT_COUNTS), "dpas"
    return 0 if kernel.loops else stored / REGISTER_BYTES, "register stored"


def _unit(kernel: Kernel) -> Unit:
    known = all(kernel.rounds(loop) is not None for loop in range(len(kernel.loops)))
    return "kernel" if known or kernel.hot is None else "round"


def _tallies(kernel: Kernel, unit: Unit) -> list[tuple[Tally, int]]:
    found = [(loop.tally, _times(kernel, at, unit)) for at, loop in enumerate(kernel.loops)]
    return [*found, (kernel.once, _times(kernel, None, unit))]


def _times(kernel: Kernel, loop: int | None, unit: Unit) -> int:
    """Return how often a loop's body runs, or 1 if that is unknown and the loop has no products."""
    if unit == "round":
        return int(loop == kernel.hot)
    rounds = kernel.rounds(loop)
    return 1 if rounds is None else rounds


def _tile_bytes(access: Access, times: int) -> int | None:
    size = access.workgroup_bytes
    return size * times if size is not None else None if times else 0
