"""Ops of instructions that debug lines give to the function only: those in front of the first op of the kernel.

    and r255 r0 0xFFFFFFC0         address of the kernel's arguments     of the next
    send.ugm r1 r255 ..            brings them                           of the op that first reads r1
    mov null r255                  waits until r255 is free again        of the message in front
    or cr0 cr0 0x4C0               how floats round                      the compiler's own

It is a guess that such a line is of the first op that reads what it writes: others may read it too.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xetile.targets.xe.device import REGISTER_BYTES
from xetile.toolchain.assembly import Instruction
from xetile.toolchain.operands import Operation, Region, read


class _Used(NamedTuple):
    """Bytes of registers, from `first` to before `end`."""

    first: int
    end: int

    def meets(self, other: "_Used") -> bool:
        return self.first < other.end and other.first < self.end


def followed(
    instructions: Sequence[Instruction], links: Sequence[int | None]
) -> Mapping[int, int]:
    """By instruction without a link the op that it is for; those that nothing tells of are left out."""
    operations = [read(one, REGISTER_BYTES) for one in instructions]
    found: dict[int, int] = {}
    for place in reversed(range(len(links))):
        if links[place] is not None:
            continue
        reader = _reader(operations, place)
        link = None if reader is None else found.get(reader, links[reader])
        if link is not None:
            found[place] = link
    for place, one in enumerate(instructions):
        before = place - 1
        if links[place] is None and before in found and _waits(one, operations[place]):
            is_message = instructions[before].mnemonic.startswith("send")
            if is_message or _waits(instructions[before], operations[before]):
                found[place] = found[before]
    return found


def _waits(one: Instruction, operation: Operation) -> bool:
    """Whether an instruction does nothing but wait: it writes nothing."""
    return one.mnemonic in ("mov", "sync") and operation.words[0].startswith("null")


def _reader(operations: Sequence[Operation], place: int) -> int | None:
    """The next instruction in the text that reads what one writes, before it is written over."""
    target = operations[place].target
    if target is None or target.file != "r":
        return None
    written = _used(target, operations[place])
    for number in range(place + 1, len(operations)):
        other = operations[number]
        sources = (region for region in other.sources if region is not None)
        if any(_used(one, other).meets(written) for one in sources if one.file == "r"):
            return number
        over = None if other.target is None else _used(other.target, other)
        if over is not None and over.first <= written.first and over.end >= written.end:
            return None
    return None


def _used(region: Region, operation: Operation) -> _Used:
    if not region.type:  # of a message: whole registers
        length = max(operation.bytes or 0, REGISTER_BYTES)
        return _Used(region.byte, region.byte + length)
    return _Used(region.byte, region.place(operation.channels - 1) + region.size)
