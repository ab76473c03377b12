"""Grids of blocks whose sizes need not be powers of two, such as a `wg_map`.

A linear layout cannot express 3 subgroups along a dimension or an extent of 24. A grid can; its
cells are linear layouts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import product
from math import gcd, prod
from typing import ClassVar, NamedTuple

from xetile.layout.algebra.identities import identities
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout
from xetile.layout.algebra.notebook_tables import html_table, runs

MOST_SHOWN = 1 << 12

Coordinates = tuple[int, ...]
"""One number per dimension, outermost first."""


class Term(NamedTuple):
    """The offset of a subgroup's unit in one dimension, as arithmetic on the subgroup's id.

    offset = (id // divisor % modulus) * scale + shift, in elements. A modulus of 1 leaves only the shift.
    If `whole`, `% modulus` changes no id below the number of subgroups and may be omitted.
    """

    divisor: int
    modulus: int
    scale: int
    shift: int
    whole: bool

    def offset(self, subgroup: int) -> int:
        """Return the offset in elements for the subgroup with the id `subgroup`."""
        return subgroup // self.divisor % self.modulus * self.scale + self.shift

    @property
    def offsets(self) -> tuple[int, ...]:
        """The distinct offsets in elements, ascending."""
        return tuple(unit * self.scale + self.shift for unit in range(self.modulus))


class Distribution:
    """A workgroup tile split over subgroups in rounds, as by a `wg_map`.

    Each dimension of the tile is cut into units. Unit u belongs to subgroup coordinate u mod grid;
    with fewer units than subgroups, coordinate c has unit c mod units. Subgroup ids are row-major over
    the grid unless `order` is given; a subgroup's local units are row-major over their rounds.
    """

    # Draws a distribution for notebooks; the package sets
    # it, since drawings are built on distributions.
    picture: ClassVar[Callable[[Distribution], str | None] | None] = None

    def __init__(
        self,
        shape: Sequence[int],
        unit: Sequence[int],
        grid: Sequence[int],
        order: Sequence[int] | None = None,
    ) -> None:
        """Split `shape` over `grid` subgroups in units of `unit` (`sg_data`) elements.

        `order` lists the dimensions along which subgroup ids grow, fastest first: (1, 0) is
        row-major, (0, 1) column-major. If at most one dimension has several subgroups, all orders
        are equivalent and stored as row-major.

        LayoutError: ranks differ, an entry is not positive, `order` is no permutation of the
        dimensions, the extent is not a multiple of the unit, or neither of the numbers of units
        and of subgroups divides the other.
        """
        self.shape = tuple(shape)
        self.unit = tuple(unit)
        self.grid = tuple(grid)
        _check_entries(self.shape, self.unit, self.grid)
        self.order = _order(self.grid, order)
        for d, numbers in enumerate(zip(self.shape, self.unit, self.grid, strict=True)):
            _check_dimension(d, *numbers)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        order = f", order={self.order}" if self.order != _row_major(self.rank) else ""
        return f"Distribution(shape={self.shape}, unit={self.unit}, grid={self.grid}{order})"

    def _repr_html_(self) -> str | None:
        """Return a table of the units with the subgroups that have each, and a picture of the elements.

        There is no table for over two dimensions or too many units, no picture of too many elements; None if neither.
        """
        draw = type(self).picture
        picture = None if draw is None else draw(self)
        return "\n".join(filter(None, [self._table(), picture])) or None

    def _table(self) -> str | None:
        counts = [self.units(d) for d in range(self.rank)]
        if self.rank > 2 or prod(counts) > MOST_SHOWN:
            return None
        shape, unit, grid = ("x".join(map(str, n)) for n in (self.shape, self.unit, self.grid))
        caption = f"{shape} elements in units of {unit} for {grid} subgroups"
        rows, columns = counts if self.rank == 2 else [1, *counts]
        step = self.unit[0] if self.rank == 2 else 0
        table: list[list[object]] = [
            ["", *(column * self.unit[-1] for column in range(columns))]
        ]
        for row in range(rows):
            at = [(row, column)[2 - self.rank :] for column in range(columns)]
            table.append([row * step, *(runs(self.owners(unit)) for unit in at)])
        return html_table(caption, table)

    @property
    def _key(self) -> tuple[Coordinates, ...]:
        return self.shape, self.unit, self.grid, self.order

    def transposed(self) -> Distribution:
        """Return the transposed distribution: each subgroup has the transpose, with all dimensions reversed."""
        order = tuple(self.rank - 1 - d for d in self.order)
        return Distribution(self.shape[::-1], self.unit[::-1], self.grid[::-1], order)

    def with_units(self, shape: Sequence[int], unit: Sequence[int]) -> Distribution:
        """Split another shape (elements) in other units over the same grid in the same order."""
        return Distribution(shape, unit, self.grid, self.order)

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def subgroups(self) -> int:
        """Number of subgroups, the product of the grid."""
        return prod(self.grid)

    @property
    def local_units(self) -> int:
        """Number of units of each subgroup."""
        return prod(self.rounds(d) for d in range(self.rank))

    @property
    def is_shared(self) -> bool:
        """True if several subgroups share a unit."""
        return any(self.units(d) < self.grid[d] for d in range(self.rank))

    @property
    def is_linear(self) -> bool:
        """True if all sizes are powers of two, so that it is a linear layout."""
        return all(is_power_of_two(value) for _, values in self._sizes for value in values)

    @property
    def _sizes(self) -> tuple[tuple[str, Coordinates], ...]:
        return ("shape", self.shape), ("unit", self.unit), ("grid", self.grid)

    def units(self, dimension: int) -> int:
        """Return the number of units of the workgroup tile along `dimension`."""
        return self.shape[dimension] // self.unit[dimension]

    def rounds(self, dimension: int) -> int:
        """Return the number of units of one subgroup along `dimension`."""
        return max(1, self.units(dimension) // self.grid[dimension])

    def coordinate(self, subgroup: int, dimension: int) -> int:
        """Return the coordinate of a subgroup in the grid along `dimension`."""
        return subgroup // self._divisor(dimension) % self.grid[dimension]

    def starts(self, coordinate: int, dimension: int) -> Sequence[int]:
        """Return the starts (elements) along `dimension` of the units of a grid coordinate, by rounds."""
        unit = self.unit[dimension]
        first = coordinate % self._modulus(dimension) * unit
        step = self.grid[dimension] * unit
        return range(first, first + self.rounds(dimension) * step, step)

    @cached_property
    def round_coordinates(self) -> tuple[Coordinates, ...]:
        """The rounds of a subgroup's local units, in their order: rows outer, columns inner."""
        return tuple(product(*(range(self.rounds(d)) for d in range(self.rank))))

    def offset_terms(self, round_: Sequence[int]) -> tuple[Term, ...]:
        """Return the start of a subgroup's unit in a round: one term per dimension, in elements.

        LayoutError if there is no such round.
        """
        if len(round_) != self.rank or not all(
            0 <= r < self.rounds(d) for d, r in enumerate(round_)
        ):
            raise LayoutError(
                f"round {list(round_)} does not exist: "
                f"the rounds per dimension are {[self.rounds(d) for d in range(self.rank)]}"
            )
        return tuple(self._term(d, round_[d]) for d in range(self.rank))

    def offsets(self, subgroup: int) -> list[Coordinates]:
        """Return the element coordinates at which the local units of a subgroup begin."""
        self._check_subgroup(subgroup)
        return [
            tuple(term.offset(subgroup) for term in self.offset_terms(round_))
            for round_ in self.round_coordinates
        ]

    def first_owner_terms(self) -> list[tuple[Term, int]]:
        """Return bounds that identify the first owner of a unit: its coordinates are all below them.

        For each dimension with shared units, a pair of a subgroup's coordinate and its bound.
        """
        pairs: list[tuple[Term, int]] = []
        for d in range(self.rank):
            if self.units(d) < self.grid[d]:
                divisor, modulus = self._divisor(d), self.grid[d]
                whole = divisor * modulus == self.subgroups
                pairs.append((Term(divisor, modulus, 1, 0, whole), self.units(d)))
        return pairs

    def owners(self, unit: Sequence[int]) -> list[int]:
        """Return the ids of the subgroups that have a unit (coordinates in units), ascending.

        LayoutError if there is no such unit.
        """
        self._check_unit(unit)
        choices = [
            range(unit[d] % self._modulus(d), self.grid[d], self._modulus(d))
            for d in range(self.rank)
        ]
        return sorted(
            sum(c * self._divisor(d) for d, c in enumerate(coordinates))
            for coordinates in product(*choices)
        )

    def to_linear_layout(self) -> LinearLayout:
        """Return (register, warp) -> (dim0, dim1, ...); LayoutError unless all sizes are powers of two.

        Registers count one unit's elements first, innermost dimension first, then the
        rounds.
        """
        for name, values in self._sizes:
            if not all(map(is_power_of_two, values)):
                raise LayoutError(
                    f"{name} {list(values)} is no linear layout: "
                    "only powers of two are; its cells are (use offsets and owners)"
                )
        inner_first = [(d, f"dim{d}") for d in reversed(range(self.rank))]
        layout = identities(*(("register", name, self.unit[d]) for d, name in inner_first))
        for d, name in ((d, f"dim{d}") for d in self.order):
            shared = self.grid[d] // self._modulus(d)
            layout = layout * LinearLayout.identity_1d(self._modulus(d), "warp", name)
            layout = layout * LinearLayout.zeros_1d(shared, "warp", name)
        layout = layout * identities(
            *(("register", n, self.rounds(d)) for d, n in inner_first)
        )
        return layout.transpose_outs([f"dim{d}" for d in range(self.rank)])

    def _modulus(self, dimension: int) -> int:
        return gcd(self.units(dimension), self.grid[dimension])

    def _divisor(self, dimension: int) -> int:
        faster = self.order[: self.order.index(dimension)]
        return prod(self.grid[d] for d in faster)

    def _term(self, dimension: int, round_: int) -> Term:
        unit, modulus = self.unit[dimension], self._modulus(dimension)
        divisor = self._divisor(dimension)
        return Term(
            divisor=divisor,
            modulus=modulus,
            scale=unit,
            shift=round_ * self.grid[dimension] * unit,
            whole=divisor * modulus == self.subgroups,
        )

    def _check_subgroup(self, subgroup: int) -> None:
        if not 0 <= subgroup < self.subgroups:
            raise LayoutError(
                f"subgroup {subgroup} does not exist: a grid of {list(self.grid)} "
                f"has subgroups 0 to {self.subgroups - 1}"
            )

    def _check_unit(self, unit: Sequence[int]) -> None:
        counts = [self.units(d) for d in range(self.rank)]
        if len(unit) != self.rank or not all(
            0 <= u < n for u, n in zip(unit, counts, strict=True)
        ):
            raise LayoutError(
                f"unit {list(unit)} does not exist: the units per dimension are {counts}"
            )


def is_power_of_two(value: int) -> bool:
    """Return True if `value` is 1, 2, 4, ..."""
    return value > 0 and value & (value - 1) == 0


def power_of_two_part(extent: int, limit: int) -> int:
    """Return the largest power of two that divides `extent` and is at most `limit`, both in elements.

    LayoutError if one of them is not positive.
    """
    if extent < 1 or limit < 1:
        raise LayoutError(f"extent {extent} and limit {limit} must both be positive")
    part = extent & -extent
    return min(part, 1 << (limit.bit_length() - 1))


def block_offsets(shape: Sequence[int], block: Sequence[int]) -> list[Coordinates]:
    """Return the element coordinates at which a tile's blocks begin, in row-major order.

    LayoutError if the block does not divide the shape.
    """
    _check_divides(block, shape)
    steps = zip(shape, block, strict=True)
    return list(product(*(range(0, extent, step) for extent, step in steps)))


def containing_block(
    source_block: Sequence[int], target_block: Sequence[int], *index: int
) -> tuple[Coordinates, Coordinates]:
    """Return the block of a coarse grid (`source_block`) that contains a block of a fine grid.

    `index` counts fine blocks, extents are in elements. The result is the coarse block's
    coordinates, in blocks, and the offset inside it, in elements. LayoutError if the fine
    block is not inside a single coarse one.
    """
    _check_divides(target_block, source_block)
    starts = [i * extent for i, extent in zip(index, target_block, strict=True)]
    pairs = [divmod(start, extent) for start, extent in zip(starts, source_block, strict=True)]
    return tuple(block for block, _ in pairs), tuple(offset for _, offset in pairs)


def _check_divides(block: Sequence[int], shape: Sequence[int]) -> None:
    if len(block) != len(shape):
        raise LayoutError(f"block {list(block)} and shape {list(shape)} differ in rank")
    if any(step < 1 or extent % step for extent, step in zip(shape, block, strict=True)):
        raise LayoutError(f"block {list(block)} does not divide {list(shape)}")


def _check_entries(shape: Coordinates, unit: Coordinates, grid: Coordinates) -> None:
    if not len(shape) == len(unit) == len(grid):
        raise LayoutError(
            f"shape {list(shape)}, sg_data {list(unit)} and sg_layout {list(grid)} differ in rank"
        )
    for name, values in (("shape", shape), ("sg_data", unit), ("sg_layout", grid)):
        if any(value < 1 for value in values):
            raise LayoutError(f"{name} {list(values)} must have positive entries only")


def _row_major(rank: int) -> Coordinates:
    return tuple(reversed(range(rank)))


def _order(grid: Coordinates, order: Sequence[int] | None) -> Coordinates:
    rank = len(grid)
    if order is not None and sorted(order) != list(range(rank)):
        raise LayoutError(f"order {list(order)} is no permutation of {list(range(rank))}")
    several = sum(subgroups > 1 for subgroups in grid)
    return _row_major(rank) if order is None or several <= 1 else tuple(order)


def _check_dimension(dimension: int, extent: int, unit: int, subgroups: int) -> None:
    if extent % unit:
        raise LayoutError(
            f"extent {extent} of dimension {dimension} is not a multiple of sg_data {unit}; "
            f"legal are the divisors of {extent}"
        )
    units = extent // unit
    if units % subgroups and subgroups % units:
        raise LayoutError(
            f"extent {extent} of dimension {dimension} has {units} units of sg_data {unit} for "
            f"{subgroups} subgroups; one number must divide the other, "
            f"for which sg_data may be {_legal_units(extent, subgroups)}"
        )


def _legal_units(extent: int, subgroups: int) -> str:
    if extent > 1 << 16:  # too many to try
        return f"a divisor of {extent} with {subgroups} units, or a multiple or divisor of that many"
    divisors = [unit for unit in range(1, extent + 1) if extent % unit == 0]
    counts = [(unit, extent // unit) for unit in divisors]
    return ", ".join(str(u) for u, n in counts if subgroups % n == 0 or n % subgroups == 0)
