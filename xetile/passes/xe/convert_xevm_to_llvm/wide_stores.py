"""Neighbouring stores as one message: those that write half a row of a message's registers.

    xevm.blockstore2d %p, %w, %h, %w, %x, %y, %a <{elem_size_in_bits = 16, tile_height = 8, tile_width = 16}>
    xevm.blockstore2d %p, %w, %h, %w, %x16, %y, %b <{elem_size_in_bits = 16, tile_height = 8, tile_width = 16}>

with %x16 = %x + 16 are one store of 8x32, issued where the second stands. A row of it is a register, of which %a has
the first half and %b the second: what lanes hold of a row of %a and of %b follow one another.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.ir import Block, Operation

from xetile.dialects.xevm import LANES, BlockPrefetch2dOp, BlockStore2dOp, MMAOp
from xetile.layout.intel.messages import BlockConfiguration
from xetile.passes.xe.convert_xevm_to_llvm.message_shapes import shape_of
from xetile.passes.xe.convert_xevm_to_llvm.places import place_of, touches_no_memory
from xetile.passes.xe.convert_xevm_to_llvm.types import vector_length
from xetile.targets.target import Target
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.messages import JOINED_STORE_BITS


class Pair(NamedTuple):
    """Two stores side by side."""

    left: BlockStore2dOp
    right: BlockStore2dOp


Pairs = Mapping[Operation, Pair | None]
"""By the later store of a pair the pair, by the earlier one None: it is part of what follows."""


class _Waiting(NamedTuple):
    """A store that nothing has read or written over: its place beside values that it shares with its run."""

    op: BlockStore2dOp
    x: int
    y: int


def joined_stores(function: Operation, targets: Sequence[Target]) -> Pairs:
    """The stores that become one; none unless every target has the wider message."""
    found: dict[Operation, Pair | None] = {}
    if not targets:
        return found
    for block in (
        block for op in function.walk() for region in op.regions for block in region.blocks
    ):
        for earlier, later in _pairs(block, targets):
            left, right = sorted((earlier, later), key=lambda store: store.x)
            found[earlier.op] = None
            found[later.op] = Pair(left.op, right.op)
    return found


def _pairs(block: Block, targets: Sequence[Target]) -> Iterator[tuple[_Waiting, _Waiting]]:
    waiting: list[_Waiting] = []
    run: object = None
    for op in block.ops:
        if isinstance(op, BlockStore2dOp):
            (x, column), (y, row) = place_of(op.x), place_of(op.y)
            mine = (*op.operands[:4], op.elem_size_in_bits, x, y)
            if mine != run:
                # stores to surfaces that may lie on one another keep their order
                run, waiting = mine, []
            store = _Waiting(op, column, row)
            beside = next((w for w in waiting if _is_beside(w, store)), None)
            waiting = [w for w in waiting if w is not beside and not _overlap(w, store)]
            if beside is not None and _has_wider(op, targets) and _are_rows(beside.op, op):
                yield beside, store
            else:
                waiting.append(store)
        elif not isinstance(op, BlockPrefetch2dOp | MMAOp) and not touches_no_memory(op):
            waiting = []


def _is_beside(first: _Waiting, second: _Waiting) -> bool:
    apart = abs(first.x - second.x)
    return (
        first.op.properties == second.op.properties
        and first.y == second.y
        and apart == first.op.tile_width.value.data
    )


def _overlap(first: _Waiting, second: _Waiting) -> bool:
    left, right = sorted((first, second), key=lambda store: store.x)
    upper, lower = sorted((first, second), key=lambda store: store.y)
    return (
        right.x - left.x < left.op.tile_width.value.data
        and lower.y - upper.y < upper.op.tile_height.value.data
    )


def _are_rows(*stores: BlockStore2dOp) -> bool:
    """Whether each lane has an element of each row."""
    return all(
        vector_length(store.stored_val.type) == store.tile_height.value.data
        for store in stores
    )


def _has_wider(op: BlockStore2dOp, targets: Sequence[Target]) -> bool:
    shape = shape_of(op)
    if shape.columns != LANES or shape.bits not in JOINED_STORE_BITS:
        return False
    wide = BlockConfiguration(shape.rows, 2 * shape.columns, 1, packed=False, transposed=False)
    return all(
        isinstance(target, XeDevice) and wide in target.compiled("store", shape.bits)
        for target in targets
    )
