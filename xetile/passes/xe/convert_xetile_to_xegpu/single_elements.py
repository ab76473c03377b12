"""Single elements of a block: their offsets from a base, and a mask of those inside their surface.

The part that all elements share is one number, and their differences are a constant:

    %n = arith.addi (row * pitch), column : index
    %b = vector.broadcast %n : index to vector<2x4xindex>
    %o = arith.addi %b, dense<[[0, 1, 2, 3], [64, 65, 66, 67]]> : vector<2x4xindex>
"""

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import NamedTuple, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, VectorType, i1
from xdsl.ir import Attribute, SSAValue

from xetile.analysis.constants import Dense
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import BroadcastOp
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import repeated
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import Elements, XeGPUView
from xetile.rewriting.one_to_many import Offset

Shape = Sequence[int]
"""The shape of a vector of a block's elements: rows and columns, or all of them in one row."""


def flat(block: Shape) -> Shape:
    """Return the shape of a block's elements in one row."""
    return (prod(block),)


class Part(NamedTuple):
    """A block of a tile, in elements: the tile's corner, the block's place in the tile, and its extents.

    Vectors of facts about its elements have the shape `shape`: the block's, or that of all its elements in one row.
    """

    corner: Sequence[Offset]
    start: Sequence[int]
    block: Shape
    shape: Shape

    def place(self, view: XeGPUView, dimension: int) -> Offset:
        """Return the first row or column."""
        return view.add(self.corner[dimension], self.start[dimension])

    @property
    def points(self) -> list[tuple[int, ...]]:
        """Row and column of each element in the block."""
        return list(product(*map(range, self.block)))


def offsets(view: XeGPUView, elements: Elements, part: Part) -> SSAValue:
    """Return the offsets of a block's elements from the base (elements)."""
    strides = elements.strides

    def first() -> Offset:
        total = elements.start
        for offset, stride in zip(part.corner, strides, strict=True):
            total = view.add(total, view.multiply(offset, stride))
        return total

    base = view.once((elements.start, *strides, *part.corner), first)
    known = [stride if isinstance(stride, int) else 0 for stride in strides]

    def reach(point: Sequence[int]) -> int:
        return sum(at * stride for at, stride in zip(point, known, strict=True))

    base = view.add(base, reach(part.start))
    total = plus(view, base, list(map(reach, part.points)), part.shape)
    for dimension, stride in enumerate(strides):
        if not isinstance(stride, int):
            along = [part.start[dimension] + point[dimension] for point in part.points]
            step = spread(view, stride, part.shape)
            moved = view.new(arith.MuliOp(step, numbers(view, along, part.shape)))
            total = view.new(arith.AddiOp(total, moved))
    return total


def inside(view: XeGPUView, sizes: Sequence[Offset], part: Part) -> SSAValue | None:
    """Return a mask of the elements inside a surface, or None if all are known to be."""
    found: SSAValue | None = None
    for dimension, size in enumerate(sizes):
        first = part.place(view, dimension)
        if within(first, part.block[dimension], size):
            continue
        at = plus(view, first, [point[dimension] for point in part.points], part.shape)
        found = both(view, found, below(view, at, size, part.shape))
    return found


def within(first: Offset, extent: int, size: Offset) -> bool:
    """Return True if `extent` indices from `first` on are known to be inside."""
    return isinstance(first, int) and isinstance(size, int) and 0 <= first <= size - extent


def below(view: XeGPUView, indices: SSAValue, size: Offset, shape: Shape) -> SSAValue:
    """Return a mask of the indices inside a dimension: not negative, and less than the size."""
    return view.new(arith.CmpiOp(indices, spread(view, size, shape), "ult"))


def both(view: XeGPUView, left: SSAValue | None, right: SSAValue | None) -> SSAValue | None:
    """Return the conjunction of two masks; None is a mask that is true everywhere."""
    if left is None or right is None:
        return right if left is None else left
    return view.new(arith.AndIOp(left, right))


def everywhere(view: XeGPUView, shape: Shape) -> SSAValue:
    """Return a mask that is true everywhere."""
    type = VectorType(i1, shape)
    return view.shared(("everywhere", type), lambda: arith.ConstantOp(repeated(1, type)))


def plus(view: XeGPUView, first: Offset, steps: Sequence[int], shape: Shape) -> SSAValue:
    """Return a number added to each step."""
    if isinstance(first, int):
        return numbers(view, [first + step for step in steps], shape)
    total = spread(view, first, shape)
    if not any(steps):
        return total
    return view.new(arith.AddiOp(total, numbers(view, steps, shape)))


def spread(view: XeGPUView, number: Offset, shape: Shape) -> SSAValue:
    """Return a number repeated."""
    if isinstance(number, int):
        return numbers(view, [number] * prod(shape), shape)
    return view.new(BroadcastOp(number, VectorType(IndexType(), shape)))


def numbers(view: XeGPUView, values: Sequence[int], shape: Shape) -> SSAValue:
    """Return a constant vector of indices."""
    type = VectorType(IndexType(), shape)

    def make() -> arith.ConstantOp:
        dense = DenseIntOrFPElementsAttr.from_list(type, list(values))
        return arith.ConstantOp(cast(Dense, cast(Attribute, dense)))

    return view.shared(("numbers", tuple(values), type), make)
