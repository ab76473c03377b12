"""A process for a driver that may crash it: it answers the requests of `child.ChildDevice` until there are no more.

It is started as `python -m xetile.runtime.worker` with the numbers that `sandbox.serve` takes.
"""

import sys
from typing import cast

import pyopencl

from xetile.errors import XetileError
from xetile.runtime.opencl import OpenCLDevice, describe, devices
from xetile.toolchain.sandbox import serve


class Worker:
    """An answerer of questions: the name of a method of the device and its arguments, `open` first."""

    def __init__(self) -> None:
        self._device: OpenCLDevice | None = None

    def __call__(self, question: object) -> object:
        method, given, named = cast(
            "tuple[str, tuple[object, ...], dict[str, object]]", question
        )
        if method == "open":
            self._device = open_cpu(
                str(named["name"]), surface_checks=bool(named["surface_checks"])
            )
            return self._device.information
        return getattr(self._device, method)(*given, **named)


def open_cpu(name: str, *, surface_checks: bool) -> OpenCLDevice:
    """Open the first CPU that the loader finds."""
    found = devices(pyopencl.device_type.CPU)
    if not found:
        raise XetileError("Intel's OpenCL runtime is installed and offers no device")
    information = describe(name, found[0])._replace(checks_surfaces=surface_checks)
    return OpenCLDevice(found[0], information, surface_checks=surface_checks)


if __name__ == "__main__":
    serve(sys.argv[-2:], Worker())
