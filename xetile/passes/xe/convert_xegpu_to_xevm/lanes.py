"""What one lane has, given to others: a shuffle whose lanes are known."""

from xdsl.dialects.builtin import IndexType, IntegerType, VectorType, i1, i32, i64
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu import ShuffleOp
from xetile.hints import isa
from xetile.passes.xe.convert_xegpu_to_xevm.view import LaneView

_CARRIED: dict[Attribute, IntegerType] = {i1: i32, IndexType(): i64}
"""Types of which a shuffle takes none, and in which their elements are carried."""


def from_lanes(view: LaneView, value: SSAValue, *, mask: int, lane: int) -> SSAValue:
    """A scalar or a vector of rank 1 as the lanes have it whose bits of `mask` are those of `lane`."""
    if mask == view.device.lanes - 1:
        return from_lane(view, value, view.constant(lane, i32))
    own = view.lane_number()
    rest = view.constant(view.device.lanes - 1 & ~mask, i32)
    kept = view.shared(("lane within", mask), lambda: arith.AndIOp(own, rest))
    if not lane:
        return from_lane(view, value, kept)
    start = view.constant(lane, i32)
    other = view.shared(("lane at", mask, lane), lambda: arith.OrIOp(kept, start))
    return from_lane(view, value, other)


def from_lane(view: LaneView, value: SSAValue, lane: SSAValue) -> SSAValue:
    """A scalar or a vector of rank 1 as the lane of a number (i32) has it."""
    width = view.constant(view.device.lanes, i32)
    carried = _as(view, value, to=_CARRIED)
    shuffled = view.new(ShuffleOp(carried, lane, width, "idx"))
    return shuffled if carried is value else _back(view, shuffled, value.type)


def _element(type: Attribute) -> Attribute:
    return type.element_type if isa(type, VectorType) else type


def _as(view: LaneView, value: SSAValue, *, to: dict[Attribute, IntegerType]) -> SSAValue:
    wide = to.get(_element(value.type))
    if wide is None:
        return value
    type = VectorType(wide, value.type.get_shape()) if isa(value.type, VectorType) else wide
    if _element(value.type) == i1:
        return view.new(arith.ExtUIOp(value, type))
    return view.new(arith.IndexCastOp(value, type))


def _back(view: LaneView, value: SSAValue, type: Attribute) -> SSAValue:
    if _element(type) == i1:
        return view.new(arith.TruncIOp.create(operands=[value], result_types=[type]))
    return view.new(arith.IndexCastOp.create(operands=[value], result_types=[type]))
