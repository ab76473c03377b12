"""A device in a process of its own: its driver may end or hang, and then only that process does."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Pipe
from types import TracebackType
from typing import NoReturn, Self, cast

from xetile.errors import XetileError
from xetile.runtime.device import Argument, Extents, Information, Memory, Program

_END_SECONDS = 2.0
"""How long a process that is asked to end may take."""


class ChildDevice:
    """See `Device`; `seconds` is the limit for what is asked at a time, after which the process is ended."""

    information: Information

    def __init__(self, name: str, environment: Mapping[str, str], *, seconds: float) -> None:
        self._name = name
        self._seconds = seconds
        ours, theirs = Pipe()
        self._connection = ours
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "xetile.runtime.worker", str(theirs.fileno()), name],
                env={**os.environ, **environment},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            theirs.close()
        self.information = cast(Information, self._answer("start"))

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
        return cast(Program, self._ask("build", spirv, dict(options)))

    def allocate(self, size: int) -> Memory:
        return cast(Memory, self._ask("allocate", size))

    def write(self, memory: Memory, data: bytes) -> None:
        self._ask("write", memory, data)

    def read(self, memory: Memory) -> bytes:
        return cast(bytes, self._ask("read", memory))

    def free(self, memory: Memory) -> None:
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
        found = self._ask("launch", program, kernel, list(arguments), grid=grid, block=block)
        return cast(float, found)

    def close(self) -> None:
        self._connection.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self._end()

    @property
    def is_open(self) -> bool:
        """Whether the process still answers."""
        return self._process.poll() is None

    def _ask(self, method: str, *given: object, **named: object) -> object:
        try:
            self._connection.send((method, given, named))
        except OSError:
            self._refuse_ended(method)
        return self._answer(method)

    def _answer(self, method: str) -> object:
        try:
            if not self._connection.poll(self._seconds):
                self._end()
                raise XetileError(
                    f"{self._name} did not {_DOING[method]} within {self._seconds:g} seconds"
                )
            status, answer = self._connection.recv()
        except (EOFError, OSError):
            self._refuse_ended(method)
        except BaseException:
            self._end()
            raise
        if status == "refused":
            raise XetileError(str(answer))
        return answer

    def _refuse_ended(self, method: str) -> NoReturn:
        status = self._process.wait()
        how = signal.Signals(-status).name if status < 0 else f"status {status}"
        raise XetileError(f"{self._name} ended with {how}; it was to {_DOING[method]}")

    def _end(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


_DOING = {
    "start": "start",
    "build": "build the module",
    "allocate": "allocate memory",
    "write": "take data",
    "read": "give data",
    "free": "give memory back",
    "launch": "run the kernel to its end",
}
