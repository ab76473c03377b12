"""The one order of all levels against a scalar model with exact arithmetic."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, i32

from xetile.interpreter.common.products import BLOCK, multiply_accumulate
from xetile.interpreter.machine.elements import Element, find_element, round_tf32, round_to
from xetile.interpreter.machine.runtime_values import Array

F16, BF16, F32, F64, I32 = (
    found
    for found in map(
        find_element, (Float16Type(), BFloat16Type(), Float32Type(), Float64Type(), i32)
    )
    if found is not None
)


def round_exactly(
    value: Fraction, of: Element, *, fraction_bits: int, least_exponent: int
) -> float:
    """An exact number rounded to nearest even by its definition."""
    if value == 0:
        return 0.0
    magnitude = abs(value)
    exponent = 0
    while magnitude >= 2 ** (exponent + 1):
        exponent += 1
    while magnitude < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, least_exponent) - fraction_bits)
    steps, rest = divmod(magnitude, unit)
    if rest * 2 > unit or (rest * 2 == unit and steps % 2 == 1):
        steps += 1
    return float(steps * unit) * (1 if value > 0 else -1)


FORMATS = {"f16": (10, -14), "bf16": (7, -126), "f32": (23, -126)}


def model(a: Array, b: Array, c: Array, of: Element) -> Array:
    """acc = round(acc + a * b) for k ascending, with exact products."""
    bits, least = FORMATS[of.name]
    result = np.zeros(c.shape, np.float64)
    for t, i, j in np.ndindex(c.shape):
        total = Fraction(float(c[t, i, j]))
        for k in range(a.shape[2]):
            total += Fraction(float(a[t, i, k])) * Fraction(float(b[t, k, j]))
            total = Fraction(
                round_exactly(total, of, fraction_bits=bits, least_exponent=least)
            )
        result[t, i, j] = float(total)
    return result


@pytest.mark.parametrize(
    "operand, of",
    [
        (np.float16, F32),
        (ml_dtypes.bfloat16, F32),
        (ml_dtypes.float8_e4m3fn, F32),
        (ml_dtypes.float8_e5m2, F32),
        (np.float16, F16),
        (ml_dtypes.bfloat16, BF16),
    ],
)
def test_one_rounding_per_step(operand: type[np.generic], of: Element):
    rng = np.random.default_rng(1)
    a: Array = rng.standard_normal((2, 3, 24)).astype(operand)
    b: Array = rng.standard_normal((2, 24, 5)).astype(operand)
    c = rng.standard_normal((2, 3, 5)).astype(of.dtype)
    found = multiply_accumulate(a, b, c, of)
    assert found.dtype == of.dtype
    np.testing.assert_array_equal(found.astype(np.float64), model(a, b, c, of))


def test_a_tiny_product_breaks_a_tie_of_bf16():
    # 1 + 2^-8 lies halfway between two bf16; the second product is far below the last bit of f64.
    tiny = 2.0**-60
    a = np.array([[[1.0, tiny]]], ml_dtypes.bfloat16)
    b = np.array([[[2.0**-8], [tiny]]], ml_dtypes.bfloat16)
    one = np.ones((1, 1, 1), ml_dtypes.bfloat16)
    assert multiply_accumulate(a[:, :, :1], b[:, :1], one, BF16)[0, 0, 0] == 1.0
    above = np.array([[[2.0**-120]]], ml_dtypes.bfloat16)
    halfway = np.array([[[1 + 2.0**-7]]], ml_dtypes.bfloat16)
    square = multiply_accumulate(halfway, halfway, above, BF16)[0, 0, 0]
    exact = (1 + Fraction(1, 128)) ** 2 + Fraction(2) ** -120
    assert float(square) == round_exactly(exact, BF16, fraction_bits=7, least_exponent=-126)


def test_f32_and_f64_operands_round_the_product_first():
    rng = np.random.default_rng(2)
    for of in (F32, F64):
        a: Array = rng.standard_normal((1, 2, 9)).astype(of.dtype)
        b: Array = rng.standard_normal((1, 9, 2)).astype(of.dtype)
        expected: Array = np.zeros((1, 2, 2), of.dtype)
        for k in range(9):
            expected = expected + a[:, :, k, None] * b[:, k, None, :]
        np.testing.assert_array_equal(multiply_accumulate(a, b, None, of), expected)


def test_integers_wrap():
    a = np.full((1, 1, 4), -128, np.int8)
    b = np.full((1, 4, 1), -128, np.int8)
    c = np.full((1, 1, 1), 2**31 - 1, np.int32)
    assert multiply_accumulate(a, b, c, I32)[0, 0, 0] == -(2**31) - 1 + 4 * 128 * 128


def test_mixed_signs_and_deep_sums_are_exact():
    rng = np.random.default_rng(3)
    a = rng.integers(0, 256, (1, 2, 4096)).astype(np.uint8)
    b = rng.integers(-128, 128, (1, 4096, 3)).astype(np.int8)
    expected = a.astype(np.int64) @ b.astype(np.int64)
    np.testing.assert_array_equal(multiply_accumulate(a, b, None, I32), expected)
    wide = rng.integers(-(2**31), 2**31, (1, 2, 64)).astype(np.int32)
    other = rng.integers(-(2**31), 2**31, (1, 64, 2)).astype(np.int32)
    found = multiply_accumulate(wide, other, None, I32)
    for i, j in np.ndindex(2, 2):
        exact = sum(int(wide[0, i, k]) * int(other[0, k, j]) for k in range(64))
        assert int(found[0, i, j]) == (exact + 2**31) % 2**32 - 2**31


def test_blocks_and_shared_operands_change_nothing():
    rng = np.random.default_rng(4)
    n = 512
    m = BLOCK // n * 2 + 3
    a = rng.standard_normal((1, m, 3)).astype(np.float16)
    b = rng.standard_normal((3, 3, n)).astype(np.float16)
    found = multiply_accumulate(a, b, None, F32)
    for thread in range(3):
        one = multiply_accumulate(a[:, 5:6], b[thread : thread + 1], None, F32)
        np.testing.assert_array_equal(found[thread, 5], one[0, 0])
    small = multiply_accumulate(
        a[:, :4], rng.standard_normal((900, 3, 16)).astype(np.float16), None, F32
    )
    assert small.shape == (900, 4, 16)


@pytest.mark.parametrize("of", [F16, BF16])
def test_rounding_of_f64_happens_once(of: Element):
    bits, least = FORMATS[of.name]
    rng = np.random.default_rng(5)
    values = rng.standard_normal(400) * np.exp2(rng.integers(-30, 12, 400))
    unit = 2.0 ** -(bits + 1)
    ties = 1 + unit * np.arange(1, 40)
    values = np.concatenate([values, ties, ties + 2.0**-40, ties - 2.0**-40, -ties - 2.0**-45])
    expected = [
        round_exactly(Fraction(v), of, fraction_bits=bits, least_exponent=least)
        for v in values.tolist()
    ]
    np.testing.assert_array_equal(round_to(values, of).astype(np.float64), expected)


def test_rounding_keeps_infinity_and_nan():
    values = np.array([np.inf, -np.inf, np.nan, 1e300, -0.0])
    with np.errstate(over="ignore"):
        found = round_to(values, BF16).astype(np.float64)
    assert found[0] == np.inf
    assert found[1] == -np.inf
    assert np.isnan(found[2])
    assert found[3] == np.inf
    assert np.signbit(found[4])


def test_tf32_has_ten_bits_of_fraction():
    one = np.float32(1)
    ulp = np.float32(2.0**-10)
    values = np.array(
        [1 + ulp / 2, 1 + ulp / 2 + 2.0**-20, 1 + 3 * ulp / 2, np.nan, np.inf], np.float32
    )
    found = round_tf32(values)
    np.testing.assert_array_equal(found[:3], [one, one + ulp, one + 2 * ulp])
    assert np.isnan(found[3])
    assert found[4] == np.inf
