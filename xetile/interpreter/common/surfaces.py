"""Matrices in memory, on which tiles and descriptors are based."""

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue

from xetile.errors import fail
from xetile.interpreter.common.accesses import check_index
from xetile.interpreter.machine.elements import element_of
from xetile.interpreter.machine.execution import Frame
from xetile.interpreter.machine.reading import number
from xetile.interpreter.machine.runtime_values import Array, MemRef, Surface, uniform


def surface_of(
    frame: Frame,
    op: Operation,
    source: SSAValue,
    batch: Sequence[Array],
    sizes: Sequence[Array],
    strides: Sequence[Array],
    element_type: Attribute,
) -> Surface:
    """Return the matrix of a memref or an address (bytes), at indices `batch` of the leading dimensions.

    `sizes` and `strides` are those of all dimensions, in elements; empty for a memref that
    knows them.
    """
    found = frame.get(source)
    of = element_of(element_type, op)
    if isinstance(found, MemRef):
        base = found.base + of.bytes_of(found.offset)
        if found.swizzle:
            rows, columns = found.sizes
            return Surface(base, (rows, columns), (columns, uniform(1)), found.swizzle)
        sizes, strides = sizes or found.sizes, strides or found.strides
    else:
        base = number(frame, source)
    for dimension, stride in enumerate(strides):
        if (stride < 0).any():
            fail(
                op,
                f"stride {int(stride.min())} of dimension {dimension}; expected none below 0",
            )
    for dimension, index in enumerate(batch):
        check_index(op, dimension, index, sizes[dimension])
        base = base + of.bytes_of(index * strides[dimension])
    if len(sizes) == 1:
        return Surface(base, (uniform(1), sizes[0]), (sizes[0], strides[0]))
    return Surface(base, (sizes[-2], sizes[-1]), (strides[-2], strides[-1]))
