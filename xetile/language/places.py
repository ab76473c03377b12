"""What stands in the brackets of an array: slices of known extents, single indices, tiles of indices, None."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, cast

from xetile.language.arithmetic import Single
from xetile.language.builder import Pair
from xetile.language.indices import Index, difference, refuse_bound
from xetile.language.literals import number_of
from xetile.language.refusals import refuse
from xetile.language.scalars import Scalar
from xetile.language.surfaces import Start
from xetile.language.tiles import Tile
from xetile.language.values import describe

Place: TypeAlias = "slice | Single | Tile | int | None"


class Span(NamedTuple):
    """Part of a dimension: `extent` elements from `start` on; a single index has None."""

    start: Start
    extent: int | None

    @property
    def length(self) -> int:
        """How many elements it takes in a tile."""
        return 1 if self.extent is None else self.extent


def listed(places: object) -> list[object]:
    """What stands between brackets, one by one."""
    if isinstance(places, tuple):
        return list(cast("tuple[object, ...]", places))
    return [places]


def span(place: object, extent: Start) -> Span:
    """A place in a dimension of `extent` elements.

    Errors: XetileError for what is no place.
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


def shape_of(spans: Sequence[Span]) -> Pair:
    """Rows and columns of a region: what the last two places take."""
    rows, columns = (one.length for one in spans[-2:])
    return rows, columns
