"""Dense constants: which repeat one element, and parts of them as constants of other shapes."""

import pytest
from xdsl.dialects.builtin import VectorType, f32, i8
from xdsl.ir import Operation

from xetile.analysis.constants import (
    dense_value,
    is_splat,
    splat_of_type,
    taken,
)
from xetile.dialects.modules import parse

COUNTED = "dense<[[0, 1, 2], [3, 4, 5]]> : vector<2x3xi8>"


def constant(text: str) -> Operation:
    (op,) = [op for op in parse(f"%v = arith.constant {text}").walk() if op.results]
    return op


def test_elements_are_taken_by_their_place() -> None:
    value = dense_value(constant(COUNTED))
    assert value is not None
    assert not is_splat(value)
    corner = taken(value, [1, 2, 4, 5], VectorType(i8, [2, 2]))
    assert list(corner.get_values()) == [1, 2, 4, 5]
    assert corner.type == VectorType(i8, [2, 2])


@pytest.mark.parametrize(
    "text", ["dense<2.5> : vector<8x16xf32>", "dense<[2.5, 2.5]> : vector<2xf32>"]
)
def test_one_element_over_another_shape(text: str) -> None:
    value = dense_value(constant(text))
    assert value is not None
    assert is_splat(value)
    assert list(splat_of_type(value, VectorType(f32, [3])).get_values()) == [2.5, 2.5, 2.5]


def test_scalars() -> None:
    assert dense_value(constant("7 : index")) is None
