"""`isa` answers as xDSL's does."""

from typing import Any

import pytest
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    VectorType,
    f32,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa as theirs

from xetile.hints import isa

VALUES: tuple[Any, ...] = (
    f32,
    i32,
    i1,
    IndexType(),
    None,
    VectorType(f32, [4]),
    VectorType(i32, [4]),
    MemRefType(f32, [4]),
    IntegerAttr(1, i32),
    IntegerAttr(1, IndexType()),
    ArrayAttr([IntegerAttr(1, i32)]),
    ArrayAttr([StringAttr("a")]),
    DenseArrayBase.from_list(i64, [1]),
    DenseArrayBase.from_list(f32, [1.0]),
    DenseIntOrFPElementsAttr.from_list(VectorType(i32, [2]), [1, 2]),
)
HINTS: tuple[Any, ...] = (
    Attribute,
    VectorType,
    VectorType[Attribute],
    VectorType[IntegerType],
    MemRefType[Attribute],
    IntegerType,
    IntegerAttr,
    IntegerAttr[IntegerType],
    IntegerAttr[IndexType],
    AnyFloat,
    IntegerType | IndexType,
    ArrayAttr[IntegerAttr[IntegerType]],
    ArrayAttr[StringAttr],
    DenseArrayBase[IntegerType],
    DenseIntOrFPElementsAttr,
    DenseIntOrFPElementsAttr[IntegerType],
)


@pytest.mark.parametrize("hint", HINTS, ids=str)
def test_it_answers_as_xdsl_does(hint: Any) -> None:
    assert [isa(value, hint) for value in VALUES] == [theirs(value, hint) for value in VALUES]
