"""Diagnostics on wrong input: one line with the place, the values found and what would be legal.

Printed diagnostics have the line of source below, with a caret, if the text is available.

Only xDSL's exceptions are imported here, because every command imports this; the rest is imported when a place is
needed.

The line of source has a caret under the column, as mlir-opt prints it.
"""

import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from xdsl.utils.exceptions import DiagnosticException

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc
    from xdsl.ir import Attribute, Operation, SSAValue


WIDTH = 120
"""Characters of a line that are displayed; a longer one is cut around the caret."""

_CUT = "…"


def snippet(text: str, line: int, column: int) -> str:
    """Return the line and, below, a caret; both numbers count from 1, columns in characters.

    Return an empty string if the text has no such line, only the line if it has no such column. Tabs
    appear in both lines, so that the caret is in place however wide they are.
    """
    found = _line(text, line)
    if not found.strip():
        return ""
    place = column - 1
    if not 0 <= place <= len(found):
        return _cut(found, 0)[0]
    shown, place = _cut(found, place)
    return f"{shown}\n{_blanks(shown[:place])}^"


def _line(text: str, number: int) -> str:
    """Return a line without its end, with a sign for unprintable characters, or an empty string if there is none."""
    start = 0
    for _ in range(number - 1):
        start = text.find("\n", start) + 1
        if start == 0:
            return ""
    end = text.find("\n", start)
    line = text[start : len(text) if end < 0 else end] if number > 0 else ""
    return "".join(
        character if character.isprintable() or character == "\t" else "\ufffd"
        for character in line.removesuffix("\r")
    )


def _cut(line: str, place: int) -> tuple[str, int]:
    """Return at most WIDTH characters of a line around a place, and the index of the place in them."""
    if len(line) <= WIDTH:
        return line, place
    start = 0 if place < WIDTH - 1 else min(place - WIDTH // 2, len(line) - WIDTH + 1)
    before = _CUT if start else ""
    rest = WIDTH - len(before)
    behind = _CUT if start + rest < len(line) else ""
    shown = line[start : start + rest - len(behind)]
    return before + shown + behind, place - start + len(before)


def _blanks(text: str) -> str:
    """Return blanks as wide as a text, with its tabs."""
    return "".join(map(_blank, text))


def _blank(character: str) -> str:
    import unicodedata

    if character == "\t":
        return character
    if unicodedata.combining(character):
        return ""
    return "  " if unicodedata.east_asian_width(character) in ("W", "F") else " "


class Note(NamedTuple):
    """Another place that a diagnostic mentions, such as an earlier definition."""

    message: str
    location: "FileLineColLoc"


class XetileError(DiagnosticException):
    """Wrong input, as opposed to a fault of the compiler; one of xDSL's diagnostics, which its drivers print.

    `message` is one line in lower case without a full stop; `location` is the source
    position at fault, or None if no place in the input is (an option, a device, a file);
    `notes` are the other places that help to understand it.
    """

    def __init__(
        self,
        message: str,
        location: "FileLineColLoc | None" = None,
        notes: Sequence[Note] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.notes = tuple(notes)
        self.at: Operation | SSAValue | None = None
        """The op or value at fault; xDSL's tools, which read no positions, show it in the IR."""

    def __str__(self) -> str:
        if self.location is None:
            return self.message
        return f"{named_place(self.location)}: error: {self.message}"

    def render(self, source: str | None = None) -> str:
        """Return the error as commands print it: with the line of source and a caret, and its notes.

        `source` is the text of the file with the error; by default the text that the running
        command has read. Lines of Python files are shown as in tracebacks; of other files,
        outside of commands, none.
        """
        if self.location is None:
            return self.message
        sources = _sources.get() or {}
        if source is not None:
            sources = {**sources, self.location.filename.data: source}
        said = [Diagnosis("error", self.message, self.location)]
        said += [Diagnosis("note", note.message, note.location) for note in self.notes]
        return "\n".join(_rendered(one, sources) for one in said)


class Diagnosis(NamedTuple):
    """A diagnostic on a place: `error`, `warning`, `remark` or `note`."""

    kind: str
    message: str
    location: "FileLineColLoc"


def _rendered(said: Diagnosis, sources: Mapping[str, str]) -> str:
    place = said.location
    text = _text(place.filename.data, sources)
    shown = snippet(text, place.line.data, place.column.data)
    line = f"{named_place(place)}: {said.kind}: {one_line(said.message)}"
    return f"{line}\n{shown}" if shown else line


def _text(name: str, sources: Mapping[str, str]) -> str:
    """Return the text of a file, or an empty string if it is not available or the user wants no lines."""
    if name in sources:
        return sources[name]
    wants_none = _told.get() is not None and _sources.get() is None
    if wants_none or not (name.endswith(".py") or name.startswith("<")):
        return ""
    from linecache import getlines

    return "".join(getlines(name))


_sources: ContextVar[dict[str, str] | None] = ContextVar("sources", default=None)
"""The texts that the running command has read, by the names in positions; None if no lines are shown."""


def remember_source(name: str, text: str) -> None:
    """Remember a text that a command reads, for diagnostics on it; Python programs remember none."""
    sources = _sources.get()
    if sources is not None:
        sources[name] = text.removeprefix("\ufeff")


def position(at: "Operation | SSAValue | None") -> "FileLineColLoc | None":
    """Return the source position of an op or value: its own, else that of the nearest enclosing op that has one."""
    from xdsl.ir import Block, SSAValue

    if isinstance(at, SSAValue):
        if isinstance(at.owner, Block):
            return position(at.owner.parent_op())
        return position(at.owner)
    while at is not None:
        if (found := file_position(at.location)) is not None:
            return found
        at = at.parent_op()
    return None


def with_line(at: "Operation | SSAValue", text: str) -> str:
    """Return `text` with the line of an op or value for {}, or an empty string if it is not known."""
    place = position(at)
    return "" if place is None else text.format(place.line.data)


def file_position(location: "Attribute | None") -> "FileLineColLoc | None":
    """Return the first position in a file that a location names, or None."""
    from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc

    match location:
        case FileLineColLoc():
            return location
        case FusedLoc(locations=ArrayAttr() as parts):
            return next(filter(None, map(file_position, parts.data)), None)
        case NameLoc():
            return file_position(location.location)
        case CallSiteLoc():
            return file_position(location.callee) or file_position(location.caller)
        case _:
            return None


def one_line(text: str) -> str:
    """Return the text with line breaks and runs of blanks replaced by single blanks."""
    return " ".join(text.split())


def reason_of(error: Exception) -> str:
    """Return the system's message on a file or program, in lower case."""
    return str(getattr(error, "strerror", None) or error).lower()


def named_place(place: "FileLineColLoc") -> str:
    """Return `file:line:column`."""
    return f"{place.filename.data}:{place.line.data}:{place.column.data}"


def notes_at(at: "Operation | SSAValue", message: str) -> tuple[Note, ...]:
    """Return the note on the place of an op, value or block argument, or none if it is not known."""
    place = file_position(getattr(at, "location", None)) or position(at)
    return () if place is None else (Note(message, place),)


def fail(at: "Operation | SSAValue", message: str, notes: Sequence[Note] = ()) -> NoReturn:
    """Raise XetileError at `at`; for an op that nobody wrote the message names its origin."""
    error = XetileError(with_origin(at, message), position(at), notes)
    error.at = at
    raise error


_written: ContextVar[Mapping[tuple[str, int, int], str] | None] = ContextVar(
    "written", default=None
)
"""The names of the ops of the program that is being lowered, by their places."""


@contextmanager
def written_in(program: "Operation") -> Generator[None]:
    """Within the context, errors are about ops made from `program`'s as it is now; the outermost program counts."""
    if _written.get() is not None:
        yield
        return
    names: dict[tuple[str, int, int], str] = {}
    for op in program.walk():
        if (place := file_position(op.location)) is not None:
            # an implicit terminator has the place of the op around it
            names.setdefault(_key(place), op.name)
    token = _written.set(names)
    try:
        yield
    finally:
        _written.reset(token)


def _key(place: "FileLineColLoc") -> tuple[str, int, int]:
    return place.filename.data, place.line.data, place.column.data


def with_origin(at: "Operation | SSAValue", message: str) -> str:
    """Return the message with the op that the user wrote, if it mentions one that a pass made."""
    from xdsl.ir import Operation

    written = _written.get()
    place = position(at)
    if written is None or place is None or not isinstance(at, Operation):
        return message
    origin = written.get(_key(place), at.name)
    if origin == at.name or origin in _AROUND:
        return message
    quoted = f"'{at.name}'"
    if quoted in message:
        return message.replace(quoted, f"{quoted} (made from '{origin}')", 1)
    if at.name.partition(".")[0] == origin.partition(".")[0]:
        return f"{message} (at the {quoted} made from '{origin}')"
    return message


_AROUND = ("builtin.module", "gpu.module", "gpu.func", "func.func", "llvm.func")
"""Ops that contain others, which nothing else is made from."""


class Told(NamedTuple):
    """A remark or warning on a valid program: `remark` or `warning`, the line from 1, the text."""

    kind: str
    line: int | None
    message: str


_collecting: ContextVar[list[Told] | None] = ContextVar("collecting", default=None)


@contextmanager
def collected_remarks() -> Generator[list[Told]]:
    """Collect the remarks and warnings of the context instead of printing them."""
    told: list[Told] = []
    token = _collecting.set(told)
    try:
        yield told
    finally:
        _collecting.reset(token)


class Said(NamedTuple):
    """The output of a remark or warning on a valid program: `text` is a diagnostic with its line of source.

    `once` is the message if it applies to a whole command, which prints it once; else it is empty.
    """

    text: str
    once: str


_keeping: ContextVar[list[Said] | None] = ContextVar("keeping", default=None)


@contextmanager
def kept_remarks() -> Generator[list[Said]]:
    """Collect the remarks and warnings of the context in printed form, instead of printing them."""
    said: list[Said] = []
    token = _keeping.set(said)
    try:
        yield said
    finally:
        _keeping.reset(token)


def say_again(said: Iterable[Said]) -> None:
    """Print, or collect, kept remarks."""
    keeping = _keeping.get()
    for one in said:
        if keeping is None:
            print(one.text, file=sys.stderr)
        else:
            keeping.append(one)


def warnings_of(said: Iterable[Said]) -> list[str]:
    """Return the warnings among kept remarks, each on one line, without their lines of source."""
    lines = [one.text.partition("\n")[0] for one in said]
    return [line for line in lines if line.startswith(_WARNING) or f": {_WARNING}" in line]


_WARNING = "warning: "


def is_collecting() -> bool:
    """Return True if remarks and warnings are collected and not printed."""
    return _collecting.get() is not None


def remark(at: "Operation | SSAValue | None", message: str) -> None:
    """Report on standard error an assumption that is not checked."""
    _tell("remark", at, message)


def warn(at: "Operation | SSAValue | None", message: str) -> None:
    """Report on standard error input that is legal but probably a mistake, or that has no effect."""
    _tell("warning", at, message)


def _tell(
    kind: str, at: "Operation | SSAValue | None", message: str, *, once: str = ""
) -> None:
    place = position(at)
    message = message if at is None else with_origin(at, message)
    collecting = _collecting.get()
    if collecting is not None:
        collecting.append(Told(kind, None if place is None else place.line.data, message))
        return
    text = f"{kind}: {message}"
    if place is not None:
        text = _rendered(Diagnosis(kind, message, place), _sources.get() or {})
    keeping = _keeping.get()
    if keeping is None:
        print(text, file=sys.stderr)
    else:
        keeping.append(Said(text, once))


_told: ContextVar[set[str] | None] = ContextVar("told", default=None)


@contextmanager
def one_command(*, snippets: bool = True) -> Generator[None]:
    """Run one command of a user; remarks on all of it are printed once.

    With `snippets`, diagnostics on its input show the lines of source.
    """
    token = _told.set(set())
    reading = _sources.set({} if snippets else None)
    try:
        yield
    finally:
        _told.reset(token)
        _sources.reset(reading)


def is_command() -> bool:
    """Return True if a command runs, which prints remarks, and not a Python program."""
    return _told.get() is not None


def remark_once(at: "Operation | SSAValue | None", message: str) -> None:
    """Make a remark if the command has not made it yet; a Python program, which is no command, gets none."""
    told = _told.get()
    if told is not None and message not in told:
        told.add(message)
        _tell("remark", at, message, once=message)


def alternatives(numbers: Iterable[int]) -> str:
    """Return the legal numbers as text for a message: `1, 2 or 4`."""
    *most, last = sorted(numbers)
    return f"{', '.join(map(str, most))} or {last}" if most else str(last)
