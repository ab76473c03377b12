"""OpenCL devices, through pyopencl.

A device with Intel's 2D block and matrix builtins gets the module unchanged; for any other the emulation is linked.

For repeated launches, constant properties are queried from the driver once. Sizes with which a kernel cannot be
launched are reported in words, which drivers do not do.
"""

import contextlib
import ctypes
import os
import struct
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cache
from itertools import count
from math import prod
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Self, cast

import numpy
import pyopencl

from xetile.errors import XetileError, one_line
from xetile.runtime.cache import Cache
from xetile.runtime.driver import (
    ALIGNMENT,
    COMPILER_VARIABLE,
    POINTER,
    Argument,
    Bound,
    Extents,
    Information,
    Memory,
    Pointer,
    Program,
    Scalar,
)
from xetile.runtime.emulation import FAULT_KERNEL, emulated, fault_text
from xetile.runtime.emulation.imports import imported_functions
from xetile.runtime.open_device import Keeping

_KERNELS_BLOCK = pyopencl.kernel_work_group_info.COMPILE_WORK_GROUP_SIZE
"""The block that a kernel requires, zeros if it accepts any."""

_MOST_ITEMS = 1 << 32
"""Bound of work-items in a dimension: ids have 32 bits on GPUs."""


def check_launch(
    device: pyopencl.Device,
    kernel: pyopencl.Kernel,
    arguments: int,
    items: Sequence[int],
    block: Extents,
) -> None:
    """Raise if the number of arguments, all work-items or the work-items of a workgroup do not fit."""
    check_count(kernel, arguments)
    if min(*items, *block) < 1:
        raise XetileError(
            f"the launch has {list(items)} work-items, {list(block)} in a workgroup; expected positive sizes"
        )
    if max(items) >= _MOST_ITEMS:
        raise XetileError(
            f"the launch has {list(items)} work-items; expected less than {_MOST_ITEMS} in a dimension"
        )
    wanted = tuple(kernel.get_work_group_info(_KERNELS_BLOCK, device))
    if any(wanted) and wanted != block:
        raise XetileError(f"the block is {list(block)}; the kernel is made for {list(wanted)}")
    if prod(block) > (most := device.max_work_group_size):
        raise XetileError(
            f"a workgroup has {prod(block)} work-items, {list(block)}; the device takes at most {most}"
        )
    _refuse_cut_subgroups(device, kernel, block)


def check_count(kernel: pyopencl.Kernel, arguments: int) -> None:
    """Raise if the number of arguments is not the kernel's."""
    if kernel.num_args != arguments:
        raise XetileError(
            f"the emitted kernel takes {kernel.num_args} arguments, {arguments} are given"
        )


def _refuse_cut_subgroups(
    device: pyopencl.Device, kernel: pyopencl.Kernel, block: Extents
) -> None:
    """Raise unless a block consists of whole subgroups, which Intel's runtime for CPUs forms only along x."""
    information = pyopencl.kernel_sub_group_info
    size, count = (
        cast(int, kernel.get_sub_group_info(device, asked, block))
        for asked in (
            information.MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
            information.SUB_GROUP_COUNT_FOR_NDRANGE,
        )
    )
    if size * count != prod(block):
        raise XetileError(
            f"the device makes {count} subgroups of a block of {list(block)}, some of fewer than {size} "
            f"work-items; expected an extent along x that is a multiple of {size}"
        )


_FAULT = struct.Struct("<qq")

_INTEGERS: Mapping[str, type[numpy.unsignedinteger]] = {
    "i8": numpy.uint8,
    "i16": numpy.uint16,
    "i32": numpy.uint32,
    "i64": numpy.uint64,
}
_FLOATS: Mapping[str, type[numpy.floating]] = {
    "f16": numpy.float16,
    "f32": numpy.float32,
    "f64": numpy.float64,
}
_BITS = {name: int(numpy.iinfo(made).max) for name, made in _INTEGERS.items()}

MOST_GRIDS = 256
"""Most grids that a kernel remembers."""


def number(type: str, value: float) -> numpy.generic:
    """Return a number as pyopencl passes it; integers by their bits."""
    made = _FLOATS.get(type)
    return _INTEGERS[type](int(value) & _BITS[type]) if made is None else made(value)


class FaultReader:
    """A reader of the errors that emulated functions reported in earlier launches."""

    def __init__(self, context: pyopencl.Context, queue: pyopencl.CommandQueue) -> None:
        self._queue = queue
        flags = pyopencl.svm_mem_flags.READ_WRITE
        self._result = pyopencl.SVMAllocation(context, _FAULT.size, ALIGNMENT, flags)
        self._host = numpy.empty(_FAULT.size, numpy.uint8)

    def refuse(self, kernels: Mapping[str, pyopencl.Kernel]) -> None:
        """Wait for the launches of a program, and raise for errors in them."""
        kernel = kernels[FAULT_KERNEL]
        kernel.set_arg(0, self._result)
        pyopencl.enqueue_nd_range_kernel(self._queue, kernel, (1,), (1,))
        pyopencl.enqueue_copy(self._queue, self._host, self._result)
        fault, value = _FAULT.unpack(self._host.tobytes())
        if fault:
            raise XetileError(fault_text(fault, value))


class BoundKernel:
    """A kernel with its own arguments, which no other launch changes."""

    def __init__(
        self, device: pyopencl.Device, kernel: pyopencl.Kernel, types: Sequence[str]
    ) -> None:
        check_count(kernel, len(types))
        self._device = device
        self._kernel = kernel
        # with known types, pyopencl packs a number in a fifth of a microsecond; one of numpy takes it 7
        tell = cast("Callable[[object], None]", kernel.set_scalar_arg_dtypes)
        tell([_FLOATS.get(type) or _INTEGERS.get(type) for type in types])
        self._set = cast("Callable[..., None]", kernel.set_args)
        self._pointers = [at for at, type in enumerate(types) if type == POINTER]
        self._integers = [
            (at, _BITS[type]) for at, type in enumerate(types) if type in _INTEGERS
        ]
        self._count = len(types)
        self._grids: dict[tuple[Extents, Extents], Extents] = {}

    def enqueue(
        self,
        queue: pyopencl.CommandQueue,
        memories: "Mapping[Memory, pyopencl.SVMAllocation]",
        arguments: Sequence[Memory | int | float],
        grid: Extents,
        block: Extents,
    ) -> None:
        """Start a launch.

        Raise XetileError for sizes with which it cannot be launched.
        """
        items = self._grids.get((grid, block)) or self._items(grid, block)
        values: list[object] = list(arguments)
        for at in self._pointers:
            values[at] = memories[cast(Memory, arguments[at])]
        for at, bits in self._integers:
            values[at] = int(arguments[at]) & bits
        self._set(*values)
        pyopencl.enqueue_nd_range_kernel(queue, self._kernel, items, block)

    def _items(self, grid: Extents, block: Extents) -> Extents:
        x, y, z = (count * size for count, size in zip(grid, block, strict=True))
        check_launch(self._device, self._kernel, self._count, (x, y, z), block)
        if len(self._grids) >= MOST_GRIDS:
            self._grids.clear()
        self._grids[grid, block] = x, y, z
        return x, y, z


def write_out_prints() -> None:
    """Flush the output of kernels and drivers, which the C library buffers."""
    if os.name == "posix":
        _library().fflush(None)


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


NEEDED_EXTENSIONS = (
    "cl_intel_subgroup_2d_block_io",
    "cl_intel_subgroup_matrix_multiply_accumulate",
)
"""Extensions of devices that execute the builtins themselves."""

MOST_CALLS = 100
"""Calls of builtins up to which Intel's runtime for CPUs builds a kernel, with the emulation, in about 5 seconds.

Its time grows with the square of them: 2.6, 4.4, 9.2, 37 seconds for 55, 90, 160, 300 (a product of 64 x 64 x 1024
with `xetile-kernel gemm --wg 64x64 --sg 32x64`, executed with `xetile-run --on opencl:cpu --unroll 1`, 2, 4, 8).
"""

_EMULATION_OPTIONS = ["-cl-std=CL3.0"]

_BUILD_LOG = pyopencl.program_build_info.LOG

_MOST_BYTES = 1 << 62
"""Bound of the size of an allocation."""

_OPTIONS_OF_GPUS = "-cl-intel-"
"""Prefix of options that only the driver of Intel's GPUs accepts."""

_CPU_DESCRIPTION = Path("/proc/cpuinfo")

_NOT_LAUNCHED = "the device does not launch the kernel"


def is_native(device: pyopencl.Device) -> bool:
    """Return True if the device executes Intel's builtins itself."""
    return set(NEEDED_EXTENSIONS) <= set(device.extensions.split())


def drivers() -> list[str]:
    """Return the names of all drivers that the loader finds."""
    with contextlib.suppress(pyopencl.Error):
        return [one_line(platform.name) for platform in pyopencl.get_platforms()]
    return []


def devices(kind: int) -> list[pyopencl.Device]:
    """Return the devices of a kind (`pyopencl.device_type`) of all drivers that the loader finds, if any."""
    found: list[pyopencl.Device] = []
    with contextlib.suppress(pyopencl.Error):
        for platform in pyopencl.get_platforms():
            with contextlib.suppress(pyopencl.Error):
                found += platform.get_devices(kind)
    return found


def describe(name: str, device: pyopencl.Device) -> Information:
    """Return the description of a device that is selected by `name`."""
    text = one_line(f"{device.name}, {device.platform.name} {device.driver_version}")
    shared = int(device.local_mem_size)
    is_emulating = not is_native(device)
    return Information(
        name,
        text,
        emulates=is_emulating,
        shared_bytes=shared,
        most_calls=MOST_CALLS if is_emulating else None,
    )


class _Built(NamedTuple):
    program: pyopencl.Program
    kernels: dict[str, pyopencl.Kernel]


class OpenCLDevice(Keeping):
    """A device of this process; see `Device`.

    Memory is shared virtual memory: kernels get addresses, at any byte of an allocation.
    `surface_checks` are the emulation's.
    """

    def __init__(
        self,
        device: pyopencl.Device,
        information: Information,
        *,
        surface_checks: bool = True,
    ) -> None:
        super().__init__()
        self.information = information
        self._device = device
        self._surface_checks = surface_checks
        if not device.svm_capabilities & pyopencl.device_svm_capabilities.COARSE_GRAIN_BUFFER:
            raise XetileError(f"{information.name} has no shared virtual memory")
        with _refusing(f"{information.name} cannot be used"):
            self._context = pyopencl.Context([device])
            profiling = pyopencl.command_queue_properties.PROFILING_ENABLE
            self._queue = pyopencl.CommandQueue(self._context, properties=profiling)
            self._faults = (
                FaultReader(self._context, self._queue) if information.emulates else None
            )
        self._programs: dict[Program, _Built] = {}
        self._bound: dict[Bound, tuple[_Built, BoundKernel]] = {}
        self._starts: dict[Memory, pyopencl.SVMAllocation] = {}
        self._sizes: dict[Memory, int] = {}
        self._numbers = count(1)
        self._lock = Lock()
        self._is_busy = self._is_closed = False
        self._cache = Cache("opencl", _maker(device))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for memory in list(self._starts):
            self.free(memory)
        self._programs.clear()
        self._bound.clear()
        self.left.clear()
        self._is_closed = True

    def build(self, spirv: bytes, options: Mapping[str, str]) -> Program:
        self._check_open()
        imports = imported_functions(spirv)
        source = None
        if self.information.emulates:
            source = emulated(imports, surface_checks=self._surface_checks)
        words = _understood(options.get("opencl", "").split(), is_native=source is None)
        key = self._cache.key(
            spirv,
            (source or "").encode(),
            " ".join(words).encode(),
            " ".join(_EMULATION_OPTIONS).encode(),
        )
        with _quiet(), _refusing("the device does not build the module"):
            program = self._kept(key) or self._compiled(spirv, source, words)
            kernels = {kernel.function_name: kernel for kernel in program.all_kernels()}
            write_out_prints()
            binaries = cast("list[bytes]", program.get_info(pyopencl.program_info.BINARIES))
        self._cache.keep(key, binaries[0])
        made = Program(next(self._numbers))
        self._programs[made] = _Built(program, kernels)
        return made

    def _kept(self, key: str) -> pyopencl.Program | None:
        """Return the program of a cached binary, or None if there is none or the driver rejects it."""
        binary = self._cache.take(key)
        if binary is None:
            return None
        with contextlib.suppress(pyopencl.Error):
            return pyopencl.Program(self._context, [self._device], [binary]).build()
        return None

    def _compiled(
        self, spirv: bytes, source: str | None, options: list[str]
    ) -> pyopencl.Program:
        module = pyopencl.Program(self._context, spirv)
        if source is None:
            with self._logging(module):
                return module.build(options, devices=[self._device])
        emulation = pyopencl.Program(self._context, source)
        for program, words in ((module, options), (emulation, _EMULATION_OPTIONS)):
            with self._logging(program):
                program.compile(words)
        # its options have no type in pyopencl
        link = cast("Callable[..., pyopencl.Program]", pyopencl.link_program)
        return link(self._context, [module, emulation])

    @contextlib.contextmanager
    def _logging(self, program: pyopencl.Program) -> Generator[None]:
        """Within the context, errors of the driver contain its log of the program, if there is one."""
        try:
            yield
        except pyopencl.Error as error:
            log = one_line(self._log(program))
            if not log:
                raise
            raise XetileError(f"the device does not build the module: {log}") from error

    def _log(self, program: pyopencl.Program) -> str:
        ask = cast("Callable[[pyopencl.Device, int], object]", program.get_build_info)
        with contextlib.suppress(pyopencl.Error):
            return str(ask(self._device, _BUILD_LOG))
        return ""

    def forget(self, program: Program) -> None:
        self._programs.pop(program, None)

    def allocate(self, size: int) -> Memory:
        self._check_open()
        if not 0 <= size < _MOST_BYTES:
            raise XetileError(f"the device does not allocate {size} bytes")
        with _refusing(f"the device does not allocate {size} bytes"):
            flags = pyopencl.svm_mem_flags.READ_WRITE
            made = pyopencl.SVMAllocation(self._context, max(1, size), ALIGNMENT, flags)
            zero = numpy.zeros(1, numpy.uint8)
            pyopencl.enqueue_svm_memfill(self._queue, made, zero).wait()
        memory = Memory(next(self._numbers))
        self._starts[memory], self._sizes[memory] = made, size
        return memory

    def write(self, memory: Memory, data: bytes) -> None:
        self._check_open()
        size = self._sizes[memory]
        if len(data) > size:
            raise XetileError(f"{len(data)} bytes do not fit an allocation of {size}")
        if data:
            with _refusing("the device does not take data"):
                host = numpy.frombuffer(bytearray(data), numpy.uint8)  # it wants to write
                pyopencl.enqueue_copy(self._queue, self._part(memory, 0, len(data)), host)

    def read(self, memory: Memory) -> bytes:
        self._check_open()
        start, size = self._starts[memory], self._sizes[memory]
        self.synchronize()
        host = numpy.empty(size, numpy.uint8)
        if size:
            with _refusing("the device does not give data"):
                pyopencl.enqueue_copy(self._queue, host, start)
        return host.tobytes()

    def free(self, memory: Memory) -> None:
        self.synchronize()  # a launch may use it
        self._sizes.pop(memory, None)
        start = self._starts.pop(memory, None)
        if start is not None:
            start.release()

    def launch(
        self,
        program: Program,
        kernel: str,
        arguments: Sequence[Argument],
        *,
        grid: Extents,
        block: Extents,
    ) -> float:
        self._check_open()
        built = self._programs[program]
        function = self._function(built, kernel)
        items = tuple(count * size for count, size in zip(grid, block, strict=True))
        with self._lock, _refusing(_NOT_LAUNCHED):
            check_launch(self._device, function, len(arguments), items, block)
            for at, given in enumerate(arguments):
                function.set_arg(at, self._value(given))
            event = pyopencl.enqueue_nd_range_kernel(self._queue, function, items, block)
            event.wait()
            write_out_prints()
            seconds = (event.profile.end - event.profile.start) * 1e-9
            if self._faults is not None:
                self._faults.refuse(built.kernels)
        return seconds

    def bind(self, program: Program, kernel: str, types: Sequence[str]) -> Bound:
        self._check_open()
        built = self._programs[program]
        self._function(built, kernel)
        bound = Bound(next(self._numbers))
        with _refusing(_NOT_LAUNCHED):
            own = BoundKernel(self._device, pyopencl.Kernel(built.program, kernel), types)
        self._bound[bound] = built, own
        return bound

    def release(self, bound: Bound) -> None:
        self._bound.pop(bound, None)

    def start(
        self,
        bound: Bound,
        arguments: Sequence[Memory | int | float],
        *,
        grid: Extents,
        block: Extents,
    ) -> None:
        self._check_open()
        built, kernel = self._bound[bound]
        try:
            with self._lock:
                self._is_busy = True
                kernel.enqueue(self._queue, self._starts, arguments, grid, block)
                if self._faults is not None:
                    try:
                        self._faults.refuse(built.kernels)
                    finally:
                        self._ended()
        except pyopencl.Error as error:
            raise XetileError(f"{_NOT_LAUNCHED}: {one_line(str(error))}") from error

    def synchronize(self) -> None:
        with self._lock, _refusing("the device does not end its launches"):
            if self._is_busy:
                self._queue.finish()
                self._ended()

    def _ended(self) -> None:
        """Record that all launches have ended."""
        self._is_busy = False
        write_out_prints()

    @staticmethod
    def _function(built: _Built, kernel: str) -> pyopencl.Kernel:
        if kernel in built.kernels:
            return built.kernels[kernel]
        names = ", ".join(name for name in built.kernels if name != FAULT_KERNEL)
        raise XetileError(f"the module has no kernel '{kernel}' but {names or 'none at all'}")

    def _value(self, given: Argument) -> "numpy.generic | pyopencl.SVMPointer":
        """Return an argument as pyopencl accepts it."""
        match given:
            case Scalar(type, value):
                return number(type, value)
            case Pointer(memory, 0):
                return self._starts[memory]
            case Pointer(memory, offset):
                return self._part(memory, offset, 1)

    def _part(self, memory: Memory, offset: int, size: int) -> pyopencl.SVMPointer:
        """Return some bytes of an allocation; pyopencl identifies addresses by an array at the place."""
        address = self._starts[memory].svm_ptr + offset
        there = (ctypes.c_ubyte * size).from_address(address)
        return pyopencl.SVM(numpy.ctypeslib.as_array(there))

    def _check_open(self) -> None:
        if self._is_closed:
            raise XetileError(f"{self.information.name} is closed; open it again")


def _understood(options: list[str], *, is_native: bool) -> list[str]:
    """Return the build options for a device; other vendors' options are for their drivers."""
    return [word for word in options if is_native or not word.startswith(_OPTIONS_OF_GPUS)]


def _maker(device: pyopencl.Device) -> str:
    """Return what binaries depend on in addition to their inputs: the driver, its options, and the processor."""
    words = [device.name, device.version, device.driver_version, device.platform.name]
    words.append(os.environ.get(COMPILER_VARIABLE, ""))
    if device.type & pyopencl.device_type.CPU:
        # several processors have the name of the device; homes are shared between machines
        with contextlib.suppress(OSError):
            lines = _CPU_DESCRIPTION.read_text().splitlines()
            words += sorted({line for line in lines if line.startswith("flags")})
    return "\n".join(words)


@contextlib.contextmanager
def _quiet() -> Generator[None]:
    """Suppress pyopencl's warnings about its use and about every build log."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _refusing(what: str) -> Generator[None]:
    """Within the context, turn errors of the driver into ones that begin with `what`."""
    try:
        yield
    except pyopencl.Error as error:
        raise XetileError(f"{what}: {one_line(str(error))}") from error
