"""What every target answers: its numbers, its tables, and by name what lowers to it. Nothing here knows IR."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, get_args

if TYPE_CHECKING:
    from xetile.layout.algebra.linear_layout import LinearLayout
    from xetile.layout.exchange.prices import Prices
    from xetile.layout.intel.messages import BlockConfiguration

BYTE_BITS = 8
"""Bits of a byte, the least that has an address on every target."""

INDEX_BITS = 64
"""Bits of an index and of an address on every target (source: SPIR-V's Physical64; PTX's `.address_size 64`)."""

Operand = Literal["a", "b", "c"]
"""An operand of a matrix instruction; c is the accumulator and the result."""

Access = Literal["load", "load_packed", "load_transposed", "store", "prefetch"]

RegisterFile = Literal["small", "large"]
"""Whether a kernel has few registers and many threads beside it, or the other way round."""

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


class Step(NamedTuple):
    """One step of the way down: the level that it reaches (levels.py) and the names of the passes that make it."""

    level: str
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


class BuildOptions(NamedTuple):
    """What drivers, and the offline compiler, are told when they build a module, by their programming interface."""

    opencl: tuple[str, ...] = ()
    level_zero: tuple[str, ...] = ()

    def also(self, other: "BuildOptions") -> "BuildOptions":
        """These options, and others behind them."""
        return BuildOptions(self.opencl + other.opencl, self.level_zero + other.level_zero)


@dataclass(frozen=True, kw_only=True, eq=False)
class Target(ABC):
    """One device.

    Attributes:
        name: what options, and `chip` of a gpu.module's target, call it.
        emitter: the module of `xetile.codegen` that makes code of the last level: its `llvm_ir` and `code`.
        lanes: threads that exchange registers by shuffles, and over which layouts call `lane` counts.
        threads: work-items of a subgroup, which executes one matrix instruction. A subgroup of Xe is its 16
            lanes; Hopper's is a warpgroup, four warps of 32 lanes, so that it has 128.
        build_options: what a driver is told to have a register file of each kind.
        exact_division: what it is told to round quotients and square roots of f32 correctly.
        shared_bytes: shared memory that every workgroup can have.
        shared_banks: banks of shared memory, of one 32-bit word each.
        most_subgroups: subgroups that a workgroup can have.
    """

    name: str
    path: Path
    emitter: str
    lanes: int
    threads: int
    build_options: Mapping[RegisterFile, BuildOptions]
    exact_division: BuildOptions
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

    @abstractmethod
    def messages(self, access: Access, element_bits: int) -> "tuple[BlockConfiguration, ...]":
        """The memory messages for elements of so many bits that can be planned, in a fixed order."""
