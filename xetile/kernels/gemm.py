"""C = A @ B and the operations that follow it, in one kernel."""

import numpy as np

import xetile.language as xt
from xetile.kernels.activations import REFERENCES, Activation
from xetile.kernels.shapes import of_batch, sum_type
from xetile.language.testing import Near, Numbers


@xt.kernel(sg_layout=(8, 4))
def gemm(
    A: xt.Array,
    B: xt.Array,
    C: xt.Array,
    scale_a: xt.Array | None = None,
    scale_b: xt.Array | None = None,
    bias: xt.Array | None = None,
    residual: xt.Array | None = None,
    *,
    BM: int = 256,
    BN: int = 256,
    BK: int = 32,
    ahead: int | None = None,
    accumulator: xt.ElementType | None = None,
    activation: Activation | None = None,
) -> None:
    """C = activation(scale_a * scale_b * (A @ B) + bias) + residual, a BM x BN tile of C for each workgroup.

    Shapes: A is M x K, B is K x N, C is M x N; any of them may have a leading dimension, the batch, and those without
    are the same for all of it. `scale_a` has M elements, one for each row, `scale_b` and `bias` have N, one for each
    column; `residual` is M x N. Extents need not be multiples of tiles.
    Types: A and B f16, bf16, tf32, f32, f64, i8, f8E4M3FN or f8E5M2; sums in `accumulator` (f32; i32 of integers),
    what follows them in f32, C of any type. `ahead`: prefetch so many steps of BK ahead.
    Errors: XetileError where A and B do not go together.
    """
    m, n = xt.program_id(0) * BM, xt.program_id(1) * BN
    a, b, c = of_batch(A), of_batch(B), of_batch(C)
    total = xt.zeros((BM, BN), accumulator or sum_type(A.dtype))
    for k in xt.range(0, A.shape[-1], BK):
        tile_a, tile_b = A[*a, m : m + BM, k : k + BK], B[*b, k : k + BK, n : n + BN]
        # Prefetches before the loads make IGC's code for some tiles 6 to 11 % longer (tf32 on cri, f16 on bmg).
        if ahead is not None:
            A.at[*a, m : m + BM, k + ahead * BK : k + ahead * BK + BK].prefetch()
            B.at[*b, k + ahead * BK : k + ahead * BK + BK, n : n + BN].prefetch()
        total += tile_a @ tile_b
    if scale_a is not None:
        total = total.to(xt.f32) * scale_a[m : m + BM].T.to(xt.f32)
    if scale_b is not None:
        total = total.to(xt.f32) * scale_b[n : n + BN].to(xt.f32)
    if bias is not None:
        total = total.to(xt.f32) + bias[n : n + BN].to(xt.f32)
    if activation is not None:
        total = activation(total.to(xt.f32))
    if residual is not None:
        total = total.to(xt.f32) + residual[*of_batch(residual), m : m + BM, n : n + BN].to(
            xt.f32
        )
    C[*c, m : m + BM, n : n + BN] = total.to(C.dtype)


def gemm_reference(
    A: Numbers,
    B: Numbers,
    scale_a: Numbers | None = None,
    scale_b: Numbers | None = None,
    bias: Numbers | None = None,
    residual: Numbers | None = None,
    activation: Activation | None = None,
) -> Near | Numbers:
    """Return C of `gemm`: integers if A and B are integers and nothing follows the product."""
    one = np.ones(1)
    scale = (one if scale_a is None else scale_a)[:, None] * (
        one if scale_b is None else scale_b
    )
    after, ahead = (np.zeros(1) if x is None else x for x in (bias, residual))
    total = A @ B
    if (
        total.dtype.kind == "i"
        and scale_a is scale_b is bias is residual is activation is None
    ):
        return total
    value = total * scale + after
    follows = _same if activation is None else REFERENCES[activation]
    magnitude = abs(A) @ abs(B) * abs(scale) + abs(after) + abs(ahead)
    return Near(follows(value) + ahead, A.shape[-1] + 16, magnitude)


def _same(x: Numbers) -> Numbers:
    return x
