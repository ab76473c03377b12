"""Accesses to elements of memrefs, and atomic changes of elements."""

from collections.abc import Sequence
from typing import NoReturn

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from xetile.errors import fail
from xetile.interpreter.common.folds import combine, kind_of
from xetile.interpreter.machine.allocation import memref_type
from xetile.interpreter.machine.elements import Element, element_of
from xetile.interpreter.machine.execution import Frame
from xetile.interpreter.machine.observer import Access
from xetile.interpreter.machine.reading import all_numbers, element, shape_of
from xetile.interpreter.machine.runtime_values import Array, Values, swizzled_offset


def element_addresses(
    frame: Frame, op: Operation, memref: SSAValue, indices: Sequence[Array]
) -> Array:
    """Return the addresses of elements in bytes; raise if an index is outside of the memref.

    The indices are [threads or 1] or [threads or 1, *shape]; so is the result.
    """
    found = frame.memref(memref)
    position: Array = found.offset
    for dimension, index in enumerate(indices):
        extent, stride = found.sizes[dimension], found.strides[dimension]
        ones = [1] * (index.ndim - 1)
        check_index(op, dimension, index, extent.reshape(-1, *ones))
        if found.swizzle:
            continue
        position = _aligned(position, index.ndim) + index * stride.reshape(-1, *ones)
    if found.swizzle:
        position = swizzled_offset(found.swizzle, indices)
    size = element_of(memref_type(memref), op).size
    return _aligned(found.base, position.ndim) + position * size


def check_index(op: Operation, dimension: int, index: Array, extent: Array) -> None:
    """Raise if an index is outside of its dimension; the shapes broadcast."""
    outside = (index < 0) | (index >= extent)
    if outside.any():
        shown = np.broadcast_to(index, outside.shape)[outside][0]
        refuse_outside(op, int(shown), dimension, int(extent.max()))


def first_outside(values: Array, least: int, limit: int) -> int | None:
    """Return the first of some numbers that is not in [least, limit), or None."""
    outside = (values < least) | (values >= limit)
    return int(values[outside][0]) if outside.any() else None


def refuse_outside(op: Operation, index: int, dimension: int, extent: int) -> NoReturn:
    """Raise for an index outside of its dimension."""
    fail(op, f"index {index} is outside of dimension {dimension} of extent {extent}")


def _aligned(values: Array, rank: int) -> Array:
    return values.reshape(*values.shape, *[1] * (rank - values.ndim))


def load_elements(
    frame: Frame, op: Operation, memref: SSAValue, starts: Sequence[Array]
) -> Values:
    """Load the element at indices; for a vector the row of elements that begins there."""
    (result,) = op.results
    indices = row_indices(starts, shape_of(result))
    return [frame.read(op, element_addresses(frame, op, memref, indices), element(result))]


def store_elements(
    frame: Frame, op: Operation, value: SSAValue, memref: SSAValue, starts: Sequence[Array]
) -> Values:
    """Store an element at indices, or a row of them."""
    indices = row_indices(starts, shape_of(value))
    addresses = element_addresses(frame, op, memref, indices)
    frame.write(op, addresses, element(value), frame.array(value))
    return []


def load(frame: Frame, op: Operation) -> Values:
    """Execute a load; its operands are the memref and the indices."""
    memref, *indices = op.operands
    return load_elements(frame, op, memref, all_numbers(frame, indices))


def store(frame: Frame, op: Operation) -> Values:
    """Execute a store; its operands are the value, the memref and the indices."""
    value, memref, *indices = op.operands
    return store_elements(frame, op, value, memref, all_numbers(frame, indices))


def row_indices(starts: Sequence[Array], shape: Sequence[int]) -> list[Array]:
    """Return the indices of a block of elements that begins at `starts`: [threads or 1, *shape] per dimension."""
    if not shape:
        return list(starts)
    leading = len(starts) - len(shape)
    within = [*[np.zeros(shape, np.int64)] * leading, *np.indices(shape)]
    ones = [1] * len(shape)
    return [
        start.reshape(-1, *ones) + step for start, step in zip(starts, within, strict=True)
    ]


def _masked_addresses(
    frame: Frame, op: Operation, indices: Sequence[Array], mask: Array
) -> tuple[Array, Array]:
    """Return the addresses of the elements that a mask selects, and the mask; others are not checked."""
    shape = np.broadcast_shapes(mask.shape, *(index.shape for index in indices))
    mask = np.broadcast_to(mask, shape)
    # Index 0 replaces indices that are masked off; only an empty memref rejects it.
    safe = [np.where(mask, index, 0) for index in indices]
    base = next(value for value in op.operands if isinstance(value.type, MemRefType))
    if not mask.any():
        return np.zeros(shape, np.int64), mask
    return element_addresses(frame, op, base, safe), mask


def masked_read(
    frame: Frame, op: Operation, indices: Sequence[Array], mask: Array, otherwise: Array
) -> Array:
    """Read elements of the op's memref at indices where a mask is on; return `otherwise` where it is off."""
    addresses, mask = _masked_addresses(frame, op, indices, mask)
    return frame.read(op, addresses, element(op.results[0]), mask, otherwise)


def masked_write(
    frame: Frame,
    op: Operation,
    indices: Sequence[Array],
    mask: Array,
    values: Array,
    of: Element,
) -> None:
    """Store values to the op's memref at indices where a mask is on."""
    addresses, mask = _masked_addresses(frame, op, indices, mask)
    frame.write(op, addresses, of, values, mask)


def update_elements(
    frame: Frame,
    op: Operation,
    addresses: Array,
    of: Element,
    values: Array,
    where: Array | bool = True,
    kind: str | None = None,
) -> Array:
    """Combine elements with values by the kind of an atomic op; return the old ones, 0 for those not chosen.

    `kind` is in the spelling of `vector.kind`, by default the op's own.
    """
    shape = (frame.count, *addresses.shape[1:])
    addresses, values = np.broadcast_to(addresses, shape), np.broadcast_to(values, shape)
    wanted = np.broadcast_to(where, shape)
    access = Access(op, frame.active, addresses, of, wanted)
    frame.machine.observer.write(access, None)
    old = np.zeros(shape, frame.domain.dtype(of))
    kind = kind_of(op) if kind is None else kind
    old[wanted] = _in_turns(frame, op, addresses[wanted], of, values[wanted], kind)
    return old


def _in_turns(
    frame: Frame, op: Operation, addresses: Array, of: Element, values: Array, kind: str
) -> Array:
    old = np.empty(addresses.shape, frame.domain.dtype(of))
    for turn in turns(addresses):
        before = frame.memory.read(op, addresses[turn], of)
        after = combine(op, kind, before, values[turn], of, frame.domain)
        frame.memory.write(op, addresses[turn], of, after)
        old[turn] = before
    return old


def turns(addresses: Array) -> list[Array]:
    """Return positions in turns: the n-th turn has each address's n-th occurrence, so no address twice."""
    if addresses.size == 0:
        return []
    order = np.argsort(addresses, kind="stable")
    ordered = addresses[order]
    starts = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    positions = np.arange(len(order))
    occurrence = positions - np.maximum.accumulate(np.where(starts, positions, 0))
    by_turn = np.argsort(occurrence, kind="stable")
    bounds = np.flatnonzero(np.diff(occurrence[by_turn])) + 1
    return np.split(order[by_turn], bounds)
