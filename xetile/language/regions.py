"""Regions of arrays: what tiles are loaded from, stored to, prefetched and changed atomically."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from xdsl.ir import SSAValue

from xetile.advice import hint
from xetile.language.arithmetic import Single
from xetile.language.builder import Constant, Pair, current
from xetile.language.held import Held
from xetile.language.literals import constant_attribute, literal, number_of
from xetile.language.memories import Memory
from xetile.language.rearranging import broadcast
from xetile.language.refusals import refuse
from xetile.language.surfaces import Start
from xetile.language.tiles import Tile
from xetile.language.types import ElementType
from xetile.language.values import Value, describe

if TYPE_CHECKING:
    from xetile.dialects.cache_hints import CacheHint

LoadWord: TypeAlias = Literal["cached", "uncached", "streaming", "read_invalidate"]
StoreWord: TypeAlias = Literal["cached", "uncached", "write_back", "write_through"]
LoadCache: TypeAlias = "LoadWord | tuple[LoadWord | None, ...] | None"
StoreCache: TypeAlias = "StoreWord | tuple[StoreWord | None, ...] | None"
"""What an access asks of the caches: a word for level 1, or one for each level."""

Atomic: TypeAlias = Literal["add", "mul", "max", "min", "and", "or", "xor", "exchange"]


class Region:
    """A rectangle of an array, `shape` elements from `starts` on."""

    def __init__(self, array: Memory, starts: Sequence[Start], shape: Pair) -> None:
        self.array = array
        self.starts = starts
        self.shape = shape

    @property
    def dtype(self) -> ElementType:
        """The type of the elements."""
        return self.array.element

    def describe(self) -> str:
        """What it is, for messages."""
        return f"a region of {self.shape[0]}x{self.shape[1]}x{self.dtype}"

    def load(self, *, padding: float | None = None, cache: LoadCache = None) -> Tile:
        """Its elements, those outside of the array as `padding` (by default 0).

        `cache` has a word for each cache level, the first for level 1: cached, uncached, streaming or
        read_invalidate.
        """
        from xetile.dialects.xetile import LoadTileOp

        attribute = padding_of(padding, self.dtype)
        hints = hints_of(cache, "load")
        value = current().result(LoadTileOp(self._tile(), padding=attribute, hints=hints))
        return Tile(value, self.dtype, self.shape)

    def store(self, value: Tile | Single | float, *, cache: StoreCache = None) -> None:
        """Put a tile there, or one number everywhere; what is outside of the array is dropped.

        `cache` has a word for each cache level: cached, uncached, write_back or write_through.
        """
        from xetile.dialects.xetile import StoreTileOp

        held = self._taken(value, ".store")
        tile = self._tile(held.shape)
        current().insert(StoreTileOp(held.value, tile, hints=hints_of(cache, "store")))

    def prefetch(self, *, cache: LoadCache = None) -> None:
        """Bring it into caches; `cache` is as for `load`."""
        from xetile.dialects.xetile import PrefetchTileOp

        current().insert(PrefetchTileOp(self._tile(), hints=hints_of(cache, "load")))

    def add(self, value: Tile | Single | float) -> Tile:
        """Add a tile atomically, each element for itself; what was there before."""
        return self._atomic("add", value)

    def mul(self, value: Tile | Single | float) -> Tile:
        """Multiply by a tile atomically; what was there before."""
        return self._atomic("mul", value)

    def max(self, value: Tile | Single | float) -> Tile:
        """The larger of both stays, atomically; what was there before."""
        return self._atomic("max", value)

    def min(self, value: Tile | Single | float) -> Tile:
        """The smaller of both stays, atomically; what was there before."""
        return self._atomic("min", value)

    def and_(self, value: Tile | Single | int) -> Tile:
        """The bits that both have stay, atomically; what was there before."""
        return self._atomic("and", value)

    def or_(self, value: Tile | Single | int) -> Tile:
        """The bits that either has stay, atomically; what was there before."""
        return self._atomic("or", value)

    def xor(self, value: Tile | Single | int) -> Tile:
        """The bits that one of both has stay, atomically; what was there before."""
        return self._atomic("xor", value)

    def exchange(self, value: Tile | Single | float) -> Tile:
        """Put a tile there atomically; what was there before."""
        return self._atomic("exchange", value)

    def _atomic(self, kind: Atomic, value: object) -> Tile:
        held = self._taken(value, f".{kind}")
        found = atomic(kind, held, self._tile(held.shape))
        return Tile(found, self.dtype, held.shape or self.shape)

    def _taken(self, value: object, what: str) -> Held:
        """A value that fits: a tile of the region's type and shape, or one number everywhere.

        An array of one dimension takes rows and columns.
        """
        held = fitting(value, self.dtype, self.shape, f"{what} into {self.describe()}")
        assert held.shape is not None
        turned = held.shape[::-1] == self.shape and len(self.starts) == 1
        if held.shape != self.shape and not turned:
            refuse(f"{what} of {held.describe()} into {self.describe()}: the shapes differ")
        return held

    def _tile(self, shape: Pair | None = None) -> SSAValue:
        rows, columns = shape or self.shape
        if len(self.starts) > 1:
            return self.array.surface.tile(self.starts, (rows, columns))
        (start,) = self.starts
        if rows == 1:
            return self.array.row.tile((0, start), (rows, columns))
        return self.array.column.tile((start, 0), (rows, columns))


def fitting(value: object, element: ElementType, shape: Pair, what: str) -> Held:
    """A value of an element type: a tile as it is, one number as often as `shape` asks.

    Errors: XetileError for another type.
    """
    if not isinstance(value, Value):
        number = number_of(value)
        if number is None:
            refuse(f"{what} takes no {describe(value)}; it takes a tile or a number")
        return literal(number, element, shape)
    held = value.held()
    if held.element != element:
        refuse(f"{what} of {held.describe()}: the types differ; write `.to(xt.{element})`")
    return held if held.shape is not None else broadcast(held, shape)


def atomic(kind: Atomic, value: Held, tile: SSAValue) -> SSAValue:
    """Change what a tile describes atomically; what was there before."""
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
    """The attribute of what stands for elements outside; None where nothing is said of them.

    Errors: XetileError for what is no number of Python's that the type holds.
    """
    if padding is None:
        return None
    number = number_of(padding)
    if number is None:
        refuse(f"expected a number of {element} as padding, found {describe(padding)}")
    return constant_attribute(number, element)


def hints_of(cache: object, access: Literal["load", "store"]) -> "list[CacheHint | None]":
    """The hints that words mean."""
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
