"""Fixtures and markers for the oracles: the outside tools that xetile's output is held against.

Pages are looked at in a browser: the fixtures `browser` and `page` are those of support/browser.py.
A test that needs one says `@pytest.mark.mlir_opt`, or asks for the fixture of that name, which is the tool's
path and brings the marker. `-m` thus chooses the tests with or without oracles (tools/check.py). Where the tool is missing the test is skipped and counted at the end of the run; where the environment
variable XETILE_REQUIRE_ORACLES lists it ("browser mlir-opt ocloc opencl spirv-val triton"), the run fails at once instead.
What runs on a device asks for the fixture `place` or `opencl_cpu`; how many programs came to the cache is said at the
end. Where the environment says that none are kept (XETILE_CACHE is empty), the run has a folder of its own.
"""

import gc
import importlib.util
import os
import signal
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Browser, Page
from support.browser import launched, watched
from support.on_device import NUMPY, PLACES, LastingDevice, Place

from xetile.collector import MANY_OBJECTS
from xetile.runtime.cache import FOLDER_VARIABLE, cache_folder
from xetile.runtime.devices import cpu_library
from xetile.runtime.open_device import Device
from xetile.toolchain.mlir import has_bindings
from xetile.toolchain.paths import find_browser, find_mlir_opt, find_ocloc, find_spirv_val


def _find_triton() -> Path | None:
    spec = importlib.util.find_spec("triton")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def _find_mlir_bindings() -> Path | None:
    spec = importlib.util.find_spec("mlir") if has_bindings() else None
    return (
        None
        if spec is None or not spec.submodule_search_locations
        else Path(next(iter(spec.submodule_search_locations)))
    )


def _find_opencl() -> Path | None:
    return None if importlib.util.find_spec("pyopencl") is None else cpu_library()


ORACLES: dict[str, tuple[str, Callable[[], Path | None]]] = {
    "browser": ("browser", find_browser),
    "mlir_opt": ("mlir-opt", find_mlir_opt),
    "mlir_bindings": ("mlir-bindings", _find_mlir_bindings),
    "ocloc": ("ocloc", find_ocloc),
    "opencl": ("opencl", _find_opencl),
    "spirv_val": ("spirv-val", find_spirv_val),
    "triton": ("triton", _find_triton),
}
ROOT = Path(__file__).parents[2]
MISSING = " is not installed"
BRINGS = {
    **{name: name for name in ORACLES},
    "page": "browser",
    "lasting_device": "opencl",
    "opencl_cpu": "opencl",
    "trusting_cpu": "opencl",
}
"""Markers by the fixtures that bring them."""

MOST_BUILDS = 450
"""Programs that a run of the tests may add to the cache: each takes the OpenCL runtime a second or more to build.

What a test builds with a cache of its own is not among them.
"""

KEPT_BEFORE = pytest.StashKey[set[str]]()


def kept_builds() -> set[str]:
    """The names of the programs that were built and kept."""
    folder = cache_folder()
    if folder is None or not (folder / "opencl").is_dir():
        return set()
    return {path.name for path in (folder / "opencl").iterdir() if path.name[0] != "."}


@cache
def oracle(marker: str) -> Path | None:
    return ORACLES[marker][1]()


def oracle_or_skip(marker: str) -> Path:
    found = oracle(marker)
    if found is None:
        pytest.skip(ORACLES[marker][0] + MISSING)
    return found


def pytest_configure(config: pytest.Config) -> None:
    # Other processes test this folder's copy too, whatever other one is installed.
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(
        dict.fromkeys([str(ROOT), *filter(None, others)])
    )
    # A shell that starts the tests in the background has them ignore Ctrl-C, and so would the commands that they start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Whatever the tests execute is watched for races on shared memory.
    os.environ.setdefault("XETILE_SANITIZE", "1")
    if cache_folder() is None:
        kept = TemporaryDirectory(prefix="xetile-cache-")
        config.add_cleanup(kept.cleanup)
        os.environ[FOLDER_VARIABLE] = kept.name  # for other processes of this run too
    config.stash[KEPT_BEFORE] = kept_builds()
    required = os.environ.get("XETILE_REQUIRE_ORACLES", "").split()
    missing = [
        name
        for marker, (name, _) in ORACLES.items()
        if name in required and oracle(marker) is None
    ]
    if missing:
        raise pytest.UsageError(f"required and not installed: {', '.join(missing)}")


def pytest_collection_finish() -> None:
    """Keep the garbage collector from walking all that importing and collecting left, again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(MANY_OBJECTS)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function):
            for marker in {BRINGS[name] for name in item.fixturenames if name in BRINGS}:
                item.add_marker(marker)


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in ORACLES:
        if item.get_closest_marker(marker) is not None:
            oracle_or_skip(marker)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that an oracle is missing for has its marker, else it fails."""
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, pytest.skip.Exception):
        for marker, (name, _) in ORACLES.items():
            if call.excinfo.value.msg == name + MISSING and not item.get_closest_marker(
                marker
            ):
                report.outcome = "failed"
                report.longrepr = f"{item.nodeid} needs {name} and has no marker {marker}"
    return report


def builds(config: pytest.Config) -> int:
    """How many programs this run of the tests added to the cache."""
    return len(kept_builds() - config.stash[KEPT_BEFORE])


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if exitstatus != pytest.ExitCode.OK or hasattr(session.config, "workerinput"):
        return
    if builds(session.config) > MOST_BUILDS:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", []):
        if isinstance(report, pytest.TestReport):
            reasons[report.longreprtext.rpartition("Skipped: ")[2].rstrip("')")] += 1
    for reason, number in sorted(reasons.items()):
        if reason.endswith(MISSING):
            terminalreporter.write_line(f"not run: {number} tests, because {reason}")
    if number := builds(config):
        terminalreporter.write_line(f"opencl: {number} builds, at most {MOST_BUILDS}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser without a window, of this process of the tests."""
    program = oracle_or_skip("browser")
    with launched(program) as opened:
        yield opened


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of its own; the test fails where something went wrong in it, or it asked for what lies elsewhere."""
    with watched(browser) as opened:
        yield opened


@pytest.fixture(scope="session")
def mlir_opt() -> Path:
    """Path of mlir-opt 22."""
    return oracle_or_skip("mlir_opt")


@pytest.fixture(scope="session")
def ocloc() -> Path:
    """Path of Intel's offline compiler."""
    return oracle_or_skip("ocloc")


@pytest.fixture(scope="session")
def spirv_val() -> Path:
    """Path of the SPIR-V validator."""
    return oracle_or_skip("spirv_val")


@pytest.fixture(scope="session")
def triton() -> Path:
    """Folder of the installed triton package."""
    return oracle_or_skip("triton")


@pytest.fixture(scope="session")
def lasting_device() -> Iterator[LastingDevice]:
    """The device of this process of the tests."""
    oracle_or_skip("opencl")
    with LastingDevice() as device:
        yield device


@pytest.fixture
def opencl_cpu(lasting_device: LastingDevice) -> Device:
    """Intel's OpenCL runtime for CPUs, opened once and again after it ended."""
    return lasting_device.open()


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    """Where a kernel at lane level is executed; see `support.on_device`."""
    return Place(None if request.param == NUMPY else request.getfixturevalue("opencl_cpu"))
