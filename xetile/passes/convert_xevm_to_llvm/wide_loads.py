"""Neighbouring transposed loads as one message, on devices whose transposed messages are wider than XeVM's.

    %a = xevm.blockload2d %p, %w, %h, %w, %x, %y <{tile_height = 16, tile_width = 8, transpose = true, ...}>
    %b = xevm.blockload2d %p, %w, %h, %w, %x8, %y <{tile_height = 16, tile_width = 8, transpose = true, ...}>

with %x8 = %x + 8 are one call of intel_sub_group_2d_block_read_transpose_32b_16r16x1c, of whose registers the first
half is %a and the second %b: every lane has a row, and its columns in order.
"""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Block, Operation

from xetile.dialects.xevm import LANES, BlockLoad2dOp, BlockPrefetch2dOp, MMAOp
from xetile.layout.intel.messages import BlockConfiguration
from xetile.passes.convert_xevm_to_llvm.places import place_of, touches_no_memory
from xetile.targets.target import Target
from xetile.targets.xe.device import XeDevice


def joined_loads(
    function: Operation, targets: Sequence[Target]
) -> Mapping[Operation, BlockLoad2dOp]:
    """By the first load of each pair the second; none unless every target has the wider message."""
    found: dict[Operation, BlockLoad2dOp] = {}
    if not targets:
        return found
    for block in (
        block for op in function.walk() for region in op.regions for block in region.blocks
    ):
        for first, second in _pairs(block):
            columns = first.tile_width.value.data
            wide = BlockConfiguration(
                first.tile_height.value.data, 2 * columns, 1, packed=False, transposed=True
            )
            bits = first.elem_size_in_bits.value.data
            if all(
                isinstance(t, XeDevice) and wide in t.compiled("load_transposed", bits)
                for t in targets
            ):
                found[first] = second
    return found


def _pairs(block: Block) -> Iterator[tuple[BlockLoad2dOp, BlockLoad2dOp]]:
    """Loads of a block with the one that follows to the right of each, nothing between that writes."""
    waiting: list[BlockLoad2dOp] = []
    for op in block.ops:
        if isinstance(op, BlockLoad2dOp):
            if not _transposes_rows(op):
                continue
            left = next((load for load in waiting if _is_right_of(op, load)), None)
            if left is None:
                waiting.append(op)
            else:
                waiting.remove(left)
                yield left, op
        elif not isinstance(op, BlockPrefetch2dOp | MMAOp) and not touches_no_memory(op):
            waiting.clear()


def _transposes_rows(op: BlockLoad2dOp) -> bool:
    """Whether each lane gets whole rows."""
    return (
        op.is_transposed and op.tile_height.value.data >= LANES and op.v_blocks.value.data == 1
    )


def _is_right_of(right: BlockLoad2dOp, left: BlockLoad2dOp) -> bool:
    if right.properties != left.properties or right.operands[:4] != left.operands[:4]:
        return False
    (x, start), (other, begin) = place_of(right.x), place_of(left.x)
    beside = x is other and start - begin == left.tile_width.value.data
    return beside and place_of(right.y) == place_of(left.y)
