"""Which devices there are, and how one is opened by its name: `opencl:cpu`, `opencl:gpu`, `opencl:gpu:1`."""

import re
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from xetile.errors import XetileError
from xetile.runtime.device import Device, Information

CPU = "opencl:cpu"
GPU = "opencl:gpu"

TIME_LIMIT_SECONDS = 120.0
"""For a build or a launch on a device that runs in a process of its own."""

_INSTALL = "pip install 'xetile[device]'"
_CPU_RUNTIME = "intel-opencl-rt"
_CPU_LIBRARY = "libintelocl.so"
_LOADER_VARIABLE = "OCL_ICD_VENDORS"
"""Where pyopencl's loader looks for drivers; the path of a library means that one only."""

_NAME = re.compile(rf"{CPU}|{GPU}(?::(\d+))?")


def check_name(name: str) -> None:
    """Refuse what cannot be the name of a device."""
    if _NAME.fullmatch(name) is None:
        raise XetileError(f"unknown device '{name}'; expected {CPU}, {GPU} or {GPU}:N")


def open_device(name: str, *, seconds: float = TIME_LIMIT_SECONDS) -> Device:
    """Open a device; whoever opens it closes it.

    `opencl:cpu` is Intel's runtime for CPUs, in a process that is ended when something takes it longer than `seconds`;
    `opencl:gpu` is the first GPU with Intel's 2D block and matrix builtins, in this process.
    Errors: XetileError where it is not there, with what to install.
    """
    check_name(name)
    if find_spec("pyopencl") is None:
        raise XetileError(f"{name} needs pyopencl; {_INSTALL}")
    if name == CPU:
        return _cpu(seconds)
    from xetile.runtime.opencl import OpenCLDevice, describe

    found = _gpus()
    number = int(name.removeprefix(GPU).removeprefix(":") or 0)
    if number >= len(found):
        raise XetileError(
            f"there is no {name}: {len(found)} GPUs offer {' and '.join(_needed())}"
        )
    return OpenCLDevice(found[number], describe(name, found[number]))


def list_devices() -> list[Information]:
    """The devices that are there; `opencl:cpu` is started to ask for its name.

    Errors: XetileError where nothing is installed that could find one.
    """
    if find_spec("pyopencl") is None:
        raise XetileError(f"devices are found through pyopencl; {_INSTALL}")
    from xetile.runtime.opencl import describe

    listed: list[Information] = []
    if cpu_library() is not None:
        with _cpu(TIME_LIMIT_SECONDS) as device:
            listed.append(device.information)
    for number, gpu in enumerate(_gpus()):
        listed.append(describe(GPU if number == 0 else f"{GPU}:{number}", gpu))
    return listed


def cpu_library() -> Path | None:
    """The library of Intel's OpenCL runtime for CPUs, None where its package is not installed."""
    try:
        files = metadata.files(_CPU_RUNTIME) or []
    except metadata.PackageNotFoundError:
        return None
    found = (file for file in files if file.name == _CPU_LIBRARY)
    return next((Path(str(file.locate())).resolve() for file in found), None)


def _cpu(seconds: float) -> Device:
    from xetile.runtime.child import ChildDevice

    library = cpu_library()
    if library is None:
        raise XetileError(
            f"{CPU} needs Intel's OpenCL runtime ({_CPU_RUNTIME}, Linux on x86-64); {_INSTALL}"
        )
    # in the child only: it hides the drivers of the system
    return ChildDevice(CPU, {_LOADER_VARIABLE: str(library)}, seconds=seconds)


def _needed() -> tuple[str, ...]:
    from xetile.runtime.opencl import NEEDED_EXTENSIONS

    return NEEDED_EXTENSIONS


def _gpus():
    import pyopencl

    from xetile.runtime.opencl import devices, is_native

    return [gpu for gpu in devices(pyopencl.device_type.GPU) if is_native(gpu)]
