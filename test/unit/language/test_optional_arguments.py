"""Arguments with the default None may be left out: the kernel gets None, and its module has no such argument."""

import numpy as np
import pytest

import xetile.language as xt
from xetile import XetileError

SHAPE = (16, 32)


@xt.kernel
def scaled(
    X: xt.Array, Y: xt.Array, bias: xt.Array | None = None, extra: xt.Array | None = None
) -> None:
    x = X[0:16, 0:32]
    for other in (bias, extra):
        if other is not None:
            x = x + other[0:16, 0:32]
    Y[0:16, 0:32] = x


def test_what_is_left_out_is_no_argument() -> None:
    a = xt.f32[SHAPE]
    plain, with_extra = scaled.specialize(a, a), scaled.specialize(a, a, extra=a)
    assert "(%X: memref<16x32xf32>, %Y: memref<16x32xf32>)" in str(plain)
    assert "%extra: memref" in str(with_extra)
    assert "%bias" not in str(with_extra)
    assert str(scaled.specialize(a, a, None, a)) == str(with_extra)


def test_arguments_are_given_by_name_too() -> None:
    x, other, y = np.ones(SHAPE, "f"), np.full(SHAPE, 2, "f"), np.zeros(SHAPE, "f")
    scaled(x, y, extra=other)
    assert (y == 3).all()
    scaled(x, Y=y, bias=None)
    assert (y == 1).all()
    a = xt.f32[SHAPE]
    scaled.specialize(a, a, extra=a).eager(x, y, other)
    assert (y == 3).all()


def test_what_is_missing_is_named() -> None:
    a = xt.f32[SHAPE]
    with pytest.raises(
        XetileError, match=r"takes 4 arguments \(X, Y, bias, extra\), 'Y' missing"
    ):
        scaled.specialize(a, bias=a)
    with pytest.raises(XetileError, match="'X' of 'scaled' is given by position and by name"):
        scaled.specialize(a, a, X=a)
