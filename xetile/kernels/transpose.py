"""The transpose of a matrix."""

import xetile.language as xt
from xetile.kernels.shapes import of_batch
from xetile.language.testing import Numbers


@xt.kernel(sg_layout=(4, 4))
def transpose(X: xt.Array, Y: xt.Array, *, BM: int = 64, BN: int = 64) -> None:
    """Y[n, m] = X[m, n], a BN x BM tile of Y for each workgroup.

    Shapes: X is M x N, Y is N x M; both may have a leading dimension, the batch.
    Types: any, the same for both.
    Errors: XetileError where the types differ.
    """
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    Y[*of_batch(Y), n : n + BN, m : m + BM] = X[*of_batch(X), m : m + BM, n : n + BN].T


def transpose_reference(X: Numbers) -> Numbers:
    """Return Y of `transpose`, the same numbers."""
    return X.swapaxes(-1, -2)
