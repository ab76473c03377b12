"""Tasks in several processes that stay warm: each imports the compiler once.

The processes are those of joblib's loky. What interrupts this process ends them, and what they started: each leaves its
task as a command does, so that temporary files and programs go with it.
"""

import gc
import signal
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextvars import ContextVar
from importlib import import_module
from multiprocessing import active_children
from typing import NoReturn

from xetile.batch.compiled_source import Task, done
from xetile.batch.outcomes import Failure, Outcome
from xetile.collector import collect_much

GRACE_SECONDS = 1.0
"""How long processes may take to tidy up when they are ended."""

IDLE_SECONDS = 60.0
"""After which a process ends for which there is nothing to do."""


def outcomes(tasks: Sequence[Task], jobs: int, *, keep_warm: bool) -> Iterator[Outcome]:
    """What becomes of tasks, in their order, with so many processes at once.

    A task whose process ends is told as a failure of its own; the others are done all the same.
    The processes end afterwards unless `keep_warm`.
    """
    futures = _submitted(tasks, jobs)
    try:
        for number, future in enumerate(futures):
            try:
                yield future.result()
            except BrokenProcessPool:
                yield from _one_by_one(tasks[number:])
                break
    except BaseException:
        _interrupt(futures)
        raise
    if not keep_warm:
        end_processes()


def _one_by_one(tasks: Sequence[Task]) -> Iterator[Outcome]:
    """As `_in_processes` where one of the tasks ended its process: only alone it is known which."""
    for task in tasks:
        (future,) = _submitted([task], 1)
        try:
            yield future.result()
        except BrokenProcessPool:
            said = f"{task.name}: the process that was to make {task.wanted.output} ended"
            yield _ended(task, said)
        except BaseException:
            _interrupt([future])
            raise


def _submitted(tasks: Sequence[Task], jobs: int) -> list[Future[Outcome]]:
    from joblib.externals.loky import get_reusable_executor

    pool = get_reusable_executor(max_workers=jobs, timeout=IDLE_SECONDS, initializer=_begin)
    return [pool.submit(_done_in_process, task) for task in tasks]


def _interrupt(futures: Sequence[Future[Outcome]]) -> None:
    """Have all processes leave what they are at, and end them."""
    for future in futures:
        future.cancel()
    for child in active_children():
        if child.name.startswith("LokyProcess"):
            child.terminate()
    wait(futures, GRACE_SECONDS)
    end_processes()


def end_processes() -> None:
    """End the processes, which otherwise stay for a while, warm, for the next tasks."""
    from joblib.externals.loky import get_reusable_executor

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of programs that loky misses to find their children
        get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


_leaving: ContextVar[bool] = ContextVar("leaving", default=False)
"""Whether a process was told to end: what is in its queue is not begun."""


def _begin() -> None:
    """What a process does first. Signals of a terminal come to all processes of a command; the first one decides."""
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _note)
    for module in ("xetile.api", "xetile.codegen.llvm_ir", "xetile.passes.pipelines"):
        import_module(module)
    gc.freeze()  # what was imported stays; loky collects once a second
    gc.disable()


def _note(number: int, frame: object) -> None:
    _leaving.set(True)


def _leave(number: int, frame: object) -> NoReturn:
    signal.signal(number, _note)
    _leaving.set(True)
    raise SystemExit


def _done_in_process(task: Task) -> Outcome:
    try:
        signal.signal(signal.SIGTERM, _leave)
        if not _leaving.get():
            return done(task)
    except SystemExit:
        pass
    finally:
        signal.signal(signal.SIGTERM, _note)
        collect_much()
    return _ended(
        task, f"{task.name}: the process that was to make {task.wanted.output} was told to end"
    )


def _ended(task: Task, said: str) -> Outcome:
    return Outcome(task.wanted, "failed", failure=Failure(said, is_internal=True))
