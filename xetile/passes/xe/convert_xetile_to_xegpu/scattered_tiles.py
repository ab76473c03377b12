"""Scattered tiles: gathers and scatters of single elements, masked to those inside the memref.

    %inside = arith.cmpi ult, %indices, %size : vector<1x16xindex>
    %m = arith.andi %mask, %inside : vector<1x16xi1>
    %v = xegpu.load %memory[%indices], %m : memref<1024xf32>, vector<1x16xindex>, vector<1x16xi1> -> vector<1x16xf32>

Elements that are masked off are loaded as zero; another padding is selected.

The module also translates cache hints of tiles to those of XeGPU.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.constants import dense_value, is_splat
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import CacheHint, CacheHintAttr, LoadOp, StoreOp
from xetile.dialects.xetile import CacheHintAttr as XeTileCacheHintAttr
from xetile.dialects.xetile import (
    InitTileOp,
    LoadGatherOp,
    StoreScatterOp,
    TileType,
    UpdateTileOffsetOp,
)
from xetile.dialects.xetile.xetile_attributes import GLOBAL
from xetile.errors import fail
from xetile.passes.xe.convert_xetile_to_xegpu.bands import Bands
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import (
    loaded,
    message_element,
    repeated,
    stored,
)
from xetile.passes.xe.convert_xetile_to_xegpu.padding import padding_of
from xetile.passes.xe.convert_xetile_to_xegpu.single_elements import below, both, everywhere
from xetile.passes.xe.convert_xetile_to_xegpu.surface_operands import memory_address
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import Grid, XeGPUView
from xetile.planning.xe.roles import Block
from xetile.rewriting.one_to_many import Form, Offset, Parts


def hints_of(op: Operation) -> list[CacheHintAttr | None]:
    """Return the hints of an access, for L1, L2, L3."""
    hints = [op.properties.get(name) for name in ("l1_hint", "l2_hint", "l3_hint")]
    return [
        CacheHintAttr(CacheHint(hint.data.value))
        if isinstance(hint, XeTileCacheHintAttr)
        else None
        for hint in hints
    ]


@dataclass(eq=False)
class ScatteredTile(Parts):
    """A scattered tile: its values are the indices of each block; a tile of rank 1 has one vector.

    `size` is the number of elements, or None for an address, for which it is unknown.
    """

    base: SSAValue
    size: Offset | None
    block: Block | None

    def agrees_with(self, other: Parts) -> bool:
        return (
            super().agrees_with(other)
            and isinstance(other, ScatteredTile)
            and self.base == other.base
            and self.size == other.size
        )

    def describe(self) -> str:
        return f"a scattered tile of {self.base.type}"

    def inside(self, view: XeGPUView, indices: SSAValue) -> SSAValue | None:
        """Return a mask of the indices inside the memref, or None if all are known to be."""
        if self.size is None or (isinstance(self.size, int) and _known(indices, self.size)):
            return None
        return below(view, indices, self.size, vector_type(indices).get_shape())


def _known(indices: SSAValue, size: int) -> bool:
    """Return True if the indices are constants and all inside."""
    value = dense_value(indices.owner) if isinstance(indices.owner, Operation) else None
    if value is None:
        return False
    numbers = value.get_values()[:1] if is_splat(value) else value.get_values()
    return all(0 <= number < size for number in cast("Sequence[int]", numbers))


def init_scattered_tile(view: XeGPUView, op: InitTileOp) -> None:
    """Rewrite a tile as the base of its memory and the indices of its elements."""
    tile, indices = op.tile.type, op.indices
    assert indices is not None
    block = tile.inner_blocks
    if tile.get_num_dims() == 2 and block is None:
        fail(op, f"{tile} has no inner_blocks; run xetile-blocking first")
    base, size = _memory(view, op)
    view.bind(op.tile, ScatteredTile(in_blocks(view, indices, block), base, size, block))


def _memory(view: XeGPUView, op: InitTileOp) -> tuple[SSAValue, Offset | None]:
    """Return the base of a scattered tile's memory (a memref of rank 1, else an address) and its element count."""
    source, shared = view.single(op.source), op.tile.type.memory_space != GLOBAL
    tile_element = message_element(op.tile.type.element_type)
    if not isinstance(source.type, MemRefType):
        return source, None
    type = cast(MemRefType[Attribute], source.type)
    if type.get_num_dims() == 0:
        size: Offset = 1
    elif (extent := type.get_shape()[0]) != DYNAMIC_INDEX:
        size = extent
    else:
        size = view.new(memref.DimOp(source, view.constant(0)))
    if shared and type.get_num_dims() == 0:
        made = MemRefType(type.element_type, [1], type.layout, type.memory_space)
        cast_op = memref.ReinterpretCastOp.from_dynamic(source, [0], [1], [1], made)
        return view.new(cast_op), size
    as_it_is = type.get_num_dims() == 1 and type.element_type == tile_element
    if shared or (as_it_is and type.memory_space in (NoneAttr(), IntegerAttr(0, i64))):
        return source, size
    return memory_address(view, source), size


def in_blocks(view: XeGPUView, value: SSAValue, block: Block | None) -> Sequence[SSAValue]:
    """Return a vector in the blocks of its tile; a tile of rank 1 has none."""
    if block is None:
        return [view.single(value)]
    became: Form = view.get(value)
    if isinstance(became, Grid | Bands):
        return view.repack(view.grid(value), block).values
    shape = vector_type(value).get_shape()
    if len(shape) != 2:
        fail(view.current, f"{value.type} is not lowered to XeGPU yet")
    return view.repack(Grid([view.single(value)], (1, 1), (shape[0], shape[1])), block).values


def update_scattered_tile(
    view: XeGPUView, op: UpdateTileOffsetOp, tile: ScatteredTile
) -> None:
    """Move each element by its own step."""
    assert op.indices is not None
    steps = in_blocks(view, op.indices, tile.block)
    moved = [view.new(arith.AddiOp(*pair)) for pair in zip(tile.values, steps, strict=True)]
    view.bind(op.result, tile.with_values(moved))


class _Access(NamedTuple):
    indices: SSAValue
    mask: SSAValue | None


def _accesses(view: XeGPUView, tile: ScatteredTile, mask: SSAValue) -> Iterator[_Access]:
    """Yield the blocks of an access, each with its mask, or None if all elements are accessed."""
    for indices, given in zip(tile.values, in_blocks(view, mask, tile.block), strict=True):
        on = None if _is_on(given) else given
        yield _Access(indices, both(view, on, tile.inside(view, indices)))


def _is_on(mask: SSAValue) -> bool:
    value = dense_value(mask.owner) if isinstance(mask.owner, Operation) else None
    return value is not None and all(value.get_values())


def load_gather(view: XeGPUView, op: LoadGatherOp) -> None:
    """Emit one gather per block."""
    tile = scattered_tile(view, op.source)
    element, number = vector_type(op.result).element_type, padding_of(op)
    values: list[SSAValue] = []
    for indices, mask in _accesses(view, tile, op.mask):
        shape = vector_type(indices).get_shape()
        load = LoadOp(
            tile.base,
            indices,
            everywhere(view, shape) if mask is None else mask,
            result_type=VectorType(message_element(element), shape),
            hints=hints_of(op),
        )
        value = loaded(view, view.new(load), element)
        if mask is not None and number is not None:
            filler = view.new(arith.ConstantOp(repeated(number, VectorType(element, shape))))
            value = view.new(arith.SelectOp(mask, value, filler))
        values.append(value)
    bind_blocks(view, op.result, values, cast(TileType, op.source.type))


def store_scatter(view: XeGPUView, op: StoreScatterOp) -> None:
    """Emit one scatter per block."""
    tile = scattered_tile(view, op.tile)
    blocks = in_blocks(view, op.value, tile.block)
    for value, (indices, mask) in zip(blocks, _accesses(view, tile, op.mask), strict=True):
        if mask is None:
            mask = everywhere(view, vector_type(indices).get_shape())
        view.emit(StoreOp(stored(view, value), tile.base, indices, mask, hints=hints_of(op)))


def scattered_tile(view: XeGPUView, value: SSAValue) -> ScatteredTile:
    """Return the scattered tile that a value became."""
    became = view.get(value)
    if not isinstance(became, ScatteredTile):
        fail(view.current, f"{value.type} is not lowered to XeGPU yet")
    return became


def bind_blocks(
    view: XeGPUView, result: SSAValue, values: Sequence[SSAValue], tile: TileType
) -> None:
    """Bind the result of an access: blocks row by row, or one vector of rank 1."""
    block = tile.inner_blocks
    if tile.get_num_dims() == 1 or block is None:
        (value,) = values
        view.bind(result, value)
        return
    counts = (tile.shape[0] // block[0], tile.shape[1] // block[1])
    view.bind(result, Grid(values, counts, block))
