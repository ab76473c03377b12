"""What a device that executes SPIR-V answers, whichever programming interface is behind it."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import NamedTuple, NewType, Protocol, Self

Program = NewType("Program", int)
"""A built module, a number that its device gave."""

Memory = NewType("Memory", int)
"""An allocation on a device, a number that it gave."""

Bound = NewType("Bound", int)
"""A kernel of a program with the types of its arguments, a number that its device gave."""

COMPILER_VARIABLE = "CL_CONFIG_LLVM_OPTIONS"
"""The environment variable of what Intel's compiler for CPUs tells LLVM."""

POINTER = "pointer"
"""The type of an argument that is an address."""

ALIGNMENT = 64
"""Bytes: the address of an allocation is a multiple of this, as the bases of 2D surfaces have to be."""


class Scalar(NamedTuple):
    """An argument that is passed by value: its type as the contract names it (`i64`, `f32`) and the number."""

    type: str
    value: int | float


class Pointer(NamedTuple):
    """An argument that is an address: an allocation, and how many bytes into it."""

    memory: Memory
    offset: int


Argument = Scalar | Pointer

Extents = tuple[int, int, int]
"""Sizes in x, y, z."""


class Information(NamedTuple):
    """What there is to say of a device.

    `name` chooses it (`opencl:cpu`), `description` is the driver's own; `emulates` says that
    Intel's block and matrix builtins are functions there and its times mean nothing. `fault` is
    why a device that is there cannot be opened. Without `checks_surfaces` it reads as they stand
    the matrices that 2D block messages do not take. `shared_bytes` is the shared memory of a
    workgroup, None where the driver does not say. `most_calls` is how many calls of functions a kernel may
    hold to be built in seconds: with more of them its loops are not unrolled unless that is asked for.
    """

    name: str
    description: str
    emulates: bool
    fault: str | None = None
    checks_surfaces: bool = True
    shared_bytes: int | None = None
    most_calls: int | None = None


class Driver(Protocol):
    """A device that is open; whoever opened it closes it.

    Every method raises XetileError, without a place, where the driver refuses what it is asked.
    """

    @property
    def information(self) -> Information: ...

    def build(self, spirv: bytes, options: Mapping[str, str]) -> Program:
        """Make a program of a module; `options` by programming interface are the contract's."""
        ...

    def forget(self, program: Program) -> None:
        """Give a program back."""
        ...

    def allocate(self, size: int) -> Memory:
        """Memory of so many bytes, zero to begin with; its address is a multiple of ALIGNMENT."""
        ...

    def write(self, memory: Memory, data: bytes) -> None:
        """Copy to the start of an allocation."""
        ...

    def read(self, memory: Memory) -> bytes:
        """All bytes of an allocation."""
        ...

    def free(self, memory: Memory) -> None:
        """Give an allocation back."""
        ...

    def launch(
        self,
        program: Program,
        kernel: str,
        arguments: Sequence[Argument],
        *,
        grid: Extents,
        block: Extents,
    ) -> float:
        """Run a kernel to its end: `grid` workgroups of `block` work-items; the seconds that it took."""
        ...

    def bind(self, program: Program, kernel: str, types: Sequence[str]) -> Bound:
        """Make a kernel ready for launches: the types of its arguments are POINTER, or those of `Scalar`."""
        ...

    def release(self, bound: Bound) -> None:
        """Give a kernel back that was made ready."""
        ...

    def start(
        self,
        bound: Bound,
        arguments: Sequence[Memory | int | float],
        *,
        grid: Extents,
        block: Extents,
    ) -> None:
        """Begin a launch: addresses are starts of allocations, numbers fit their types.

        Whatever is asked after it happens after it. A device that emulates waits for its end, so that it can refuse.
        """
        ...

    def synchronize(self) -> None:
        """Wait for the end of all launches."""
        ...

    def close(self) -> None:
        """Give back all that the device holds."""
        ...

    @property
    def left(self) -> "deque[Callable[[], object]]":
        """What was dropped, and is given back when the device is asked for something the next time."""
        ...

    def tidy(self) -> None:
        """Give back what was dropped."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...
