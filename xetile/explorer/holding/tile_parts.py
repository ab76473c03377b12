"""The part of a tile that each value is, from one level to the next, according to the passes' own views.

The `steps` of a part, one for each dimension of its type, give its elements' places: of a `vector<1x2x32x16xf16>`
in blocks they are (32, 0), (0, 16), (1, 0), (0, 1), of a `vector<8x16x2xf16>` with packed rows (2, 0), (0, 1), (1, 0).

Every value is mapped to its part of a tile at the levels from S to X, from the passes' finished views:

    S   %b : vector<32x64xf16>                  the tile itself
    B   %b : vector<1x4x32x16xf16>              all of it, in blocks
    X   %v : vector<2x32x16xf16>                the part from (0, 0), by one message
        %w : vector<8x16x2xf16>                 the part from (16, 32), packed rows

A value that a pass creates underway, or that only renames another one of its level, is mapped by its op's meaning
(`renamed`): loaded values, repacked blocks, slices, the sums that a chain of products passes on.

So are values that equal another value of their level, or a part of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from xetile.analysis.constants import integers_of
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import DpasOp, LoadNdOp
from xetile.dialects.xetile import TilePackOp, TileType, TileUnpackOp
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.explorer.linking.placed_texts import values_of
from xetile.explorer.linking.trace import Traced
from xetile.explorer.model import At, LevelId
from xetile.hints import isa
from xetile.passes.xe.convert_xetile_to_xegpu.bands import Bands
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import Grid, MessagePlace, XeGPUView
from xetile.passes.xe.xetile_blocking.blocked_view import Packed
from xetile.planning.xe.register_layouts.held import written_load
from xetile.rewriting.one_to_many import Expansion, Parts

Step = tuple[int, ...]
"""The distance in the tile to the next element along a dimension, in elements of the tile's dimensions."""


class Part(NamedTuple):
    """A part of a tile: its first element, and the places of the elements of its type.

    `extents` are those of its type; there are fewer `rows` if the last ones belong to nobody.
    """

    tile: At
    offset: Step
    extents: tuple[int, ...]
    steps: tuple[Step, ...]
    rows: int | None = None

    @property
    def sizes(self) -> list[int]:
        """Return the extents of the part in the tile, in elements."""
        rank = len(self.offset)
        found = [
            1
            + sum((n - 1) * step[d] for n, step in zip(self.extents, self.steps, strict=True))
            for d in range(rank)
        ]
        return found if self.rows is None else [self.rows, *found[1:]]

    def at(self, index: Sequence[int]) -> Step:
        """Return the place of an element in the tile, counted from the beginning of the tile."""
        moved = self.moved(index)
        return tuple(first + more for first, more in zip(self.offset, moved, strict=True))

    def moved(self, index: Sequence[int]) -> Step:
        """Return the place of an element in the tile, counted from the beginning of the part."""
        rank = len(self.offset)
        pairs = list(zip(index, self.steps, strict=True))
        return tuple(sum(i * step[d] for i, step in pairs) for d in range(rank))

    def block(
        self, start: Sequence[int], extents: Sequence[int], steps: Sequence[Step]
    ) -> "Part":
        """Return the part that begins at `start` within this one, in elements of the tile."""
        offset = tuple(first + more for first, more in zip(self.offset, start, strict=True))
        return Part(self.tile, offset, tuple(extents), tuple(steps))


def unit_steps(rank: int) -> tuple[Step, ...]:
    """Return the steps of a value with the dimensions of its tile."""
    return tuple(tuple(int(d == e) for e in range(rank)) for d in range(rank))


def whole(tile: At, extents: Sequence[int]) -> Part:
    """Return the part that is the whole tile."""
    return Part(tile, (0,) * len(extents), tuple(extents), unit_steps(len(extents)))


def became(part: Part, form: object) -> Iterator[tuple[SSAValue, Part]]:
    """Yield the values that a part of a tile became, each with its own part; none if they have no elements."""
    if isinstance(form, SSAValue):
        yield form, part
    elif isinstance(form, Packed):
        yield form.value, _in_blocks(part, form)
    elif isinstance(form, Grid):
        yield from _of_grid(part, form)
    elif isinstance(form, Bands):
        yield from _of_bands(part, form)
    elif isinstance(form, Parts):
        yield from _alike(part, form)


def _in_blocks(part: Part, form: Packed) -> Part:
    extents = vector_type(form.value).get_shape()
    height, width = form.block
    steps = ((height, 0), (0, width), (1, 0), (0, 1))
    return Part(part.tile, part.offset, tuple(extents), steps)


def _of_grid(part: Part, form: Grid) -> Iterator[tuple[SSAValue, Part]]:
    (rows, columns), (height, width) = form.shape, form.block
    for index, value in enumerate(form.values):
        row, column = divmod(index, columns)
        yield value, _block(part, value, (row * height, column * width), form.pack)
    assert len(form.values) == rows * columns


def _of_bands(part: Part, form: Bands) -> Iterator[tuple[SSAValue, Part]]:
    for index, value in enumerate(form.values):
        band, column = divmod(index, form.columns)
        start = (form.starts[band], column * form.width)
        yield value, _block(part, value, start, form.pack)._replace(rows=form.heights[band])


def _block(part: Part, value: SSAValue, start: Sequence[int], pack: int) -> Part:
    extents = vector_type(value).get_shape()
    steps = ((1, 0), (0, 1)) if pack == 1 else ((pack, 0), (0, 1), (1, 0))
    return part.block(start, extents, steps)


def _alike(part: Part, form: Parts) -> Iterator[tuple[SSAValue, Part]]:
    """Yield tiles that became several tiles of the same elements, one for each use."""
    for value in dict.fromkeys(form.values):
        if extents_of(value) == part.extents:
            yield value, part


def extents_of(value: SSAValue) -> tuple[int, ...] | None:
    """Return the extents of a tile or vector, or None for other values."""
    type = value.type
    if isinstance(type, TileType):
        return type.shape
    if isa(type, VectorType):
        return tuple(type.get_shape())
    return None


KnownParts: TypeAlias = Callable[[SSAValue], Part | None]


def renamed(ops: Sequence[Operation], known: KnownParts) -> Mapping[SSAValue, Part]:
    """Return the parts of op results that `known` does not have, in the order of the program."""
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
    """Return the sum of products that a product adds to, if another product computes it."""
    if not isinstance(op, DpasOp) or op.acc is None:
        return None
    return op.acc if isinstance(op.acc.owner, DpasOp) else None


def _packed(op: Operation, source: Part) -> Part | None:
    """Return the part of a whole matrix in blocks."""
    if len(source.extents) != 2:
        return None
    rows, columns, height, width = vector_type(op.results[0]).get_shape()
    steps = ((height, 0), (0, width), (1, 0), (0, 1))
    return source._replace(extents=(rows, columns, height, width), steps=steps)


def _unpacked(op: Operation, source: Part) -> Part:
    extents = tuple(vector_type(op.results[0]).get_shape())
    return source._replace(extents=extents, steps=unit_steps(2))


def _extracted(op: Operation, source: Part) -> Part | None:
    """Return the part of a vector extracted from one with more dimensions, at a known place."""
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
"""The levels at which values are parts of the tiles of the first of these levels that a kernel has."""


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
        """Make each tile and vector of the first level a tile of its own."""
        for value in (v for op in self.trace.ops[letter] for v in values_of(op)):
            extents = extents_of(value)
            if extents:
                at = self.trace.values[value]
                self.parts[at] = whole(at, extents)

    def _lower(self, letter: LevelId) -> None:
        """Find the values that the parts of the level above became in the passes to a level."""
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
        """Find the parts of values that have none yet from the operands and results of their ops."""
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
    """Return the part of each value that a view made; None for a value that is several parts."""
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
    """Yield the parts that block messages load: blocks side by side, with rows packed, or transposed."""
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
    """Return the part that a message loads, with the dimensions that `convert-xetile-to-xegpu` writes."""
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
