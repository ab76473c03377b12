"""Requests for explorations: a text at any level for a device, or the output of an earlier `--json`."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from xetile.advice import hint
from xetile.cli.frame.inputs_outputs import read_input
from xetile.digits import whole_number
from xetile.errors import XetileError
from xetile.targets import find
from xetile.targets.target import ASSUMPTIONS, RegisterFile

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xetile.targets.target import Assume

Exploration = Mapping[str, object]
"""The form of `explorer/model.py`."""

EARLIER = ".json"
"""Suffix of files that `--json` wrote."""


@dataclass(frozen=True)
class Wanted:
    """One exploration: its file, and the options as `xetile.explore` has them."""

    file: str
    device: str | None = None
    kernel: str | None = None
    assume: "Assume" = "block"
    unroll: int | None = None
    grf: RegisterFile | None = None

    @property
    def is_earlier(self) -> bool:
        """Return True if it was made before, and is read from a file."""
        return self.file.endswith(EARLIER)

    @property
    def title(self) -> str:
        """Return its name for messages."""
        return self.file if self.device is None else f"{self.file} for {self.device}"


def begun(wanted: Wanted, text: str | None = None) -> Callable[[], Exploration]:
    """Return a function that makes the exploration, which takes seconds; `text` is its file's, by default it is read.

    Raise XetileError at once for a file that cannot be read or is wrong, and for a kernel that it does not have. The
    function raises as `xetile.explore` does.
    """
    if wanted.is_earlier:
        earlier = _earlier(wanted.file)
        return lambda: earlier
    source, name = read_input(wanted.file) if text is None else (text, wanted.file)
    from xetile.api import parse_text

    module = parse_text(source, name)
    if wanted.kernel is not None:
        from xetile.codegen import only_kernel

        only_kernel(module, wanted.kernel)
    return partial(_explored, wanted, module, source)


def _explored(wanted: Wanted, module: "ModuleOp", source: str) -> Exploration:
    from xetile.explorer import explore
    from xetile.explorer.model import as_json

    exploration = explore(
        module,
        wanted.device,
        kernel=wanted.kernel,
        assume=wanted.assume,
        unroll=wanted.unroll,
        grf=wanted.grf,
        source=source,
    )
    return as_json(exploration.model)


def compared(wanted: Wanted, other: str) -> Wanted:
    """Return the request of `--compare OTHER`: the same with other options (`device=pvc,unroll=1`), or another file.

    Raise XetileError for unknown options.
    """
    if not other:
        raise XetileError(
            "--compare: expected a file or options such as device=NAME, found ''"
        )
    words = [word.partition("=") for word in other.split(",")]
    if Path(other).exists() or not all(equals for _, equals, _ in words):
        return replace(wanted, file=other)
    if wanted.is_earlier:
        raise XetileError(
            f"--compare: '{wanted.file}' was explored before; compare it with a file, not with {other}"
        )
    changes: dict[str, str | int] = {}
    for name, _, value in words:
        if name in changes:
            raise XetileError(f"--compare: {name} is said twice in '{other}'")
        changes[name] = _option(name, value)
    changed = replace(wanted, **cast("dict[str, str]", changes))
    if changed == wanted:
        raise XetileError(f"--compare: '{other}' changes nothing")
    return changed


def refuse_alike(both: Sequence[Wanted], made: Sequence[Exploration]) -> None:
    """Raise if a file is compared with itself: the default device may be the same as the other's.

    Raise XetileError if both are of one file, for one device, with the same options.
    """
    differs = any(made[0][key] != made[1][key] for key in ("device", "options", "kernels"))
    if all(one.file == both[0].file for one in both) and not differs:
        raise XetileError(
            f"--compare: both are {made[0]['file']} for {made[0]['device']} with the same options, so nothing differs; "
            "name the first device in --device"
        )


def _option(name: str, value: str) -> str | int:
    choices = {"assume": ASSUMPTIONS, "grf": get_args(RegisterFile)}
    known = ("device", "kernel", "unroll", *choices)
    if name not in known:
        advice = hint(name, known) or f"; known are {', '.join(known)}"
        raise XetileError(
            f"--compare: there is no file of this name, and no option '{name}'{advice}"
        )
    if name == "unroll":
        return _number(value)
    if name == "device" and value:
        find(value)
    if value not in choices.get(name, [value]) or not value:
        raise XetileError(
            f"--compare: '{value}' is no value of {name}; choose from {', '.join(choices.get(name, ['a name']))}"
        )
    return value


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise XetileError(f"--compare: unroll takes a number of copies, not '{text}'")
    return int(text)


def _earlier(file: str) -> Exploration:
    """Read an exploration. The parts that the page needs must be there; the rest is not checked."""
    from xetile.explorer.model import VERSION, Model, as_line
    from xetile.explorer.page.single_file import in_columns

    text, name = read_input(file)
    try:
        found: object = json.loads(text, parse_int=whole_number)
    except (ValueError, RecursionError) as error:
        raise XetileError(f"'{name}' is no exploration: it is not JSON ({error})") from error
    keys = {"version", "file", "device", "kernels"}
    if not isinstance(found, dict) or not keys <= found.keys():
        raise XetileError(f"'{name}' is no exploration, which xetile-explore --json writes")
    exploration = cast("Exploration", found)
    if exploration["version"] != VERSION:
        raise XetileError(
            f"'{name}' is of version {exploration['version']}; this xetile reads version {VERSION}"
        )
    for field in fields(Model):
        if field.name not in exploration:
            raise XetileError(f"'{name}' is no exploration: it has no '{field.name}'")
    try:
        find(str(exploration["device"]))
    except XetileError as error:
        raise XetileError(f"'{name}': {error.message}") from error
    try:
        as_line(in_columns(exploration))
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise XetileError(
            f"'{name}': expected an exploration, which xetile-explore --json writes, "
            f"found kernels that cannot be read ({error})"
        ) from error
    return exploration
