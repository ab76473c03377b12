"""A command as a process: closed and full streams, signals at any time."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCRIPTS = dict(
    re.findall(r'^(xetile-\w+) = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
)
GEMM = [
    "gemm",
    "--m",
    "64",
    "--n",
    "64",
    "--k",
    "64",
    "--wg",
    "64x64",
    "--sg",
    "32x32",
    "--k-step",
    "32",
]
WRITES: dict[str, list[str]] = {
    "xetile-opt": ["--list-passes"],
    "xetile-demo": ["--version"],
    "xetile-kernel": GEMM,
    "xetile-layout": [
        "-l",
        "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 1], warpsPerCTA = [1, 1], order = [1, 0]}>",
        "-t",
        "tensor<4x2xf32>",
    ],
    "xetile-compile": [
        str(ROOT / "examples/gemm_f16.mlir"),
        "--device",
        "bmg",
        "--emit",
        "xegpu",
    ],
    "xetile-explore": [
        str(ROOT / "test/ir/cli/Inputs/nothing.mlir"),
        "--device",
        "bmg",
        "--json",
    ],
    "xetile-run": [str(ROOT / "test/ir/cli/Inputs/hello.mlir"), "--entry", "main"],
}
"""Calls that write to standard output."""


def command(name: str, *, says_when: bool = False) -> list[str]:
    """What pip makes of an entry point; `says_when`: a line on standard output once it begins."""
    module, _, function = SCRIPTS[name].partition(":")
    say = "import os; os.write(1, b'begins\\n'); " if says_when else ""
    return [
        sys.executable,
        "-c",
        f"import sys; from {module} import {function}; {say}sys.exit({function}())",
    ]


def run_in_shell(name: str, arguments: list[str], redirection: str) -> tuple[int, str]:
    """The status and what is said on standard error, where that is open."""
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *command(name), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert "Traceback" not in done.stdout
    return done.returncode, done.stderr


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize(
    ("redirection", "reason"),
    [(">&-", "bad file descriptor"), (">/dev/full", "no space left on device")],
)
def test_standard_output_that_cannot_be_written(
    name: str, redirection: str, reason: str
) -> None:
    said = f"{name}: error: cannot write standard output: {reason}"
    status, lines = run_in_shell(name, WRITES[name], redirection)
    assert (status, lines.splitlines()[-1]) == (1, said)  # on a busy machine progress before


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_what_cannot_be_said_on_standard_error_is_lost(redirection: str) -> None:
    assert run_in_shell("xetile-opt", ["missing.mlir"], redirection) == (1, "")
    assert run_in_shell("xetile-opt", ["--list-passes"], redirection) == (0, "")


def test_a_closed_stream_is_no_other_file(tmp_path: Path) -> None:
    """The number of a closed stream is not given to the next file that is opened."""
    out = tmp_path / "out.mlir"
    assert run_in_shell("xetile-kernel", [*GEMM, "-o", str(out)], ">&- 2>&-") == (0, "")
    assert out.read_text().startswith("builtin.module")


def test_output_is_not_lost_in_what_watches_for_signals() -> None:
    said = "xetile-opt: error: cannot write standard output: bad file descriptor\n"
    assert run_in_shell("xetile-opt", ["--list-passes"], "<&- >&-") == (1, said)


def test_standard_input_that_is_closed() -> None:
    said = "xetile-opt: error: cannot read standard input: it is closed\n"
    assert run_in_shell("xetile-opt", ["-"], "<&-") == (1, said)


def test_a_full_device_as_the_output() -> None:
    said = "xetile-kernel: error: cannot write '/dev/full': no space left on device\n"
    assert run_in_shell("xetile-kernel", [*GEMM, "-o", "/dev/full"], "") == (1, said)


@pytest.fixture(autouse=True)
def _interrupts_count() -> Generator[None]:
    """A shell starts what runs in the background with interrupts ignored, which children inherit and honour."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def communicated(child: "subprocess.Popen[bytes]") -> tuple[bytes, bytes]:
    """What a process says to its end, which comes within a minute."""
    try:
        return child.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        child.kill()
        raise


def ended(name: str, arguments: list[str], number: signal.Signals, delay: float) -> int:
    """The status of a command that gets a signal so many seconds after it began; it says nothing."""
    with subprocess.Popen(
        [*command(name, says_when=True), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"begins\n"
        time.sleep(delay)
        child.send_signal(number)
        _, errors = communicated(child)
    assert errors == b""
    return child.returncode


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("delay", [0.02, 0.15])
def test_an_interrupt_while_starting_is_quiet(name: str, delay: float) -> None:
    arguments = {"xetile-run": [str(ROOT / "examples/gemm_f16.mlir"), *["--arg", "ones"] * 3]}
    found = ended(name, arguments.get(name, WRITES[name]), signal.SIGINT, delay)
    # it may have ended before, or be ending: Python takes its handlers away last
    assert found in (130, 0, -signal.SIGINT)
    assert delay > 0.1 or found != 0


ENDLESS = """func.func @main() {
  %true = arith.constant true
  %end = scf.while (%x = %true) : (i1) -> i1 {
    scf.condition(%true) %x : i1
  } do {
  ^bb0(%y: i1):
    scf.yield %y : i1
  }
  func.return
}
"""

ENDLESS_WHEN_COMPILED = """func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 10000 : index
  %out = memref.alloc() : memref<1xindex>
  scf.for %i = %c0 to %many step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %x = memref.load %out[%c0] : memref<1xindex>
      %y = arith.xori %x, %j : index
      memref.store %y, %out[%c0] : memref<1xindex>
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("program", [ENDLESS, ENDLESS_WHEN_COMPILED])
def test_what_never_ends_can_be_ended(
    tmp_path: Path, program: str, number: signal.Signals
) -> None:
    source = tmp_path / "endless.mlir"
    source.write_text(program)
    given = ["--arg", str(1 << 40)] if program is ENDLESS_WHEN_COMPILED else []
    arguments = [str(source), "--entry", "main", *given]
    assert ended("xetile-run", arguments, number, 4) == 128 + number


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_children_end_with_the_command(tmp_path: Path, number: signal.Signals) -> None:
    ocloc, note = tmp_path / "ocloc", tmp_path / "pid"
    ocloc.write_text(f"#!/bin/sh\necho $$ > {note}\nexec sleep 100\n")
    ocloc.chmod(0o755)
    kernel = str(ROOT / "examples/gemm_f16_plain.mlir")
    with subprocess.Popen(
        [*command("xetile-compile"), kernel, "--device", "bmg", "--emit", "zebin", "-o", "x"],
        env=os.environ | {"XETILE_OCLOC": str(ocloc), "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as child:
        while not (note.exists() and note.read_text().strip()):
            assert child.poll() is None
            time.sleep(0.1)
        child.send_signal(number)
        _, errors = communicated(child)
    assert (child.returncode, errors) == (128 + number, b"")
    assert_gone(int(note.read_text()))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ocloc", "pid"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_processes_of_a_batch_end_with_the_command(
    tmp_path: Path, number: signal.Signals
) -> None:
    """A terminal sends an interrupt to all processes of a command; who ends it sends a signal to one."""
    ocloc, notes = tmp_path / "ocloc", tmp_path / "pids"
    ocloc.write_text(
        f'#!/bin/sh\n[ "$1" = compile ] || exit 0\necho $$ $PPID >> {notes}\nexec sleep 100\n'
    )
    ocloc.chmod(0o755)
    kernels = [
        str(ROOT / f"examples/gemm_{type}_plain.mlir") for type in ("f16", "i8", "bf16")
    ]
    with subprocess.Popen(
        [
            *command("xetile-compile"),
            *kernels,
            *("--device", "bmg,pvc", "--emit", "zebin", "-o", "out", "--jobs", "2"),
        ],
        env=os.environ | {"XETILE_OCLOC": str(ocloc), "TMPDIR": str(tmp_path)},
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        start_new_session=True,
    ) as child:
        while not (notes.exists() and len(notes.read_text().splitlines()) == 2):
            assert child.poll() is None
            time.sleep(0.1)
        if number == signal.SIGINT:
            os.killpg(child.pid, number)
        else:
            child.send_signal(number)
        _, errors = communicated(child)
    assert (child.returncode, errors) == (128 + number, b"")
    processes = {int(found) for found in notes.read_text().split()}
    assert len(processes) == 4
    for process in processes:
        assert_gone(process)
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    assert left == {"ocloc", "pids", "out"}


def assert_gone(process: int) -> None:
    """A process has ended, which the system's first process may take a moment to note."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail(f"process {process} is still there")
