"""The XeTile dialect, on the tiles of workgroups and of subgroups, blocked or not."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Operation, SSAValue

from xetile.dialects.xetile import TileType
from xetile.dialects.xetile.xetile_attributes import COLUMN_MAJOR
from xetile.errors import fail
from xetile.interpreter.common.accesses import update_elements
from xetile.interpreter.common.folds import fold, kind_of
from xetile.interpreter.common.scalars import transposed, unchanged
from xetile.interpreter.common.surfaces import surface_of
from xetile.interpreter.machine.elements import element_of
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.reading import (
    attribute,
    element,
    integer,
    integers,
    mixed,
    mixed_lists,
    number,
    segments,
    shape_of,
)
from xetile.interpreter.machine.runtime_values import (
    UNBOUNDED,
    Array,
    MemRef,
    ScatteredTile,
    Surface,
    Tile,
    Values,
    uniform,
)


def _tile_type(value: SSAValue) -> TileType:
    assert isinstance(value.type, TileType)
    return value.type


def _init_tile(frame: Frame, op: Operation) -> Values:
    (source,), *lists, indices = segments(op)
    type = _tile_type(op.results[0])
    if indices:
        return [_init_scattered(frame, op, source, indices[0], type)]
    names = ("const_offsets", "const_sizes", "const_strides")
    offsets, sizes, strides = mixed_lists(frame, op, names, lists)
    surface = surface_of(frame, op, source, offsets[:-2], sizes, strides, type.element_type)
    _check_order(op, surface, type, len(offsets))
    return [Tile(surface, (offsets[-2], offsets[-1]))]


def _check_order(op: Operation, surface: Surface, type: TileType, rank: int) -> None:
    fastest = 0 if type.order == COLUMN_MAJOR else 1
    wrong = surface.strides[fastest][surface.strides[fastest] != 1]
    if len(wrong):
        fail(
            op,
            f"the matrix has stride {int(wrong[0])} along dimension {rank - 2 + fastest}; "
            f"order {list(type.order)} needs 1 there",
        )


def _init_scattered(
    frame: Frame, op: Operation, source: SSAValue, indices: SSAValue, type: TileType
) -> ScatteredTile:
    found = frame.get(source)
    if not isinstance(found, MemRef):
        base = number(frame, source)
        return ScatteredTile(base, uniform(UNBOUNDED), number(frame, indices))
    size = element_of(type.element_type, op).size
    limit, stride = uniform(1), uniform(1)
    if found.sizes:
        limit, stride = found.sizes[0], found.strides[0]
    if (stride != 1).any():
        fail(
            op, f"the memref has stride {int(stride[stride != 1][0])}; scattered tiles need 1"
        )
    return ScatteredTile(found.base + found.offset * size, limit, number(frame, indices))


def _update_tile_offset(frame: Frame, op: Operation) -> Values:
    (_,), steps, indices = segments(op)
    value = frame.get(op.operands[0])
    if isinstance(value, ScatteredTile):
        return [value._replace(indices=value.indices + number(frame, indices[0]))]
    down, across = mixed(frame, integers(op, "const_offsets"), steps)
    surface, (x, y) = frame.tile(op.operands[0])
    return [Tile(surface, (x + down, y + across))]


def _padding(frame: Frame, op: Operation, value: SSAValue) -> ArrayLike:
    found, of = attribute(op, "padding"), element(value)
    if not isinstance(found, FloatAttr | IntegerAttr):
        return 0
    number = cast("FloatAttr | IntegerAttr", found).value.data
    return frame.domain.numbers([number], of)[0]


def _load_tile(frame: Frame, op: Operation) -> Values:
    type, (result,) = _tile_type(op.operands[0]), op.results
    tile = frame.tile(op.operands[0])
    padding = _padding(frame, op, result)
    values = frame.read_tile(op, tile, _plane(type), element(result), padding)
    return [_blocked(values, type)]


def _store_tile(frame: Frame, op: Operation) -> Values:
    value, tile = op.operands
    values = _flat(frame.array(value))
    plane = _plane(_tile_type(tile))
    frame.write_tile(op, frame.tile(tile), plane, element(value), values)
    return []


def _prefetch_tile(frame: Frame, op: Operation) -> Values:
    frame.get(op.operands[0])
    return []


def _plane(type: TileType) -> tuple[int, int]:
    rows, columns = type.shape
    return rows, columns


def _blocked(values: Array, type: TileType) -> Array:
    return values if type.inner_blocks is None else pack(values, type.inner_blocks)


def pack(values: Array, blocks: Sequence[int]) -> Array:
    """Return [threads, rows, columns] as [threads, block rows, block columns, rows of a block, columns of a block]."""
    threads, rows, columns = values.shape
    height, width = blocks
    cut = values.reshape(threads, rows // height, height, columns // width, width)
    return cut.transpose(0, 1, 3, 2, 4)


def _flat(values: Array) -> Array:
    if values.ndim == 3:
        return values
    threads, down, across, height, width = values.shape
    return values.transpose(0, 1, 3, 2, 4).reshape(threads, down * height, across * width)


def _tile_pack(frame: Frame, op: Operation) -> Values:
    return [pack(frame.first(op), integers(op, "inner_blocks"))]


def _tile_unpack(frame: Frame, op: Operation) -> Values:
    return [_flat(frame.first(op))]


def _tile_mma(frame: Frame, op: Operation) -> Values:
    a, b, *accumulator = (_flat(value) for value in frame.arrays(op.operands))
    c = accumulator[0] if accumulator else None
    (result,) = op.results
    product = frame.domain.product(a, b, c, element(result))
    shape = shape_of(result)
    return [product if len(shape) == 2 else pack(product, shape[2:])]


def _tile_reduce(frame: Frame, op: Operation) -> Values:
    (source,), (result,) = op.operands, op.results
    dimensions = integers(op, "reduction_dims")
    axes = [[0], [1]] if len(shape_of(source)) == 2 else [[0, 2], [1, 3]]
    reduced = [axis for axis in axes if axis[0] in dimensions]
    array = frame.array(source)
    if "reduction_size" in op.properties:
        array, reduced = _grouped(array, dimensions[0], integer(op, "reduction_size"))
    values = fold(op, kind_of(op), array, reduced, element(source), frame.domain)
    return [values.reshape(len(values), *shape_of(result))]


def _grouped(array: Array, dimension: int, size: int) -> tuple[Array, list[list[int]]]:
    """Split a dimension into groups of `size` neighbors and return the new axis, which is reduced."""
    extents = list(array.shape)
    axis = dimension + 1
    extents[axis : axis + 1] = [extents[axis] // size, size]
    return array.reshape(extents), [[axis]]


def _tile_broadcast(frame: Frame, op: Operation) -> Values:
    values = frame.first(op)
    return [np.broadcast_to(values, (len(values), *shape_of(op.results[0])))]


def _gathered(
    frame: Frame, op: Operation, tile: SSAValue, mask: SSAValue | None
) -> tuple[Array, Array]:
    """Return the addresses of a scattered tile's elements, and which of them are in range and not masked off."""
    base, limit, indices = frame.scattered_tile(tile)
    ones = [1] * (indices.ndim - 1)
    size = element_of(_tile_type(tile).element_type, op).size
    addresses = base.reshape(-1, *ones) + indices * size
    inside = (indices >= 0) & (indices < limit.reshape(-1, *ones))
    unbounded = limit.reshape(-1, *ones) == UNBOUNDED
    reached = inside | unbounded
    if mask is None:
        return addresses, reached
    return addresses, _matching(frame.array(mask), indices.shape[1:]) & reached


def _matching(values: Array, shape: Sequence[int]) -> Array:
    """Return a value of a scattered tile in the tile's own shape."""
    return values if values.shape[1:] == tuple(shape) else _flat(values)


def _load_gather(frame: Frame, op: Operation) -> Values:
    tile, mask = op.operands
    (result,) = op.results
    addresses, wanted = _gathered(frame, op, tile, mask)
    values = frame.read(op, addresses, element(result), wanted, _padding(frame, op, result))
    return [_blocked(values, _tile_type(tile))]


def _store_scatter(frame: Frame, op: Operation) -> Values:
    value, tile, mask = op.operands
    addresses, wanted = _gathered(frame, op, tile, mask)
    found = _matching(frame.array(value), addresses.shape[1:])
    frame.write(op, addresses, element(value), found, wanted)
    return []


def _atomic_rmw_tile(frame: Frame, op: Operation) -> Values:
    value, tile = op.operands
    type, of = _tile_type(tile), element(value)
    if type.scattered:
        addresses, inside = _gathered(frame, op, tile, None)
    else:
        addresses, inside = frame.memory.tile_addresses(frame.tile(tile), _plane(type), of)
    values = _matching(frame.array(value), addresses.shape[1:])
    old = update_elements(frame, op, addresses, of, values, inside)
    return [_blocked(old, type)]


def _check(frame: Frame, op: Operation) -> Values:
    """Raise if an element is false: for the first one of the first such thread."""
    found = frame.first(op)
    wrong = np.argwhere(found == 0)
    if not len(wrong):
        return []
    thread, *place = (int(index) for index in wrong[0])
    at = f" at {place}" if place else ""
    message = attribute(op, "message")
    assert isinstance(message, StringAttr)
    who = frame.threads.describe(int(frame.active[thread]))
    fail(op, f"check failed{at} in {who}: {message.data}")


HANDLERS: Handlers = {
    "xetile.check": _check,
    "xetile.init_tile": _init_tile,
    "xetile.update_tile_offset": _update_tile_offset,
    "xetile.load_tile": _load_tile,
    "xetile.store_tile": _store_tile,
    "xetile.prefetch_tile": _prefetch_tile,
    "xetile.tile_mma": _tile_mma,
    "xetile.tile_pack": _tile_pack,
    "xetile.tile_unpack": _tile_unpack,
    "xetile.tile_transpose": transposed,
    "xetile.tile_reduce": _tile_reduce,
    "xetile.tile_broadcast": _tile_broadcast,
    "xetile.tile_conv_layout": unchanged,
    "xetile.load_gather": _load_gather,
    "xetile.store_scatter": _store_scatter,
    "xetile.atomic_rmw_tile": _atomic_rmw_tile,
}
