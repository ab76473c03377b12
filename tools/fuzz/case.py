"""What is tried: the call of a command on files, and what was found."""

from collections.abc import Mapping
from typing import NamedTuple

LOWERING = "lowering"
"""Stands for a tool: the program is lowered to level B and executed before and after."""

MAIN_FILE = "in.mlir"


class Streams(NamedTuple):
    """The standard streams of a process of its own.

    Input: `given`, `closed`. Output and errors: `kept`, `closed`, `full` (/dev/full), `broken` (a pipe that nobody
    reads). `fresh` starts Python anew instead of splitting off a process that has it all loaded.
    """

    input: str = "given"
    output: str = "kept"
    errors: str = "kept"
    fresh: bool = False


class Case(NamedTuple):
    """One call: the tool, its arguments, the files of the folder it runs in, the bytes on standard input.

    `streams` is None where the call may be made within the worker. `threshold` is the work from which host loops are
    compiled: 0 for all of them, None as users have it. `comparable` says that mlir-opt knows the dialects of the text,
    `placed` that whatever is wrong is wrong in the main file, so that an error names a place in it, `on_device` that a
    kernel is also executed on a device, where there is one.
    """

    tool: str
    arguments: tuple[str, ...]
    files: Mapping[str, bytes]
    input: bytes = b""
    streams: Streams | None = None
    threshold: int | None = None
    comparable: bool = False
    placed: bool = False
    on_device: bool = False

    def with_text(self, text: str) -> "Case":
        """The same call on another main file."""
        return self._replace(files={**self.files, MAIN_FILE: text.encode()})

    @property
    def text(self) -> str:
        """The main file, "" if there is none."""
        return self.files.get(MAIN_FILE, b"").decode(errors="replace")


class Finding(NamedTuple):
    """What went wrong with an input: the step, and what was seen."""

    step: str
    what: str


class Outcome(NamedTuple):
    """How far an input came, and the finding if there is one; `taken` says that the program is legal."""

    reached: str
    finding: Finding | None = None
    taken: bool = False


class Answer(NamedTuple):
    """What a call did.

    The status, negative for the signal that ended the process; what it wrote, with the files of the folder afterwards;
    `endless` if it was interrupted while it executed the program, `hung` with the place if it was in anything else.
    """

    status: int
    output: bytes
    errors: bytes
    files: Mapping[str, bytes]
    endless: bool = False
    hung: str | None = None
