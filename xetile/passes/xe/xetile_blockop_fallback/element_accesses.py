"""Loads, stores and prefetches without messages: addresses and masks of single elements."""

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import MemRefType, VectorType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.known_integers import folded_integer
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.upstream.vector import BroadcastOp, CreateMaskOp
from xetile.dialects.xetile import (
    InitTileOp,
    LoadGatherOp,
    LoadTileOp,
    PrefetchTileOp,
    StoreScatterOp,
    StoreTileOp,
    TileType,
    UpdateTileOffsetOp,
)
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.hints import isa
from xetile.passes.xe.xetile_blockop_fallback.fallback_view import (
    PARTS,
    FallbackView,
    Fallen,
    Part,
)
from xetile.planning.xe.fallbacks import memory_of
from xetile.planning.xe.message_words import BYTE_BITS
from xetile.rewriting.one_to_many import Offset
from xetile.rewriting.rewriter import Handlers, on

_MOST_ADDRESSES = 1 << 17
"""The most elements of a subgroup's tile whose addresses are computed singly: the registers of a thread hold 16 kB."""


def _init_tile(view: FallbackView, op: InitTileOp) -> None:
    family = view.families.get(op)
    if family is None:
        view.copy(op)
        return
    sizes, strides = memory_of(op)
    offsets, extents, steps = map(view.mapped, (op.mixed_offsets, sizes, strides))
    extents, steps = ([_known(entry) for entry in entries] for entries in (extents, steps))
    start: Offset = 0
    for offset, step in zip(offsets[:-2], steps[:-2], strict=True):
        start = view.add(start, view.multiply(offset, step))
    base = _address(view, op, start)
    values = (base, *offsets[-2:], *extents[-2:], *steps[-2:])
    parts: dict[Part, Offset] = dict(zip(PARTS, values, strict=True))
    carried = view.carried(family)
    moving = [view.index(parts.pop(part)) for part in carried]
    view.bind(op.tile, Fallen(moving, carried, parts, view.never_before(family)))


def _known(entry: Offset) -> Offset:
    """Return the number that an extent or a stride equals, or the value itself if that is not known."""
    number = entry if isinstance(entry, int) else folded_integer(entry)
    return entry if number is None else number


def _address(view: FallbackView, op: InitTileOp, start: Offset) -> SSAValue:
    """Return the address of the matrix that begins `start` elements after element zero of a tile's source."""
    source, bytes = view.single(op.source), _bytes(op.tile.type)
    type = source.type
    if not isa(type, MemRefType):
        return _moved(view, source, view.multiply(start, bytes))
    layout = strides_and_offset(type)
    assert layout is not None
    offset: Offset | None = layout[1]
    if offset is None:
        offset = view.emit(memref.ExtractStridedMetaDataOp(source)).results[1]
    pointer = view.new(memref.ExtractAlignedPointerAsIndexOp(source))
    return view.address(view.add(pointer, view.multiply(view.add(start, offset), bytes)))


def _moved(view: FallbackView, address: SSAValue, bytes: Offset) -> SSAValue:
    """Return an address plus `bytes` bytes."""
    if bytes == 0:
        return address
    if address.type != i64:
        view.refuse(f"has the address {address.type}; gathers take i64 or a memref")
    return view.new(arith.AddiOp(address, view.address(bytes)))


def _bytes(tile: TileType) -> int:
    bits = memory_bits(tile.element_type)
    assert bits is not None
    return bits // BYTE_BITS


def _update_tile_offset(view: FallbackView, op: UpdateTileOffsetOp) -> None:
    tile = view.fallen(op.tile)
    if tile is None:
        view.copy(op)
        return
    steps: dict[Part, Offset] = dict(
        zip(("row", "column"), view.mapped(op.mixed_offsets), strict=True)
    )
    moved = [
        view.index(view.add(value, steps.get(part, 0)))
        for part, value in zip(tile.carried, tile.values, strict=True)
    ]
    view.bind(op.result, tile.with_values(moved))


def _load_tile(view: FallbackView, op: LoadTileOp) -> None:
    tile = view.fallen(op.source)
    if tile is None:
        view.copy(op)
        return
    type = cast(TileType, op.source.type)
    operands = [_scattered(view, tile, type), _mask(view, tile, type.shape, view.inside(op))]
    view.bind(op.result, view.new(_like(op, LoadGatherOp, operands)))


def _store_tile(view: FallbackView, op: StoreTileOp) -> None:
    tile = view.fallen(op.tile)
    if tile is None:
        view.copy(op)
        return
    type = cast(TileType, op.tile.type)
    scattered, mask = (
        _scattered(view, tile, type),
        _mask(view, tile, type.shape, view.inside(op)),
    )
    view.emit(_like(op, StoreScatterOp, [view.single(op.value), scattered, mask]))


def _prefetch_tile(view: FallbackView, op: PrefetchTileOp) -> None:
    """Drop a prefetch of a tile without messages; this costs only time."""
    if view.fallen(op.tile) is None:
        view.copy(op)


def _like(
    op: Operation, kind: type[LoadGatherOp | StoreScatterOp], operands: Sequence[SSAValue]
) -> Operation:
    """Return the access of a scattered tile with the hints and the padding of another access."""
    return kind.create(
        operands=operands,
        result_types=op.result_types,
        properties={key: value for key, value in op.properties.items() if key != "message"},
        attributes=dict(op.attributes),
    )


def _scattered(view: FallbackView, tile: Fallen, type: TileType) -> SSAValue:
    """Return the tile that has an index for each element, relative to its corner."""
    down, across = tile.part("down"), tile.part("across")
    row = view.multiply(tile.part("row"), down)
    column = view.multiply(tile.part("column"), across)
    corner = view.multiply(view.add(row, column), _bytes(type))
    address = _moved(view, tile.base, corner)
    scattered = TileType(type.shape, type.element_type).with_(scattered=True)
    indices = _indices(view, type.shape, (down, across))
    return view.new(InitTileOp(address, (), (), (), scattered, indices=indices))


def _indices(view: FallbackView, shape: Sequence[int], strides: Sequence[Offset]) -> SSAValue:
    """Return the offset of each element of a tile from its corner (elements)."""
    if prod(shape) > _MOST_ADDRESSES:
        view.refuse(
            f"accesses a tile of {shape[0]}x{shape[1]} element by element; expected at most "
            f"{_MOST_ADDRESSES} elements; use smaller tiles or more subgroups"
        )
    places = [(row, column) for row in range(shape[0]) for column in range(shape[1])]
    known = [stride if isinstance(stride, int) else 0 for stride in strides]
    fixed = [row * known[0] + column * known[1] for row, column in places]
    found = view.indices(shape, fixed)
    for dimension, stride in enumerate(strides):
        if isinstance(stride, int):
            continue
        counted = view.indices(shape, [place[dimension] for place in places])
        step = view.new(BroadcastOp(stride, cast("VectorType[Attribute]", found.type)))
        moved = view.new(arith.MuliOp(step, counted))
        found = view.new(arith.AddiOp(moved, found)) if any(fixed) else moved
        fixed = [1]
    return found


def _mask(
    view: FallbackView, tile: Fallen, shape: Sequence[int], inside: Sequence[bool]
) -> SSAValue:
    """Return a mask of the elements inside the tile's matrix; `inside` says in which dimensions all are."""
    type = VectorType(i1, shape)
    corner = tile.part("row"), tile.part("column")
    rest = [
        shape[d] if inside[d] else view.subtract(size, corner[d])
        for d, size in enumerate((tile.part("height"), tile.part("width")))
    ]
    if all(
        isinstance(limit, int) and limit >= extent
        for limit, extent in zip(rest, shape, strict=True)
    ):
        found = view.constant_mask(shape, value=True)
    else:
        found = view.new(CreateMaskOp([view.index(limit) for limit in rest], type))
    for dimension in range(2):
        place = corner[dimension]
        if tile.not_before[dimension] or (isinstance(place, int) and place >= 0):
            continue
        limits: list[Offset] = [*shape]
        limits[dimension] = view.subtract(0, place)
        before = view.new(CreateMaskOp([view.index(limit) for limit in limits], type))
        nothing = view.constant_mask(shape, value=False)
        found = view.new(arith.SelectOp(before, nothing, found))
    return found


HANDLERS: Handlers[FallbackView] = {
    **on(InitTileOp, _init_tile),
    **on(UpdateTileOffsetOp, _update_tile_offset),
    **on(LoadTileOp, _load_tile),
    **on(StoreTileOp, _store_tile),
    **on(PrefetchTileOp, _prefetch_tile),
}
