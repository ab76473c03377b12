"""Where the rooms meet: the ops' handlers, the sanitizer and the machine make a launcher, which the host gets too."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.interpreter.machine import launch as machine
from xetile.interpreter.machine.frame import Handler
from xetile.interpreter.machine.launch import Launcher
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.observer import Observer
from xetile.interpreter.machine.threads import Sizes, Threads
from xetile.interpreter.machine.values import Array
from xetile.interpreter.ops import (
    affine,
    arith,
    collectives,
    functions,
    gpu,
    index,
    llvm,
    math,
    memref,
    printing,
    scf,
    transfers,
    vector,
    xegpu,
    xegpu_scattered,
    xetile,
    xevm,
)

SANITIZE_VARIABLE = "XETILE_SANITIZE"
"""The environment variable that makes launches watch for races unless they say otherwise: 1 or 0."""

_EVERYWHERE: Mapping[str, Handler] = {
    **affine.HANDLERS,
    **arith.HANDLERS,
    **index.HANDLERS,
    **math.HANDLERS,
    **memref.HANDLERS,
    **printing.HANDLERS,
    **scf.HANDLERS,
    **transfers.HANDLERS,
    **vector.HANDLERS,
}
"""Ops that mean the same in kernels and on the host."""

_IN_KERNELS: Mapping[str, Handler] = {
    **_EVERYWHERE,
    **collectives.HANDLERS,
    **functions.HANDLERS,
    **gpu.HANDLERS,
    **llvm.HANDLERS,
    **xegpu.HANDLERS,
    **xegpu_scattered.HANDLERS,
    **xetile.HANDLERS,
    **xevm.HANDLERS,
}

Arguments = Sequence[NDArray[np.generic] | int | float]
Progress = Callable[[int, int], None]


def launch(
    module: ModuleOp,
    name: str | None,
    arrays: Arguments,
    *,
    grid: Sizes | None = None,
    progress: Progress | None = None,
    sanitize: bool | None = None,
) -> None:
    """Execute a kernel; see `xetile.interpreter.execute`."""
    machine.launch(_launcher(sanitize), module, name, arrays, grid=grid, progress=progress)


def run(
    module: ModuleOp,
    entry: str,
    arguments: Arguments,
    *,
    output: Callable[[str], object],
    seed: int = 0,
    progress: Progress | None = None,
    sanitize: bool | None = None,
) -> list[Array]:
    """Execute a function of the host; see `xetile.interpreter.execute_host`."""
    from xetile.interpreter.host import run as host

    return host.run(
        _launcher(sanitize),
        _EVERYWHERE,
        module,
        entry,
        arguments,
        output=output,
        seed=seed,
        progress=progress,
    )


def _launcher(sanitize: bool | None) -> Launcher:
    """What kernels are executed with; it watches for races as asked, else as the environment says."""
    if sanitize is None:
        sanitize = os.environ.get(SANITIZE_VARIABLE, "0") not in ("", "0")
    watch = _sanitizer if sanitize else _nobody
    return Launcher(_IN_KERNELS, _refuse, watch)


def _nobody(memory: Memory, threads: Threads) -> Observer:
    return Observer()


def _sanitizer(memory: Memory, threads: Threads) -> Observer:
    from xetile.interpreter.sanitizer.sanitizer import Sanitizer

    return Sanitizer(memory, threads)


def _refuse(op: Operation) -> NoReturn:
    from xetile.interpreter.host import device, launches

    name = op.name
    if name.startswith("llvm."):
        fail(op, f"cannot execute '{name}': kernels are executed at the levels above llvm")
    if name in (*device.HANDLERS, *launches.HANDLERS, "gpu.binary"):
        fail(op, f"cannot execute '{name}' inside of a kernel: it is for the host")
    fail(op, f"cannot execute '{name}'")
