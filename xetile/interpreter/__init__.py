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
