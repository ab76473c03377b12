"""A device that remembers what it is asked, for tests of those who ask."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from types import TracebackType
from typing import Self

from xetile.runtime.device import Argument, Extents, Information, Memory, Program


class MadeUpDevice:
    """Launches nothing; each launch takes the next of `seconds`, the last one again and again."""

    def __init__(self, *seconds: float, emulates: bool = False) -> None:
        self.information = Information("opencl:made-up", "made up", emulates)
        self.built: list[bytes] = []
        self.launches: list[tuple[str, Sequence[Argument], Extents, Extents]] = []
        self.memories: dict[Memory, bytes] = {}
        self.is_closed = False
        self._seconds: Iterator[float] = chain(seconds, repeat((*seconds, 1.0)[-1]))
        self._names: Iterable[int] = iter(range(1, 1 << 20))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def build(self, spirv: bytes, options: Mapping[str, str]) -> Program:
        self.built.append(spirv)
        return Program(len(self.built) - 1)

    def forget(self, program: Program) -> None:
        pass

    def allocate(self, size: int) -> Memory:
        memory = Memory(next(iter(self._names)))
        self.memories[memory] = bytes(size)
        return memory

    def write(self, memory: Memory, data: bytes) -> None:
        self.memories[memory] = data + self.memories[memory][len(data) :]

    def read(self, memory: Memory) -> bytes:
        return self.memories[memory]

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
        self.launches.append((kernel, arguments, grid, block))
        return next(self._seconds)

    def close(self) -> None:
        self.is_closed = True
