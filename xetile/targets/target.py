"""The interface of a target: its numbers, its tables, and the names of its passes. Nothing here depends on IR."""

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
"""Bytes of which the offset of a buffer in shared memory is a multiple, unless it needs more: a register of Xe,
and four times what a copy of TMA needs (source: IGC's disassembly, `grf_count`; PTX ISA, "cp.async.bulk", 16 bytes).
"""

RegisterFile = Literal["small", "large"]
"""The size of a kernel's register file: few registers and many concurrent threads, or the other way round."""

Unit = Literal["workgroup", "subgroup", "lane"]
"""The unit whose view of the data a kernel has: the value of its attribute `xetile.level`."""
UNITS: tuple[Unit, ...] = get_args(Unit)

Assume = Literal["block", "check", "gather"]
"""How to treat bases, pitches, widths and columns known only at run time: the host checks them, the kernel tests them,
or
nothing relies on them.
"""
ASSUMPTIONS: tuple[Assume, ...] = get_args(Assume)
ASSUMING = (
    "what of bases, pitches, widths and columns that are known at run time only: block (the host sees to it), "
    "check (the kernel tests it), gather (nothing relies on it); block by default"
)
"""The meaning of the option `assume`, for help texts."""


UNROLLING = (
    "how often loops of products have their rounds written, one behind the other; 1 leaves loops as they are; by "
    "default what measured best on the device"
)
"""The meaning of the option `unroll`, for help texts."""


MOST_COPIES = 256
"""Most rounds that a user may unroll into one: with more, compiling takes minutes and no cache fits the code."""


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
"""The level that code is generated from."""


class Step(NamedTuple):
    """One step of lowering: the level that it reaches, and the names of its passes."""

    level: Level
    passes: tuple[str, ...]


Path = tuple[Step, ...]
"""The steps from the level below `workgroup` down to the emitter's input."""


class MatrixInstruction(Protocol):
    """D = A x B + C for fixed element types; extents in elements."""

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
        """Return (register, lane) -> (dim0, dim1): the element of an operand in each register of each thread."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Target(ABC):
    """One device.

    Attributes:
        name: its name in options, and in `chip` of a gpu.module's target.
        family: the name of its kind in messages.
        attribute: the attribute of a gpu.module that names it by its `chip`.
        planner: the module of `xetile.planning` whose `planner` plans the lowering from W to S.
        emitter: the module of `xetile.codegen` that makes code of the last level: its `llvm_ir` and `code`.
        lanes: threads that exchange registers by shuffles, which the dimension `lane` of layouts counts.
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
        """Return the costs, in instructions, of moving registers between lanes and through shared memory."""

    @abstractmethod
    def matrix_instruction(self, a: object, b: object, c: object) -> MatrixInstruction | None:
        """Return the instruction for elements that print so (`f16`, `tf32`), or None."""

    @abstractmethod
    def describe_products(self) -> str:
        """Return the element types of all products, in words."""
