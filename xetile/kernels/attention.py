"""Attention in one pass over the keys."""

from functools import reduce
from math import e, inf, log2
from operator import add

import numpy as np

import xetile.language as xt
from xetile.kernels.shapes import is_multiple, known
from xetile.language.testing import Near, Numbers

LOWEST = -3.4028234663852886e38
"""The lowest finite f32, the initial largest score: subtracting it from a score of minus infinity gives no NaN."""


@xt.kernel(sg_layout=(8, 1))
def flash_attention(
    Q: xt.Array,
    K: xt.Array,
    V: xt.Array,
    O: xt.Array,
    lengths: xt.Array | None = None,
    *,
    BM: int = 64,
    BN: int = 64,
    scale: float | None = None,
    causal: bool = False,
) -> None:
    """O = softmax(Q @ K.T * scale) @ V for each head, BM queries of one head for each workgroup.

    Shapes: Q and O are H x M x D, K and V are G x N x D, where G divides H: H / G heads of queries share one of keys.
    `lengths` has H elements: so many of the N keys a head sees. `causal`: query i sees the keys up to i + N - M.
    A round has BN keys; `causal`, on the diagonal fewer (`narrowed`).
    Types: f16 or bf16, sums in f32; `lengths` i32. `scale` is 1 / sqrt(D) by default.
    A query that sees no key gives NaN, as 0 / 0.
    """
    m, head, M, D = xt.program_id(0) * BM, xt.program_id(1), Q.shape[1], known(Q.shape[2])
    keys = K.shape[1] if lengths is None else xt.index(lengths[head])
    shared, narrow = head // (Q.shape[0] // K.shape[0]), narrowed(BN, D) if causal else BN
    q = Q[head, m : m + BM, 0:D] * (log2(e) * (D**-0.5 if scale is None else scale))
    last = (m + (keys - M) + xt.arange(BM, axis=0)).to(xt.i32) if causal else None
    end = xt.minimum(keys, m + BM + (keys - M)) if causal else keys
    whole = (xt.maximum(xt.minimum(keys, m + keys - M), 0) if causal else keys) // BN * BN

    def attended(n: xt.Index, wide: int, *held: xt.Tile, masked: bool):
        top, parts, o = held
        s = q @ K.T[shared, 0:D, n : n + wide]
        s = _masked(s, (n + xt.arange(wide)).to(xt.i32), keys, last) if masked else s
        new = xt.fmax(top, s.nanmax(1))
        p, keep = xt.exp2(s - new), xt.exp2(top - new)
        with xt.fastmath("contract"):
            parts = parts * keep + reduce(add, (p[:, i : i + 16] for i in range(0, wide, 16)))
        return new, parts, o * keep + p.to(V.dtype) @ V[shared, n : n + wide, 0:D]

    top, parts = xt.full((BM, 1), LOWEST, xt.f32), xt.zeros((BM, 16), xt.f32)
    o = xt.zeros((BM, D), xt.f32)
    for n in xt.range(0, whole, BN):
        top, parts, o = attended(n, BN, top, parts, o, masked=False)
    if causal or lengths is not None or not is_multiple(keys, BN):
        for n in xt.range(whole, end, narrow):
            top, parts, o = attended(n, narrow, top, parts, o, masked=True)
    with xt.fastmath("arcp"):
        O[head, m : m + BM, 0:D] = (o / parts.sum(1)).to(O.dtype)


def narrowed(BN: int, D: int) -> int:
    """Return the keys of a masked round; with 64 of D = 64 or 32 of D = 128, masks and scores exceed the registers."""
    return min(BN, max(2048 // D // 16, 1) * 16)


def _masked(
    s: xt.Tile, keys: xt.Tile, length: xt.Index | int, last: xt.Tile | None
) -> xt.Tile:
    """Return the scores, minus infinity for keys that a query does not see; `last` is each query's last key, if any."""
    if last is not None:
        return xt.where(keys <= last, s, -inf)
    return xt.where(keys < (length if isinstance(length, int) else xt.i32(length)), s, -inf)


def flash_attention_reference(
    Q: Numbers,
    K: Numbers,
    V: Numbers,
    lengths: Numbers | None = None,
    scale: float | None = None,
    causal: bool = False,
) -> Near:
    """Return O of `flash_attention`. Scores become exponents, so the roundings of Q and of a product scale the result.

    Q is rounded when it is scaled, and powers when they are multiplied with V, both to the type of Q.
    """
    heads, M, D, N = (int(extent) for extent in (*Q.shape, K.shape[1]))
    shared = np.arange(heads) // (heads // len(K))
    scores = Q @ K[shared].swapaxes(1, 2) * (D**-0.5 if scale is None else scale)
    keys: Numbers = np.full(heads, N) if lengths is None else lengths
    rows, columns = np.arange(M)[:, None], np.arange(N)
    seen = columns < keys[:, None, None]
    if causal:
        seen = seen & (columns <= rows + (keys - M)[:, None, None])
    scores = np.where(seen, scores, -np.inf)
    power = np.exp(scores - scores.max(-1, keepdims=True))
    share = power / power.sum(-1, keepdims=True)
    sizes = abs(Q) @ abs(K[shared]).swapaxes(1, 2) * D**-0.5
    magnitude = share @ abs(V[shared]) * (1 + sizes.max(-1, keepdims=True))
    return Near(share @ V[shared], 4, magnitude, 2.0**-9)
