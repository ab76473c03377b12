"""vector.transfer_read and vector.transfer_write: rows and columns of a memref in any order, cut at its edges."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from xetile.errors import fail
from xetile.interpreter.common.accesses import masked_read, masked_write
from xetile.interpreter.machine.frame import Frame, Handlers
from xetile.interpreter.machine.reading import attribute, element, number, segments, shape_of
from xetile.interpreter.machine.values import Array, Values


def _sources(op: Operation) -> list[int | None]:
    """The memref's dimension that each dimension of the vector goes along; None where it repeats."""
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
    """[extent] as [1, ..., extent, ..., 1], with the leading axis of threads."""
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
    """Indices of the elements for each dimension of the memref, and which elements are accessed."""
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
    """A mask, which has the memref's dimensions in their order, with the vector's in theirs."""
    order = sorted(source for source in sources if source is not None)
    found = mask.transpose(
        0, *(1 + order.index(source) for source in sources if source is not None)
    )
    repeated = [dimension + 1 for dimension, source in enumerate(sources) if source is None]
    return np.expand_dims(found, repeated)


def spread(op: Operation, mask: Array) -> Array:
    """A mask of a transfer as the vector's: [threads, *extents], 1 where elements are copied."""
    return _ordered(mask, _sources(op))


def _is_in_bounds(op: Operation, dimension: int) -> bool:
    found = attribute(op, "in_bounds")
    if not isinstance(found, ArrayAttr):
        return False
    return bool(cast("ArrayAttr[IntegerAttr]", found).data[dimension].value.data)


def read(frame: Frame, op: Operation, within: Array) -> Values:
    """A read of the elements that also another mask is true for, which is as the op's own one."""
    (memref,), starts, (padding,), mask = segments(op)
    shape = shape_of(op.results[0])
    indices, wanted = _places(frame, op, memref, starts, _both(frame, mask, within), shape)
    otherwise = frame.array(padding).reshape(-1, *[1] * len(shape))
    return [masked_read(frame, op, indices, wanted, otherwise)]


def write(frame: Frame, op: Operation, within: Array) -> Values:
    """A write, as `read` reads."""
    (value,), (memref,), starts, mask = segments(op)
    both = _both(frame, mask, within)
    indices, wanted = _places(frame, op, memref, starts, both, shape_of(value))
    masked_write(frame, op, indices, wanted, frame.array(value), element(value))
    return []


def _both(frame: Frame, mask: Sequence[SSAValue], within: Array) -> Array:
    return frame.array(mask[0]) & within if mask else within


def _everything(op: Operation) -> Array:
    """True for every element, in the shape that a mask of the op has."""
    return np.ones([1] * (1 + sum(source is not None for source in _sources(op))), np.bool)


def _read(frame: Frame, op: Operation) -> Values:
    return read(frame, op, _everything(op))


def _write(frame: Frame, op: Operation) -> Values:
    return write(frame, op, _everything(op))


HANDLERS: Handlers = {
    "vector.transfer_read": _read,
    "vector.transfer_write": _write,
}
