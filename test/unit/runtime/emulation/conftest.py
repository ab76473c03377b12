"""Fixtures: a device, and programs that call whole families of builtins, built once."""

from collections.abc import Iterator

import pytest
from support.on_device import LastingDevice

from xetile.runtime.devices import CPU, open_device
from xetile.runtime.open_device import Device


@pytest.fixture(scope="session")
def opencl_cpu(lasting_device: LastingDevice) -> Device:
    """Intel's OpenCL runtime for CPUs, for all programs of this room."""
    return lasting_device.open()


@pytest.fixture(scope="session")
def trusting_cpu() -> Iterator[Device]:
    """The same, which takes surfaces as they stand."""
    with open_device(CPU, surface_checks=False) as device:
        yield device
