"""Cases judged in processes of their own: LLVM may end one."""

import multiprocessing
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import cast

from tools.device_product.case import Case, Judged, Row, Verdict
from tools.device_product.families import all_cases
from tools.device_product.judging import Judge
from xetile.errors import collected_remarks

_cases: dict[str, Case] = {}
_judge = Judge()


def _one(name: str, devices: Sequence[str]) -> Judged:
    """Judge a case in a worker, whose device stays open."""
    if not _cases:
        _cases.update({case.name: case for case in all_cases()})
    with warnings.catch_warnings(), collected_remarks():
        warnings.simplefilter("ignore")
        return _judge.judge(_cases[name], devices)


class _Workers:
    """A process for each thread, and another one after a case that ended it."""

    def __init__(self, devices: Sequence[str]) -> None:
        self._devices = devices
        self._here = threading.local()
        self._all: list[ProcessPoolExecutor] = []

    def judge(self, name: str) -> Judged:
        """Judge a case in this thread's process."""
        try:
            return self._process().submit(_one, name, self._devices).result()
        except BrokenProcessPool:
            del self._here.process
            verdict = Verdict("differs", "the process ended")
            return Judged([Row(name, dict.fromkeys(self._devices, verdict))], 0, 0)

    def _process(self) -> ProcessPoolExecutor:
        if not hasattr(self._here, "process"):
            self._here.process = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
            self._all.append(self._here.process)
        return cast(ProcessPoolExecutor, self._here.process)

    def close(self) -> None:
        """End the processes; their devices end with them."""
        for process in self._all:
            process.shutdown(cancel_futures=True)


def judged(names: Sequence[str], devices: Sequence[str], jobs: int) -> Iterator[Judged]:
    """The cases in the order of their names; progress on standard error."""
    started = time.monotonic()
    workers = _Workers(devices)
    pool = ThreadPoolExecutor(jobs)
    try:
        found = pool.map(workers.judge, names)
        for number, (name, result) in enumerate(zip(names, found, strict=True), 1):
            seconds = time.monotonic() - started
            kinds = Counter(v.kind for row in result.rows for v in row.verdicts.values())
            counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
            print(f"{number}/{len(names)} {seconds:.0f} s {name}: {counts}", file=sys.stderr)
            yield result
    finally:
        pool.shutdown(cancel_futures=True)
        workers.close()
