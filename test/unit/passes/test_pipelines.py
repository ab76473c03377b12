"""The named pipelines: which passes they are, and with which device."""

import pytest

from xetile.errors import XetileError
from xetile.levels import LevelName
from xetile.passes.pipelines import steps
from xetile.targets import names

TIDY = ["canonicalize", "licm", "cse", "dce"]
WAY: list[tuple[LevelName, list[str]]] = [
    ("subgroup", ["xetile-wg-to-sg"]),
    ("blocked", ["xetile-init-duplicate", "xetile-blocking"]),
    ("xegpu", ["convert-xetile-to-xegpu"]),
    ("xevm", ["convert-xegpu-to-xevm"]),
]


@pytest.mark.parametrize("device", [None, *names()])
def test_each_level_is_tidied_but_the_last(device: str | None) -> None:
    expected = [name for _, passes in WAY for name in (*passes, *TIDY)]
    found = [step.name for step in steps("llvm", device)]
    start = found.index("xetile-wg-to-sg")
    assert found[start:] == [*expected, "convert-xevm-to-llvm"]


def test_passes_that_depend_on_the_device_get_it() -> None:
    devices = {step.name: step.device for step in steps("xegpu", "cri") if hasattr(step, "device")}
    assert devices["xetile-blocking"] == devices["convert-xetile-to-xegpu"] == "cri"


def test_an_unknown_device() -> None:
    with pytest.raises(XetileError, match="unknown device 'xe'"):
        list(steps("xegpu", "xe"))
