"""D = gelu(A @ B + bias) in one kernel: written, tried on numpy, lowered, compiled.

python examples/python/fused_gemm.py
"""

import numpy as np

import xetile.language as xt
from xetile.kernels import gelu


@xt.kernel(sg_layout=(2, 2))
def fused(
    A: xt.Array,
    B: xt.Array,
    bias: xt.Array,
    D: xt.Array,
    *,
    BM: int = 64,
    BN: int = 64,
    BK: int = 32,
) -> None:
    """One workgroup computes BM x BN elements of D; sums are f32, D is rounded once."""
    m, n = xt.program_id(0) * BM, xt.program_id(1) * BN
    total = xt.zeros((BM, BN), xt.f32)
    for k in xt.range(0, A.shape[1], BK):
        A.at[m : m + BM, k + 2 * BK : k + 3 * BK].prefetch()
        total += A[m : m + BM, k : k + BK] @ B[k : k + BK, n : n + BN]
    D[m : m + BM, n : n + BN] = gelu(total + bias[n : n + BN]).to(xt.f16)


def main() -> None:
    """Extents are no multiples of tiles: what lies outside is read as zero and not written."""
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape).astype("e") for shape in ((100, 96), (96, 80)))
    bias, d = random.standard_normal(80).astype("f"), np.zeros((100, 80), "e")

    fused(a, b, bias, d)  # executes at the level of workgroups, on numpy
    x = a.astype(float) @ b.astype(float) + bias
    expected = x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))
    print(f"largest error {abs(d - expected).max():.2g}")

    made = fused.specialize(xt.f16[100, 96], xt.f16[96, 80], xt.f32[80], xt.f16[100, 80])
    print(str(made).count("\n") + 1, "lines of IR for", made.grid(a, b, bias, d), "workgroups")
    again = np.zeros_like(d)
    made.lower("xevm", device="bmg")(a, b, bias, again)
    print("lanes give the same bits:", d.tobytes() == again.tobytes())
    print(len(made.compile("bmg").spirv), "bytes of SPIR-V")


if __name__ == "__main__":
    main()
