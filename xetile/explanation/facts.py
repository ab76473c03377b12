"""The facts of an explanation: plain data, in the units that are named.

Counts and bytes are those of one subgroup, in one round of the innermost loop, or once outside of loops.
"""

from dataclasses import dataclass
from math import prod
from typing import Literal, TypeAlias

from xetile.targets.target import BYTE_BITS, RegisterFile

Kind: TypeAlias = Literal["load", "store", "prefetch", "atomic"]
"""The kind of an access to memory."""

Space: TypeAlias = Literal["global", "shared"]
"""The memory of an access: that of the device, or the one that a workgroup shares."""

Counter: TypeAlias = Literal["ocloc", "estimate"]
"""The source of a count: the assembly of Intel's offline compiler, or our estimate at level L."""


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
    """Equal messages: `shape` is rows x columns x blocks of a 2D block message, or the words that lanes move.

    Each of the `count` messages moves `bytes` bytes, those of all lanes together.
    """

    shape: str
    count: int
    bytes: int

    def __str__(self) -> str:
        return f"{self.count} of {self.shape}"


@dataclass(frozen=True)
class Access:
    """An access to memory in the source, and its messages.

    Attributes:
        place: its place in the source, or None if unknown.
        kind: the kind of access.
        space: the memory.
        matrix: the name of the argument or view; empty if it has none.
        element: the type of its elements, such as `f16`; empty if it is unknown; `bits` of one.
        workgroup: rows and columns of the workgroup's tile; None if the source has none.
        subgroup: rows and columns of one subgroup's tile; None if the source is below that level.
        units: tiles of this size that a subgroup has.
        messages: the messages of one subgroup; empty if nothing was left to move.
        loop: the number of the innermost loop around it (see `Kernel.loops`); None outside of loops.
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
        """The bytes that one subgroup moves."""
        return sum(message.count * message.bytes for message in self.messages)

    @property
    def workgroup_bytes(self) -> int | None:
        """The bytes that the workgroup moves, each element once, or None if unknown."""
        if self.workgroup is None or self.bits is None:
            return None
        return prod(self.workgroup) * self.bits // BYTE_BITS


@dataclass(frozen=True)
class Tally:
    """The instructions of one subgroup by class.

    `shared` counts messages to shared memory, `shuffles` registers that lanes exchange; `rows` are those of A in the
    matrix instructions, 8 each if tiles allow, `flops` their operations, two for each product of elements.
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
        place: its place in the source.
        outer: the number of the loop around it; None for an outermost one.
        rounds: how many rounds it runs each time; None if known only at run time.
        copies: rounds that are unrolled into one of the emitted loop; if all are, no loop is left.
        tally: the instructions of a round, without those of inner loops.
    """

    place: Place | None
    outer: int | None
    rounds: int | None
    copies: int
    tally: Tally


@dataclass(frozen=True)
class Owners:
    """A value that changes its owners among the subgroups, or an operand that one subgroup computes for others.

    `what` names the value, and its old and new sg_layout x sg_data; `how` the means: in registers, by loads, through
    shared memory.
    """

    place: Place | None
    what: str
    how: str


@dataclass(frozen=True)
class Conversion:
    """Equal conversions of vectors in registers: an op needs a value in another layout than it has.

    `price` is in instructions of the device, for each of the `count`; `loop` is the place of the loop that contains it,
    None outside of loops; `how` the means (registers, shuffles, shared memory), `why` the reason.
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
    """An op that occupies registers where the most are live, or several ops of one place."""

    place: Place | None
    op: str
    registers: float


@dataclass(frozen=True)
class Registers:
    """Registers of a thread that are live at once, as estimated, and the register file.

    Attributes:
        held: those that are live at once; `counted` with copies, as IGC counts.
        place: where the most are live.
        file: the register file that the kernel is built with, of `size` registers of `bytes` each, of which `most` may
            be live without spills.
        holders: the ops that occupy them there, the largest first.
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
        name: the kernel; `place` its place; `device` the device that it was lowered for.
        grid: workgroups (x, y, z); None if the host decides.
        subgroups: of a workgroup; None if unknown.
        shared_bytes: shared memory of a workgroup.
        accesses: to memory, in the order of the source; accesses to shared memory that the source does not have are
            only in tallies.
        is_tested: whether the kernel tests its matrices, and also contains a version with gathers (assume=check).
        once: instructions outside of loops.
        loops: in order; an outer loop comes before its inner loops.
        owners: how values change their owners among subgroups.
        conversions: how vectors change their layouts within a subgroup.
        registers: registers that are live at once.
        hot: the number of the loop with the most matrix instructions; None if there is none.
        instructions: of a round of the hot loop; of the whole kernel if there is none.
        outside: instructions outside of the hot loop; None if `counter` is not ocloc.
        counter: the source of the counts of instructions and spills.
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
        """Return how often a loop's body runs in all, or None if known only at run time."""
        total = 1
        while loop is not None:
            own = self.loops[loop].rounds
            if own is None:
                return None
            total, loop = total * own, self.loops[loop].outer
        return total
