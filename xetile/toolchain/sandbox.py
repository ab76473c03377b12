"""Runs programs that may crash or hang: in a process of their own, with a time limit.

`run` and `begun` are for one that does its work and ends; a `Helper` stays and answers questions, with `serve` on its
side.
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
    """How a program ended: its status (negative: the signal that ended it) and what it printed."""

    status: int
    output: str
    errors: str


def run(
    command: Sequence[str | Path], *, folder: Path | None = None, seconds: float
) -> Outcome:
    """Run a program in `folder` to its end.

    Errors: XetileError when it cannot be started, or has not ended after `seconds` (it and
    what it started are then ended).
    """
    with begun(command, folder=folder) as end:
        return end(seconds)


@contextlib.contextmanager
def begun(
    command: Sequence[str | Path], *, folder: Path | None = None
) -> Generator[Callable[[float], Outcome]]:
    """A program that runs in `folder` while something else is done; what it gives waits for its end.

    It is called once, with the seconds that the program may still take, and has the errors of `run`. A program that
    runs when the block is left is ended.
    Errors: XetileError when it cannot be started.
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
    """How a program that failed ended, for messages: `status 1`, `signal SIGSEGV`."""
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
    """A helper that ended in place of an answer; `crashed` when it did so of itself."""

    def __init__(self, message: str, *, crashed: bool) -> None:
        super().__init__(message)
        self.crashed = crashed


class Helper:
    """A program in a process of its own that answers questions until it is ended.

    It ends, and what it started with it, by `end`, when an answer takes too long, when asking is
    interrupted, and with this process, however that ends. Once ended it says so whenever it is asked.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start it; `name` is what messages call it, `command` gets two numbers more, for `serve`.

        Errors: XetileError when it cannot be started.
        """
        self._name = name
        self._lock = Lock()
        self._ending: str | None = None
        self._files = contextlib.ExitStack()
        try:
            with contextlib.ExitStack() as given:  # what it inherits is not kept here
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
        """Whether it still answers."""
        return self._ending is None and self._is_running()

    def _is_running(self) -> bool:
        """Whether the process has not ended."""
        # looked at, not taken: its number stays its own until it is ended
        how = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self._process.pid, how) is None
        except ChildProcessError:  # where a system was told to forget processes that end
            return False

    @property
    def process(self) -> int:
        """The number of its process, and of the group of what it started."""
        return self._process.pid

    def ask(self, question: object, doing: str, *, seconds: float) -> object:
        """The answer to a question; `doing` says in messages what the helper is to do.

        Errors: XetileError with the helper's refusal; HelperEnded when it ends, has ended, or does not
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
        """What it has written to standard output since this was asked last; nothing once it has ended."""
        with self._lock:
            if self._ending is not None:
                return ""
            self._output.seek(0)
            text = self._output.read()
            # the place is the helper's too, which goes on at the start
            self._output.seek(0)
            self._output.truncate()
        return text.decode(errors="replace")

    def end(self) -> None:
        """End it, and what it started."""
        if self._ending is None:
            self._note_end("closed")

    def _check_open(self) -> None:
        if self._ending is not None:
            message = f"{self._name} has ended ({self._ending}); open it again"
            raise HelperEnded(message, crashed=False)

    def _tell_end(self, doing: str) -> NoReturn:
        """Say how it ended of itself."""
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
            # before it is waited for, after which the number may be another's
            _kill_group(self._process.pid)
            self._process.wait()
        finally:
            self._files.close()

    def _last_words(self) -> str:
        """The last line that it printed of an error; what else a driver prints when it crashes is for its makers."""
        self._printed.seek(0, os.SEEK_END)
        self._printed.seek(max(0, self._printed.tell() - _MOST_PRINTED))
        lines = self._printed.read().decode(errors="replace").splitlines()
        errors = [
            line for line in lines if "error" in line.lower() or "assert" in line.lower()
        ]
        return one_line(errors[-1]) if errors else ""


def serve(numbers: Sequence[str], answer: Callable[[object], object]) -> None:
    """The side of a helper: answer questions until nobody asks; `numbers` are the last two of its command line.

    An XetileError is told as a refusal, any other error with its name.
    """
    connection = socket.socket(fileno=int(numbers[0]))
    _end_with_asker(int(numbers[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks decides
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
"""How long a process may take to end after its last word."""

_LOOK_SECONDS = 0.005
"""Between two looks at whether it has."""

_MOST_PRINTED = 1 << 16
"""Bytes of standard error that are looked at."""

_MOST_SECONDS = 1e6
"""What a socket takes as its limit."""

_LENGTH = struct.Struct("<Q")


def _end_with_asker(lifeline: int) -> None:
    """Have the system end this process group when nobody has the other end of a pipe any more.

    Unlike prctl's PR_SET_PDEATHSIG, that is not the thread that asked but its process, and needs no
    turn of ours: a driver that never comes back is ended too. Where a system cannot do it (no
    F_SETSIG, which Linux has), a helper ends when it is to answer the next question.
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
