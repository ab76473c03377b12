"""The work of one subgroup at level V, loop by loop, as the last pass is about to write it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import IntAttr, IntegerAttr, MemRefType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.dialects.upstream.spirv import ControlBarrierOp
from xetile.dialects.xevm import (
    BlockLoad2dOp,
    BlockLoadOp,
    BlockPrefetch2dOp,
    BlockStore2dOp,
    BlockStoreOp,
    MMAOp,
)
from xetile.explanation.facts import Kind, Loop, Message, Place, Space, Tally
from xetile.explanation.sources import place_of
from xetile.levels import SURFACES_ATTRIBUTE
from xetile.passes.xe.convert_xevm_to_llvm.control_flow import LOOPS, rounds_of
from xetile.passes.xe.convert_xevm_to_llvm.llvm_view import LLVMView
from xetile.targets.target import BYTE_BITS
from xetile.targets.xe.device import GLOBAL_ADDRESS_SPACE, LANES, SHARED_ADDRESS_SPACE

_COUNTED: dict[Kind, str] = {
    "load": "loads",
    "store": "stores",
    "prefetch": "prefetches",
    "atomic": "atomics",
}


_SPACES: dict[int | None, Space] = {
    GLOBAL_ADDRESS_SPACE: "global",
    SHARED_ADDRESS_SPACE: "shared",
}


class At(NamedTuple):
    """The place of messages in the source, the loop around them, and their kind."""

    place: Place | None
    kind: Kind
    loop: int | None
    space: Space = "global"


class _Moved(NamedTuple):
    kind: Kind
    shape: str
    bytes: int


@dataclass
class Lanes:
    """A kernel at level V: its loops, its instructions outside of loops, its messages by their place.

    `is_tested` says that the kernel tests its matrices, and also contains the same work with gathers.
    """

    loops: list[Loop] = field(default_factory=list[Loop])
    once: Tally = field(default_factory=Tally)
    messages: dict[At, Counter[tuple[str, int]]] = field(
        default_factory=dict[At, Counter[tuple[str, int]]]
    )
    is_tested: bool = False

    def of(self, at: At) -> tuple[Message, ...]:
        """Return the messages of a place, equal ones merged."""
        found = self.messages.get(at, Counter())
        return tuple(Message(shape, count, size) for (shape, size), count in found.items())


def read_lanes(view: LLVMView) -> Lanes:
    """Read a kernel as the last pass has planned to write it."""
    reader = _Reader(view)
    reader.region(view.function, None)
    found = reader.lanes
    tallies = [Tally(**reader.tallies[number]) for number in range(len(found.loops))]
    found.loops = [
        Loop(loop.place, loop.outer, loop.rounds, loop.copies, tally)
        for loop, tally in zip(found.loops, tallies, strict=True)
    ]
    found.once = Tally(**reader.tallies[None])
    return found


class _Reader:
    def __init__(self, view: LLVMView) -> None:
        self.view = view
        self.lanes = Lanes()
        self.tallies: dict[int | None, Counter[str]] = {None: Counter()}

    def region(self, op: Operation, loop: int | None) -> None:
        for block in (block for region in op.regions for block in region.blocks):
            self.block(block, loop)

    def block(self, block: Block, loop: int | None) -> None:
        for op in block.ops:
            if op.name in LOOPS:
                self.region(op, self.entered(op, loop))
            else:
                self.counted(op, loop)
                if self.is_test(op):
                    self.lanes.is_tested = True
                    self.block(op.regions[0].blocks[0], loop)
                else:
                    self.region(op, loop)

    def is_test(self, op: Operation) -> bool:
        """Return True if one branch of an op has messages, and the other has gathers instead (assume=check)."""
        if op.name != "scf.if" or SURFACES_ATTRIBUTE not in self.view.function.attributes:
            return False
        places = [
            {place_of(inner) for inner in region.walk() if space_of(inner) is not None}
            for region in op.regions
        ]
        return not places[0].isdisjoint(places[1])

    def entered(self, op: Operation, outer: int | None) -> int:
        number = len(self.lanes.loops)
        is_for = op.name == "scf.for"
        rounds = rounds_of(op, self.view.ranges) if is_for else None
        copies = self.view.copies.get(op, 1)
        self.lanes.loops.append(Loop(place_of(op), outer, rounds, copies, Tally()))
        self.tallies[number] = Counter()
        return number

    def counted(self, op: Operation, loop: int | None) -> None:
        tally = self.tallies[loop]
        if isinstance(op, MMAOp):
            tally["products"] += 1
            tally["rows"] += op.shape.sizes[0]
            tally["flops"] += 2 * prod(op.shape.sizes)
        elif op.name == "gpu.shuffle":
            tally["shuffles"] += 1
        elif _is_barrier(op):
            tally["barriers"] += 1
        elif (space := _SPACES.get(space_of(op))) and (moved := self.moved(op)) is not None:
            tally["shared" if space == "shared" else _COUNTED[moved.kind]] += 1
            at = At(place_of(op), moved.kind, loop, space)
            self.lanes.messages.setdefault(at, Counter())[moved[1:]] += 1

    def moved(self, op: Operation) -> _Moved | None:
        """Return the message of an op, or None if it is part of another message."""
        view = self.view
        if isinstance(op, BlockStore2dOp) and op in view.pairs:
            pair = view.pairs[op]
            return None if pair is None else _block("store", op, columns=2 * op.columns)
        if isinstance(op, BlockLoad2dOp):
            if op in view.row_reads:
                return _row(view.row_reads[op])
            if op in view.joined.values():
                return None
            return _block("load", op, columns=op.columns * (2 if op in view.joined else 1))
        if isinstance(op, BlockStore2dOp):
            return _block("store", op, columns=op.columns)
        if isinstance(op, BlockPrefetch2dOp):
            return _block("prefetch", op, columns=op.columns)
        return _simple(op)


def _block(
    kind: Kind, op: BlockLoad2dOp | BlockStore2dOp | BlockPrefetch2dOp, *, columns: int
) -> _Moved:
    blocks = 1 if isinstance(op, BlockStore2dOp) else op.v_blocks.value.data
    shape = f"{op.rows}x{columns}" + f"x{blocks}" * (blocks > 1)
    if isinstance(op, BlockLoad2dOp):
        shape += " packed" * op.is_packed
        shape += f" transposed, words of {op.bits} bits" * op.is_transposed
    return _Moved(kind, shape, op.rows * columns * blocks * op.bits // BYTE_BITS)


def _row(loads: Sequence[BlockLoad2dOp]) -> _Moved | None:
    """Return the 1D read that replaces several loads of one row, for the first of them; None for the others."""
    if not loads:
        return None
    columns = sum(load.columns for load in loads)
    return _Moved("load", f"1x{columns}, 1D", columns * loads[0].bits // BYTE_BITS)


def _simple(op: Operation) -> _Moved | None:
    """Return a message of one dimension, or one in which each lane has its own address, or None."""
    if isinstance(op, BlockLoadOp):
        size = _bits(op.res.type) * LANES // BYTE_BITS
        return _Moved("load", f"{size} bytes in a row", size)
    if isinstance(op, BlockStoreOp):
        size = _bits(op.val.type) * LANES // BYTE_BITS
        return _Moved("store", f"{size} bytes in a row", size)
    name = op.name.partition(".")[2]
    if "atomic" in name or "cmpxchg" in name:
        bits = _bits(op.results[0].type)
        return _by_lanes("atomic", bits)
    if name == "prefetch":
        return _by_lanes("prefetch", 0)
    kinds: dict[str, Kind] = {"load": "load", "store": "store"}
    if name not in kinds:
        return None
    values = op.results if name == "load" else op.operands[:1]
    return _by_lanes(kinds[name], _bits(values[0].type))


def _by_lanes(kind: Kind, bits: int) -> _Moved:
    size = bits // BYTE_BITS
    return _Moved(kind, f"{LANES} lanes x {size} bytes", size * LANES)


def _bits(type: Attribute) -> int:
    shape: Sequence[int] = getattr(type, "get_shape", tuple)()
    element: Attribute = getattr(type, "element_type", type)
    bits: int = getattr(element, "bitwidth", 0)
    return bits * prod(shape)


def space_of(op: Operation) -> int | None:
    """Return the address space that an op reads or writes, or None if it accesses no memory."""
    if not op.name.partition(".")[2].startswith(_TOUCHING):
        return None
    return next((found for v in op.operands if (found := _space_of(v)) is not None), None)


_TOUCHING = ("block", "load", "store", "prefetch", "atomic", "cmpxchg")


def _space_of(value: SSAValue) -> int | None:
    type = value.type
    if isinstance(type, LLVMPointerType):
        return type.addr_space.data if isinstance(type.addr_space, IntAttr) else 0
    if isinstance(type, MemRefType):
        space = type.memory_space
        return space.value.data if isinstance(space, IntegerAttr) else GLOBAL_ADDRESS_SPACE
    return None


def _is_barrier(op: Operation) -> bool:
    """Return True if an op makes the subgroups of a workgroup wait for each other."""
    if isinstance(op, ControlBarrierOp):
        return not op.is_of_subgroup
    return op.name == "gpu.barrier"
