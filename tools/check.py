"""Every check of the project, one after the other; prints each runner's closing line.

    python -m tools.check [--jobs N] [--pass bare|oracles]
    python -m tools.check --fast [--since REVISION]

`--fast` runs what a change since a revision (`HEAD~1`, or what `--since` names) is likely to break: ruff, the types of
the changed files, the rules of the house, the tests of the changed modules and of those that import them
(`tools/affected.py` says how many).

`--pass bare` runs every check without the oracles, and the tests that need none: a test that needs one and does not say
so fails. `--pass oracles` runs the tests that need one. Both together run what a plain run does.

Status 0 when all passed. The oracles (browser, mlir-opt, ocloc, opencl, spirv-val, triton) are used where they are;
which are missing, and how many tests did not run for that, is said at the end. XETILE_REQUIRE_ORACLES names those
that must be there.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path, PurePath

from tools.affected import choose, mirrored_tests
from xetile.runtime.devices import cpu_library
from xetile.toolchain.mlir import has_bindings
from xetile.toolchain.paths import find_browser, find_mlir_opt, find_ocloc, find_spirv_val

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

ORACLES = {
    "browser": "Chromium (Debian's package chromium), or name one in XETILE_BROWSER",
    "mlir-opt": "MLIR 22 (Debian's package mlir-22-tools, or apt.llvm.org); or name one in XETILE_MLIR_OPT",
    "mlir-bindings": "MLIR 22's Python bindings (package mlir-python-bindings of LLVM's releases)",
    "ocloc": "Intel's offline compiler (package intel-ocloc); or name one in XETILE_OCLOC",
    "opencl": "pip install -e '.[device]' (Intel's OpenCL runtime for CPUs; Linux on x86-64)",
    "spirv-val": "Khronos' SPIR-V tools (package spirv-tools); or name one in XETILE_SPIRV_VAL",
    "triton": "pip install -e '.[oracle]'",
}


MARKERS = " or ".join(name.replace("-", "_") for name in ORACLES)
"""pytest's expression for the tests that need an oracle."""

PROGRAMS = ("XETILE_BROWSER", "XETILE_MLIR_OPT", "XETILE_OCLOC", "XETILE_SPIRV_VAL")
"""Variables that hide a program where they are empty."""

LIT_NEEDS = re.compile(r"REQUIRES:.*|%if (?:mlir-opt|ocloc|opencl|spirv-val)\b")


def missing_oracles() -> list[str]:
    """The oracles that are not there."""
    there = {
        "browser": find_browser() is not None,
        "mlir-opt": find_mlir_opt() is not None,
        "mlir-bindings": has_bindings(),
        "ocloc": find_ocloc() is not None,
        "opencl": find_spec("pyopencl") is not None and cpu_library() is not None,
        "spirv-val": find_spirv_val() is not None,
        "triton": find_spec("triton") is not None,
    }
    return [name for name, found in there.items() if not found]


SOURCES = ("xetile", "test", "tools")
ALWAYS = "test/unit/test_house.py"


def changed_since(revision: str) -> list[PurePath]:
    """The files that differ from a revision, new ones included, as paths from the project's folder."""
    names: list[str] = []
    for command in (
        ["diff", "--name-only", revision],
        ["ls-files", "--others", "--exclude-standard"],
    ):
        answer = subprocess.run(
            ["git", *command], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if answer.returncode != 0:
            raise SystemExit(f"error: {answer.stderr.strip().splitlines()[0]}")
        names += answer.stdout.split()
    return [PurePath(name) for name in sorted(set(names))]


def runners(jobs: int) -> dict[str, list[str]]:
    """Every check by name, as commands."""
    return {
        "ruff check": [str(BIN / "ruff"), "check", *SOURCES],
        "ruff format": [str(BIN / "ruff"), "format", "--check", *SOURCES],
        "basedpyright": [str(BIN / "basedpyright"), "--pythonpath", sys.executable],
        "pytest": [sys.executable, "-m", "pytest", "-q", "--durations=20", "-n", str(jobs)],
        "lit": [str(BIN / "lit"), "-j", str(jobs), "-v", "test"],
    }


def bare_runners(jobs: int) -> dict[str, list[str]]:
    """Every check without the oracles, which are hidden from this process and its children.

    Errors: SystemExit where one is there that no variable hides.
    """
    os.environ.update(dict.fromkeys(PROGRAMS, ""))
    os.environ.pop("XETILE_REQUIRE_ORACLES", None)
    there = [name for name in ORACLES if name not in missing_oracles()]
    if there:
        raise SystemExit(
            f"error: expected a Python environment without oracles, found {', '.join(there)}; use another one"
        )
    commands = runners(jobs)
    commands["pytest"] += ["-m", f"not ({MARKERS})"]
    return commands


def oracle_runners(jobs: int) -> dict[str, list[str]]:
    """The tests that need an oracle; lit files that need one in part are run whole."""
    commands = {name: runners(jobs)[name] for name in ("pytest", "lit")}
    commands["pytest"] += ["-m", MARKERS]
    files = sorted(
        path for kind in ("mlir", "test") for path in (ROOT / "test").rglob(f"*.{kind}")
    )
    commands["lit"][-1:] = [
        str(path.relative_to(ROOT)) for path in files if LIT_NEEDS.search(path.read_text())
    ]
    return commands


def fast_runners(jobs: int, since: str) -> dict[str, list[str]]:
    """The checks that a change since a revision needs first."""
    changed = changed_since(since)
    commands = runners(jobs)
    python = [
        str(path) for path in changed if path.suffix == ".py" and (ROOT / path).is_file()
    ]
    if python:
        commands["basedpyright"] += python
    else:
        del commands["basedpyright"]
    levels = choose(changed)
    levels[0] += [ALWAYS]
    near = ROOT / "build" / "near.json"
    near.parent.mkdir(exist_ok=True)
    near.write_text(json.dumps(levels))
    commands["pytest"] += ["-p", "tools.affected", "--near", str(near)]
    commands["pytest"] += [name for level in levels for name in level]
    cases = mirrored_tests(changed, "ir")
    if cases:
        commands["lit"] = [*commands["lit"][:-1], *cases]
    else:
        del commands["lit"]
    return commands


def run(command: list[str]) -> tuple[int, list[str]]:
    """Run a command in the project's folder and show what it prints; its status and its lines."""
    lines: list[str] = []
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if line.strip():
                lines.append(line.strip())
    return process.returncode, lines


def closing_line(name: str, lines: list[str]) -> str:
    """What a runner says at its end; lit spreads it over several lines."""
    if not lines:
        return "no output"
    if name != "lit":
        return lines[-1]
    counts = [line for line in lines if re.match(r"(Total )?[A-Z][A-Za-z ]+: +\d+", line)]
    return ", ".join(" ".join(line.split()) for line in counts) or lines[-1]


def not_run(lines: list[str]) -> int:
    """How many tests a runner left out for want of an oracle."""
    number = 0
    for line in lines:
        found = re.match(r"not run: (\d+) tests", line) or re.match(
            r"Unsupported *: +(\d+)", line
        )
        number += int(found.group(1)) if found else 0
    return number


def main() -> int:
    """Run everything; the result is the exit status."""
    parser = argparse.ArgumentParser(description="Runs every check of the project.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--fast", action="store_true", help="only what a change touches")
    parser.add_argument(
        "--since", metavar="REVISION", help="with --fast: what changed since it (HEAD~1)"
    )
    parser.add_argument(
        "--pass",
        dest="part",
        choices=["bare", "oracles"],
        help="without oracles, or what needs them",
    )
    options = parser.parse_args()
    if options.since and not options.fast:
        parser.error("--since goes with --fast")
    if options.fast and options.part:
        parser.error("--pass does not go with --fast")
    if options.part == "bare":
        commands = bare_runners(options.jobs)
    elif options.part == "oracles":
        commands = oracle_runners(options.jobs)
    else:
        commands = runners(options.jobs)
    if options.fast:
        commands = fast_runners(options.jobs, options.since or "HEAD~1")
    summary: list[str] = []
    failed: list[str] = []
    left_out = 0
    for name, command in commands.items():
        print(f"== {name}", flush=True)
        started = time.monotonic()
        status, lines = run(command)
        seconds = time.monotonic() - started
        if status != 0:
            failed.append(name)
        left_out += not_run(lines)
        verdict = "ok" if status == 0 else f"FAILED (status {status})"
        summary.append(f"{name:13} {verdict}, {seconds:.0f} s: {closing_line(name, lines)}")
    print("\n== summary")
    print("\n".join(summary))
    for name in missing_oracles() if options.part != "bare" else ():
        print(f"missing: {name}; {ORACLES[name]}")
    if left_out:
        print(f"{left_out} tests did not run for want of these")
    print(f"FAILED: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
