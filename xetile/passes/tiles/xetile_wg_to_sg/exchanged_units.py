"""Units that change their owners: in registers if every subgroup has what it needs, else through shared memory.

Through shared memory, the first owner of every unit stores it; after a barrier, every subgroup loads its new units.
`planning/distribution/exchanges.py` decides the layout in memory. Each exchange has a buffer of its own, allocated at
the start of the function, and also a barrier before its stores, which keeps them after earlier loads.
`exchange_buffers.py` removes barriers that are not needed, and merges buffers. A value that is larger than the pass's
`exchange_bytes` goes through a smaller buffer in bands, one after the other.

Elements that have no size in memory of their own are stored as the next larger one: integers below 8 bits as i8, index
as i64.

A band is a range of rows or of columns that contains whole units of both sides. If the band of a subgroup's unit
depends on the subgroup, the band's number is computed, and compared where the band is stored and loaded.
"""

from collections.abc import Callable, Sequence
from math import lcm, prod
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.same_value import vector_shape
from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.arith.arith_support import bits
from xetile.dialects.upstream.gpu import BarrierOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xetile import (
    InitTileOp,
    LoadTileOp,
    StoreTileOp,
    TileAttr,
    TileConvLayoutOp,
    TileReduceOp,
    TileTransposeOp,
    TileType,
)
from xetile.dialects.xetile.xetile_attributes import COLUMN_MAJOR, ROW_MAJOR, SHARED
from xetile.errors import fail, warn
from xetile.layout.algebra.block_grids import Coordinates, Distribution, Term
from xetile.passes.tiles.xetile_wg_to_sg.exchanged import Exchanged
from xetile.passes.tiles.xetile_wg_to_sg.subgroup_view import SubgroupView, Units, is_signless
from xetile.passes.tiles.xetile_wg_to_sg.units import in_registers
from xetile.planning.distribution.exchanges import planned_exchange
from xetile.planning.distribution.shared_messages import BYTE_BITS, Memory, Role, role_of
from xetile.rewriting.one_to_many import Offset


class Bands(NamedTuple):
    """The bands of a value: along one dimension, in parts of one extent (elements)."""

    dimension: int
    extent: int
    number: int


class Place(NamedTuple):
    """The place of a unit: all bands in which it may be, this subgroup's band, and offsets in the band (elements)."""

    possible: tuple[int, ...]
    band: Offset
    starts: tuple[Offset, ...]


def cut(shape: Sequence[int], units: Sequence[Coordinates], bytes_: int, limit: int) -> Bands:
    """Return the fewest bands of at most `limit` bytes, for elements of `bytes_`, or the smallest bands there are.

    `units` are the extents of both sides' units, of which each band holds whole ones.
    """
    choices: list[Bands] = []
    for dimension, extent in enumerate(shape):
        least = lcm(*(unit[dimension] for unit in units))
        counts = [n for n in range(1, extent // least + 1) if extent % (n * least) == 0]
        choices.extend(Bands(dimension, n * least, extent // (n * least)) for n in counts)
    size = bytes_ * prod(shape)
    fitting = [bands for bands in choices if size <= limit * bands.number]
    if fitting:
        return min(fitting, key=lambda bands: bands.number)
    return max(choices, key=lambda bands: bands.number)


def band_shape(shape: Sequence[int], bands: Bands) -> tuple[int, ...]:
    """Return the extents of one band (elements)."""
    return tuple(bands.extent if d == bands.dimension else n for d, n in enumerate(shape))


def place(view: SubgroupView, terms: Sequence[Term], bands: Bands) -> Place:
    """Return the place of the unit with these offsets."""
    term = terms[bands.dimension]
    possible = tuple(dict.fromkeys(offset // bands.extent for offset in term.offsets))
    starts = [view.unit_offset(t) for t in terms]
    if len(possible) == 1:
        inside = term._replace(shift=term.shift - possible[0] * bands.extent)
        starts[bands.dimension] = view.unit_offset(inside)
        return Place(possible, possible[0], tuple(starts))
    extent, offset = view.constant(bands.extent), view.index(starts[bands.dimension])
    starts[bands.dimension] = view.new(arith.RemUIOp(offset, extent))
    return Place(possible, view.new(arith.DivUIOp(offset, extent)), tuple(starts))


def redistributed(view: SubgroupView, source: Units, target: Distribution) -> Units:
    """Return a value in the distribution `target`."""
    kept = in_registers(view, source, target)
    if kept is not None:
        view.note_kept(source.distribution, target)
        return kept
    return _through_memory(view, source, target, turned=False)


def transposed_through_memory(
    view: SubgroupView, source: Units, target: Distribution
) -> Units:
    """Return the transpose of a value in the distribution `target`, stored row by row and loaded column by column."""
    return _through_memory(view, source, target, turned=True)


class _Buffer(NamedTuple):
    """The view that one side has of shared memory."""

    memory: SSAValue
    tile: TileType
    places: list[Place]

    def unit(self, view: SubgroupView, made: Exchanged, index: int) -> SSAValue:
        tile = InitTileOp(self.memory, self.places[index].starts, [], [], self.tile)
        made.tiles.append(tile)
        return view.new(tile)


def _through_memory(
    view: SubgroupView, source: Units, target: Distribution, *, turned: bool
) -> Units:
    """Exchange a value, or return the earlier exchange of the same units."""
    key = (*source.values, target, turned)
    block, known = view.loaded.get(key, (None, None))
    if known is None or block not in (view.block, view.entry):
        known = _exchange(view, source, target, turned=turned)
        view.loaded[key] = (view.block, known)
    return known


def _exchange(
    view: SubgroupView, source: Units, target: Distribution, *, turned: bool
) -> Units:
    element = vector_type(source.values[0]).element_type
    kept = _type_in_memory(view, element)
    distribution = source.distribution
    units = (distribution.unit, target.unit[::-1] if turned else target.unit)
    bands = cut(distribution.shape, units, _bytes(kept), view.exchange_bytes)
    rows, columns = band_shape(distribution.shape, bands)
    plan = planned_exchange(
        distribution,
        target,
        _bytes(kept) * BYTE_BITS,
        (rows, columns),
        turned=turned,
        role=_role(view.current),
        device=view.device,
        limit=view.exchange_bytes,
    )
    if plan.bytes > view.exchange_bytes:
        warn(
            view.current,
            f"this exchange takes {plan.bytes} bytes of shared memory, where it shall take {view.exchange_bytes}; "
            "a band holds whole units of both sides",
        )
    allocation = memref.AllocOp([], [], buffer_type(plan.memory, kept))
    made = Exchanged(view.current, plan, allocation)
    view.moves.append(made)
    memory = view.emit_at_entry(allocation)
    written = _buffer(view, memory, distribution, bands, plan.memory, turned=False)
    if turned:
        made.turned = memref.TransposeOp(memory, (1, 0))
        memory = view.new(made.turned)
        bands = bands._replace(dimension=1 - bands.dimension)
    read = _buffer(view, memory, target, bands, plan.memory, turned=turned)
    values: list[SSAValue | None] = [None] * target.local_units
    for band in range(bands.number):
        made.before.append(view.emit(BarrierOp()))
        with view.first_owners(distribution):
            _store_band(view, made, source, written, band)
        made.between.append(view.emit(BarrierOp()))
        values = [
            _load_of_band(view, made, read, index, band, value)
            for index, value in enumerate(values)
        ]
    found = [value for value in values if value is not None]
    return Units([_cast(view, value, element, arith.TruncIOp) for value in found], target)


def _role(op: Operation) -> Role:
    """Return the operand of products that an op's result becomes, or "rows" if it reduces row by row."""
    if isinstance(op, TileReduceOp) and op.reduction_dims.get_values() == (1,):
        return "rows"
    if not isinstance(op, TileConvLayoutOp | TileTransposeOp):
        return None
    return role_of(op.result)


def buffer_type(memory: Memory, element: Attribute) -> MemRefType[Attribute]:
    """Return the type of a memref in shared memory with this layout."""
    layout = NoneAttr()
    if memory.swizzle is not None:
        layout = SwizzleAttr(memory.swizzle)
    elif memory.strides[1] != 1:
        layout = StridedLayoutAttr(memory.strides, 0)
    return MemRefType(element, memory.extents, layout, IntegerAttr(SHARED, i64))


def _buffer(
    view: SubgroupView,
    memory: SSAValue,
    distribution: Distribution,
    bands: Bands,
    lies: Memory,
    *,
    turned: bool,
) -> _Buffer:
    element = cast("MemRefType[Attribute]", memory.type).element_type
    by_rows = lies.swizzle is not None or (lies.strides[1] == 1) is not turned
    attribute = TileAttr(order=ROW_MAJOR if by_rows else COLUMN_MAJOR, memory_space=SHARED)
    type = TileType(distribution.unit, element, attribute)
    rounds = distribution.round_coordinates
    places = [place(view, distribution.offset_terms(round_), bands) for round_ in rounds]
    return _Buffer(memory, type, places)


def _store_band(
    view: SubgroupView, made: Exchanged, source: Units, buffer: _Buffer, band: int
) -> None:
    for index, value in enumerate(source.values):
        found = buffer.places[index]
        if band not in found.possible:
            continue
        with view.only_if(_is(view, found.band, band)):
            stored = _cast(view, value, buffer.tile.element_type, arith.ExtUIOp)
            view.emit(StoreTileOp(stored, buffer.unit(view, made, index)))


def _load_of_band(
    view: SubgroupView,
    made: Exchanged,
    buffer: _Buffer,
    index: int,
    band: int,
    before: SSAValue | None,
) -> SSAValue | None:
    """Load a unit if it is in this band or this is its first possible one; else return that of an earlier band."""
    found = buffer.places[index]
    if band not in found.possible:
        return before
    if before is None:
        return view.new(LoadTileOp(buffer.unit(view, made, index)))
    return view.choose(
        _is(view, found.band, band),
        lambda: view.new(LoadTileOp(buffer.unit(view, made, index))),
        before,
    )


def _is(view: SubgroupView, found: Offset, band: int) -> SSAValue | None:
    """Emit the test that this subgroup's unit is in a band, or return None if that is always true."""
    if isinstance(found, int):
        return None
    return view.new(arith.CmpiOp(found, view.constant(band), "eq"))


def bytes_exchanged(view: SubgroupView, value: SSAValue) -> int:
    """Return the bytes of a whole vector in shared memory, without gaps."""
    element = _type_in_memory(view, vector_type(value).element_type)
    return prod(vector_shape(value)) * _bytes(element)


def _bytes(element: Attribute) -> int:
    return 1 << max(0, bits(element) - 1).bit_length() >> 3


def _type_in_memory(view: SubgroupView, element: Attribute) -> Attribute:
    if isinstance(element, IndexType):
        return i64
    if not isinstance(element, IntegerType):
        return element
    integer = cast("IntegerType", element)
    if integer.bitwidth >= 8:
        return integer
    if not is_signless(integer):
        fail(
            view.current,
            f"elements of {integer} cannot be exchanged between subgroups; "
            "expected signless integers or at least 8 bits",
        )
    return IntegerType(8)


def _cast(
    view: SubgroupView,
    value: SSAValue,
    to: Attribute,
    for_integers: Callable[[SSAValue, Attribute], Operation],
) -> SSAValue:
    found = vector_type(value).element_type
    if found == to:
        return value
    make = arith.IndexCastOp if IndexType() in (found, to) else for_integers
    return view.new(make(value, VectorType(to, vector_shape(value))))
