"""Arrays in memory: arguments of a kernel, and what a workgroup's subgroups share.

Single elements of arrays, which every subgroup reads and one value is put into.
"""

from collections.abc import Sequence
from typing import NoReturn, TypeAlias, cast, overload

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from xetile.language.arithmetic import Single
from xetile.language.builder import current
from xetile.language.gathers import Gather
from xetile.language.held import Held
from xetile.language.indices import Index
from xetile.language.literals import literal, number_of
from xetile.language.memories import Memory
from xetile.language.places import Span, listed, shape_of, span
from xetile.language.refusals import refuse
from xetile.language.regions import Atomic, Region, atomic, fitting
from xetile.language.scalars import Scalar
from xetile.language.surfaces import Start, Surface
from xetile.language.tiles import Tile
from xetile.language.types import ArrayType, ElementType
from xetile.language.values import Value, describe

_ONE = (1, 1)


class Cell:
    """The element of an array at `starts`, which lies inside of it."""

    def __init__(self, array: Memory, starts: Sequence[Start]) -> None:
        self.array = array
        self.starts = starts

    @property
    def dtype(self) -> ElementType:
        """The type of the element."""
        return self.array.element

    def load(self) -> Scalar | Index:
        """The element; an index where the array holds indices."""
        from xdsl.dialects.memref import LoadOp

        op = LoadOp.get(
            self.array.surface.value, [Index.of(start).ssa() for start in self.starts]
        )
        value = current().result(op)
        return Index.of(value) if self.dtype.kind == "index" else Scalar(value, self.dtype)

    def store(self, value: Single | float) -> None:
        """Put a number there."""
        from xdsl.dialects.memref import StoreOp

        held = self._taken(value)
        places = [Index.of(start).ssa() for start in self.starts]
        current().insert(StoreOp.get(held.value, self.array.surface.value, places))

    def _taken(self, value: object) -> Held:
        if not isinstance(value, Value):
            number = number_of(value)
            if number is None:
                refuse(f"an element takes no {describe(value)}; it takes a number")
            return literal(number, self.dtype, None)
        held = value.held()
        if held.shape is not None:
            refuse(
                f"{held.describe()} into one element; write a slice of one element, start:start + 1"
            )
        if held.element != self.dtype:
            refuse(
                f"{held.describe()} into an element of {self.dtype}; write `.to(xt.{self.dtype})`"
            )
        return held

    def add(self, value: Single | float) -> None:
        """Add a number atomically, once for the workgroup."""
        self._atomic("add", value)

    def max(self, value: Single | float) -> None:
        """The larger of both stays, atomically."""
        self._atomic("max", value)

    def min(self, value: Single | float) -> None:
        """The smaller of both stays, atomically."""
        self._atomic("min", value)

    def _atomic(self, kind: Atomic, value: object) -> None:
        held = fitting(value, self.dtype, _ONE, f".{kind} into an element of {self.dtype}")
        if held.shape != _ONE:
            refuse(f".{kind} of {held.describe()} into one element")
        starts = self.starts
        lies = self.array.surface if len(starts) > 1 else self.array.row
        atomic(kind, held, lies.tile(starts if len(starts) > 1 else (0, *starts), _ONE))


Part: TypeAlias = slice | Single | int | None
"""A place in brackets: a slice of known extent, an index, None for a dimension of one."""

Spread: TypeAlias = Tile | slice | Single | int
"""A place beside tiles of indices."""

One: TypeAlias = Single | int | tuple[Single | int, ...]
"""Places of one element."""

Parts: TypeAlias = (
    slice | tuple[*tuple[Part, ...], slice] | tuple[*tuple[Part, ...], slice, Part]
)
"""Places of a region, of which one of the last two is a slice."""

Spreads: TypeAlias = (
    Tile | tuple[*tuple[Spread, ...], Tile] | tuple[*tuple[Spread, ...], Tile, Spread]
)
"""Places of a gather, of which one of the last two is a tile of indices."""


class Array:
    """An array: an argument of the kernel, or shared memory.

    `shape` are its extents: numbers where they are known, else indices.
    """

    def __init__(
        self,
        value: SSAValue,
        type: ArrayType,
        shape: tuple[Start, ...],
        memory: Memory | None = None,
    ) -> None:
        self.value = value
        self.type = type
        self.shape = shape
        self.memory = memory or Memory(
            Surface(value, type.element, shape, column_major=type.column_major)
        )
        self._transposed: Array | None = None

    def __setattr__(self, name: str, value: object, /) -> None:
        if name[0] != "_" and "_transposed" in self.__dict__:
            refuse(
                f"an array has no '.{name}' to set; its elements are stored to: A[m:m + BM, n:n + BN] = tile"
            )
        object.__setattr__(self, name, value)

    @property
    def dtype(self) -> ElementType:
        """The type of its elements."""
        return self.type.element

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def T(self) -> "Array":
        """The array with its last two dimensions exchanged, in the same memory."""
        if self._transposed is None:
            memory = self.memory.transposed()
            found = Array(memory.surface.value, self.type.T, memory.extents, memory)
            found._transposed = self
            self._transposed = found
        return self._transposed

    @property
    def at(self) -> "Places":
        """Regions: `A.at[m:m + 64, k:k + 32]`."""
        return Places(self)

    @overload
    def __getitem__(self, places: One) -> Scalar: ...
    @overload
    def __getitem__(self, places: Parts | Spreads) -> Tile: ...
    def __getitem__(self, places: object) -> Tile | Scalar | Index:
        return Places(self).found(places).load()

    def __setitem__(self, places: One | Parts | Spreads, value: Tile | Single | float) -> None:
        found = Places(self).found(places)
        if isinstance(found, Cell):
            found.store(cast("Single | float", value))
        else:
            found.store(value)

    def __len__(self) -> int:
        refuse("an array has no len() in a kernel; its extents are A.shape")

    def __iter__(self) -> NoReturn:
        refuse("an array is not iterated; for i in xt.range(A.shape[0]) goes over its rows")


class Places:
    """What is indexed to name a region."""

    def __init__(self, array: Array) -> None:
        self._array = array

    @overload
    def __getitem__(self, places: One) -> Cell: ...
    @overload
    def __getitem__(self, places: Parts) -> Region: ...
    @overload
    def __getitem__(self, places: Spreads) -> Gather: ...
    def __getitem__(self, places: object) -> Cell | Region | Gather:
        return self.found(places)

    def found(self, places: object) -> Cell | Region | Gather:
        """The elements that places name.

        Errors: XetileError for places that name none.
        """
        every, memory = listed(places), self._array.memory
        if any(isinstance(place, Tile) for place in every):
            return Gather(memory, self._spread(every))
        column = False
        if memory.ndim == 1 and len(every) == 2 and any(p is None for p in every):
            column = every[1] is None
            every = [place for place in every if place is not None]
        spans = self._spans(every)
        if all(one.extent is None for one in spans) and len(every) == len(listed(places)):
            return Cell(memory, [one.start for one in spans])
        starts = [one.start for one in spans]
        if len(spans) == 1:
            count = spans[0].length
            return Region(memory, starts, (count, 1) if column else (1, count))
        for one in spans[:-2]:
            if one.length != 1:
                refuse(
                    f"a slice of {one.length} elements in a batch dimension; a tile has two dimensions, the last ones"
                )
        return Region(memory, starts, shape_of(spans))

    def _spans(self, places: Sequence[object]) -> list[Span]:
        shape = self._array.shape
        if len(places) != len(shape):
            refuse(
                f"{len(places)} place{'s' * (len(places) != 1)} in an array of {len(shape)} "
                f"dimension{'s' * (len(shape) != 1)}"
            )
        return [span(place, extent) for place, extent in zip(places, shape, strict=True)]

    def _spread(self, places: Sequence[object]) -> list[Tile | Span]:
        shape = self._array.shape
        if len(places) != len(shape):
            self._spans(places)
        found: list[Tile | Span] = []
        for place, extent in zip(places, shape, strict=True):
            if isinstance(place, Tile):
                if place.element.kind not in ("integer", "index"):
                    refuse(
                        f"{place.describe()} in brackets; indices are integers, `.to(xt.i32)`"
                    )
                found.append(place)
            else:
                found.append(span(place, extent))
        return found


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
