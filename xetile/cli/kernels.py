"""The kernel that a command line asks for, refused in words of its options."""

from typing import TYPE_CHECKING

from xetile.errors import XetileError, warn

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation


def kernel_to_run(
    module: "ModuleOp", name: str | None, grid: tuple[int, int, int] | None
) -> "Operation":
    """The kernel of this name, or the only one, whose grid is known.

    Errors: XetileError where there is no such kernel or its grid is not known.
    """
    from xetile.analysis.kernels import (
        find_kernel,
        functions,
        kernel_functions,
        known_grid,
        launch_sizes,
    )

    if name is None and not kernel_functions(module):
        _advise_entry(list(functions(module)))
    kernel = find_kernel(module, name, choose="with --kernel")
    known_grid(kernel, grid, give="--grid X,Y,Z")
    known = launch_sizes(kernel, "known_grid_size")
    if grid is not None and known is not None and known != grid:
        wanted = f"known_grid_size {list(known)}"
        told = f"--grid is {list(grid)}, which counts; the kernel has {wanted}"
        warn(kernel, told)
    return kernel


def kernels_alone(module: "ModuleOp") -> bool:
    """Whether there is nothing that runs on the host, but what it would launch."""
    from xetile.analysis.kernels import functions, kernel_functions

    return bool(kernel_functions(module)) and not any(
        function.name == "func.func" for function in functions(module)
    )


def _advise_entry(found: "list[Operation]") -> None:
    """Refuse to look for a kernel where all that there is runs on the host."""
    from xetile.analysis.kernels import symbol_name

    if found and all(function.name == "func.func" for function in found):
        entries = " or ".join(f"--entry {symbol_name(host)}" for host in found)
        raise XetileError(f"the module has no kernel; to run its host code write {entries}")
