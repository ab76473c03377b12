"""Kernels that compute the same at level B: in one lane's registers, and on a device where one is installed."""

import resource
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from tools.device_product.accuracy import EITHER_ZERO, ULPS
from tools.fuzz.case import Finding, Outcome
from xetile.api import execute, lower
from xetile.cli.running.run_arrays import duplicate
from xetile.errors import XetileError
from xetile.runtime.child import ChildDevice
from xetile.runtime.devices import CPU, cpu_library, open_device
from xetile.runtime.launch import compile_kernel, execute_on
from xetile.runtime.open_device import Device

Argument = NDArray[np.generic] | int | float

SHARE = 0.1
"""Of the kernels: building one takes a device a second or more."""

SECONDS = 20.0
"""For a start, a build or a launch; a worker that builds twice must answer before it is taken to hang."""

INEXACT = (*ULPS, *EITHER_ZERO)
"""Ops whose last bits, or zero's sign, are the device's own."""


@cache
def is_installed() -> bool:
    """Whether there is a device to compare on."""
    return find_spec("pyopencl") is not None and cpu_library() is not None


def compared(
    module: ModuleOp,
    name: str,
    given: Sequence[Argument],
    expected: Sequence[Argument],
    target: str,
) -> Outcome:
    """Execute a kernel at level V and on the device; where something refuses it in words, that is the outcome.

    `given` are its arguments, `expected` what they are afterwards.
    Errors: XetileError with a place for a kernel that is not lowered so far, or that the messages of the target cannot
    do.
    """
    lanes = lower(module, to="xevm", device=target)
    at_lanes = copied(given)
    execute(lanes, name, *at_lanes)
    if (finding := difference("level V", expected, at_lanes)) is not None:
        return Outcome("compare", finding)
    compile_kernel(lanes, name, target)
    found = copied(given)
    try:
        with memory_of_the_machine():
            execute_on(device(), lanes, name, found, target=target)
    except XetileError as error:
        if "expected an extent along x" in error.message:
            return Outcome("refused by the device")
        return Outcome("device", Finding("device", f"fails: {error.message}"))
    if any(op.name in INEXACT for op in lanes.walk()):
        return Outcome("result on the device")
    finding = difference(CPU, at_lanes, found)
    return Outcome("same result on the device", finding)


def difference(
    place: str, expected: Sequence[Argument], found: Sequence[Argument]
) -> Finding | None:
    """The first argument that has other bits, but for those of a NaN."""
    for number, (left, right) in enumerate(zip(expected, found, strict=True)):
        if not _same(np.asarray(left), np.asarray(right)):
            return Finding("compare", f"argument {number} differs on {place}")
    return None


def _same(left: NDArray[np.generic], right: NDArray[np.generic]) -> bool:
    nan = left != left
    if not np.array_equal(nan, right != right):
        return False
    zero = np.zeros_like(left)
    return np.where(nan, zero, left).tobytes() == np.where(nan, zero, right).tobytes()


def copied(arguments: Sequence[Argument]) -> list[Argument]:
    """The arguments of another launch."""
    return [a if isinstance(a, int | float) else duplicate(a) for a in arguments]


_opened: list[Device] = []
"""The device of this process, once one was needed."""


def device() -> Device:
    """The device of this process, opened where it is not."""
    while _opened and isinstance(_opened[0], ChildDevice) and not _opened[0].is_open:
        _opened.pop()
    if not _opened:
        _opened.append(open_device(CPU, seconds=SECONDS))
    return _opened[0]


@contextmanager
def memory_of_the_machine() -> Generator[None]:
    """A process that is started inside is not limited as the fuzzer's workers are: drivers reserve more than they use.

    A device starts one where it is opened, and where its driver ended while it built.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
