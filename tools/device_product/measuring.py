"""The largest errors of functions: over all numbers of f16 and bf16, over a million of f32 and f64."""

from collections.abc import Sequence

import numpy

from tools.device_product.accuracy import ULPS, bound, errors
from tools.device_product.case import Array
from tools.device_product.families.elementwise import Op, kernel
from tools.device_product.families.numbers import DTYPES
from tools.device_product.judging import Judge

TYPES = ("f16", "bf16", "f32", "f64")
MANY = 1 << 20
EXACT = ("arith.divf", "math.sqrt")
"""What a device computes exactly where it is asked to."""
TWO_ARGUMENTS = ("math.atan2", "math.powf", "arith.divf")
_EXPONENT = -3
"""Of math.fpowi, all results of which are rounded."""


def measure(functions: Sequence[str]) -> bool:
    """Print the largest errors beside what is allowed; whether none is larger than that."""
    names = functions or (*ULPS, *EXACT)
    within = True
    judge = Judge()
    try:
        for type in TYPES:
            for count in (1, 2):
                chosen = [name for name in names if (name in TWO_ARGUMENTS) == (count == 2)]
                for name, worst in largest_errors(judge, chosen, type, count).items():
                    allowed = bound(name, DTYPES[type]) or 0.0
                    within &= worst <= allowed
                    print(f"{name:12} {type:5} {worst:.3g} of {allowed:g} ulp", flush=True)
    finally:
        judge.close()
    return within


def largest_errors(
    judge: Judge, names: Sequence[str], type: str, count: int
) -> dict[str, float]:
    """Of functions of one or two arguments over a dense sample, in ulp of the result."""
    if not names:
        return {}
    operands = dict(zip("xy"[:count], _sample(type, count), strict=True))
    values = ", ".join(f"%{name}" for name in operands)
    ops = {n: Op(_lines(n, values, type), type, "".join(operands)) for n in names}
    program = kernel(type, 8, ops, operands)
    expected, found = judge.both(program, "bmg")
    worst: dict[str, float] = {}
    for number, result in program.results.items():
        left, right = expected[number], found[number]
        assert isinstance(left, numpy.ndarray)
        assert isinstance(right, numpy.ndarray)
        worst[result.part] = float(errors(result.numbers(left), result.numbers(right)).max())
    return worst


def _lines(name: str, values: str, type: str) -> str:
    if name != "math.fpowi":
        return f"%r = {name} {values} : #{type}>"
    power = f"%c = arith.constant dense<{_EXPONENT}> : #i32>"
    return f"{power}\n%r = {name} {values}, %c : #{type}>, #i32>"


def _sample(type: str, count: int) -> list[Array]:
    """Every number of 16 bits, else random bits, numbers around one, and some decades of both."""
    dtype = DTYPES[type]
    if dtype.itemsize == 2 and count == 1:
        return [numpy.arange(1 << 16, dtype=numpy.uint16).view(dtype)]
    random = numpy.random.default_rng(1)
    return [_numbers(random, MANY, dtype) for _ in range(count)]


def _numbers(
    random: numpy.random.Generator, size: int, dtype: "numpy.dtype[numpy.generic]"
) -> Array:
    word = numpy.dtype(f"u{dtype.itemsize}")
    kinds = (
        random.integers(0, 1 << (8 * dtype.itemsize - 1), size, numpy.uint64).astype(word) * 2
        + random.integers(0, 2, size).astype(word),
        (random.standard_normal(size) * 4).astype(dtype).view(word),
        (1 + random.standard_normal(size) / 64).astype(dtype).view(word),
        numpy.exp(random.uniform(-10, 10, size)).astype(dtype).view(word),
    )
    return numpy.choose(random.integers(0, len(kinds), size), kinds).astype(word).view(dtype)
