"""A kernel on a device beside level V on numpy: the same bits in its arrays, and nothing written around them."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple, cast

import numpy
from numpy.typing import NDArray

from xetile import api
from xetile.codegen import emit, launch_contract, lower_to_llvm
from xetile.codegen.contract import Plain
from xetile.codegen.spirv_emitter import compile_apart
from xetile.errors import XetileError
from xetile.interpreter import execute
from xetile.runtime.arguments import groups
from xetile.runtime.driver import Argument, Memory, Pointer, Program, Scalar
from xetile.runtime.open_device import Device

from .emitted_kernels import Extents, Kernel, Launch

Array = NDArray[Any]

GUARD_BYTES = 4096
"""Before and behind each array; every bit is set, which as a float is no number."""


class Placed(NamedTuple):
    """An array inside of memory of its own: all bytes, and a view of what the kernel is given."""

    raw: NDArray[numpy.uint8]
    view: Array


class Run(NamedTuple):
    """A launch, and what it leaves in memory: by argument, None for numbers."""

    launch: Launch
    expected: Sequence[Placed | None]


class Trial(NamedTuple):
    """A kernel's LLVM IR and SPIR-V, what its contract says, and its launches."""

    kernel: Kernel
    text: str
    spirv: bytes
    entry: "dict[str, Plain]"
    runs: Sequence[Run]


def prepare(kernel: Kernel) -> Trial:
    """Compile a kernel, and execute it at level V."""
    module = api.parse(kernel.text().encode(), name=f"{kernel.name}.mlir")
    at_lane = api.lower(module, to="xevm", device=kernel.device)
    runs: list[Run] = []
    for launch in kernel.launches():
        expected = [
            placed(a) if isinstance(a, numpy.ndarray) else None for a in launch.arguments
        ]
        given = [
            value if place is None else place.view
            for place, value in zip(expected, launch.arguments, strict=True)
        ]
        execute(at_lane, None, given, grid=launch.grid)
        runs.append(Run(launch, expected))
    lowered = lower_to_llvm(module, kernel.device)
    text = cast(str, emit(lowered, "ll", kernel.device))
    contract = launch_contract(lowered, kernel.device)
    entries = cast("list[dict[str, Plain]]", contract["kernels"])
    return Trial(kernel, text, compile_apart(text), entries[0], runs)


def placed(array: Array) -> Placed:
    """A copy of an array, with its strides, between guards."""
    span = array.itemsize + sum(
        (n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)
    )
    raw = numpy.full(2 * GUARD_BYTES + span, 0xFF, numpy.uint8)
    first = raw[GUARD_BYTES : GUARD_BYTES + span].view(array.dtype)
    view = numpy.lib.stride_tricks.as_strided(first, array.shape, array.strides)
    view[...] = array
    return Placed(raw, view)


def difference(trial: Trial, spirv: bytes, device: Device) -> str | None:
    """What a module does otherwise than its kernel at level V; None where it does the same.

    Errors: XetileError where the device refuses the module, reports a fault, ends, or takes too long.
    """
    program = device.build(spirv, {})
    try:
        for number, run in enumerate(trial.runs):
            found = _difference_of_run(trial, run, program, device)
            if found is not None:
                return f"launch {number}, {found}"
    finally:
        device.forget(program)
    return None


def _difference_of_run(trial: Trial, run: Run, program: Program, device: Device) -> str | None:
    name, block = str(trial.entry["name"]), _extents(trial.entry["block"])
    with ExitStack() as held:
        memories, arguments = _arguments(device, trial, run.launch, held)
        device.launch(program, name, arguments, grid=run.launch.grid, block=block)
        for argument, (memory, expected) in enumerate(
            zip(memories, run.expected, strict=True)
        ):
            if memory is not None and expected is not None:
                found = _difference(expected, device.read(memory))
                if found is not None:
                    return f"argument {argument}: {found}"
    return None


def _arguments(
    device: Device, trial: Trial, launch: Launch, held: ExitStack
) -> tuple[list[Memory | None], list[Argument]]:
    """Memory for each array, which `held` gives back, and what the kernel is passed."""
    entries = cast("list[dict[str, Plain]]", trial.entry["arguments"])
    memories: list[Memory | None] = []
    arguments: list[Argument] = []
    for group, value in zip(groups(entries), launch.arguments, strict=True):
        if not isinstance(value, numpy.ndarray):
            memories.append(None)
            arguments.append(Scalar(str(group[0]["type"]), value))
            continue
        raw = placed(value).raw
        memory = device.allocate(raw.size)
        held.callback(device.free, memory)
        device.write(memory, raw.tobytes())
        memories.append(memory)
        arguments.append(Pointer(memory, GUARD_BYTES))
        for entry in group[1:]:
            dimension = cast(int, entry.get("dimension", 0))
            sizes = {
                "offset": 0,
                "size": value.shape[dimension],
                "stride": value.strides[dimension] // value.itemsize,
            }
            arguments.append(Scalar(str(entry["type"]), sizes[str(entry["kind"])]))
    return memories, arguments


def _difference(expected: Placed, data: bytes) -> str | None:
    """The first element that differs, any NaN being as good as another; else whether bytes around the array do."""
    if expected.raw.tobytes() == data:
        return None
    raw = numpy.frombuffer(data, numpy.uint8).copy()
    start = raw[GUARD_BYTES:-GUARD_BYTES].view(expected.view.dtype)
    found = numpy.lib.stride_tricks.as_strided(
        start, expected.view.shape, expected.view.strides
    )
    bits = f"u{found.itemsize}"
    both_nan = (found != found) & (expected.view != expected.view)
    differs = (found.copy().view(bits) != expected.view.copy().view(bits)) & ~both_nan
    if differs.any():
        place = tuple(int(n) for n in numpy.argwhere(differs)[0])
        return f"{list(place)} is {found[place]}, not {expected.view[place]}"
    found[...] = expected.view
    return "bytes outside of the array" if raw.tobytes() != expected.raw.tobytes() else None


def _extents(sizes: "Plain") -> Extents:
    assert isinstance(sizes, list)
    x, y, z = (cast(int, size) for size in sizes)
    return x, y, z


def compiled(text: str) -> bytes | None:
    """SPIR-V of LLVM IR; None where LLVM does not take it."""
    try:
        return compile_apart(text)
    except XetileError:
        return None
