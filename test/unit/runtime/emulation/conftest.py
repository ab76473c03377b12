"""Fixtures: a device, and programs that call whole families of builtins, built once."""

from collections.abc import Iterator

import pytest

from xetile.runtime.device import Device
from xetile.runtime.devices import CPU, open_device


@pytest.fixture(scope="session")
def opencl_cpu() -> Iterator[Device]:
    """Intel's OpenCL runtime for CPUs."""
    with open_device(CPU) as device:
        yield device


@pytest.fixture(scope="session")
def trusting_cpu() -> Iterator[Device]:
    """The same, which takes surfaces as they stand."""
    with open_device(CPU, surface_checks=False) as device:
        yield device
