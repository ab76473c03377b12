"""Elements of each type in numpy's arrays: integers wrap, floats round once."""

import numpy as np
import pytest
from xdsl.dialects.builtin import BFloat16Type, FloatTF32Type, StringAttr, VectorType, i8
from xdsl.ir import Attribute

from xetile.interpreter.machine.elements import (
    TF32_DROPPED_BITS,
    Element,
    cut_tf32,
    find_element,
    round_tf32,
    round_to,
    signed,
    unsigned,
    wrap,
)
from xetile.targets.xe.dpas import TF32_BITS


def element(type: Attribute) -> Element:
    found = find_element(type)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("value", "as_signed", "as_unsigned"), [(200, -56, 200), (-1, -1, 255)]
)
def test_integers_wrap_and_have_two_readings(
    value: int, as_signed: int, as_unsigned: int
) -> None:
    wrapped = wrap(np.array([value]), element(i8))
    assert signed(wrapped, element(i8)).tolist() == [as_signed]
    assert unsigned(wrapped, element(i8)).tolist() == [as_unsigned]


def test_bf16_rounds_to_the_nearest_even() -> None:
    values = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20], np.float32)
    rounded = round_to(values, element(BFloat16Type())).astype(np.float32)
    assert rounded.tolist() == [1, 1 + 2**-6, 1 + 2**-7]


def test_tf32_is_the_upper_bits_of_a_word() -> None:
    """Loaded it is cut, as the matrix instruction reads it; what is computed is rounded."""
    assert TF32_DROPPED_BITS == 32 - TF32_BITS
    values = np.array([1 + 2**-10 + 2**-11 + 2**-20, -1 - 2**-11, 1e-40, np.inf], np.float32)
    assert cut_tf32(values).tolist() == [1 + 2**-10, -1, 1e-40 // 2**-136 * 2**-136, np.inf]
    low = np.array([0x7F800001, 0xFFC00001], np.uint32).view(np.float32)
    assert cut_tf32(low).view(np.uint32).tolist() == [0x7F800000, 0xFFC00000]
    assert round_tf32(low).view(np.uint32).tolist() == [0x7FC00000, 0xFFC00000]


def test_tf32_keeps_ten_bits() -> None:
    values = np.array([1 + 2**-10, 1 + 2**-11, 1 + 3 * 2**-11, np.inf], np.float32)
    assert round_tf32(values).tolist() == [1 + 2**-10, 1, 1 + 2**-9, np.inf]
    assert element(FloatTF32Type()).dtype == np.float32


def test_what_has_no_element() -> None:
    assert find_element(StringAttr("f32")) is None
    assert find_element(VectorType(i8, [4])) is None
