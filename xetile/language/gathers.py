"""Elements of an array at places that tiles of indices name: gathers, scatters, atomic changes.

Indices become places in the line of the array's elements; where a tile of indices may leave its dimension, so that the
line would give a neighbour's element, a mask leaves such elements out, as a region does with what is outside.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import SSAValue

from xetile.language.arithmetic import Single
from xetile.language.builder import Pair, current
from xetile.language.conversions import converted
from xetile.language.elementwise import binary, compare, met, select
from xetile.language.held import Held, fitting_in_memory
from xetile.language.indices import Index, difference
from xetile.language.literals import literal
from xetile.language.memories import Memory
from xetile.language.numbered import numbers
from xetile.language.places import Span
from xetile.language.rearranging import broadcast, common_shape
from xetile.language.refusals import refuse
from xetile.language.regions import (
    Atomic,
    LoadCache,
    StoreCache,
    atomic,
    fitting,
    hints_of,
    padding_of,
)
from xetile.language.surfaces import SHARED, Start
from xetile.language.tiles import Tile
from xetile.language.types import ElementType, i1, index
from xetile.language.values import describe


class _Places(NamedTuple):
    """Where elements are in the line, and which of them are inside of their dimensions (None: all)."""

    line: Held
    inside: Held | None


class Gather:
    """Elements of an array, one for each index in tiles that have one shape together."""

    def __init__(self, array: Memory, places: Sequence[Tile | Span]) -> None:
        self.array = array
        self.places = places
        self.shape = _shape(places)

    @property
    def dtype(self) -> ElementType:
        """The type of the elements."""
        return self.array.element

    def describe(self) -> str:
        """What it is, for messages."""
        return f"a gather of {self.shape[0]}x{self.shape[1]}x{self.dtype}"

    def load(
        self,
        *,
        mask: Tile | None = None,
        padding: float | None = None,
        cache: LoadCache = None,
    ) -> Tile:
        """The elements; what the mask leaves out, or is outside of the array, is `padding` (by default 0)."""
        from xetile.dialects.xetile import LoadGatherOp

        attribute = padding_of(padding, self.dtype)
        places = self._places()
        tile = self._tile(places.line)
        condition = self._mask(mask, places.inside)
        op = LoadGatherOp(tile, condition, padding=attribute, hints=hints_of(cache, "load"))
        return Tile(current().result(op), self.dtype, self.shape)

    def store(
        self,
        value: Tile | Single | float,
        *,
        mask: Tile | None = None,
        cache: StoreCache = None,
    ) -> None:
        """Put elements there, but those that the mask leaves out; where places are equal, any of them stays."""
        from xetile.dialects.xetile import StoreScatterOp

        held = self._taken(value, ".store")
        places = self._places()
        tile = self._tile(places.line)
        condition = self._mask(mask, places.inside)
        op = StoreScatterOp(held.value, tile, condition, hints=hints_of(cache, "store"))
        current().insert(op)

    def add(self, value: Tile | Single | float, *, mask: Tile | None = None) -> Tile:
        """Add elements atomically; what was there before, 0 where nothing is changed."""
        return self._atomic("add", value, mask)

    def mul(self, value: Tile | Single | float, *, mask: Tile | None = None) -> Tile:
        """Multiply elements atomically; what was there before."""
        return self._atomic("mul", value, mask)

    def max(self, value: Tile | Single | float, *, mask: Tile | None = None) -> Tile:
        """The larger of both stays, atomically; what was there before."""
        return self._atomic("max", value, mask)

    def min(self, value: Tile | Single | float, *, mask: Tile | None = None) -> Tile:
        """The smaller of both stays, atomically; what was there before."""
        return self._atomic("min", value, mask)

    def and_(self, value: Tile | Single | int, *, mask: Tile | None = None) -> Tile:
        """The bits that both have stay, atomically; what was there before."""
        return self._atomic("and", value, mask)

    def or_(self, value: Tile | Single | int, *, mask: Tile | None = None) -> Tile:
        """The bits that either has stay, atomically; what was there before."""
        return self._atomic("or", value, mask)

    def xor(self, value: Tile | Single | int, *, mask: Tile | None = None) -> Tile:
        """The bits that one of both has stay, atomically; what was there before."""
        return self._atomic("xor", value, mask)

    def exchange(self, value: Tile | Single | float, *, mask: Tile | None = None) -> Tile:
        """Put elements there atomically; what was there before."""
        return self._atomic("exchange", value, mask)

    def _atomic(self, kind: Atomic, value: object, mask: Tile | None) -> Tile:
        held = self._taken(value, f".{kind}")
        places = self._places()
        line = places.line
        if mask is not None or places.inside is not None:
            condition = Held(self._mask(mask, places.inside), i1, self.shape)
            line = select(condition, line, literal(-1, index, self.shape))
        return Tile(atomic(kind, held, self._tile(line)), self.dtype, self.shape)

    def _taken(self, value: object, what: str) -> Held:
        held = fitting(value, self.dtype, self.shape, f"{what} into {self.describe()}")
        if held.shape != self.shape:
            refuse(f"{what} of {held.describe()} into {self.describe()}: the shapes differ")
        return held

    def _tile(self, line: Held) -> SSAValue:
        from xetile.dialects.xetile import InitTileOp, TileAttr, TileType

        space = SHARED if self.array.surface.shared else 0
        attribute = TileAttr(scattered=True, memory_space=space)
        kind = TileType(self.shape, self.dtype.attribute, attribute)
        op = InitTileOp(self.array.line.value, (), (), (), kind, indices=line.value)
        return current().result(op)

    def _mask(self, mask: object, inside: Held | None) -> SSAValue:
        if mask is None:
            found = inside or literal(True, i1, self.shape)
            return broadcast(found, self.shape).value
        if not isinstance(mask, Tile) or mask.element != i1:
            refuse(f"mask is {describe(mask)}; expected a tile of i1, which comparisons make")
        if common_shape(mask.shape, self.shape) != self.shape:
            refuse(f"mask is {mask.describe()}, for {self.describe()}")
        held = broadcast(mask.held(), self.shape)
        return held.value if inside is None else binary("and", held, inside).value

    def _places(self) -> _Places:
        """The places in the line, as rows and columns are laid out in memory."""
        inside: Held | None = None
        line: Held | None = None
        strides = self.array.surface.strides_of_all()
        for number, place in enumerate(self.places):
            indices, outside = self._indices(place, number)
            part = _scaled(indices, strides[number])
            line = part if line is None else binary("add", line, part)
            if outside is not None:
                inside = outside if inside is None else binary("and", inside, outside)
        assert line is not None
        return _Places(broadcast(line, self.shape), inside)

    def _indices(self, place: Tile | Span, number: int) -> tuple[Held, Held | None]:
        """The indices in a dimension, and which of them are inside where that is not known."""
        extent = self.array.extents[number]
        if isinstance(place, Tile):
            held = converted(place.held(), index)
            return held, self._bounds(held, extent, number)
        if place.extent is None:
            return Index.of(place.start).held(), None
        axis = 1 if number == len(self.places) - 1 else 0
        held = binary("add", numbers(place.extent, axis, index), Index.of(place.start).held())
        room = difference(extent, place.start)
        if isinstance(place.start, int) and room is not None and place.extent <= room:
            return held, None
        return held, self._bounds(held, extent, number)

    def _bounds(self, held: Held, extent: Start, number: int) -> Held | None:
        """What the end of the line does not check: of the outermost dimension, beyond which nothing lies, it does."""
        if number == 0 and not self.array.surface.column_major:
            return None
        limit = Index.of(extent).held()
        low = compare("ge", held, literal(0, index, held.shape))
        return binary("and", low, compare("lt", *met("<", held, limit)))


def _scaled(held: Held, stride: Start) -> Held:
    if isinstance(stride, int) and stride == 1:
        return held
    return binary("mul", held, Index.of(stride).held())


def _shape(places: Sequence[Tile | Span]) -> Pair:
    shape: Pair | None = None
    for number, place in enumerate(places):
        if isinstance(place, Span):
            if place.extent is None:
                continue
            found = (1, place.extent) if number == len(places) - 1 else (place.extent, 1)
        else:
            found = place.shape
        together = common_shape(shape, found)
        if together is None:
            assert shape is not None
            refuse(
                f"tiles of indices of {shape[0]}x{shape[1]} and {found[0]}x{found[1]}: extents are equal, or one "
                "of them is 1"
            )
        shape = together
    assert shape is not None
    fitting_in_memory(shape)
    return shape
