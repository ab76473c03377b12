"""A device for the tests of tools."""

from collections.abc import Iterator

import pytest

from xetile.runtime.device import Device
from xetile.runtime.devices import CPU, open_device


@pytest.fixture(scope="session")
def opencl_cpu() -> Iterator[Device]:
    with open_device(CPU) as device:
        yield device
