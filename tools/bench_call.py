"""What a call of a prepared kernel costs beside the driver's part: microseconds of ours, in process, on buffers.

    python -m tools.bench_call [--calls N] [--gpu]

A kernel that does nothing is launched in turns by bare calls of the driver (arguments, enqueueing, waiting; where it
emulates, also asking whether an instruction refused) and by `PreparedKernel`, and the medians are compared. Without
`--gpu` the driver is Intel's runtime for CPUs, in this process, where `opencl:cpu` has one of its own: a call of that
is measured too. The same is measured of a kernel written in Python, called with buffers alone: `kernel.on(device)(...)`
specialises by them, and sees that nothing which its function reads has changed. Status 1 where ours are more than the
bar of either.
"""

import argparse
import gc
import os
import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy

import xetile.language as xt
from xetile.api import parse_text
from xetile.language.dependencies import Dependencies
from xetile.runtime.buffers import Buffer
from xetile.runtime.code import Code, compile_code
from xetile.runtime.devices import CPU, GPU, LOADER_VARIABLE, cpu_library, open_device
from xetile.runtime.driver import Extents
from xetile.runtime.open_device import Device

BAR = 25.0
"""Microseconds of ours a call of a prepared kernel."""

BAR_IN_PYTHON = 50.0
"""Microseconds of ours a call of a kernel in Python."""

KERNEL = """gpu.module @m {
  gpu.func @k(%a: memref<4x64xf32>, %b: memref<4x64xf32>, %c: memref<?x64xf32>, %s: f32, %n: i32) kernel
      attributes {xetile.level = "lane", known_block_size = array<i32: 16, 1, 1>,
                  known_grid_size = array<i32: 1, 1, 1>} {
    gpu.return
  }
}
"""
NUMBERS = (0.5, 3)
TILE = 32


@xt.kernel
def copy(A: Any, B: Any) -> None:
    """Copy a matrix, tile by tile."""
    m = xt.program_id(0) * TILE
    B[m : m + TILE, 0:TILE] = A[m : m + TILE, 0:TILE]


def in_process(*, gpu: bool) -> Device:
    """The device whose driver runs in this process."""
    if gpu:
        return open_device(GPU)
    os.environ[LOADER_VARIABLE] = str(cpu_library())
    from xetile.runtime.worker import open_cpu

    return open_cpu(CPU, surface_checks=True)


def bare(device: Any, code: Code, buffers: list[Buffer]) -> Callable[[], object]:
    """What any program would have the driver do."""
    import pyopencl

    queue, starts = device._queue, device._starts
    program = device.build(code.spirv, code.options)
    kernels = device._programs[program].kernels
    block: Extents = (16, 1, 1)
    kernels["k"].set_scalar_arg_dtypes(
        [None, None, None, numpy.int64, numpy.float32, numpy.int32]
    )
    given = [*(starts[buffer.memory] for buffer in buffers), 4, *NUMBERS]
    result = starts[device.allocate(16)]
    host = numpy.empty(16, numpy.uint8)
    fault = kernels.get("xetile_take_fault")

    def call() -> None:
        kernels["k"].set_args(*given)
        event = pyopencl.enqueue_nd_range_kernel(queue, kernels["k"], block, block)
        if fault is None:
            event.wait()
            return
        fault.set_arg(0, result)
        pyopencl.enqueue_nd_range_kernel(queue, fault, (1,), (1,))
        pyopencl.enqueue_copy(queue, host, result)

    return call


def seconds(*calls: Callable[[], object], count: int) -> list[float]:
    """The median time of each, taken in turns."""
    found: list[list[float]] = [[] for _ in calls]
    for _ in range(count):
        for call, times in zip(calls, found, strict=True):
            start = perf_counter()
            call()
            times.append(perf_counter() - start)
    return [median(times[count // 10 :]) for times in found]


class Written(NamedTuple):
    """Seconds of a kernel in Python: a call, what the language adds to it, looking at what the function reads."""

    call: float
    added: float
    look: float
    first: float


def in_python(device: Device, *, count: int) -> Written:
    """The costs of a small kernel."""
    buffers = [device.zeros((64, TILE), numpy.float16) for _ in range(2)]
    matrix = xt.f16[64, TILE]
    kernel = copy.on(device, device="bmg")
    one = copy.specialize(matrix, matrix).on(device, device="bmg")
    grid = (64 // TILE, 1, 1)
    start = perf_counter()
    found = Dependencies([("copy", copy.__wrapped__)])
    first = perf_counter() - start

    def call() -> None:
        kernel(*buffers)
        device.synchronize()

    def alone() -> None:
        one.prepared(*buffers, grid=grid)
        device.synchronize()

    whole, prepared, look = seconds(call, alone, found.unchanged, count=count)
    return Written(whole, whole - prepared, look, first)


def main() -> int:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=2000, help="of each (default 2000)")
    parser.add_argument("--gpu", action="store_true", help="opencl:gpu in place of the CPU")
    options = parser.parse_args()
    code = compile_code(parse_text(KERNEL, "k.mlir"), target="bmg")
    gc.disable()
    with in_process(gpu=options.gpu) as device:
        buffers = [device.zeros((4, 64), numpy.float32) for _ in range(3)]
        prepared = device.prepare(code)

        def ours() -> None:
            prepared(*buffers, *NUMBERS)
            device.synchronize()

        driver, call = seconds(bare(device, code, buffers), ours, count=options.calls)
        written = in_python(device, count=options.calls)
    added = (call - driver) * 1e6
    print(f"driver alone       {driver * 1e6:8.1f} us")
    print(f"prepared kernel    {call * 1e6:8.1f} us, ours {added:.1f} us (at most {BAR:g})")
    whole, more, look, first = (1e6 * each for each in written)
    ours_there = added + more
    print(
        f"kernel in Python   {whole:8.1f} us, ours {ours_there:.1f} us (at most {BAR_IN_PYTHON:g})"
    )
    print(f"is it the same?    {look:8.1f} us of them, the first time {first:.0f}")
    if not options.gpu:
        del os.environ[LOADER_VARIABLE]
        with open_device(CPU) as device:
            buffers = [device.zeros((4, 64), numpy.float32) for _ in range(3)]
            prepared = device.prepare(code)
            (call,) = seconds(lambda: prepared(*buffers, *NUMBERS), count=options.calls)
        print(f"{CPU}         {call * 1e6:8.1f} us, in a process of its own")
    return 1 if added > BAR or ours_there > BAR_IN_PYTHON else 0


if __name__ == "__main__":
    sys.exit(main())
