"""One call, its streams and its time held: an answer whatever happens."""

import io
import os
import re
import signal
import sys
import tomllib
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import cast

SECONDS = 60.0
"""Processor time for one call."""
LARGEST_FILE = 1 << 22
"""Bytes up to which a file is kept whole; of others the hash."""

Main = Callable[[Sequence[str]], int]


class OutOfTimeError(BaseException):
    """A call took too long."""


@dataclass
class Answer:
    """What a call left."""

    status: str = ""
    stdout: bytes = b""
    stderr: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def parts(self) -> dict[str, bytes]:
        """By name."""
        files = {f"file {name}": data for name, data in self.files.items()}
        named = {"status": self.status.encode(), "stdout": self.stdout, "stderr": self.stderr}
        return {name: data for name, data in (named | files).items() if data}


@contextmanager
def _time_limit(seconds: float, expired: list[bool]) -> Generator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        expired.append(True)
        raise OutOfTimeError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def _unchanged_library() -> Generator[None]:
    """Undo what options of a command line set for the whole process."""
    from xdsl.ir import Attribute
    from xdsl.utils.diagnostic import Diagnostic

    check, colored = Attribute.__post_init__, Diagnostic.colored
    try:
        yield
    finally:
        Attribute.__post_init__ = check
        Diagnostic.colored = colored


def captured(call: Callable[[], object], stdin: bytes = b"") -> Answer:
    """Call, and keep what it returned as status, what it wrote, what it raised."""
    answer = Answer()
    expired: list[bool] = []
    streams = [
        io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (stdin, b"", b"")
    ]
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        with _unchanged_library(), _time_limit(SECONDS, expired):
            answer.status = str(call())
    except SystemExit as leaving:
        answer.status = f"exit {leaving.code}"
    except BaseException as error:
        answer.status = f"{type(error).__name__}: {error}"
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    if expired:
        return Answer("out of time")
    answer.stdout, answer.stderr = (_written(stream) for stream in streams[1:])
    return answer


def _written(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    return cast("io.BytesIO", stream.buffer).getvalue()


def tools_of(tree: Path) -> dict[str, str]:
    """The console scripts of a tree, as `module:function`."""
    project = tomllib.loads((tree / "pyproject.toml").read_text())
    return project["project"]["scripts"]


def tool_main(entry: str) -> Main:
    """The function behind a console script."""
    module, _, function = entry.partition(":")
    return getattr(import_module(module), function)


_PROGRESS = re.compile(rb"xetile-run: .* after \d+ s\n")
_SECONDS = re.compile(rb" *\d+\.\d+( s| seconds|ms)?( *\( *\d+\.\d+%\))?")


@dataclass(frozen=True)
class Cleaner:
    """Takes out of a text what differs from run to run: folders, seconds, progress."""

    folders: tuple[tuple[str, str], ...]

    def clean(self, answer: Answer, *, timed: bool = False) -> Answer:
        """An answer without folders and seconds."""
        stderr = _PROGRESS.sub(b"", self._clean(answer.stderr))
        if timed:
            stderr = _SECONDS.sub(b" <seconds>", stderr)
        files = {name: self._kept(data) for name, data in answer.files.items()}
        status = self._clean(answer.status.encode()).decode()
        return Answer(status, self._clean(answer.stdout), stderr, files)

    def _clean(self, data: bytes) -> bytes:
        for folder, name in self.folders:
            data = data.replace(folder.encode(), name.encode())
        return data

    def _kept(self, data: bytes) -> bytes:
        from hashlib import sha256

        if len(data) > LARGEST_FILE:
            return f"{len(data)} bytes, sha256 {sha256(data).hexdigest()}\n".encode()
        return self._clean(data)


def files_below(folder: Path) -> dict[str, tuple[int, int]]:
    """The files of a folder with their time and size; `input` is left out."""
    found: dict[str, tuple[int, int]] = {}
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "input")
        for name in names:
            path = Path(root, name)
            if not path.is_symlink():
                stat = path.stat()
                found[str(path.relative_to(folder))] = (stat.st_mtime_ns, stat.st_size)
    return found
