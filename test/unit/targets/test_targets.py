"""The registry of devices, what all of them have, and where they are there MLIR's headers."""

import re
from pathlib import Path

import pytest

from xetile.analysis.kernel_targets import device_named
from xetile.errors import XetileError
from xetile.targets import DEFAULT, EXAMPLE, find, names
from xetile.targets.target import INDEX_BITS
from xetile.targets.xe.device import LANES, XeDevice

HEADER = Path("/usr/lib/llvm-22/include/mlir/Dialect/XeGPU/uArch/IntelGpuXe2.h")


def device(name: str) -> XeDevice:
    found = find(name)
    assert isinstance(found, XeDevice)
    return found


def test_devices_by_name() -> None:
    assert list(names()) == ["pvc", "bmg", "lnl", "ptl", "cri"]
    with pytest.raises(
        XetileError, match="unknown device 'xe'; known are pvc, bmg, lnl, ptl, cri"
    ):
        device("xe")


def test_what_all_devices_have() -> None:
    assert {DEFAULT, EXAMPLE} <= set(names())
    assert INDEX_BITS == 64
    for name in names():
        target = device_named(name, XeDevice)
        assert (target.lanes, target.threads) == (LANES, LANES) == (16, 16)
        assert target.build_options["small"] == ((), ())
        assert target.build_options["large"].level_zero == ("-ze-opt-large-register-file",)
        assert target.exact_division.opencl == ("-cl-fp32-correctly-rounded-divide-sqrt",)
        assert target.shared_bytes == (393216 if target.name == "cri" else 131072)


@pytest.mark.skipif(not HEADER.exists(), reason="MLIR's headers are not installed")
def test_subgroup_size_is_the_headers() -> None:
    assert re.search(rf"getSubgroupSize\(\)[^{{]*{{\s*return {LANES};", HEADER.read_text())
