"""Attributes that are made once are xDSL's own, and told apart by value and type."""

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, IntegerType, i32, i64

from xetile.dialects.shared_attributes import INDEX, integer, integer_array, integer_type, word


def test_they_are_equal_to_xdsls_and_one_object():
    assert integer_type(16) == IntegerType(16)
    assert integer_type(16) is integer_type(16)
    assert integer(7, i32) == IntegerAttr(7, i32)
    assert integer(7, INDEX) == IntegerAttr(7, IndexType())
    assert word(-1) == IntegerAttr(-1, i32)
    assert word(-1) is word(-1)
    assert integer_array([3, 1]) == DenseArrayBase.from_list(i64, [3, 1])
    assert integer_array([3, 1]) is integer_array((3, 1))


def test_types_and_values_stay_apart():
    made = [word(1, 8), word(1, 32), integer(1, INDEX), integer(1, i64), word(0, 8)]
    assert len(set(made)) == len(made)
