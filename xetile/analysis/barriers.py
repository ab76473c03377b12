"""Find out if barriers of the workgroup separate the writes to a memref from a load of it.

If they do, it does not matter which subgroup loads what. Memrefs that begin as different arguments, allocations or
globals are different memory (docs/xetile-dialect.md, "Kernels at workgroup level").
"""

from collections.abc import Hashable, Iterator
from functools import cached_property
from typing import cast

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from xetile.analysis.same_value import Classes, carried_pairs
from xetile.dialects.traits import (
    HandsOn,
    MakesTile,
    MovesTile,
    PrefetchesTile,
    ReadsTile,
    WritesTile,
    has_trait,
)
from xetile.dialects.xetile import InitTileOp, TileType

BARRIER = "gpu.barrier"

_LOOPS = ("scf.for", "scf.while")
_WRITES_NOTHING = (
    "gpu.barrier",
    "gpu.printf",
    "gpu.return",
    "func.return",
    "memref.alloc",
    "memref.dealloc",
    "memref.load",
    "vector.load",
    "vector.print",
    "vector.transfer_read",
    "xetile.check",
)
_READS = ("memref.load", "vector.load", "vector.transfer_read")
_BEGINS = ("memref.alloc", "memref.alloca")

Root = Hashable
"""Where a memref begins: an argument, an allocation, the name of a global; `UNKNOWN` may be any of them."""

UNKNOWN = None


class WrittenMemory:
    """The memory that the ops of a function write, and the barriers between them."""

    def __init__(self, function: Operation) -> None:
        self._entry = function.regions[0].blocks[0]
        self._operations = list(function.walk())

    def meets(self, load: Operation) -> bool:
        """Return True if an op may write where `load` reads, with no barrier between them in either order."""
        roots = self._roots_of(load)
        writes = [op for op, written in self._writes if _overlap(roots, written)]
        if not writes:
            return False
        return any(found in writes for found in until_barrier(load)) or any(
            found is load for write in writes for found in until_barrier(write)
        )

    def follows_read(self, write: Operation) -> bool:
        """Return True if an op may read where `write` writes, with no barrier between the read and `write`."""
        roots = self._roots_of(write)
        return any(
            _overlap(roots, self._roots_of(read)) and write in until_barrier(read)
            for read in self._operations
            if has_trait(read, ReadsTile) or read.name in _READS
        )

    @cached_property
    def _writes(self) -> list[tuple[Operation, frozenset[Root]]]:
        return [(op, self._roots_of(op)) for op in self._operations if _may_write(op)]

    @cached_property
    def _tiles(self) -> Classes[frozenset[Root]]:
        """Return the roots of each tile; the tiles that loops and moves make the same are one class."""
        tiles = Classes[frozenset[Root]](lambda left, right: left | right)
        for op in self._operations:
            for left, right in carried_pairs(op):
                if isinstance(left.type, TileType):
                    tiles.unite(left, right)
            if has_trait(op, MovesTile):
                tiles.unite(op.results[0], op.operands[0])
            elif isinstance(op, InitTileOp):
                tiles.give(op.tile, frozenset((self._root(op.source),)))
        return tiles

    def _roots_of(self, op: Operation) -> frozenset[Root]:
        """Return the roots of the tiles and memrefs that an op uses; `UNKNOWN` if it uses none."""
        roots: frozenset[Root] = frozenset()
        for operand in op.operands:
            if isinstance(operand.type, TileType):
                roots |= self._tiles.fact(operand) or frozenset((UNKNOWN,))
            elif isinstance(operand.type, MemRefType):
                roots |= {self._root(operand)}
        return roots or frozenset((UNKNOWN,))

    def _root(self, memory: SSAValue) -> Root:
        while isinstance(memory.owner, Operation):
            op = memory.owner
            if op.name == "memref.get_global":
                return op.properties["name"]
            if op.name in _BEGINS:
                return memory
            views = op.name.startswith("memref.") and op.operands
            if not views or not isinstance(op.operands[0].type, MemRefType):
                return UNKNOWN
            memory = op.operands[0]
        argument = cast(BlockArgument, memory)
        return argument if argument.block is self._entry else UNKNOWN


def _overlap(left: frozenset[Root], right: frozenset[Root]) -> bool:
    return UNKNOWN in left or UNKNOWN in right or not left.isdisjoint(right)


def _may_write(op: Operation) -> bool:
    if has_trait(op, WritesTile):
        return True
    if op.regions or op.name in _WRITES_NOTHING:
        return False
    if has_trait(op, ReadsTile, PrefetchesTile, MakesTile, HandsOn):
        return False
    return not is_side_effect_free(op)


def until_barrier(op: Operation) -> Iterator[Operation]:
    """Yield the ops that may execute after `op` before the next barrier, also in later rounds of its loops."""
    entered: set[Block] = set()
    yield from _after(op, entered)


def _after(op: Operation, entered: set[Block]) -> Iterator[Operation]:
    block = op.parent
    at = op.next_op
    while at is not None:
        yield from _inside(at, entered)
        if at.name == BARRIER:
            return
        at = at.next_op
    around = None if block is None else block.parent_op()
    if around is None or around.name.endswith(".func"):
        return
    if around.name in _LOOPS:
        yield from _inside(around, entered)
    yield from _after(around, entered)


def _inside(op: Operation, entered: set[Block]) -> Iterator[Operation]:
    """Yield an op and the ops in its regions that execute before a barrier."""
    yield op
    for block in (block for region in op.regions for block in region.blocks):
        if block in entered:
            continue
        entered.add(block)
        for inner in block.ops:
            yield from _inside(inner, entered)
            if inner.name == BARRIER:
                break
