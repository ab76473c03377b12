"""Which register file a kernel is built for where nobody says it."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile.api import parse_text
from xetile.codegen import lower_to_llvm, statistics
from xetile.codegen.build_options import build_options, register_file
from xetile.kernels import gemm_module

LIMITS = {"pvc": 9.6, "bmg": 6.1, "lnl": 6.1, "ptl": 6.1, "cri": 6.1}
"""Instructions per K step of 32, at most."""


def product() -> ModuleOp:
    return gemm_module(m=4096, n=4096, k=4096, workgroup_tile=(64, 64), subgroup_tile=(8, 16))


@pytest.mark.ocloc
@pytest.mark.parametrize(("device", "limit"), LIMITS.items())
def test_small_tiles_have_the_file_that_holds_the_loads_of_their_rounds(
    device: str, limit: float
):
    (counts,) = statistics(product(), device).values()
    assert counts["spill_size"] == counts["scratch"] == 0
    assert counts["grf_count"] == 256
    assert counts["total"] <= limit


@pytest.mark.parametrize(
    ("devices", "unroll", "file"),
    [
        (("bmg",), 1, "small"),
        (("bmg",), 4, "small"),
        (("bmg",), 8, "large"),
        (("cri",), 1, "small"),
        (("cri",), 4, "large"),
        (("bmg", "cri"), 4, "large"),
    ],
)
def test_the_register_file_follows_from_the_rounds_in_one(
    devices: tuple[str, ...], unroll: int, file: str
):
    plain = str(product())
    named = ", ".join(f'#xevm.target<chip = "{device}">' for device in devices)
    text = plain.replace("gpu.module @kernels {", f"gpu.module @kernels [{named}] {{")
    low = lower_to_llvm(parse_text(text, "k.mlir"), devices[0], unroll=unroll)
    assert register_file(low) == file
    alone = build_options(low, devices[0], grf=None)
    assert bool(alone.opencl) == (file == "large" and len(devices) == 1)
