"""Tiles in shared memory: matrices of XeGPU, or single elements where no matrix can describe the access.

    %d = xegpu.create_mem_desc %memory : memref<32x64xf16, 3> -> !xegpu.mem_desc<32x64xf16>
    %v = xegpu.load_matrix %d[%row, 0] : !xegpu.mem_desc<32x64xf16>, index -> vector<8x16xf16>

Shared memory has no bounds checks. So a tile that is known to reach out of its buffer, or that has a padding, is
accessed by single elements with masks. A tile whose place is known only at run time is assumed to lie in its buffer;
the sanitizer reports others.

In swizzled memory, the offset of an element is the exclusive or of a part from the tile's corner and one from the
element:

    %corner = (shifts and masks of %row and %column)
    %b = vector.broadcast %corner : index to vector<8x16xindex>
    %o = arith.xori %b, dense<...> : vector<8x16xindex>

This applies if corners are multiples of their blocks' extents; otherwise each element's row and column is shifted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.dialects.cache_hints import warn_without_caches
from xetile.dialects.swizzle import SwizzleAttr
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.xegpu import (
    CreateMemDescOp,
    LoadMatrixOp,
    LoadOp,
    MemDescType,
    MemLayoutAttr,
    StoreMatrixOp,
    StoreOp,
)
from xetile.dialects.xetile import InitTileOp, LoadTileOp, StoreTileOp, TileType
from xetile.errors import fail
from xetile.layout.algebra.block_grids import block_offsets
from xetile.layout.algebra.f2 import diagonals
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import (
    Buffer,
    loaded,
    message_element,
    repeated,
    stored,
)
from xetile.passes.xe.convert_xetile_to_xegpu.padding import padding_of
from xetile.passes.xe.convert_xetile_to_xegpu.single_elements import (
    Part,
    everywhere,
    inside,
    numbers,
    offsets,
    plus,
    spread,
)
from xetile.passes.xe.convert_xetile_to_xegpu.surface_operands import known_offset
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import (
    Elements,
    Grid,
    Placed,
    XeGPUView,
)
from xetile.planning.xe.roles import Block
from xetile.rewriting.layout_arithmetic import apply_layout
from xetile.rewriting.one_to_many import Offset, Parts


class Swizzled(NamedTuple):
    """The places of elements of swizzled memory, relative to a base.

    `aligned` has powers of two of which the tile's corner (row, column) always is a multiple: the tile's extents, else
    those of its blocks, else 1.
    """

    base: SSAValue
    layout: SwizzleAttr
    aligned: tuple[int, int]

    def offsets(self, view: XeGPUView, part: Part) -> SSAValue:
        """Return the offsets of a block's elements from the base (elements)."""
        if any(n > a for n, a in zip(part.block, self.aligned, strict=True)):
            return self._of_each(view, part)
        low = [start & (a - 1) for start, a in zip(part.start, self.aligned, strict=True)]
        high = [start - rest for start, rest in zip(part.start, low, strict=True)]
        corner = [view.add(*pair) for pair in zip(part.corner, high, strict=True)]
        steps = [
            self._offset([at + first for at, first in zip(point, low, strict=True)])
            for point in part.points
        ]
        found = view.once(
            (self.layout, *part.corner, *high), lambda: self._corner(view, corner)
        )
        if isinstance(found, int):
            return numbers(view, [found ^ step for step in steps], part.shape)
        spread_corner = spread(view, found, part.shape)
        return view.new(arith.XOrIOp(spread_corner, numbers(view, steps, part.shape)))

    def _corner(self, view: XeGPUView, corner: Sequence[Offset]) -> Offset:
        """Return the offset of an element. Offsets outside the memory do not matter, as masks exclude them."""
        inside = {
            f"dim{d}": at % extent if isinstance(at, int) else at
            for d, (at, extent) in enumerate(zip(corner, self.layout.shape, strict=True))
        }
        return apply_layout(self._between_corners, inside, view.emit)["offset"]

    @property
    def _between_corners(self) -> LinearLayout:
        """The layout from coordinates to offsets, without the bits that no corner has."""
        found = self.layout.layout.invert()
        columns = {
            f"dim{d}": tuple(
                [0 if 1 << bit < step else column for bit, column in enumerate(columns)]
            )
            for (d, step), columns in zip(
                enumerate(self.aligned), found.in_columns.values(), strict=True
            )
        }
        return LinearLayout.of_columns(columns, dict(found.out_widths))

    def _offset(self, point: Sequence[int]) -> int:
        total = 0
        for at, steps in zip(point, self.layout.steps, strict=True):
            for bit, step in enumerate(steps):
                total ^= step if at >> bit & 1 else 0
        return total

    def _of_each(self, view: XeGPUView, part: Part) -> SSAValue:
        """Return the offset of each element from the bits of its row and column."""
        shape = part.shape
        total = numbers(view, [0] * len(part.points), shape)
        for dimension, steps in enumerate(self.layout.steps):
            first = part.place(view, dimension)
            at = plus(view, first, [point[dimension] for point in part.points], shape)
            for distance, mask in diagonals(steps):
                bits = view.new(arith.AndIOp(at, spread(view, mask, shape)))
                if distance:
                    by = spread(view, abs(distance), shape)
                    moved: type[Operation] = arith.ShLIOp if distance > 0 else arith.ShRUIOp
                    bits = view.new(moved(bits, by))
                total = view.new(arith.XOrIOp(total, bits))
        return total


def aligned(
    view: XeGPUView, tile: SSAValue, extents: Sequence[int], block: Sequence[int]
) -> tuple[int, int]:
    """Return the powers of two of which a tile's corner is a multiple, for rows and for columns."""
    rows, columns = (
        next(
            (
                n
                for n in (1 << (extent - 1).bit_length(), step)
                if not n & (n - 1) and view.corners.are_multiples(tile, dimension, n)
            ),
            1,
        )
        for dimension, (extent, step) in enumerate(zip(extents, block, strict=True))
    )
    return rows, columns


AnyMemRef = MemRefType[Attribute]


@dataclass(eq=False)
class SharedTile(Placed):
    """A tile in shared memory, and the matrix that contains its rows from `first_row` on, if there is one."""

    matrix: SSAValue | None
    first_row: Offset
    elements: Elements | Swizzled

    def place_in_matrix(self, view: XeGPUView, start: Sequence[int]) -> list[Offset]:
        """Return row and column of the matrix at `start` of the tile (elements)."""
        row, column = self.place(view, start)
        return [view.add(self.first_row, row), column]

    def offsets(self, view: XeGPUView, part: Part) -> SSAValue:
        """Return the offsets of a block's elements from the base (elements)."""
        if isinstance(self.elements, Swizzled):
            return self.elements.offsets(view, part)
        return offsets(view, self.elements, part)

    def agrees_with(self, other: Parts) -> bool:
        return (
            super().agrees_with(other)
            and isinstance(other, SharedTile)
            and self.matrix == other.matrix
            and self.first_row == other.first_row
            and self.elements == other.elements
        )

    def describe(self) -> str:
        return f"a tile of {self.elements.base.type}"


def init_shared_tile(view: XeGPUView, op: InitTileOp) -> None:
    """Rewrite a tile as the matrix of its buffer, and the place of its corner."""
    *batch, row, column = view.mapped(op.mixed_offsets)
    fixed: dict[int, Offset] = {0: row, 1: column}
    moving = {
        dimension: view.index(fixed.pop(dimension))
        for dimension in view.messages.tiles.moving_dimensions(op.tile)
    }
    height, width = cast(AnyMemRef, op.source.type).get_shape()[-2:]
    parts = (list(moving.values()), list(moving), fixed, (height, width))
    became = view.get(op.source)
    if isinstance(became, Buffer) and became.swizzle is not None:
        tile, block = op.tile.type, block_of(op, op.tile.type)
        steps = aligned(view, op.tile, tile.shape, block)
        elements = Swizzled(became.memory, became.swizzle, steps)
        view.bind(op.tile, SharedTile(*parts, None, 0, elements))
        return
    source = became.memory if isinstance(became, Buffer) else view.single(op.source)
    type = cast(AnyMemRef, source.type)
    layout = strides_and_offset(type)
    if layout is None or DYNAMIC_INDEX in type.get_shape() or None in layout[0]:
        fail(
            op,
            f"{type} is in shared memory and not static; expected extents and strides that its type says",
        )
    strides = [stride for stride in layout[0] if stride is not None]
    start: Offset = 0
    first_row: Offset = 0
    for index, stride in zip(batch, strides, strict=False):
        start = view.add(start, view.multiply(index, stride))
        first_row = view.add(first_row, view.multiply(index, stride // max(1, strides[-2])))
    elements = Elements(
        _line(view, source, _reach(type, strides)), start, (strides[-2], strides[-1])
    )
    view.bind(op.tile, SharedTile(*parts, _matrix(view, source, strides), first_row, elements))


def _matrix(view: XeGPUView, source: SSAValue, strides: Sequence[int]) -> SSAValue | None:
    """Return the buffer as a matrix, with leading dimensions as more rows, and padding between rows or columns.

    Return None if no matrix has elements at such distances.
    """
    type = cast(AnyMemRef, source.type)
    *leading, height, width = type.get_shape()
    *outer, down, across = strides
    if across == 1 and down >= width:
        if any(step % down for step in outer):
            return None
        more = sum((n - 1) * step // down for n, step in zip(leading, outer, strict=True))
        shape, layout = (height + more, down), None
    elif down == 1 and across >= height and not leading:
        shape, layout = (across, width), _strided(strides)
    else:
        return None
    made = MemDescType.of(shape, type.element_type, layout)
    if tuple(type.get_shape()) != shape:
        source = _line(view, source, prod(shape))
    return view.beside(source, made, lambda: CreateMemDescOp(source, result_type=made))


def _strided(strides: Sequence[int]) -> MemLayoutAttr:
    entries = ArrayAttr([IntegerAttr(stride, i64) for stride in strides])
    return MemLayoutAttr(DictionaryAttr({"stride": entries}))


def _line(view: XeGPUView, source: SSAValue, count: int) -> SSAValue:
    """Return the buffer as a memref of rank 1 of `count` elements, including padding."""
    type = cast(AnyMemRef, source.type)
    layout = strides_and_offset(type)
    assert layout is not None
    if isinstance(type.layout, NoneAttr) and count == type.element_count():
        if type.get_num_dims() == 1:
            return source
        return _collapsed(view, source)
    offset = layout[1]
    first: Offset = 0 if offset is None else offset
    if offset is None:
        metadata = view.beside(
            source, "metadata", lambda: memref.ExtractStridedMetaDataOp(source)
        )
        first = cast(Operation, metadata.owner).results[1]
    plain = NoneAttr() if first == 0 else StridedLayoutAttr([1], offset)
    made = MemRefType(type.element_type, [count], plain, type.memory_space)
    return view.beside(
        first if isinstance(first, SSAValue) else source,
        made,
        lambda: memref.ReinterpretCastOp.from_dynamic(source, [first], [count], [1], made),
    )


def _reach(type: AnyMemRef, strides: Sequence[int]) -> int:
    """Return the number of elements from the first to the last, including padding."""
    return 1 + sum(
        (extent - 1) * stride for extent, stride in zip(type.get_shape(), strides, strict=True)
    )


def _collapsed(view: XeGPUView, source: SSAValue) -> SSAValue:
    type = cast(AnyMemRef, source.type)
    made = MemRefType(type.element_type, [type.element_count()], NoneAttr(), type.memory_space)
    dimensions = [IntegerAttr(d, i64) for d in range(type.get_num_dims())]
    parts: Mapping[str, Attribute] = {"reassociation": ArrayAttr([ArrayAttr(dimensions)])}
    return view.beside(
        source,
        made,
        lambda: memref.CollapseShapeOp.create(
            operands=[source], result_types=[made], properties=parts
        ),
    )


def load_shared_tile(view: XeGPUView, op: LoadTileOp, tile: SharedTile) -> None:
    """Load each block by one access, with masks if the tile may reach out of its buffer."""
    warn_without_caches(op)
    type = cast(TileType, op.source.type)
    block, element, number = block_of(op, type), type.element_type, padding_of(op)
    result = VectorType(message_element(element), block)
    masked = reaches_out(tile, type, padded=op.padding is not None)

    def load(start: Sequence[int]) -> SSAValue:
        if tile.matrix is not None and not masked:
            at = tile.place_in_matrix(view, start)
            return loaded(
                view,
                view.new(LoadMatrixOp(tile.matrix, offsets=at, result_type=result)),
                element,
            )
        part = Part(tile.corner, start, block, block)
        mask = inside(view, tile.sizes, part) if masked else None
        where = everywhere(view, block) if mask is None else mask
        base, places = tile.elements.base, tile.offsets(view, part)
        value = loaded(
            view, view.new(LoadOp(base, places, where, result_type=result)), element
        )
        if mask is None or number is None:
            return value
        filler = repeated(number, VectorType(element, block))
        return view.new(arith.SelectOp(mask, value, view.new(arith.ConstantOp(filler))))

    counts = (type.shape[0] // block[0], type.shape[1] // block[1])
    starts = block_offsets(type.shape, block)
    view.bind(op.result, Grid([load(start) for start in starts], counts, block))


def store_shared_tile(view: XeGPUView, op: StoreTileOp, tile: SharedTile) -> None:
    """Store each block by one access, with masks if the tile is known to reach out of its buffer."""
    warn_without_caches(op)
    type = cast(TileType, op.tile.type)
    block = block_of(op, type)
    grid = view.repack(view.grid(op.value), block)
    masked = reaches_out(tile, type, padded=False)
    for value, start in zip(grid.values, block_offsets(type.shape, block), strict=True):
        bits = stored(view, value)
        if tile.matrix is not None and not masked:
            view.emit(
                StoreMatrixOp(bits, tile.matrix, offsets=tile.place_in_matrix(view, start))
            )
            continue
        part = Part(tile.corner, start, block, block)
        mask = inside(view, tile.sizes, part) if masked else None
        where = everywhere(view, block) if mask is None else mask
        view.emit(StoreOp(bits, tile.elements.base, tile.offsets(view, part), where))


def reaches_out(tile: Placed, type: TileType, *, padded: bool) -> bool:
    """Return True if an access needs masks: the tile reaches out of its buffer, or is padded and may reach out."""
    for dimension, extent in enumerate(type.shape):
        first, size = known_offset(tile.offset(dimension)), tile.sizes[dimension]
        assert isinstance(size, int)
        if (first is None and padded) or (
            first is not None and not 0 <= first <= size - extent
        ):
            return True
    return False


def block_of(op: Operation, type: TileType) -> Block:
    """Return the block of a tile; refuse tiles without one, for which blocking has not run."""
    if type.inner_blocks is None:
        fail(op, f"{type} has no inner_blocks; run xetile-blocking first")
    return type.inner_blocks
