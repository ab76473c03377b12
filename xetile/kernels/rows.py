"""Helpers of kernels on whole rows. Rows that fit in registers are one part, longer ones several, loaded when used."""

from collections.abc import Callable, Iterable

import xetile.language as xt
from xetile.kernels.shapes import is_at_most

Place = xt.Index | int
Part = Callable[[Place], xt.Tile]
"""A function that returns the part of rows that begins at a column."""


def parts_of(X: xt.Array, m: Place, BM: int, BN: int, padding: float = 0.0) -> Part:
    """Return a function that loads parts of BM rows of X from row m on, in f32; `padding` follows the last column."""

    def load(n: Place) -> xt.Tile:
        return X.at[m : m + BM, n : n + BN].load(padding=padding).to(xt.f32)

    if not is_at_most(X.shape[1], BN):
        return load
    whole = load(0)
    return lambda _: whole


def places(N: Place, BN: int) -> Iterable[Place]:
    """Yield the columns where parts begin."""
    return (0,) if is_at_most(N, BN) else xt.range(0, N, BN)


@xt.function
def row_sum(part: Part, N: Place, BN: int) -> xt.Tile:
    """Return the sum of each row over all parts."""
    if is_at_most(N, BN):
        return part(0).sum(1)
    total = part(0) * 0.0
    for n in xt.range(0, N, BN):
        total += part(n)
    return total.sum(1)


def reciprocal(N: Place) -> "float | xt.Scalar":
    """Return 1 / N."""
    return 1 / N if isinstance(N, int) else 1.0 / xt.f32(N)
