"""The pieces of a subgroup's old units that make up its new units when a value is redistributed."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from xetile.layout.algebra.block_grids import Coordinates, Distribution


class Piece(NamedTuple):
    """A box of one local unit of the old distribution, and its position in a new unit.

    `source` counts local units; `start`, `sizes` and `place` are in elements.
    """

    source: int
    start: Coordinates
    sizes: Coordinates
    place: Coordinates


@lru_cache(maxsize=1024)
def own_pieces(
    source: Distribution, target: Distribution
) -> tuple[tuple[Piece, ...], ...] | None:
    """Return for each local unit of `target` the pieces of the subgroup's own units of `source`.

    Return None if a subgroup lacks an element, or if the pieces differ between subgroups.
    Both split one shape over the same number of subgroups.
    """
    lines: list[Sequence[tuple[_Run, ...]]] = []
    for d in range(source.rank):
        line = _line(source, target, d)
        if line is None:
            return None
        lines.append(line)
    return tuple(
        _pieces(source, [line[r] for line, r in zip(lines, rounds, strict=True)])
        for rounds in target.round_coordinates
    )


class _Run(NamedTuple):
    """Neighboring elements along one dimension that are in one old unit: its round, and extents in elements."""

    round: int
    start: int
    size: int


def _line(
    source: Distribution, target: Distribution, dimension: int
) -> Sequence[tuple[_Run, ...]] | None:
    """Return the runs of each round of `target` along one dimension, or None."""
    found: list[tuple[_Run, ...]] | None = None
    pairs = {
        (source.coordinate(s, dimension), target.coordinate(s, dimension))
        for s in range(target.subgroups)
    }
    for old, new in sorted(pairs):
        starts = target.starts(new, dimension)
        runs = [
            _runs(source, old, dimension, start, target.unit[dimension]) for start in starts
        ]
        held = [run for run in runs if run is not None]
        if len(held) != len(runs) or (found is not None and held != found):
            return None
        found = held
    return found


def _runs(
    source: Distribution, coordinate: int, dimension: int, start: int, size: int
) -> tuple[_Run, ...] | None:
    """Return the runs of `source` for `size` elements from `start`, if the coordinate has all of them, else None."""
    extent, at, end = source.unit[dimension], start, start + size
    own = source.starts(coordinate, dimension)
    runs: list[_Run] = []
    while at < end:
        inside = at % extent
        if at - inside not in own:
            return None
        length = min(extent - inside, end - at)
        runs.append(_Run(own.index(at - inside), inside, length))
        at += length
    return tuple(runs)


def _pieces(source: Distribution, lines: Sequence[Sequence[_Run]]) -> tuple[Piece, ...]:
    """Return the boxes that runs along every dimension form."""
    placed: list[list[tuple[_Run, int]]] = []
    for line in lines:
        places = [sum(run.size for run in line[:n]) for n in range(len(line))]
        placed.append(list(zip(line, places, strict=True)))
    pieces: list[Piece] = []
    for box in product(*placed):
        runs = [run for run, _ in box]
        rounds = tuple(run.round for run in runs)
        pieces.append(
            Piece(
                source.round_coordinates.index(rounds),
                tuple(run.start for run in runs),
                tuple(run.size for run in runs),
                tuple(place for _, place in box),
            )
        )
    return tuple(pieces)
