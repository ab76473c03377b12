"""What is wanted of one source on one device, and what became of it."""

from dataclasses import dataclass
from typing import Literal

from xetile.batch.one import Counts
from xetile.errors import Said

State = Literal["written", "up to date", "failed"]


@dataclass(frozen=True)
class Wanted:
    """An output.

    `source` is a path as it was given, `device` a name, or None for whichever the source names, `output` a path.
    """

    source: str
    device: str | None
    output: str


@dataclass(frozen=True)
class Failure:
    """Why there is no output: `text` begins with a place where `has_place`; below it stand lines of source and notes.

    `is_internal` is a fault of the compiler, with its `trace`.
    """

    text: str
    has_place: bool = False
    is_internal: bool = False
    trace: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of what was wanted.

    `size` counts the bytes of the output; `said` are remarks and warnings, those of the run that made it where the
    output is up to date; `statistics` are instruction counts by kernel where they were asked for; `failure` says
    why the state is `failed`, else it is None.
    """

    wanted: Wanted
    state: State
    size: int = 0
    said: tuple[Said, ...] = ()
    statistics: Counts | None = None
    failure: Failure | None = None
