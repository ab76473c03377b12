"""Which part of which tile every value is, at the levels from S to X, as the passes' finished views say.

    S   %b : vector<32x64xf16>                  the tile itself
    B   %b : vector<1x4x32x16xf16>              all of it, in blocks
    X   %v : vector<2x32x16xf16>                the part from (0, 0), by one message
        %w : vector<8x16x2xf16>                 the part from (16, 32), packed rows

A value that a pass makes underway, or that only renames another one of its level, is found by what its op means
(`renamed`): what a message loads, repacked blocks, slices, the sums that a chain of products hands on.

Values that hold what another value of their level holds, or a part of it, as their ops say.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from xetile.analysis.constants import integers_of
from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xegpu import DpasOp, LoadNdOp
from xetile.dialects.xetile import TilePackOp, TileUnpackOp
from xetile.dialects.xetile.types import memory_bits
from xetile.explorer.holding.tile_parts import Part, became, extents_of, unit_steps, whole
from xetile.explorer.levels.placed_texts import values_of
from xetile.explorer.levels.trace import Traced
from xetile.explorer.model import At, LevelId
from xetile.passes.convert_xetile_to_xegpu.view import MessagePlace, XeGPUView
from xetile.planning.register_layouts.held import written_load
from xetile.rewriting.one_to_many import Expansion

Known: TypeAlias = Callable[[SSAValue], Part | None]


def renamed(ops: Sequence[Operation], known: Known) -> Mapping[SSAValue, Part]:
    """The parts that results of ops have and `known` does not, in the order of the program."""
    found: dict[SSAValue, Part] = {}

    def part_of(value: SSAValue) -> Part | None:
        return found.get(value) or known(value)

    for op in ops:
        rename = _RENAMES.get(op.name)
        if rename is None or known(op.results[0]) is not None:
            continue
        source = part_of(op.operands[0])
        part = None if source is None else rename(op, source)
        if part is not None:
            found[op.results[0]] = part
    for op in reversed(ops):
        added = _added(op)
        if added is None or part_of(added) is not None:
            continue
        part = part_of(op.results[0])
        if part is not None:
            found[added] = part
    return found


def _added(op: Operation) -> SSAValue | None:
    """The sum of products that a product adds to, where it is another product's."""
    if not isinstance(op, DpasOp) or op.acc is None:
        return None
    return op.acc if isinstance(op.acc.owner, DpasOp) else None


def _packed(op: Operation, source: Part) -> Part | None:
    """All of a matrix in blocks."""
    if len(source.extents) != 2:
        return None
    rows, columns, height, width = vector_type(op.results[0]).get_shape()
    steps = ((height, 0), (0, width), (1, 0), (0, 1))
    return source._replace(extents=(rows, columns, height, width), steps=steps)


def _unpacked(op: Operation, source: Part) -> Part:
    extents = tuple(vector_type(op.results[0]).get_shape())
    return source._replace(extents=extents, steps=unit_steps(2))


def _extracted(op: Operation, source: Part) -> Part | None:
    """A vector out of one with more dimensions, at a place that is known."""
    place = integers_of(op, "static_position")
    if len(op.operands) > 1 or len(place) >= len(source.extents):
        return None
    kept = len(source.extents) - len(place)
    start = source.moved([*place, *[0] * kept])
    return source.block(start, source.extents[-kept:], source.steps[-kept:])


def _sliced(op: Operation, source: Part) -> Part | None:
    if set(integers_of(op, "strides")) != {1}:
        return None
    offsets = integers_of(op, "offsets")
    start = source.moved([*offsets, *[0] * (len(source.extents) - len(offsets))])
    return source.block(start, vector_type(op.results[0]).get_shape(), source.steps)


_RENAMES: Mapping[str, Callable[[Operation, Part], Part | None]] = {
    TilePackOp.name: _packed,
    TileUnpackOp.name: _unpacked,
    "vector.extract": _extracted,
    "vector.extract_strided_slice": _sliced,
}


TILES: tuple[LevelId, ...] = ("S", "B", "X")
"""The levels at which values are parts of the tiles of the first of them that a kernel has."""


class Chain:
    """The parts of a kernel: `parts` by level and value, in the order of the program."""

    def __init__(self, trace: Traced) -> None:
        self.trace = trace
        self.parts: dict[At, Part] = {}
        there: list[LevelId] = [letter for letter in TILES if letter in trace.ops]
        for number, letter in enumerate(there):
            if number == 0:
                self._begin(letter)
            else:
                self._lower(letter)
            self._inside(letter)

    def _begin(self, letter: LevelId) -> None:
        """Each tile and vector of the first level is the tile itself."""
        for value in (v for op in self.trace.ops[letter] for v in values_of(op)):
            extents = extents_of(value)
            if extents:
                at = self.trace.values[value]
                self.parts[at] = whole(at, extents)

    def _lower(self, letter: LevelId) -> None:
        """What the parts of the level above became in the passes to a level."""
        known: Callable[[SSAValue], Part | None] = self._above
        made: dict[SSAValue, Part | None] = {}
        for _, view in self.trace.told.get(letter, []):
            if isinstance(view, Expansion):
                made = _mapped(view, known)
                known = _either(made, known)
                if isinstance(view, XeGPUView):
                    made |= dict(_loaded(view, known))
        self._keep(letter, made)

    def _above(self, value: SSAValue) -> Part | None:
        at = self.trace.values.get(value)
        return None if at is None else self.parts.get(at)

    def _keep(self, letter: LevelId, made: Mapping[SSAValue, Part | None]) -> None:
        here = self.trace.level(letter)
        for value, part in made.items():
            at = self.trace.values.get(value)
            if part is not None and at is not None and at[0] == here:
                self.parts.setdefault(at, part)

    def _inside(self, letter: LevelId) -> None:
        """Values that have no part yet, by those of their ops that have one."""
        found = renamed(self.trace.ops[letter], self._above)
        for value, part in found.items():
            self.parts.setdefault(self.trace.values[value], part)


def _either(
    made: Mapping[SSAValue, Part | None], known: Callable[[SSAValue], Part | None]
) -> Callable[[SSAValue], Part | None]:
    return lambda value: made[value] if value in made else known(value)


def _mapped(
    view: Expansion, known: Callable[[SSAValue], Part | None]
) -> dict[SSAValue, Part | None]:
    """The part of each value that a view made; None of one that stands for several parts."""
    made: dict[SSAValue, Part | None] = {}
    for old, form in view.environment.items():
        part = known(old)
        if part is None:
            continue
        for value, own in became(part, form):
            earlier = made.setdefault(value, own)
            if (
                earlier is not None
                and earlier.tile == own.tile
                and earlier.offset != own.offset
            ):
                made[value] = None
    return made


def _loaded(
    view: XeGPUView, known: Callable[[SSAValue], Part | None]
) -> Iterator[tuple[SSAValue, Part]]:
    """What block messages load: blocks side by side, with rows packed, or transposed."""
    for op, place in view.begins.items():
        if not isinstance(op, LoadNdOp):
            continue
        part = known(place.op.results[0])
        loaded, element = (
            vector_type(v).element_type for v in (op.value, place.op.results[0])
        )
        if part is not None and memory_bits(loaded) == memory_bits(element):
            yield op.value, _message_part(op, place, part)


def _message_part(op: LoadNdOp, place: MessagePlace, part: Part) -> Part:
    """The part that a message loads, its dimensions as `convert-xetile-to-xegpu` writes them."""
    message, extents = written_load(op), vector_type(op.value).get_shape()
    pack = extents[-1] if message.packed else 1
    steps = [(pack, 0), (0, 1)]
    if pack > 1:
        steps.append((1, 0))
    if message.transposed:
        steps.reverse()
    if message.blocks > 1:
        steps.insert(0, (0, message.columns))
    start = (place.row, place.column)
    if place.by_columns:
        start, steps = start[::-1], [step[::-1] for step in steps]
    return part.block(start, extents, steps)
