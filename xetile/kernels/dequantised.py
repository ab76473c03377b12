"""C = A @ B where B is stored in few bits, with a scale for each group of rows."""

import numpy as np

import xetile.language as xt
from xetile.language.testing import Near, Numbers


@xt.kernel(sg_layout=(4, 4))
def dequantised_gemm(
    A: xt.Array,
    W: xt.Array,
    scales: xt.Array,
    C: xt.Array,
    zeros: xt.Array | None = None,
    *,
    group: int = 128,
    BM: int = 128,
    BN: int = 256,
    BK: int = 32,
) -> None:
    """C = A @ ((W - zeros) * scales), where `group` rows of W share a row of scales and zeros.

    Shapes: A is M x K, W is K x N, C is M x N, `scales` and `zeros` have a row of N for each group of rows of W,
    the last of which may be a part. W becomes A's type, once for each workgroup, before the product.
    Types: A f16 or bf16, `scales` the same, W and `zeros` i8, ui8, i4 or ui4, C of any type; sums in f32.
    Errors: XetileError where BK does not divide the group.
    """
    xt.static_assert(group % BK == 0, f"BK is {BK}, which does not divide a group of {group}")
    m, n = xt.program_id(0) * BM, xt.program_id(1) * BN
    total = xt.zeros((BM, BN), xt.f32)
    for g in xt.range(0, xt.cdiv(W.shape[0], group)):
        scale = scales[g : g + 1, n : n + BN]
        for inside in xt.range(0, group, BK):
            k = g * group + inside
            w = W[k : k + BK, n : n + BN].to(A.dtype)
            if zeros is not None:
                w = w - zeros[g : g + 1, n : n + BN].to(A.dtype)
            total += A[m : m + BM, k : k + BK] @ (w * scale)
    C[m : m + BM, n : n + BN] = total.to(C.dtype)


def dequantised_gemm_reference(
    A: Numbers, W: Numbers, scales: Numbers, zeros: Numbers | None = None, group: int = 128
) -> Near:
    """Return C of `dequantised_gemm`. Products with scales are rounded to A's type; the bound is bf16's, 8 bits."""
    of = np.arange(len(W)) // group
    B = (W if zeros is None else W - zeros[of]) * scales[of]
    fits = abs(B).max(0) <= np.finfo(np.float16).max
    return Near(A @ B, 2, np.where(fits, abs(A) @ abs(B), np.inf), 2.0**-8)
