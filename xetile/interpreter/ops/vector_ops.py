"""The vector dialect.

vector.transfer_read and vector.transfer_write: rows and columns of a memref in any order, cut at its edges.

vector.contract and vector.outerproduct: products of vectors, summed in the order of a matrix product.

vector.mask: the op inside applies to elements whose mask is true; the others are not accessed or combined.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import prod
from typing import cast

import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    IntegerAttr,
    MemRefType,
)
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from xetile.dialects.atomic_kinds import identity
from xetile.dialects.fast_math import fast_math
from xetile.dialects.upstream.vector import ContractionOp, MaskOp
from xetile.errors import fail
from xetile.interpreter.common.accesses import (
    first_outside,
    load,
    masked_read,
    masked_write,
    row_indices,
    store,
)
from xetile.interpreter.common.folds import combine, fold, kind_of
from xetile.interpreter.common.scalars import fused, reinterpret, transposed
from xetile.interpreter.machine.execution import Frame, Handlers
from xetile.interpreter.machine.reading import (
    all_numbers,
    attribute,
    element,
    integers,
    number,
    segments,
    shape_of,
)
from xetile.interpreter.machine.runtime_values import Array, Values, alike


def _broadcast(frame: Frame, op: Operation) -> Values:
    values, shape = frame.first(op), shape_of(op.results[0])
    ones = [1] * (len(shape) + 1 - values.ndim)
    spread = values.reshape(len(values), *ones, *values.shape[1:])
    return [np.broadcast_to(spread, (len(values), *shape))]


def _position(frame: Frame, op: Operation, dynamic: Sequence[Array]) -> list[int | Array]:
    """Return a position, a number or an array over threads for each dimension; trailing dimensions may be absent."""
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
        if (wrong := first_outside(np.asarray(index), 0, extent)) is not None:
            fail(op, f"position {wrong} of a dimension of extent {extent}")


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
    """Return indices, as a slice if they are consecutive, which copies nothing."""

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
    """Reduce `values` in place of the op's operand; an accumulator is combined in the last step."""
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
    """Execute a gather with `mask` in place of its own."""
    otherwise = frame.array(op.operands[-1])
    return [masked_read(frame, op, _gather_indices(frame, op), mask, otherwise)]


def _scatter(frame: Frame, op: Operation) -> Values:
    mask, value = frame.arrays(op.operands[-2:])
    of = element(op.operands[-1])
    masked_write(frame, op, _gather_indices(frame, op), mask, value, of)
    return []


def _sources(op: Operation) -> list[int | None]:
    """Return the memref's dimension for each dimension of the vector, or None for a broadcast one."""
    map = attribute(op, "permutation_map")
    assert isinstance(map, AffineMapAttr)
    found: list[int | None] = []
    for result in map.data.results:
        if isinstance(result, AffineDimExpr):
            found.append(result.position)
        elif isinstance(result, AffineConstantExpr) and result.value == 0:
            found.append(None)
        else:
            fail(op, f"'permutation_map' has {result}; expected dimensions and zeros")
    return found


def _along(values: Array, dimension: int, rank: int) -> Array:
    """Return [extent] as [1, ..., extent, ..., 1], with the leading axis of threads."""
    ones = [1] * (rank + 1)
    ones[dimension + 1] = -1
    return values.reshape(ones)


def _places(
    frame: Frame,
    op: Operation,
    memref: SSAValue,
    starts: Sequence[SSAValue],
    mask: Array,
    shape: Sequence[int],
) -> tuple[list[Array], Array]:
    """Return the indices of the elements for each dimension of the memref, and which elements are accessed."""
    if not isinstance(memref.type, MemRefType):
        fail(op, f"cannot execute '{op.name}' on {memref.type}; expected a memref")
    rank, sources = len(shape), _sources(op)
    sizes = frame.memref(memref).sizes
    indices = [number(frame, start).reshape(-1, *[1] * rank) for start in starts]
    wanted = _ordered(mask, sources)
    for dimension, source in enumerate(sources):
        if source is None:
            continue
        at = indices[source] + _along(np.arange(shape[dimension]), dimension, rank)
        inside = (at >= 0) & (at < sizes[source].reshape(-1, *[1] * rank))
        if _is_in_bounds(op, dimension) and (wanted & ~inside).any():
            shown = np.broadcast_to(at, (wanted & ~inside).shape)[wanted & ~inside]
            fail(
                op,
                f"index {int(shown[0])} is outside of dimension {source} of extent "
                f"{int(sizes[source].max())}, and 'in_bounds' says that it is inside",
            )
        indices[source], wanted = at, wanted & inside
    return indices, np.broadcast_to(wanted, (len(wanted), *shape))


def _ordered(mask: Array, sources: Sequence[int | None]) -> Array:
    """Reorder a mask from the memref's order of dimensions to the vector's."""
    order = sorted(source for source in sources if source is not None)
    found = mask.transpose(
        0, *(1 + order.index(source) for source in sources if source is not None)
    )
    repeated = [dimension + 1 for dimension, source in enumerate(sources) if source is None]
    return np.expand_dims(found, repeated)


def spread(op: Operation, mask: Array) -> Array:
    """Return a mask of a transfer in the vector's order: [threads, *extents], 1 for broadcast dimensions."""
    return _ordered(mask, _sources(op))


def _is_in_bounds(op: Operation, dimension: int) -> bool:
    found = attribute(op, "in_bounds")
    if not isinstance(found, ArrayAttr):
        return False
    return bool(cast("ArrayAttr[IntegerAttr]", found).data[dimension].value.data)


def read(frame: Frame, op: Operation, within: Array) -> Values:
    """Read the elements for which `within`, which has the form of the op's own mask, is true as well."""
    (memref,), starts, (padding,), mask = segments(op)
    shape = shape_of(op.results[0])
    indices, wanted = _places(frame, op, memref, starts, _both(frame, mask, within), shape)
    otherwise = frame.array(padding).reshape(-1, *[1] * len(shape))
    return [masked_read(frame, op, indices, wanted, otherwise)]


def write(frame: Frame, op: Operation, within: Array) -> Values:
    """Write elements, masked as in `read`."""
    (value,), (memref,), starts, mask = segments(op)
    both = _both(frame, mask, within)
    indices, wanted = _places(frame, op, memref, starts, both, shape_of(value))
    masked_write(frame, op, indices, wanted, frame.array(value), element(value))
    return []


def _both(frame: Frame, mask: Sequence[SSAValue], within: Array) -> Array:
    return frame.array(mask[0]) & within if mask else within


def _everything(op: Operation) -> Array:
    """Return a mask that is true for every element, in the form of the op's own mask."""
    return np.ones([1] * (1 + sum(source is not None for source in _sources(op))), np.bool)


def _read(frame: Frame, op: Operation) -> Values:
    return read(frame, op, _everything(op))


def _write(frame: Frame, op: Operation) -> Values:
    return write(frame, op, _everything(op))


def positions(map: AffineMap) -> list[int]:
    """Return the dimension of the iteration space for each dimension of a vector."""
    return [cast("AffineDimExpr", result).position for result in map.results]


def _grouped(values: Array, along: Sequence[int], groups: Sequence[Sequence[int]]) -> Array:
    """Return [threads, ...] as [threads, one axis per group]; the axis merges the group's dimensions in order."""
    order = [along.index(dimension) for group in groups for dimension in group]
    moved = values.transpose(0, *(place + 1 for place in order))
    extents = [
        prod(values.shape[along.index(dimension) + 1] for dimension in group)
        for group in groups
    ]
    return moved.reshape(len(values), *extents)


def _contract(frame: Frame, op: Operation) -> Values:
    assert isinstance(op, ContractionOp)
    return contracted(frame, op, *frame.arrays(op.operands))


def contracted(frame: Frame, op: ContractionOp, lhs: Array, rhs: Array, acc: Array) -> Values:
    """Contract the given operands in place of the op's own."""
    if kind_of(op) != "add":
        fail(op, f"cannot execute kind '{kind_of(op)}' of a contraction; expected add")
    in_a, in_b, in_c = map(positions, op.maps)
    if not all((d in in_a) + (d in in_b) + (d in in_c) >= 2 for d in range(len(op.iterators))):
        fail(op, "cannot execute a contraction of which a dimension is in one vector only")
    batch = [d for d in in_c if d in in_a and d in in_b]
    rows = [d for d in in_c if d in in_a and d not in batch]
    columns = [d for d in in_c if d in in_b and d not in batch]
    summed = [d for d in in_a if d in in_b and d not in batch]
    a = _grouped(lhs, in_a, [batch, rows, summed])
    b = _grouped(rhs, in_b, [batch, summed, columns])
    c = _grouped(acc, in_c, [batch, rows, columns])
    products = [
        frame.domain.product(a[:, n], b[:, n], c[:, n], element(op.results[0]))
        for n in range(c.shape[1])
    ]
    ordered = [*batch, *rows, *columns]
    shape = acc.shape[1:]
    found = np.stack(products, axis=1)
    found = found.reshape(len(found), *(shape[in_c.index(d)] for d in ordered))
    return [found.transpose(0, *(ordered.index(d) + 1 for d in in_c))]


def outer_product(frame: Frame, op: Operation) -> Values:
    """Multiply a column by a row or a number, and combine the product with the accumulator."""
    lhs, rhs, *acc = frame.arrays(op.operands)
    of = element(op.results[0])
    shape = shape_of(op.results[0])
    column = lhs.reshape(len(lhs), lhs.shape[1], 1)
    row = rhs.reshape(len(rhs), 1, -1)
    product = combine(op, "mul", column, row, of, frame.domain)
    product = product.reshape(len(product), *shape)
    return [combine(op, kind_of(op), product, acc[0], of, frame.domain) if acc else product]


Masked = Callable[[Frame, Operation, Array], Values]


def _mask(frame: Frame, op: Operation) -> Values:
    assert isinstance(op, MaskOp)
    inside = op.masked
    if inside is None:
        last = op.body.block.last_op
        return [frame.get(value) for value in last.operands] if last is not None else []
    mask = frame.array(op.mask)
    values = _INSIDE[inside.name](frame, inside, mask)
    if op.passthru is None:
        return values
    chosen = spread(inside, mask)
    otherwise = frame.array(op.passthru)
    return [np.where(chosen, cast(Array, value), otherwise) for value in values]


def _masked_reduction(frame: Frame, op: Operation, mask: Array) -> Values:
    """Reduce with the neutral element in place of elements that are masked off."""
    of = element(op.operands[0])
    nothing = identity(kind_of(op), of.name, None if of.is_float else of.bits, fast_math(op))
    neutral = frame.domain.numbers([nothing], of)
    values = np.where(mask, frame.array(op.operands[0]), neutral)
    return reduced(frame, op, values)


def _masked_contract(frame: Frame, op: Operation, mask: Array) -> Values:
    """Contract under a mask that is a box of the iteration space; outside of it the result is the accumulator.

    Errors: XetileError at the op for other masks.
    """
    assert isinstance(op, ContractionOp)
    rank = mask.ndim - 1
    sides = [_side(mask, d) for d in range(rank)]
    if (_box(sides, range(rank)) != mask).any():
        fail(op, "cannot execute a contraction whose mask is not a range in each dimension")
    lhs, rhs, acc = frame.arrays(op.operands)
    kept = positions(op.maps[2])
    summed = [d for d in range(rank) if d not in kept]
    cut: list[Array] = []
    # a product of zeros of opposite sign is -0.0, which changes no sum
    for values, map, zero, operand in zip(
        (lhs, rhs), op.maps[:2], (-0.0, 0.0), op.operands[:2], strict=True
    ):
        nothing = frame.domain.numbers([zero], element(operand))
        along = positions(map)
        inside = _box(
            [sides[d] if d in summed else np.ones_like(sides[d]) for d in range(rank)], along
        )
        cut.append(np.where(inside, values, nothing))
    (found,) = contracted(frame, op, cut[0], cut[1], acc)
    return [np.where(_box(sides, kept), cast(Array, found), acc)]


def _side(mask: Array, dimension: int) -> Array:
    """Return [threads, extent]: where the mask is true for any index of the other dimensions."""
    others = tuple(d for d in range(1, mask.ndim) if d != dimension + 1)
    return cast(Array, mask.any(axis=others))


def _box(sides: Sequence[Array], along: Sequence[int]) -> Array:
    """Combine [threads, extent] of some dimensions to [threads, *extents], true where all are."""
    parts = [
        sides[d].reshape(len(sides[d]), *(-1 if x == place else 1 for x in range(len(along))))
        for place, d in enumerate(along)
    ]
    return reduce(np.logical_and, parts, np.ones((1, *[1] * len(along)), np.bool))


def _masked_outer_product(frame: Frame, op: Operation, mask: Array) -> Values:
    """Keep the accumulator for products that are masked off; without one their value is undefined."""
    (found,) = outer_product(frame, op)
    acc = op.operands[2:]
    return [np.where(mask, cast(Array, found), frame.array(acc[0]))] if acc else [found]


def _masked_gather(frame: Frame, op: Operation, mask: Array) -> Values:
    return gathered(frame, op, mask & frame.array(op.operands[-2]))


_INSIDE: Mapping[str, Masked] = {
    "vector.transfer_read": read,
    "vector.transfer_write": write,
    "vector.contract": _masked_contract,
    "vector.outerproduct": _masked_outer_product,
    "vector.multi_reduction": _masked_reduction,
    "vector.reduction": _masked_reduction,
    "vector.gather": _masked_gather,
}
"""Ops that have a masked form, the same as in the verifier of `vector.mask`."""


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
    "vector.transfer_read": _read,
    "vector.transfer_write": _write,
    "vector.contract": _contract,
    "vector.outerproduct": outer_product,
    "vector.mask": _mask,
}
