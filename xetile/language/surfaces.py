"""Matrices in memory as IR has them: a memref of two dimensions, or more with batch dimensions in front.

What an array is seen as is made once, where the kernel begins: `A.T` is a memref.transpose; the row and the column that
an array of one dimension is, and the line of elements that gathers read, are memref.reinterpret_cast of it.
"""

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import NamedTuple, TypeAlias, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StridedLayoutAttr
from xdsl.ir import Attribute, SSAValue

from xetile.language.builder import Pair, current
from xetile.language.held import fitting_in_memory
from xetile.language.indices import Index
from xetile.language.types import ElementType
from xetile.targets.xe.surface import SURFACE

Start: TypeAlias = Index | int

SHARED = 3
"""The number of shared memory among memory spaces."""

_BYTE = 8
"""Bits."""


class Surface(NamedTuple):
    """A matrix in memory; `extents` has those of batch dimensions in front.

    `pitch` is the distance of rows where it is not the extent of a row.
    """

    value: SSAValue
    element: ElementType
    extents: tuple[Start, ...]
    column_major: bool = False
    shared: bool = False
    pitch: Start | None = None

    def tile(self, starts: Sequence[Start], shape: Pair) -> SSAValue:
        """The tile of `shape` at `starts`."""
        from xetile.dialects.xetile import InitTileOp

        fitting_in_memory(shape)
        sizes: tuple[SSAValue | int, ...] = ()
        strides: tuple[SSAValue | int, ...] = ()
        if not all(isinstance(extent, int) for extent in self.extents):
            sizes = tuple(map(entry, self.extents))
            strides = tuple(map(entry, self.strides()))
        offsets = tuple(map(entry, starts))
        order = (0, 1) if self.column_major else (1, 0)
        kind = _tile_type(self.element, shape, order, SHARED if self.shared else 0)
        return current().pure_of(InitTileOp, self.value, offsets, sizes, strides, kind)

    def strides(self) -> list[Start]:
        """How far neighbours along each dimension are from one another, in elements."""
        *batch, rows, columns = self.extents
        inner = [columns, rows] if self.column_major else [rows, columns]
        found = _strides([*batch, *inner])
        if self.pitch is not None:
            found[-2] = self.pitch
        return [*found[:-2], found[-1], found[-2]] if self.column_major else found

    def strides_of_all(self) -> list[Start]:
        """The strides of an array of any number of dimensions."""
        return self.strides() if len(self.extents) > 1 else [1]

    def transposed(self) -> "Surface":
        """Rows and columns exchanged."""
        from xetile.dialects.upstream.memref import TransposeOp

        *batch, rows, columns = self.extents
        order = (*range(len(batch)), len(batch) + 1, len(batch))
        value = current().at_entry(TransposeOp(self.value, order))
        return self._replace(
            value=value, extents=(*batch, columns, rows), column_major=not self.column_major
        )


def entry(number: Start) -> SSAValue | int:
    """An index among the offsets, sizes and strides of an op: a literal where it is known."""
    found = Index.of(number)
    return found.ssa() if found.known is None else found.constant


def _strides(extents: Sequence[Start]) -> list[Start]:
    strides: list[Start] = [1]
    for extent in reversed(extents[1:]):
        strides.insert(0, strides[0] * extent)
    return strides


@cache
def _tile_type(element: ElementType, shape: Pair, order: Pair, space: int) -> Attribute:
    from xetile.dialects.xetile import TileAttr, TileType

    return TileType(shape, element.attribute, TileAttr(order=order, memory_space=space))


def line_as_row(line: Surface) -> Surface:
    """An array of one dimension as a matrix of one row.

    Its rows are as far apart as messages ask for; as there is one, nothing else reads that.
    """
    (extent,) = line.extents
    pitch = _pitch(extent, line.element)
    found = line._replace(extents=(1, extent), pitch=pitch)
    return _recast(line, found, (1, extent), (pitch, 1))


def line_as_column(line: Surface) -> Surface:
    """An array of one dimension as a matrix of one column."""
    (extent,) = line.extents
    pitch = _pitch(extent, line.element)
    found = line._replace(extents=(extent, 1), column_major=True, pitch=pitch)
    return _recast(line, found, (extent, 1), (1, pitch))


def _pitch(extent: Start, element: ElementType) -> Start:
    if not isinstance(extent, int):
        return extent
    unit = SURFACE.least_pitch * _BYTE // element_bits(element)
    return -(-extent // unit) * unit


def element_bits(element: ElementType) -> int:
    """Bits of an element in memory."""
    bits = element.bits
    return bits if bits in (4, 8, 16, 32, 64) else 32 if bits > _BYTE else _BYTE


def as_line(surface: Surface) -> Surface:
    """All elements of an array in a line, as they lie in memory."""
    count = _count(surface.extents)
    return _recast(
        surface, surface._replace(extents=(count,), column_major=False), (count,), (1,)
    )


def _count(extents: Sequence[Start]) -> Start:
    """The product of extents, which is computed where the kernel begins."""
    from xetile.dialects.upstream.arith import MuliOp

    known = prod(extent for extent in extents if isinstance(extent, int))
    named = [extent.ssa() for extent in extents if isinstance(extent, Index)]
    if not named:
        return known
    builder = current()
    total = named[0]
    for value in named[1:]:
        total = builder.at_entry(MuliOp(total, value))
    if known != 1:
        total = builder.at_entry(MuliOp(total, builder.index(known)))
    return Index.of(total)


def _recast(
    source: Surface, found: Surface, sizes: Sequence[Start], strides: Sequence[Start]
) -> Surface:
    from xetile.dialects.upstream.memref import ReinterpretCastOp

    shape = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    layout = StridedLayoutAttr([step if isinstance(step, int) else None for step in strides])
    space = cast(MemRefType, source.value.type).memory_space
    kind = MemRefType(found.element.attribute, shape, layout, space)
    if len(strides) == 1:
        kind = MemRefType(found.element.attribute, shape, memory_space=space)
    lists = ([0], list(map(entry, sizes)), list(map(entry, strides)))
    op = ReinterpretCastOp.from_dynamic(source.value, *lists, kind)
    return found._replace(value=current().at_entry(op))
