"""Single elements of a block: how far from a base each lies, and which of them are inside of their surface.

What all elements share is one number, what tells them apart a constant:

    %n = arith.addi (row * pitch), column : index
    %b = vector.broadcast %n : index to vector<2x4xindex>
    %o = arith.addi %b, dense<[[0, 1, 2, 3], [64, 65, 66, 67]]> : vector<2x4xindex>
"""

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, VectorType, i1
from xdsl.ir import Attribute, SSAValue

from xetile.analysis.constants import Dense
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import BroadcastOp
from xetile.passes.convert_xetile_to_xegpu.constants import repeated
from xetile.passes.convert_xetile_to_xegpu.view import Elements, XeGPUView
from xetile.rewriting.one_to_many import Offset

Shape = Sequence[int]
"""Of a vector that holds a block's elements: rows and columns, or all of them in one row."""


def flat(block: Shape) -> Shape:
    """A block's elements in one row."""
    return (prod(block),)


def offsets(
    view: XeGPUView, elements: Elements, place: Sequence[Offset], block: Shape, shape: Shape
) -> SSAValue:
    """How far the elements of a block at `place` (row, column) lie from the base (elements), as a vector of a shape."""
    first = elements.start
    for offset, stride in zip(place, elements.strides, strict=True):
        first = view.add(first, view.multiply(offset, stride))
    known = [stride if isinstance(stride, int) else 0 for stride in elements.strides]
    steps = [
        sum(at * stride for at, stride in zip(point, known, strict=True))
        for point in product(*map(range, block))
    ]
    total = plus(view, first, steps, shape)
    for dimension, stride in enumerate(elements.strides):
        if not isinstance(stride, int):
            along = _numbers(view, _coordinates(block, dimension), shape)
            step = arith.MuliOp(spread(view, stride, shape), along)
            total = view.new(arith.AddiOp(total, view.new(step)))
    return total


def inside(
    view: XeGPUView,
    sizes: Sequence[Offset],
    place: Sequence[Offset],
    block: Shape,
    shape: Shape,
) -> SSAValue | None:
    """Which elements of a block at `place` are inside of a surface; None where all are, as far as is known."""
    found: SSAValue | None = None
    for dimension, (first, size) in enumerate(zip(place, sizes, strict=True)):
        if within(first, block[dimension], size):
            continue
        at = plus(view, first, _coordinates(block, dimension), shape)
        found = both(view, found, below(view, at, size, shape))
    return found


def within(first: Offset, extent: int, size: Offset) -> bool:
    """Whether so many indices from the first on are known to be inside."""
    return isinstance(first, int) and isinstance(size, int) and 0 <= first <= size - extent


def below(view: XeGPUView, indices: SSAValue, size: Offset, shape: Shape) -> SSAValue:
    """Where indices are inside of a dimension: none is negative, and each is less than the size."""
    return view.new(arith.CmpiOp(indices, spread(view, size, shape), "ult"))


def both(view: XeGPUView, left: SSAValue | None, right: SSAValue | None) -> SSAValue | None:
    """Where both masks are on; None is a mask that is on everywhere."""
    if left is None or right is None:
        return right if left is None else left
    return view.new(arith.AndIOp(left, right))


def everywhere(view: XeGPUView, shape: Shape) -> SSAValue:
    """A mask that is on everywhere."""
    type = VectorType(i1, shape)
    return view.shared(("everywhere", type), lambda: arith.ConstantOp(repeated(1, type)))


def plus(view: XeGPUView, first: Offset, steps: Sequence[int], shape: Shape) -> SSAValue:
    """A number added to each step."""
    if isinstance(first, int):
        return _numbers(view, [first + step for step in steps], shape)
    total = spread(view, first, shape)
    if not any(steps):
        return total
    return view.new(arith.AddiOp(total, _numbers(view, steps, shape)))


def spread(view: XeGPUView, number: Offset, shape: Shape) -> SSAValue:
    """A number repeated."""
    if isinstance(number, int):
        return _numbers(view, [number] * prod(shape), shape)
    return view.new(BroadcastOp(number, VectorType(IndexType(), shape)))


def _coordinates(block: Shape, dimension: int) -> list[int]:
    """The row, or the column, of each element of a block."""
    return [point[dimension] for point in product(*map(range, block))]


def _numbers(view: XeGPUView, numbers: Sequence[int], shape: Shape) -> SSAValue:
    type = VectorType(IndexType(), shape)

    def make() -> arith.ConstantOp:
        dense = DenseIntOrFPElementsAttr.from_list(type, list(numbers))
        return arith.ConstantOp(cast(Dense, cast(Attribute, dense)))

    return view.shared(("numbers", tuple(numbers), type), make)
