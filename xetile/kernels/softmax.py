"""Softmax of rows."""

from math import e, inf, log2

import numpy as np

import xetile.language as xt
from xetile.kernels.rows import parts_of
from xetile.kernels.shapes import is_at_most, is_multiple
from xetile.language.testing import Near, Numbers

LOG2_E = log2(e)


@xt.kernel(sg_layout=(16, 1))
def softmax(X: xt.Array, Y: xt.Array, *, BM: int = 128, BN: int = 256, step: int = 32) -> None:
    """Each row of Y is exp(x - max) / sum of those, of the row of X.

    Shapes: X and Y are M x N. A workgroup has BM rows. Rows of at most BN columns are held in registers; longer ones
    are loaded three times, `step` columns at a time; their elements times log2(e) have to be numbers of f32.
    Types: f32, f16 or bf16, computed in f32.
    """
    m, N = xt.program_id(0) * BM, X.shape[1]
    wide = BN if is_at_most(N, BN) else step
    part = parts_of(X, m, BM, wide, padding=0.0 if is_multiple(N, wide) else -inf)
    if is_at_most(N, wide):
        x = part(0)
        with xt.fastmath("afn", "arcp"):
            power = xt.exp(x - x.nanmax(1))
            Y[m : m + BM, 0:wide] = (power / power.sum(1)).to(Y.dtype)
        return
    largest = xt.full((BM, wide), -inf, xt.f32)
    for n in xt.range(0, N, wide):
        largest = xt.fmax(largest, part(n))
    shift = largest.nanmax(1) * LOG2_E
    total = xt.zeros((BM, wide), xt.f32)
    for n in xt.range(0, N, wide):
        with xt.fastmath("contract"):
            below = part(n) * LOG2_E - shift
        total += xt.exp2(below)
    share = 1.0 / total.sum(1)
    for n in xt.range(0, N, wide):
        with xt.fastmath("contract"):
            below = part(n) * LOG2_E - shift
        Y[m : m + BM, n : n + wide] = (xt.exp2(below) * share).to(Y.dtype)


def softmax_reference(X: Numbers) -> Near:
    """Return Y of `softmax`. The error of a power is that of its exponent, a product of x and log2(e)."""
    power = np.exp(X - X.max(-1, keepdims=True))
    longest = np.where(np.isfinite(X), abs(X), 0).max(-1, keepdims=True)
    y = power / power.sum(-1, keepdims=True)
    fits = longest * LOG2_E < np.finfo(np.float32).max
    return Near(y, X.shape[-1] + 16, np.where(fits, y * (1 + longest), inf))
