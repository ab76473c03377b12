"""What is told of a kernel: plain data, in the units that are named.

Counts and bytes are those of one subgroup, in one round of the loop in which they stand, or once outside of loops.
"""

from dataclasses import dataclass
from math import prod
from typing import Literal, TypeAlias

from xetile.targets.target import BYTE_BITS, RegisterFile

Kind: TypeAlias = Literal["load", "store", "prefetch", "atomic"]
"""What an access does with memory."""

Space: TypeAlias = Literal["global", "shared"]
"""Which memory: that of the device, or what a workgroup shares."""

Counter: TypeAlias = Literal["ocloc", "estimate"]
"""Who counted: Intel's offline compiler in its assembly, or we, at level L."""


@dataclass(frozen=True, order=True)
class Place:
    """A place in a source; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Message:
    """Equal messages: `shape` is rows x columns x blocks of a 2D block message, or what lanes move, in words.

    `count` of them move `bytes` each, of all lanes together.
    """

    shape: str
    count: int
    bytes: int

    def __str__(self) -> str:
        return f"{self.count} of {self.shape}"


@dataclass(frozen=True)
class Access:
    """An access to memory as the source has it, and the messages that it became.

    Attributes:
        place: where it stands; None where nothing says it.
        kind: what it does.
        space: which memory.
        matrix: the name of the argument or view; empty where it has none.
        element: the type of its elements, such as `f16`; empty where it is unknown; `bits` of one.
        workgroup: rows and columns of the workgroup's tile; None where the source has none.
        subgroup: rows and columns of one subgroup's tile; None where the source is below that level.
        units: tiles of this size that a subgroup has.
        messages: what one subgroup issues; none where nothing was left to move.
        loop: the number of the innermost loop in which it stands (see `Kernel.loops`); None outside of loops.
    """

    place: Place | None
    kind: Kind
    space: Space
    matrix: str
    element: str
    bits: int | None
    workgroup: tuple[int, ...] | None
    subgroup: tuple[int, ...] | None
    units: int
    messages: tuple[Message, ...]
    loop: int | None

    @property
    def bytes(self) -> int:
        """What one subgroup moves."""
        return sum(message.count * message.bytes for message in self.messages)

    @property
    def workgroup_bytes(self) -> int | None:
        """What the workgroup moves, each element once; None where that is unknown."""
        if self.workgroup is None or self.bits is None:
            return None
        return prod(self.workgroup) * self.bits // BYTE_BITS


@dataclass(frozen=True)
class Tally:
    """What one subgroup does: instructions by what they are.

    `shared` counts messages to shared memory, `shuffles` registers that lanes exchange; `rows` are those of A that the
    matrix instructions take, 8 each where tiles allow, `flops` their operations, two for each product of elements.
    """

    loads: int = 0
    stores: int = 0
    prefetches: int = 0
    atomics: int = 0
    products: int = 0
    rows: int = 0
    flops: int = 0
    shared: int = 0
    shuffles: int = 0
    barriers: int = 0


@dataclass(frozen=True)
class Loop:
    """A loop as it is emitted.

    Attributes:
        place: where it stands in the source.
        outer: the number of the loop around it; None for an outermost one.
        rounds: how often it goes round each time; None where only running tells.
        copies: rounds that are written one behind the other in the loop that is emitted; where that is all of them, no
            loop is left.
        tally: what a round does, without loops that are in it.
    """

    place: Place | None
    outer: int | None
    rounds: int | None
    copies: int
    tally: Tally


@dataclass(frozen=True)
class Owners:
    """A value that changes its owners among the subgroups, or an operand that one of them computes for others.

    `what` says which value, from which to which sg_layout x sg_data; `how` that is in registers, by loads, through
    shared memory.
    """

    place: Place | None
    what: str
    how: str


@dataclass(frozen=True)
class Conversion:
    """Equal conversions of vectors in registers: an op takes a value otherwise than it is held.

    `price` is in instructions of the device, for each of the `count`; `loop` is the place of the loop in which it is
    done, None outside of loops; `how` what moves it (registers, shuffles, shared memory), `why` what wants it so.
    """

    place: Place | None
    op: str
    type: str
    how: str
    price: float
    count: int
    loop: Place | None
    why: str


@dataclass(frozen=True)
class Holder:
    """What holds registers where the most are live: the op at a place, or several of one place."""

    place: Place | None
    op: str
    registers: float


@dataclass(frozen=True)
class Registers:
    """Registers of a thread that are live at once, as estimated, and the register file.

    Attributes:
        held: those that must be there at once; `counted` with copies, as IGC counts.
        place: where the most are held.
        file: the register file that the kernel is built with, of `size` registers of `bytes` each, of which `most` may
            be held and nothing spills.
        holders: what holds them there, the largest first.
    """

    held: int
    counted: int
    place: Place | None
    file: RegisterFile
    size: int
    most: int
    bytes: int
    holders: tuple[Holder, ...]

    @property
    def spilled(self) -> int:
        """Bytes of a thread that do not fit, by the estimate."""
        return max(0, self.held - self.most) * self.bytes


@dataclass(frozen=True)
class Kernel:
    """One kernel for one device.

    Attributes:
        name: the kernel; `place` where it stands; `device` what it was lowered for.
        grid: workgroups (x, y, z); None where the host decides.
        subgroups: of a workgroup; None where that is unknown.
        shared_bytes: shared memory of a workgroup.
        accesses: to memory, in the order of the source; those to shared memory that the source has not are in tallies
            alone.
        is_tested: whether the kernel tests its matrices, and has the same with gathers beside all this (assume=check).
        once: what stands outside of loops.
        loops: in order; an outer loop comes before those in it.
        owners: how values change their owners among subgroups.
        conversions: how vectors change their layouts within a subgroup.
        registers: what is live at once.
        hot: the number of the loop with the most matrix instructions; None where there is none.
        instructions: of a round of the hot loop; of the whole kernel where there is none.
        outside: instructions outside of the hot loop; None where `counter` is not ocloc.
        counter: who counted these instructions, and spills.
        spilled: bytes of a thread.
    """

    name: str
    place: Place | None
    device: str
    grid: tuple[int, int, int] | None
    subgroups: int | None
    shared_bytes: int
    accesses: tuple[Access, ...]
    is_tested: bool
    once: Tally
    loops: tuple[Loop, ...]
    owners: tuple[Owners, ...]
    conversions: tuple[Conversion, ...]
    registers: Registers
    hot: int | None
    instructions: float
    outside: int | None
    counter: Counter
    spilled: int

    def rounds(self, loop: int | None) -> int | None:
        """How often what stands in a loop is done in all; None where only running tells."""
        total = 1
        while loop is not None:
            own = self.loops[loop].rounds
            if own is None:
                return None
            total, loop = total * own, self.loops[loop].outer
        return total
