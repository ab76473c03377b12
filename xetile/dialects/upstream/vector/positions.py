"""Positions of single elements and rows, which xDSL 0.75 does not hold against the vector's extents."""

from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, VectorType
from xdsl.dialects.vector import ExtractOp, InsertOp
from xdsl.ir import Attribute, Operation

from xetile.errors import fail

_VECTOR_OPERAND: dict[type[Operation], int] = {ExtractOp: 0, InsertOp: 1}


def verify_positions(op: Operation) -> None:
    """Refuse a written position outside of the vector, as mlir-opt does; -1 is poison there.

    Errors: XetileError that names the position and what it may be.
    """
    operand = _VECTOR_OPERAND.get(type(op))
    written = op.properties.get("static_position")
    if (
        operand is None
        or len(op.operands) <= operand
        or not isinstance(written, DenseArrayBase)
    ):
        return
    vector = op.operands[operand].type
    if not isinstance(vector, VectorType):
        return
    extents = cast("VectorType[Attribute]", vector).get_shape()
    for position, extent in zip(written.get_values(), extents, strict=False):
        if position != DYNAMIC_INDEX and not -1 <= position < extent:
            fail(
                op,
                f"the position is {position} in a dimension of {extent} of {vector}, it has to lie in [-1, {extent})",
            )
