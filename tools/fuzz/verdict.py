"""What must hold of every answer, however wrong the input was."""

import re
from collections import deque
from collections.abc import Sequence

from tools.fuzz.case import MAIN_FILE, Answer, Case, Finding, Outcome

DIAGNOSTIC = re.compile(
    r"(?P<place>(?!remark:|warning:)\S.*?): (?P<kind>error|warning|remark|note): \S.*"
    r"|(?P<aside>remark|warning): \S.*"
)
"""One line; a remark or warning on the whole call has no place."""
_PLACE = re.compile(r".*:\d+:\d+")
_CARET = re.compile(r"\s*\^")
_ASIDE = re.compile(
    r"(xetile-\w+: +(\d+%|\d+ steps) after|(xetile-\w+: )?wrote )"
    r"|xetile-compile: (\d+ of \d+: (wrote )?|\d+ written)"
)
_PYTHON = re.compile(
    r"object at 0x|<class '|NoneType|unhashable|invalid literal for|index out of range|not subscriptable|codec can't"
    r"|positional argument|has no attribute|KeyError|AssertionError|Traceback|Exception ignored"
)
"""What Python says of its own affairs."""

_TALKATIVE = re.compile(
    r"--?(mlir-print|mlir-timing|time-passes|print-between|dump-pass|stats|debug)"
)
"""Flags with which other text goes to standard error."""

_QUIET = re.compile(r"--?(verify-diagnostics|parsing-diagnostics|shrink)")
"""Flags with which errors do not go to standard error."""

STATUSES = (0, 1, 2)
BROKEN_PIPE = 141
INTERRUPTED = 130


def judged(case: Case, answer: Answer) -> Outcome:
    """How the call ended, and what is wrong with that."""
    if answer.endless and answer.hung is None:
        return Outcome(
            "endless", None if answer.status in (INTERRUPTED, 0, 1) else _status(answer)
        )
    reached = f"status {answer.status}"
    taken = answer.status == 0
    for finding in (
        _hang(answer),
        _status_of(case, answer),
        _errors(case, answer),
        _files(case, answer),
    ):
        if finding is not None:
            return Outcome(reached, finding, taken)
    return Outcome(reached, None, taken)


def _hang(answer: Answer) -> Finding | None:
    return None if answer.hung is None else Finding("hang", answer.hung)


def _status(answer: Answer) -> Finding:
    lines = answer.errors.decode(errors="replace").strip().splitlines() or ["nothing said"]
    if answer.status < 0:
        return Finding("signal", f"signal {-answer.status}")
    return Finding("status", f"status {answer.status}: {lines[-1]}")


def _status_of(case: Case, answer: Answer) -> Finding | None:
    broken = case.streams is not None and "broken" in (
        case.streams.output,
        case.streams.errors,
    )
    allowed = (*STATUSES, BROKEN_PIPE) if broken else STATUSES
    return None if answer.status in allowed else _status(answer)


def _errors(case: Case, answer: Answer) -> Finding | None:
    """Standard error has diagnostics and nothing else, an error if and only if the status says so."""
    if case.streams is not None and case.streams.errors != "kept":
        return None
    talkative = any(_TALKATIVE.match(argument) for argument in case.arguments)
    text = answer.errors.decode(errors="replace")
    if (found := _PYTHON.search(text)) is not None and "--debug" not in case.arguments:
        line = next(line for line in text.splitlines() if found[0] in line)
        return Finding("words", f"speaks Python: {line}")
    # attributes of a yield without values are not printed, as mlir-opt 22 has it
    if "--verify-roundtrip: " in text and '"scf.yield"() {' not in case.text:
        return Finding("print", "read back as other IR")
    said: list[re.Match[str]] = []
    for line in _without_snippets(text.split("\n")[:-1]):
        match = DIAGNOSTIC.fullmatch(line)
        if match is not None:
            said.append(match)
        elif not talkative and not _ASIDE.match(line):
            return Finding("words", f"no diagnostic: {line!r}")
    errors = [match for match in said if match["kind"] == "error"]
    if any(_QUIET.match(argument) for argument in case.arguments) or talkative:
        return None
    if bool(errors) != (answer.status == 1):
        return Finding("words", f"status {answer.status} with {len(errors)} errors")
    for match in errors:
        if case.placed and not match["place"].startswith(MAIN_FILE):
            return Finding("place", f"no place: {match[0]}")
    return None


def _without_snippets(lines: Sequence[str]) -> list[str]:
    """Without the line of source and the caret that may follow a place."""
    kept: list[str] = []
    rest = deque(lines)
    while rest:
        line = rest.popleft()
        kept.append(line)
        match = DIAGNOSTIC.fullmatch(line)
        if match is None or not _PLACE.fullmatch(match["place"] or "") or not rest:
            continue
        if len(rest) > 1 and _CARET.fullmatch(rest[1]):
            rest.popleft()
            rest.popleft()
        elif DIAGNOSTIC.fullmatch(rest[0]) is None:
            rest.popleft()
    return kept


def _files(case: Case, answer: Answer) -> Finding | None:
    """A failure leaves files alone, and nothing is left behind."""
    left = [name for name in answer.files if name.endswith(".tmp")]
    if left:
        return Finding("files", f"left behind: {left[0]}")
    if answer.status == 1:
        for name, content in case.files.items():
            if answer.files.get(name) != content:
                return Finding("files", f"status 1, but '{name}' is another")
    return None
