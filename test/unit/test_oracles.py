"""What a run of the tests says of the outside tools that it used, and of those that it had to do without."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import on_device
from support.on_device import LastingDevice

from xetile.runtime.child import ChildDevice

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SOME = "analysis/test_module_kernels.py::test_spellings_of_the_launch"
WITHOUT_OPENCL = """
from xetile.runtime import devices
devices.cpu_library = lambda: None
"""

SKIPPING = """
import pytest

def pytest_runtest_call(item):
    pytest.skip("ocloc is not installed")
"""

BUILDING = """
import os
from pathlib import Path

def pytest_sessionstart():
    folder = Path(os.environ["XETILE_CACHE"], "opencl")
    folder.mkdir(parents=True)
    for number in range(451):
        (folder / str(number)).touch()
"""


def said(folder: Path, plugin: str = "", **variables: str) -> tuple[int, list[str]]:
    """The status of a run of some tests and the lines that it ends with; they are run with a plugin."""
    (folder / "plugin.py").write_text(plugin)
    path = os.pathsep.join((str(ROOT), str(folder)))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "plugin", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, str(HERE / SOME)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path, "XETILE_REQUIRE_ORACLES": "", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_without_a_device_its_tests_are_counted_as_not_run(tmp_path: Path) -> None:
    status, lines = said(tmp_path, WITHOUT_OPENCL)
    assert status == 0
    assert "not run: 3 tests, because opencl is not installed" in lines
    assert "3 passed, 3 skipped" in lines[-1]


def test_a_device_that_is_required_must_be_there(tmp_path: Path) -> None:
    status, lines = said(tmp_path, WITHOUT_OPENCL, XETILE_REQUIRE_ORACLES="opencl")
    assert status != 0
    assert "ERROR: required and not installed: opencl" in lines


def test_a_test_that_needs_an_oracle_and_has_no_marker_fails(tmp_path: Path) -> None:
    status, lines = said(tmp_path, SKIPPING)
    assert status == 1
    assert any("needs ocloc and has no marker ocloc" in line for line in lines)


@pytest.mark.opencl
def test_what_is_built_is_counted_and_limited(tmp_path: Path) -> None:
    """Two of the three spellings are the same program, whichever of them is built."""
    status, lines = said(tmp_path, XETILE_CACHE=str(tmp_path / "kept"))
    assert (status, lines[-2]) == (0, "opencl: 2 builds, at most 450")
    status, lines = said(tmp_path, XETILE_CACHE=str(tmp_path / "kept"))
    assert status == 0
    assert not any(line.startswith("opencl:") for line in lines)


def test_too_many_builds_fail(tmp_path: Path) -> None:
    status, lines = said(tmp_path, BUILDING, XETILE_CACHE=str(tmp_path / "kept"))
    assert status == 1
    assert any(re.fullmatch(r"opencl: 45\d builds, at most 450", line) for line in lines)


def test_builds_are_counted_where_none_are_to_be_kept(tmp_path: Path) -> None:
    status, lines = said(tmp_path, BUILDING, XETILE_CACHE="", TMPDIR=str(tmp_path))
    assert status == 1
    assert any(re.fullmatch(r"opencl: 45\d builds, at most 450", line) for line in lines)
    assert not list(tmp_path.glob("xetile-cache-*"))


class Ended(ChildDevice):
    """A device whose process has ended, or has not."""

    def __init__(self, *, is_open: bool) -> None:
        self._is_open = is_open

    @property
    def is_open(self) -> bool:
        return self._is_open

    def close(self) -> None:
        pass


def test_a_device_is_opened_again_after_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = [Ended(is_open=False), Ended(is_open=True)]

    def open_device(name: str) -> ChildDevice:
        return opened.pop(0)

    monkeypatch.setattr(on_device, "open_device", open_device)
    with LastingDevice() as device:
        first, second, third = (device.open() for _ in range(3))
    assert first is not second
    assert second is third


def test_a_device_is_opened_again_for_every_so_many_tests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def open_device(name: str) -> ChildDevice:
        return Ended(is_open=True)

    monkeypatch.setattr(on_device, "open_device", open_device)
    with LastingDevice() as device:
        first, *others = (device.open() for _ in range(on_device.MOST_TESTS))
        assert all(other is first for other in others)
        assert device.open() is not first
