"""A kernel of a module, executed on a device: compiled, its arguments copied there and back."""

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, cast

from xetile.errors import XetileError, position
from xetile.runtime.arguments import Given, place, read_back
from xetile.runtime.device import Device, Extents

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from xetile.codegen.contract import Plain


class Compiled(NamedTuple):
    """A kernel's SPIR-V, and the two parts of its contract: its own and the build options."""

    spirv: bytes
    kernel: "dict[str, Plain]"
    options: dict[str, str]


def compile_kernel(module: "ModuleOp", kernel: str | None, target: str | None) -> Compiled:
    """Compile the one kernel of a module that is named, or its only one, for `target` or as the module says."""
    from xetile.codegen import emit, launch_contract, lower_to_llvm

    lowered = lower_to_llvm(module, target, kernel=kernel)
    contract = launch_contract(lowered, target)
    kernels = cast("list[dict[str, Plain]]", contract["kernels"])
    if len(kernels) > 1:
        names = ", ".join(str(entry["name"]) for entry in kernels)
        raise XetileError(f"there are several kernels ({names}); name one")
    spirv = cast(bytes, emit(lowered, "spirv", target))
    return Compiled(spirv, kernels[0], cast("dict[str, str]", contract["build_options"]))


def execute_on(
    device: Device,
    module: "ModuleOp",
    kernel: str | None,
    arrays: Sequence[Given],
    *,
    target: str | None = None,
    grid: Extents | None = None,
    times: int = 1,
) -> float:
    """Launch a kernel on a device; the arrays change in place. The median of the seconds of `times` launches.

    Errors: XetileError with the kernel's place where it cannot be compiled, built or run.
    """
    function = _checked(module, kernel, arrays)
    try:
        compiled = compile_kernel(module, kernel, target)
        sizes = grid or _extents(compiled.kernel["grid"])
        block = _extents(compiled.kernel["block"])
        if sizes is None:
            raise XetileError(
                "the grid is not known: give one (`grid`), or known_grid_size on the kernel"
            )
        if block is None:
            raise XetileError("a kernel needs known_block_size to be launched")
        program = device.build(compiled.spirv, compiled.options)
        entries = cast("list[dict[str, Plain]]", compiled.kernel["arguments"])
        placed = place(device, entries, arrays)
        name = str(compiled.kernel["name"])
        seconds = [
            device.launch(program, name, placed.arguments, grid=sizes, block=block)
            for _ in range(times)
        ]
        read_back(device, placed)
    except XetileError as error:
        if error.location is not None or function is None:
            raise
        raise XetileError(error.message, position(function), error.notes) from error
    return median(seconds)


def _checked(
    module: "ModuleOp", kernel: str | None, arrays: Sequence[Given]
) -> "Operation | None":
    """The kernel, after its arguments were checked as for execution on numpy; None where it is at the last level."""
    from xetile.analysis.kernels import kernel_functions
    from xetile.interpreter.machine.arguments import check_count, place_all
    from xetile.interpreter.machine.launch import find_kernel, parameters_of
    from xetile.interpreter.machine.memory import Memory

    if not kernel_functions(module):
        return None
    function = find_kernel(module, kernel)
    parameters = parameters_of(function)
    check_count(function, parameters, arrays)
    place_all(Memory(), parameters, arrays)
    return function


def _extents(sizes: "Plain") -> Extents | None:
    if not isinstance(sizes, list):
        return None
    x, y, z = (cast(int, size) for size in sizes)
    return x, y, z
