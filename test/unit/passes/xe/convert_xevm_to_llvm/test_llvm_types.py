"""How many elements a value of level L has."""

import pytest
from xdsl.dialects.builtin import VectorType, f32
from xdsl.ir import Attribute

from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import vector_length


@pytest.mark.parametrize(
    ("type", "elements"),
    [
        (f32, None),
        (VectorType(f32, []), 1),
        (VectorType(f32, [1]), 1),
        (VectorType(f32, [8]), 8),
        (VectorType(f32, [2, 4]), None),
    ],
)
def test_elements(type: Attribute, elements: int | None) -> None:
    assert vector_length(type) == elements
