"""Matrix products in the one order of all levels: for k ascending, acc = round(acc + a * b).

Products of f16, bf16, tf32 and fp8 are exact in f32. f32 and f64 operands round the product
to the accumulator's type first, integers wrap modulo two to the power of the accumulator's
bits.
"""

import numpy as np

from xetile.interpreter.machine.elements import (
    EXACT_INTEGERS,
    NATIVE_FLOATS,
    Element,
    round_to,
    sum_to_odd,
)
from xetile.interpreter.machine.runtime_values import Array

BLOCK = 1 << 16
"""Accumulator elements that are updated at a time, so that they stay in the cache."""


def multiply_accumulate(a: Array, b: Array, c: Array | None, accumulator: Element) -> Array:
    """Return the sum of c (None: zero) and the product of a and b, each [threads or 1, rows, columns].

    `accumulator` is the type of c and of the result.
    """
    threads = max(len(a), len(b), 1 if c is None else len(c))
    result = np.zeros((threads, a.shape[1], b.shape[2]), accumulator.dtype)
    if c is not None:
        result[...] = c
    if result.size == 0 or a.shape[2] == 0:
        return result
    if not accumulator.is_float:
        _integers(a, b, result)
    elif accumulator.dtype in NATIVE_FLOATS[1:]:
        _by_blocks(a, b, result, accumulator.dtype)
    else:
        _narrow(a, b, result, accumulator)
    return result


def _integers(a: Array, b: Array, result: Array) -> None:
    """Add the product of integers, whose sums do not depend on the order; f64 is exact if they are small enough."""
    largest = max(np.iinfo(operand.dtype).bits for operand in (a, b))
    if a.shape[2] << (2 * largest) <= EXACT_INTEGERS:
        product = np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64)
        result += product.astype(result.dtype)
        return
    wide = np.matmul(a.astype(np.int64), b.astype(np.int64))
    result += wide.astype(result.dtype)


def _by_blocks(a: Array, b: Array, result: Array, dtype: np.dtype[np.generic]) -> None:
    """Add rank-1 updates to blocks of the result, which is contiguous, in its own type."""
    columns = _columns(a, dtype)
    rows_of_b = np.ascontiguousarray(_as(b, dtype))
    threads, m, n = result.shape
    some_threads = max(1, BLOCK // (m * n))
    some_rows = m if some_threads > 1 else min(m, max(1, BLOCK // n))
    for t in range(0, threads, some_threads):
        left, right = (_some(v, t, t + some_threads) for v in (columns, rows_of_b))
        for row in range(0, m, some_rows):
            block = result[t : t + some_threads, row : row + some_rows]
            _update(left[:, :, row : row + some_rows], right, block)


def _update(columns: Array, rows: Array, block: Array) -> None:
    product = np.empty_like(block)
    for k in range(columns.shape[1]):
        np.multiply(columns[:, k, :, None], rows[:, k, None, :], out=product)
        np.add(block, product, out=block)


def _narrow(a: Array, b: Array, result: Array, accumulator: Element) -> None:
    columns, rows = _columns(a, np.dtype(np.float64)), _as(b, np.dtype(np.float64))
    product = np.empty(result.shape, np.float64)
    for k in range(columns.shape[1]):
        np.multiply(columns[:, k, :, None], rows[:, k, None, :], out=product)
        result[...] = round_to(sum_to_odd(result.astype(np.float64), product), accumulator)


def _columns(a: Array, dtype: np.dtype[np.generic]) -> Array:
    """Return the columns of a, one after the other: [threads, k, m]."""
    return np.ascontiguousarray(_as(a, dtype).transpose(0, 2, 1))


def _as(values: Array, dtype: np.dtype[np.generic]) -> Array:
    if values.dtype not in NATIVE_FLOATS:
        values = values.astype(np.float32)
    return values.astype(dtype, copy=False)


def _some(values: Array, start: int, end: int) -> Array:
    return values if len(values) == 1 else values[start:end]
