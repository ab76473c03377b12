"""The ops that replace one op, and vectors as the matrices that they become."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.upstream.vector import ShapeCastOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import TileBroadcastOp, TileTransposeOp
from xetile.errors import fail


class Matrix(NamedTuple):
    """The dimensions of a vector that are the rows and the columns of its matrix; None for an extent of 1."""

    rows: int | None
    columns: int | None

    def side(self, dimension: int) -> int | None:
        """Return 0 for the dimension of the rows, 1 for that of the columns, or None."""
        return self.index(dimension) if dimension in self else None


def matrix_of(shape: Sequence[int]) -> Matrix | None:
    """Drop dimensions of extent 1, the first ones first, until two are left; return None if more remain."""
    kept = list(range(len(shape)))
    while len(kept) > 2:
        single = next((d for d in kept if shape[d] == 1), None)
        if single is None:
            return None
        kept.remove(single)
    return Matrix(*[None] * (2 - len(kept)), *kept)


def matrix_type(type: VectorType[Attribute]) -> VectorType[Attribute] | None:
    """Return the type of the matrix that a vector becomes, or None if it has more than two dimensions."""
    shape = type.get_shape()
    found = matrix_of(shape)
    if found is None or any(type.get_scalable_dims()):
        return None
    return VectorType(type.element_type, [1 if d is None else shape[d] for d in found])


class Making:
    """The ops that replace one op."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.made: list[Operation] = []

    def add(self, op: Operation) -> SSAValue:
        """Add an op and return its result, if it has one."""
        self.made.append(op)
        return op.results[0] if op.results else op.operands[0]

    def dimensions(self, value: SSAValue) -> Matrix:
        """Return the dimensions of a vector's matrix.

        Errors: XetileError at the op if there are more than two, and for scalable vectors.
        """
        type = vector_type(value)
        if any(type.get_scalable_dims()):
            fail(self.op, f"{type} is scalable; a tile has a size that is known")
        found = matrix_of(type.get_shape())
        if found is None:
            fail(
                self.op,
                f"{value.type} has more than two dimensions whose extent is not 1; a tile has two",
            )
        return found

    def matrix(self, value: SSAValue) -> SSAValue:
        """Return a vector as its matrix."""
        self.dimensions(value)
        type = matrix_type(vector_type(value))
        assert type is not None
        return value if type == value.type else self.add(ShapeCastOp(value, type))

    def like(self, matrix: SSAValue, vector: SSAValue) -> SSAValue:
        """Return a matrix as a vector of the shape of another one, with the same elements."""
        type = vector_type(vector)
        return matrix if type == matrix.type else self.add(ShapeCastOp(matrix, type))

    def arranged(
        self, matrix: SSAValue, sides: Sequence[int | None], shape: Sequence[int]
    ) -> SSAValue:
        """Return a matrix in another shape; `sides` has the old side (0, 1) of its rows and columns, None of copies."""
        if sides[0] == 1 or sides[1] == 0:
            matrix = self.add(TileTransposeOp(matrix))
        given = vector_type(matrix)
        copied = [d for d in range(2) if given.get_shape()[d] != shape[d]]
        if not copied:
            return matrix
        return self.add(TileBroadcastOp(matrix, copied, VectorType(given.element_type, shape)))


def sides_of(
    result: Matrix, source: Matrix, origins: Sequence[int | None]
) -> list[int | None]:
    """Return for each side of a result the side of the source; `origins` maps result dimensions to the source's."""
    return [
        None if d is None or (origin := origins[d]) is None else source.side(origin)
        for d in result
    ]


def extents(value: SSAValue, dimensions: Iterable[int | None]) -> list[int]:
    """Return the extents of some dimensions of a vector, 1 for None."""
    shape = vector_type(value).get_shape()
    return [1 if d is None else shape[d] for d in dimensions]
