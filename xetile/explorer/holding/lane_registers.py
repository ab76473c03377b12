"""Which element each register of each lane has: of vectors at level X, of one lane's vectors at V and L.

Registers count elements of the tile, whatever the words are in which a level has them: the two halves of a word of
`vector<8xi32>` are registers 0 and 1, the lower one first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from xetile.explorer.holding.tile_parts import Part, Step
from xetile.explorer.model import At, Bases
from xetile.layout.algebra.linear_layout import LinearLayout


@dataclass(frozen=True)
class Lanes:
    """What the lanes of a subgroup have of a tile.

    Attributes:
        tile: the tile; `origin` is the element of it from which the others are counted.
        bits: of an element.
        registers: by register what lane 0 has there; of a vector that has other elements too, those that are known.
        lanes: by bit of the lane's number how far what it has lies from that. Numbers are combined by XOR.
    """

    tile: At
    origin: Step
    bits: int
    registers: Mapping[int, Step]
    lanes: tuple[Step, ...]

    def chosen(self, registers: Iterable[int]) -> "Lanes | None":
        """Some of the registers, in this order; None where none of them is known."""
        known = {
            new: self.registers[old]
            for new, old in enumerate(registers)
            if old in self.registers
        }
        return replace(self, registers=known) if known else None

    def beside(self, other: "Lanes") -> "Lanes":
        """The registers of another one too, where it is the same tile, and lanes lie alike."""
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
        """Where it begins in the tile, and the layout (register, lane) -> dims from there.

        None where registers are unknown, or what they hold is not linear.
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
    """The lanes of a part that has this layout (register, lane) -> dimensions of its type.

    `selection` says which register of a vector each of the layout's is; None where other subgroups have parts, or the
    part's elements do not lie by powers of two.
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
    """Whether bits of indices are bits of places, no two the same."""
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
    """By dimension the bits that are set in any of the vectors."""
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
