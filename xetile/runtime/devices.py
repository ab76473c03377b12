"""The available devices, and opening one by its name: `opencl:cpu`, `opencl:gpu`, `opencl:gpu:1`."""

import os
import re
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from xetile import targets
from xetile.advice import hint
from xetile.errors import XetileError, one_line
from xetile.runtime.driver import COMPILER_VARIABLE, Information
from xetile.runtime.open_device import Device

if TYPE_CHECKING:
    import pyopencl

CPU = "opencl:cpu"
GPU = "opencl:gpu"

INSTALL = "pip install 'xetile[device]'"
_CPU_RUNTIME = "intel-opencl-rt"
_CPU_LIBRARY = "libintelocl.so"
LOADER_VARIABLE = "OCL_ICD_VENDORS"
"""Drivers that pyopencl's loader looks for; the path of a library means only that one."""
NO_SINKING = "-simplifycfg-sink-common=0"
"""Prevents merging two stores. If this compiler (2026.2) merges them into one store at one of two places, lanes of
the first place write to the second: `test_two_masked_stores_stay_two` of test/unit/runtime shows it.
"""

_NAME = re.compile(rf"{CPU}|{GPU}(?::(\d{{1,4}}))?", re.ASCII)


def is_name(name: str) -> bool:
    """Return True if this can be the name of a device."""
    return _NAME.fullmatch(name) is not None


def check_name(name: object) -> None:
    """Raise if this cannot be the name of a device; a target is not one."""
    if not isinstance(name, str):
        raise XetileError(f"expected the name of a device, found {type(name).__name__}")
    if is_name(name):
        return
    known = f"{CPU}, {GPU} or {GPU}:N"
    if name in targets.names():
        raise XetileError(
            f"'{name}' is what to compile for, which device says; expected where to run: {known}"
        )
    raise XetileError(f"unknown device '{name}'; expected {known}{hint(name, (CPU, GPU))}")


def check_options(name: str, *, seconds: float | None, surface_checks: bool) -> None:
    """Raise for options that `open_device` rejects, before any device is looked for."""
    check_name(name)
    if name != CPU and seconds is not None:
        raise XetileError(
            f"a time limit is for {CPU}, which has a process of its own, not for {name}"
        )
    if name != CPU and not surface_checks:
        raise XetileError(
            f"surfaces without checks are for {CPU}, which emulates, not for {name}"
        )
    if seconds is not None and not seconds > 0:
        raise XetileError(f"a limit of {seconds:g} seconds; expected more than 0")


def open_device(
    name: str, *, seconds: float | None = None, surface_checks: bool = True
) -> Device:
    """Open a device; the caller closes it.

    `opencl:cpu` is Intel's runtime for CPUs, in a process that is ended if a build or a launch takes longer than
    `seconds` (120); it reports surfaces that a GPU does not accept, unless `surface_checks` are off. `opencl:gpu` is
    the
    first GPU with Intel's 2D block and matrix builtins, in this process; it supports neither of the two options.
    Raise XetileError if the device is missing, with what to install, and for options that it does not support.
    """
    check_options(name, seconds=seconds, surface_checks=surface_checks)
    if name == CPU:
        _need_pyopencl(name)
        return _cpu(seconds=seconds, surface_checks=surface_checks)
    _import_pyopencl(name)
    from xetile.runtime.opencl import OpenCLDevice, describe

    found = _gpus()
    number = int(name.removeprefix(GPU).removeprefix(":") or 0)
    if number >= len(found):
        raise XetileError(f"there is no {name}: {_gpus_that_are_there(len(found))}")
    return OpenCLDevice(found[number], describe(name, found[number]))


def list_devices() -> list[Information]:
    """Return the available devices; `opencl:cpu` is started to ask for its name.

    A device that does not start is listed with the reason as its `fault`.
    Raise XetileError if nothing is installed that could find devices.
    """
    _import_pyopencl("finding devices")
    from xetile.runtime.opencl import describe

    listed: list[Information] = []
    if cpu_library() is not None:
        listed.append(_cpu_information())
    for number, gpu in enumerate(_gpus()):
        listed.append(describe(GPU if number == 0 else f"{GPU}:{number}", gpu))
    return listed


def cpu_library() -> Path | None:
    """Return the library of Intel's OpenCL runtime for CPUs, or None if its package is not installed."""
    try:
        files = metadata.files(_CPU_RUNTIME) or []
    except metadata.PackageNotFoundError:
        return None
    found = (Path(str(file.locate())) for file in files if file.name == _CPU_LIBRARY)
    return next((path.resolve() for path in found if path.exists()), None)


def _need_pyopencl(what: str) -> None:
    if find_spec("pyopencl") is None:
        raise XetileError(f"{what} needs pyopencl; {INSTALL}")


def _import_pyopencl(what: str) -> None:
    """Import pyopencl in this process; for `opencl:cpu` only the child process imports it."""
    _need_pyopencl(what)
    try:
        import_module("pyopencl")
    except Exception as error:  # a loader or numpy that does not fit it
        reason = one_line(f"{type(error).__name__}: {error}")
        raise XetileError(
            f"{what} needs pyopencl, which cannot be imported: {reason}"
        ) from error


def _cpu(*, seconds: float | None = None, surface_checks: bool = True) -> Device:
    from xetile.runtime.child import TIME_LIMIT_SECONDS, ChildDevice

    library = cpu_library()
    if library is None:
        raise XetileError(
            f"{CPU} needs Intel's OpenCL runtime ({_CPU_RUNTIME}, Linux on x86-64); {INSTALL}"
        )
    # in the child only: it hides the drivers of the system
    environment = {
        LOADER_VARIABLE: str(library),
        COMPILER_VARIABLE: f"{os.environ.get(COMPILER_VARIABLE, '')} {NO_SINKING}".strip(),
    }
    limit = TIME_LIMIT_SECONDS if seconds is None else seconds
    return ChildDevice(CPU, environment, seconds=limit, surface_checks=surface_checks)


def _cpu_information() -> Information:
    try:
        with _cpu() as device:
            return device.information
    except XetileError as error:
        return Information(CPU, "does not start", emulates=True, fault=error.message)


def _gpus() -> "list[pyopencl.Device]":
    import pyopencl

    from xetile.runtime.opencl import devices, is_native

    return [gpu for gpu in devices(pyopencl.device_type.GPU) if is_native(gpu)]


def _gpus_that_are_there(native: int) -> str:
    """Return which GPUs and drivers were found, and what they lack."""
    import pyopencl

    from xetile.runtime.opencl import NEEDED_EXTENSIONS, devices, drivers

    needed = " and ".join(NEEDED_EXTENSIONS)
    if native:
        return f"{native} offer{'s' * (native == 1)} {needed}"
    names = drivers()
    if not names:
        return f"OpenCL's loader finds no driver; expected that of an Intel GPU with {needed}"
    gpus = [one_line(gpu.name) for gpu in devices(pyopencl.device_type.GPU)]
    found = f"the GPUs {', '.join(gpus)}" if gpus else "no GPU"
    return f"none offers {needed}; the drivers found ({', '.join(names)}) have {found}"
