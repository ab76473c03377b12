"""Loads next to each other, or one below the other, that one larger message can do.

    %a = xegpu.load_nd %d[%m, %k]        %b = xegpu.load_nd %d[%m, %k + 16]

These are one message of two blocks if the device has it. They need one descriptor and the same hints, and must be in
one block of ops, with no op between them that may write.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import MemoryEffectKind, get_effects

from xetile.dialects.known_integers import known_integer
from xetile.dialects.upstream.vector.vector_support import vector_type
from xetile.dialects.xegpu import CompileHintOp, LoadNdOp, PrefetchNdOp
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.layout.intel.message_layouts import Access, BlockConfiguration
from xetile.targets.xe.device import XeDevice

Place = tuple[int, int]
"""Row and column (elements), relative to computed coordinates."""


class Join(NamedTuple):
    """One message for several loads, each with the row and column of the message (elements) at which it begins."""

    message: BlockConfiguration
    loads: Mapping[LoadNdOp, Place]

    @property
    def corner(self) -> LoadNdOp:
        """The load of the first row and column, whose offsets are the message's."""
        return next(load for load, place in self.loads.items() if place == (0, 0))


Run = dict[tuple[object, ...], dict[Place, LoadNdOp]]
"""Loads between two ops that may write, with their places, by the properties that they must share."""


def joins(
    blocks: Iterable[Block], messages: Mapping[LoadNdOp, BlockConfiguration], device: XeDevice
) -> Iterator[Join]:
    """Yield the larger messages of a function, each to be issued at the first of its loads."""
    for block in blocks:
        ops = {op: position for position, op in enumerate(block.ops)}
        for run in _runs(ops, messages):
            for loads in run.values():
                load = next(iter(loads.values()))
                message = messages[load]
                bits = memory_bits(vector_type(load.value).element_type) or 0
                larger = _larger(message, bits, device)
                yield from _joined(loads, message, larger, ops)


def _runs(
    ops: Iterable[Operation], messages: Mapping[LoadNdOp, BlockConfiguration]
) -> Iterator[Run]:
    found: Run = {}
    for op in ops:
        if isinstance(op, LoadNdOp) and op in messages:
            if len(op.mixed_offsets) != 2 or messages[op].transposed:
                continue
            row, column = (_split(offset) for offset in op.mixed_offsets)
            descriptor = op.TensorDesc
            others = tuple(
                (name, value)
                for name, value in op.properties.items()
                if name not in ("const_offsets", "operandSegmentSizes", "layout")
            )
            key = (
                descriptor.type,
                _surface(descriptor),
                row[0],
                column[0],
                messages[op],
                others,
            )
            found.setdefault(key, {}).setdefault((row[1], column[1]), op)
        elif not _only_reads(op):
            yield found
            found = {}
    yield found


def _surface(descriptor: SSAValue) -> object:
    """Return a key that tells surfaces apart; descriptors of equal ops have the same surface."""
    op = descriptor.owner
    if not isinstance(op, Operation):
        return descriptor
    return (op.name, tuple(op.operands), tuple(op.properties.items()))


def _only_reads(op: Operation) -> bool:
    if isinstance(op, PrefetchNdOp | CompileHintOp):
        return True
    effects = get_effects(op)
    return effects is not None and all(e.kind is MemoryEffectKind.READ for e in effects)


def _split(offset: int | SSAValue) -> tuple[SSAValue | None, int]:
    """Split an offset into an unknown value and a number."""
    number = 0
    while not isinstance(offset, int):
        known = known_integer(offset)
        if known is not None:
            return None, number + known
        op = offset.owner
        if not isinstance(op, Operation) or op.name != "arith.addi":
            return offset, number
        left, right = op.operands
        if (known := known_integer(right)) is not None:
            offset, number = left, number + known
        elif (known := known_integer(left)) is not None:
            offset, number = right, number + known
        else:
            return offset, number
    return None, number + offset


def _larger(
    message: BlockConfiguration, bits: int, device: XeDevice
) -> list[BlockConfiguration]:
    """Return the messages that combine several such blocks, the largest first, and among equals the tallest."""
    access: Access = "load_packed" if message.packed else "load"
    found = [
        c
        for c in device.messages(access, bits)
        if c.columns == message.columns
        and c.rows % message.rows == 0
        and c.blocks % message.blocks == 0
        and c != message
    ]
    return sorted(found, key=lambda c: (c.rows * c.width, c.rows), reverse=True)


def _joined(
    loads: dict[Place, LoadNdOp],
    message: BlockConfiguration,
    larger: Sequence[BlockConfiguration],
    ops: Mapping[Operation, int],
) -> Iterator[Join]:
    free = dict(sorted(loads.items()))
    while len(free) > 1:
        (row, column) = next(iter(free))
        for whole in larger:
            places = [
                (row + down, column + right)
                for down in range(0, whole.rows, message.rows)
                for right in range(0, whole.width, message.width)
            ]
            if not all(place in free for place in places):
                continue
            corner = free[row, column]
            first = min(ops[free[place]] for place in places)
            if all(_stands_before(value, first, ops) for value in corner.operands):
                yield Join(whole, {free[r, c]: (r - row, c - column) for r, c in places})
                for place in places:
                    del free[place]
                break
        else:
            del free[row, column]


def _stands_before(value: SSAValue, position: int, ops: Mapping[Operation, int]) -> bool:
    owner = value.owner
    return not isinstance(owner, Operation) or ops.get(owner, -1) < position
