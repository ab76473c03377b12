"""Scalars: arguments, elements, what is left of a tile; they meet tiles and choose statements."""

import numpy as np
import pytest

import xetile.language as xt


@xt.kernel(sg_layout=(2, 2))
def chosen(A: xt.Array, Y: xt.Array, limit: xt.Scalar, n: xt.Scalar) -> None:
    x = A[0:16, 0:32]
    largest = x.max(1).max(0).item()
    if largest > limit:
        Y[0:16, 0:32] = x * largest + limit
    else:
        Y[0:16, 0:32] = x - n.to(xt.f32)
    xt.barrier()
    m = xt.index(n)
    Y[m, m + 1] = largest * limit - 1.5
    Y[m + 1, 0] = xt.exp2(xt.maximum(-(n // 2 - 7) % 3, 1).to(xt.f32))


@pytest.mark.parametrize("limit", [2.0, 600.0])
def test_scalars_at_every_level(limit: float) -> None:
    a = np.arange(512, dtype=np.float32).reshape(16, 32)
    expected = a * 511 + limit if limit < 511 else a - 3
    expected[3, 4] = 511 * limit - 1.5
    expected[4, 0] = 2 ** max(-(3 // 2 - 7) % 3, 1)
    specialised = chosen.specialize(xt.f32[16, 32], xt.f32[16, 32], xt.f32, xt.i32, grid=(1,))
    for execute in (specialised, specialised.eager, specialised.lower("xevm", device="bmg")):
        y = np.zeros_like(a)
        execute(a, y, limit, 3)
        assert (y == expected).all()


@xt.kernel
def several(A: xt.Array) -> None:
    A[0, 0] = A[0:8, 0:16].item()


def test_an_item_is_of_one_element() -> None:
    with pytest.raises(xt.XetileError) as error:
        several.specialize(xt.f32[8, 16], grid=(1,))
    assert error.value.message == (
        ".item() of a tile of 8x16xf32; a tile of 1x1 has one, such as x.max(1).max(0)"
    )
