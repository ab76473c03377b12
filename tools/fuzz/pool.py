"""Workers that try cases, and that may crash or hang: what was being tried then is tried once more, alone."""

import faulthandler
import os
import resource
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

from tools.fuzz.case import Finding, Outcome
from tools.fuzz.check import check
from tools.fuzz.families import make

MEMORY = 3 << 30
"""Bytes of address space that a worker may take beyond what it begins with: an input that asks for more meets
MemoryError. A worker begins with what its parent has, which is as much again where a device was used before."""

LONGEST_SILENCE = 90.0
"""Seconds without an answer after which a worker is taken to hang; others may use the machine too."""

CHUNK = 20
"""Cases that a worker is given at a time."""

MOST_CASES = 1500
"""Cases after which a worker is replaced."""

_FORK = get_context("fork")


class Name(NamedTuple):
    """What a case is made from."""

    family: str
    seed: int
    number: int


def try_case(name: Name) -> Outcome:
    """The case of that name; a fault of the fuzzer itself is a finding."""
    try:
        return check(make(*name))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({where.filename}:{where.lineno})"
        return Outcome("fuzzer", Finding("fuzzer", what))


class _Worker:
    """A process with what it was given and has not answered yet."""

    def __init__(self, attempt: Callable[[Name], Outcome]) -> None:
        self.connection, theirs = _FORK.Pipe()
        self.pending: deque[Name] = deque()
        self.done = 0
        self.since = time.monotonic()
        self._process: BaseProcess = _FORK.Process(
            target=_serve, args=(theirs, self.connection, attempt), daemon=True
        )
        self._process.start()
        theirs.close()

    def give(self, names: Sequence[Name]) -> None:
        self.pending.extend(names)
        self.since = time.monotonic()
        self.connection.send(list(names))

    def receive(self) -> tuple[Name, Outcome]:
        """The next answer. Errors: EOFError if the process has ended."""
        outcome: Outcome = self.connection.recv()
        self.since = time.monotonic()
        self.done += 1
        return self.pending.popleft(), outcome

    def end(self) -> int | None:
        """Stop it; the result is its status, negative for a signal."""
        self.connection.close()
        self._process.join(1.0 if self.pending else 0.0)  # it may be about to end by itself
        self._process.kill()  # others hold its connection too, so that it sees no end of it
        self._process.join()
        return self._process.exitcode


def _serve(
    connection: Connection, parents: Connection, attempt: Callable[[Name], Outcome]
) -> None:
    parents.close()
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + MEMORY, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    while True:
        try:
            names: list[Name] = connection.recv()
        except EOFError:
            return
        for name in names:
            connection.send(attempt(name))


def _address_space() -> int:
    """Bytes of address space that this process has taken; 0 where the system does not tell."""
    sizes = Path("/proc/self/statm")
    if not sizes.exists():
        return 0
    return int(sizes.read_text().split()[0]) * resource.getpagesize()


def tried(
    names: Sequence[Name], jobs: int, attempt: Callable[[Name], Outcome] = try_case
) -> Iterator[tuple[Name, Outcome]]:
    """Every case with its outcome, in the order in which they are done."""
    waiting = deque(names)
    workers = [_Worker(attempt) for _ in range(jobs)]
    while waiting or any(worker.pending for worker in workers):
        for worker in workers:
            if not worker.pending and waiting:
                worker.give([waiting.popleft() for _ in range(min(CHUNK, len(waiting)))])
        busy = [worker for worker in workers if worker.pending]
        ready = wait([worker.connection for worker in busy], timeout=1.0)
        for worker in busy:
            silent = time.monotonic() - worker.since > LONGEST_SILENCE
            if worker.connection not in ready and not silent:
                continue
            lost = worker.pending[0]
            try:
                if worker.connection not in ready:
                    raise EOFError
                yield worker.receive()
            except EOFError:
                rest = list(worker.pending)[1:]
                worker.end()
                waiting.extendleft(reversed(rest))
                outcome = alone(lost, attempt)
                yield lost, outcome if silent else _not_nothing(outcome)
            else:
                if worker.pending or worker.done < MOST_CASES:
                    continue
                worker.end()
            workers[workers.index(worker)] = _Worker(attempt)
    for worker in workers:
        worker.end()


def alone(name: Name, attempt: Callable[[Name], Outcome] = try_case) -> Outcome:
    """The outcome in a worker of its own, where a crash or a hang is the finding."""
    worker = _Worker(attempt)
    worker.give([name])
    if not worker.connection.poll(LONGEST_SILENCE):
        worker.end()
        return Outcome("hang", Finding("hang", f"no answer within {LONGEST_SILENCE:g} s"))
    try:
        _, outcome = worker.receive()
    except EOFError:
        status = worker.end()
        assert status is not None
        return Outcome("crash", Finding("signal", f"the process ends with status {status}"))
    worker.end()
    return outcome


def _not_nothing(outcome: Outcome) -> Outcome:
    """An outcome of what has ended a process once."""
    finding = outcome.finding or Finding("signal", "ended the process after others, not alone")
    return outcome._replace(finding=finding)
