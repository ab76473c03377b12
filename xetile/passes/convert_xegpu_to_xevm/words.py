"""Registers of one lane as vectors of words: some of them, several joined; and what depends on the lane."""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import DenseArrayBase, VectorType, i32, i64
from xdsl.ir import Operation, SSAValue

from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import ExtractOp, FromElementsOp, ShuffleOp
from xetile.dialects.upstream.vector.support import vector_type
from xetile.hints import isa
from xetile.layout.algebra import f2
from xetile.passes.convert_xegpu_to_xevm.lane_code import LaneCode


def chosen(view: LaneCode, value: SSAValue, registers: Sequence[int]) -> SSAValue:
    """Some registers of a vector, in this order."""
    type = vector_type(value)
    if list(registers) == list(range(type.get_shape()[0])):
        return value
    result = VectorType(type.element_type, (len(registers),))
    places = DenseArrayBase.from_list(i64, list(registers))
    return view.new(ShuffleOp(value, value, places, result_type=result))


def joined(view: LaneCode, parts: Sequence[SSAValue], order: Sequence[int]) -> SSAValue:
    """Registers of vectors or scalars, counted through all of them, in this order."""
    if not any(isa(part.type, VectorType) for part in parts):
        result = VectorType(parts[0].type, (len(order),))
        return view.new(FromElementsOp([parts[place] for place in order], result))
    vectors = [
        part if isa(part.type, VectorType) else _vector_of(view, part) for part in parts
    ]
    while len(vectors) > 1:
        lefts, rights = vectors[::2], vectors[1::2]
        pairs = zip(lefts, rights, strict=False)
        vectors = [_pair(view, *pair) for pair in pairs] + lefts[len(rights) :]
    return chosen(view, vectors[0], order)


def _vector_of(view: LaneCode, scalar: SSAValue) -> SSAValue:
    return view.new(FromElementsOp([scalar], VectorType(scalar.type, (1,))))


def _pair(view: LaneCode, left: SSAValue, right: SSAValue) -> SSAValue:
    type = vector_type(left)
    count = type.get_shape()[0] + vector_type(right).get_shape()[0]
    result = VectorType(type.element_type, (count,))
    places = DenseArrayBase.from_list(i64, list(range(count)))
    return view.new(ShuffleOp(left, right, places, result_type=result))


def single(view: LaneCode, value: SSAValue, register: int) -> SSAValue:
    """One register of a vector, as a scalar."""
    return view.new(ExtractOp(value, [register], vector_type(value).element_type))


def of_lane(view: LaneCode, columns: Sequence[int]) -> SSAValue:
    """A linear map of the lane's number, one column for each of its bits; an i32."""
    lane, total = view.lane_number(), None
    for shift, mask in f2.diagonals(columns):
        part = lane
        if mask != (1 << len(columns)) - 1:
            part = at_start(view, arith.AndIOp, lane, mask)
        if shift:
            part = at_start(
                view, arith.ShLIOp if shift > 0 else arith.ShRUIOp, part, abs(shift)
            )
        total = part if total is None else _both(view, total, part)
    return view.constant(0, i32) if total is None else total


def _both(view: LaneCode, left: SSAValue, right: SSAValue) -> SSAValue:
    return view.shared(("xor", left, right), lambda: arith.XOrIOp(left, right))


def at_start(
    view: LaneCode,
    make: Callable[[SSAValue, SSAValue], Operation],
    value: SSAValue,
    number: int,
) -> SSAValue:
    """An operation on a value and a number at the start of the function, once."""
    other = view.constant(number, i32)
    return view.shared((make, value, number), lambda: make(value, other))
