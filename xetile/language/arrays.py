"""Arrays in memory, and the regions of them that tiles are loaded from and stored to."""

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from xetile.language.builder import Pair, current
from xetile.language.indices import Index, difference
from xetile.language.refusals import refuse
from xetile.language.tiles import Tile
from xetile.language.types import ArrayType, ElementType

Start: TypeAlias = "Index | int"
Place: TypeAlias = "slice | Index | int"


class Array:
    """An array: an argument of the kernel, or shared memory.

    `shape` are its extents: numbers where they are known, else indices.
    """

    def __init__(self, value: SSAValue, type: ArrayType, shape: tuple[Start, ...]) -> None:
        self.value = value
        self.type = type
        self.shape = shape

    @property
    def dtype(self) -> ElementType:
        """The type of its elements."""
        return self.type.element

    @property
    def at(self) -> "Places":
        """Regions: `A.at[m:m + 64, k:k + 32]`."""
        return Places(self)

    def __getitem__(self, places: "Place | tuple[Place, ...]") -> Tile:
        return self.at[places].load()

    def __setitem__(self, places: "Place | tuple[Place, ...]", value: Tile) -> None:
        self.at[places].store(value)


class Places:
    """What is indexed to name a region."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, places: "Place | tuple[Place, ...]") -> "Region":
        every = places if isinstance(places, tuple) else (places,)
        if len(every) != len(self._array.shape):
            refuse(f"{len(every)} places in an array of {len(self._array.shape)} dimensions")
        starts = [place.start if isinstance(place, slice) else place for place in every]
        rows, columns = (_extent(place) for place in every[-2:])
        return Region(self._array, starts, (rows, columns))


def _extent(place: Place) -> int:
    if not isinstance(place, slice):
        return 1
    extent = difference(place.stop, place.start)
    if extent is None:
        refuse("the extent of a slice has to be known; write `start:start + EXTENT`")
    return extent


class Region:
    """A rectangle of an array, `shape` elements from `starts` on."""

    def __init__(self, array: Array, starts: "list[Start]", shape: Pair) -> None:
        self.array = array
        self.starts = starts
        self.shape = shape

    def load(self) -> Tile:
        """Its elements."""
        from xetile.dialects.xetile import LoadTileOp

        value = current().result(LoadTileOp(self._tile()))
        return Tile(value, self.array.dtype, self.shape)

    def store(self, value: Tile) -> None:
        """Put a tile there."""
        from xetile.dialects.xetile import StoreTileOp

        current().insert(StoreTileOp(value.ssa(), self._tile()))

    def _tile(self) -> SSAValue:
        from xetile.dialects.xetile import InitTileOp, TileAttr, TileType

        offsets = [
            Index.of(s).ssa() if Index.of(s).known is None else Index.of(s).constant
            for s in self.starts
        ]
        order = TileAttr(order=(0, 1)) if self.array.type.column_major else None
        kind = TileType(self.shape, self.array.dtype.attribute, order)
        return current().pure(InitTileOp(self.array.value, offsets, (), (), kind))


def memref_of(type: ArrayType) -> MemRefType:
    """The type of an array in IR."""
    from xdsl.dialects.builtin import DYNAMIC_INDEX, NoneAttr, StridedLayoutAttr

    shape = [extent if isinstance(extent, int) else DYNAMIC_INDEX for extent in type.extents]
    layout = NoneAttr()
    if type.column_major:
        steps = _steps_of([*shape[:-2], shape[-1], shape[-2]])
        layout = StridedLayoutAttr([*steps[:-2], steps[-1], steps[-2]])
    return MemRefType(type.element.attribute, shape, layout)


def _steps_of(shape: "Sequence[int]") -> "list[int | None]":
    """How far neighbours along each dimension of a row-major array are from one another; None: known at run time."""
    steps: list[int | None] = [1]
    for extent in reversed(shape[1:]):
        last = steps[0]
        steps.insert(0, None if extent < 0 or last is None else last * extent)
    return steps
