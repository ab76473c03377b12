"""Exchanges through shared memory: the layout of a workgroup's value in memory between its storing and loading.

Both sides are predicted (`shared_messages`): their messages, and how these meet in the banks. The candidates for the
memory's layout are rows with and without a gap after them, orders of bits that begin with the elements of one side's
lanes, so that this side has block messages, and those of `optimal_swizzling`. The cheapest one of those with the
fewest conflicts is chosen.

Buffers in shared memory that only tiles access have no visible layout, so their layout is the best one for the tiles.

In a 64x64 f16 buffer that is filled with 16x32 tiles and read as the operands of products, the rows of each 8x16 block
follow each other, so that every message is a block message.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

import xetile.layout.algebra.f2 as f2
from xetile.layout.algebra.block_grids import Distribution, is_power_of_two
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.swizzling import optimal_swizzling
from xetile.planning.distribution.shared_messages import (
    BYTE_BITS,
    Memory,
    Role,
    Side,
    predicted_cell,
    side,
)
from xetile.planning.planner import Cell, Place
from xetile.targets.target import Target


class Exchange(NamedTuple):
    """A value that changes its owners through shared memory.

    Attributes:
        source: the distribution that is stored, by the first owner of each unit.
        target: the distribution that is loaded, of the transpose if `turned`.
        bits: of an element in memory.
        memory: the layout of one buffer, for the value or for one band of it.
        bands: the number of bands through which the value goes, one after the other.
        stored: the messages of one subgroup; `loaded` likewise.
        cells: a block of a unit as it is stored, and as it is loaded, both in rows and columns of the buffer.
    """

    source: Distribution
    target: Distribution
    turned: bool
    bits: int
    memory: Memory
    bands: int
    stored: Side
    loaded: Side
    cells: tuple[Cell, Cell]

    @property
    def bytes(self) -> int:
        """The bytes of one buffer."""
        return self.memory.elements * self.bits // BYTE_BITS

    @property
    def conflicts(self) -> int:
        """The additional cycles of the slower side's messages."""
        return max(self.stored.conflicts, self.loaded.conflicts)

    @property
    def price(self) -> float:
        """The instructions of one subgroup, without barriers."""
        return self.stored.price + self.loaded.price


class _Sides(NamedTuple):
    """The cells of the buffer that each side accesses, and the number of cells of one subgroup."""

    stored: Cell
    loaded: Cell
    counts: tuple[int, int]


@lru_cache(maxsize=256)
def planned_exchange(
    source: Distribution,
    target: Distribution,
    bits: int,
    band: Place,
    *,
    turned: bool,
    role: Role,
    device: Target,
    limit: int,
) -> Exchange:
    """Return the cheapest exchange, without conflicts if possible; `band` has the extents of one band of the source.

    `target` distributes the transpose if `turned`; `role` is the use of the loaded value. Gaps are added as long as the
    buffer has at most `limit` bytes.
    """
    stored = predicted_cell(_pair(source.unit), bits, None, device)
    loaded = predicted_cell(_pair(target.unit), bits, role, device)
    counts = tuple(
        prod(dealt.unit) // prod(cell.extents) * dealt.local_units
        for dealt, cell in ((source, stored), (target, loaded))
    )
    if turned:
        loaded = loaded.turned()
    sides = _Sides(stored, loaded, (counts[0], counts[1]))
    bands = prod(source.shape) // prod(band)
    found = [
        Exchange(
            source,
            target,
            turned,
            bits,
            memory,
            bands,
            *_both(sides, memory, bits, device),
            (stored, loaded),
        )
        for memory in _memories(sides, band, bits, device)
        if memory.elements <= max(prod(band), limit * BYTE_BITS // bits)
    ]
    return min(found, key=_rank)


def _pair(extents: Sequence[int]) -> Place:
    return extents[0], extents[1]


def _both(sides: _Sides, memory: Memory, bits: int, device: Target) -> tuple[Side, Side]:
    return (
        side(sides.stored, sides.counts[0], memory, bits, device),
        side(sides.loaded, sides.counts[1], memory, bits, device),
    )


def _rank(exchange: Exchange) -> tuple[float, ...]:
    lanes = [s.form == "lanes" for s in (exchange.stored, exchange.loaded)]
    swizzled = exchange.memory.swizzle is not None
    return (exchange.conflicts, exchange.price, sum(lanes), exchange.bytes, swizzled)


def _memories(sides: _Sides, band: Place, bits: int, device: Target) -> Iterator[Memory]:
    """Yield candidates: row-major and column-major memory with gaps between rows or columns, then orders of bits."""
    rows, columns = band
    step = max(1, BYTE_BITS * 4 // bits)
    for gap in range(0, device.shared_banks * step + 1, step):
        yield Memory(band, (columns + gap, 1))
        yield Memory(band, (1, rows + gap))
    yield from swizzles(sides.stored, sides.loaded, band, bits, device)


def swizzles(
    stored: Cell, loaded: Cell, shape: Place, bits: int, device: Target
) -> Iterator[Memory]:
    """Yield orders of bits to try for a buffer that is stored and loaded in such cells."""
    if not all(map(is_power_of_two, shape)) or prod(shape) < 2:
        return
    rows, columns = shape
    width = columns.bit_length() - 1
    count = width + rows.bit_length() - 1
    sides = _Sides(stored, loaded, (1, 1))
    for order in dict.fromkeys(_orders(sides, width, count, bits, device)):
        mask = (1 << width) - 1
        yield Memory(shape, (columns, 1), tuple([(c >> width, c & mask) for c in order]))


def _orders(
    sides: _Sides, width: int, count: int, bits: int, device: Target
) -> Iterator[tuple[int, ...]]:
    """Yield candidate meanings of offset bits, lowest first; row bits lie above the `width` column bits."""
    registers, lanes = (
        [_packed(part, width) for part in parts]
        for parts in (
            (sides.stored.registers, sides.loaded.registers),
            (sides.stored.lanes, sides.loaded.lanes),
        )
    )
    units = [1 << bit for bit in range(count)]
    common = [column for column in registers[0] if column in registers[1]]
    for own, other in ((0, 1), (1, 0)):
        for low in (0, 1):
            start = [*common[:low], *lanes[own], *common, *registers[own]]
            rest = [*lanes[other], *registers[other], *units]
            yield tuple(f2.independent_of([*start, *rest], []))
    stored, loaded = (
        _workgroup(registers[number], lanes[number], units, width) for number in (0, 1)
    )
    swizzled = optimal_swizzling(stored, loaded, bits, banks=device.shared_banks)
    yield tuple([c for columns in swizzled.in_columns.values() for c in columns])


def _packed(places: Sequence[Place], width: int) -> list[int]:
    return [row << width | column for row, column in places if row or column]


def _workgroup(
    registers: Sequence[int], lanes: Sequence[int], units: Sequence[int], width: int
) -> LinearLayout:
    """Return the layout of one side, with all other elements in other subgroups."""
    others = f2.independent_of(units, [*registers, *lanes])
    columns = {
        "register": tuple(registers),
        "lane": tuple(lanes),
        "warp": tuple(others),
    }
    return LinearLayout.of_columns(columns, {"dim1": width, "dim0": len(units) - width})


class Reach(NamedTuple):
    """The tiles of one kind: `cells` of a buffer that are accessed at once; `weight` is how often."""

    cell: Cell
    cells: int
    weight: int
    loads: bool


class Laid(NamedTuple):
    """The layout of a buffer, and the messages with which each tile accesses it."""

    memory: Memory
    sides: tuple[Side, ...]
    rank: tuple[float, ...]


def planned_buffer(shape: Place, reaches: Sequence[Reach], bits: int, device: Target) -> Laid:
    """Return the cheapest order of a buffer's elements (of `bits`) without conflicts, row-major if that is one."""
    tried = dict.fromkeys([Memory(shape, (shape[1], 1))])
    for stored in dict.fromkeys(reach.cell for reach in reaches if not reach.loads):
        for loaded in dict.fromkeys(reach.cell for reach in reaches if reach.loads):
            tried.update(dict.fromkeys(swizzles(stored, loaded, shape, bits, device)))
    laid = [_laid(memory, reaches, bits, device) for memory in tried]
    return min(laid, key=lambda found: found.rank)


def _laid(memory: Memory, reaches: Sequence[Reach], bits: int, device: Target) -> Laid:
    sides = tuple([side(reach.cell, reach.cells, memory, bits, device) for reach in reaches])
    price = sum(
        reach.weight * found.price for reach, found in zip(reaches, sides, strict=True)
    )
    conflicts = max((found.conflicts for found in sides), default=0)
    return Laid(memory, sides, (conflicts, price, memory.swizzle is not None))
