"""Registers of one lane as vectors of words: selections, joins, values that depend on the lane, tf32.

In registers, tf32 values are words of f32, whose lower 13 bits loads leave as they are in memory. A tf32 value is the
upper 19 bits of its word, and the matrix instruction reads only these. All other users of a value first drop the lower
bits, and computed values are rounded to 19 bits. So a program that only multiplies pays nothing. Source:
cl_intel_subgroup_matrix_multiply_accumulate_tf32, "The tf32 Format"; SPV_INTEL_tensor_float32_conversion rounds to
nearest even.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    FloatTF32Type,
    IntegerType,
    VectorType,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from xetile.analysis.constants import Dense
from xetile.analysis.ranges import Interval
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu import LaneIdOp
from xetile.dialects.upstream.vector import BitcastOp, ExtractOp, FromElementsOp, ShuffleOp
from xetile.dialects.upstream.vector.vector_support import dense, vector_type
from xetile.errors import fail
from xetile.hints import isa
from xetile.layout.algebra import f2
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.planning.shared_memory import plan_shared_memory
from xetile.planning.xe.register_layouts.conversion_prices import conversion_prices
from xetile.rewriting.layout_arithmetic import apply_layout
from xetile.rewriting.one_to_many import Expansion, Offset
from xetile.rewriting.rewriter import Handlers
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.dpas import TF32_BITS


@dataclass(eq=False)
class Slice:
    """The subgroup's part of a buffer: a pointer to the buffer, and the part's offset in it (an i32, bytes).

    Its size is that of the largest exchange, which is known at the end. `settle` then writes it into the buffer's type
    and into the constant from which the offset is computed.
    """

    pointer: SSAValue
    offset: SSAValue
    buffer: BlockArgument
    size: arith.ConstantOp
    bytes: int = 0


class LaneCode(Expansion):
    """A function that is rebuilt as the code of one lane."""

    def __init__(
        self, function: Operation, handlers: Handlers[Self], target: XeDevice
    ) -> None:
        super().__init__(function, handlers)
        self.device = target
        self.shared_memory = plan_shared_memory(function)
        self.prices = conversion_prices(function, target)
        self.slice: Slice | None = None
        self.shared_buffer: SSAValue | None = None
        self._lane_parts: dict[tuple[int, ...], SSAValue] = {}

    def lane(self) -> SSAValue:
        """Return the number of this lane in its subgroup."""
        return self.shared(("lane",), LaneIdOp)

    def lane_number(self) -> SSAValue:
        """Return the number of this lane as an i32."""
        lane = self.lane()
        return self.shared(("lane number",), lambda: arith.IndexCastOp(lane, i32))

    def lane_part(self, columns: Sequence[int]) -> Offset:
        """Return the index that the bits of the lane's number give together, each with its column."""
        key = tuple(columns)
        if not any(key):
            return 0
        if key not in self._lane_parts:
            size = max(key).bit_length()
            layout = LinearLayout.of_columns({"lane": key}, {"part": size})
            lane = self.lane()
            known = {lane: Interval(0, (1 << len(key)) - 1)}
            made = apply_layout(layout, {"lane": lane}, self._put_at_entry, ranges=known)
            part = made["part"]
            assert isinstance(part, SSAValue)
            self._lane_parts[key] = part
        return self._lane_parts[key]

    def _put_at_entry(self, op: Operation) -> Operation:
        self.emit_at_entry(op)
        return op


_DROPPED = f32.bitwidth - TF32_BITS
_KEPT = -(1 << _DROPPED)

_F32_DIGITS = 24
"""Binary digits of f32, including the leading one (IEEE 754)."""

_QUIET = 1 << _F32_DIGITS - 2
"""The bit that keeps a NaN of f32 a NaN."""


def is_tf32(type: Attribute) -> bool:
    """Return True if elements of a type are words of which only the upper 19 bits count."""
    return isinstance(type, FloatTF32Type)


def cut(view: Expansion, value: SSAValue) -> SSAValue:
    """Return a vector of words without the bits that do not count."""
    words = _words(view, value)
    kept = _constant(view, words, _KEPT)
    return _floats(view, view.new(arith.AndIOp(words, kept)))


def rounded(view: Expansion, value: SSAValue) -> SSAValue:
    """Return a vector of f32 rounded to tf32, to nearest even; a NaN stays one."""
    words, new = _words(view, value), view.new

    def number(bits: int) -> SSAValue:
        return _constant(view, words, bits)

    last = new(arith.AndIOp(new(arith.ShRUIOp(words, number(_DROPPED))), number(1)))
    bias = new(arith.AddiOp(last, number((1 << _DROPPED - 1) - 1)))
    near = new(arith.AddiOp(words, bias))
    quiet = new(arith.OrIOp(words, number(_QUIET)))
    is_nan = new(arith.CmpfOp(value, value, "uno"))
    chosen = new(arith.SelectOp(is_nan, quiet, near))
    return _floats(view, new(arith.AndIOp(chosen, number(_KEPT))))


def check_rounds_once(op: Operation) -> None:
    """Refuse tf32 made from values that the computation in f32 may have rounded already.

    Sums, products, quotients and roots of tf32 may be rounded to f32 and then to tf32: f32 has twice their digits and
    two more.
    """
    if op.name == "math.fma":
        _refuse_twice(op)
    for value in op.operands:
        element = vector_type(value).element_type
        if not isinstance(element, FixedBitwidthType):
            continue
        exact = _F32_DIGITS if isinstance(element, IntegerType) else f32.bitwidth
        converts = op.name in ("arith.truncf", "arith.sitofp", "arith.uitofp")
        if converts and element.bitwidth > exact:
            _refuse_twice(op)


def _refuse_twice(op: Operation) -> None:
    result = op.results[0].type
    source = op.operands[0].type
    fail(op, f"'{op.name}' from {source} to {result} would round twice; go through f32")


def as_words(value: Dense) -> Dense:
    """Return a constant of tf32, of which xDSL stores the 19 bits, as one of f32."""
    data = value.data.data
    size = len(data) // len(value)
    words = (
        int.from_bytes(data[start : start + size], "little") << _DROPPED
        for start in range(0, len(data), size)
    )
    packed = b"".join(word.to_bytes(f32.bitwidth // 8, "little") for word in words)
    return dense(VectorType(f32, value.get_shape()), packed)


def _words(view: Expansion, value: SSAValue) -> SSAValue:
    return view.new(BitcastOp(value, VectorType(i32, vector_type(value).get_shape())))


def _floats(view: Expansion, words: SSAValue) -> SSAValue:
    return view.new(BitcastOp(words, VectorType(f32, vector_type(words).get_shape())))


def _constant(view: Expansion, like: SSAValue, number: int) -> SSAValue:
    type = VectorType(i32, vector_type(like).get_shape())
    return view.new(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type, [number])))


def chosen(view: LaneCode, value: SSAValue, registers: Sequence[int]) -> SSAValue:
    """Return some registers of a vector, in this order."""
    type = vector_type(value)
    if list(registers) == list(range(type.get_shape()[0])):
        return value
    result = VectorType(type.element_type, (len(registers),))
    places = DenseArrayBase.from_list(i64, list(registers))
    return view.new(ShuffleOp(value, value, places, result_type=result))


def joined(view: LaneCode, parts: Sequence[SSAValue], order: Sequence[int]) -> SSAValue:
    """Return registers of vectors or scalars, numbered through all of them, in this order."""
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
    """Return one register of a vector as a scalar."""
    return view.new(ExtractOp(value, [register], vector_type(value).element_type))


def of_lane(view: LaneCode, columns: Sequence[int]) -> SSAValue:
    """Return a linear map of the lane's number, with one column for each of its bits; an i32."""
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
    """Emit an op on a value and a number at the start of the function, once."""
    other = view.constant(number, i32)
    return view.shared((make, value, number), lambda: make(value, other))
