"""Which devices there are, and what is said where one is not."""

import os
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from xetile.errors import XetileError
from xetile.runtime import devices
from xetile.runtime.devices import check_name, cpu_library, list_devices, open_device
from xetile.runtime.driver import Information


def absent(name: str) -> None:
    """As `find_spec` where a package is not installed."""


def present(name: str) -> object:
    """As `find_spec` where it is."""
    return object()


def refusal(name: str, **options: Any) -> str:
    with pytest.raises(XetileError) as found:
        open_device(name, **options)
    assert found.value.location is None
    return found.value.message


@pytest.mark.parametrize("name", ["opencl:cpu", "opencl:gpu", "opencl:gpu:0", "opencl:gpu:12"])
def test_names_of_devices(name: str):
    check_name(name)


@pytest.mark.parametrize(
    "name, message",
    [
        ("opencl:cpu:1", "unknown device 'opencl:cpu:1'; expected opencl:cpu, opencl:gpu or"),
        ("opencl:gpu:-1", "unknown device 'opencl:gpu:-1'"),
        ("opencl:gpu:٣", "unknown device 'opencl:gpu:٣'"),
        ("opencl:gpu:" + "9" * 10_000, "unknown device"),
        ("", "unknown device ''"),
        ("bmg", "'bmg' is what to compile for, which device says; expected where to run"),
    ],
)
def test_what_is_no_name_is_refused(name: str, message: str):
    assert refusal(name).startswith(message)


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_a_limit_is_above_zero(seconds: float):
    message = f"a limit of {seconds:g} seconds; expected more than 0"
    assert refusal("opencl:cpu", seconds=seconds) == message


@pytest.mark.parametrize("name", ["opencl:gpu", "opencl:gpu:1"])
def test_a_gpu_has_neither_a_limit_nor_checks(name: str):
    assert refusal(name, seconds=5) == (
        f"a time limit is for opencl:cpu, which has a process of its own, not for {name}"
    )
    assert refusal(name, surface_checks=False) == (
        f"surfaces without checks are for opencl:cpu, which emulates, not for {name}"
    )


@pytest.fixture
def no_pyopencl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "find_spec", absent)


@pytest.mark.usefixtures("no_pyopencl")
def test_without_pyopencl_it_is_said_what_to_install():
    install = "pip install 'xetile[device]'"
    for name in ("opencl:cpu", "opencl:gpu"):
        assert refusal(name) == f"{name} needs pyopencl; {install}"
    with pytest.raises(XetileError, match=r"^finding devices needs pyopencl; pip install"):
        list_devices()


def test_a_pyopencl_that_cannot_be_imported_is_one_line(monkeypatch: pytest.MonkeyPatch):
    def fail(name: str) -> ModuleType:
        raise ImportError("libOpenCL.so.1: cannot open\nshared object file")

    monkeypatch.setattr(devices, "find_spec", present)
    monkeypatch.setattr(devices, "import_module", fail)
    assert refusal("opencl:gpu") == (
        "opencl:gpu needs pyopencl, which cannot be imported: "
        "ImportError: libOpenCL.so.1: cannot open shared object file"
    )


def test_without_intels_runtime_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> list[metadata.PackagePath]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(devices, "find_spec", present)
    monkeypatch.setattr(metadata, "files", missing)
    assert cpu_library() is None
    assert refusal("opencl:cpu") == (
        "opencl:cpu needs Intel's OpenCL runtime (intel-opencl-rt, Linux on x86-64); "
        "pip install 'xetile[device]'"
    )


def test_a_package_without_its_library_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    class Gone(metadata.PackagePath):
        def locate(self) -> Path:
            return tmp_path / self.name

    def files(name: str) -> list[metadata.PackagePath]:
        return [Gone("lib/libintelocl.so")]

    monkeypatch.setattr(metadata, "files", files)
    assert cpu_library() is None
    (tmp_path / "libintelocl.so").touch()
    assert cpu_library() == (tmp_path / "libintelocl.so").resolve()


class FakePlatform:
    """A driver as pyopencl shows it."""

    def __init__(self, name: str, gpus: "Sequence[FakeGPU]" = ()) -> None:
        self.name = name
        self.gpus = gpus

    def get_devices(self, kind: int) -> "Sequence[FakeGPU]":
        return self.gpus


class FakeGPU:
    """A GPU as pyopencl shows it."""

    driver_version = "26.1"
    local_mem_size = 131072
    platform = FakePlatform("Intel(R) OpenCL Graphics")

    def __init__(self, name: str, extensions: str = "cl_khr_fp16") -> None:
        self.name = name
        self.extensions = extensions


BUILTINS = "cl_intel_subgroup_2d_block_io cl_intel_subgroup_matrix_multiply_accumulate"


@pytest.fixture
def platforms(monkeypatch: pytest.MonkeyPatch) -> list[FakePlatform]:
    """The drivers that are found, none to begin with; there is no CPU runtime."""
    pyopencl = pytest.importorskip("pyopencl", reason="pyopencl is not installed")
    found: list[FakePlatform] = []

    def get_platforms() -> list[FakePlatform]:
        if not found:
            raise pyopencl.LogicError("clGetPlatformIDs failed: PLATFORM_NOT_FOUND_KHR")
        return found

    monkeypatch.setattr(pyopencl, "get_platforms", get_platforms)
    monkeypatch.setattr(devices, "cpu_library", lambda: None)
    return found


def test_a_gpu_that_is_not_there(platforms: list[FakePlatform]):
    needed = BUILTINS.replace(" ", " and ")
    assert refusal("opencl:gpu") == (
        "there is no opencl:gpu: OpenCL's loader finds no driver; "
        f"expected that of an Intel GPU with {needed}"
    )
    platforms.append(FakePlatform("Some OpenCL"))
    assert refusal("opencl:gpu") == (
        f"there is no opencl:gpu: none offers {needed}; the drivers found (Some OpenCL) have no GPU"
    )
    platforms.append(FakePlatform("Other", [FakeGPU("Other GPU", BUILTINS.split()[0])]))
    assert refusal("opencl:gpu:2") == (
        f"there is no opencl:gpu:2: none offers {needed}; "
        "the drivers found (Some OpenCL, Other) have the GPUs Other GPU"
    )
    platforms.append(FakePlatform("Intel", [FakeGPU("Arc", f"cl_khr_fp16 {BUILTINS}")]))
    assert refusal("opencl:gpu:1") == f"there is no opencl:gpu:1: 1 offers {needed}"
    assert list_devices() == [
        Information(
            "opencl:gpu",
            "Arc, Intel(R) OpenCL Graphics 26.1",
            emulates=False,
            shared_bytes=131072,
        )
    ]


def test_gpus_are_numbered_in_the_order_of_the_drivers(platforms: list[FakePlatform]):
    first, second = FakeGPU("First", BUILTINS), FakeGPU("Second", BUILTINS)
    platforms += [FakePlatform("A", [FakeGPU("Old"), first]), FakePlatform("B", [second])]
    assert [(found.name, found.description.split(",")[0]) for found in list_devices()] == [
        ("opencl:gpu", "First"),
        ("opencl:gpu:1", "Second"),
    ]


@pytest.mark.usefixtures("platforms")
def test_a_device_that_does_not_start_is_listed_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(devices, "cpu_library", lambda: tmp_path / "libnone.so")
    (found,) = list_devices()
    assert found.name == "opencl:cpu"
    assert found.fault == "Intel's OpenCL runtime is installed and offers no device"


def test_the_variable_of_the_loader_is_the_childs_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
    monkeypatch.setattr(devices, "find_spec", present)
    monkeypatch.setattr(devices, "cpu_library", lambda: Path("/nowhere"))
    with pytest.raises(XetileError):
        open_device("opencl:cpu")
    assert "OCL_ICD_VENDORS" not in os.environ
