"""What every target answers: its numbers, its tables, and by name what lowers to it. Nothing here knows IR."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Protocol, get_args

if TYPE_CHECKING:
    from xetile.layout.algebra.linear_layout import LinearLayout
    from xetile.layout.exchange.step_prices import Prices

BYTE_BITS = 8
"""Bits of a byte, the least that has an address on every target."""

INDEX_BITS = 64
"""Bits of an index and of an address on every target (source: SPIR-V's Physical64; PTX's `.address_size 64`)."""

Operand = Literal["a", "b", "c"]
"""An operand of a matrix instruction; c is the accumulator and the result."""

SHARED_ALIGNMENT = 64
"""Bytes of which the offset of a buffer in shared memory is a multiple, where it asks for no more: a register of Xe,
and four times what a copy of TMA asks (source: IGC's disassembly, `grf_count`; PTX ISA, "cp.async.bulk", 16 bytes)."""

RegisterFile = Literal["small", "large"]
"""Whether a kernel has few registers and many threads beside it, or the other way round."""

Unit = Literal["workgroup", "subgroup", "lane"]
"""Whose view of the data a kernel holds: the value of its attribute `xetile.level`."""
UNITS: tuple[Unit, ...] = get_args(Unit)

Assume = Literal["block", "check", "gather"]
"""What of bases, pitches, widths and columns that only running tells: the host sees to it, the kernel tests it, or
nothing relies on it."""
ASSUMPTIONS: tuple[Assume, ...] = get_args(Assume)
ASSUMING = (
    "what of bases, pitches, widths and columns that are known at run time only: block (the host sees to it), "
    "check (the kernel tests it), gather (nothing relies on it); block by default"
)
"""What the option means, for help texts."""


UNROLLING = (
    "how often loops of products have their rounds written, one behind the other; 1 leaves loops as they are; by "
    "default what measured best on the device"
)
"""What the option `unroll` means, for help texts."""


MOST_COPIES = 256
"""Rounds in one that a user may ask for: with more, compiling takes minutes and no cache holds the code."""


class Level(NamedTuple):
    """One level of IR: its letter and name, the unit that is written on its kernels, the dialect that only it has."""

    letter: str
    name: str
    unit: Unit
    dialect: str | None = None


WORKGROUP = Level("W", "workgroup", "workgroup")
SUBGROUP = Level("S", "subgroup", "subgroup")
"""The two levels that mean the same on every target."""

LLVM = Level("L", "llvm", "lane")
"""The level of which code is made."""


class Step(NamedTuple):
    """One step of the way down: the level that it reaches, and the names of the passes that make it."""

    level: Level
    passes: tuple[str, ...]


Path = tuple[Step, ...]
"""From the level below `workgroup` down to what the emitter takes."""


class MatrixInstruction(Protocol):
    """D = A x B + C of element types that are fixed; extents in elements."""

    @property
    def m(self) -> tuple[int, ...]:
        """The legal rows of A and C."""
        ...

    @property
    def n(self) -> int:
        """The columns of B and C."""
        ...

    @property
    def k(self) -> int:
        """The columns of A, which are the rows of B."""
        ...

    def operand_layout(self, operand: Operand, *, m: int) -> "LinearLayout":
        """(register, lane) -> (dim0, dim1): which thread holds which element of an operand."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Target(ABC):
    """One device.

    Attributes:
        name: what options, and `chip` of a gpu.module's target, call it.
        family: what messages call its kind.
        attribute: the attribute of a gpu.module that names it by its `chip`.
        planner: the module of `xetile.planning` whose `planner` reckons for the way from W to S.
        emitter: the module of `xetile.codegen` that makes code of the last level: its `llvm_ir` and `code`.
        lanes: threads that exchange registers by shuffles, and over which layouts call `lane` counts.
        threads: work-items of a subgroup, which executes one matrix instruction. A subgroup of Xe is its 16
            lanes; Hopper's is a warpgroup, four warps of 32 lanes, so that it has 128.
        shared_bytes: shared memory that every workgroup can have.
        shared_banks: banks of shared memory, of one 32-bit word each.
        most_subgroups: subgroups that a workgroup can have.
    """

    family: ClassVar[str]
    attribute: ClassVar[str]

    name: str
    path: Path
    planner: str
    emitter: str
    lanes: int
    threads: int
    shared_bytes: int
    shared_banks: int
    most_subgroups: int

    @property
    @abstractmethod
    def prices(self) -> "Prices":
        """Instructions that it costs to move registers between lanes and through shared memory."""

    @abstractmethod
    def matrix_instruction(self, a: object, b: object, c: object) -> MatrixInstruction | None:
        """The instruction for elements that print so (`f16`, `tf32`), None where there is none."""

    @abstractmethod
    def describe_products(self) -> str:
        """The element types of all products, in words."""
