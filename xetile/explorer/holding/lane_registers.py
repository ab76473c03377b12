"""The element in each register of each lane: of vectors at level X, of one lane's vectors at V and L.

Registers count elements of the tile, whatever words a level combines them into: the two halves of a word of
`vector<8xi32>` are registers 0 and 1, the lower one first.

The file maps the registers and lanes of each vector at level X, and of its vectors at V and L.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from xdsl.dialects.builtin import FixedBitwidthType, IndexType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import integers_of
from xetile.explorer.holding.tile_parts import Chain, Part, Step
from xetile.explorer.model import At, Bases, LevelId
from xetile.hints import isa
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import Registers, register_bits
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import LaneView
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import Chunks, LLVMView, Loaded
from xetile.planning.xe.register_layouts import RegisterLayouts
from xetile.rewriting.one_to_many import Parts


@dataclass(frozen=True)
class Lanes:
    """The elements of a tile that the lanes of a subgroup have.

    Attributes:
        tile: the tile; `origin` is the element of it from which the others are counted.
        bits: of an element.
        registers: for each register the element of lane 0; if a vector has other elements too, only the known ones.
        lanes: for each bit of the lane's number the distance to lane 0's element. Distances are combined by XOR.
    """

    tile: At
    origin: Step
    bits: int
    registers: Mapping[int, Step]
    lanes: tuple[Step, ...]

    def chosen(self, registers: Iterable[int]) -> "Lanes | None":
        """Return these lanes with only some of the registers, in this order, or None if none of them is known."""
        known = {
            new: self.registers[old]
            for new, old in enumerate(registers)
            if old in self.registers
        }
        return replace(self, registers=known) if known else None

    def beside(self, other: "Lanes") -> "Lanes":
        """Return these lanes with the registers of `other` added, if tile, bits and lanes are the same."""
        if (self.tile, self.bits, self.lanes) != (other.tile, other.bits, other.lanes):
            return self
        moved = [a - b for a, b in zip(other.origin, self.origin, strict=True)]
        if any(step < 0 for step in moved):
            return other.beside(self) if all(step <= 0 for step in moved) else self
        theirs = {
            register: tuple(n + step for n, step in zip(place, moved, strict=True))
            for register, place in other.registers.items()
        }
        return replace(self, registers=theirs | dict(self.registers))

    def layout(self, dims: Sequence[str]) -> "tuple[Step, Bases] | None":
        """Return the first element in the tile, and the layout (register, lane) -> dims from there.

        Return None if registers are unknown, or if the layout is not linear.
        """
        count = len(self.registers)
        if count & (count - 1) or set(self.registers) != set(range(count)):
            return None
        first = self.registers[0]
        vectors = [
            _xor(self.registers[1 << bit], first) for bit in range(count.bit_length() - 1)
        ]
        spanned = _spanned(vectors, self.lanes, len(first))
        if any(n & bits for n, bits in zip(first, spanned, strict=True)):
            return None
        if any(
            _at(register, vectors, first) != place
            for register, place in self.registers.items()
        ):
            return None
        sizes = [1 << n.bit_length() for n in spanned]
        begins = tuple(a + b for a, b in zip(self.origin, first, strict=True))
        inputs = {"register": tuple(vectors), "lane": self.lanes}
        return begins, Bases(inputs, dict(zip(dims, sizes, strict=True)))


def lanes_of(
    part: Part, layout: LinearLayout, bits: int, selection: Sequence[int] | None = None
) -> Lanes | None:
    """Return the lanes of a part with this layout (register, lane) -> dimensions of its type.

    `selection` gives the vector's register of each of the layout's registers. Return None if other subgroups have parts
    of it, or if the part's elements are not at powers of two.
    """
    bases = layout.bases
    if set(bases) - {"register", "lane"} or not _is_linear(part):
        return None
    vectors = [part.moved(vector) for vector in bases.get("register", [])]
    start = (0,) * len(part.offset)
    count = 1 << len(vectors)
    places = selection or range(count)
    registers = {place: _at(n, vectors, start) for n, place in enumerate(places)}
    lanes = tuple(part.moved(vector) for vector in bases.get("lane", []))
    return Lanes(part.tile, part.offset, bits, registers, lanes)


def _is_linear(part: Part) -> bool:
    """Return True if bits of indices are bits of places, each a different one."""
    for d in range(len(part.offset)):
        steps = sorted(
            (step[d], extent)
            for step, extent in zip(part.steps, part.extents, strict=True)
            if step[d] and extent > 1
        )
        free = 1
        for step, extent in steps:
            if step & (step - 1) or step < free:
                return False
            free = step << (extent - 1).bit_length()
    return True


def _spanned(vectors: Sequence[Step], lanes: Sequence[Step], rank: int) -> list[int]:
    """Return, for each dimension, the bits that are set in any of the vectors."""
    spanned = [0] * rank
    for vector in (*vectors, *lanes):
        spanned = [n | step for n, step in zip(spanned, vector, strict=True)]
    return spanned


def _at(number: int, vectors: Sequence[Step], start: Step) -> Step:
    found = start
    for bit, vector in enumerate(vectors):
        if number >> bit & 1:
            found = _xor(found, vector)
    return found


def _xor(left: Step, right: Step) -> Step:
    return tuple([a ^ b for a, b in zip(left, right, strict=True)])


Found: TypeAlias = dict[At, Lanes]


class LaneValues:
    """The elements that lanes have, by level and value, in the order of the program."""

    def __init__(self, chain: Chain) -> None:
        self.trace = chain.trace
        self.parts = chain.parts
        self.found: Found = {}
        self._level("V", self._from_x)
        self._level("L", self._from_v)

    def _level(
        self, letter: LevelId, read: Callable[[object], Iterator[tuple[SSAValue, Lanes]]]
    ) -> None:
        for _, told in self.trace.told.get(letter, []):
            self._keep(read(told))
        self._inside(self.trace.ops.get(letter, []))

    def _keep(self, values: Iterator[tuple[SSAValue, Lanes]]) -> None:
        """Record the known values of a level."""
        for value, lanes in values:
            at = self.trace.values.get(value)
            if at is not None:
                known = self.found.get(at)
                self.found[at] = lanes if known is None else known.beside(lanes)

    def _from_x(self, told: object) -> Iterator[tuple[SSAValue, Lanes]]:
        if isinstance(told, RegisterLayouts):
            yield from self._planned(told)
        elif isinstance(told, LaneView):
            yield from self._held(told)

    def _part(self, value: SSAValue) -> Part | None:
        at = self.trace.values.get(value)
        return None if at is None else self.parts.get(at)

    def _planned(self, layouts: RegisterLayouts) -> Iterator[tuple[SSAValue, Lanes]]:
        """Yield vectors of X, in the layouts that the pass chose."""
        for value in layouts.vectors:
            part = self._part(value)
            if part is None or not layouts.holds(value):
                continue
            bits = bits_of(value.type)
            lanes = None if bits is None else lanes_of(part, layouts.of(value), bits)
            if lanes is not None:
                yield value, lanes

    def _held(self, view: LaneView) -> Iterator[tuple[SSAValue, Lanes]]:
        """Yield the vectors of V that the vectors of X became, and those in which they have other layouts."""
        forms: dict[object, Part] = {}
        for value, form in view.environment.items():
            part = self._part(value)
            if part is not None and isinstance(form, Parts):
                forms.setdefault(form, part)
                if isinstance(form, Registers):
                    yield from _registers(part, form)
        for form, registers in view.copies:
            if form in forms:
                yield from _registers(forms[form], registers)

    def _from_v(self, told: object) -> Iterator[tuple[SSAValue, Lanes]]:
        if not isinstance(told, LLVMView):
            return
        for value, form in told.environment.items():
            at = self.trace.values.get(value)
            lanes = None if at is None else self.found.get(at)
            if lanes is None:
                continue
            for part, first in _lowered(form):
                chosen = _words(lanes, part, first)
                if chosen is not None:
                    yield part, chosen

    def _inside(self, ops: Sequence[Operation]) -> None:
        """Find vectors that take registers of others."""
        for op in ops:
            take = _TAKES.get(op.name)
            if take is None or self.trace.values[op.results[0]] in self.found:
                continue
            source = self.found.get(self.trace.values[op.operands[0]])
            lanes = None if source is None else take(op, source)
            if lanes is not None:
                self.found[self.trace.values[op.results[0]]] = lanes


def bits_of(type: Attribute) -> int | None:
    """Return the bits of an element in a register, or None if the type has no elements of a fixed size."""
    element: Attribute = getattr(type, "element_type", type)
    if isinstance(element, FixedBitwidthType | IndexType):
        return register_bits(element)
    return None


def _registers(part: Part, form: Registers) -> Iterator[tuple[SSAValue, Lanes]]:
    bits = register_bits(form.element_type)
    lanes = lanes_of(part, form.layout, bits, form.selection)
    for value in form.values if lanes is not None else ():
        assert lanes is not None
        yield value, lanes


def _lowered(form: object) -> Iterator[tuple[SSAValue, int]]:
    """Yield the values of L that a vector of V became, each with its first bit."""
    if isinstance(form, SSAValue):
        yield form, 0
    elif isinstance(form, Chunks):
        first = 0
        for part in form.parts:
            yield part, first
            first += vector_bits(part.type)
    elif isinstance(form, Loaded):
        for (offset, _), part in form.memory.parts.items():
            yield part, 8 * offset


def vector_bits(type: Attribute) -> int:
    """Return all bits of a vector or of a number."""
    count = type.get_shape()[0] if isa(type, VectorType) else 1
    return count * (bits_of(type) or 0)


def _words(lanes: Lanes, value: SSAValue, first: int) -> Lanes | None:
    """Return the lanes of a value that begins at bit `first` of the registers of `lanes`."""
    size = vector_bits(value.type)
    if first % lanes.bits or size % lanes.bits:
        return None
    start = first // lanes.bits
    return lanes.chosen(range(start, start + size // lanes.bits))


def _shuffled(op: Operation, lanes: Lanes) -> Lanes | None:
    word = bits_of(op.operands[0].type) or 0
    if word % lanes.bits:
        return None
    each, mask = word // lanes.bits, integers_of(op, "mask")
    length = vector_bits(op.operands[0].type) // word
    if any(not 0 <= index < length for index in mask) and op.operands[0] != op.operands[1]:
        return None
    return lanes.chosen(index % length * each + i for index in mask for i in range(each))


def _cast(op: Operation, lanes: Lanes) -> Lanes | None:
    """Return the same bits in other words; None if a word is a part of an element."""
    word = bits_of(op.results[0].type) or 0
    return lanes if word and word % lanes.bits == 0 else None


_TAKES: Mapping[str, Callable[[Operation, Lanes], Lanes | None]] = {
    "vector.shuffle": _shuffled,
    "vector.bitcast": _cast,
    "llvm.shufflevector": _shuffled,
    "llvm.bitcast": _cast,
}
