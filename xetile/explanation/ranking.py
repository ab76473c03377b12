"""Configurations of a kernel, ordered by figures that need no GPU."""

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from math import inf

from xdsl.dialects.builtin import ModuleOp

from xetile.collector import collect_much, still
from xetile.errors import XetileError, kept_remarks, one_line
from xetile.explanation.building import counts_assembly, explained
from xetile.explanation.compile_options import Options
from xetile.explanation.measures import Figures, figures_of
from xetile.explanation.text_tables import table
from xetile.layout.algebra.notebook_tables import counted

Report = Callable[[int, int], None]
"""A function that is called with the numbers of finished and of all configurations."""

TASKS_PER_PROCESS = {False: 8, True: 2}
"""The cost of starting a process, in configurations, by whether ocloc compiles them: 0.5 s, where one takes 0.06 s, or
with ocloc 0.5 s.
"""


IDLE_SECONDS = 60.0
"""Time after which an idle process ends."""


@dataclass(frozen=True)
class Ranked:
    """A configuration by its label: its figures, or in one line the reason why it has none."""

    label: str
    figures: Figures | None
    reason: str = ""


@dataclass(frozen=True)
class Ranking:
    """Configurations, the best first, those that cannot be compiled last; `str` is a table."""

    entries: tuple[Ranked, ...]

    @property
    def best(self) -> str:
        """Return the label of the best configuration.

        Raise XetileError if none can be compiled.
        """
        if not self.entries or self.entries[0].figures is None:
            reason = f": {self.entries[0].reason}" if self.entries else ""
            raise XetileError(f"none of the configurations can be compiled{reason}")
        return self.entries[0].label

    def __str__(self) -> str:
        return "\n".join(_lines(self.entries))


def ranked(
    configurations: Sequence[tuple[str, ModuleOp]],
    device: str | None,
    options: Options,
    *,
    jobs: int | None,
    report: Report,
) -> Ranking:
    """Rank modules of one kernel each; see `xetile.explanation.rank`."""
    options = replace(options, assembly=counts_assembly(options))
    found: list[Ranked] = []
    for one in _figures(
        configurations, device, options, _jobs(len(configurations), jobs, options)
    ):
        found.append(one)
        report(len(found), len(configurations))
    return Ranking(tuple(sorted(found, key=_order)))


def _order(one: Ranked) -> tuple[float, ...]:
    figures = one.figures
    if figures is None:
        return (inf,)
    per_work, bytes = figures.instructions_per_work, figures.bytes_per_work
    return (
        figures.spilled,
        inf if per_work is None else per_work,
        inf if bytes is None else bytes,
    )


def _jobs(count: int, jobs: int | None, options: Options) -> int:
    """Return the number of processes; by default no more than are worth their start."""
    if jobs is not None and jobs < 1:
        raise XetileError(f"{jobs} is no number of processes; expected one from 1")
    if jobs is None:
        from joblib import cpu_count

        each = TASKS_PER_PROCESS[counts_assembly(options)]
        jobs = min(cpu_count(), count // each)
    return max(1, min(jobs, count))


def _figures(
    configurations: Sequence[tuple[str, ModuleOp]],
    device: str | None,
    options: Options,
    jobs: int,
) -> Iterator[Ranked]:
    """Yield the figures of each configuration, in their order."""
    if jobs == 1:
        with still():
            for label, module in configurations:
                yield _one(label, module, device, options)
                collect_much()
        return
    from joblib.externals.loky import get_reusable_executor

    pool = get_reusable_executor(max_workers=jobs, timeout=IDLE_SECONDS, initializer=_begin)
    futures = [
        pool.submit(_of_text, label, _text(module), device, options)
        for label, module in configurations
    ]
    try:
        for (label, module), future in zip(configurations, futures, strict=True):
            try:
                one = future.result()
            except BrokenProcessPool:
                one = Ranked(label, None)
            # the text has lost the ops' places in their source; the module still has them
            yield one if one.figures is not None else _one(label, module, device, options)
    finally:
        for future in futures:
            future.cancel()


def _begin() -> None:
    """Initialize a process: ignore the terminal's interrupts, which the first process handles."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _text(module: ModuleOp) -> str:
    from io import StringIO

    from xdsl.printer import Printer

    stream = StringIO()
    Printer(stream=stream).print_op(module)
    return f"{stream.getvalue()}\n"


def _of_text(label: str, text: str, device: str | None, options: Options) -> Ranked:
    from xetile.dialects.modules import parse

    with still():
        return _one(label, parse(text, label), device, options)


def _one(label: str, module: ModuleOp, device: str | None, options: Options) -> Ranked:
    from xetile.parser import as_wrong_input

    try:
        with kept_remarks():
            kernels = explained(module, device, options).kernels
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # one of xDSL's errors is no Exception
        wrong = as_wrong_input(error)
        if wrong is None:
            raise
        return Ranked(label, None, one_line(str(wrong)))
    if len(kernels) != 1:
        names = ", ".join(kernel.name for kernel in kernels)
        return Ranked(
            label, None, f"the module has several kernels: {names}; choose one with kernel="
        )
    return Ranked(label, figures_of(kernels[0]))


def _lines(entries: Sequence[Ranked]) -> Iterator[str]:
    found = [(at, one) for at, one in enumerate(entries, 1) if one.figures is not None]
    if found:
        first = found[0][1].figures
        assert first is not None
        by = "by ocloc" if first.counter == "ocloc" else "by estimate"
        yield f"{counted(len(entries), 'configuration')} of @{first.kernel} on {first.device}, {by}"
        of_products = first.work_unit == "dpas"
        rows = [
            (
                "",
                "spilled",
                "instructions",
                "message bytes",
                "flops",
                "registers",
                "work-",
                "shared",
                "",
            ),
            (
                "",
                "bytes",
                f"a {first.work_unit}",
                f"for {'1,000 flops' if of_products else 'a byte stored'}",
                "a byte",
                "live",
                "groups",
                "bytes",
                "configuration",
            ),
        ]
        rows += [_row(at, one.label, one.figures) for at, one in found if one.figures]
        yield from table(rows, ">>>>>>>><")
    for one in entries:
        if one.figures is None:
            yield f"not compiled: {one.label}: {one.reason}"


def _row(at: int, label: str, figures: Figures) -> tuple[str, ...]:
    return (
        str(at),
        f"{figures.spilled:,}",
        _rounded(figures.instructions_per_work, 2),
        _rounded(figures.bytes_per_work, 2),
        _rounded(figures.intensity, 1),
        f"{figures.registers} of {figures.register_file}",
        "-" if figures.workgroups is None else f"{figures.workgroups:,}",
        f"{figures.shared_bytes:,}",
        label,
    )


def _rounded(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
