"""Which tests are asked about a fault, and what they say."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path, PurePath
from typing import Literal, NamedTuple

from .command import judge_all
from .faults import Fault
from .reach import Statement, statements

MEMORY = 8 << 30
"""Bytes that tests of a faulty program may take."""

START = 60.0
"""Seconds that a run of tests may take for starting and collecting."""

PATIENCE = 8.0
"""How many times longer than without the fault tests may take: more is a hang."""

FILES_AT_ONCE = 12
"""Test files of one run without a fault: what it has found is kept, whatever happens to later runs."""

SOON = 4.0
"""Seconds of tests that are run first."""

PLUGIN = Path(__file__).with_name("reach.py")


class Suite(NamedTuple):
    """What is tested, and by what."""

    rooms: tuple[str, ...]
    tests: tuple[str, ...]
    cases: Mapping[str, tuple[str, ...]]
    """Folders of lit files by the beginning of a path."""

    parts: tuple[str, ...]
    """What of the project is copied."""


@dataclass(frozen=True)
class Baseline:
    """What the tests do on the program as it is: seconds and statements (as bits) by test."""

    statements: Sequence[Statement]
    tests: Mapping[str, tuple[float, int]]

    def reaching(self, fault: Fault) -> list[str]:
        """Tests that execute the statement with the fault; at module level, any of the file's."""
        line, wanted, size = fault.edit.line, 0, 1 << 30
        whole = 0
        for number, (path, first, last) in enumerate(self.statements):
            if path != fault.path:
                continue
            whole |= 1 << number
            if first <= line <= last and last - first <= size:
                wanted, size = 1 << number, last - first
        wanted = wanted or whole
        found = [name for name, (_, bits) in self.tests.items() if bits & wanted]
        return sorted(found, key=lambda name: self.tests[name][0])

    def seconds(self, names: Sequence[str]) -> float:
        """What these tests take together."""
        return sum(self.tests[name][0] for name in names)


class Verdict(NamedTuple):
    """What became of a fault: killed by a test, or how many tests did not notice it."""

    killed: bool
    by: str
    seconds: float


class Failed(Exception):
    """The tests do not pass without any fault."""


def copy_project(root: Path, folder: Path, suite: Suite) -> None:
    """The parts of a project that tests need; bytecode is told by its source's hash, not its time."""
    folder.mkdir(parents=True)
    unneeded = shutil.ignore_patterns("__pycache__", ".hypothesis", "build")
    for part in suite.parts:
        source = root / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=unneeded)
        elif source.exists():
            shutil.copy(source, folder / part)
    command = [
        "-m",
        "compileall",
        "-q",
        "--invalidation-mode",
        "checked-hash",
        suite.rooms[0].partition("/")[0],
    ]
    subprocess.run([sys.executable, *command], cwd=folder, check=True)


def measure(copies: Sequence[Path], suite: Suite, *, store: Path) -> Baseline:
    """Run all tests without a fault; what is in the store for these very files is not run again."""
    root = copies[0]
    kept = {
        file: store / f"{_digest(root, suite)}-{_hash(root / file)}.json"
        for file in _test_files(root, suite)
    }
    asked = [file for file in kept if not kept[file].exists()]
    asked.sort(key=lambda file: -(root / file).stat().st_size)
    parts = -(-len(asked) // FILES_AT_ONCE)
    judge_all(
        [asked[n::parts] for n in range(parts)],
        copies,
        lambda files, copy: _record(suite, kept, copy, files),
    )
    _require_cases(root, suite, store)
    tests: dict[str, tuple[float, int]] = {}
    for file in kept.values():
        recorded: dict[str, tuple[float, str]] = json.loads(file.read_text())
        for name, (seconds, bits) in recorded.items():
            tests[name] = seconds, int(bits, 16)
    return Baseline(statements(root, suite.rooms), tests)


def _digest(root: Path, suite: Suite) -> str:
    """Of the program, what its tests share, and how they are recorded."""
    digest = sha256(PLUGIN.read_bytes())
    for part in suite.parts:
        path = root / part
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            name = file.relative_to(root)
            own = name.name.startswith("test_") or name.parts[:2] == ("test", "ir")
            if file.is_file() and not own and "__pycache__" not in name.parts:
                digest.update(f"{name} {_hash(file)}\n".encode())
    return digest.hexdigest()[:16]


def _hash(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()[:16]


def _test_files(root: Path, suite: Suite) -> Iterator[Path]:
    for name in suite.tests:
        path = root / name
        files = path.rglob("test_*.py") if path.is_dir() else [path]
        yield from (file.relative_to(root) for file in files)


def _record(
    suite: Suite, kept: Mapping[Path, Path], copy: Path, files: Sequence[Path]
) -> None:
    """Run test files and keep what each did; those with a failure are run again next time."""
    target = copy / "reached.json"
    options = ["--reach-record", str(target), "--reach-rooms", ",".join(suite.rooms)]
    target.unlink(missing_ok=True)
    command = pytest_command([*options, "--maxfail=0", *map(str, files)])
    done = _run(command, copy, limit=3600)
    failed = set(re.findall(r"^(?:FAILED|ERROR) ([^: ]+)", done.output, re.MULTILINE))
    if target.exists() and (done.status == 0 or failed):
        recorded: dict[str, tuple[float, str]] = json.loads(target.read_text())
        for file in (file for file in files if str(file) not in failed):
            own = {n: t for n, t in recorded.items() if n.partition("::")[0] == str(file)}
            kept[file].parent.mkdir(parents=True, exist_ok=True)
            kept[file].write_text(json.dumps(own))
    if done.status != 0:
        raise Failed(done.output[-3000:])


def _require_cases(copy: Path, suite: Suite, store: Path) -> None:
    folders = sorted({folder for folders in suite.cases.values() for folder in folders})
    files = [file for folder in folders for file in sorted((copy / folder).rglob("*.*"))]
    texts = "".join(f"{file.relative_to(copy)} {_hash(file)}\n" for file in files)
    passed = store / f"{_digest(copy, suite)}-{sha256(texts.encode()).hexdigest()[:16]}.passed"
    if not folders or passed.exists():
        return
    if (done := _run(lit_command(folders), copy, limit=1800)).status != 0:
        raise Failed(done.output[-3000:])
    passed.touch()


def pytest_command(arguments: Sequence[str]) -> list[str]:
    """Pytest with the plugin; the first failure ends it, and what is random is the same each time."""
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", PLUGIN.stem, "--hypothesis-seed=0"]
    return [sys.executable, "-m", "pytest", *options, *arguments]


def lit_command(folders: Sequence[str]) -> list[str]:
    """The lit files of some folders, up to the first failure."""
    lit = Path(sys.executable).with_name("lit")
    return [str(lit), "-q", "-j1", "--max-failures=1", *folders]


def judge(
    fault: Fault,
    copy: Path,
    suite: Suite,
    baseline: Baseline,
    *,
    budget: float,
    start: float = START,
) -> Verdict:
    """Plant a fault in a copy, run the tests that reach it, and mend the copy again.

    `budget` is in seconds of tests, as they take without a fault; `start` what a run may take for starting.
    """
    file = copy / fault.path
    text = file.read_text()
    started = time.monotonic()
    try:
        file.write_text(fault.edit.apply(text))
        killer, number = _first_failure(
            fault, copy, suite, baseline, budget=budget, start=start
        )
    finally:
        file.write_text(text)
    by = killer or f"{number} tests"
    return Verdict(killer is not None, by, time.monotonic() - started)


def _first_failure(
    fault: Fault, copy: Path, suite: Suite, baseline: Baseline, *, budget: float, start: float
) -> tuple[str | None, int]:
    """The test that noticed, and how many were run; the likely and fast ones first."""
    reaching = baseline.reaching(fault)
    soon = _within(baseline, _likely_first(fault, reaching), SOON)
    later = _within(baseline, _in_turns([n for n in reaching if n not in set(soon)]), budget)
    for names in filter(None, (soon, later)):
        order = copy / "order.json"
        order.write_text(json.dumps(names))
        files = list(dict.fromkeys(name.partition("::")[0] for name in names))
        limit = start + PATIENCE * baseline.seconds(names)
        done = _run(pytest_command(["--reach-order", str(order), *files]), copy, limit=limit)
        if done.status != 0:
            return _killer(done), len(soon) + len(later)
    folders = next((f for room, f in suite.cases.items() if fault.path.startswith(room)), ())
    if folders and (done := _run(lit_command(folders), copy, limit=600)).status != 0:
        return _killer(done), len(soon) + len(later)
    return None, len(soon) + len(later)


def _likely_first(fault: Fault, names: Sequence[str]) -> list[str]:
    """Tests of the file's own room before others, and of each the fast before the slow."""
    parts = PurePath(fault.path).with_suffix("").parts[1:]

    def distance(name: str) -> int:
        found = name.partition("::")[0].split("/")
        return -sum(part in found or f"test_{part}.py" in found for part in parts)

    return sorted(names, key=distance)


def _in_turns(names: Sequence[str]) -> list[str]:
    """One test of each file, then another of each: what one file does not check another may."""
    files: dict[str, list[str]] = {}
    for name in names:
        files.setdefault(name.partition("::")[0], []).append(name)
    return [name for row in zip_longest(*files.values()) for name in row if name]


def _within(baseline: Baseline, names: Sequence[str], budget: float) -> list[str]:
    taken: list[str] = []
    for name in names:
        budget -= baseline.tests[name][0]
        if budget < 0 and taken:
            break
        taken.append(name)
    return taken


class _Done(NamedTuple):
    status: int | Literal["hang"]
    output: str


def _killer(done: _Done) -> str:
    """The test that a run names as failed, else what ended the run."""
    if done.status == "hang":
        return "a hang"
    of_pytest, of_lit = r"^(?:FAILED|ERROR) (.*?)(?: - |$)", r"^\s*\S+ :: (\S+)$"
    for pattern in (of_pytest, of_lit):
        if found := re.search(pattern, done.output, re.MULTILINE):
            return found.group(1)
    return f"status {done.status}"


def _run(command: Sequence[str], copy: Path, *, limit: float) -> _Done:
    """Run in a copy; whatever it has started dies with it."""
    environment = dict(os.environ, PYTHONPATH=f"{copy}{os.pathsep}{PLUGIN.parent}")
    with subprocess.Popen(
        command,
        cwd=copy,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=_limit_memory,
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return _Done("hang", output)
    return _Done(process.returncode, output)


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
