"""Execution of kernels on numpy: the oracle for every level of IR."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp


def execute(
    module: "ModuleOp",
    kernel: str | None,
    arrays: "Sequence[NDArray[numpy.generic] | int | float]",
    *,
    grid: tuple[int, int, int] | None = None,
    progress: Callable[[int, int], None] | None = None,
    sanitize: bool | None = None,
) -> None:
    """Launch a kernel on the CPU; arrays change in place, as a launch would change them.

    Args:
        module: what holds the kernel, at level workgroup, subgroup, blocked, XeGPU or XeVM.
        kernel: its name; None takes the only kernel of the module.
        arrays: the arguments in order: for a memref a numpy array of its shape, type and strides (ml_dtypes for
            bf16 and fp8, float32 for tf32), for an i64 or ui64 a number or an array, whose address is passed,
            for other scalars a number.
        grid: workgroups along x, y, z; by default the kernel's `known_grid_size`.
        progress: called with the number of workgroups done and their total, now and then.
        sanitize: refuse races on shared memory, and reads of it that nothing has written; by default if the environment
            has XETILE_SANITIZE=1.

    Raises:
        XetileError: no such kernel, arguments that do not fit, an op that cannot be executed, an access outside
            of memory or against the rules of its level (at the op).
    """
    from xetile.interpreter.launch import launch

    launch(module, kernel, arrays, grid=grid, progress=progress, sanitize=sanitize)


def execute_host(
    module: "ModuleOp",
    entry: str,
    arguments: "Sequence[NDArray[numpy.generic] | int | float]" = (),
    *,
    output: Callable[[str], object],
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    sanitize: bool | None = None,
) -> "list[NDArray[numpy.generic]]":
    """Run a function of the host, which may launch kernels; what it returns, as arrays (scalars without dimensions).

    Args:
        module: host functions, and kernels in gpu.modules at level workgroup, subgroup, blocked, XeGPU or XeVM.
        entry: the func.func to start with.
        arguments: as `execute` takes them; arrays change in place.
        output: gets the text that the program prints through the functions of a runner (`printMemrefF32` ...).
        seed: for `fillResource1DRandom...`.
        progress: called with what is done and what there is to do (0 where that is not known), now and then.
        sanitize: for the kernels, as `execute` takes it.

    Raises:
        XetileError: no such function, arguments that do not fit, an op that cannot be executed, an access outside
            of memory or after it was given back, a launch that does not fit its kernel (at the op).
    """
    from xetile.interpreter.launch import run

    return run(
        module,
        entry,
        arguments,
        output=output,
        seed=seed,
        progress=progress,
        sanitize=sanitize,
    )
