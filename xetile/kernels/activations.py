"""Functions of elements that follow a product; pass them to kernels as `activation=`."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

import xetile.language as xt
from xetile.language.testing import Numbers

Activation: TypeAlias = Callable[[xt.Tile], xt.Tile]
"""A function of the sums in f32."""

_CUBIC = 0.044715
_ROOT = 0.7978845608028654
"""The square root of 2 / pi."""


def relu(x: xt.Tile) -> xt.Tile:
    """Return the larger of x and 0; 0 for a NaN, as the hardware's instruction does."""
    return xt.fmax(x, 0.0)


def gelu(x: xt.Tile) -> xt.Tile:
    """X / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).

    The tanh may be approximate: 1 is added to it, so the digits near zero that are lost then are lost anyway.
    """
    inner = x * (x * x * _CUBIC + 1.0) * _ROOT
    with xt.fastmath("afn"):
        bend = xt.tanh(inner)
    return x * 0.5 * (bend + 1.0)


def silu(x: xt.Tile) -> xt.Tile:
    """Return x / (1 + exp(-x)); the division may become a product with the reciprocal."""
    with xt.fastmath("arcp"):
        return x / (xt.exp(-x) + 1.0)


def _gelu(x: Numbers) -> Numbers:
    return x / 2 * (1 + np.tanh(_ROOT * (x + _CUBIC * x**3)))


REFERENCES: Mapping[Activation, Callable[[Numbers], Numbers]] = {
    relu: lambda x: np.fmax(x, 0),
    gelu: _gelu,
    silu: lambda x: x / (1 + np.exp(-x)),
}
"""The activations with their numpy references."""
