"""Units that change their owners: in registers where every subgroup has what it needs, else through shared memory.

Through shared memory: every unit is stored by the first of its owners, a barrier, every subgroup loads its new units,
a second barrier. The second one keeps the next store to the same buffer, in the next iteration of a loop or by
another exchange, behind the loads of this one. For the same reason one buffer serves all exchanges of one shape and
element type; it is allocated where the function begins, outside of loops. A value that is larger than the pass's
`exchange_bytes` goes through a smaller buffer in bands (bands.py).

Elements that have no size in memory of their own are stored in the next larger one: integers below 8 bits as i8,
index as i64.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.same_value import vector_shape
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.arith.support import bits
from xetile.dialects.upstream.gpu import BarrierOp
from xetile.dialects.upstream.vector.support import vector_type
from xetile.dialects.xetile import (
    InitTileOp,
    LoadTileOp,
    StoreTileOp,
    TileAttr,
    TileType,
)
from xetile.dialects.xetile.attributes import COLUMN_MAJOR, ROW_MAJOR, SHARED
from xetile.errors import fail
from xetile.layout.algebra.distribution import Distribution
from xetile.passes.xetile_wg_to_sg.bands import Bands, Place, band_shape, cut, place
from xetile.passes.xetile_wg_to_sg.registers import in_registers
from xetile.passes.xetile_wg_to_sg.view import (
    SubgroupView,
    Units,
    is_signless,
)
from xetile.rewriting.one_to_many import Offset


def redistributed(view: SubgroupView, source: Units, target: Distribution) -> Units:
    """A value as `target` deals it out."""
    kept = in_registers(view, source, target)
    if kept is not None:
        return kept
    return _through_memory(view, source, target, ROW_MAJOR)


def transposed_through_memory(
    view: SubgroupView, source: Units, target: Distribution
) -> Units:
    """The transpose of a value as `target` deals it out: stored row by row, loaded column by column."""
    return _through_memory(view, source, target, COLUMN_MAJOR)


class _Buffer(NamedTuple):
    """Shared memory as one side sees it."""

    memory: SSAValue
    tile: TileType
    places: list[Place]

    def unit(self, view: SubgroupView, index: int) -> SSAValue:
        return view.new(InitTileOp(self.memory, self.places[index].starts, [], [], self.tile))


def _through_memory(
    view: SubgroupView, source: Units, target: Distribution, order: Sequence[int]
) -> Units:
    element = vector_type(source.values[0]).element_type
    kept = _type_in_memory(view, element)
    distribution = source.distribution
    turns = tuple(order) == COLUMN_MAJOR
    units = (distribution.unit, target.unit[::-1] if turns else target.unit)
    bands = cut(distribution.shape, units, _bytes(kept), view.exchange_bytes)
    shape = band_shape(distribution.shape, bands)
    type = MemRefType(kept, shape, NoneAttr(), IntegerAttr(SHARED, i64))
    memory = view.shared(("shared buffer", type), lambda: memref.AllocOp([], [], type))
    written = _buffer(view, memory, distribution, kept, bands, ROW_MAJOR)
    if turns:
        memory = view.new(memref.TransposeOp(memory, (1, 0)))
        bands = bands._replace(dimension=1 - bands.dimension)
    read = _buffer(view, memory, target, kept, bands, order)
    values: list[SSAValue | None] = [None] * target.local_units
    for band in range(bands.number):
        with view.first_owners(distribution):
            _store_band(view, source, written, band)
        view.emit(BarrierOp())
        values = [_load_of_band(view, read, index, band, v) for index, v in enumerate(values)]
        view.emit(BarrierOp())
    found = [value for value in values if value is not None]
    return Units([_cast(view, value, element, arith.TruncIOp) for value in found], target)


def _buffer(
    view: SubgroupView,
    memory: SSAValue,
    distribution: Distribution,
    element: Attribute,
    bands: Bands,
    order: Sequence[int],
) -> _Buffer:
    type = TileType(distribution.unit, element, TileAttr(order=order, memory_space=SHARED))
    rounds = distribution.round_coordinates
    places = [place(view, distribution.offset_terms(round_), bands) for round_ in rounds]
    return _Buffer(memory, type, places)


def _store_band(view: SubgroupView, source: Units, buffer: _Buffer, band: int) -> None:
    for index, value in enumerate(source.values):
        found = buffer.places[index]
        if band not in found.possible:
            continue
        with view.only_if(_is(view, found.band, band)):
            stored = _cast(view, value, buffer.tile.element_type, arith.ExtUIOp)
            view.emit(StoreTileOp(stored, buffer.unit(view, index)))


def _load_of_band(
    view: SubgroupView, buffer: _Buffer, index: int, band: int, before: SSAValue | None
) -> SSAValue | None:
    """A unit, where it is in this band or it is the first that it may be in; else what an earlier band gave."""
    found = buffer.places[index]
    if band not in found.possible:
        return before
    if before is None:
        return view.new(LoadTileOp(buffer.unit(view, index)))
    return view.choose(
        _is(view, found.band, band),
        lambda: view.new(LoadTileOp(buffer.unit(view, index))),
        before,
    )


def _is(view: SubgroupView, found: Offset, band: int) -> SSAValue | None:
    """Whether this subgroup's unit is in a band; None where it is in any case."""
    if isinstance(found, int):
        return None
    return view.new(arith.CmpiOp(found, view.constant(band), "eq"))


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
