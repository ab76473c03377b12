"""Compiling many sources for many devices: `compile_many` writes the files that are missing, in several processes.

    outcomes = xetile.compile_many(["a.mlir", "b.mlir"], "out", devices=["bmg", "pvc"])

writes `out/a.bmg.spv`, `out/a.bmg.spv.json`, `out/a.pvc.spv` and so on. The files and the diagnostics do not
depend on the number of processes.
"""

from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path

from xetile.batch.compiled_source import Task, Telling, done
from xetile.batch.outcomes import Failure, Outcome, Wanted
from xetile.batch.outputs import CONTRACT_SUFFIX, Options, check_kind, output_name, stem
from xetile.batch.stamps import key_of, valid_stamp
from xetile.collector import collect_much, still
from xetile.errors import Said, XetileError, reason_of
from xetile.files import replaced

Read = Callable[[str], tuple[str, str]]
"""A function that reads a path: it returns the text and the name that messages use."""

TASKS_PER_PROCESS = 8
"""The cost of starting a process, in tasks: 0.5 s of imports, against 0.06 s for a GEMM."""


def compile_many(
    sources: Sequence[str | PathLike[str]],
    folder: str | PathLike[str],
    *,
    devices: Sequence[str] = (),
    options: Options | None = None,
    jobs: int | None = None,
    force: bool = False,
    report: Callable[[Outcome], None] | None = None,
    read: Read | None = None,
    telling: Telling | None = None,
    keep_warm: bool = False,
) -> list[Outcome]:
    """Compile every source for every device into files in a folder, which is created if it is missing.

    Outputs are named STEM.DEVICE.spv (`.bin`, `.ll`, `.asm`, `.xevm.mlir`) after the source and the device; without
    `devices` each source is compiled for the one that it names, and the output is STEM.spv. An output that is up to
    date is not compiled again, unless `force`: it is up to date if source, options and compiler are those that it was
    made from, and nobody changed it.
    `jobs` is the number of processes; one is this process, and by default it follows from the processors and the work.
    The processes end with the work, unless `keep_warm`, which leaves them for the next call.
    `report` is called with each outcome as soon as it and all before it are known. `read` reads a source, by default
    the file; `telling` says how to print diagnostics.

    An error in one source is part of its outcome. Raise XetileError for errors that concern all: an unknown
    device or kind, outputs that would have the same name, a folder that cannot be made, ocloc needed and missing.
    """
    options = options or Options()
    _check(options, devices, jobs)
    wanted = _wanted([fspath(source) for source in sources], devices, Path(folder), options)
    _keep_sources(wanted, options)
    make_output_folder(Path(folder))
    prepared = list(
        _prepared(wanted, options, telling or Telling(), read=read or _read_file, force=force)
    )
    tasks = [each for each in prepared if isinstance(each, Task)]
    outcomes: list[Outcome] = []
    made = _made(tasks, _jobs(tasks, jobs), keep_warm=keep_warm)
    for each in prepared:
        outcome = next(made) if isinstance(each, Task) else each
        outcomes.append(outcome)
        if report is not None:
            report(outcome)
    return outcomes


def _check(options: Options, devices: Sequence[str], jobs: int | None) -> None:
    from xetile.targets import find

    check_kind(options.emit)
    for device in devices:
        find(device)
    if twice := next((name for name in devices if list(devices).count(name) > 1), None):
        raise XetileError(f"the device {twice} is named twice")
    if jobs is not None and jobs < 1:
        raise XetileError(f"{jobs} is no number of processes; expected one from 1")
    if options.needs_ocloc:
        from xetile.toolchain.ocloc import need_ocloc

        need_ocloc()


def _wanted(
    paths: Sequence[str], devices: Sequence[str], folder: Path, options: Options
) -> list[Wanted]:
    """Return the outputs, source by source and then device by device; raise if two would be one file."""
    wanted: list[Wanted] = []
    taken: dict[str, str] = {}
    for path in paths:
        for device in devices or [None]:
            output = str(folder / output_name(stem(path), device, options.emit))
            if output in taken:
                raise _clash(taken[output], path, output)
            taken[output] = path
            wanted.append(Wanted(path, device, output))
    return wanted


def _clash(first: str, second: str, output: str) -> XetileError:
    if first == second:
        return XetileError(f"'{first}' is given twice")
    return XetileError(
        f"'{first}' and '{second}' would both be written to '{output}'; give them folders of their own"
    )


def _keep_sources(wanted: Sequence[Wanted], options: Options) -> None:
    """Raise if an output would overwrite a source."""
    endings = ("", CONTRACT_SUFFIX) if options.has_contract else ("",)
    outputs = (each.output + ending for each in wanted for ending in endings)
    found = replaced(outputs, [each.source for each in wanted])
    if found is not None:
        output, source = found
        raise XetileError(
            f"'{output}' would be written over the input '{source}'; choose another folder"
        )


def make_output_folder(folder: Path) -> None:
    """Create the folder of outputs and its parents, unless it exists."""
    if folder.exists() and not folder.is_dir():
        raise XetileError(
            f"'{folder}' is a file; outputs named after their inputs need a folder"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise XetileError(f"cannot make the folder '{folder}': {reason_of(error)}") from error


def _read_file(path: str) -> tuple[str, str]:
    from xetile.api import read_source

    return read_source(path), path


def _prepared(
    wanted: Sequence[Wanted], options: Options, telling: Telling, *, read: Read, force: bool
) -> Iterator[Task | Outcome]:
    """Yield for each output the task that makes it, or its outcome if that is known already."""
    tells_device = len({each.device for each in wanted}) > 1
    texts: dict[str, tuple[str, str] | Failure] = {}
    for each in wanted:
        if each.source not in texts:
            texts[each.source] = _text(each.source, read)
        found = texts[each.source]
        if isinstance(found, Failure):
            yield Outcome(each, "failed", failure=found)
            continue
        text, name = found
        key = key_of(text, each.device, options)
        shown_as = f"{name} with lines" if telling.snippets else name
        known = None if force else _up_to_date(each, key, shown_as)
        yield known or Task(each, text, name, key, shown_as, options, telling, tells_device)


def _text(path: str, read: Read) -> tuple[str, str] | Failure:
    try:
        return read(path)
    except XetileError as error:
        return Failure(error.render(), has_place=error.location is not None)


def _up_to_date(wanted: Wanted, key: str, shown_as: str) -> Outcome | None:
    stamp = valid_stamp(wanted.output, key, shown_as)
    if stamp is None:
        return None
    said = tuple(Said(*each) for each in stamp["said"])
    size = Path(wanted.output).stat().st_size
    return Outcome(wanted, "up to date", size, said, stamp["statistics"])


def _jobs(tasks: Sequence[Task], jobs: int | None) -> int:
    """Return the number of processes; by default no more than are worth their start."""
    if jobs is None and len(tasks) >= 2 * TASKS_PER_PROCESS:
        from joblib import cpu_count

        jobs = min(cpu_count(), len(tasks) // TASKS_PER_PROCESS)
    return min(jobs or 1, len(tasks))


def _made(tasks: Sequence[Task], jobs: int, *, keep_warm: bool) -> Iterator[Outcome]:
    """Yield the outcomes of tasks, in their order."""
    if jobs > 1:
        from xetile.batch.workers import outcomes

        yield from outcomes(tasks, jobs, keep_warm=keep_warm)
        return
    with still():
        for task in tasks:
            yield done(task)
            collect_much()
