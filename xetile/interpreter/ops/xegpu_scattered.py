"""XeGPU's accesses to scattered elements, to matrices in shared memory, and its named barriers."""

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from xetile.dialects.operand_types import element_type_said
from xetile.dialects.xegpu import MemDescType, TensorDescType
from xetile.errors import fail
from xetile.interpreter.common.accesses import update_elements
from xetile.interpreter.common.scalars import nothing
from xetile.interpreter.common.threads import barrier
from xetile.interpreter.machine.elements import element_of
from xetile.interpreter.machine.frame import Frame, Handlers
from xetile.interpreter.machine.reading import (
    element,
    integer,
    integers,
    mixed,
    number,
    shape_of,
)
from xetile.interpreter.machine.values import (
    UNBOUNDED,
    Array,
    MemRef,
    ScatteredTile,
    Values,
    uniform,
)


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
    """Addresses of the elements of `value`, and which are accessed: [threads or 1, *shape]."""
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
    """What is masked off is zero."""
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
    """What is masked off is zero."""
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
    """Addresses of a tile of a matrix in shared memory: [threads or 1, *shape]."""
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
