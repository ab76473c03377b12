"""A launch: the kernel, its arguments, and its workgroups in batches."""

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.analysis.kernel_targets import subgroup_threads
from xetile.analysis.module_kernels import (
    OLDER_CONVENTION,
    find_kernel,
    known_grid,
    launch_sizes,
    level,
    mapped_subgroups,
    subgroup_count,
    symbol_name,
)
from xetile.errors import XetileError, fail, position
from xetile.interpreter.machine.allocation import memref_type, new_memref
from xetile.interpreter.machine.branches import run_region
from xetile.interpreter.machine.domain import Domain
from xetile.interpreter.machine.elements import find_element
from xetile.interpreter.machine.execution import Frame, Handlers, Machine
from xetile.interpreter.machine.launch_arguments import check_count, place_all
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.observer import Observer
from xetile.interpreter.machine.reading import attribute
from xetile.interpreter.machine.runtime_values import Values
from xetile.interpreter.machine.thread_batches import Sizes, Threads

BATCH_BYTES = 1 << 25
"""The number of bytes that the vectors of a batch of workgroups may have, approximately."""

MOST_WORKGROUPS = 1 << 24
"""The most workgroups of a launch; a large GEMM has thousands."""

MOST_THREADS = 1 << 16
"""The most threads of a workgroup; hardware has a few thousand work-items."""


class Launcher(NamedTuple):
    """The means to execute kernels; `refuse` raises for an op without a handler."""

    handlers: Handlers
    refuse: Callable[[Operation], NoReturn]
    observer: Callable[[Memory, Threads], Observer]
    domain: Domain

    def machine(self, memory: Memory, threads: Threads) -> Machine:
        observer = self.observer(memory, threads)
        return Machine(
            self.handlers,
            memory,
            threads,
            refuse=self.refuse,
            observer=observer,
            domain=self.domain,
        )


def launch(
    launcher: Launcher,
    module: ModuleOp,
    name: str | None,
    arrays: "Sequence[NDArray[np.generic] | int | float]",
    *,
    grid: Sizes | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Execute a kernel; see `xetile.interpreter.execute`."""
    kernel = find_kernel(module, name)
    threads = _threads(kernel, grid)
    check_bounds(kernel, threads)
    parameters = parameters_of(kernel)
    check_count(kernel, parameters, arrays)
    memory = Memory(launcher.domain.storage)
    arguments = place_all(memory, parameters, arrays)
    outer = Frame(launcher.machine(memory, threads), np.arange(1))
    try:
        with np.errstate(all="ignore"):
            run_workgroups(kernel, outer, lambda _: arguments, progress)
    except MemoryError as error:
        message = f"executing '{symbol_name(kernel)}' takes more memory than there is"
        raise XetileError(message, position(kernel)) from error


def run_workgroups(
    kernel: Operation,
    outer: Frame,
    arguments: Callable[[Frame], Values],
    progress: Callable[[int, int], None] | None,
) -> None:
    """Execute the body of a kernel or gpu.launch for all workgroups; `outer` is the enclosing frame.

    The first arguments of its block are those that `arguments` returns for a batch, the others
    are buffers.
    """
    machine, region = outer.machine, kernel.regions[0]
    threads = machine.threads
    workgroups = prod(threads.grid)
    batch = _batch_size(kernel, threads)
    for first in range(0, workgroups, batch):
        threads.workgroups = np.arange(first, min(first + batch, workgroups))
        machine.dynamic_base = None
        active = np.arange(threads.count)
        frame = Frame(machine, active, (outer, np.zeros_like(active)))
        given = arguments(frame)
        machine.observer.begin_batch(kernel, given)
        with machine.memory.scope():
            buffers = [
                new_memref(frame, buffer, memref_type(buffer), [])
                for buffer in region.blocks[0].args[len(given) :]
            ]
            run_region(frame, region, [*given, *buffers])
        if progress is not None:
            progress(int(threads.workgroups[-1]) + 1, workgroups)


def check_bounds(at: Operation, threads: Threads) -> None:
    """Raise for launches that are too large."""
    if (number := prod(threads.grid)) > MOST_WORKGROUPS:
        said = f"the grid is {list(threads.grid)}, {number:,} workgroups"
        fail(at, f"{said}; at most {MOST_WORKGROUPS:,} are executed")
    if (number := threads.per_workgroup) > MOST_THREADS:
        fail(at, f"a workgroup has {number:,} threads; at most {MOST_THREADS:,} are executed")


def parameters_of(kernel: Operation) -> Sequence[BlockArgument]:
    """Return the parameters of a kernel; further arguments of its block are buffers."""
    type, arguments = attribute(kernel, "function_type"), kernel.regions[0].blocks[0].args
    return arguments[: len(type.inputs)] if isinstance(type, FunctionType) else arguments


def _threads(kernel: Operation, grid: Sizes | None) -> Threads:
    kind = level(kernel)
    sizes = known_grid(kernel, grid)
    subgroups = subgroup_count(kernel)
    if subgroups is None and kind == "workgroup":
        subgroups = mapped_subgroups(kernel)
    if subgroups is None and kind != "workgroup":
        fail(kernel, f"a kernel of level {kind} needs known_block_size to be executed")
    return Threads(
        kind,
        sizes,
        launch_sizes(kernel, "known_block_size"),
        subgroups or 1,
        subgroup_size=subgroup_threads(kernel),
        counts_subgroups=OLDER_CONVENTION in kernel.attributes,
    )


def _batch_size(kernel: Operation, threads: Threads) -> int:
    size = sum(_bytes(result) for op in kernel.walk() for result in op.results)
    return max(1, BATCH_BYTES // max(1, size * threads.per_workgroup))


def _bytes(value: SSAValue) -> int:
    type = value.type
    get_shape = getattr(type, "get_shape", None)
    if get_shape is None or isinstance(type, MemRefType):
        return 8
    element = find_element(getattr(type, "element_type", type))
    return prod(get_shape()) * (element.size if element is not None else 8)
