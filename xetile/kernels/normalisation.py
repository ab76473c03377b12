"""Layer norm and RMS norm of rows."""

import numpy as np

import xetile.language as xt
from xetile.kernels.rows import parts_of, places, reciprocal, row_sum
from xetile.kernels.shapes import is_at_most, is_multiple
from xetile.language.testing import Near, Numbers


@xt.kernel(sg_layout=(16, 1))
def layer_norm(
    X: xt.Array,
    gamma: xt.Array,
    beta: xt.Array,
    Y: xt.Array,
    *,
    BM: int = 128,
    BN: int = 256,
    step: int = 64,
    epsilon: float = 1e-5,
) -> None:
    """Each row of Y is (x - mean) / sqrt(variance + epsilon) * gamma + beta, of the row of X.

    Shapes: X and Y are M x N, gamma and beta have N elements. A workgroup has BM rows. Rows of at most BN columns are
    held in registers; longer ones are loaded three times, `step` columns at a time.
    Types: f32, f16 or bf16, computed in f32. `epsilon` is added to the variance.
    """
    m, N = xt.program_id(0) * BM, X.shape[1]
    wide = BN if is_at_most(N, BN) else step
    part = parts_of(X, m, BM, wide)
    mean = row_sum(part, N, wide) * reciprocal(N)

    def centred(n: "xt.Index | int") -> xt.Tile:
        x = part(n) - mean
        return x if is_multiple(N, wide) else xt.where(n + xt.arange(wide) < N, x, 0.0)

    def square(n: "xt.Index | int") -> xt.Tile:
        return centred(n) * centred(n)

    factor = xt.rsqrt(row_sum(square, N, wide) * reciprocal(N) + epsilon)
    for n in places(N, wide):
        y = centred(n) * factor * gamma[n : n + wide].to(xt.f32) + beta[n : n + wide].to(
            xt.f32
        )
        Y[m : m + BM, n : n + wide] = y.to(Y.dtype)


@xt.kernel(sg_layout=(16, 1))
def rms_norm(
    X: xt.Array,
    gamma: xt.Array,
    Y: xt.Array,
    *,
    BM: int = 128,
    BN: int = 256,
    step: int = 64,
    epsilon: float = 1e-6,
) -> None:
    """Each row of Y is x / sqrt(mean of x * x + epsilon) * gamma, of the row of X.

    Shapes: X and Y are M x N, gamma has N elements. A workgroup has BM rows. Rows of at most BN columns are held in
    registers; longer ones are loaded twice, `step` columns at a time.
    Types: f32, f16 or bf16, computed in f32. `epsilon` is added to the mean of the squares.
    """
    m, N = xt.program_id(0) * BM, X.shape[1]
    wide = BN if is_at_most(N, BN) else step
    part = parts_of(X, m, BM, wide)

    def square(n: "xt.Index | int") -> xt.Tile:
        return part(n) * part(n)

    factor = xt.rsqrt(row_sum(square, N, wide) * reciprocal(N) + epsilon)
    for n in places(N, wide):
        y = part(n) * factor * gamma[n : n + wide].to(xt.f32)
        Y[m : m + BM, n : n + wide] = y.to(Y.dtype)


def layer_norm_reference(
    X: Numbers, gamma: Numbers, beta: Numbers, epsilon: float = 1e-5
) -> Near:
    """Return Y of `layer_norm`. The mean is as inexact as the row's largest element, divided by the row's width."""
    centred = X - X.mean(-1, keepdims=True)
    factor = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    largest = abs(X).max(-1, keepdims=True) * factor
    magnitude = largest * (1 + abs(centred) * factor) * abs(gamma) + abs(beta)
    return Near(centred * factor * gamma + beta, X.shape[-1] + 16, _fitting(X, magnitude))


def rms_norm_reference(X: Numbers, gamma: Numbers, epsilon: float = 1e-6) -> Near:
    """Return Y of `rms_norm`."""
    factor = 1 / np.sqrt((X**2).mean(-1, keepdims=True) + epsilon)
    return Near(X * factor * gamma, X.shape[-1] + 16, _fitting(X, abs(X * factor * gamma)))


def _fitting(X: Numbers, magnitude: Numbers) -> Numbers:
    """Return the magnitude, infinite in rows whose sum of squares exceeds f32."""
    fits = (X**2).sum(-1, keepdims=True) < np.finfo(np.float32).max
    return np.where(fits, magnitude, np.inf)
