"""The launcher, which combines the ops' handlers, the sanitizer and the machine; host code uses it too."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xetile.analysis.kernel_targets import agreed
from xetile.errors import fail
from xetile.interpreter.common.ieee import IEEE
from xetile.interpreter.machine import workgroup_batches as machine
from xetile.interpreter.machine.execution import Handlers
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.observer import Observer
from xetile.interpreter.machine.runtime_values import Array
from xetile.interpreter.machine.thread_batches import Sizes, Threads
from xetile.interpreter.machine.workgroup_batches import Launcher
from xetile.interpreter.ops import (
    affine_ops,
    arith_ops,
    collective_ops,
    function_ops,
    gpu_ops,
    llvm_ops,
    math_ops,
    memref_ops,
    printing_ops,
    scf_ops,
    vector_ops,
    xegpu_ops,
    xetile_ops,
    xevm_ops,
)

if TYPE_CHECKING:
    from xetile.interpreter.host.host_machine import KernelLauncher
    from xetile.interpreter.sanitizer.bank_conflicts import Site

SANITIZE_VARIABLE = "XETILE_SANITIZE"
"""The environment variable that sets the default of `sanitize` for launches: 1 or 0."""

_EVERYWHERE: Handlers = {
    **affine_ops.HANDLERS,
    **arith_ops.HANDLERS,
    **vector_ops.HANDLERS,
    **math_ops.HANDLERS,
    **memref_ops.HANDLERS,
    **printing_ops.HANDLERS,
    **scf_ops.HANDLERS,
}
"""Handlers of ops that mean the same in kernels and on the host."""

_IN_KERNELS: Handlers = {
    **_EVERYWHERE,
    **collective_ops.HANDLERS,
    **function_ops.HANDLERS,
    **gpu_ops.HANDLERS,
    **llvm_ops.HANDLERS,
    **xegpu_ops.HANDLERS,
    **xetile_ops.HANDLERS,
    **xevm_ops.HANDLERS,
}

Arguments = Sequence[NDArray[np.generic] | int | float]
Progress = Callable[[int, int], None]


def execute(
    module: ModuleOp,
    kernel: str | None,
    arrays: Arguments,
    *,
    grid: Sizes | None = None,
    progress: Progress | None = None,
    sanitize: bool | None = None,
    observer: Callable[[Memory, Threads], Observer] | None = None,
) -> None:
    """Launch a kernel on the CPU, as `xetile.execute` does; without a name the only kernel of the module.

    `arrays`: for a memref a numpy array of its shape, type and strides (ml_dtypes for bf16
    and fp8, float32 for tf32), for an i64 or ui64 a number or an array, whose address is
    passed, for other scalars a number. `progress` is called now and then with the number of
    finished workgroups and their total. `observer` makes the observer of the launch, which
    replaces the one of `sanitize`.
    Errors: also for an op that cannot be executed, and for an access that breaks a rule of its
    level (at the op).
    """
    chosen = launcher(sanitize)
    if observer is not None:
        chosen = chosen._replace(observer=observer)
    machine.launch(chosen, module, kernel, arrays, grid=grid, progress=progress)


def execute_in_field(
    module: ModuleOp,
    kernel: str | None,
    arrays: Arguments,
    *,
    grid: Sizes | None = None,
    progress: Progress | None = None,
    sanitize: bool | None = None,
) -> list[Array | int | float]:
    """Launch a kernel as `execute` does, on elements of a prime field in place of floats; given arrays do not change.

    Return the arguments after the launch: arrays of floats as their representatives (int64), others as they are.
    Errors: also if an op reads bits of floats as a number.
    """
    from xetile.interpreter.field.field_elements import FieldDomain
    from xetile.interpreter.field.handlers import carrying

    domain, usual = FieldDomain(), launcher(sanitize)
    carried = usual._replace(handlers=carrying(usual.handlers), domain=domain)
    machine.launch(carried, module, kernel, arrays, grid=grid, progress=progress)
    return [
        domain.cells.result(given, f"argument {number}")
        if isinstance(given, np.ndarray)
        else given
        for number, given in enumerate(arrays)
    ]


def count_bank_conflicts(
    module: ModuleOp,
    kernel: str | None,
    arrays: Arguments,
    *,
    grid: Sizes | None = None,
    sanitize: bool = True,
    banks: int | None = None,
) -> "Sequence[Site]":
    """Launch a kernel at lane level, as `execute` does, and count the bank conflicts of its ops on shared memory.

    `banks` of 4 bytes each; those of the target's shared memory by default.
    Errors: XetileError if several targets are named that differ in their banks.
    """
    from xetile.interpreter.sanitizer.bank_conflicts import BankConflicts, watching

    if banks is None:
        banks = agreed(module, lambda target: target.shared_banks, "banks of shared memory")
    made: list[BankConflicts] = []
    observer = watching(made, _sanitizer if sanitize else _nobody, banks=banks)
    execute(module, kernel, arrays, grid=grid, observer=observer)
    return tuple(site for counter in made for site in counter.sites)


def execute_host(
    module: ModuleOp,
    entry: str,
    arguments: Arguments = (),
    *,
    output: Callable[[str], object],
    seed: int = 0,
    progress: Progress | None = None,
    sanitize: bool | None = None,
    launch_kernel: "KernelLauncher | None" = None,
) -> list[Array]:
    """Run a function of the host, as `xetile.execute_host` does, and return its results (scalars without dimensions).

    `output` receives the text that the program prints through the functions of a runner
    (`printMemrefF32` ...), `seed` is for `fillResource1DRandom...`; `progress` is called
    with the finished and the total work (0: not known). `launch_kernel` launches kernels elsewhere,
    such as on a device; the rest is executed here.
    Errors: also for memory that was freed, and for a launch that does not fit its kernel (at
    the op).
    """
    from xetile.interpreter.host import run as host

    return host.run(
        launcher(sanitize),
        _EVERYWHERE,
        module,
        entry,
        arguments,
        output=output,
        seed=seed,
        progress=progress,
        launch_kernel=launch_kernel,
    )


def launcher(sanitize: bool | None) -> Launcher:
    """Return the launcher of kernels on numpy; if `sanitize` is None, the environment decides."""
    if sanitize is None:
        sanitize = os.environ.get(SANITIZE_VARIABLE, "0") not in ("", "0")
    return Launcher(_IN_KERNELS, _refuse, _sanitizer if sanitize else _nobody, IEEE)


def _nobody(memory: Memory, threads: Threads) -> Observer:
    return Observer()


def _sanitizer(memory: Memory, threads: Threads) -> Observer:
    from xetile.interpreter.sanitizer.watching import Sanitizer

    return Sanitizer(memory, threads)


def _refuse(op: Operation) -> NoReturn:
    from xetile.interpreter.host import device_memory, launches

    name = op.name
    if name.startswith("llvm."):
        fail(op, f"cannot execute '{name}': kernels are executed at the levels above llvm")
    if name in (*device_memory.HANDLERS, *launches.HANDLERS, "gpu.binary"):
        fail(op, f"cannot execute '{name}' inside of a kernel: it is for the host")
    fail(op, f"cannot execute '{name}'")
