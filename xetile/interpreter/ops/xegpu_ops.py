"""The XeGPU dialect: block messages and matrix instructions of a subgroup.

Also XeGPU's accesses to scattered elements and to matrices in shared memory, and its named barriers.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from xetile.dialects.operand_types import element_type_said, operand_types
from xetile.dialects.xegpu import MemDescType, TensorDescType
from xetile.errors import fail
from xetile.interpreter.common.accesses import update_elements
from xetile.interpreter.common.scalars import nothing, unchanged
from xetile.interpreter.common.surfaces import surface_of
from xetile.interpreter.common.threads import barrier
from xetile.interpreter.machine.elements import Element, element_of
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
    Tile,
    Values,
    uniform,
)
from xetile.targets.xe.surface import SURFACE

WORD_BITS = 32
"""Bits of a register word of packed rows."""


def _descriptor_type(value: SSAValue) -> TensorDescType:
    type = value.type
    if not isinstance(type, TensorDescType):
        fail(value, f"expected a tensor descriptor, found {type}")
    return type


def _create_nd_tdesc(frame: Frame, op: Operation) -> Values:
    (source,), *lists = segments(op)
    type = _descriptor_type(op.results[0])
    names = ("const_offsets", "const_shape", "const_strides")
    offsets, shape, strides = mixed_lists(frame, op, names, lists)
    rank = len(type.get_shape())
    if rank > 2:
        fail(op, f"cannot execute a descriptor of rank {rank}; expected 1 or 2")
    batch = offsets[:-2]
    surface = surface_of(frame, op, source, batch, shape, strides, type.element_type)
    corner = [uniform(0), uniform(0), *offsets][-2:]
    return [Tile(surface, (corner[0], corner[1]))]


def _moved(tile: Tile, offsets: Sequence[Array]) -> Tile:
    if not offsets:
        return tile
    x, y = tile.corner
    down = offsets[-2] if len(offsets) > 1 else uniform(0)
    return Tile(tile.surface, (x + down, y + offsets[-1]))


def _update_nd_offset(frame: Frame, op: Operation) -> Values:
    descriptor, *dynamic = op.operands
    return [_moved(frame.tile(descriptor), _offsets(frame, op, dynamic))]


def _offsets(frame: Frame, op: Operation, dynamic: Sequence[SSAValue]) -> list[Array]:
    return mixed(frame, integers(op, "const_offsets"), dynamic)


def _access(
    frame: Frame, op: Operation, descriptor: SSAValue, dynamic: Sequence[SSAValue]
) -> tuple[Tile, tuple[int, int], int, Element]:
    """Return the tile of a message, rows and columns of a block, number of blocks, element."""
    type = _descriptor_type(descriptor)
    of = element_of(type.element_type, op)
    tile = _moved(frame.tile(descriptor), _offsets(frame, op, dynamic))
    if len(type.get_shape()) == 1:
        return tile, (1, type.get_shape()[0]), 1, of
    surface = tile.surface
    check_block_access(
        op,
        base=surface.base,
        width=surface.sizes[1] * of.size,
        height=surface.sizes[0],
        pitch=surface.strides[0] * of.size,
        column=tile.corner[1] * of.size,
        places=tile.corner,
    )
    if (surface.strides[1] != 1).any():
        fail(
            op, f"the matrix has stride {int(surface.strides[1].max())} along rows; expected 1"
        )
    return tile, (type.get_shape()[0], type.get_shape()[1]), type.array_length, of


def _load_nd(frame: Frame, op: Operation) -> Values:
    descriptor, *dynamic = op.operands
    tile, (rows, columns), blocks, of = _access(frame, op, descriptor, dynamic)
    values = frame.read_tile(op, tile, (rows, columns * blocks), of, 0)
    values = values.reshape(-1, rows, blocks, columns).transpose(0, 2, 1, 3)
    if attribute(op, "packed") is not None and of.size * 8 < WORD_BITS:
        packed = WORD_BITS // (of.size * 8)
        values = values.reshape(-1, blocks, rows // packed, packed, columns)
        values = values.transpose(0, 1, 2, 4, 3)
    if integers(op, "transpose") == [1, 0]:
        values = values.swapaxes(2, 3)
    if len(_descriptor_type(descriptor).get_shape()) == 1:
        return [values.reshape(-1, columns)]
    return [values if blocks > 1 else values[:, 0]]


def _store_nd(frame: Frame, op: Operation) -> Values:
    value, descriptor, *dynamic = op.operands
    tile, shape, _, of = _access(frame, op, descriptor, dynamic)
    values = frame.array(value).reshape(-1, *shape)
    frame.write_tile(op, tile, shape, of, values)
    return []


def _prefetch_nd(frame: Frame, op: Operation) -> Values:
    descriptor, *dynamic = op.operands
    _access(frame, op, descriptor, dynamic)
    return []


def _dpas(frame: Frame, op: Operation) -> Values:
    a, b, *accumulator = frame.arrays(op.operands)
    if a.ndim != 3:
        fail(
            op,
            f"cannot execute 'xegpu.dpas' on {op.operands[0].type}; expected rows and columns",
        )
    if b.ndim == 4:
        threads, outer, columns, packed = b.shape
        b = b.transpose(0, 1, 3, 2).reshape(threads, outer * packed, columns)
    types = operand_types(op)
    if types is not None:
        a, b = (
            frame.domain.reinterpreted(op, values, element(operand), element_of(type, op))
            for operand, values, type in zip(op.operands, (a, b), types, strict=False)
        )
    c = accumulator[0] if accumulator else None
    return [frame.domain.product(a, b, c, element(op.results[0]))]


def check_block_access(
    op: Operation,
    *,
    base: Array,
    width: Array,
    height: Array,
    pitch: Array,
    column: Array,
    places: Sequence[Array] = (),
) -> None:
    """Raise for a 2D block access that the hardware does not support; height in rows, all others in bytes.

    `places` are rows and columns that become operands of the message in later lowerings.
    """
    for place in (int(end) for found in places for end in (found.min(), found.max())):
        wrong = SURFACE.place_problem(place)
        if wrong is not None:
            fail(op, wrong)
    parts = (part.tolist() for part in np.broadcast_arrays(base, width, height, pitch))
    for at, across, down, step in set(zip(*parts, strict=True)):
        aligned = at % SURFACE.base_alignment
        problem = SURFACE.problem(base=aligned, width=across, height=down, pitch=step)
        if problem is not None:
            fail(op, problem)
    wrong = np.flatnonzero(column % SURFACE.column_multiple)
    if len(wrong):
        problem = SURFACE.problem(column=int(column[wrong[0]]))
        if problem is not None:
            fail(op, problem)


def _scattered(frame: Frame, op: Operation, base: SSAValue, offsets: Array) -> ScatteredTile:
    found = frame.get(base)
    if isinstance(found, ScatteredTile):
        return found
    if not isinstance(found, MemRef):
        return ScatteredTile(number(frame, base), uniform(UNBOUNDED), offsets)
    start = found.base + found.offset * element_of(base.type, op).size
    return ScatteredTile(start, uniform(UNBOUNDED), offsets)


def _create_tdesc(frame: Frame, op: Operation) -> Values:
    base, offsets = op.operands
    return [_scattered(frame, op, base, number(frame, offsets))]


def _update_offset(frame: Frame, op: Operation) -> Values:
    descriptor, offsets = op.operands
    found = frame.scattered_tile(descriptor)
    return [found._replace(indices=found.indices + number(frame, offsets))]


def _places(
    frame: Frame, op: Operation, place: Sequence[SSAValue], mask: SSAValue, value: SSAValue
) -> tuple[Array, Array]:
    """Return the addresses of the elements of `value`, and which are accessed: [threads or 1, *shape]."""
    base, *offsets = place
    chunk = integer(op, "chunk_size", 1)
    if isinstance(base.type, TensorDescType):
        chunk = base.type.chunk_size
    starts = number(frame, offsets[0]) if offsets else uniform(0)
    found = _scattered(frame, op, base, starts)
    size = element_of(value.type, op).size
    rank, shape = found.indices.ndim - 1, shape_of(value)
    elements = found.indices[..., None] + np.arange(chunk)
    addresses = found.base.reshape(-1, *[1] * (rank + 1)) + elements * size
    wanted = np.broadcast_to(frame.array(mask)[..., None], (*frame.array(mask).shape, chunk))
    parts = [part.reshape(len(part), *shape) for part in (addresses, wanted)]
    return parts[0], parts[1]


def _load(frame: Frame, op: Operation) -> Values:
    """Load elements; those masked off are zero."""
    *place, mask = op.operands
    (result,) = op.results
    addresses, wanted = _places(frame, op, place, mask, result)
    return [frame.read(op, addresses, element(result), wanted)]


def _store(frame: Frame, op: Operation) -> Values:
    value, *place, mask = op.operands
    addresses, wanted = _places(frame, op, place, mask, value)
    frame.write(op, addresses, element(value), frame.array(value), wanted)
    return []


def _atomic_rmw(frame: Frame, op: Operation) -> Values:
    """Update elements and return the old ones; those masked off are zero."""
    descriptor, mask, value = op.operands
    addresses, wanted = _places(frame, op, [descriptor], mask, value)
    values, said = frame.array(value), element_type_said(op)
    of = element(value) if said is None else element_of(said, op)
    values = values if said is None else np.ascontiguousarray(values).view(of.dtype)
    old = update_elements(frame, op, addresses, of, values, wanted)
    return [old if said is None else old.view(element(value).dtype)]


def _create_mem_desc(frame: Frame, op: Operation) -> Values:
    (source,) = op.operands
    found = frame.memref(source)
    start = found.base + found.offset * element_of(source.type, op).size
    return [MemRef(start, uniform(0), (), ())]


def _matrix_addresses(
    frame: Frame, op: Operation, matrix: SSAValue, offsets: Sequence[SSAValue], value: SSAValue
) -> Array:
    """Return the addresses of a tile of a matrix in shared memory: [threads or 1, *shape]."""
    type, shape = matrix.type, shape_of(value)
    assert isinstance(type, MemDescType)
    if len(shape) == 1:
        fail(
            op,
            f"cannot execute '{op.name}' on one lane's {value.type}; expected rows and columns",
        )
    corner = mixed(frame, integers(op, "const_offsets"), offsets)
    places: Array = np.zeros([1] * (len(shape) + 1), np.int64)
    block, (inner, outer) = type.block_shape, type.steps
    for dimension, start in enumerate(corner):
        extent = shape[dimension] if shape else 1
        if ((start < 0) | (start + extent > type.shape[dimension])).any():
            fail(
                op,
                f"the tile covers indices {int(start.min())} to {int(start.max()) + extent - 1} of "
                f"dimension {dimension} of {type}",
            )
        ones = [1] * len(shape)
        within = np.arange(extent).reshape(
            [*ones[:dimension], -1, *ones[dimension + 1 :]] if shape else []
        )
        at = start.reshape(-1, *ones) + within
        across, inside = at // block[dimension], at % block[dimension]
        places = places + across * outer[dimension] + inside * inner[dimension]
    base = frame.memref(matrix).base.reshape(-1, *[1] * len(shape))
    return base + places * element_of(value.type, op).size


def _load_matrix(frame: Frame, op: Operation) -> Values:
    matrix, *offsets = op.operands
    (result,) = op.results
    addresses = _matrix_addresses(frame, op, matrix, offsets, result)
    return [frame.read(op, addresses, element(result))]


def _store_matrix(frame: Frame, op: Operation) -> Values:
    value, matrix, *offsets = op.operands
    addresses, values = (
        _matrix_addresses(frame, op, matrix, offsets, value),
        frame.array(value),
    )
    frame.write(op, addresses, element(value), values)
    return []


def _init_nbarrier(frame: Frame, op: Operation) -> Values:
    count = number(frame, op.operands[1])
    if (count != frame.threads.subgroups).any():
        fail(
            op,
            f"cannot execute a named barrier of {int(count[count != frame.threads.subgroups][0])} of the "
            f"{frame.threads.subgroups} subgroups of a workgroup; expected all of them",
        )
    return [count]


HANDLERS: Handlers = {
    "xegpu.create_nd_tdesc": _create_nd_tdesc,
    "xegpu.update_nd_offset": _update_nd_offset,
    "xegpu.load_nd": _load_nd,
    "xegpu.store_nd": _store_nd,
    "xegpu.prefetch_nd": _prefetch_nd,
    "xegpu.dpas": _dpas,
    "xegpu.convert_layout": unchanged,
    "xegpu.compile_hint": nothing,
    "xegpu.fence": nothing,
    "xegpu.create_tdesc": _create_tdesc,
    "xegpu.update_offset": _update_offset,
    "xegpu.load": _load,
    "xegpu.store": _store,
    "xegpu.prefetch": nothing,
    "xegpu.atomic_rmw": _atomic_rmw,
    "xegpu.create_mem_desc": _create_mem_desc,
    "xegpu.load_matrix": _load_matrix,
    "xegpu.store_matrix": _store_matrix,
    "xegpu.alloc_nbarrier": nothing,
    "xegpu.init_nbarrier": _init_nbarrier,
    "xegpu.nbarrier_arrive": nothing,
    "xegpu.nbarrier_wait": barrier,
}
