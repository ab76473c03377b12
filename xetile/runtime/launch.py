"""Execution of a kernel of a module on a device: compiling it, and copying its arguments there and back."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, cast

from xetile.errors import XetileError, position
from xetile.runtime.arguments import (
    Entry,
    Given,
    check,
    free,
    place,
    read_back,
    restore,
    source_types,
)
from xetile.runtime.code import compile_code, extents_of
from xetile.runtime.driver import Extents
from xetile.runtime.launch_checks import check_preconditions, check_shared_memory
from xetile.runtime.open_device import Device

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from xetile.codegen.contract import Plain
    from xetile.targets.target import Assume

Stage = Callable[[str], object]
"""A function that is told the next step: `compiling`, `building`, `launching`, `launch 3 of 10`."""


class Compiled(NamedTuple):
    """A kernel and its SPIR-V, with the two parts of its contract: its own and the build options."""

    function: "Operation"
    spirv: bytes
    kernel: "dict[str, Plain]"
    options: dict[str, str]

    @property
    def name(self) -> str:
        return str(self.kernel["name"])

    @property
    def entries(self) -> list[Entry]:
        """The arguments, as the contract describes them."""
        return cast("list[Entry]", self.kernel["arguments"])


def compile_kernel(
    module: "ModuleOp",
    kernel: str | None,
    target: str | None,
    *,
    assume: "Assume" = "block",
    unroll: int | None = None,
    most_calls: int | None = None,
) -> Compiled:
    """Compile the named kernel of a module, or its only one, for `target` or as the module says.

    `assume` and `unroll` are as `xetile.lower` has them. If unrolling loops by default leaves the kernel with
    more than `most_calls` calls of functions, loops stay as they are written.

    Raise XetileError if it cannot be compiled, or does not state its arguments.
    """
    from xetile.analysis.kernel_targets import target_of
    from xetile.analysis.module_kernels import symbol_name

    function = find_function(module, kernel)
    with placed_at(function):
        device = target_of(function, target).name
        name = symbol_name(function)
        code = compile_code(
            module, name, device, assume=assume, unroll=unroll, most_calls=most_calls
        )
        return Compiled(function, code.spirv, code.kernel(name), code.options)


def execute_on(
    device: Device,
    module: "ModuleOp",
    kernel: str | None,
    arrays: Sequence[Given],
    *,
    target: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
    grid: Extents | None = None,
    times: int = 1,
    stage: Stage = lambda _: None,
) -> float:
    """Launch a kernel on a device; the arrays change in place, as one launch changes them.

    Return the median of the seconds of `times` launches, each on the same data.
    Raise XetileError with the kernel's place if it cannot be compiled, built or run, or does not accept the
    arrays, which then do not change.
    """
    _check_early(module, kernel, arrays, grid)
    stage("compiling")
    compiled = compile_kernel(
        module,
        kernel,
        target,
        assume=assume,
        unroll=unroll,
        most_calls=device.information.most_calls,
    )
    return execute_compiled(device, compiled, arrays, grid=grid, times=times, stage=stage)


def execute_compiled(
    device: Device,
    compiled: Compiled,
    arrays: Sequence[Given],
    *,
    grid: Extents | None = None,
    times: int = 1,
    stage: Stage = lambda _: None,
) -> float:
    """Launch a compiled kernel as `execute_on` does."""
    if times < 1:
        raise XetileError(f"{times} launches; expected 1 or more")
    with placed_at(compiled.function):
        check_shared_memory(device, compiled.kernel)
        sizes, block = _sizes(compiled, grid)
        check(source_types(compiled.entries), arrays)
        stage("building")
        program = device.build(compiled.spirv, compiled.options)
        try:
            placed = place(device, compiled.entries, arrays)
            try:
                if device.information.checks_surfaces:
                    check_preconditions(compiled.entries, placed.arguments)
                seconds: list[float] = []
                for number in range(1, times + 1):
                    stage(f"launch {number} of {times}" if times > 1 else "launching")
                    if number > 1:
                        restore(device, placed)
                    seconds.append(
                        device.launch(
                            program, compiled.name, placed.arguments, grid=sizes, block=block
                        )
                    )
                read_back(device, placed)
            finally:
                free(device, placed)
        finally:
            device.forget(program)
    return median(seconds)


@contextmanager
def placed_at(kernel: "Operation") -> Generator[None]:
    """Within the context, give errors without a place the kernel's; running out of memory is such an error."""
    try:
        yield
    except XetileError as error:
        if error.location is not None:
            raise
        raise XetileError(error.message, position(kernel), error.notes) from error
    except MemoryError as error:
        raise XetileError(
            "executing the kernel takes more memory than there is", position(kernel)
        ) from error


def find_function(
    module: "ModuleOp", name: str | None, choose: str = "by name"
) -> "Operation":
    """Return the kernel named `name`, or the only one, at any level; `choose` tells the user how to name one.

    Raise XetileError if there is none, or several and no name.
    """
    from xetile.analysis.module_kernels import find_kernel, kernel_functions, missing_kernel
    from xetile.codegen.llvm_functions import is_kernel, llvm_functions

    if kernel_functions(module):
        return find_kernel(module, name, choose)
    kernels = {f.sym_name.data: f for f in llvm_functions(module) if is_kernel(f)}
    if len(kernels) > 1 and name is None:
        raise XetileError(
            f"which kernel to execute is not clear; choose {choose} among {', '.join(kernels)}"
        )
    found = next(iter(kernels.values()), None) if name is None else kernels.get(name)
    if found is None:
        raise missing_kernel(module, name, list(kernels))
    return found


def _check_early(
    module: "ModuleOp", kernel: str | None, arrays: Sequence[Given], grid: Extents | None
) -> None:
    """Raise for wrong arguments and grids before compiling a kernel that is not yet an LLVM function."""
    from xetile.analysis.module_kernels import kernel_functions, known_grid
    from xetile.interpreter.machine.workgroup_batches import parameters_of

    function = find_function(module, kernel)
    if function in kernel_functions(module):
        with placed_at(function):
            check([parameter.type for parameter in parameters_of(function)], arrays)
            known_grid(function, grid)


def _sizes(compiled: Compiled, grid: Extents | None) -> tuple[Extents, Extents]:
    """Return the workgroups of a launch, and the work-items of each."""
    from xetile.analysis.module_kernels import known_grid, three_sizes

    written = extents_of(compiled.kernel["grid"]) if grid is None else grid
    function = compiled.function
    sizes = known_grid(function) if written is None else three_sizes(function, written)
    block = extents_of(compiled.kernel["block"])
    if block is None:
        raise XetileError("a kernel needs known_block_size to be launched")
    return sizes, block
