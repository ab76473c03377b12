"""Where 2D messages of one block of ops lie, as a value and a number each, and what stands between them."""

from typing import TypeAlias

from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType, UnrankedMemRefType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from xetile.dialects.known_integers import known_integer
from xetile.hints import isa
from xetile.targets.xe.surface import SURFACE

CASTS = frozenset({"arith.index_cast", "arith.trunci", "arith.extsi"})
"""Ops that keep a coordinate, where both types hold all of its bits."""

_HARMLESS = ("arith.", "math.", "vector.", "gpu.block_id", "gpu.thread_id", "gpu.lane_id")
"""Ops, by how their names begin, that touch no memory unless they have some of it as an operand."""

Place: TypeAlias = tuple[SSAValue | None, int]
"""A number as a value and what is added to it."""


def place_of(value: SSAValue) -> Place:
    """A coordinate as a value and a constant, as far as casts and sums show it; modulo 2^32, as messages count."""
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
    """Whether a type holds all bits of a coordinate."""
    return isinstance(type, IndexType) or (
        isa(type, IntegerType) and type.width.data >= SURFACE.place_bits
    )


def touches_no_memory(op: Operation) -> bool:
    """Whether an op neither reads nor writes memory, nor waits for anyone; False where that is not known."""
    if not op.name.startswith(_HARMLESS) or not op.results or op.regions:
        return False
    return not any(
        isa(v.type, MemRefType) or isa(v.type, UnrankedMemRefType) for v in op.operands
    )
