"""A process for a driver that may end it: it does what `child.ChildDevice` asks, until nobody asks any more.

Started as `python -m xetile.runtime.worker FD NAME`: the connection's file descriptor and the device.
"""

import ctypes
import signal
import sys
from multiprocessing.connection import Connection

import pyopencl

from xetile.errors import XetileError
from xetile.runtime.opencl import OpenCLDevice, describe, devices

_PR_SET_PDEATHSIG = 1
"""Linux's prctl, option 1: the signal that a process gets when the one that started it ends."""


def main(arguments: list[str]) -> None:
    """Serve one device over a connection."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asks decides
    connection = Connection(int(arguments[0]))
    try:
        device = _open(arguments[1])
    except XetileError as error:
        connection.send(("refused", error.message))
        return
    connection.send(("done", device.information))
    while True:
        try:
            method, given, named = connection.recv()
        except (EOFError, OSError):
            return
        try:
            connection.send(("done", getattr(device, method)(*given, **named)))
        except XetileError as error:
            connection.send(("refused", error.message))
        except MemoryError:
            connection.send(("refused", "the device takes more memory than there is"))


def _open(name: str) -> OpenCLDevice:
    found = devices(pyopencl.device_type.CPU)
    if not found:
        raise XetileError("Intel's OpenCL runtime is installed and offers no device")
    return OpenCLDevice(found[0], describe(name, found[0]))


if __name__ == "__main__":
    main(sys.argv[1:])
