"""Tasks in several processes that stay warm: each imports the compiler once.

The processes are those of joblib's loky. An interrupt of this process ends them and the programs that they started:
each leaves its task as a command does, so that it removes its temporary files and ends its programs.
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
"""Time that processes get to clean up when they are ended."""

IDLE_SECONDS = 60.0
"""Time after which an idle process ends."""


def outcomes(tasks: Sequence[Task], jobs: int, *, keep_warm: bool) -> Iterator[Outcome]:
    """Yield the outcomes of tasks, in their order, from `jobs` processes.

    If a task ends its process, its outcome is a failure; the others are executed all the same.
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
    """Run each task alone after a task has ended its process, to find out which one."""
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
    """Make all processes abandon their tasks, and end them."""
    for future in futures:
        future.cancel()
    for child in active_children():
        if child.name.startswith("LokyProcess"):
            child.terminate()
    wait(futures, GRACE_SECONDS)
    end_processes()


def end_processes() -> None:
    """End the processes, which otherwise stay warm for a while for the next tasks."""
    from joblib.externals.loky import get_reusable_executor

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of programs that loky misses to find their children
        get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)


_leaving: ContextVar[bool] = ContextVar("leaving", default=False)
"""True once a process was told to end: tasks in its queue are not started."""


def _begin() -> None:
    """Initialize a process: ignore a terminal's signals, which reach all processes but are for the first to handle."""
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _note)
    for module in ("xetile.api", "xetile.codegen.llvm_ir", "xetile.passes.pipelines"):
        import_module(module)
    gc.freeze()  # imported objects are never freed; loky collects once a second
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
