"""Arithmetic modulo a prime, on centered representatives: int64 from -(p - 1) / 2 to (p - 1) / 2.

Small integers represent themselves, also negative ones. Anything that the field lacks (fractions, functions such as
exp) is a fixed pseudo-random map: equal for equal arguments, and unrelated to anything else.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b

import numpy as np

from xetile.interpreter.machine.runtime_values import Array

PRIME_BITS = 31

PRIME = (1 << PRIME_BITS) - 1
"""The modulus, a Mersenne prime: two to the power of its bits is one."""

LARGEST = PRIME >> 1
"""The largest representative."""

NAN = LARGEST
"""The element that represents NaN; minimumf returns it and minnumf ignores it."""

INFINITY = LARGEST - 1
"""The element that represents infinity, its negative the negative one: all others are between."""

_HALF_BITS = 15
"""Bits of the lower part of a representative, in products of matrices."""

_FRACTION_BITS = 53
"""Bits of the fraction of f64."""

_EXACT_SIZE = 1 << 62
"""Integral floats below this fit in 64-bit integers."""


def centred(values: Array) -> Array:
    """Return representatives of 64-bit integers, which must not be near the ends of their range."""
    return (values + LARGEST) % PRIME - LARGEST


def times(x: Array, y: Array) -> Array:
    """Return products of representatives."""
    return centred(x * y)


def power(x: Array, exponent: Array) -> Array:
    """Return powers of representatives; for negative exponents those of the inverse."""
    x, exponent = np.broadcast_arrays(x, exponent)
    if (exponent < 0).any():
        x = np.where(exponent < 0, inverse(x), x)
    rest, square, result = np.abs(exponent), x, np.ones_like(x)
    while rest.any():
        result = np.where(rest & 1, times(result, square), result)
        square, rest = times(square, square), rest >> 1
    return result


def inverse(x: Array) -> Array:
    """Return the multiplicative inverse; for zero an arbitrary element."""
    result, square = np.ones_like(x), x
    for bit in range(PRIME_BITS):
        if (PRIME - 2) >> bit & 1:
            result = times(result, square)
        square = times(square, square)
    return np.where(x == 0, scattered("inverse", [x]), result)


def scattered(name: str, arguments: Sequence[Array]) -> Array:
    """Apply a fixed pseudo-random map to 64-bit arguments; each name has its own."""
    state = np.full((), _salt(name), np.uint64)
    for argument in arguments:
        state = _mixed(state ^ argument.astype(np.int64, copy=False).view(np.uint64))
    return (state % np.uint64(PRIME)).astype(np.int64) - LARGEST


@cache
def _salt(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest())


def _mixed(state: Array) -> Array:
    """Apply the finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014), a bijection."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def of_integers(values: Array) -> Array:
    """Return representatives of 64-bit integers, signed or unsigned."""
    return centred((values % values.dtype.type(PRIME)).astype(np.int64))


def of_floats(values: Array) -> Array:
    """Return representatives of f64: integers as themselves, others scattered.

    Infinities are the outermost ones, so that they compare as floats do.
    """
    found = scattered("number", [values.view(np.int64)])
    finite = np.isfinite(values)
    whole = finite & (np.trunc(values) == values)
    small = whole & (np.abs(values) < _EXACT_SIZE)
    found[small] = of_integers(values[small].astype(np.int64))
    found[whole & ~small] = _of_large(values[whole & ~small])
    found[values == np.inf] = INFINITY
    found[values == -np.inf] = -INFINITY
    found[np.isnan(values)] = NAN
    return found


def _of_large(values: Array) -> Array:
    fraction, exponent = np.frexp(values)
    integers = np.ldexp(fraction, _FRACTION_BITS).astype(np.int64)
    shift = (exponent.astype(np.int64) - _FRACTION_BITS) % PRIME_BITS
    return times(of_integers(integers), of_integers(np.int64(1) << shift))


def product(a: Array, b: Array, c: Array | None) -> Array:
    """Return the product of matrices [threads or 1, rows, columns] of representatives, plus c.

    Exact in f64 by halves of the representatives, as long as rows have fewer than 2^22 elements.
    """
    (a_low, a_high), (b_low, b_high) = _halves(a), _halves(b)
    low = _whole(a_low @ b_low)
    middle = _whole(a_low @ b_high) + _whole(a_high @ b_low)
    high = _whole(a_high @ b_high)
    step = 1 << _HALF_BITS
    total = centred(centred(centred(high) * step + middle) * step + low)
    return total if c is None else centred(total + c)


def _halves(values: Array) -> tuple[Array, Array]:
    low = values & ((1 << _HALF_BITS) - 1)
    return low.astype(np.float64), (values >> _HALF_BITS).astype(np.float64)


def _whole(values: Array) -> Array:
    return values.astype(np.int64)
