"""One lane's view of a function: the new form of each value, and the layout in which each op takes it.

A conversion to another layout executes the steps of a plan as ops of one lane. The registers go through the steps as
one vector of integers, which are the words that move together.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from xdsl.dialects.builtin import IndexType, IntegerType, VectorType, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.analysis.same_value import is_tile_vector
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.gpu import ShuffleOp
from xetile.dialects.upstream.vector import BitcastOp
from xetile.dialects.upstream.vector.vector_support import vector_of, vector_type
from xetile.dialects.xegpu import TensorDescType
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.errors import fail
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.plans import Plan, plan
from xetile.layout.exchange.steps import Move, Select, Shuffle, Step
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import (
    Registers,
    natural_type,
    register_bits,
)
from xetile.passes.xe.convert_xegpu_to_xevm.shared_slice import share
from xetile.passes.xe.convert_xegpu_to_xevm.word_vectors import (
    LaneCode,
    at_start,
    check_rounds_once,
    chosen,
    cut,
    is_tf32,
    joined,
    of_lane,
    rounded,
    single,
)
from xetile.planning.xe.register_layouts import RegisterLayouts
from xetile.planning.xe.register_layouts.candidates import default_layout
from xetile.planning.xe.register_layouts.layout_rules import replicated
from xetile.rewriting.one_to_many import Form, Offset, Parts
from xetile.rewriting.rewriter import Handlers, remade
from xetile.targets.xe.device import XeDevice


def converted(view: LaneCode, registers: Registers, layout: LinearLayout) -> Registers:
    """Convert a vector to another layout in the cheapest way."""
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
    """Return the registers (elements) that moves of words within a lane read."""
    if not found.steps:
        return list(range(layout.in_dim_size("register")))
    (step,) = found.steps
    assert isinstance(step, Move)
    size = 1 << found.own
    return [size * register + place for register in step.registers for place in range(size)]


def _words(view: LaneCode, registers: Registers, found: Plan) -> SSAValue:
    """Return the registers as one vector of words; elements smaller than a byte are widened to one."""
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
    """Return the test that the lane's number and a mask have an odd number of bits in common."""
    bits = [1 << bit for bit in range(mask.bit_length()) if mask >> bit & 1]
    if len(bits) == 1:
        value = at_start(view, arith.AndIOp, view.lane_number(), mask)
    else:
        value = of_lane(view, [mask >> bit & 1 for bit in range(mask.bit_length())])
    zero = view.constant(0, i32)
    return view.shared(("odd", mask), lambda: arith.CmpiOp(value, zero, "ne"))


def _shuffled(view: LaneCode, value: SSAValue, step: Shuffle) -> SSAValue:
    """Emit one op for all registers that are read from lanes at the same distance."""
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
    """Return the value that lane `columns l ^ lane` has."""
    width = view.constant(view.device.lanes, i32)
    number = view.constant(lane, i32)
    if list(columns) == [1 << bit for bit in range(len(columns))]:
        return value if lane == 0 else view.new(ShuffleOp(value, number, width, "xor"))
    if any(columns):
        base = of_lane(view, columns)
        number = base if lane == 0 else at_start(view, arith.XOrIOp, base, lane)
    return view.new(ShuffleOp(value, number, width, "idx"))


@dataclass(eq=False)
class Descriptor(Parts):
    """A surface as XeVM's ops take it: pointer, width in bytes, height in rows, pitch in bytes.

    Loops carry nothing of it.
    """

    type: TensorDescType
    surface: tuple[SSAValue, SSAValue, SSAValue, SSAValue]

    @property
    def bits(self) -> int:
        return memory_bits(self.type.element_type) or 0

    def agrees_with(self, other: Parts) -> bool:
        return (
            isinstance(other, Descriptor)
            and self.type == other.type
            and self.surface == other.surface
        )

    def describe(self) -> str:
        return str(self.type)


@dataclass(eq=False)
class Computed(Parts):
    """A vector that is computed from coordinates where it is used; `evaluated` returns its registers in a layout."""

    evaluated: Callable[[LinearLayout], Registers]


@dataclass(eq=False)
class Scattered(Parts):
    """Elements at offsets from a pointer.

    The offsets (elements) are the sum of `steps`, vectors of the old function, and of the registers that a loop
    carries, in the default layout.
    """

    type: TensorDescType
    pointer: SSAValue
    steps: tuple[SSAValue, ...]

    def moved(self, offsets: SSAValue) -> Self:
        """Return the same elements with further offsets added."""
        copy = self.with_values(self.values)
        copy.steps = (*self.steps, offsets)
        return copy

    def offsets(self, view: "LaneView", layout: LinearLayout) -> SSAValue:
        """Return the offsets in a layout."""
        parts = [view.natural(view.held(step, layout)) for step in self.steps]
        if self.values:
            (value,), index = self.values, IndexType()
            own = self.own_layout(view)
            carried = Registers(value, index, own, word_bits=register_bits(index))
            parts.insert(0, view.natural(view.converted(carried, layout)))
        found = parts[0]
        for part in parts[1:]:
            found = view.new(arith.AddiOp(found, part))
        return found

    def carried(self, view: "LaneView") -> Self:
        """Return the same elements with all offsets in registers."""
        copy = self.with_values([self.offsets(view, self.own_layout(view))])
        copy.steps = ()
        return copy

    def own_layout(self, view: "LaneView") -> LinearLayout:
        """Return the default layout of the offsets."""
        chunks = self.type.chunk_size > 1
        shape = self.type.shape[:-1] if chunks else self.type.shape
        return default_layout(shape, view.device.lanes)

    def agrees_with(self, other: Parts) -> bool:
        return (
            isinstance(other, Scattered)
            and super().agrees_with(other)
            and (self.type, self.pointer) == (other.type, other.pointer)
        )

    def describe(self) -> str:
        return str(self.type)


class LaneView(LaneCode):
    """The values of a function as registers of one lane.

    `layouts` has the layout of each vector, and the one in which each op takes it.
    """

    def __init__(
        self,
        function: Operation,
        handlers: Handlers[Self],
        target: XeDevice,
        layouts: RegisterLayouts,
    ) -> None:
        super().__init__(function, handlers, target)
        self.layouts = layouts
        self._open = [self.entry]
        self._held: dict[tuple[Parts, LinearLayout], list[tuple[Block, Registers]]] = {}

    @contextmanager
    def building(self, block: Block) -> Generator[None]:
        self._open.append(block)
        with super().building(block):
            yield
        self._open.pop()

    def rewrite(self, op: Operation) -> None:
        if not self.layouts.is_unread(op):
            super().rewrite(op)

    # Vectors and their layouts.

    def taken(self, op: Operation, index: int) -> Registers:
        """Return a vector operand in the layout in which the op takes it."""
        return self.held(op.operands[index], self.layouts.taken(op, index))

    def held(self, value: SSAValue, layout: LinearLayout) -> Registers:
        """Return a vector in a layout."""
        form = self.get(value)
        if isinstance(form, SSAValue):
            if not self._is_whole(value):
                self.refuse(
                    f"takes {value.type} from {_maker(value)}, which does not share it out to lanes; "
                    "expected a vector that the function loads or computes"
                )
            form = self._of_every_lane(form)
            self.environment[value] = form
        return self.converted(form, layout)

    def converted(self, form: Form, layout: LinearLayout) -> Registers:
        """Return a vector's registers in a layout, converted once for a block and those inside it."""
        if isinstance(form, Registers) and form.layout == layout:
            return form
        assert isinstance(form, (Registers, Computed))
        known = self._held.setdefault((form, layout), [])
        for block, made in known:
            if block in self._open:
                return made
        evaluated = isinstance(form, Computed)
        made = form.evaluated(layout) if evaluated else converted(self, form, layout)
        known.append((self.block, made))
        return made

    def bind_registers(
        self, value: SSAValue, part: SSAValue, layout: LinearLayout, *, word_bits: int
    ) -> None:
        element = vector_type(value).element_type
        self.bind_vector(value, Registers(part, element, layout, word_bits=word_bits))

    def bind_vector(self, value: SSAValue, registers: Registers) -> None:
        """Bind a vector in its own layout, and convert it at once to the layouts that uses in loops need."""
        kept = registers
        if self.layouts.holds(value):
            kept = self.converted(registers, self.layouts.of(value))
        self.bind(value, kept)
        for layout in self.layouts.ahead(value):
            self.converted(kept, layout)

    def natural(self, registers: Registers) -> SSAValue:
        """Return a vector's registers as one vector of elements, in the order of its layout."""
        element = registers.element_type
        return registers.read(self, natural_type(element), register_bits(element))

    def descriptor(self, value: SSAValue) -> Descriptor:
        became = self.get(value)
        if not isinstance(became, Descriptor):
            fail(self.current, f"{value.type} is not lowered to XeVM yet")
        return became

    def scattered(self, value: SSAValue) -> Scattered:
        became = self.get(value)
        assert isinstance(became, Scattered), "the verifier compares the types"
        return became

    # Vectors that every lane holds whole, as vector.load makes them.

    def _is_whole(self, value: SSAValue) -> bool:
        return isa(value.type, VectorType) and value.type.get_num_dims() < 2

    def _of_every_lane(self, whole: SSAValue) -> Registers:
        type = vector_type(whole)
        layout = replicated(type.get_shape(), self.device.lanes)
        element = type.element_type
        return Registers(whole, element, layout, word_bits=register_bits(element))

    def single(self, value: SSAValue) -> SSAValue:
        became = self.get(value)
        if isinstance(became, (Registers, Computed)) and self._is_whole(value):
            shape = vector_type(value).get_shape()
            return self.natural(self.converted(became, replicated(shape, self.device.lanes)))
        return super().single(value)

    @property
    def copies(self) -> Iterator[tuple[Parts, Registers]]:
        """Yield the vectors with their registers in each further layout in which some block holds them."""
        for (form, _), made in self._held.items():
            for _, registers in made:
                yield form, registers

    # Values carried by control flow.

    def loop_parts(self, argument: SSAValue, init: Form) -> Form:
        if isinstance(init, Scattered):
            return init.carried(self)
        if not isa(argument.type, VectorType) or not self.layouts.holds(argument):
            return init
        if isinstance(init, SSAValue):
            init = self._of_every_lane(init)
        return self._written(self.converted(init, self.layouts.of(argument)))

    def adapt(self, became: Form, like: Form) -> Form:
        if isinstance(became, Scattered) and isinstance(like, Scattered):
            return super().adapt(became.carried(self), like)
        if not isinstance(like, Registers):
            return super().adapt(became, like)
        if isinstance(became, SSAValue):
            became = self._of_every_lane(became)
        return self._written(self.converted(became, like.layout))

    def _written(self, registers: Registers) -> Registers:
        """Return the same registers without a pending selection."""
        element, layout = registers.element_type, registers.layout
        bits = register_bits(element)
        return Registers(self.natural(registers), element, layout, word_bits=bits)

    # Ops on elements.

    def elementwise(self, op: Operation) -> None:
        layout = self.layouts.of(op.results[0])
        operands: list[SSAValue] = []
        for index, value in enumerate(op.operands):
            if isa(value.type, VectorType):
                read = self.natural(self.converted(self.taken(op, index), layout))
                operands.append(cut(self, read) if is_tf32(value.type.element_type) else read)
            else:
                operands.append(self.single(value))
        count = layout.in_dim_size("register")
        elements = [vector_type(result).element_type for result in op.results]
        types = [vector_of(natural_type(element), (count,)) for element in elements]
        for old, new, element in zip(
            op.results, self._computed(op, operands, types), elements, strict=True
        ):
            self.bind_registers(old, new, layout, word_bits=register_bits(element))

    def _computed(
        self,
        op: Operation,
        operands: Sequence[SSAValue],
        types: Sequence[VectorType[Attribute]],
    ) -> Sequence[SSAValue]:
        """Emit an elementwise op on registers; tf32 is computed in f32 and rounded."""
        is_resized = op.name in ("arith.extf", "arith.truncf")
        same = is_resized and operands[0].type == types[0]
        made = operands if same else self.emit(remade(op, operands, types)).results
        narrow = [is_tf32(vector_type(result).element_type) for result in op.results]
        if any(narrow):
            check_rounds_once(op)
        return [
            rounded(self, value) if is_narrow else value
            for value, is_narrow in zip(made, narrow, strict=True)
        ]

    def other(self, op: Operation) -> None:
        if has_trait(op, Elementwise) and any(map(self.layouts.holds, op.results)):
            self.elementwise(op)
            return
        vectors = [value for value in op.operands if isa(value.type, VectorType)]
        split = [v for v in vectors if not isinstance(self.get(v), SSAValue)]
        refused = [value for value in split if not self._is_whole(value)]
        for value in (*refused, *(v for v in op.results if is_tile_vector(v.type))):
            fail(op, f"'{op.name}' on {value.type} is not lowered to XeVM yet")
        self.copy(op)

    def integer(self, offset: Offset) -> SSAValue:
        if isinstance(offset, int):
            return self.constant(offset, i32)
        return self.new(arith.IndexCastOp(offset, i32))


def _maker(value: SSAValue) -> str:
    owner = value.owner
    return f"'{owner.name}'" if isinstance(owner, Operation) else "an argument"
