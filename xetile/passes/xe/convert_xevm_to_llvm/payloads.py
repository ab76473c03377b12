"""Messages of one block of ops that are issued together: adjacent stores as one, and those that share an address.

Adjacent stores that write half a row of a message's registers become one message:

    xevm.blockstore2d %p, %w, %h, %w, %x, %y, %a <{elem_size_in_bits = 16, tile_height = 8, tile_width = 16}>
    xevm.blockstore2d %p, %w, %h, %w, %x16, %y, %b <{elem_size_in_bits = 16, tile_height = 8, tile_width = 16}>

With %x16 = %x + 16 these are one store of 8x32, issued at the second. A row of it is a register, of which %a has the
first half and %b the second. So in each lane the parts of a row of %a and of %b follow one another.

Several block loads and stores can share an address payload. A 2D message takes eight words of address: the surface, a
place, the extents of the block. The plain builtins build them again for each message, in six instructions. A payload is
built once, and messages whose places differ by constants state their distance from it. If the hardware has no such
distance (pvc), IGC copies the payload and adds.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType, UnrankedMemRefType
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from xetile.dialects.known_integers import known_integer
from xetile.dialects.xevm import LANES, BlockLoad2dOp, BlockPrefetch2dOp, BlockStore2dOp, MMAOp
from xetile.errors import fail
from xetile.hints import isa
from xetile.layout.intel.message_layouts import BlockConfiguration
from xetile.passes.xe.convert_xevm_to_llvm.builtins import BlockShape
from xetile.passes.xe.convert_xevm_to_llvm.llvm_types import CHUNK, vector_length
from xetile.targets.target import Target
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.messages import JOINED_STORE_BITS, PAYLOAD_REACH
from xetile.targets.xe.surface import SURFACE

BlockMessage: TypeAlias = BlockLoad2dOp | BlockStore2dOp | BlockPrefetch2dOp


_LOOPS = ("scf.for", "scf.while")


def is_in_loop(block: Block) -> bool:
    """Return True if a block of ops is in a structured loop."""
    op = block.parent_op()
    while op is not None and op.name not in _LOOPS:
        op = op.parent_op()
    return op is not None


def shape_of(op: BlockMessage) -> BlockShape:
    """Return the shape of the data that a 2D block op moves.

    Errors: XetileError for a width that no message has, though upstream's verifier takes it.
    """
    columns = op.tile_width.value.data
    if columns & (columns - 1):
        fail(op, f"tile_width is {columns}; block messages have powers of two")
    blocks = 1 if isinstance(op, BlockStore2dOp) else op.v_blocks.value.data
    return BlockShape(
        op.elem_size_in_bits.value.data, op.tile_height.value.data, columns, blocks
    )


CASTS = frozenset({"arith.index_cast", "arith.trunci", "arith.extsi"})
"""Ops that preserve a coordinate if both types can represent all of its bits."""

_HARMLESS = ("arith.", "math.", "vector.", "gpu.block_id", "gpu.thread_id", "gpu.lane_id")
"""Prefixes of the names of ops that access no memory unless they have memory as an operand."""

Place: TypeAlias = tuple[SSAValue | None, int]
"""A number as a value and a constant added to it."""


def place_of(value: SSAValue) -> Place:
    """Split a coordinate into a value and a constant through casts and sums; modulo 2^32, as messages count."""
    number = known_integer(value)
    if number is not None:
        return None, number
    op = value.op if isinstance(value, OpResult) else None
    if op is not None and op.name in CASTS:
        if all(map(holds_places, (op.operands[0].type, value.type))):
            return place_of(op.operands[0])
    elif op is not None and op.name == "arith.addi" and holds_places(value.type):
        (left, step), (right, more) = map(place_of, op.operands)
        if left is None or right is None:
            return (right if left is None else left), step + more
    return value, 0


def holds_places(type: Attribute) -> bool:
    """Return True if a type holds all bits of a coordinate."""
    return isinstance(type, IndexType) or (
        isa(type, IntegerType) and type.width.data >= SURFACE.place_bits
    )


def touches_no_memory(op: Operation) -> bool:
    """Return True if an op is known to access no memory and to wait for no other lane or subgroup."""
    if not op.name.startswith(_HARMLESS) or not op.results or op.regions:
        return False
    return not any(
        isa(v.type, MemRefType) or isa(v.type, UnrankedMemRefType) for v in op.operands
    )


class Pair(NamedTuple):
    """Two adjacent stores."""

    left: BlockStore2dOp
    right: BlockStore2dOp


Pairs = Mapping[Operation, Pair | None]
"""The pair of stores by the later store; None by the earlier one, which is part of the pair's message."""


class _Waiting(NamedTuple):
    """A store that no op has read from or written over, with its place relative to values shared with its run."""

    op: BlockStore2dOp
    x: int
    y: int


def joined_stores(function: Operation, targets: Sequence[Target]) -> Pairs:
    """Return the stores to merge, or an empty mapping unless every target has the wider message."""
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
                # stores to surfaces that may overlap keep their order
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
    """Return True if each lane has an element of each row."""
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


_Access: TypeAlias = BlockLoad2dOp | BlockStore2dOp


@dataclass(eq=False)
class SharedPayload:
    """A payload: its first access, the shape of the messages, and the least column and row of all accesses."""

    first: _Access
    shape: BlockShape
    x: Place
    y: Place
    pointer: SSAValue | None = None
    """The payload where it was last made; a copied round makes it again."""


class PayloadAccess(NamedTuple):
    """An access through a payload, and its distance to the right and down (elements)."""

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
    """Return the accesses that use a payload: two or more of one block of ops and one surface, and stores of a pair.

    Accesses in `otherwise`, which are lowered in another way, are excluded.
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
