"""Execution of a function of the host."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue

from xetile.advice import hint_or_names
from xetile.analysis.module_kernels import symbol_name
from xetile.errors import XetileError, fail, position
from xetile.interpreter.host.allocations import HANDLERS as ALLOCATIONS
from xetile.interpreter.host.allocations import host_array_of
from xetile.interpreter.host.device_memory import HANDLERS as DEVICE
from xetile.interpreter.host.host_calls import HANDLERS as FUNCTIONS
from xetile.interpreter.host.host_calls import run_function
from xetile.interpreter.host.host_machine import HostMachine, KernelLauncher, Progress
from xetile.interpreter.host.launches import HANDLERS as LAUNCHES
from xetile.interpreter.host.loops import HANDLERS as LOOPS
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.launch_arguments import check_count, place_all
from xetile.interpreter.machine.memory import Memory
from xetile.interpreter.machine.runtime_values import Array, Value, Values
from xetile.interpreter.machine.workgroup_batches import Launcher

RECURSION_LIMIT = 20_000
"""Frames of Python, enough for the deepest calls (host_machine.DEEPEST_CALL) with loops around each."""


_OWN: Handlers = {**ALLOCATIONS, **DEVICE, **FUNCTIONS, **LAUNCHES, **LOOPS}
"""Handlers of ops that the host executes differently, or that only the host executes."""


def _refuse_in_host_code(frame: Frame, op: Operation) -> Values:
    fail(op, f"'{op.name}' is executed in kernels only, which gpu.launch_func launches")


def run(
    launcher: Launcher,
    shared: Handlers,
    module: ModuleOp,
    entry: str,
    arguments: "Sequence[NDArray[np.generic] | int | float]",
    *,
    output: Callable[[str], object],
    seed: int = 0,
    progress: Progress | None = None,
    launch_kernel: KernelLauncher | None = None,
) -> list[Array]:
    """Execute a function of the host; see `xetile.interpreter.execute_host`."""
    function = find_entry(module, entry)
    parameters = function.regions[0].blocks[0].args
    check_count(function, parameters, arguments)
    memory = Memory()
    values = place_all(memory, parameters, arguments)
    kernels_only = dict.fromkeys(launcher.handlers, _refuse_in_host_code)
    machine = HostMachine(
        module,
        {**kernels_only, **shared, **_OWN},
        launcher,
        memory,
        output=output,
        seed=seed,
        progress=progress,
        launch_kernel=launch_kernel,
    )
    try:
        with np.errstate(all="ignore"), _deep_recursion():
            results = run_function(machine, function, values)
    except (MemoryError, RecursionError) as error:
        memory_ends = isinstance(error, MemoryError)
        reason = "takes more memory than there is" if memory_ends else "nests too many calls"
        raise XetileError(f"executing '{entry}' {reason}", position(function)) from error
    end = function.regions[0].blocks[-1].last_op
    return [
        _result(machine.frame(), function, operand, value)
        for operand, value in zip(end.operands if end else (), results, strict=True)
    ]


@contextmanager
def _deep_recursion() -> Generator[None]:
    """Raise the recursion limit for the calls that a program may nest; each takes several frames of Python."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def find_entry(module: ModuleOp, name: str) -> Operation:
    """Return the function of that name with a body.

    Errors: XetileError if there is none.
    """
    found = [op for op in module.ops if op.name == "func.func" and op.regions[0].blocks]
    for function in found:
        if symbol_name(function) == name:
            return function
    names = [symbol_name(function) for function in found]
    if not names:
        raise XetileError(
            f"there is no function '{name}' to start with: the module has no func.func with a body"
        )
    advice = hint_or_names(name, names, "the module has")
    raise XetileError(f"there is no function '{name}' to start with{advice}")


def _result(frame: Frame, function: Operation, operand: SSAValue, value: Value) -> Array:
    """Return a result as an array: without dimensions for a scalar, a copy of a memref's elements."""
    if isinstance(value, np.ndarray):
        return value[0]
    frame.bind(operand, value)
    if not isinstance(operand.type, MemRefType):
        raise XetileError(f"a result of type {operand.type} cannot be shown")
    return host_array_of(frame, function, operand).copy()
