"""Kernels of one lane's registers where users run them: on a device, beside their execution on numpy.

A test that asks for the fixture `place` is run on numpy, at all levels, and where Intel's OpenCL runtime is installed
on the device, from lane level; the results that are expected are the same.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self, TypeVar

import pytest
from _pytest.mark import ParameterSet
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from xetile.interpreter import execute
from xetile.levels import LevelName
from xetile.runtime.child import ChildDevice
from xetile.runtime.devices import CPU, open_device
from xetile.runtime.driver import Extents
from xetile.runtime.launch import execute_on
from xetile.runtime.open_device import Device

Array = NDArray[Any]

NUMPY = "numpy"
DEVICE_LEVEL: LevelName = "xevm"
"""The last level that is executed on numpy: what a device runs is made of it."""

PLACES = (NUMPY, pytest.param(CPU, marks=pytest.mark.opencl))

Name = TypeVar("Name", bound="LevelName | None")


class Place(NamedTuple):
    """Where kernels are executed: on a device, else on numpy."""

    device: Device | None

    def levels(self, levels: Sequence[Name]) -> Sequence[Name]:
        """Those of the levels that are executed here."""
        if self.device is None:
            return levels
        return [level for level in levels if level == DEVICE_LEVEL]

    def execute(
        self,
        module: ModuleOp,
        kernel: str | None,
        arrays: "Sequence[Array | int | float]",
        *,
        grid: Extents | None = None,
        target: str | None = "bmg",
    ) -> None:
        """Launch a kernel; the arrays change in place. On a device it is compiled for `target`."""
        if self.device is None:
            execute(module, kernel, arrays, grid=grid)
        else:
            execute_on(self.device, module, kernel, arrays, target=target, grid=grid)


ON_NUMPY = Place(None)


def levels_and_places(*levels: LevelName | None) -> list[ParameterSet]:
    """For `("level", "place")`: every level on numpy, the level of lanes on the device too."""
    return [
        *(pytest.param(level, NUMPY, id=level or "written") for level in levels),
        pytest.param(DEVICE_LEVEL, CPU, id="device", marks=pytest.mark.opencl),
    ]


MOST_TESTS = 60
"""How many tests one process of the runtime serves: it keeps the memory of programs that are released."""


class LastingDevice:
    """Intel's OpenCL runtime for CPUs, opened when it is asked for first, again after it ended and for every so many tests."""

    def __init__(self) -> None:
        self._device: Device | None = None
        self._tests = 0

    def open(self) -> Device:
        """The device for one more test."""
        self._tests += 1
        if self._device is not None and self._tests > MOST_TESTS:
            self._device.close()
            self._device = None
        ended = isinstance(self._device, ChildDevice) and not self._device.is_open
        if self._device is None or ended:
            self._device = open_device(CPU)
            self._tests = 1
        return self._device

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._device is not None:
            self._device.close()
