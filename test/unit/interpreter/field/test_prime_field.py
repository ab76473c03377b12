"""Arithmetic modulo the prime, against Python's integers."""

import numpy as np
import pytest

from xetile.interpreter.field.prime_field import (
    INFINITY,
    LARGEST,
    NAN,
    PRIME,
    inverse,
    of_floats,
    of_integers,
    power,
    product,
    scattered,
    times,
)

EDGES = [0, 1, -1, 2, LARGEST, -LARGEST, LARGEST - 1, 12345, -98765]


def test_representatives_are_centred() -> None:
    numbers = [*EDGES, PRIME, -PRIME, PRIME + 1, 1 << 62, -(1 << 62)]
    found = of_integers(np.array(numbers)).tolist()
    assert all(
        -LARGEST <= r <= LARGEST and (r - n) % PRIME == 0
        for r, n in zip(found, numbers, strict=True)
    )
    assert of_integers(np.array([2**64 - 1], np.uint64)) == [(2**64 - 1) % PRIME]


def test_products_powers_and_inverses() -> None:
    x, y = (a.reshape(-1) for a in np.meshgrid(EDGES, EDGES))
    assert (
        (times(x, y) - [int(a) * int(b) for a, b in zip(x, y, strict=True)]) % PRIME == 0
    ).all()
    nonzero = x[x != 0]
    assert (times(nonzero, inverse(nonzero)) == 1).all()
    assert power(np.array([3, -2, 7]), np.array([40, 3, -1])).tolist() == [
        (pow(3, 40, PRIME) + LARGEST) % PRIME - LARGEST,
        -8,
        int(inverse(np.array([7]))[0]),
    ]


@pytest.mark.parametrize("depth", [1, 7, 4096])
def test_matrix_products_are_exact(depth: int) -> None:
    random = np.random.default_rng(depth)
    a = random.integers(-LARGEST, LARGEST + 1, (2, 3, depth))
    b = random.integers(-LARGEST, LARGEST + 1, (1, depth, 4))
    a[0, 0], b[0, :, 0] = LARGEST, -LARGEST
    c = random.integers(-LARGEST, LARGEST + 1, (2, 3, 4))
    exact = a.astype(object) @ b.astype(object) + c
    assert ((product(a, b, c) - exact) % PRIME == 0).all()


def test_floats() -> None:
    values = np.array([0.0, -0.0, 3.0, -7.0, 2.0**100, -(2.0**40), np.inf, -np.inf, np.nan])
    found = of_floats(values).tolist()
    assert found[:4] == [0, 0, 3, -7]
    assert (found[4] - 2**100) % PRIME == 0
    assert (found[5] + 2**40) % PRIME == 0
    assert found[6:] == [INFINITY, -INFINITY, NAN]


def test_what_is_no_integer_is_scattered() -> None:
    values = np.arange(1, 2000, 2) / 4096
    found = of_floats(values)
    assert len(set(found.tolist())) == len(found)
    assert abs(found.mean()) < LARGEST / 10
    assert (found == of_floats(values.astype(np.float32).astype(np.float64))).all()
    assert (scattered("exp", [found]) != scattered("log", [found])).all()


def test_the_maps_are_fixed() -> None:
    """Numbers that are written down: another process, machine or release finds the same."""
    assert of_floats(np.array([0.5, -0.5, 1e-3])).tolist() == FIXED[:3]
    assert scattered("math.exp", [np.array([1])]).tolist() == FIXED[3:]


FIXED = [612257761, -755719132, -757513104, 673749301]
