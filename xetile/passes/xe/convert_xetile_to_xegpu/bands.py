"""Vectors whose blocks have different heights: those of messages and instructions one below the other.

24 rows are loaded by messages of 16 and 8. 7 rows of a product are 8 of an instruction, whose last row is unused.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, Self

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_speculatable

from xetile.analysis.constants import dense_value, is_splat, splat_of_type
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import (
    BroadcastOp,
    ExtractStridedSliceOp,
    InsertStridedSliceOp,
)
from xetile.dialects.upstream.vector.vector_support import vector_of, vector_type
from xetile.errors import fail
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import repeated
from xetile.planning.xe.heights import Heights, held_rows
from xetile.rewriting.one_to_many import Expansion, Form, Parts
from xetile.rewriting.rewriter import remade


@dataclass(eq=False)
class Bands(Parts):
    """A vector as blocks of `width` columns in bands of `heights` rows, row-major; `pack` rows share a register word.

    The number of rows of a block is the next power of two; rows beyond those of its band are filler.
    """

    heights: Heights
    width: int
    pack: int = 1

    @classmethod
    def built(
        cls, heights: Heights, width: int, columns: int, make: Callable[[int, int], SSAValue]
    ) -> Self:
        """Return the vector of blocks made by `make`, in the order of bands and columns."""
        blocks = [
            make(band, column) for band in range(len(heights)) for column in range(columns)
        ]
        return cls(blocks, heights, width)

    @property
    def columns(self) -> int:
        """The number of blocks in a row."""
        return len(self.values) // len(self.heights)

    @property
    def starts(self) -> tuple[int, ...]:
        """The first row of each band."""
        return tuple(accumulate(self.heights[:-1], initial=0))

    def at(self, band: int, column: int) -> SSAValue:
        return self.values[band * self.columns + column]

    def agrees_with(self, other: Parts) -> bool:
        return (
            isinstance(other, Bands)
            and (self.heights, self.width, self.pack)
            == (other.heights, other.width, other.pack)
            and super().agrees_with(other)
        )

    def describe(self) -> str:
        return f"bands of {', '.join(map(str, self.heights))} rows in {self.columns} blocks of {self.width} columns"


def rebanded(view: Expansion, source: Bands, heights: Heights, width: int) -> Bands:
    """Return the same vector in other bands and columns, with new blocks only where they are needed."""
    if (heights, width) == (source.heights, source.width):
        return source
    columns = source.columns * source.width // width
    starts = tuple(accumulate(heights[:-1], initial=0))

    def block(band: int, column: int) -> SSAValue:
        box = _Box(starts[band], column * width, heights[band], width)
        return _taken(view, source, box)

    made = Bands.built(heights, width, columns, block)
    made.pack = source.pack
    return made


def whole(view: Expansion, source: Bands) -> SSAValue:
    """Return the same vector in one block, which has no filler."""
    box = _Box(0, 0, sum(source.heights), source.columns * source.width)
    return _joined(view, source, _overlaps(source, box), box, box.rows)


def elementwise(
    view: Expansion, op: Operation, operands: Sequence[Form]
) -> list[Bands] | None:
    """Return the results of an op on vectors in bands, or None if its operands are in blocks of one size.

    The op also computes on filler rows, so it must be one that cannot fail on any number.
    """
    bands = _finest([part for part in operands if isinstance(part, Bands)])
    others = (part for part in operands if not isinstance(part, Bands | SSAValue))
    if bands is None or not all(map(_repeats, others)):
        return None
    if not is_speculatable(op) and any(
        held_rows(height) != height for height in bands.heights
    ):
        return None
    aligned = [
        rebanded(view, part, bands.heights, bands.width) if isinstance(part, Bands) else part
        for part in operands
    ]
    made: list[list[SSAValue]] = [[] for _ in op.results]
    for index, block in enumerate(bands.values):
        shape = vector_type(block).get_shape()
        parts = [_part(view, part, index, shape) for part in aligned]
        types = [vector_of(vector_type(v).element_type, shape) for v in op.results]
        results = view.emit(remade(op, parts, types)).results
        for values, value in zip(made, results, strict=True):
            values.append(value)
    return [bands.with_values(values) for values in made]


def _finest(found: Sequence[Bands]) -> Bands | None:
    """Return the bands of vectors of one shape into which all the others can be cut, or None if there are none."""
    if not found:
        return None
    most = max(found, key=lambda bands: (len(bands.heights), -bands.width))
    fits = all(
        {*bands.starts} <= {*most.starts}
        and bands.width % most.width == 0
        and bands.pack == most.pack
        for bands in found
    )
    return most if fits else None


def _repeats(part: Form) -> bool:
    """Return True if a vector is the same block of one number, repeated."""
    if not isinstance(part, Parts) or len({*part.values}) != 1:
        return False
    owner = part.values[0].owner
    if not isinstance(owner, Operation):
        return False
    value = dense_value(owner)
    return (value is not None and is_splat(value)) or _is_broadcast_scalar(owner)


def _is_broadcast_scalar(op: Operation) -> bool:
    return isinstance(op, BroadcastOp) and not isinstance(op.source.type, VectorType)


def _part(view: Expansion, part: Form, index: int, shape: Sequence[int]) -> SSAValue:
    """Return the operand of an op on one block: the block, a scalar, or the number that a vector repeats."""
    if isinstance(part, Bands):
        return part.values[index]
    if not isinstance(part, Parts):
        return part
    value, owner = part.values[0], part.values[0].owner
    type = vector_of(vector_type(value).element_type, shape)
    if type == value.type:
        return value
    if isinstance(owner, BroadcastOp):
        return view.new(BroadcastOp(owner.source, type))
    given = dense_value(owner) if isinstance(owner, Operation) else None
    assert given is not None
    return view.new(arith.ConstantOp(splat_of_type(given, type)))


class _Box(NamedTuple):
    """A rectangle of a vector (elements)."""

    row: int
    column: int
    rows: int
    columns: int


_Overlap = tuple[SSAValue, tuple[int, int], _Box]


def _taken(view: Expansion, source: Bands, box: _Box) -> SSAValue:
    found = list(_overlaps(source, box))
    value, start, piece = found[0]
    rows = held_rows(box.rows)
    if len(found) == 1 and start == (0, 0):
        held = vector_type(value).get_shape()
        if (held[0] * source.pack, held[1]) == (rows, box.columns):
            return value
    if len(found) == 1 and start[0] + rows <= vector_type(value).get_shape()[0] * source.pack:
        return _cut(view, source, value, start, piece._replace(rows=rows))
    return _joined(view, source, found, box, rows)


def _joined(
    view: Expansion, source: Bands, found: Iterable[_Overlap], box: _Box, rows: int
) -> SSAValue:
    """Join parts of blocks in one block of `rows` rows, of which the box has the first."""
    if source.pack != 1:
        fail(
            view.current,
            f"{source.describe()}, packed, cannot be put together to {box.rows} rows",
        )
    block = vector_of(vector_type(source.values[0]).element_type, (rows, box.columns))
    joined = view.new(arith.ConstantOp(repeated(0, block)))
    for value, start, piece in found:
        at = (piece.row - box.row, piece.column - box.column)
        for down, height in _powers_of_two(piece.rows):
            part = _Box(piece.row + down, piece.column, height, piece.columns)
            taken = _cut(view, source, value, (start[0] + down, start[1]), part)
            joined = view.new(InsertStridedSliceOp(taken, joined, (at[0] + down, at[1])))
    return joined


def _overlaps(source: Bands, box: _Box) -> Iterator[_Overlap]:
    """Yield the blocks that overlap a box, with the place in the block and the part that overlaps."""
    for band, (top, height) in enumerate(zip(source.starts, source.heights, strict=True)):
        row, end = max(top, box.row), min(top + height, box.row + box.rows)
        if row >= end:
            continue
        for index in range(source.columns):
            left = index * source.width
            column, edge = (
                max(left, box.column),
                min(left + source.width, box.column + box.columns),
            )
            if column < edge:
                part = _Box(row, column, end - row, edge - column)
                yield source.at(band, index), (row - top, column - left), part


def _cut(
    view: Expansion, source: Bands, value: SSAValue, start: tuple[int, int], box: _Box
) -> SSAValue:
    pack = source.pack
    offsets, sizes = [start[0] // pack, start[1]], [box.rows // pack, box.columns]
    if pack != 1:
        offsets, sizes = [*offsets, 0], [*sizes, pack]
    if tuple(sizes) == vector_type(value).get_shape():
        return value
    return view.new(ExtractStridedSliceOp(value, offsets, sizes))


def _powers_of_two(rows: int) -> Iterator[tuple[int, int]]:
    """Split rows into powers of two, which have layouts: yield where each begins, and its rows."""
    start = 0
    while start < rows:
        height = 1 << ((rows - start).bit_length() - 1)
        yield start, height
        start += height
