"""Address payloads that several block loads and stores share.

A 2D message takes eight words of address: the surface, a place, the extents of the block. The plain builtins build them
anew for each message, six instructions; a payload is built once, and messages that differ in their place by constants
say how far they are from it. Where the hardware cannot say that (pvc), IGC copies the payload and adds.
"""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from xdsl.ir import Block, Operation, SSAValue

from xetile.dialects.xevm import LANES, BlockLoad2dOp, BlockStore2dOp
from xetile.passes.xe.convert_xevm_to_llvm.builtins import BlockShape
from xetile.passes.xe.convert_xevm_to_llvm.message_shapes import is_in_loop, shape_of
from xetile.passes.xe.convert_xevm_to_llvm.places import Place, place_of
from xetile.passes.xe.convert_xevm_to_llvm.types import CHUNK, vector_length
from xetile.passes.xe.convert_xevm_to_llvm.wide_stores import Pairs
from xetile.targets.xe.messages import PAYLOAD_REACH
from xetile.targets.xe.surface import SURFACE

_Access: TypeAlias = BlockLoad2dOp | BlockStore2dOp


@dataclass(eq=False)
class SharedPayload:
    """A payload: the access that it is made for first, what a message moves, and the least column and row of all."""

    first: _Access
    shape: BlockShape
    x: Place
    y: Place
    pointer: SSAValue | None = None
    """The payload where it was last made: what is written several times, makes it several times."""


class PayloadAccess(NamedTuple):
    """An access through a payload, and how far right of it and below it is (elements)."""

    payload: SharedPayload
    x: int
    y: int


class _Member(NamedTuple):
    op: _Access
    shape: BlockShape
    x: Place
    y: Place


def shared_payloads(
    function: Operation, pairs: Pairs, otherwise: Container[Operation]
) -> Mapping[Operation, PayloadAccess]:
    """The accesses that go through a payload: two of one block of ops and one surface, or more; stores of a pair.

    Not those that are done `otherwise`.
    """
    found: dict[Operation, PayloadAccess] = {}
    for op in function.walk():
        for region in op.regions:
            for block in region.blocks:
                for members in _groups(block, pairs, otherwise):
                    found |= _through_one(members)
    return found


def _groups(
    block: Block, pairs: Pairs, otherwise: Container[Operation]
) -> Iterator[list[_Member]]:
    found: dict[object, list[_Member]] = {}
    in_loop = is_in_loop(block)
    for op in block.ops:
        member = _member(op, pairs, in_loop=in_loop)
        if member is not None and op not in otherwise:
            (x, column), (y, row) = member.x, member.y
            near = column // PAYLOAD_REACH, row // PAYLOAD_REACH
            odd = column * member.shape.bits // 8 % SURFACE.column_multiple
            key = (*member.op.operands[:4], member.shape, x, y, *near, odd)
            found.setdefault(key, []).append(member)
    for members in found.values():
        if len(members) > 1 or members[0].op in pairs:
            yield members


def _member(op: Operation, pairs: Pairs, *, in_loop: bool) -> _Member | None:
    if isinstance(op, BlockStore2dOp):
        pair = pairs.get(op)
        if pair is not None:
            shape = shape_of(op)
            wide = shape._replace(columns=2 * shape.columns)
            return _Member(op, wide, place_of(pair.left.x), place_of(pair.left.y))
        if op in pairs:
            return None
    elif not isinstance(op, BlockLoad2dOp) or in_loop or op.is_packed or op.is_transposed:
        return None
    shape = shape_of(op)
    value = op.res if isinstance(op, BlockLoad2dOp) else op.stored_val
    if shape.columns != LANES or shape.blocks != 1 or shape.rows > CHUNK:
        return None
    if vector_length(value.type) != shape.rows:
        return None
    return _Member(op, shape, place_of(op.x), place_of(op.y))


def _through_one(members: list[_Member]) -> Mapping[Operation, PayloadAccess]:
    op, shape, (x, _), (y, _) = members[0]
    left, top = min(m.x[1] for m in members), min(m.y[1] for m in members)
    payload = SharedPayload(op, shape, (x, left), (y, top))
    return {
        member.op: PayloadAccess(payload, member.x[1] - left, member.y[1] - top)
        for member in members
    }
