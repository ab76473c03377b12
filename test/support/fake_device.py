"""A device without a driver: memory in this process, and what a test gives for a kernel."""

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

from xetile.errors import XetileError
from xetile.runtime.driver import (
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
from xetile.runtime.open_device import Keeping

Behaviour = Callable[["FakeDevice", Sequence[Argument]], object]
"""What a launch does, given the device and the arguments."""


class FakeDevice(Keeping):
    """See `xetile.runtime.open_device.Device`; it remembers what it was asked, and its memory `before` each launch."""

    information: Information = Information("fake", "a fake", emulates=True)

    def __init__(self, behaviour: Behaviour = lambda device, arguments: None) -> None:
        super().__init__()
        self.behaviour = behaviour
        self.kernels: dict[Bound, tuple[Program, str, list[str]]] = {}
        self.memories: dict[Memory, bytearray] = {}
        self.programs: dict[Program, bytes] = {}
        self.launches: list[tuple[str, list[Argument], Extents, Extents]] = []
        self.before: list[dict[Memory, bytes]] = []
        self.largest = 1 << 20
        self._count = 0

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
        self.memories.clear()
        self.programs.clear()

    @property
    def is_empty(self) -> bool:
        return not self.memories and not self.programs and not self.kernels

    def build(self, spirv: bytes, options: Mapping[str, str]) -> Program:
        self._count += 1
        self.programs[Program(self._count)] = spirv
        return Program(self._count)

    def forget(self, program: Program) -> None:
        del self.programs[program]

    def allocate(self, size: int) -> Memory:
        if size > self.largest:
            raise XetileError(f"the device does not allocate {size} bytes")
        self._count += 1
        self.memories[Memory(self._count)] = bytearray(size)
        return Memory(self._count)

    def write(self, memory: Memory, data: bytes) -> None:
        assert len(data) <= len(self.memories[memory])
        self.memories[memory][: len(data)] = data

    def read(self, memory: Memory) -> bytes:
        return bytes(self.memories[memory])

    def free(self, memory: Memory) -> None:
        del self.memories[memory]

    def launch(
        self,
        program: Program,
        kernel: str,
        arguments: Sequence[Argument],
        *,
        grid: Extents,
        block: Extents,
    ) -> float:
        assert program in self.programs
        self.launches.append((kernel, list(arguments), grid, block))
        self.before.append({memory: bytes(data) for memory, data in self.memories.items()})
        self.behaviour(self, arguments)
        return float(len(self.launches))

    def bind(self, program: Program, kernel: str, types: Sequence[str]) -> Bound:
        assert program in self.programs
        self._count += 1
        self.kernels[Bound(self._count)] = program, kernel, list(types)
        return Bound(self._count)

    def release(self, bound: Bound) -> None:
        del self.kernels[bound]

    def start(
        self,
        bound: Bound,
        arguments: Sequence[Memory | int | float],
        *,
        grid: Extents,
        block: Extents,
    ) -> None:
        program, kernel, types = self.kernels[bound]
        pairs = zip(types, arguments, strict=True)
        given = [
            Pointer(Memory(int(value)), 0) if type == POINTER else Scalar(type, value)
            for type, value in pairs
        ]
        self.launch(program, kernel, given, grid=grid, block=block)

    def synchronize(self) -> None:
        pass
