"""Atomic ops on tiles: each block's elements in one row, with a mask of those inside the surface.

%d = xegpu.create_tdesc %address, %offsets : i64, vector<128xindex>
-> !xegpu.tensor_desc<128xf32, #xegpu.scatter_tdesc_attr<>>
%old = xegpu.atomic_rmw addf %d, %mask, %value : ...
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType, MemRefType, VectorType, i1, i64
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.operand_types import ELEMENT_TYPE, FLOATS_8
from xetile.dialects.upstream import memref
from xetile.dialects.upstream.vector import ShapeCastOp
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import (
    AtomicRMWOp,
    CreateTdescOp,
    MemorySpace,
    ScatterTensorDescAttr,
    TensorDescType,
)
from xetile.dialects.xetile import AtomicRMWTileOp, TileType
from xetile.dialects.xetile.xetile_attributes import GLOBAL
from xetile.errors import fail
from xetile.layout.algebra.block_grids import block_offsets
from xetile.passes.xe.convert_xetile_to_xegpu.memory_types import (
    loaded,
    message_element,
    stored,
    taken_as,
)
from xetile.passes.xe.convert_xetile_to_xegpu.scattered_tiles import (
    ScatteredTile,
    bind_blocks,
    in_blocks,
)
from xetile.passes.xe.convert_xetile_to_xegpu.shared_tiles import SharedTile
from xetile.passes.xe.convert_xetile_to_xegpu.single_elements import (
    Part,
    everywhere,
    flat,
    inside,
    offsets,
)
from xetile.passes.xe.convert_xetile_to_xegpu.xegpu_view import Placed, Tile, XeGPUView


class _Row(NamedTuple):
    """The elements of a block in one row: their places, and a mask of those that exist."""

    base: SSAValue
    offsets: SSAValue
    mask: SSAValue | None


def atomic_rmw_tile(view: XeGPUView, op: AtomicRMWTileOp) -> None:
    """Emit one op per block. Elements outside the surface are masked off, and their result is zero."""
    type = cast(TileType, op.tile.type)
    element = type.element_type
    if element == i1 and op.kind_name != "assign":
        fail(
            op,
            f"atomic_rmw_tile <{op.kind_name}> on i1, of which memory has bytes that are 0 or not; i1 takes <assign>, "
            "i8 all kinds",
        )
    space = MemorySpace.GLOBAL if type.memory_space == GLOBAL else MemorySpace.SLM
    values: list[SSAValue] = []
    blocks = in_blocks(view, op.value, type.inner_blocks)
    for value, row in zip(blocks, _rows(view, op, type), strict=True):
        shape = vector_type(row.offsets).get_shape()
        descriptor = TensorDescType.of(
            shape, _changed_as(element), ScatterTensorDescAttr(memory_space=space)
        )
        place = view.new(
            CreateTdescOp(
                _in_numbered_space(view, row.base), row.offsets, result_type=descriptor
            )
        )
        mask = everywhere(view, shape) if row.mask is None else row.mask
        bits = taken_as(view, _cast(view, stored(view, value), shape), _changed_as(element))
        change = AtomicRMWOp(place, mask, bits, result_type=bits.type, kind=op.kind)
        if isinstance(element, FLOATS_8):
            change.attributes[ELEMENT_TYPE] = element
        old = taken_as(view, view.new(change), message_element(element))
        old = _cast(view, old, vector_type(value).get_shape())
        values.append(loaded(view, old, element))
    bind_blocks(view, op.result, values, type)


def _changed_as(element: Attribute) -> Attribute:
    """Return the type whose elements are changed: the op's kind, not the type, says if integers are signed."""
    type = message_element(element)
    return IntegerType(type.bitwidth) if isinstance(type, IntegerType) else type


def _rows(view: XeGPUView, op: AtomicRMWTileOp, type: TileType) -> Iterator[_Row]:
    tile, block = view.get(op.tile), type.inner_blocks
    if isinstance(tile, ScatteredTile):
        for indices in tile.values:
            row = _cast(view, indices, flat(vector_type(indices).get_shape()))
            yield _Row(tile.base, row, tile.inside(view, row))
        return
    assert isinstance(tile, Placed)
    assert block is not None, "checked where the tile is made"
    for start in block_offsets(type.shape, block):
        part = Part(tile.corner, start, block, flat(block))
        base, places = _places(view, tile, part)
        yield _Row(base, places, inside(view, tile.sizes, part))


def _places(view: XeGPUView, tile: Placed, part: Part) -> tuple[SSAValue, SSAValue]:
    """Return the places of a block's elements: a base, and their offsets from it."""
    if isinstance(tile, SharedTile):
        return tile.elements.base, tile.offsets(view, part)
    assert isinstance(tile, Tile)
    assert tile.elements is not None, "a tile that atomic ops reach says where they lie"
    return tile.elements.base, offsets(view, tile.elements, part)


def _in_numbered_space(view: XeGPUView, base: SSAValue) -> SSAValue:
    """Return a memref whose memory space is the number that descriptors require."""
    if not isinstance(base.type, MemRefType):
        return base
    type = cast(MemRefType[Attribute], base.type)
    if type.memory_space.name != "gpu.address_space":
        return base
    numbered = MemRefType(
        type.element_type, type.get_shape(), type.layout, IntegerAttr(3, i64)
    )
    return view.beside(base, numbered, lambda: memref.MemorySpaceCastOp(base, numbered))


def _cast(view: XeGPUView, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    type = vector_type(value)
    wanted = VectorType(type.element_type, shape)
    return value if type == wanted else view.new(ShapeCastOp(value, wanted))
