"""Sums and extremes along rows or columns."""

from collections.abc import Callable, Mapping
from math import inf
from operator import add, mul
from typing import NamedTuple

import numpy as np

import xetile.language as xt
from xetile.kernels.shapes import sum_type
from xetile.language.testing import Near, Numbers


class Kind(NamedTuple):
    """A way to combine elements of two tiles, or of one along an axis; `identity` leaves any element unchanged."""

    two: Callable[[xt.Tile, xt.Tile], xt.Tile]
    along: Callable[[xt.Tile, int], xt.Tile]
    identity: Callable[[xt.ElementType], float]


def lowest(element: xt.ElementType) -> float:
    """Return a value that is no greater than any value of a type."""
    if element.kind == "float":
        return -448.0 if element == xt.f8E4M3FN else -inf
    return 0 if element.unsigned else -(1 << element.bits - 1)


def highest(element: xt.ElementType) -> float:
    """Return a value that is no less than any value of a type."""
    if element.kind == "float":
        return -lowest(element)
    return (1 << element.bits - (not element.unsigned)) - 1


def _zero(_: xt.ElementType) -> float:
    return 0


def _one(_: xt.ElementType) -> float:
    return 1


SUM = Kind(add, xt.Tile.sum, _zero)
PRODUCT = Kind(mul, xt.Tile.prod, _one)
MAX = Kind(xt.maximum, xt.Tile.max, lowest)
MIN = Kind(xt.minimum, xt.Tile.min, highest)
KINDS: Mapping[str, Kind] = {"sum": SUM, "product": PRODUCT, "max": MAX, "min": MIN}
"""The kinds by name."""


@xt.kernel(sg_layout=(4, 4))
def reduce(
    X: xt.Array, Y: xt.Array, *, kind: Kind = SUM, axis: int = 1, BM: int = 64, BN: int = 64
) -> None:
    """Y is X reduced along the axis: 1, each row to one element; 0, each column.

    Shapes: X is M x N, Y has M elements (axis 1) or N (axis 0).
    Types: any but i1; combined in f32, f64 or i32, Y of any type.
    `kind`: SUM, PRODUCT, MAX, MIN of this module, or one of your own.
    Errors: XetileError where axis is neither 0 nor 1.
    """
    xt.static_assert(axis in (0, 1), f"axis is {axis}; a matrix has axes 0 and 1")
    element = sum_type(X.dtype)
    kept = xt.program_id(0) * (BN, BM)[axis]
    step = (BM, BN)[axis]
    nothing = kind.identity(element)
    total = xt.full((BM, BN), nothing, element)
    for at in xt.range(0, X.shape[axis], step):
        m, n = (kept, at) if axis == 1 else (at, kept)
        part = X.at[m : m + BM, n : n + BN].load(padding=kind.identity(X.dtype))
        total = kind.two(total, part.to(element))
    result = kind.along(total, axis).to(Y.dtype)
    if axis == 1:
        Y[kept : kept + BM, None] = result
    else:
        Y[kept : kept + BN] = result


def reduce_reference(X: Numbers, kind: Kind = SUM, axis: int = 1) -> Near | Numbers:
    """Return Y of `reduce`; extremes are exact."""
    if kind in (MAX, MIN):
        return X.max(axis) if kind == MAX else X.min(axis)
    if kind == SUM:
        return Near(X.sum(axis), X.shape[axis], abs(X).sum(axis))
    partial = np.maximum(abs(X), 1).prod(axis)
    fits = partial < np.finfo(np.float32).max
    return Near(X.prod(axis), X.shape[axis], np.where(fits, abs(X).prod(axis), np.inf))
