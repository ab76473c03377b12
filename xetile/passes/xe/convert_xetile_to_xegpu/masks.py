"""Masks by limits, block by block."""

from collections.abc import Sequence

from xdsl.dialects.builtin import VectorType, i1
from xdsl.ir import SSAValue

from xetile.analysis.constants import integers_of
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import ConstantMaskOp, CreateMaskOp
from xetile.dialects.upstream.vector.support import vector_type
from xetile.passes.xe.convert_xetile_to_xegpu.view import Grid, XeGPUView
from xetile.rewriting.one_to_many import Offset


def mask(view: XeGPUView, limits: Sequence[Offset], shape: Sequence[int]) -> SSAValue:
    """Where each coordinate is below its limit, which may be negative or beyond the block."""
    type = VectorType(i1, shape)
    return view.new(CreateMaskOp([view.index(limit) for limit in limits], type))


def difference(view: XeGPUView, left: Offset, right: Offset) -> Offset:
    """`left` less `right`."""
    if isinstance(left, int) and isinstance(right, int):
        return left - right
    return view.new(arith.SubiOp(view.index(left), view.index(right)))


def mask_in_blocks(view: XeGPUView, value: SSAValue, block: tuple[int, int]) -> Grid | None:
    """A mask of a whole vector as masks of its blocks; None where the value is no mask by limits."""
    op = value.owner
    limits: Sequence[Offset]
    if isinstance(op, ConstantMaskOp):
        limits = integers_of(op, "mask_dim_sizes")
    elif isinstance(op, CreateMaskOp):
        limits = [view.single(limit) for limit in op.operands]
    else:
        return None
    rows, columns = vector_type(value).get_shape()
    height, width = block

    def make(row: int, column: int) -> SSAValue:
        starts = (row * height, column * width)
        pairs = zip(limits, starts, strict=True)
        return mask(view, [difference(view, *pair) for pair in pairs], block)

    return Grid.built((rows // height, columns // width), block, make)
