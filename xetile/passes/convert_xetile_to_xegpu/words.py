"""Accesses whose messages do not move a tile's elements as they are: in other words, or more than the tile.

The message of a column-major tile of f16 exchanges words of two elements, and is a descriptor of words:

    %d = xegpu.create_nd_tdesc %address, shape : [96, 32], strides : [32, 1] : i64 -> !xegpu.tensor_desc<16x8xi32>
    %w = xegpu.load_nd %d[16, %words] : !xegpu.tensor_desc<16x8xi32> -> vector<16x8xi32>
    %v = vector.bitcast %w : vector<16x8xi32> to vector<16x16xf16>
"""

from typing import cast

from xdsl.dialects.builtin import FloatTF32Type, IndexType, VectorType, f32
from xdsl.ir import Attribute, SSAValue

from xetile.dialects.shared_attributes import integer_type
from xetile.dialects.upstream import arith
from xetile.dialects.upstream.vector import BitcastOp, ExtractStridedSliceOp
from xetile.dialects.upstream.vector.support import vector_of, vector_type
from xetile.dialects.xetile import TileType
from xetile.dialects.xetile.types import memory_bits
from xetile.layout.algebra.distribution import containing_block
from xetile.layout.intel.messages import BlockConfiguration
from xetile.passes.convert_xetile_to_xegpu.memory_types import loaded, message_element, stored
from xetile.passes.convert_xetile_to_xegpu.view import Grid, XeGPUView
from xetile.planning.slices import Block
from xetile.planning.uses import TileUse
from xetile.planning.words import access_of, word_bits
from xetile.rewriting.one_to_many import Expansion


def element_bits(tile: TileType) -> int:
    """Bits of an element of a tile in memory."""
    bits = memory_bits(tile.element_type)
    assert bits is not None, "a surface of such elements is refused"
    return bits


def bits_of_words(
    view: XeGPUView, tile: TileType, use: TileUse, message: BlockConfiguration
) -> int:
    """Bits of the words in which a message moves a tile: as a rule those of an element."""
    return word_bits(view.device, access_of(use, message), message, element_bits(tile))


def words_type(
    element: Attribute, rows: int, columns: int, bits: int, word: int
) -> VectorType[Attribute]:
    """The words of a block of elements."""
    kind = message_element(element) if word == bits else integer_type(word)
    return vector_of(kind, (rows, columns * bits // word))


def cast_to(view: Expansion, value: SSAValue, type: VectorType[Attribute]) -> SSAValue:
    """The same bits as elements of another size; those of tf32 are in memory as f32, indices as i64."""
    if value.type == type:
        return value
    given = vector_type(value)
    if isinstance(type.element_type, IndexType):
        numbers = VectorType(message_element(type.element_type), type.get_shape())
        return loaded(view, cast_to(view, value, numbers), type.element_type)
    if isinstance(given.element_type, IndexType):
        return cast_to(view, stored(view, value), type)
    if isinstance(given.element_type, FloatTF32Type):
        value = view.new(arith.ExtFOp(value, VectorType(f32, given.get_shape())))
    return view.new(BitcastOp(value, type))


def within(view: Expansion, covered: Grid, block: Block, extents: Block) -> Grid:
    """The blocks of a vector of these extents, out of what larger messages loaded of it and around it."""
    if covered.block == block:
        return covered

    def part(row: int, column: int) -> SSAValue:
        source, start = containing_block(covered.block, block, row, column)
        value = covered.at(*source)
        if vector_type(value).get_shape() == block:
            return value
        return view.new(ExtractStridedSliceOp(value, list(start), list(block)))

    shape = (extents[0] // block[0], extents[1] // block[1])
    return Grid.built(shape, block, part)


def fits(message: BlockConfiguration, block: Block) -> bool:
    """Whether a message moves no more than a block, as upstream's smaller ones do."""
    return message.rows <= block[0] and message.columns <= block[1]


def rounded_up(extents: Block, block: Block) -> Block:
    """The extents of the least whole blocks around a tile."""
    rows, columns = (-(-n // step) * step for n, step in zip(extents, block, strict=True))
    return rows, columns


def inner_blocks(tile: TileType) -> Block:
    """The blocks of a tile that has them."""
    return cast(Block, tile.inner_blocks)
