"""Kernels of the library, called with arrays of numpy.

python examples/python/library.py
"""

import numpy as np

from xetile.kernels import flash_attention, gemm, silu, softmax


def main() -> None:
    """Softmax, a product with an epilogue, causal attention of two heads that share their keys."""
    random = np.random.default_rng(0)
    x, y = random.standard_normal((40, 100)).astype("f"), np.zeros((40, 100), "f")
    softmax(x, y, BM=32, BN=128, sg_layout=(4, 1))
    print("rows of a softmax sum to", y.sum(1).round(5).min(), "and", y.sum(1).round(5).max())

    a, b = (random.standard_normal(shape).astype("e") for shape in ((40, 64), (64, 48)))
    bias, c = random.standard_normal(48).astype("f"), np.zeros((40, 48), "e")
    gemm(a, b, c, bias=bias, activation=silu, BM=32, BN=32, sg_layout=(2, 2))
    z = a.astype(float) @ b.astype(float) + bias
    print(f"product, bias and silu: largest error {abs(c - z / (1 + np.exp(-z))).max():.2g}")

    q = random.standard_normal((2, 40, 64)).astype("e")
    k, v = random.standard_normal((2, 1, 40, 64)).astype("e")
    o = np.zeros_like(q)
    flash_attention(q, k, v, o, causal=True, BM=32, BN=32, sg_layout=(2, 1))
    print(
        "the first query sees one key:",
        bool(np.array_equal(o[:, 0], np.repeat(v[:, 0], 2, 0))),
    )


if __name__ == "__main__":
    main()
