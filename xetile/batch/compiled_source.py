"""Compiling one source for one device, in any process: nothing is raised, the outcome reports a failure."""

import traceback
from dataclasses import dataclass
from pathlib import Path

from xetile.batch.one import Compiled, as_json, compile_text
from xetile.batch.outcomes import Failure, Outcome, Wanted
from xetile.batch.outputs import CONTRACT_SUFFIX, Options
from xetile.batch.stamps import Stamp, file_hash, stamp_path
from xetile.errors import (
    Said,
    XetileError,
    kept_remarks,
    one_command,
    one_line,
    reason_of,
    remember_source,
)
from xetile.files import write_files


@dataclass(frozen=True)
class Telling:
    """How to print diagnostics: the name of the device option, and if lines of source are shown."""

    option: str = "the option 'device'"
    snippets: bool = True


@dataclass(frozen=True)
class Task:
    """An output to compile from a text, which messages call `name`.

    `key` and `shown_as` are those of the stamp; with `tells_device` failures name the device.
    """

    wanted: Wanted
    text: str
    name: str
    key: str
    shown_as: str
    options: Options
    telling: Telling
    tells_device: bool


def done(task: Task) -> Outcome:
    """Compile a text and write its files and its stamp."""
    with kept_remarks() as said, one_command(snippets=task.telling.snippets):
        remember_source(task.name, task.text)
        try:
            return _written(task, said)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # one of xDSL's errors is no Exception
            failure = _failure(task, error)
    return Outcome(task.wanted, "failed", said=tuple(said), failure=failure)


def _written(task: Task, said: list[Said]) -> Outcome:
    from xetile.analysis.kernel_targets import option_called

    with option_called(task.telling.option):
        made = compile_text(
            task.text, task.name, task.wanted.device, task.options, with_contract=True
        )
    files = _files(task.wanted.output, made)
    stamp = Stamp(
        key=task.key,
        shown_as=task.shown_as,
        outputs={Path(path).name: file_hash(data) for path, data in files},
        said=[(each.text, each.once) for each in said],
        statistics=made.statistics,
    )
    _write(task.wanted.output, files, stamp)
    size = len(files[0][1])
    return Outcome(task.wanted, "written", size, tuple(said), made.statistics)


def _files(output: str, made: Compiled) -> list[tuple[str, bytes]]:
    code = made.code.encode() if isinstance(made.code, str) else made.code
    if made.contract is None:
        return [(output, code)]
    return [(output, code), (output + CONTRACT_SUFFIX, made.contract.encode())]


def _write(output: str, files: list[tuple[str, bytes]], stamp: Stamp) -> None:
    """Write the files, then the stamp, which does not match them until it is written."""
    place = stamp_path(output)
    try:
        place.parent.mkdir(exist_ok=True)
        write_files([*files, (str(place), as_json(stamp).encode())])
    except OSError as error:
        raise XetileError(f"cannot write '{output}': {reason_of(error)}") from error


def _failure(task: Task, error: BaseException) -> Failure:
    from xetile.parser import as_wrong_input

    device = f" (for {task.wanted.device})" if task.tells_device else ""
    wrong = as_wrong_input(error)
    if wrong is None:
        said = f"{task.name}: {type(error).__name__}: {one_line(str(error)) or 'no message'}"
        trace = "".join(traceback.format_exception(error))
        return Failure(said + device, is_internal=True, trace=trace)
    message = one_line(wrong.message) + device
    if wrong.location is None:
        return Failure(f"{task.name}: {message}")
    placed = XetileError(message, wrong.location, wrong.notes)
    return Failure(placed.render(), has_place=True)
