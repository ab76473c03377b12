"""Flags hold for the ops that are made meanwhile; extremes that ignore NaN are the hardware's ops."""

from typing import Any

import numpy as np
import pytest

import xetile.language as xt
from xetile import XetileError
from xetile.levels import LevelName

X = np.array([[1, np.nan, -3, 2]] * 2, "f")


@xt.kernel
def flagged(X: xt.Array, Y: xt.Array) -> None:
    x = X[0:8, 0:16]
    with xt.fastmath("contract"):
        x = x * 2.0
        with xt.fastmath("afn", "contract"):
            x = xt.tanh(x)
        x = x + x.sum(1)
    Y[0:8, 0:16] = -x


def test_flags_hold_inside_of_their_block() -> None:
    text = str(flagged.specialize(xt.f32[8, 16], xt.f32[8, 16]))
    flags = {
        line.split("= ")[1].split()[0]: line.partition("fastmath")[2][:40]
        for line in text.splitlines()
        if "f32" in line and ("arith." in line or "math." in line or "reduce" in line)
    }
    assert flags["arith.mulf"].startswith("<contract>")
    assert flags["math.tanh"].startswith("<contract,afn>")
    assert "contract" in flags["xetile.tile_reduce"]
    assert flags["arith.negf"] == ""


@xt.kernel
def extremes(X: xt.Array, Y: xt.Array) -> None:
    x = X[0:2, 0:4]
    low, high = x.nanmin(1), x.nanmax(1)
    Y[0:2, 0:4] = xt.where(x == 1.0, low, xt.fmax(xt.fmin(x, 2.0), high - 1.0))


@pytest.mark.parametrize("level", [None, "xevm"])
def test_a_nan_counts_as_nothing(level: LevelName | None) -> None:
    made = extremes.specialize(xt.f32[2, 4], xt.f32[2, 4])
    y = np.zeros((2, 4), "f")
    (made if level is None else made.lower(level, device="bmg"))(X, y)
    assert y.tolist() == [[-3, 2, 1, 2]] * 2


def test_words_that_are_no_flags_are_refused() -> None:
    unknown: Any = "fats"

    @xt.kernel
    def wrong(X: xt.Array) -> None:
        with xt.fastmath(unknown):
            X[0:8, 0:16] = X[0:8, 0:16]

    with pytest.raises(XetileError, match=r"xt\.fastmath has no 'fats'; did you mean 'fast'"):
        wrong.specialize(xt.f32[8, 16])


@xt.kernel(fastmath=("contract", "afn"))
def wholly_flagged(A: xt.Array, Y: xt.Array) -> None:
    Y[0:8, 0:16] = xt.tanh(A[0:8, 0:16])
    with xt.fastmath("nnan"):
        Y[0:8, 16:32] = xt.tanh(A[0:8, 16:32])


def test_flags_of_a_kernel_hold_for_all_of_it() -> None:
    text = str(wholly_flagged.specialize(xt.f32[8, 32], xt.f32[8, 32], grid=(1,)))
    assert text.count("fastmath<contract,afn>") == 1
    assert text.count("fastmath<nnan,contract,afn>") == 1
    unknown: Any = ("afm",)
    with pytest.raises(xt.XetileError, match="did you mean 'afn'"):
        xt.kernel(fastmath=unknown)
