"""Matrices in memory: what tiles and descriptors are made of, and the rules of 2D block access."""

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.errors import fail
from xetile.interpreter.common.accesses import check_index
from xetile.interpreter.machine.elements import element_of
from xetile.interpreter.machine.frame import Frame
from xetile.interpreter.machine.reading import number
from xetile.interpreter.machine.values import Array, MemRef, Surface, uniform
from xetile.targets.xe.surface import SURFACE


def surface_of(
    frame: Frame,
    op: Operation,
    source: SSAValue,
    batch: Sequence[Array],
    sizes: Sequence[Array],
    strides: Sequence[Array],
    element_type: Attribute,
) -> Surface:
    """The matrix behind a memref or an address (bytes), at indices `batch` of the leading dimensions.

    `sizes` and `strides` are those of all dimensions, in elements; empty where the memref
    says them.
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
    """Refuse a 2D block access that the hardware does not do; height in rows, all others in bytes.

    `places` are rows and columns that become operands of the message further down.
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
