"""The largest errors of functions: over all numbers of f16 and bf16, over a million of f32 and f64."""

from collections.abc import Iterator, Sequence

import ml_dtypes
import numpy

from tools.device_product.case import Array, Result
from tools.device_product.families.elementwise import DTYPES, Op, kernel
from tools.device_product.judging import Judge
from xetile.runtime.accuracy import ULPS, bound, errors

TYPES = ("f16", "bf16", "f32", "f64")
MANY = 1 << 20
TWO_ARGUMENTS = ("math.powf", "arith.divf", "math.atan2")


def measure(functions: Sequence[str]) -> None:
    """Print a table of the largest errors, beside what is allowed."""
    judge = Judge()
    try:
        for name in functions or tuple(ULPS):
            print(f"{name:12}", *(_cell(judge, name, type) for type in TYPES), flush=True)
    finally:
        judge.close()


def _cell(judge: Judge, name: str, type: str) -> str:
    worst = largest_error(judge, name, type)
    allowed = bound(name, DTYPES[type])
    return f"{type} {worst:.3g} of {0 if allowed is None else allowed:g} ulp;"


def largest_error(judge: Judge, name: str, type: str) -> float:
    """Of a function over a dense sample, in ulp of the result."""
    return max(_largest(judge, name, type, arrays) for arrays in _samples(name, type))


def _largest(judge: Judge, name: str, type: str, arrays: Sequence[Array]) -> float:
    names = "xy"[: len(arrays)]
    op = Op(f"%r = {name} {', '.join(f'%{n}' for n in names)} : #{type}>", type, names)
    program = kernel(type, 8, {name: op}, dict(zip(names, arrays, strict=True)))
    expected, found = judge.both(program, "bmg")
    (number,) = program.results
    result: Result = program.results[number]
    return float(errors(result.numbers(expected[number]), result.numbers(found[number])).max())


def _samples(name: str, type: str) -> Iterator[list[Array]]:
    """Operands: every number of 16 bits, else random bits, numbers around one, and in a range of interest."""
    dtype = DTYPES[type]
    random = numpy.random.default_rng(1)
    count = 2 if name in TWO_ARGUMENTS else 1
    if dtype.itemsize == 2 and count == 1:
        yield [numpy.arange(1 << 16, dtype=numpy.uint16).view(dtype)]
        return
    size = MANY if dtype.itemsize > 2 else 1 << 18
    chosen: list[Array] = []
    for _ in range(count):
        bits = random.integers(0, 1 << 63, size, numpy.uint64).astype(f"u{dtype.itemsize}")
        signs = random.integers(0, 2, size).astype(f"u{dtype.itemsize}") << (
            8 * dtype.itemsize - 1
        )
        kinds = (
            (bits | signs).view(dtype),
            (random.standard_normal(size) * 4).astype(dtype),
            (1 + random.standard_normal(size) / 64).astype(dtype),
            numpy.exp(random.uniform(-20, 20, size)).astype(dtype),
        )
        which = random.integers(0, len(kinds), size)
        chosen.append(
            numpy.choose(which, kinds)
            if dtype != ml_dtypes.bfloat16
            else _choose(which, kinds)
        )
    yield chosen


def _choose(which: Array, kinds: Sequence[Array]) -> Array:
    bits = numpy.choose(which, [kind.view(numpy.uint16) for kind in kinds])
    return bits.view(kinds[0].dtype)
