"""The interface of a device that executes SPIR-V, for every programming interface."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import NamedTuple, NewType, Protocol, Self

Program = NewType("Program", int)
"""A built module, identified by a number of its device."""

Memory = NewType("Memory", int)
"""An allocation on a device, identified by a number of the device."""

Bound = NewType("Bound", int)
"""A kernel of a program with the types of its arguments, identified by a number of its device."""

COMPILER_VARIABLE = "CL_CONFIG_LLVM_OPTIONS"
"""The environment variable with options of LLVM for Intel's compiler for CPUs."""

POINTER = "pointer"
"""The type of an argument that is an address."""

ALIGNMENT = 64
"""Bytes: the address of an allocation is a multiple of this, as the bases of 2D surfaces have to be."""


class Scalar(NamedTuple):
    """An argument that is passed by value: its type as the contract names it (`i64`, `f32`) and the number."""

    type: str
    value: int | float


class Pointer(NamedTuple):
    """An argument that is an address: an allocation, and an offset into it in bytes."""

    memory: Memory
    offset: int


Argument = Scalar | Pointer

Extents = tuple[int, int, int]
"""Sizes in x, y, z."""


class Information(NamedTuple):
    """The description of a device.

    `name` selects it (`opencl:cpu`), `description` is the driver's own; `emulates` says that
    Intel's block and matrix builtins are functions there and its times mean nothing. `fault` is
    the reason why a device that is there cannot be opened. Without `checks_surfaces` it reads matrices
    without the checks of 2D block messages. `shared_bytes` is the shared memory of a
    workgroup, None if the driver does not say. `most_calls` is the number of calls of functions up to which a
    kernel is built in seconds: loops with more calls are not unrolled by default.
    """

    name: str
    description: str
    emulates: bool
    fault: str | None = None
    checks_surfaces: bool = True
    shared_bytes: int | None = None
    most_calls: int | None = None


class Driver(Protocol):
    """An open device; the caller that opened it closes it.

    Every method raises XetileError, without a place, if the driver rejects the request.
    """

    @property
    def information(self) -> Information: ...

    def build(self, spirv: bytes, options: Mapping[str, str]) -> Program:
        """Build a program from a module; `options` by programming interface are the contract's."""
        ...

    def forget(self, program: Program) -> None:
        """Free a program."""
        ...

    def allocate(self, size: int) -> Memory:
        """Allocate `size` bytes of zeros; the address is a multiple of ALIGNMENT."""
        ...

    def write(self, memory: Memory, data: bytes) -> None:
        """Copy to the start of an allocation."""
        ...

    def read(self, memory: Memory) -> bytes:
        """Return all bytes of an allocation."""
        ...

    def free(self, memory: Memory) -> None:
        """Free an allocation."""
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
        """Run a kernel to its end: `grid` workgroups of `block` work-items; return the seconds that it took."""
        ...

    def bind(self, program: Program, kernel: str, types: Sequence[str]) -> Bound:
        """Prepare a kernel for launches: the types of its arguments are POINTER, or those of `Scalar`."""
        ...

    def release(self, bound: Bound) -> None:
        """Free a prepared kernel."""
        ...

    def start(
        self,
        bound: Bound,
        arguments: Sequence[Memory | int | float],
        *,
        grid: Extents,
        block: Extents,
    ) -> None:
        """Start a launch: addresses are starts of allocations, numbers fit their types.

        Every later request happens after it. A device that emulates waits for its end, so that it can report errors.
        """
        ...

    def synchronize(self) -> None:
        """Wait for the end of all launches."""
        ...

    def close(self) -> None:
        """Free all resources of the device."""
        ...

    @property
    def left(self) -> "deque[Callable[[], object]]":
        """Functions that free dropped resources; they are called at the next request."""
        ...

    def tidy(self) -> None:
        """Free dropped resources."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...
