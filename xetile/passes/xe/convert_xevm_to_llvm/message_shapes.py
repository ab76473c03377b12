"""What a 2D block op of xevm moves, and whether it does so again and again."""

from typing import TypeAlias

from xdsl.ir import Block

from xetile.dialects.xevm import BlockLoad2dOp, BlockPrefetch2dOp, BlockStore2dOp
from xetile.errors import fail
from xetile.passes.xe.convert_xevm_to_llvm.builtins import BlockShape

BlockMessage: TypeAlias = BlockLoad2dOp | BlockStore2dOp | BlockPrefetch2dOp


_LOOPS = ("scf.for", "scf.while")


def is_in_loop(block: Block) -> bool:
    """Whether a block of ops is in a structured loop."""
    op = block.parent_op()
    while op is not None and op.name not in _LOOPS:
        op = op.parent_op()
    return op is not None


def shape_of(op: BlockMessage) -> BlockShape:
    """What a 2D block op moves.

    Errors: XetileError for a width that no message has, though upstream's verifier takes it.
    """
    columns = op.tile_width.value.data
    if columns & (columns - 1):
        fail(op, f"tile_width is {columns}; block messages have powers of two")
    blocks = 1 if isinstance(op, BlockStore2dOp) else op.v_blocks.value.data
    return BlockShape(
        op.elem_size_in_bits.value.data, op.tile_height.value.data, columns, blocks
    )
