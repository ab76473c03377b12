"""Making a call: within this process, or in one of its own with other streams."""

import gc
import os
import signal
import sys
import time
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BufferedReader, BufferedWriter, BytesIO, FileIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TextIO, cast

from xdsl.ir import Attribute
from xdsl.utils.diagnostic import Diagnostic

from tools.fuzz.case import Answer, Case, Streams
from xetile.cli.entry import COMMANDS
from xetile.interpreter.host import loops

SECONDS = 10.0
"""Processor time that anything but executing the program may take."""

EXECUTION_SECONDS = 1.0
"""Processor time after which a program that is executed is interrupted: it may well be endless."""

LONGEST_WAIT = 60.0
"""Seconds that a process of its own is waited for."""

STATUS_LOST_OUTPUT = 120
"""Python's, when it cannot flush a stream at its end."""

_START = "import sys; from {1} import main; sys.argv[0] = 'xetile-{0}'; sys.exit(main())"


def run(case: Case) -> Answer:
    """Make the call in a folder of its own."""
    with TemporaryDirectory(prefix="fuzz") as folder:
        work = Path(folder, "work")
        work.mkdir()
        for name, content in case.files.items():
            path = work / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        with _inside(work), _loops_compiled_from(case.threshold):
            if case.streams is None:
                return _here(case)
            return _apart(case, case.streams, Path(folder))


@contextmanager
def _inside(folder: Path) -> Generator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _loops_compiled_from(threshold: int | None) -> Generator[None]:
    before = loops.WORTH_COMPILING
    loops.WORTH_COMPILING = before if threshold is None else threshold
    try:
        yield
    finally:
        loops.WORTH_COMPILING = before


def _files() -> dict[str, bytes]:
    found = (path for path in sorted(Path().rglob("*")) if path.is_file())
    return {str(path): path.read_bytes() for path in found}


# Within this process.


def _here(case: Case) -> Answer:
    main = import_module(COMMANDS[case.tool.removeprefix("xetile-")].module).main
    output, errors = BytesIO(), BytesIO()
    watch = Watch()
    with _as_before(), warnings.catch_warnings(), watch.limit():
        warnings.simplefilter("always")
        for unseen in (ResourceWarning, DeprecationWarning, ImportWarning):  # as Python starts
            warnings.simplefilter("ignore", unseen)
        sys.stdin = TextIOWrapper(BytesIO(case.input), "utf-8")
        sys.stdout = TextIOWrapper(output, "utf-8")
        sys.stderr = TextIOWrapper(errors, "utf-8", "backslashreplace", line_buffering=True)
        status = main(list(case.arguments))
        sys.stdout.flush()
        written = output.getvalue(), errors.getvalue()
    return Answer(status, *written, _files(), watch.endless, watch.hung)


@contextmanager
def _as_before() -> Generator[None]:
    """What commands set for their process is put back."""
    streams = sys.stdin, sys.stdout, sys.stderr
    check, colored = Attribute.__post_init__, Diagnostic.colored
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        Attribute.__post_init__, Diagnostic.colored = check, colored
        gc.enable()


class Watch:
    """Interrupts a call that takes too long, as a user would.

    `endless` says that it was executing the program when it was, `hung` where it was else.
    """

    def __init__(self, execution_seconds: float = EXECUTION_SECONDS) -> None:
        self.endless = False
        self.hung: str | None = None
        self._execution_seconds = execution_seconds
        self._seconds = 0.0

    @contextmanager
    def limit(self) -> Generator[None]:
        """Watch what is done inside."""
        old = signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, 1.0, 1.0)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, old)

    def _look(self, number: int, frame: FrameType | None) -> None:
        self._seconds += 1.0
        ours = [name for name in _places(frame) if "/xetile/" in name]
        if self._seconds >= SECONDS + self._execution_seconds:
            self.hung = f"is not interrupted at {ours[0] if ours else '?'}"
        elif any("/interpreter/" in name for name in ours):
            if self._seconds < self._execution_seconds:
                return
            self.endless = True
        elif self._seconds < SECONDS:
            return
        else:
            self.hung = f"takes more than {SECONDS:g} s at {ours[0] if ours else '?'}"
        raise KeyboardInterrupt


def _places(frame: FrameType | None) -> Iterator[str]:
    """Files and functions, the innermost first."""
    while frame is not None:
        yield f"{frame.f_code.co_filename}:{frame.f_code.co_name}"
        frame = frame.f_back


# In a process of its own.


def _apart(case: Case, streams: Streams, folder: Path) -> Answer:
    (folder / "input").write_bytes(case.input)
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        status = 1
        try:
            _connect(streams, folder)
            status = _child(case, streams)
        finally:
            os._exit(status)
    status, hung = _wait(process)
    written = [_content(folder / name) for name in ("output", "errors")]
    return Answer(status, written[0], written[1], _files(), hung=hung)


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _wait(process: int) -> tuple[int, str | None]:
    deadline = time.monotonic() + LONGEST_WAIT
    while True:
        done, status, used = os.wait4(process, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            seconds = used.ru_utime + used.ru_stime
            return code, f"takes {seconds:.0f} s" if seconds > SECONDS else None
        if time.monotonic() > deadline:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return 0, f"takes more than {LONGEST_WAIT:g} s"
        time.sleep(0.002)


def _connect(streams: Streams, folder: Path) -> None:
    places = {"given": folder / "input", "full": Path("/dev/full")}
    _open(0, streams.input, places, os.O_RDONLY)
    writing = os.O_WRONLY | os.O_CREAT
    _open(1, streams.output, {**places, "kept": folder / "output"}, writing)
    _open(2, streams.errors, {**places, "kept": folder / "errors"}, writing)


def _open(number: int, kind: str, places: dict[str, Path], mode: int) -> None:
    """Put what a stream is to be at its number."""
    if kind == "closed":
        os.close(number)
        return
    if kind == "broken":
        reading, opened = os.pipe()
        os.close(reading)
    else:
        opened = os.open(places[kind], mode)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)


def _child(case: Case, streams: Streams) -> int:
    """The call as Python makes it, from the streams on; the result is the process's status."""
    tool = case.tool.removeprefix("xetile-")
    if streams.fresh:
        program = _START.format(tool, COMMANDS[tool].module)
        os.execv(sys.executable, [sys.executable, "-c", program, *case.arguments])
    streams_of_python = [
        _stream(number, mode, errors)
        for number, mode, errors in (
            (0, "r", "strict"),
            (1, "w", "strict"),
            (2, "w", "backslashreplace"),
        )
    ]
    sys.stdin, sys.stdout, sys.stderr = cast("list[TextIO]", streams_of_python)
    sys.argv = [case.tool, *case.arguments]
    status: int = getattr(import_module("xetile.cli.entry"), tool)()
    return status if _flushed() else STATUS_LOST_OUTPUT


def _flushed() -> bool:
    """What Python does with standard output at its end; it complains of what fails."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if cast("TextIO | None", stream) is not None:
                stream.flush()
    except BaseException as error:
        if cast("TextIO | None", sys.stderr) is not None:
            sys.stderr.write(f"Exception ignored at the end: {error!r}\n")
        return False
    return True


def _stream(number: int, mode: str, errors: str) -> TextIOWrapper | None:
    """As Python opens it: None where it is closed."""
    try:
        os.fstat(number)
    except OSError:
        return None
    raw = FileIO(number, mode, closefd=False)
    buffered = BufferedReader(raw) if mode == "r" else BufferedWriter(raw)
    return TextIOWrapper(buffered, "utf-8", errors, line_buffering=number == 2)
