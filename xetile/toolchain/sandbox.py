"""Running programs that may crash or hang: in a separate process, with a time limit.

`run` and `begun` are for a program that does its work and ends; a `Helper` stays and answers questions, with `serve` on
its side.
"""

import contextlib
import os
import pickle
import signal
import socket
import struct
import subprocess
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from time import monotonic, sleep
from typing import NamedTuple, NoReturn, cast

from xetile.errors import XetileError, one_line, reason_of


class Outcome(NamedTuple):
    """The end of a program: its status (negative: the signal that ended it) and what it printed."""

    status: int
    output: str
    errors: str


def run(
    command: Sequence[str | Path], *, folder: Path | None = None, seconds: float
) -> Outcome:
    """Run a program in `folder` to its end.

    Raise XetileError if it cannot be started, or has not ended after `seconds` (it and
    its children are then ended).
    """
    with begun(command, folder=folder) as end:
        return end(seconds)


@contextlib.contextmanager
def begun(
    command: Sequence[str | Path], *, folder: Path | None = None
) -> Generator[Callable[[float], Outcome]]:
    """Start a program that runs in `folder` in the background; yield a function that waits for its end.

    The function is called once, with the seconds that the program may still take, and raises as `run` does. A program
    that still runs at the end of the context is ended.
    Raise XetileError if it cannot be started.
    """
    name = Path(command[0]).name
    try:
        child = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise XetileError(f"cannot run {command[0]}: {reason_of(error)}") from error

    def end(seconds: float) -> Outcome:
        try:
            output, errors = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            raise XetileError(f"{name} did not end within {seconds:g} seconds") from error
        return Outcome(child.returncode, output, errors)

    try:
        yield end
    finally:
        if child.returncode is None:
            _end(child)


def ending(outcome: Outcome) -> str:
    """Return how a program that failed ended, for messages: `status 1`, `signal SIGSEGV`."""
    return _status(outcome.status)


def _status(status: int) -> str:
    if status >= 0:
        return f"status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:  # a real-time signal
        return f"signal {-status}"


def _end(child: "subprocess.Popen[str]") -> None:
    _kill_group(child.pid)
    child.communicate()


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


class HelperEnded(XetileError):
    """A helper that ended instead of answering; `crashed` if it ended on its own."""

    def __init__(self, message: str, *, crashed: bool) -> None:
        super().__init__(message)
        self.crashed = crashed


class Helper:
    """A program in a separate process that answers questions until it is ended.

    It ends, with its children, by `end`, if an answer takes too long, if asking is
    interrupted, and with this process, however that ends. Once ended, every request raises.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start it; `name` is its name in messages, `command` gets two more numbers, for `serve`.

        Raise XetileError if it cannot be started.
        """
        self._name = name
        self._lock = Lock()
        self._ending: str | None = None
        self._files = contextlib.ExitStack()
        try:
            with contextlib.ExitStack() as given:  # the child inherits these
                self._socket, theirs = socket.socketpair()
                self._files.enter_context(self._socket)
                given.enter_context(theirs)
                watched, held = os.pipe()
                given.callback(os.close, watched)
                self._files.enter_context(os.fdopen(held, "wb", buffering=0))
                self._output = self._files.enter_context(TemporaryFile(buffering=0))
                self._printed = self._files.enter_context(TemporaryFile())
                self._process = subprocess.Popen(
                    [*command, str(theirs.fileno()), str(watched)],
                    env={**os.environ, **(environment or {})},
                    pass_fds=[theirs.fileno(), watched],
                    stdin=subprocess.DEVNULL,
                    stdout=self._output,
                    stderr=self._printed,
                    start_new_session=True,
                )
        except OSError as error:
            self._files.close()
            raise XetileError(f"cannot run {command[0]}: {reason_of(error)}") from error

    @property
    def is_open(self) -> bool:
        """Return True if it still answers."""
        return self._ending is None and self._is_running()

    def _is_running(self) -> bool:
        """Return True if the process has not ended."""
        # not waited for, so that its id remains its own until it is ended
        how = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self._process.pid, how) is None
        except ChildProcessError:  # some systems are configured to forget processes that end
            return False

    @property
    def process(self) -> int:
        """The id of its process, which is also that of its process group."""
        return self._process.pid

    def ask(self, question: object, doing: str, *, seconds: float) -> object:
        """Return the answer to a question; `doing` says in messages what the helper was to do.

        Raise XetileError with the helper's error; HelperEnded if it ends, has ended, or does not
        answer within `seconds`, after which it is ended.
        """
        with self._lock:
            self._check_open()
            deadline = monotonic() + seconds
            try:
                _send(self._socket, question, deadline)
                is_done, answer = cast("tuple[bool, object]", _receive(self._socket, deadline))
            except TimeoutError as error:
                told = f"did not {doing} within {seconds:g} seconds"
                self._note_end(told)
                raise HelperEnded(f"{self._name} {told}", crashed=False) from error
            except (EOFError, OSError):
                self._check_open()  # another thread may have ended it
                self._tell_end(doing)
            except BaseException:
                self._note_end(f"interrupted when it was to {doing}")
                raise
        if not is_done:
            raise XetileError(str(answer))
        return answer

    def output(self) -> str:
        """Return its standard output since the last call, or an empty string once it has ended."""
        with self._lock:
            if self._ending is not None:
                return ""
            self._output.seek(0)
            text = self._output.read()
            # the helper shares the file position, and continues at the start
            self._output.seek(0)
            self._output.truncate()
        return text.decode(errors="replace")

    def end(self) -> None:
        """End it, and its children."""
        if self._ending is None:
            self._note_end("closed")

    def _check_open(self) -> None:
        if self._ending is not None:
            message = f"{self._name} has ended ({self._ending}); open it again"
            raise HelperEnded(message, crashed=False)

    def _tell_end(self, doing: str) -> NoReturn:
        """Raise HelperEnded that says how it ended on its own."""
        deadline = monotonic() + _LAST_SECONDS
        while self._is_running() and monotonic() < deadline:
            sleep(_LOOK_SECONDS)
        said = self._last_words()
        self._note_end("")
        self._ending = f"{_status(self._process.returncode)} when it was to {doing}"
        told = (
            f"{self._name} ended with {_status(self._process.returncode)}; it was to {doing}"
        )
        raise HelperEnded(f"{told}: {said}" if said else told, crashed=True)

    def _note_end(self, ending: str) -> None:
        self._ending = ending
        try:
            # before waiting for it, after which the id may be another process's
            _kill_group(self._process.pid)
            self._process.wait()
        finally:
            self._files.close()

    def _last_words(self) -> str:
        """Return the last error line that it printed; other output of a crashing driver is for its makers."""
        self._printed.seek(0, os.SEEK_END)
        self._printed.seek(max(0, self._printed.tell() - _MOST_PRINTED))
        lines = self._printed.read().decode(errors="replace").splitlines()
        errors = [
            line for line in lines if "error" in line.lower() or "assert" in line.lower()
        ]
        return one_line(errors[-1]) if errors else ""


def serve(numbers: Sequence[str], answer: Callable[[object], object]) -> None:
    """Answer questions in a helper until the asker is gone; `numbers` are the last two of its command line.

    An XetileError is reported by its message, any other error with its name.
    """
    connection = socket.socket(fileno=int(numbers[0]))
    _end_with_asker(int(numbers[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the asking process decides
    while True:
        try:
            question = _receive(connection, None)
        except (EOFError, OSError):
            return
        try:
            reply = True, answer(question)
        except XetileError as error:
            reply = False, error.message
        except MemoryError:
            reply = False, "this takes more memory than there is"
        except Exception as error:
            reply = False, one_line(f"{type(error).__name__}: {error}")
        _send(connection, reply, None)


_LAST_SECONDS = 2.0
"""Time that a process may take to end after its last answer."""

_LOOK_SECONDS = 0.005
"""Interval between checks if it has ended."""

_MOST_PRINTED = 1 << 16
"""Bytes of standard error that are examined."""

_MOST_SECONDS = 1e6
"""Largest limit that a socket accepts."""

_LENGTH = struct.Struct("<Q")


def _end_with_asker(lifeline: int) -> None:
    """Make the system end this process group when no process has the other end of a pipe open.

    Unlike prctl's PR_SET_PDEATHSIG, that depends not on the thread that asked but on its process, and needs no
    cooperation: a driver that never returns is ended too. If a system cannot do it (no
    F_SETSIG, which Linux has), a helper ends when it would answer the next question.
    """
    import fcntl

    if not hasattr(fcntl, "F_SETSIG"):
        return
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        os.read(lifeline, 1)
        os._exit(1)  # it was gone before


def _send(connection: socket.socket, what: object, deadline: float | None) -> None:
    data = pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
    for part in (_LENGTH.pack(len(data)), data):
        _limit(connection, deadline)
        connection.sendall(part, getattr(socket, "MSG_NOSIGNAL", 0))


def _receive(connection: socket.socket, deadline: float | None) -> object:
    (length,) = _LENGTH.unpack(_bytes(connection, _LENGTH.size, deadline))
    return pickle.loads(_bytes(connection, length, deadline))


def _bytes(connection: socket.socket, count: int, deadline: float | None) -> bytearray:
    data = bytearray(count)
    missing = memoryview(data)
    while missing:
        _limit(connection, deadline)
        got = connection.recv_into(missing)
        if not got:
            raise EOFError
        missing = missing[got:]
    return data


def _limit(connection: socket.socket, deadline: float | None) -> None:
    if deadline is None:
        return
    left = deadline - monotonic()
    if left <= 0:
        raise TimeoutError
    connection.settimeout(min(left, _MOST_SECONDS))
