"""The named pipelines: which passes they are, and with which device."""

import pytest

from xetile.dialects.modules import context, parse
from xetile.errors import XetileError
from xetile.levels import LevelName
from xetile.passes import PASSES, load_pass
from xetile.passes.pipelines import lower, steps
from xetile.targets import DEFAULT, find, names

TIDY = ["canonicalize", "licm", "cse", "dce"]
WAY: list[tuple[LevelName, list[str]]] = [
    ("subgroup", ["xetile-wg-to-sg"]),
    ("blocked", ["xetile-init-duplicate", "xetile-blockop-fallback", "xetile-blocking"]),
    ("xegpu", ["convert-xetile-to-xegpu"]),
    ("xevm", ["convert-xegpu-to-xevm"]),
]


@pytest.mark.parametrize("device", [None, *names()])
def test_each_level_is_tidied_but_the_last(device: str | None) -> None:
    expected = [name for _, passes in WAY for name in (*passes, *TIDY)]
    found = [step.name for step in steps(find(device or DEFAULT).path, "llvm", device)]
    start = found.index("xetile-wg-to-sg")
    assert found[start:] == [*expected, "convert-xevm-to-llvm"]


def test_passes_that_depend_on_the_device_get_it() -> None:
    path = find("cri").path
    devices = {
        step.name: getattr(step, "device", "none") for step in steps(path, "llvm", "cri")
    }
    dependent = {name for name, device in devices.items() if device == "cri"}
    assert dependent == {
        name for name in devices if name in PASSES and "device" in PASSES[name].options
    }
    assert {"xetile-blocking", "convert-xetile-to-xegpu", "convert-xegpu-to-xevm"} <= dependent


KERNEL = """
gpu.module @m [#xevm.target<chip = "lnl">] {
  gpu.func @k(%A: memref<64x64xf16>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf16> -> !xetile.tile<8x16xf16>
    xetile.prefetch_tile %t : !xetile.tile<8x16xf16>
    gpu.return
  }
}
"""


@pytest.mark.parametrize("name", [name for name in PASSES if "device" in PASSES[name].options])
def test_no_pass_takes_another_device_than_the_modules(name: str) -> None:
    with pytest.raises(XetileError, match=r"'device' is bmg, but the gpu\.module is for lnl"):
        load_pass(name)(**{"device": "bmg"}).apply(context(), parse(KERNEL))


def test_an_unknown_device() -> None:
    with pytest.raises(XetileError, match="unknown device 'xe'"):
        lower(context(), parse(KERNEL), "xegpu", "xe")
