"""Command lines of lit files: what is ours is called in this process, the few others that prepare input are run."""

import os
import re
import shlex
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .capture import Answer, Main, captured, files_below

HELPERS = (
    "cat",
    "chmod",
    "cp",
    "echo",
    "head",
    "mkdir",
    "printf",
    "rm",
    "sed",
    "tail",
    "touch",
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_BETWEEN = ("&&", ";", "||")


@dataclass
class Command:
    """A program with its arguments, its own environment, and where its streams go."""

    words: list[str] = field(default_factory=list[str])
    environment: dict[str, str] = field(default_factory=dict[str, str])
    stdin: str | None = None
    stdout: str | None = None
    stderr: str | None = None

    @property
    def timed(self) -> bool:
        """Whether it prints how long it took."""
        return any("timing" in word or "time-passes" in word for word in self.words)


def split_line(line: str) -> list[list[Command]]:
    """The pipelines of a line, each a list of commands."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    tokens = list(lexer)
    pipelines: list[list[Command]] = [[Command()]]
    while tokens:
        token = tokens.pop(0)
        command = pipelines[-1][-1]
        if token in _BETWEEN:
            pipelines.append([Command()])
        elif token == "|":
            pipelines[-1].append(Command())
        elif token in (">", ">>", "<", ">&") and tokens:
            _redirect(command, token, tokens.pop(0))
        else:
            _add_word(command, token)
    return pipelines


def _redirect(command: Command, mark: str, place: str) -> None:
    """Note a redirection; a file descriptor before the mark has been read as a word."""
    number = command.words.pop() if command.words and command.words[-1] in ("1", "2") else "1"
    if mark == "<":
        command.stdin = place
    elif mark == ">&":
        return
    elif number == "2":
        command.stderr = place
    else:
        command.stdout = place


def _add_word(command: Command, token: str) -> None:
    if not command.words and token in ("not", "env", "!", "--crash"):
        return
    if not command.words and _ASSIGNMENT.match(token):
        name, _, value = token.partition("=")
        command.environment[name] = value
        return
    command.words.append(token)


@contextmanager
def environment(changes: Mapping[str, str]) -> Generator[None]:
    """Set variables for a while."""
    before = dict(os.environ)
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run_line(line: str, tools: Mapping[str, Main]) -> list[tuple[Command, Answer]]:
    """Run what we can of a line in the current folder; the answers of our tools in order.

    A pipeline ends where a program comes that is neither ours nor a helper: the checks of lit files.
    """
    answers: list[tuple[Command, Answer]] = []
    for pipeline in split_line(line):
        data = b""
        for command in pipeline:
            known = command.words[:1] and command.words[0] in (*tools, *HELPERS)
            if not known:
                break
            answer = _run(command, data, tools)
            if command.words[0] in tools:
                answers.append((command, answer))
            data = answer.stdout
    return answers


def _run(command: Command, stdin: bytes, tools: Mapping[str, Main]) -> Answer:
    if command.stdin is not None:
        place = Path(command.stdin)
        stdin = place.read_bytes() if place.is_file() else b""
    before = files_below(Path())
    program, *arguments = command.words
    with environment({"XETILE_SANITIZE": "1"} | command.environment):
        if program in tools:
            main = tools[program]
            answer = captured(lambda: main(arguments), stdin)
        else:
            answer = _helper(command.words, stdin)
    changed = sorted(
        name for name, stamp in files_below(Path()).items() if before.get(name) != stamp
    )
    answer.files = {name: Path(name).read_bytes() for name in changed}
    for place, data in ((command.stdout, answer.stdout), (command.stderr, answer.stderr)):
        if place is not None and place != "/dev/null":
            Path(place).write_bytes(data)
    return answer


def _helper(words: Sequence[str], stdin: bytes) -> Answer:
    done = subprocess.run(words, input=stdin, capture_output=True, check=False)
    return Answer(str(done.returncode), done.stdout, done.stderr)
