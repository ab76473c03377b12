"""A device in another process, without a driver: that process is a program of ours that does what its name says."""

import contextlib
import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.processes import ends, open_files

from xetile.errors import XetileError
from xetile.runtime.child import TIME_LIMIT_SECONDS, ChildDevice
from xetile.runtime.driver import Information, Program
from xetile.toolchain.sandbox import Helper, HelperEnded

NO_DRIVER = {"OCL_ICD_VENDORS": "/nowhere"}

WORKER = """
import os, signal, sys, time
from pathlib import Path
from xetile.errors import XetileError
from xetile.runtime.driver import Information
from xetile.toolchain.sandbox import serve

count = 0
built = {}

def answer(question):
    global count
    method, given, named = question
    count += 1
    if method == "open":
        if os.environ.get("REFUSES"):
            raise XetileError("no device")
        return Information(named["name"], f"checks {named['surface_checks']}", emulates=True)
    if method == "build":
        spirv, options = given
        first = Path(options["folder"], "built-before")
        if spirv == b"crash" or (spirv == b"crash once" and not first.exists()):
            first.touch()
            os.kill(os.getpid(), signal.SIGSEGV)
        if spirv == b"hang":
            time.sleep(60)
        print("building", flush=True)
        built[count] = spirv
        return count
    if method == "launch":
        print(built[given[0]].decode(), flush=True)
        return float(len(built[given[0]]))
    if method == "forget":
        del built[given[0]]
        return None
    return count

serve(sys.argv[-2:], answer)
"""


def device(*, seconds: float = 30, **environment: str) -> ChildDevice:
    worker = [sys.executable, "-c", WORKER]
    return ChildDevice("it", environment, seconds=seconds, surface_checks=False, worker=worker)


@pytest.fixture
def opened() -> Generator[ChildDevice]:
    with device() as found:
        yield found


@pytest.fixture
def options(tmp_path: Path) -> Mapping[str, str]:
    return {"folder": str(tmp_path)}


def launched(device: ChildDevice, program: Program) -> float:
    return device.launch(program, "k", [], grid=(1, 1, 1), block=(1, 1, 1))


def test_a_device_says_what_it_is(opened: ChildDevice):
    assert opened.information == Information("it", "checks False", emulates=True)


def test_what_a_kernel_prints_is_printed_here(
    opened: ChildDevice, options: Mapping[str, str], capsys: pytest.CaptureFixture[str]
):
    program = opened.build(b"hello", options)
    launched(opened, program)
    launched(opened, program)
    assert capsys.readouterr().out == "hello\nhello\n"


def test_a_process_that_ends_while_it_builds_is_started_once_more(
    opened: ChildDevice, options: Mapping[str, str]
):
    first = opened.build(b"one", options)
    forgotten = opened.build(b"two..", options)
    process = opened.process
    second = opened.build(b"crash once", options)
    assert opened.process != process
    assert ends(process)
    # programs from before are made again
    assert launched(opened, second) == 10
    assert launched(opened, first) == 3
    opened.forget(forgotten)
    opened.forget(first)
    with pytest.raises(KeyError):
        launched(opened, first)


def test_a_process_that_ends_whenever_it_builds_is_told(
    opened: ChildDevice, options: Mapping[str, str]
):
    message = "^it ended with signal SIGSEGV; it was to build the module$"
    with pytest.raises(HelperEnded, match=message):
        opened.build(b"crash", options)
    assert not opened.is_open
    assert ends(opened.process)
    message = (
        r"^it has ended \(signal SIGSEGV when it was to build the module\); open it again$"
    )
    with pytest.raises(HelperEnded, match=message):
        opened.allocate(4)


def test_a_process_that_holds_memory_is_not_started_again(
    opened: ChildDevice, options: Mapping[str, str]
):
    memory = opened.allocate(4)
    with pytest.raises(HelperEnded, match="it ended with signal SIGSEGV"):
        opened.build(b"crash once", options)
    assert not opened.is_open
    opened.free(memory)  # which is gone


def test_a_process_that_hangs_is_not_started_again(options: Mapping[str, str]):
    with device(seconds=1.5) as opened:
        program = opened.build(b"one", options)
        with pytest.raises(HelperEnded, match=r"^it did not build the module within 1\.5 sec"):
            opened.build(b"hang", options)
        assert not opened.is_open
        assert ends(opened.process)
        opened.forget(program)


@pytest.mark.parametrize("seconds, rest", [(20.0, TIME_LIMIT_SECONDS), (500.0, 500.0)])
def test_the_limit_is_for_builds_and_launches(
    seconds: float,
    rest: float,
    options: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
):
    """What a busy machine makes slow has more time."""
    limits: dict[str, float] = {}
    ask = Helper.ask

    def asked(helper: Helper, question: Any, doing: str, *, seconds: float) -> object:
        limits[question[0]] = seconds
        return ask(helper, question, doing, seconds=seconds)

    monkeypatch.setattr(Helper, "ask", asked)
    with device(seconds=seconds) as opened:
        memory = opened.allocate(4)
        opened.write(memory, b"data")
        opened.read(memory)
        opened.free(memory)
        program = opened.build(b"one", options)
        launched(opened, program)
        opened.forget(program)
    assert (limits.pop("build"), limits.pop("launch")) == (seconds, seconds)
    others = ("open", "allocate", "write", "read", "free", "forget")
    assert limits == dict.fromkeys(others, rest)


def test_a_process_ends_with_its_device():
    with contextlib.suppress(RuntimeError), device() as opened:
        raise RuntimeError
    assert ends(opened.process)
    opened.close()
    with pytest.raises(HelperEnded, match=r"^it has ended \(closed\)"):
        opened.allocate(4)


def test_a_device_that_does_not_open_leaves_nothing():
    before = open_files()
    with pytest.raises(XetileError, match=r"^no device$"):
        device(REFUSES="1")
    with device():
        pass
    assert open_files() == before


def test_the_process_does_not_import_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("numpy", "pyopencl", "xetile"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    # without a driver the process of ours says that there is none, or what it lacks
    with pytest.raises(XetileError) as found, ChildDevice("it", NO_DRIVER, seconds=30):
        pass
    assert "status 9" not in found.value.message
