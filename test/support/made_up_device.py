"""A fake device with times, which remembers what it was asked."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat

from support.fake_device import FakeDevice

from xetile.runtime.driver import Argument, Extents, Information, Program


class MadeUpDevice(FakeDevice):
    """Each launch takes the next of `seconds`, the last one again and again."""

    def __init__(self, *seconds: float, emulates: bool = False) -> None:
        super().__init__()
        self.information = Information("opencl:made-up", "made up", emulates)
        self.built: list[bytes] = []
        self.is_closed = False
        self._seconds: Iterator[float] = chain(seconds, repeat((*seconds, 1.0)[-1]))

    def build(self, spirv: bytes, options: Mapping[str, str]) -> Program:
        self.built.append(spirv)
        return super().build(spirv, options)

    def launch(
        self,
        program: Program,
        kernel: str,
        arguments: Sequence[Argument],
        *,
        grid: Extents,
        block: Extents,
    ) -> float:
        super().launch(program, kernel, arguments, grid=grid, block=block)
        return next(self._seconds)

    def close(self) -> None:
        super().close()
        self.is_closed = True
