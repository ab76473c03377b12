"""The kernel that a command line asks for, refused in words of its options."""

from typing import TYPE_CHECKING, NoReturn

from xetile.errors import XetileError, fail, warn

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation


Extents = tuple[int, int, int]


def kernel_to_run(module: "ModuleOp", name: str | None, grid: Extents | None) -> "Operation":
    """The kernel of this name, or the only one, whose grid is known.

    Errors: XetileError where there is no such kernel or its grid is not known.
    """
    from xetile.analysis.kernels import (
        find_kernel,
        functions,
        kernel_functions,
        launch_sizes,
    )

    if not kernel_functions(module):
        if is_at_last_level(module):
            refuse_last_level(module)
        if name is None:
            _advise_entry(list(functions(module)))
    kernel = find_kernel(module, name, choose="with --kernel")
    check_grid(kernel, launch_sizes(kernel, "known_grid_size"), grid)
    return kernel


def check_grid(kernel: "Operation", known: Extents | None, given: Extents | None) -> None:
    """Refuse a grid that nobody says; warn of one that the kernel contradicts."""
    if known is None and given is None:
        wanted = "give --grid X,Y,Z, or write known_grid_size on the kernel"
        fail(kernel, f"the grid is not known; {wanted}")
    if given is not None and known is not None and known != given:
        wanted = f"known_grid_size {list(known)}"
        warn(kernel, f"--grid is {list(given)}, which counts; the kernel has {wanted}")


def refuse_last_level(module: "ModuleOp") -> NoReturn:
    """Refuse to execute on numpy what is for devices alone."""
    from xetile.codegen.functions import is_kernel, llvm_functions

    fail(
        next(filter(is_kernel, llvm_functions(module))),
        "this kernel is at the last level, which --on executes on a device; numpy executes the levels above",
    )


def is_at_last_level(module: "ModuleOp") -> bool:
    """Whether all kernels of a module are functions of the llvm dialect."""
    from xetile.analysis.kernels import kernel_functions
    from xetile.codegen.functions import is_kernel, llvm_functions

    return not kernel_functions(module) and any(map(is_kernel, llvm_functions(module)))


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
