"""Units that change their owners: in registers where every subgroup has what it needs, else through shared memory.

Through shared memory: every unit is stored by the first of its owners, a barrier, every subgroup loads its new units,
a second barrier. The second one keeps the next store to the same buffer, in the next iteration of a loop or by
another exchange, behind the loads of this one. For the same reason one buffer serves all exchanges of one shape and
element type; it is allocated where the function begins, outside of loops.

Elements that have no size in memory of their own are stored in the next larger one: integers below 8 bits as i8,
index as i64.
"""

from collections.abc import Callable, Sequence
from typing import cast

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
from xetile.dialects import arith, memref
from xetile.dialects.gpu import BarrierOp
from xetile.dialects.xetile import (
    InitTileOp,
    LoadTileOp,
    StoreTileOp,
    TileAttr,
    TileType,
)
from xetile.dialects.xetile.attributes import COLUMN_MAJOR, ROW_MAJOR, SHARED
from xetile.errors import fail
from xetile.layout.grid import Coordinates, Distribution
from xetile.passes.wg_to_sg.view import SubgroupView, Units, element_type, is_signless


def local_sources(
    source: Distribution,
    target: Distribution,
    source_unit: Callable[[Coordinates], Coordinates],
) -> list[int] | None:
    """For each local unit of `target` the local unit of `source` that it is made of.

    `source_unit` gives the coordinates of that unit. None where a subgroup lacks one, or where it is not the
    same local unit in all subgroups.
    """
    columns = [
        [_local_source(source, subgroup, source_unit(unit)) for unit in target.held_units(subgroup)]
        for subgroup in range(target.subgroups)
    ]
    first = columns[0]
    if None in first or any(column != first for column in columns):
        return None
    return [index for index in first if index is not None]


def _local_source(source: Distribution, subgroup: int, unit: Coordinates) -> int | None:
    return source.local_index(unit) if subgroup in source.owners(unit) else None


def redistributed(view: SubgroupView, source: Units, target: Distribution) -> Units:
    """A value as `target` deals it out."""
    if source.distribution.unit == target.unit:
        kept = local_sources(source.distribution, target, lambda unit: unit)
        if kept is not None:
            return Units([source.values[index] for index in kept], target)
    buffer = stored(view, source)
    return loaded(view, buffer, source, target, ROW_MAJOR)


def transposed_through_memory(view: SubgroupView, source: Units, target: Distribution) -> Units:
    """The transpose of a value as `target` deals it out: stored row by row, loaded column by column."""
    buffer = stored(view, source)
    turned = view.emit_value(memref.TransposeOp(buffer, (1, 0)))
    return loaded(view, turned, source, target, COLUMN_MAJOR)


def stored(view: SubgroupView, source: Units) -> SSAValue:
    """A shared buffer with all of a value in it, row-major, for all subgroups to read."""
    distribution = source.distribution
    element = element_type(source.values[0])
    kept = _type_in_memory(view, element)
    type = MemRefType(kept, distribution.shape, NoneAttr(), IntegerAttr(SHARED, i64))
    buffer = view.shared(("shared buffer", type), lambda: memref.AllocOp([], [], type))
    with view.first_owners(distribution):
        values = [_widened(view, value, element, kept) for value in source.values]
        tiles = _tiles(view, buffer, distribution, kept, ROW_MAJOR)
        for value, tile in zip(values, tiles, strict=True):
            view.emit(StoreTileOp(value, tile))
    view.emit(BarrierOp())
    return buffer


def loaded(
    view: SubgroupView,
    buffer: SSAValue,
    source: Units,
    target: Distribution,
    order: Sequence[int],
) -> Units:
    """This subgroup's units of what `stored` wrote, which may be overwritten afterwards."""
    element = element_type(source.values[0])
    kept = _type_in_memory(view, element)
    values = [
        view.emit_value(LoadTileOp(tile)) for tile in _tiles(view, buffer, target, kept, order)
    ]
    view.emit(BarrierOp())
    return Units([_narrowed(view, value, element, kept) for value in values], target)


def _tiles(
    view: SubgroupView,
    buffer: SSAValue,
    distribution: Distribution,
    element: Attribute,
    order: Sequence[int],
) -> list[SSAValue]:
    type = TileType(distribution.unit, element, TileAttr(order=order, memory_space=SHARED))
    return [
        view.emit_value(InitTileOp(buffer, starts, [], [], type))
        for starts in view.unit_offsets(distribution)
    ]


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


def _widened(view: SubgroupView, value: SSAValue, element: Attribute, kept: Attribute) -> SSAValue:
    if element == kept:
        return value
    return view.emit_value(
        _cast(element, arith.IndexCastOp, arith.ExtUIOp)(value, _like(value, kept))
    )


def _narrowed(view: SubgroupView, value: SSAValue, element: Attribute, kept: Attribute) -> SSAValue:
    if element == kept:
        return value
    return view.emit_value(
        _cast(element, arith.IndexCastOp, arith.TruncIOp)(value, _like(value, element))
    )


def _cast(
    element: Attribute,
    for_index: Callable[[SSAValue, Attribute], Operation],
    for_integers: Callable[[SSAValue, Attribute], Operation],
) -> Callable[[SSAValue, Attribute], Operation]:
    return for_index if isinstance(element, IndexType) else for_integers


def _like(value: SSAValue, element: Attribute) -> VectorType[Attribute]:
    return VectorType(element, vector_shape(value))
