"""Kernels and functions by the names that a command line gives, refused with the names that there are."""

from typing import TYPE_CHECKING

from xetile.cli.pipeline_spec import nearest
from xetile.errors import XetileError, fail

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation


def check_kernel_name(module: "ModuleOp", name: str | None) -> None:
    """Refuse a name that is no kernel's, but near one, and none where the module does not have one kernel."""
    from xetile.analysis.kernels import (
        functions,
        kernel_functions,
        missing_kernel,
        symbol_name,
    )

    if name is not None:
        _refuse_near("kernel", name, [symbol_name(function) for function in functions(module)])
        return
    kernels = [symbol_name(kernel) for kernel in kernel_functions(module)]
    if len(kernels) > 1:
        listed = ", ".join(kernels)
        raise XetileError(
            f"which kernel to execute is not clear; choose with --kernel among {listed}"
        )
    if kernels:
        return
    others = list(functions(module))
    if not others or any(op.name != "func.func" for op in others):
        raise missing_kernel(module, None, [])
    entries = " or ".join(f"--entry {symbol_name(host)}" for host in others)
    raise XetileError(f"the module has no kernel; to run its host code write {entries}")


def check_entry_name(module: "ModuleOp", name: str) -> None:
    """Refuse a name that is near one of a function of the host."""
    from xetile.analysis.kernels import symbol_name

    known = [symbol_name(op) for op in module.ops if op.name == "func.func"]
    _refuse_near("function", name, known, " to start with")


def check_grid(kernel: "Operation", grid: tuple[int, int, int] | None) -> None:
    """Refuse a kernel whose grid neither it nor the command line says."""
    from xetile.analysis.kernels import launch_sizes

    if grid is None and launch_sizes(kernel, "known_grid_size") is None:
        advice = "give --grid X,Y,Z, or write known_grid_size on the kernel"
        fail(kernel, f"the grid is not known; {advice}")


def _refuse_near(what: str, name: str, known: list[str], purpose: str = "") -> None:
    hint = "" if name in known else nearest(name, known)
    if hint:
        raise XetileError(f"there is no {what} '{name}'{purpose}{hint}")
