"""Which part of a tile a value is, from one level to the next, as the passes' own views say.

A part's elements lie in the tile where `steps` lead, one for each dimension of its type: of a `vector<1x2x32x16xf16>`
in blocks they are (32, 0), (0, 16), (1, 0), (0, 1), of a `vector<8x16x2xf16>` with packed rows (2, 0), (0, 1), (1, 0).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue

from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xetile import TileType
from xetile.explorer.model import At
from xetile.hints import isa
from xetile.passes.convert_xetile_to_xegpu.bands import Bands
from xetile.passes.convert_xetile_to_xegpu.view import Grid
from xetile.passes.xetile_blocking.view import Packed
from xetile.rewriting.one_to_many import Parts

Step = tuple[int, ...]
"""How far the next element along a dimension lies in the tile, in elements of its dimensions."""


class Part(NamedTuple):
    """A part of a tile: where it begins, in elements, and where the elements of its type lie.

    `extents` are those of its type; `rows` are fewer where the last ones are nobody's.
    """

    tile: At
    offset: Step
    extents: tuple[int, ...]
    steps: tuple[Step, ...]
    rows: int | None = None

    @property
    def sizes(self) -> list[int]:
        """How much of the tile it is, in elements."""
        rank = len(self.offset)
        found = [
            1
            + sum((n - 1) * step[d] for n, step in zip(self.extents, self.steps, strict=True))
            for d in range(rank)
        ]
        return found if self.rows is None else [self.rows, *found[1:]]

    def at(self, index: Sequence[int]) -> Step:
        """Where an element lies in the tile, counted from where the tile begins."""
        moved = self.moved(index)
        return tuple(first + more for first, more in zip(self.offset, moved, strict=True))

    def moved(self, index: Sequence[int]) -> Step:
        """Where an element lies in the tile, counted from where the part begins."""
        rank = len(self.offset)
        pairs = list(zip(index, self.steps, strict=True))
        return tuple(sum(i * step[d] for i, step in pairs) for d in range(rank))

    def block(
        self, start: Sequence[int], extents: Sequence[int], steps: Sequence[Step]
    ) -> "Part":
        """What begins at `start` in it, in elements of the tile."""
        offset = tuple(first + more for first, more in zip(self.offset, start, strict=True))
        return Part(self.tile, offset, tuple(extents), tuple(steps))


def unit_steps(rank: int) -> tuple[Step, ...]:
    """The steps of what has the dimensions of its tile."""
    return tuple(tuple(int(d == e) for e in range(rank)) for d in range(rank))


def whole(tile: At, extents: Sequence[int]) -> Part:
    """A tile as the part of itself that it is."""
    return Part(tile, (0,) * len(extents), tuple(extents), unit_steps(len(extents)))


def became(part: Part, form: object) -> Iterator[tuple[SSAValue, Part]]:
    """The values that a part of a tile became, each with its part of the tile; none for what has no elements."""
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
    """Tiles that became several tiles of the same elements, one for each use."""
    for value in dict.fromkeys(form.values):
        if extents_of(value) == part.extents:
            yield value, part


def extents_of(value: SSAValue) -> tuple[int, ...] | None:
    """The extents of a tile or vector; None of other values."""
    type = value.type
    if isinstance(type, TileType):
        return type.shape
    if isa(type, VectorType):
        return tuple(type.get_shape())
    return None
