"""Arrays in memory, and the parts that brackets select: `A[m : m + 64, k : k + 32]`.

An `Array` is an argument of the kernel or shared memory. A `Surface` is a matrix in memory as IR represents it: a
memref of two dimensions, or more with batch dimensions in front. Each view of an array is created once, at the
kernel's entry: `A.T` is a memref.transpose; an array of one dimension as a row, a column, or the line of elements
that gathers read is a memref.reinterpret_cast of it.

Brackets select a `Region` (slices of known extents), a `Cell` (indices alone) or a `Gather` (tiles of indices, which
become positions in the line of the array's elements; a mask excludes those that may be out of range).
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cache, cached_property
from math import prod
from typing import (
    TYPE_CHECKING,
    ClassVar,
    Literal,
    NamedTuple,
    NoReturn,
    TypeAlias,
    cast,
    overload,
)

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir import Attribute, SSAValue

from xetile.advice import hint
from xetile.language.builder import Constant, Held, Pair, current, fitting_in_memory
from xetile.language.elementwise import (
    binary,
    broadcast,
    common_shape,
    compare,
    constant_attribute,
    converted,
    literal,
    met,
    number_of,
    numbers,
    select,
)
from xetile.language.positions import refuse
from xetile.language.tile_values import Tile
from xetile.language.types import ArrayType, ElementType, i1, index
from xetile.language.values import (
    Index,
    Scalar,
    Single,
    describe,
    difference,
    element_of,
    operand_of,
    refuse_bound,
)
from xetile.targets.xe.surface import SURFACE

if TYPE_CHECKING:
    from xetile.dialects.cache_hints import CacheHint


Start: TypeAlias = Index | int

SHARED = 3
"""The number of the shared memory space."""

_BYTE = 8
"""Bits of a byte."""


@dataclass(frozen=True, eq=False)
class Surface:
    """An array in memory whose views are created once; `extents` begins with those of batch dimensions.

    `pitch` is the distance of rows if it differs from the extent of a row.
    """

    value: SSAValue
    element: ElementType
    extents: tuple[Start, ...]
    _: KW_ONLY
    column_major: bool = False
    shared: bool = False
    pitch: Start | None = None

    @cached_property
    def row(self) -> "Surface":
        """An array of one dimension as a matrix of one row.

        The pitch of its rows is one that messages allow; as there is one row, nothing else reads it.
        """
        (extent,) = self.extents
        pitch = _pitch(extent, self.element)
        return _recast(replace(self, extents=(1, extent), pitch=pitch), (pitch, 1))

    @cached_property
    def column(self) -> "Surface":
        """An array of one dimension as a matrix of one column."""
        (extent,) = self.extents
        pitch = _pitch(extent, self.element)
        found = replace(self, extents=(extent, 1), column_major=True, pitch=pitch)
        return _recast(found, (1, pitch))

    @cached_property
    def line(self) -> "Surface":
        """All elements in memory order, as an array of one dimension."""
        if len(self.extents) == 1:
            return self
        return _recast(
            replace(self, extents=(_count(self.extents),), column_major=False), (1,)
        )

    def tile(self, starts: Sequence[Start], shape: Pair) -> SSAValue:
        """Return the tile of `shape` at `starts`."""
        from xetile.dialects.xetile import InitTileOp

        fitting_in_memory(shape)
        sizes: tuple[SSAValue | int, ...] = ()
        strides: tuple[SSAValue | int, ...] = ()
        if not all(isinstance(extent, int) for extent in self.extents):
            sizes = tuple(map(entry, self.extents))
            strides = tuple(map(entry, self.strides()))
        offsets = tuple(map(entry, starts))
        order = (0, 1) if self.column_major else (1, 0)
        kind = _tile_type(self.element, shape, order, SHARED if self.shared else 0)
        return current().pure_of(InitTileOp, self.value, offsets, sizes, strides, kind)

    def strides(self) -> list[Start]:
        """Return the stride of each dimension in elements."""
        if len(self.extents) == 1:
            return [1]
        *batch, rows, columns = self.extents
        found = _strides([*batch, columns, rows] if self.column_major else self.extents)
        if self.pitch is not None:
            found[-2] = self.pitch
        return [*found[:-2], found[-1], found[-2]] if self.column_major else found

    def transposed(self) -> "Surface":
        """Return the view with the last two dimensions swapped."""
        from xetile.dialects.upstream.memref import TransposeOp

        if len(self.extents) == 1:
            refuse(
                "an array of one dimension has no .T; A[i:i + N] is a row of it, A[i:i + N, None] a column"
            )
        *batch, rows, columns = self.extents
        order = (*range(len(batch)), len(batch) + 1, len(batch))
        value = current().at_entry(TransposeOp(self.value, order))
        extents = (*batch, columns, rows)
        return replace(self, value=value, extents=extents, column_major=not self.column_major)


def entry(number: Start) -> SSAValue | int:
    """Return an index for the offsets, sizes and strides of an op: an int if it is constant, else a value."""
    found = Index.of(number)
    return found.ssa() if found.known is None else found.constant


def _strides(extents: Sequence[Start]) -> list[Start]:
    strides: list[Start] = [1]
    for extent in reversed(extents[1:]):
        strides.insert(0, strides[0] * extent)
    return strides


@cache
def _tile_type(element: ElementType, shape: Pair, order: Pair, space: int) -> Attribute:
    from xetile.dialects.xetile import TileAttr, TileType

    return TileType(shape, element.attribute, TileAttr(order=order, memory_space=space))


def _pitch(extent: Start, element: ElementType) -> Start:
    from xetile.dialects.xetile.tile_type import memory_bits

    if not isinstance(extent, int):
        return extent
    unit = SURFACE.least_pitch * _BYTE // (memory_bits(element.attribute) or _BYTE)
    return -(-extent // unit) * unit


def _count(extents: Sequence[Start]) -> Start:
    """Return the product of extents, computed at the kernel's entry."""
    from xetile.dialects.upstream.arith import MuliOp

    known = prod(extent for extent in extents if isinstance(extent, int))
    named = [extent.ssa() for extent in extents if isinstance(extent, Index)]
    if not named:
        return known
    builder = current()
    total = named[0]
    for value in named[1:]:
        total = builder.at_entry(MuliOp(total, value))
    if known != 1:
        total = builder.at_entry(MuliOp(total, builder.index(known)))
    return Index.of(total)


def _recast(found: Surface, strides: Sequence[Start]) -> Surface:
    """Return the view of `found`'s memory with its extents and these strides."""
    from xetile.dialects.upstream.memref import ReinterpretCastOp

    shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in found.extents]
    layout = StridedLayoutAttr([step if isinstance(step, int) else None for step in strides])
    space = cast(MemRefType, found.value.type).memory_space
    kind = MemRefType(
        found.element.attribute, shape, layout if len(strides) > 1 else NoneAttr(), space
    )
    lists = ([0], list(map(entry, found.extents)), list(map(entry, strides)))
    op = ReinterpretCastOp.from_dynamic(found.value, *lists, kind)
    return replace(found, value=current().at_entry(op))


class Span(NamedTuple):
    """Part of a dimension: `extent` elements from `start` on; None for a single index."""

    start: Start
    extent: int | None

    @property
    def length(self) -> int:
        """The number of elements along this dimension of a tile."""
        return 1 if self.extent is None else self.extent


def listed(places: object) -> list[object]:
    """Return the places in brackets as a list."""
    if isinstance(places, tuple):
        return list(cast("tuple[object, ...]", places))
    return [places]


def span(place: object, extent: Start) -> Span:
    """Return a place in a dimension of `extent` elements.

    Errors: XetileError if it is not a place.
    """
    if isinstance(place, slice):
        return _sliced(cast("slice[object, object, object]", place), extent)
    if place is Ellipsis or place is None or isinstance(place, list):
        also = "; atomic changes of one element give nothing back" if place is None else ""
        refuse(
            f"{place!r} in brackets; a place is a slice, an index or a tile of indices{also}"
        )
    start = _start(place)
    if isinstance(start, int) and isinstance(extent, int) and start >= extent:
        refuse(f"index {start} is behind the end of a dimension of {extent}")
    return Span(start, None)


def _start(place: object) -> Start:
    index = Index.of(place)
    if index.known is not None and index.known < 0:
        refuse(
            f"{index.known} is before the beginning of a dimension; write an index from it on, "
            "such as A.shape[0] - 1"
        )
    return index if index.known is None else index.known


def _sliced(place: "slice[object, object, object]", extent: Start) -> Span:
    start, stop, step = place.start, place.stop, place.step
    if step is not None and number_of(step) != 1:
        refuse(
            f"a slice with a step ({_words(step)}); tiles are of neighbours, gathers take tiles of indices"
        )
    for name, bound in (("start", start), ("end", stop)):
        if isinstance(bound, Scalar | Tile):
            refuse_bound(f"the {name} of a slice", bound)
    first = 0 if start is None else _start(start)
    if stop is None:
        if not isinstance(extent, int):
            refuse(
                "a slice without an end of a dimension that is known at the call; write `start:start + EXTENT`"
            )
        stop = extent
    length = difference(_start(stop), first)
    if length is None:
        refuse("the extent of a slice has to be known; write `start:start + EXTENT`")
    if length < 1:
        refuse(f"a slice of {length} elements; its end is behind its start")
    return Span(first, length)


def _words(value: object) -> str:
    return describe(value).removeprefix("Python ")


LoadWord: TypeAlias = Literal["cached", "uncached", "streaming", "read_invalidate"]
StoreWord: TypeAlias = Literal["cached", "uncached", "write_back", "write_through"]
LoadCache: TypeAlias = "LoadWord | tuple[LoadWord | None, ...] | None"
StoreCache: TypeAlias = "StoreWord | tuple[StoreWord | None, ...] | None"
"""The cache hints of an access: a word for level 1, or one for each level."""

Atomic: TypeAlias = Literal["add", "mul", "max", "min", "and", "or", "xor", "exchange"]


class _Part:
    """Elements of an array, `shape` of them."""

    _name: ClassVar[str]

    def __init__(self, array: Surface, shape: Pair) -> None:
        self.array = array
        self.shape = shape

    @property
    def dtype(self) -> ElementType:
        """The type of the elements."""
        return self.array.element

    def describe(self) -> str:
        """Describe it for diagnostics."""
        return f"a {self._name} of {self.shape[0]}x{self.shape[1]}x{self.dtype}"

    def _taken(self, value: object, what: str) -> Held:
        """Return a value of the part's type and shape: a tile, or one number repeated."""
        held = fitting(value, self.dtype, self.shape, f"{what} into {self.describe()}")
        if held.shape not in self._shapes():
            refuse(f"{what} of {held.describe()} into {self.describe()}: the shapes differ")
        return held

    def _shapes(self) -> tuple[Pair, ...]:
        return (self.shape,)


class Region(_Part):
    """A rectangle of an array, `shape` elements from `starts` on."""

    _name = "region"

    def __init__(self, array: Surface, starts: Sequence[Start], shape: Pair) -> None:
        super().__init__(array, shape)
        self.starts = starts

    def load(self, *, padding: float | None = None, cache: LoadCache = None) -> Tile:
        """Return its elements; those outside of the array are `padding` (by default 0).

        `cache` has a word for each cache level, the first for level 1: cached, uncached, streaming or
        read_invalidate.
        """
        from xetile.dialects.xetile import LoadTileOp

        attribute = padding_of(padding, self.dtype)
        hints = hints_of(cache, "load")
        value = current().result(LoadTileOp(self.tile(), padding=attribute, hints=hints))
        return Tile(value, self.dtype, self.shape)

    def store(self, value: Tile | Single | float, *, cache: StoreCache = None) -> None:
        """Store a tile, or one number everywhere; elements outside of the array are dropped.

        `cache` has a word for each cache level: cached, uncached, write_back or write_through.
        """
        from xetile.dialects.xetile import StoreTileOp

        held = self._taken(value, ".store")
        tile = self.tile(held.shape)
        current().insert(StoreTileOp(held.value, tile, hints=hints_of(cache, "store")))

    def prefetch(self, *, cache: LoadCache = None) -> None:
        """Prefetch it into caches; `cache` is as for `load`."""
        from xetile.dialects.xetile import PrefetchTileOp

        current().insert(PrefetchTileOp(self.tile(), hints=hints_of(cache, "load")))

    def add(self, value: Tile | Single | float) -> Tile:
        """Add a tile atomically, element by element; return the old elements."""
        return self._atomic("add", value)

    def mul(self, value: Tile | Single | float) -> Tile:
        """Multiply by a tile atomically; return the old elements."""
        return self._atomic("mul", value)

    def max(self, value: Tile | Single | float) -> Tile:
        """Store the larger of both atomically; return the old elements."""
        return self._atomic("max", value)

    def min(self, value: Tile | Single | float) -> Tile:
        """Store the smaller of both atomically; return the old elements."""
        return self._atomic("min", value)

    def and_(self, value: Tile | Single | int) -> Tile:
        """Store the bitwise and of both atomically; return the old elements."""
        return self._atomic("and", value)

    def or_(self, value: Tile | Single | int) -> Tile:
        """Store the bitwise or of both atomically; return the old elements."""
        return self._atomic("or", value)

    def xor(self, value: Tile | Single | int) -> Tile:
        """Store the bitwise exclusive or of both atomically; return the old elements."""
        return self._atomic("xor", value)

    def exchange(self, value: Tile | Single | float) -> Tile:
        """Store a tile atomically; return the old elements."""
        return self._atomic("exchange", value)

    def _atomic(self, kind: Atomic, value: object) -> Tile:
        held = self._taken(value, f".{kind}")
        found = atomic(kind, held, self.tile(held.shape))
        return Tile(found, self.dtype, held.shape or self.shape)

    def _shapes(self) -> tuple[Pair, ...]:
        """Return the legal shapes of a value: its own; an array of one dimension accepts a row and a column."""
        rows, columns = self.shape
        return (self.shape,) if len(self.starts) > 1 else (self.shape, (columns, rows))

    def tile(self, shape: Pair | None = None) -> SSAValue:
        """Return the tile in IR that describes it."""
        rows, columns = shape or self.shape
        if len(self.starts) > 1:
            return self.array.tile(self.starts, (rows, columns))
        (start,) = self.starts
        if rows == 1:
            return self.array.row.tile((0, start), (rows, columns))
        return self.array.column.tile((start, 0), (rows, columns))


def fitting(value: object, element: ElementType, shape: Pair, what: str) -> Held:
    """Return a value of an element type: a tile as it is, a number repeated to `shape`.

    Errors: XetileError for another type.
    """
    held = operand_of(value, element, shape)
    if held is None:
        refuse(f"{what} takes no {describe(value)}; it takes a tile or a number")
    if held.element != element:
        refuse(f"{what} of {held.describe()}: the types differ; write `.to(xt.{element})`")
    return held if held.shape is not None else broadcast(held, shape)


def atomic(kind: Atomic, value: Held, tile: SSAValue) -> SSAValue:
    """Change the elements that a tile describes atomically; return the old elements."""
    from xetile.dialects.xetile import AtomicRMWTileOp

    name = _atomic_kind(kind, value.element)
    return current().result(AtomicRMWTileOp(name, value.value, tile))


def _atomic_kind(kind: Atomic, element: ElementType) -> str:
    if kind == "exchange":
        return "assign"
    if element.kind == "boolean":
        refuse(f".{kind} takes no {element}; truth values have .exchange")
    if kind in ("and", "or", "xor"):
        if element.kind == "float":
            refuse(f".{kind} takes no {element}; it is for integers")
        return f"{kind}i"
    if kind in ("add", "mul"):
        return f"{kind}f" if element.kind == "float" else f"{kind}i"
    if element.kind == "float":
        return f"{kind}imumf"
    return f"{kind}u" if element.unsigned else f"{kind}s"


def padding_of(padding: object, element: ElementType) -> "Constant | None":
    """Return the attribute of the padding for elements outside, or None for the default.

    Errors: XetileError if it is not a Python number that the type can represent.
    """
    if padding is None:
        return None
    number = number_of(padding)
    if number is None:
        refuse(f"expected a number of {element} as padding, found {describe(padding)}")
    return constant_attribute(number, element)


def hints_of(cache: object, access: Literal["load", "store"]) -> "list[CacheHint | None]":
    """Return the hints for words."""
    from xetile.dialects.cache_hints import HINTS, LOAD_HINTS, STORE_HINTS, CacheHint

    if cache is None:
        return []
    words = (
        list(cast("tuple[object, ...]", cache)) if isinstance(cache, tuple | list) else [cache]
    )
    if len(words) > len(HINTS):
        refuse(f"cache={cache!r}: {len(words)} words for {len(HINTS)} cache levels")
    legal = [word.value for word in (LOAD_HINTS if access == "load" else STORE_HINTS)]
    for word in words:
        if word is not None and word not in legal:
            refuse(
                f"cache={word!r}: a {access} takes {', '.join(legal)}{hint(str(word), legal)}"
            )
    return [None if word is None else CacheHint(str(word)) for word in words]


class Gather(_Part):
    """Elements of an array selected by tiles of indices, which are broadcast to one shape."""

    _name = "gather"

    def __init__(self, array: Surface, places: Sequence[Tile | Span]) -> None:
        super().__init__(array, _shape(places))
        self.places = places

    def load(
        self,
        *,
        mask: Tile | None = None,
        padding: float | None = None,
        cache: LoadCache = None,
    ) -> Tile:
        """Return the elements; those masked off or outside of the array are `padding` (by default 0)."""
        from xetile.dialects.xetile import LoadGatherOp

        attribute = padding_of(padding, self.dtype)
        line, inside = self._line()
        tile = self._tile(line)
        condition = self._mask(mask, inside)
        op = LoadGatherOp(tile, condition, padding=attribute, hints=hints_of(cache, "load"))
        return Tile(current().result(op), self.dtype, self.shape)

    def store(
        self,
        value: Tile | Single | float,
        *,
        mask: Tile | None = None,
        cache: StoreCache = None,
    ) -> None:
        """Store the elements that are not masked off; if several go to one place, any of them is stored."""
        from xetile.dialects.xetile import StoreScatterOp

        held = self._taken(value, ".store")
        line, inside = self._line()
        tile = self._tile(line)
        condition = self._mask(mask, inside)
        op = StoreScatterOp(held.value, tile, condition, hints=hints_of(cache, "store"))
        current().insert(op)

    def add(self, value: Tile | Single | float, *, mask: Tile | None = None) -> Tile:
        """Add elements atomically; return the old elements, 0 for those that are not changed."""
        return self._atomic("add", value, mask)

    def mul(self, value: Tile | Single | float, *, mask: Tile | None = None) -> Tile:
        """Multiply elements atomically; return the old elements."""
        return self._atomic("mul", value, mask)

    def max(self, value: Tile | Single | float, *, mask: Tile | None = None) -> Tile:
        """Store the larger of both atomically; return the old elements."""
        return self._atomic("max", value, mask)

    def min(self, value: Tile | Single | float, *, mask: Tile | None = None) -> Tile:
        """Store the smaller of both atomically; return the old elements."""
        return self._atomic("min", value, mask)

    def and_(self, value: Tile | Single | int, *, mask: Tile | None = None) -> Tile:
        """Store the bitwise and of both atomically; return the old elements."""
        return self._atomic("and", value, mask)

    def or_(self, value: Tile | Single | int, *, mask: Tile | None = None) -> Tile:
        """Store the bitwise or of both atomically; return the old elements."""
        return self._atomic("or", value, mask)

    def xor(self, value: Tile | Single | int, *, mask: Tile | None = None) -> Tile:
        """Store the bitwise exclusive or of both atomically; return the old elements."""
        return self._atomic("xor", value, mask)

    def exchange(self, value: Tile | Single | float, *, mask: Tile | None = None) -> Tile:
        """Store elements atomically; return the old elements."""
        return self._atomic("exchange", value, mask)

    def _atomic(self, kind: Atomic, value: object, mask: Tile | None) -> Tile:
        held = self._taken(value, f".{kind}")
        line, inside = self._line()
        if mask is not None or inside is not None:
            condition = Held(self._mask(mask, inside), i1, self.shape)
            line = select(condition, line, literal(-1, index, self.shape))
        return Tile(atomic(kind, held, self._tile(line)), self.dtype, self.shape)

    def _tile(self, line: Held) -> SSAValue:
        from xetile.dialects.xetile import InitTileOp, TileAttr, TileType

        space = SHARED if self.array.shared else 0
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

    def _line(self) -> tuple[Held, Held | None]:
        """Return the positions in the line, and which of them are inside the array (None: all)."""
        inside: Held | None = None
        line: Held | None = None
        strides = self.array.strides()
        for number, place in enumerate(self.places):
            indices, outside = self._indices(place, number)
            part = _scaled(indices, strides[number])
            line = part if line is None else binary("add", line, part)
            if outside is not None:
                inside = outside if inside is None else binary("and", inside, outside)
        assert line is not None
        return broadcast(line, self.shape), inside

    def _indices(self, place: Tile | Span, number: int) -> tuple[Held, Held | None]:
        """Return the indices in a dimension, and which of them are inside if that is not known (None: all)."""
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
        """Return which indices are in bounds; None for the outermost dimension, which the end of the line bounds."""
        if number == 0 and not self.array.column_major:
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


_ONE = (1, 1)


class Cell:
    """The element of an array at `starts`, which must be inside of it."""

    def __init__(self, array: Surface, starts: Sequence[Start]) -> None:
        self.array = array
        self.starts = starts

    @property
    def dtype(self) -> ElementType:
        """The type of the element."""
        return self.array.element

    def load(self) -> Scalar | Index:
        """Return the element: an index if the array contains indices, else a scalar."""
        from xdsl.dialects.memref import LoadOp

        op = LoadOp.get(self.array.value, self._indices())
        value = current().result(op)
        return Index.of(value) if self.dtype.kind == "index" else Scalar(value, self.dtype)

    def store(self, value: Single | float) -> None:
        """Store a number."""
        from xdsl.dialects.memref import StoreOp

        held = self._taken(value)
        current().insert(StoreOp.get(held.value, self.array.value, self._indices()))

    def _indices(self) -> list[SSAValue]:
        return [Index.of(start).ssa() for start in self.starts]

    def _taken(self, value: object) -> Held:
        held = operand_of(value, self.dtype, None)
        if held is None:
            refuse(f"an element takes no {describe(value)}; it takes a number")
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
        """Store the larger of both atomically."""
        self._atomic("max", value)

    def min(self, value: Single | float) -> None:
        """Store the smaller of both atomically."""
        self._atomic("min", value)

    def _atomic(self, kind: Atomic, value: object) -> None:
        held = fitting(value, self.dtype, _ONE, f".{kind} into an element of {self.dtype}")
        if held.shape != _ONE:
            refuse(f".{kind} of {held.describe()} into one element")
        atomic(kind, held, Region(self.array, self.starts, _ONE).tile())


Part: TypeAlias = slice | Single | int | None
"""A place in brackets: a slice of known extent, an index, None for a dimension of one."""

Spread: TypeAlias = Tile | slice | Single | int
"""A place next to tiles of indices."""

One: TypeAlias = Single | int | tuple[Single | int, ...]
"""The places of one element."""

Parts: TypeAlias = (
    slice | tuple[*tuple[Part, ...], slice] | tuple[*tuple[Part, ...], slice, Part]
)
"""The places of a region; one of the last two is a slice."""

Spreads: TypeAlias = (
    Tile | tuple[*tuple[Spread, ...], Tile] | tuple[*tuple[Spread, ...], Tile, Spread]
)
"""The places of a gather; one of the last two is a tile of indices."""


class Array:
    """An array: an argument of the kernel, or shared memory.

    `shape` are its extents: numbers if they are known, else indices.
    """

    def __init__(self, surface: Surface, type: ArrayType) -> None:
        self.surface = surface
        self.type = type
        self.shape = surface.extents
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
        """The number of its dimensions."""
        return len(self.shape)

    @property
    def T(self) -> "Array":
        """The array with its last two dimensions swapped, in the same memory."""
        if self._transposed is None:
            found = Array(self.surface.transposed(), self.type.T)
            found._transposed = self
            self._transposed = found
        return self._transposed

    @property
    def at(self) -> "Places":
        """The array as regions: `A.at[m:m + 64, k:k + 32]`."""
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
    """An array whose brackets return parts instead of loading them."""

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
        """Return the elements that places select.

        Errors: XetileError if they select none.
        """
        every, surface = listed(places), self._array.surface
        if any(isinstance(place, Tile) for place in every):
            return Gather(surface, self._placed(every))
        rest = every
        if len(surface.extents) == 1 and len(every) == 2:
            rest = [place for place in every if place is not None]
        spans = cast("list[Span]", self._placed(rest))
        if all(one.extent is None for one in spans) and len(rest) == len(every):
            return Cell(surface, [one.start for one in spans])
        starts = [one.start for one in spans]
        if len(spans) == 1:
            count, column = spans[0].length, len(every) == 2 and every[1] is None
            return Region(surface, starts, (count, 1) if column else (1, count))
        for one in spans[:-2]:
            if one.length != 1:
                refuse(
                    f"a slice of {one.length} elements in a batch dimension; a tile has two dimensions, the last ones"
                )
        rows, columns = (one.length for one in spans[-2:])
        return Region(surface, starts, (rows, columns))

    def _placed(self, places: Sequence[object]) -> list[Tile | Span]:
        """Return the places in brackets, one for each dimension."""
        shape = self._array.shape
        if len(places) != len(shape):
            refuse(
                f"{len(places)} place{'s' * (len(places) != 1)} in an array of {len(shape)} "
                f"dimension{'s' * (len(shape) != 1)}"
            )
        return [_placed(place, extent) for place, extent in zip(places, shape, strict=True)]


def _placed(place: object, extent: Start) -> Tile | Span:
    if not isinstance(place, Tile):
        return span(place, extent)
    if place.element.kind not in ("integer", "index"):
        refuse(f"{place.describe()} in brackets; indices are integers, `.to(xt.i32)`")
    return place


def shared(shape: tuple[int, ...], type: ElementType) -> Array:
    """Return an array in the workgroup's shared memory, of known extents; its elements are undefined at first.

    Call xt.barrier() between a store and a load of the same elements by another subgroup.
    Errors: XetileError if an extent is not known.
    """
    from xdsl.dialects.builtin import IntegerAttr, MemRefType, i64
    from xdsl.dialects.memref import AllocOp

    element, found = element_of(type), _extents(shape)
    kind = MemRefType(element.attribute, found, memory_space=IntegerAttr(SHARED, i64))
    value = current().at_entry(AllocOp((), (), kind))
    return Array(Surface(value, element, found, shared=True), ArrayType(element, found))


def _extents(shape: object) -> tuple[int, ...]:
    every = cast("Sequence[object]", shape) if isinstance(shape, tuple | list) else (shape,)
    numbers = [number_of(extent) for extent in every]
    found = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and n > 0]
    if len(found) != len(numbers) or not found:
        refuse(
            f"xt.shared of shape {shape!r}; its extents are known before it runs, such as (64, 32)"
        )
    return tuple(found)
