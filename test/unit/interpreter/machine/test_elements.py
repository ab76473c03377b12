"""Elements of each type in numpy's arrays: integers wrap, floats round once."""

import numpy as np
import pytest
from xdsl.dialects.builtin import BFloat16Type, FloatTF32Type, StringAttr, VectorType, i8
from xdsl.ir import Attribute

from xetile.interpreter.machine.elements import (
    Element,
    find_element,
    round_tf32,
    round_to,
    signed,
    unsigned,
    wrap,
)


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


def test_tf32_keeps_ten_bits() -> None:
    values = np.array([1 + 2**-10, 1 + 2**-11, 1 + 3 * 2**-11, np.inf], np.float32)
    assert round_tf32(values).tolist() == [1 + 2**-10, 1, 1 + 2**-9, np.inf]
    assert element(FloatTF32Type()).dtype == np.float32


def test_what_has_no_element() -> None:
    assert find_element(StringAttr("f32")) is None
    assert find_element(VectorType(i8, [4])) is None
