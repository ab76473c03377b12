"""Who holds what: the kernel's layout, and what is only prefetched."""

from math import prod

import numpy as np
import pytest

import xetile
import xetile.language as xt
from xetile.errors import collected_remarks
from xetile.language.calling.tracing import prefetched
from xetile.layout.algebra.block_grids import Distribution


@xt.kernel(sg_layout=(2, 4))
def row_sums_ahead(X: xt.Array, Y: xt.Array) -> None:
    m = xt.program_id(0) * 32
    Y[m : m + 32, 0:64] = X[m : m + 32, 0:64]


def test_the_kernel_says_its_layout_and_no_maps() -> None:
    specialised = row_sums_ahead.specialize(xt.f32[64, 64], xt.f32[64, 64])
    text = str(specialised)
    assert "xetile.sg_layout = array<i64: 2, 4>" in text
    assert "wg_map" not in text
    x, y = np.ones((64, 64), np.float32), np.zeros((64, 64), np.float32)
    specialised.lower("xevm", device="bmg")(x, y)
    assert (y == 1).all()
    assert xetile.emit(specialised.module, "spirv", "bmg")


def test_maps_that_disagree_are_told_of_in_words_of_the_language() -> None:
    @xt.kernel(sg_layout=(4, 2))
    def disagreeing(X: xt.Array, Y: xt.Array) -> None:
        x = X[0:64, 0:64].map((4, 2), (16, 32))
        Y[0:64, 0:64] = x + X[0:64, 0:64].map((2, 4), (32, 16))

    kernel = disagreeing.specialize(xt.f32[64, 64], xt.f32[64, 64])
    with collected_remarks() as told:
        kernel.lower("subgroup")
    assert [one.message for one in told] == [
        "a tile of 64x64xf32 changes its subgroups here, to <sg_layout = [4, 2], sg_data = [16, 32]>, "
        "by a `.map(sg_layout, sg_data)`"
    ]


@pytest.mark.parametrize("subgroups", [1, 2, 3, 4, 6, 8, 16, 24, 32, 48, 64])
@pytest.mark.parametrize("shape", [(256, 32), (32, 256), (8, 16), (24, 40), (96, 32), (7, 16)])
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_prefetches_are_dealt_out_evenly(
    shape: tuple[int, int], subgroups: int, bits: int
) -> None:
    sg_layout, sg_data = prefetched(shape, subgroups, bits)
    assert prod(sg_layout) == subgroups
    distribution = Distribution(shape, sg_data, sg_layout)
    assert distribution.local_units == 1
    assert sg_data[1] * bits % 32 == 0
