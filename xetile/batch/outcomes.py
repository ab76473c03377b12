"""The output requested from one source for one device, and the outcome."""

from dataclasses import dataclass
from typing import Literal

from xetile.batch.one import Counts
from xetile.errors import Said

State = Literal["written", "up to date", "failed"]


@dataclass(frozen=True)
class Wanted:
    """An output.

    `source` is a path as it was given, `device` a name, or None for the one that the source names, `output` a path.
    """

    source: str
    device: str | None
    output: str


@dataclass(frozen=True)
class Failure:
    """The reason for a missing output. If `has_place`, `text` begins with a place; lines of source and notes follow.

    `is_internal` marks a fault of the compiler, with its `trace`.
    """

    text: str
    has_place: bool = False
    is_internal: bool = False
    trace: str = ""


@dataclass(frozen=True)
class Outcome:
    """The result of compiling a `Wanted` output.

    `size` counts the bytes of the output; `said` are remarks and warnings, those of the run that wrote it if the
    output is up to date; `statistics` are instruction counts by kernel if requested; `failure` is the reason if the
    state is `failed`, else None.
    """

    wanted: Wanted
    state: State
    size: int = 0
    said: tuple[Said, ...] = ()
    statistics: Counts | None = None
    failure: Failure | None = None
