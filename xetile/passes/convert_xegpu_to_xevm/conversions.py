"""Vectors brought into another layout: the steps of a plan as ops of one lane.

Registers go through the steps as one vector of integers, the words that travel together.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerType, VectorType, i32, i64
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu import ShuffleOp
from xetile.dialects.upstream.vector import BitcastOp
from xetile.dialects.upstream.vector.support import vector_type
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.plans import Plan, plan
from xetile.layout.exchange.steps import Move, Select, Shuffle, Step
from xetile.passes.convert_xegpu_to_xevm.lane_code import LaneCode
from xetile.passes.convert_xegpu_to_xevm.registers import (
    Registers,
    natural_type,
    register_bits,
)
from xetile.passes.convert_xegpu_to_xevm.shared_slice import share
from xetile.passes.convert_xegpu_to_xevm.words import at_start, chosen, joined, of_lane, single


def converted(view: LaneCode, registers: Registers, layout: LinearLayout) -> Registers:
    """A vector in another layout, by the cheapest way."""
    element = registers.element_type
    if registers.layout == layout:
        return registers
    if registers.splat is not None:
        return Registers(registers.splat, element, layout, word_bits=registers.word_bits)
    assert registers.layout is not None
    found = plan(registers.layout, layout, register_bits(element), view.prices)
    if all(isinstance(step, Move) for step in found.steps):
        return registers.selected(layout, _elements(found, layout))
    value = _words(view, registers, found)
    for step in found.steps:
        value = _emitted(view, value, step, found.word_bits)
    narrow = register_bits(element) < 8 or isinstance(element, IndexType)
    if not narrow:
        return Registers(value, element, layout, word_bits=found.word_bits)
    value = _back(view, value, element)
    return Registers(value, element, layout, word_bits=register_bits(element))


def _elements(found: Plan, layout: LinearLayout) -> list[int]:
    """The registers (elements) that moves of words within a lane take."""
    if not found.steps:
        return list(range(layout.in_dim_size("register")))
    (step,) = found.steps
    assert isinstance(step, Move)
    size = 1 << found.own
    return [size * register + place for register in step.registers for place in range(size)]


def _words(view: LaneCode, registers: Registers, found: Plan) -> SSAValue:
    """The registers as one vector of words; what is no whole byte is widened to one."""
    element, bits = registers.element_type, register_bits(registers.element_type)
    word = IntegerType(found.word_bits)
    if not isinstance(element, IndexType) and bits >= 8:
        return registers.read(view, word, found.word_bits)
    value = registers.read(view, natural_type(element), bits)
    count = vector_type(value).get_shape()[0]
    if isinstance(element, IndexType):
        return view.new(arith.IndexCastOp(value, VectorType(i64, (count,))))
    bytes = VectorType(IntegerType(8), (count,))
    value = view.new(arith.ExtUIOp(value, bytes))
    return _cast(view, value, found.word_bits)


def _back(view: LaneCode, value: SSAValue, element: Attribute) -> SSAValue:
    if isinstance(element, IndexType):
        count = vector_type(value).get_shape()[0]
        return view.new(arith.IndexCastOp(value, VectorType(element, (count,))))
    value = _cast(view, value, 8)
    narrow = VectorType(element, vector_type(value).get_shape())
    return view.new(arith.TruncIOp(value, narrow))


def _cast(view: LaneCode, value: SSAValue, bits: int) -> SSAValue:
    type = vector_type(value)
    assert isa(type.element_type, IntegerType)
    width = type.element_type.width.data
    if width == bits:
        return value
    count = type.get_shape()[0] * width // bits
    return view.new(BitcastOp(value, VectorType(IntegerType(bits), (count,))))


def _emitted(view: LaneCode, value: SSAValue, step: Step, word_bits: int) -> SSAValue:
    match step:
        case Move(registers):
            return chosen(view, value, registers)
        case Select(mask, even, odd):
            taken = [chosen(view, value, places) for places in (odd, even)]
            return view.new(arith.SelectOp(_is_odd(view, mask), *taken))
        case Shuffle():
            return _shuffled(view, value, step)
        case _:
            return share(view, value, step, word_bits)


def _is_odd(view: LaneCode, mask: int) -> SSAValue:
    """Whether the lane's number has an odd number of bits in common with a mask."""
    bits = [1 << bit for bit in range(mask.bit_length()) if mask >> bit & 1]
    if len(bits) == 1:
        value = at_start(view, arith.AndIOp, view.lane_number(), mask)
    else:
        value = of_lane(view, [mask >> bit & 1 for bit in range(mask.bit_length())])
    zero = view.constant(0, i32)
    return view.shared(("odd", mask), lambda: arith.CmpiOp(value, zero, "ne"))


def _shuffled(view: LaneCode, value: SSAValue, step: Shuffle) -> SSAValue:
    """One op for all registers that are read from lanes as far away."""
    groups: dict[int, list[int]] = {}
    for place, lane in enumerate(step.lanes):
        groups.setdefault(lane, []).append(place)
    parts: list[SSAValue] = []
    order = [0] * len(step.lanes)
    alone = all(len(places) == 1 for places in groups.values()) and len(groups) > 1
    count = 0
    for lane, places in groups.items():
        registers = [step.registers[place] for place in places]
        part = single(view, value, registers[0]) if alone else chosen(view, value, registers)
        parts.append(_from_lane(view, part, step.columns, lane))
        for place in places:
            order[place] = count
            count += 1
    return joined(view, parts, order)


def _from_lane(view: LaneCode, value: SSAValue, columns: Sequence[int], lane: int) -> SSAValue:
    """What lane `columns l ^ lane` holds."""
    width = view.constant(view.device.lanes, i32)
    number = view.constant(lane, i32)
    if list(columns) == [1 << bit for bit in range(len(columns))]:
        return value if lane == 0 else view.new(ShuffleOp(value, number, width, "xor"))
    if any(columns):
        base = of_lane(view, columns)
        number = base if lane == 0 else at_start(view, arith.XOrIOp, base, lane)
    return view.new(ShuffleOp(value, number, width, "idx"))
