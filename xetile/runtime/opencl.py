"""OpenCL devices, through pyopencl.

One that knows Intel's 2D block and matrix builtins gets a module as it is; to any other the emulation is linked.
"""

import contextlib
import struct
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, Self, cast

import numpy
import pyopencl

from xetile.errors import XetileError, one_line
from xetile.runtime.cache import Cache
from xetile.runtime.device import (
    Argument,
    Extents,
    Information,
    Memory,
    Pointer,
    Program,
    Scalar,
)
from xetile.runtime.emulation import FAULT_KERNEL, emulated, fault_text
from xetile.runtime.spirv_module import imported_functions

NEEDED_EXTENSIONS = (
    "cl_intel_subgroup_2d_block_io",
    "cl_intel_subgroup_matrix_multiply_accumulate",
)
"""What a device reports that executes the builtins itself."""

_EMULATION_OPTIONS = ["-cl-std=CL3.0"]
_FAULT = struct.Struct("<qq")

_SCALARS: Mapping[str, Callable[[Any], numpy.generic]] = {
    "i8": lambda value: numpy.uint8(value & 0xFF),
    "i16": lambda value: numpy.uint16(value & 0xFFFF),
    "i32": lambda value: numpy.uint32(value & 0xFFFFFFFF),
    "i64": lambda value: numpy.uint64(value & 0xFFFFFFFFFFFFFFFF),
    "f16": numpy.float16,
    "f32": numpy.float32,
    "f64": numpy.float64,
}
"""How a scalar is passed; integers by their bits."""


def is_native(device: pyopencl.Device) -> bool:
    """Whether the device executes Intel's builtins itself."""
    return set(NEEDED_EXTENSIONS) <= set(device.extensions.split())


def devices(kind: int) -> list[pyopencl.Device]:
    """The devices of a kind (`pyopencl.device_type`) of all drivers that the loader finds; none without drivers."""
    found: list[pyopencl.Device] = []
    with contextlib.suppress(pyopencl.Error):
        for platform in pyopencl.get_platforms():
            with contextlib.suppress(pyopencl.Error):
                found += platform.get_devices(kind)
    return found


def describe(name: str, device: pyopencl.Device) -> Information:
    """What there is to say of a device that is chosen by `name`."""
    text = one_line(f"{device.name}, {device.platform.name} {device.driver_version}")
    return Information(name, text, emulates=not is_native(device))


class _Built(NamedTuple):
    program: pyopencl.Program
    kernels: dict[str, pyopencl.Kernel]


class OpenCLDevice:
    """A device of this process; see `Device`."""

    def __init__(self, device: pyopencl.Device, information: Information) -> None:
        self.information = information
        self._device = device
        self._context = pyopencl.Context([device])
        profiling = pyopencl.command_queue_properties.PROFILING_ENABLE
        self._queue = pyopencl.CommandQueue(self._context, properties=profiling)
        self._programs: list[_Built] = []
        self._memories: dict[Memory, pyopencl.Buffer] = {}
        self._next = 0
        self._cache = Cache("opencl", f"{device.version} {device.driver_version}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        for memory in list(self._memories):
            self.free(memory)
        self._programs.clear()

    def build(self, spirv: bytes, options: Mapping[str, str]) -> Program:
        source = emulated(imported_functions(spirv)) if self.information.emulates else None
        text = "" if source is not None else options.get("opencl", "")
        key = self._cache.key(spirv, (source or "").encode(), text.encode())
        with _refusing("the device does not build the module"):
            kept = self._cache.find(key)
            if kept is None:
                program = self._compiled(spirv, source, text)
                binaries = cast(
                    "list[bytes]", program.get_info(pyopencl.program_info.BINARIES)
                )
                self._cache.keep(key, binaries[0])
            else:
                program = self._quiet(
                    lambda: pyopencl.Program(self._context, [self._device], [kept]).build()
                )
            kernels = {kernel.function_name: kernel for kernel in program.all_kernels()}
        self._programs.append(_Built(program, kernels))
        return Program(len(self._programs) - 1)

    def _compiled(self, spirv: bytes, source: str | None, options: str) -> pyopencl.Program:
        def compiled() -> pyopencl.Program:
            module = pyopencl.Program(self._context, spirv)
            if source is None:
                return module.build(options.split(), devices=[self._device])
            module.compile()
            emulation = pyopencl.Program(self._context, source)
            emulation.compile(_EMULATION_OPTIONS)
            return link(self._context, [module, emulation])

        # its options have no type in pyopencl
        link = cast("Callable[..., pyopencl.Program]", pyopencl.link_program)
        return self._quiet(compiled)

    @staticmethod
    def _quiet(make: Callable[[], pyopencl.Program]) -> pyopencl.Program:
        """Without the warnings that pyopencl gives of how it is used and of every build log."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make()

    def allocate(self, size: int) -> Memory:
        with _refusing(f"the device does not allocate {size} bytes"):
            flags = pyopencl.mem_flags.READ_WRITE
            buffer = pyopencl.Buffer(self._context, flags, max(1, size))
            pyopencl.enqueue_fill_buffer(
                self._queue, buffer, numpy.zeros(1, numpy.uint8), 0, max(1, size)
            ).wait()
        self._next += 1
        memory = Memory(self._next)
        self._memories[memory] = buffer
        return memory

    def write(self, memory: Memory, data: bytes) -> None:
        if data:
            with _refusing("the device does not take data"):
                host = numpy.frombuffer(data, numpy.uint8)
                pyopencl.enqueue_copy(self._queue, self._memories[memory], host)

    def read(self, memory: Memory) -> bytes:
        buffer = self._memories[memory]
        host = numpy.empty(buffer.size, numpy.uint8)
        with _refusing("the device does not give data"):
            pyopencl.enqueue_copy(self._queue, host, buffer)
        return host.tobytes()

    def free(self, memory: Memory) -> None:
        self._memories.pop(memory).release()

    def launch(
        self,
        program: Program,
        kernel: str,
        arguments: Sequence[Argument],
        *,
        grid: Extents,
        block: Extents,
    ) -> float:
        built = self._programs[program]
        if kernel not in built.kernels:
            raise XetileError(f"the module has no kernel '{kernel}'")
        function = built.kernels[kernel]
        with _refusing("the device does not launch the kernel"):
            parts = [
                self._set(function, number, given) for number, given in enumerate(arguments)
            ]
            items = tuple(count * size for count, size in zip(grid, block, strict=True))
            event = pyopencl.enqueue_nd_range_kernel(self._queue, function, items, block)
            event.wait()
            del parts
            seconds = (event.profile.end - event.profile.start) * 1e-9
        if self.information.emulates:
            self._refuse_fault(built)
        return seconds

    def _set(
        self, function: pyopencl.Kernel, number: int, given: Argument
    ) -> pyopencl.Buffer | None:
        """Set an argument; a part of an allocation has to live until the kernel has run."""
        match given:
            case Scalar(type, value):
                function.set_arg(number, _SCALARS[type](value))
                return None
            case Pointer(memory, 0):
                function.set_arg(number, self._memories[memory])
                return None
            case Pointer(memory, offset):
                buffer = self._memories[memory]
                part = buffer.get_sub_region(offset, buffer.size - offset)
                function.set_arg(number, part)
                return part

    def _refuse_fault(self, built: _Built) -> None:
        """Refuse what an emulated function reported."""
        result = self.allocate(_FAULT.size)
        kernel = built.kernels[FAULT_KERNEL]
        kernel.set_arg(0, self._memories[result])
        pyopencl.enqueue_nd_range_kernel(self._queue, kernel, (1,), (1,)).wait()
        fault, value = _FAULT.unpack(self.read(result))
        self.free(result)
        if fault:
            raise XetileError(fault_text(fault, value))


@contextlib.contextmanager
def _refusing(what: str) -> Any:
    try:
        yield
    except pyopencl.Error as error:
        _refuse(what, error)


def _refuse(what: str, error: pyopencl.Error) -> NoReturn:
    raise XetileError(f"{what}: {one_line(str(error))}") from error
