"""No kernel of the library spills at its default tiles: the tool's table, three of its rows."""

import pytest

from tools.library_variants import VARIANTS, measured
from xetile import kernels
from xetile.errors import collected_remarks
from xetile.language import Kernel


def test_every_kernel_is_there() -> None:
    made = {kernel for kernel in vars(kernels).values() if isinstance(kernel, Kernel)}
    assert made == {variant.kernel for variant in VARIANTS.values()}


@pytest.mark.ocloc
@pytest.mark.parametrize(
    ("name", "device"),
    [("attention bf16, causal", "cri"), ("gemm f16, ragged", "bmg"), ("softmax f32, long rows", "bmg")],
)  # fmt: skip
def test_nothing_spills(name: str, device: str) -> None:
    with collected_remarks():
        found = measured(name, device)
    assert found.spilled == 0
