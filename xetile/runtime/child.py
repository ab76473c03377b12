"""A device in a separate process: if its driver crashes or hangs, only that process does."""

import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self, cast

from xetile.runtime.driver import Argument, Bound, Extents, Information, Memory, Program
from xetile.runtime.open_device import Keeping
from xetile.toolchain.sandbox import Helper, HelperEnded

TIME_LIMIT_SECONDS = 120.0
"""Default limit of a build or a launch; any other request may always take so long."""

_ROOT = Path(__file__).parents[2]
_WORKER = (sys.executable, "-P", "-m", "xetile.runtime.worker")


class _Module(NamedTuple):
    """The inputs of a program, to build it again."""

    spirv: bytes
    options: dict[str, str]


class _Kernel(NamedTuple):
    """The inputs of a bound kernel, to bind it again."""

    program: Program
    name: str
    types: list[str]


class ChildDevice(Keeping):
    """See `Device`; `seconds` is the limit for a build or a launch, after which the process is ended.

    Starting and copying depend on the machine, not on the kernel: they have TIME_LIMIT_SECONDS at least.
    A process that ended is not started again: every request then raises, and `is_open` is false. But
    drivers sometimes crash on a module that they build the next time. So a process that crashes in a build is started
    once more, unless it has memory allocated; earlier programs are built again when they are launched.
    """

    information: Information

    def __init__(
        self,
        name: str,
        environment: Mapping[str, str],
        *,
        seconds: float,
        surface_checks: bool = True,
        worker: Sequence[str] = _WORKER,
    ) -> None:
        """Start it; `environment` is only for the process, `worker` is the command that serves (see worker.py)."""
        super().__init__()
        self._name = name
        self._seconds = seconds
        self._seconds_of_the_rest = max(seconds, TIME_LIMIT_SECONDS)
        self._worker = worker
        self._environment = {**environment, "PYTHONPATH": _module_path()}
        self._opening = {"name": name, "surface_checks": surface_checks}
        self._modules: dict[Program, _Module] = {}
        self._built: dict[Program, object] = {}
        self._kernels: dict[Bound, _Kernel] = {}
        self._bound: dict[Bound, object] = {}
        self._memories: set[Memory] = set()
        self._count = 0
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def is_open(self) -> bool:
        """Return True if the process still answers."""
        return self._helper.is_open

    @property
    def process(self) -> int:
        """The id of the process."""
        return self._helper.process

    def close(self) -> None:
        self._helper.end()

    def build(self, spirv: bytes, options: Mapping[str, str]) -> Program:
        module = _Module(spirv, dict(options))
        try:
            built = self._ask("build", *module)
        except HelperEnded as error:
            if not error.crashed or self._memories:
                raise
            self._built.clear()
            self._bound.clear()
            self._start()
            built = self._ask("build", *module)
        self._count += 1
        program = Program(self._count)
        self._modules[program], self._built[program] = module, built
        return program

    def forget(self, program: Program) -> None:
        self._modules.pop(program, None)
        built = self._built.pop(program, None)
        if built is not None and self.is_open:  # else there is nothing left of it
            self._ask("forget", built)

    def allocate(self, size: int) -> Memory:
        memory = cast(Memory, self._ask("allocate", size))
        self._memories.add(memory)
        return memory

    def write(self, memory: Memory, data: bytes) -> None:
        self._ask("write", memory, data)

    def read(self, memory: Memory) -> bytes:
        return cast(bytes, self._ask("read", memory))

    def free(self, memory: Memory) -> None:
        self._memories.discard(memory)
        if self.is_open:
            self._ask("free", memory)

    def launch(
        self,
        program: Program,
        kernel: str,
        arguments: Sequence[Argument],
        *,
        grid: Extents,
        block: Extents,
    ) -> float:
        built = self._program(program)
        with self._printing():
            found = self._ask("launch", built, kernel, list(arguments), grid=grid, block=block)
        return cast(float, found)

    def bind(self, program: Program, kernel: str, types: Sequence[str]) -> Bound:
        self._count += 1
        bound = Bound(self._count)
        self._kernels[bound] = _Kernel(program, kernel, list(types))
        self._made(bound)
        return bound

    def release(self, bound: Bound) -> None:
        self._kernels.pop(bound, None)
        made = self._bound.pop(bound, None)
        if made is not None and self.is_open:
            self._ask("release", made)

    def start(
        self,
        bound: Bound,
        arguments: Sequence[Memory | int | float],
        *,
        grid: Extents,
        block: Extents,
    ) -> None:
        made = self._made(bound)
        with self._printing():
            self._ask("start", made, arguments, grid=grid, block=block)

    def synchronize(self) -> None:
        """Do nothing: a launch has ended when it is answered."""

    def _program(self, program: Program) -> object:
        """Return the program in the current process, built again if necessary."""
        if program not in self._built:
            self._built[program] = self._ask("build", *self._modules[program])
        return self._built[program]

    def _made(self, bound: Bound) -> object:
        """Return the bound kernel in the current process, bound again if necessary."""
        if bound not in self._bound:
            program, name, types = self._kernels[bound]
            self._bound[bound] = self._ask("bind", self._program(program), name, types)
        return self._bound[bound]

    @contextmanager
    def _printing(self) -> Generator[None]:
        """Within the context, print the output of the process."""
        self._helper.output()  # output of the driver itself is not the kernel's
        try:
            yield
        finally:
            if printed := self._helper.output():
                sys.stdout.write(printed)

    def _start(self) -> None:
        self._helper = Helper(self._name, self._worker, environment=self._environment)
        try:
            self.information = cast(Information, self._ask("open", **self._opening))
        except BaseException:
            self._helper.end()
            raise

    def _ask(self, method: str, *given: object, **named: object) -> object:
        question = (method, given, named)
        seconds = self._seconds if method in _LIMITED else self._seconds_of_the_rest
        return self._helper.ask(question, _DOING[method], seconds=seconds)


def _module_path() -> str:
    """Return the path where the process finds this package, but not the current folder, which may contain anything."""
    found = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(_ROOT), *([found] if found else [])])


_LIMITED = ("build", "launch", "start")
"""Requests whose duration depends on the kernel."""

_DOING = {
    "open": "start",
    "build": "build the module",
    "forget": "give the program back",
    "allocate": "allocate memory",
    "write": "take data",
    "read": "give data",
    "free": "give memory back",
    "bind": "prepare the kernel",
    "release": "give the kernel back",
    "launch": "run the kernel to its end",
    "start": "run the kernel to its end",
}
