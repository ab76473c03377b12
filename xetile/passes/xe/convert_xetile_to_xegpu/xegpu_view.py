"""The new values of a blocked kernel in XeGPU: descriptors and offsets for tiles, blocks for vectors.

The module also records where the tiles of a function begin.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import NamedTuple, Self

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation, SSAValue

from xetile.analysis.alignment import Alignments
from xetile.analysis.same_value import is_tile_vector
from xetile.dialects.traits import Elementwise, has_trait
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import ExtractStridedSliceOp, InsertStridedSliceOp
from xetile.dialects.upstream.vector.vector_support import vector_of, vector_type
from xetile.dialects.xetile import InitTileOp, TileType, UpdateTileOffsetOp
from xetile.dialects.xetile.xetile_attributes import COLUMN_MAJOR
from xetile.errors import fail, notes_at
from xetile.layout.algebra.block_grids import block_offsets, containing_block
from xetile.layout.intel.message_layouts import BlockConfiguration
from xetile.passes.xe.convert_xetile_to_xegpu.bands import Bands, elementwise, rebanded, whole
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import (
    buffer_of,
    buffer_type,
    constant_part,
    repeated,
)
from xetile.planning.xe.heights import Heights, SharedInstructions
from xetile.planning.xe.message_plans import Messages
from xetile.planning.xe.uses import TileUse
from xetile.rewriting.one_to_many import Expansion, Form, Offset, Parts
from xetile.rewriting.rewriter import Handlers, remade
from xetile.targets.xe.device import XeDevice


class Corners:
    """The places where a function's tiles begin, and the offsets by which they are moved."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        self._alignments = Alignments(trusting=False)

    @cached_property
    def _offsets(self) -> Mapping[SSAValue, list[Sequence[Offset]]]:
        """The offsets (row, column) of each class of tiles, including those by which it is moved."""
        found = defaultdict[SSAValue, list[Sequence[Offset]]](list)
        for op in self._messages.operations:
            if isinstance(op, InitTileOp | UpdateTileOffsetOp) and op.indices is None:
                root = self._messages.tiles.find(op.results[0])
                found[root].append(op.mixed_offsets[-2:])
        return found

    def are_multiples(self, tile: SSAValue, dimension: int, extent: int) -> bool:
        """Return True if a tile begins at multiples of `extent` (elements) wherever it is moved to."""
        return all(
            self._alignments.mixed(offsets[dimension]).is_multiple(extent)
            for offsets in self._offsets[self._messages.tiles.find(tile)]
        )


Descriptor = tuple[TileUse, BlockConfiguration]
"""The purpose of a descriptor: its use and message."""


class Elements(NamedTuple):
    """The places of a matrix's single elements, from a base on (an address, or a memref of rank 1), in elements."""

    base: SSAValue
    start: Offset
    strides: tuple[Offset, Offset]


class MessagePlace(NamedTuple):
    """The place in an op's tile where a message begins (elements): row and column in the order of memory."""

    op: Operation
    row: int
    column: int
    by_columns: bool


@dataclass(eq=False)
class Placed(Parts):
    """A tile by its corner (row, column): loops carry the offsets in the dimensions `moving`, others are `fixed`.

    `sizes` are those of the surface (elements).
    """

    moving: Sequence[int]
    fixed: Mapping[int, Offset]
    sizes: tuple[Offset, Offset]

    def offset(self, dimension: int) -> Offset:
        """Return the corner's offset in one dimension (elements)."""
        if dimension in self.fixed:
            return self.fixed[dimension]
        return self.values[self.moving.index(dimension)]

    @property
    def corner(self) -> list[Offset]:
        """Row and column of the surface where the tile begins (elements)."""
        return [self.offset(dimension) for dimension in range(2)]

    def place(self, view: Expansion, start: Sequence[int]) -> list[Offset]:
        """Return row and column of the surface at `start` of the tile (elements)."""
        return [view.add(self.offset(d), step) for d, step in enumerate(start)]

    def agrees_with(self, other: Parts) -> bool:
        return (
            isinstance(other, Placed)
            and type(self) is type(other)
            and self.fixed == other.fixed
            and self.sizes == other.sizes
        )


@dataclass(eq=False)
class Tile(Placed):
    """A tile of global memory: one descriptor per use and message.

    The descriptors of a column-major tile are those of the matrix in the order of memory, with its columns as rows.
    `elements` is set if single elements are accessed.
    """

    descriptors: Mapping[Descriptor, SSAValue]
    column_major: bool
    elements: Elements | None

    def access(
        self, view: "XeGPUView", op: Operation, use: TileUse
    ) -> list[tuple[SSAValue, BlockConfiguration]]:
        """Return the messages of an access, one below the other, with their descriptors; a single one is repeated."""
        found = view.messages.messages(op, use)
        return [(self.descriptors[use, message], message) for message in found]

    def message_corner(self, view: Expansion, start: Sequence[int]) -> list[Offset]:
        """Return where the message at `start` of the tile begins (elements), both as messages see it."""
        order = (1, 0) if self.column_major else (0, 1)
        return [view.add(self.offset(d), step) for d, step in zip(order, start, strict=True)]

    def agrees_with(self, other: Parts) -> bool:
        return (
            super().agrees_with(other)
            and isinstance(other, Tile)
            and self.descriptors == other.descriptors
            and self.elements == other.elements
        )

    def describe(self) -> str:
        return f"a tile with {len(self.descriptors)} descriptors and fixed offsets {list(self.fixed)}"


@dataclass(eq=False)
class Grid(Parts):
    """A vector as its blocks, row-major; `pack` consecutive rows share a register word (1: not packed)."""

    shape: tuple[int, int]
    block: tuple[int, int]
    pack: int = 1

    @classmethod
    def built(
        cls,
        shape: Sequence[int],
        block: Sequence[int],
        make: Callable[[int, int], SSAValue],
        pack: int = 1,
    ) -> Self:
        """Return the vector of blocks made by `make`, in the order of rows and columns."""
        (rows, columns), (height, width) = shape, block
        blocks = [make(row, column) for row in range(rows) for column in range(columns)]
        return cls(blocks, (rows, columns), (height, width), pack)

    def at(self, row: int, column: int) -> SSAValue:
        """Return one block, by its coordinates in blocks."""
        return self.values[row * self.shape[1] + column]

    def transposed(self, values: Sequence[SSAValue]) -> "Grid":
        """Return the grid with rows and columns of blocks exchanged; `values` replace the blocks."""
        grid = Grid(values, self.shape, self.block)
        return Grid.built(self.shape[::-1], self.block[::-1], lambda i, j: grid.at(j, i))

    def describe(self) -> str:
        packed = f", {self.pack} rows packed" if self.pack != 1 else ""
        return f"{'x'.join(map(str, self.shape))} blocks of {'x'.join(map(str, self.block))}{packed}"


class XeGPUView(Expansion):
    """A function rebuilt in terms of XeGPU."""

    def __init__(
        self,
        function: Operation,
        handlers: Handlers[Self],
        target: XeDevice,
        *,
        upstream: bool = False,
    ) -> None:
        super().__init__(function, handlers)
        self.device = target
        self.messages = Messages(function, target, upstream=upstream)
        self.sums = SharedInstructions(self.messages.operations)
        self.begins: dict[Operation, MessagePlace] = {}
        self._beside: dict[tuple[SSAValue, object], SSAValue] = {}
        self._once: dict[tuple[object, ...], Offset] = {}
        self.corners = Corners(self.messages)

    def run(self) -> None:
        """Rebuild the function, and remove the views of memory that no access needs."""
        super().run()
        for made in reversed(list(self._beside.values())):
            op = made.owner
            if isinstance(op, Operation) and not any(v.uses.get_length() for v in op.results):
                op.detach()
                op.erase()

    def given(self, argument: SSAValue) -> Form:
        """Return the new form of a workgroup's memory, which may have another type than in the program."""
        type = buffer_type(argument.type)
        if type is None:
            return super().given(argument)
        return buffer_of(self.argument(argument, type), argument.type)

    def once(self, key: tuple[object, ...], make: Callable[[], Offset]) -> Offset:
        """Return a value that is computed once in each block of the new function."""
        full = (self.block, *key)
        if full not in self._once:
            self._once[full] = make()
        return self._once[full]

    def beside(self, value: SSAValue, key: object, make: Callable[[], Operation]) -> SSAValue:
        """Return an op's result, made once right after the value on which it depends; it is removed if unused."""
        found = self._beside.get((value, key))
        if found is not None:
            return found
        op, owner = make(), value.owner
        if not isinstance(owner, Operation):
            made = self.emit_at_entry(op) if owner is self.entry else self.new(op)
        else:
            op.location = owner.location
            block = owner.parent_block()
            assert block is not None
            block.insert_op_after(op, owner)
            made = op.results[0]
        if isinstance(owner, Operation) or owner is self.entry:
            self._beside[value, key] = made
        return made

    def message(self, op: Operation, start: Sequence[int]) -> Operation:
        """Emit a message that begins at `start` of the tile of the current op (elements, in the order of memory)."""
        tiles = (v.type for v in self.current.operands if isinstance(v.type, TileType))
        by_columns = any(tile.order == COLUMN_MAJOR for tile in tiles)
        self.begins[op] = MessagePlace(self.current, start[0], start[1], by_columns)
        return self.emit(op)

    def tile(self, value: SSAValue) -> Tile:
        became = self.get(value)
        if not isinstance(became, Tile):
            fail(self.current, f"{value.type} is not lowered to XeGPU yet")
        return became

    def grid(self, value: SSAValue) -> Grid:
        """Return a vector in blocks of one size."""
        became = self.get(value)
        if isinstance(became, Bands):
            return self.evenly(became, vector_type(value).get_shape()[2])
        if not isinstance(became, Grid):
            fail(
                self.current,
                f"{value.type} is not in blocks, run xetile-blocking first",
            )
        return became

    def evenly(self, bands: Bands, rows: int) -> Grid:
        """Return bands as blocks of `rows` rows."""
        count = sum(bands.heights) // rows
        made = rebanded(self, bands, (rows,) * count, bands.width)
        return Grid(made.values, (count, made.columns), (rows, made.width), made.pack)

    def blocks(self, value: SSAValue) -> Grid | Bands:
        """Return a vector in blocks, in its bands if it has any."""
        became = self.get(value)
        return became if isinstance(became, Bands) else self.grid(value)

    def banded(self, became: Grid | Bands, heights: Heights, width: int) -> Bands:
        """Return blocks in bands of these heights."""
        if isinstance(became, Grid):
            rows, columns = became.block
            became = Bands(became.values, (rows,) * became.shape[0], columns, became.pack)
        return rebanded(self, became, heights, width)

    def single(self, value: SSAValue) -> SSAValue:
        became = self.get(value)
        if isinstance(became, Bands) and is_tile_vector(value.type):
            return whole(self, became)
        if not isinstance(became, Grid) or not is_tile_vector(value.type):
            return super().single(value)
        rows, columns = vector_type(value).get_shape()
        return self.repack(became, (rows, columns)).values[0]

    def repack(self, grid: Grid, block: tuple[int, int]) -> Grid:
        """Return the same vector in other blocks: cut into the largest blocks that fit both, then joined."""
        common = (gcd(grid.block[0], block[0]), gcd(grid.block[1], block[1]))
        parts = self.cut(grid, common)
        if common == block:
            return parts
        if grid.pack != 1:
            fail(
                self.current,
                f"{grid.describe()} cannot be put together to {block[0]}x{block[1]}",
            )
        down, across = block[0] // common[0], block[1] // common[1]
        shape = (parts.shape[0] // down, parts.shape[1] // across)
        return Grid.built(
            shape, block, lambda i, j: self._join(parts, (i * down, j * across), block)
        )

    def _join(self, parts: Grid, first: tuple[int, int], block: tuple[int, int]) -> SSAValue:
        """Join smaller blocks to one, from block `first` on (in blocks)."""
        element = vector_type(parts.values[0]).element_type
        joined = self.new(arith.ConstantOp(repeated(0, VectorType(element, block))))
        for start in block_offsets(block, parts.block):
            row, column = (
                s // b + f for s, b, f in zip(start, parts.block, first, strict=True)
            )
            joined = self.new(InsertStridedSliceOp(parts.at(row, column), joined, start))
        return joined

    def cut(self, grid: Grid, block: tuple[int, int]) -> Grid:
        """Return the same vector in smaller blocks, each within one old block."""
        if grid.block == block:
            return grid
        rows, columns = (
            n * old // new for n, old, new in zip(grid.shape, grid.block, block, strict=True)
        )
        shape = (rows, columns)
        return Grid.built(shape, block, lambda i, j: self._slice(grid, block, i, j), grid.pack)

    def _slice(self, grid: Grid, block: tuple[int, int], row: int, column: int) -> SSAValue:
        source, start = containing_block(grid.block, block, row, column)
        value = grid.at(*source)
        offsets, sizes = list(start), list(block)
        if grid.pack != 1:
            offsets = [start[0] // grid.pack, start[1], 0]
            sizes = [block[0] // grid.pack, block[1], grid.pack]
        elif (constant := constant_part(value, start, block)) is not None:
            return self.new(constant)
        return self.new(ExtractStridedSliceOp(value, offsets, sizes))

    def loop_parts(self, argument: SSAValue, init: Form) -> Form:
        """Return carried factors and sums of products as instructions need them; sums are in bands of their rows."""
        heights = self.sums.heights(argument)
        if heights is not None and isinstance(init, Grid | Bands):
            width = init.width if isinstance(init, Bands) else init.block[1]
            return self.banded(init, heights, width)
        if isinstance(init, Bands) and self.sums.have_whole_blocks(argument):
            return self.evenly(init, vector_type(argument).get_shape()[2])
        return init

    def adapt(self, became: Form, like: Form) -> Form:
        if isinstance(became, Bands) and isinstance(like, Grid):
            became = self.evenly(became, like.block[0])
        if isinstance(became, Grid) and isinstance(like, Grid):
            became = self.repack(became, like.block)
        if isinstance(became, Grid | Bands) and isinstance(like, Bands):
            became = self.banded(became, like.heights, like.width)
        if (
            isinstance(became, Tile)
            and isinstance(like, Tile)
            and not like.agrees_with(became)
        ):
            notes = [
                note
                for tile, which in ((became, "one"), (like, "the other"))
                for made in list(tile.descriptors.values())[:1]
                for note in notes_at(made, f"{which} of them")
            ]
            message = (
                "tiles of two descriptors meet in one value of a loop or branch, which "
                "is not lowered to XeGPU yet; carry each in a value of its own"
            )
            fail(self.current, message, notes)
        return super().adapt(became, like)

    def other(self, op: Operation) -> None:
        if has_trait(op, Elementwise) and any(
            isinstance(self.get(v), Grid | Bands) for v in op.operands
        ):
            self.elementwise(op)
        else:
            self.copy(op)

    def elementwise(self, op: Operation) -> None:
        in_bands = elementwise(self, op, [self.get(value) for value in op.operands])
        if in_bands is not None:
            for result, bands in zip(op.results, in_bands, strict=True):
                self.bind(result, bands)
            return
        became = [
            self.grid(value) if isinstance(self.get(value), Bands) else self.get(value)
            for value in op.operands
        ]
        blocks = [part.block for part in became if isinstance(part, Grid)]
        common = (gcd(*(rows for rows, _ in blocks)), gcd(*(columns for _, columns in blocks)))
        became = [
            self.cut(part, common) if isinstance(part, Grid) else part for part in became
        ]
        first = next(part for part in became if isinstance(part, Grid))
        parts: list[list[SSAValue]] = [[] for _ in op.results]
        for index, block in enumerate(first.values):
            operands = [
                part.values[index] if isinstance(part, Grid) else self.single(v)
                for part, v in zip(became, op.operands, strict=True)
            ]
            shape = vector_type(block).get_shape()
            types = [vector_of(vector_type(v).element_type, shape) for v in op.results]
            for part, value in zip(
                parts, self.emit(remade(op, operands, types)).results, strict=True
            ):
                part.append(value)
        for result, values in zip(op.results, parts, strict=True):
            self.bind(result, Grid(values, first.shape, first.block, first.pack))
