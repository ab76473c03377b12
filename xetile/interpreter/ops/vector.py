"""The vector dialect."""

from collections.abc import Sequence
from functools import reduce

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation

from xetile.errors import fail
from xetile.interpreter.common.accesses import (
    load,
    masked_read,
    masked_write,
    row_indices,
    store,
)
from xetile.interpreter.common.folds import combine, fold, kind_of
from xetile.interpreter.common.scalars import fused, reinterpret, transposed
from xetile.interpreter.machine.frame import Frame, Handlers
from xetile.interpreter.machine.reading import all_numbers, element, integers, number, shape_of
from xetile.interpreter.machine.values import Array, Values, alike


def _broadcast(frame: Frame, op: Operation) -> Values:
    values, shape = frame.first(op), shape_of(op.results[0])
    ones = [1] * (len(shape) + 1 - values.ndim)
    spread = values.reshape(len(values), *ones, *values.shape[1:])
    return [np.broadcast_to(spread, (len(values), *shape))]


def _position(frame: Frame, op: Operation, dynamic: Sequence[Array]) -> list[int | Array]:
    """A position, one number or one per thread for each dimension, the last ones left out."""
    rest = iter(dynamic)
    indices: list[int | Array] = []
    for constant in integers(op, "static_position"):
        if constant != DYNAMIC_INDEX:
            if constant < 0:
                fail(op, f"position {constant}; expected one that is not negative")
            indices.append(constant)
            continue
        found = next(rest)
        indices.append(int(found[0]) if len(found) == 1 else found)
    return indices


def _check_position(
    op: Operation, position: Sequence[int | Array], shape: Sequence[int]
) -> None:
    for index, extent in zip(position, shape, strict=False):
        if np.min(index) < 0 or np.max(index) >= extent:
            fail(op, f"position {int(np.max(index))} of a dimension of extent {extent}")


def _extract(frame: Frame, op: Operation) -> Values:
    source, *dynamic = frame.arrays(op.operands)
    position = _position(frame, op, dynamic)
    _check_position(op, position, source.shape[1:])
    if all(isinstance(index, int) for index in position):
        return [source[(slice(None), *position)]]
    threads = np.arange(frame.count) if len(source) > 1 else np.zeros(frame.count, np.intp)
    return [source[(threads, *position)]]


def _insert(frame: Frame, op: Operation) -> Values:
    value, target, *dynamic = frame.arrays(op.operands)
    value, target = alike([value, target])
    position = _position(frame, op, dynamic)
    _check_position(op, position, target.shape[1:])
    static = all(isinstance(index, int) for index in position)
    count = max(len(value), len(target), *(len(index) for index in dynamic), 1)
    result = np.empty((count, *target.shape[1:]), target.dtype)
    result[...] = target
    threads = slice(None) if static else np.arange(count)
    result[(threads, *position)] = value
    return [result]


def _slices(
    offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> list[slice]:
    return [
        slice(offset, offset + (size - 1) * stride + 1, stride)
        for offset, size, stride in zip(offsets, sizes, strides, strict=True)
    ]


def _extract_strided_slice(frame: Frame, op: Operation) -> Values:
    offsets, sizes, strides = (integers(op, name) for name in ("offsets", "sizes", "strides"))
    values = frame.first(op)
    return [values[(slice(None), *_slices(offsets, sizes, strides))]]


def _insert_strided_slice(frame: Frame, op: Operation) -> Values:
    value, target = alike(frame.arrays(op.operands))
    offsets, strides = integers(op, "offsets"), integers(op, "strides")
    rank = value.ndim - 1
    leading, trailing = offsets[:-rank], offsets[-rank:]
    result = np.empty((max(len(value), len(target)), *target.shape[1:]), target.dtype)
    result[...] = target
    result[(slice(None), *leading, *_slices(trailing, value.shape[1:], strides))] = value
    return [result]


def _shuffle(frame: Frame, op: Operation) -> Values:
    left, right = op.operands
    mask = integers(op, "mask")
    extent = (*shape_of(left), 1)[0]
    first = frame.array(left)
    if max(mask) < extent and min(mask) >= 0 and first.ndim > 1:
        return [first[:, _selection(frame, op, mask)]]
    first, second = alike([first, frame.array(right)])
    if first.ndim == 1:
        first, second = first[:, None], second[:, None]
    count = max(len(first), len(second))
    both = np.concatenate(
        [np.broadcast_to(part, (count, *part.shape[1:])) for part in (first, second)], axis=1
    )
    return [both[:, [max(index, 0) for index in mask]]]


def _selection(frame: Frame, op: Operation, mask: Sequence[int]) -> Array | slice:
    """Indices, as a slice where they are consecutive: that copies nothing."""

    def make() -> Array | slice:
        start = mask[0]
        if list(mask) == list(range(start, start + len(mask))):
            return slice(start, start + len(mask))
        return np.array(mask)

    return frame.machine.keep(op, make)


def _shape_cast(frame: Frame, op: Operation) -> Values:
    values = frame.first(op)
    return [values.reshape(len(values), *shape_of(op.results[0]))]


def _from_elements(frame: Frame, op: Operation) -> Values:
    elements = np.broadcast_arrays(*alike(frame.arrays(op.operands)))
    shape = shape_of(op.results[0])
    return [np.stack(elements, axis=-1).reshape(len(elements[0]), *shape)]


def _to_elements(frame: Frame, op: Operation) -> Values:
    values = frame.first(op)
    flat = values.reshape(len(values), -1)
    return [flat[:, position] for position in range(flat.shape[1])]


def _reduction(frame: Frame, op: Operation) -> Values:
    return reduced(frame, op, frame.first(op))


def reduced(frame: Frame, op: Operation, values: Array) -> Values:
    """A reduction of what stands in for its operand, of which an accumulator is the last step."""
    along = integers(op, "reduction_dims") if op.name == "vector.multi_reduction" else [0]
    of, kind = element(op.results[0]), kind_of(op)
    result = fold(op, kind, values, [[d] for d in along], of, frame.domain)
    accumulator = frame.arrays(op.operands[1:])
    if not accumulator:
        return [result]
    return [combine(op, kind, result, accumulator[0], of, frame.domain)]


def _step(frame: Frame, op: Operation) -> Values:
    return [np.arange(shape_of(op.results[0])[0])[None]]


def _mask_of(bounds: Sequence[Array], shape: Sequence[int]) -> Array:
    ones = [1] * len(shape)
    inside = [
        n < bound.reshape(-1, *ones)
        for n, bound in zip(np.indices(shape), bounds, strict=True)
    ]
    return reduce(np.logical_and, inside, np.ones((1, *shape), np.bool))


def _constant_mask(frame: Frame, op: Operation) -> Values:
    bounds = [np.array([bound]) for bound in integers(op, "mask_dim_sizes")]
    return [_mask_of(bounds, shape_of(op.results[0]))]


def _create_mask(frame: Frame, op: Operation) -> Values:
    return [_mask_of(all_numbers(frame, op.operands), shape_of(op.results[0]))]


def _masked_load(frame: Frame, op: Operation) -> Values:
    _, *indices, mask, otherwise = op.operands
    at = row_indices(all_numbers(frame, indices), shape_of(op.results[0]))
    return [masked_read(frame, op, at, frame.array(mask), frame.array(otherwise))]


def _masked_store(frame: Frame, op: Operation) -> Values:
    _, *indices, mask, value = op.operands
    at = row_indices(all_numbers(frame, indices), shape_of(value))
    masked_write(frame, op, at, frame.array(mask), frame.array(value), element(value))
    return []


def _gather_indices(frame: Frame, op: Operation) -> list[Array]:
    _, *offsets, vector, _, _ = op.operands
    along = number(frame, vector)
    ones = [1] * (along.ndim - 1)
    starts = [number(frame, offset).reshape(-1, *ones) for offset in offsets]
    return [*starts[:-1], starts[-1] + along]


def _gather(frame: Frame, op: Operation) -> Values:
    return gathered(frame, op, frame.array(op.operands[-2]))


def gathered(frame: Frame, op: Operation, mask: Array) -> Values:
    """A gather with another mask than its own."""
    otherwise = frame.array(op.operands[-1])
    return [masked_read(frame, op, _gather_indices(frame, op), mask, otherwise)]


def _scatter(frame: Frame, op: Operation) -> Values:
    mask, value = frame.arrays(op.operands[-2:])
    of = element(op.operands[-1])
    masked_write(frame, op, _gather_indices(frame, op), mask, value, of)
    return []


HANDLERS: Handlers = {
    "vector.broadcast": _broadcast,
    "vector.fma": fused,
    "vector.extract": _extract,
    "vector.insert": _insert,
    "vector.extract_strided_slice": _extract_strided_slice,
    "vector.insert_strided_slice": _insert_strided_slice,
    "vector.shuffle": _shuffle,
    "vector.bitcast": reinterpret,
    "vector.shape_cast": _shape_cast,
    "vector.transpose": transposed,
    "vector.from_elements": _from_elements,
    "vector.to_elements": _to_elements,
    "vector.reduction": _reduction,
    "vector.multi_reduction": _reduction,
    "vector.step": _step,
    "vector.constant_mask": _constant_mask,
    "vector.create_mask": _create_mask,
    "vector.load": load,
    "vector.store": store,
    "vector.maskedload": _masked_load,
    "vector.maskedstore": _masked_store,
    "vector.gather": _gather,
    "vector.scatter": _scatter,
}
