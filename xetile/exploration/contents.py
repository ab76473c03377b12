"""What the registers of a thread hold at an instruction: which instruction put each byte there, as which of its own.

    send.ugm (1|M0)  r196  r67 ...         the bytes of r196 to r227 are bytes 0 to 2047 of this load
    mov (16|M0)      r20.0<1>:uw  r196.1<2>:uw       bytes of the load still, in other places
    dpas.8x8 (16|M0) r2:f  r2:f  r196:hf  r35.0:hf   reads bytes 0 to 511 of the load

The assembly is walked along its branches until nothing changes. Moves that convert nothing, and messages to scratch
memory and back, carry bytes; all else gives new ones. Where ways meet that bring different bytes, a byte is what either
brought.
"""

import re
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xetile.exploration.pieces import Piece, State, Tag, Tags, cut, in_few, met, placed
from xetile.targets.xe.device import REGISTER_BYTES, REGISTERS
from xetile.toolchain.assembly import Instruction, Program, leads_to, may_fall_through
from xetile.toolchain.operands import MOST_LENGTH, Operation, Region, product, read
from xetile.toolchain.scratch import ScratchAccess, scratch_access

_SPAN = 1 << 13
"""Tags of an instruction, more than the bytes of any result."""

_JOINS = 1 << 40
"""The first tag of bytes that differ by the way that was taken."""

_FILE_BYTES = max(REGISTERS.values()) * REGISTER_BYTES
_ACCUMULATOR_BYTES = 32 * REGISTER_BYTES
_SCRATCH_BYTES = 1 << 17
"""Of scratch memory that is followed: the reach of the offsets in messages."""


class Origin(NamedTuple):
    """A run of bytes of an operand: from `at` on, `length` of them are those from `byte` on that `instruction` gave.

    `instruction` is None of a number that stands in the text (`byte` is then the number), and -1 of what was there
    before the first one.
    """

    at: int
    length: int
    instruction: int | None
    byte: int


class _Part(NamedTuple):
    """Instructions of which all or none are executed, and the parts that may follow."""

    start: int
    stop: int
    following: tuple[int, ...]


@dataclass
class Contents:
    """What operands of instructions held: `origins(instruction, region)`, by its place among those asked for."""

    _walk: "_Walk"
    _held: Mapping[tuple[int, int], Tags]
    _known: dict[Tags, list[Origin]] = field(default_factory=dict[Tags, list[Origin]])

    def origins(self, instruction: int, operand: int) -> list[Origin]:
        """Every run of bytes that the operand of an instruction may hold."""
        tags = self._held.get((instruction, operand))
        if tags is None:
            return []
        if tags not in self._known:  # blocks of A and B are read again and again
            self._known[tags] = self._walk.describe(tags)
        return self._known[tags]


Asked = Callable[[int, Operation], Sequence[tuple[int, int]]]
"""By instruction, the operands that are wanted: first byte in registers, and bytes."""


def products_asked(program: Program) -> Asked:
    """Accumulator, B and A of matrix instructions, as operands 0, 1 and 2."""

    def asked(number: int, operation: Operation) -> Sequence[tuple[int, int]]:
        found = product(program.instructions[number], operation)
        if found is None:
            return ()
        c = found.accumulator
        return (
            (0, 0) if c is None else (c.byte, found.result_bytes),
            (found.b.byte, found.b_bytes),
            (found.a.byte, found.a_bytes),
        )

    return asked


def contents(program: Program, asked: Asked, lengths: Mapping[int, int]) -> Contents:
    """Walk an assembly; `lengths` are the bytes that messages bring, by instruction, whose text does not tell."""
    operations = [read(one, REGISTER_BYTES) for one in program.instructions]
    walk = _Walk(program, operations, lengths, _parts(program))
    walk.run()
    return Contents(walk, walk.look(asked))


def _parts(program: Program) -> list[_Part]:
    """The instructions, cut at labels and behind branches."""
    everything = program.instructions
    cuts = {0, len(everything), *(n for n in program.labels.values() if n < len(everything))}
    cuts |= {n + 1 for n, one in enumerate(everything) if leads_to(one)}
    starts = sorted(cut for cut in cuts if cut < len(everything))
    part_of = {start: number for number, start in enumerate(starts)}
    found: list[_Part] = []
    for number, start in enumerate(starts):
        stop = starts[number + 1] if number + 1 < len(starts) else len(everything)
        last = everything[stop - 1]
        targets = [program.labels.get(name, len(everything)) for name in leads_to(last)]
        following = [part_of[target] for target in targets if target in part_of]
        if may_fall_through(last) and stop in part_of:
            following.insert(0, part_of[stop])
        found.append(_Part(start, stop, tuple(dict.fromkeys(following))))
    return found


_RAW = frozenset({"mov"})
_FLOATS = {"f", "hf", "bf", "df", "bf8", "hf8", "tf32"}
_NUMBER = re.compile(r"^(-?(?:0x[0-9A-Fa-f]+|[\d.]+(?:e[+-]?\d+)?|inf)):(\w+)$")


class _Walk:
    def __init__(
        self,
        program: Program,
        operations: Sequence[Operation],
        lengths: Mapping[int, int],
        parts: Sequence[_Part],
    ) -> None:
        self.program, self.operations, self.lengths, self.parts = (
            program,
            operations,
            lengths,
            parts,
        )
        self.scratch = [scratch_access(one) for one in program.instructions]
        self.size = _FILE_BYTES + _ACCUMULATOR_BYTES
        self.size += _SCRATCH_BYTES if any(self.scratch) else 0
        self.constants: dict[Tag, int] = {}
        self.entered: list[State | None] = [None] * len(parts)
        self.left: list[State | None] = [None] * len(parts)
        self.before: list[list[int]] = [[] for _ in parts]
        for number, part in enumerate(parts):
            for following in part.following:
                self.before[following].append(number)

    def run(self) -> None:
        """Go along the branches until nothing changes."""
        waiting = [0] if self.parts else []
        while waiting:
            number = min(waiting)
            waiting.remove(number)
            entered = self._entering(number)
            known = self.entered[number]
            if known is not None and (known.firsts, known.tags) == (
                entered.firsts,
                entered.tags,
            ):
                continue
            self.entered[number] = entered
            state = entered.copy()
            for place in range(self.parts[number].start, self.parts[number].stop):
                self._execute(place, state)
            self.left[number] = state
            waiting += [n for n in self.parts[number].following if n not in waiting]

    def look(self, asked: Asked) -> dict[tuple[int, int], Tags]:
        """Go through each part once more, noting what is asked for."""
        found: dict[tuple[int, int], Tags] = {}
        for number, part in enumerate(self.parts):
            entered = self.entered[number]
            if entered is None:
                continue
            state = entered.copy()
            for place in range(part.start, part.stop):
                for operand, (byte, length) in enumerate(asked(place, self.operations[place])):
                    found[place, operand] = state.read(byte, length)
                self._execute(place, state)
        return found

    def _entering(self, number: int) -> State:
        """What is held where a part begins."""
        states = [self.left[before] for before in self.before[number]]
        known = [state for state in states if state is not None]
        if number == 0:
            known.append(State(self.size, [0], [0]))
        return met(known, self.entered[number], _JOINS + number * self.size)

    def describe(self, tags: Tags) -> list[Origin]:
        """The runs of bytes that tags stand for."""
        found: dict[Origin, None] = {}
        seen: set[tuple[int, int, int]] = set()
        waiting = list(placed(tags, 0))
        while waiting:
            at, length, tag = waiting.pop()
            if (at, length, tag) in seen:
                continue
            seen.add((at, length, tag))
            if tag >= _JOINS:
                part, byte = divmod(tag - _JOINS, self.size)
                for before in self.before[part]:
                    state = self.left[before]
                    if state is not None:
                        waiting += placed(state.read(byte, length), at)
            else:
                found[self._origin(at, length, tag)] = None
        return list(found)

    def _origin(self, at: int, length: int, tag: Tag) -> Origin:
        if tag < 0:
            return Origin(at, length, None, self.constants[tag])
        instruction, byte = divmod(tag, _SPAN)
        return Origin(at, length, instruction - 1, byte)

    def _execute(self, place: int, state: State) -> None:
        operation, one = self.operations[place], self.program.instructions[place]
        access = self.scratch[place]
        if access is not None and access.kind == "spill":
            self._spill(place, access, state)
            return
        if operation.words and operation.words[0].startswith("r["):
            state.write(0, [Piece(state.size, 0)])
            return
        target = operation.target
        if target is None:
            return
        if one.mnemonic.startswith("send"):
            self._receive(place, target, state)
            return
        found = product(one, operation)
        if found is not None:
            state.write(_byte(target), [_result(place, 0, found.result_bytes)])
            return
        moved = None if operation.is_conditional else self._moved(one, operation, state)
        done = 0
        for first, length in _stretches(target, operation.channels, target.size):
            state.write(
                first,
                [_result(place, done, length)] if moved is None else cut(moved, done, length),
            )
            done += length

    def _receive(self, place: int, target: Region, state: State) -> None:
        access = self.scratch[place]
        state.write(_byte(target), [_result(place, 0, self._length(place))])
        if access is None:
            return
        slot = self._slot(place, access, state)
        if slot is not None:
            state.write(_byte(target), state.read(slot, access.bytes))

    def _length(self, place: int) -> int:
        told = self.operations[place].bytes
        if told is None:
            told = self.lengths.get(place)
        return (MOST_LENGTH + 1) * REGISTER_BYTES if told is None else told

    def _spill(self, place: int, access: ScratchAccess, state: State) -> None:
        slot = self._slot(place, access, state)
        stored = self.operations[place].sources[1]
        if slot is None:
            scratch = _FILE_BYTES + _ACCUMULATOR_BYTES
            state.write(scratch, [Piece(state.size - scratch, 0)])
        elif stored is not None:
            state.write(slot, state.read(stored.byte, access.bytes))

    def _slot(self, place: int, access: ScratchAccess, state: State) -> int | None:
        """Where in the state a place of scratch memory is; None where only running tells."""
        byte = access.byte
        if access.is_relative:
            register = self.operations[place].sources[0]
            if register is None:
                return None
            tag = state.tag(register.byte)
            if tag not in self.constants:
                return None
            byte += self.constants[tag]
        return _FILE_BYTES + _ACCUMULATOR_BYTES + byte % _SCRATCH_BYTES

    def _moved(self, one: Instruction, operation: Operation, state: State) -> Tags | None:
        """What a move carries, channel after channel; None of what computes or converts."""
        target = operation.target
        if one.mnemonic not in _RAW or target is None or ".sat" in one.text:
            return None
        source = operation.sources[0] if operation.sources else None
        if source is None:
            tag = self._constant(operation.words[1], target) if operation.sources else None
            return None if tag is None else (Piece(operation.channels * target.size, tag),)
        same = source.type == target.type or not {source.type, target.type} & _FLOATS
        if not source.is_plain or not same or source.size < target.size:
            return None
        read = _stretches(source, operation.channels, target.size)
        return in_few(piece for first, length in read for piece in state.read(first, length))

    def _constant(self, word: str, target: Region) -> Tag | None:
        number = _number(word, target)
        if number is None:
            return None
        tag = -1 - (number & ((1 << 64) - 1))
        if tag < -(1 << 62):
            return None
        self.constants[tag] = number
        return tag


def _number(word: str, target: Region) -> int | None:
    """The number that is written, as its bits; None of what is no number."""
    found = _NUMBER.match(word)
    if found is None:
        return None
    text, type = found.groups()
    if text.lstrip("-").startswith("0x"):
        return int(text, 16)
    if type == "f" and target.type == "f":
        bits: int = struct.unpack("<i", struct.pack("<f", float(text)))[0]
        return bits
    return int(text) if text.lstrip("-").isdigit() and target.type not in _FLOATS else None


def _byte(region: Region) -> int:
    return region.byte + (_FILE_BYTES if region.file == "acc" else 0)


def _stretches(region: Region, channels: int, size: int) -> list[tuple[int, int]]:
    """Where the first `size` bytes of a region's channels are, in order: first byte, length."""
    ahead = _byte(region) - region.byte
    found: list[tuple[int, int]] = []
    for channel in range(channels):
        byte = region.place(channel) + ahead
        if found and sum(found[-1]) == byte:
            found[-1] = found[-1][0], found[-1][1] + size
        else:
            found.append((byte, size))
    return found


def _result(place: int, byte: int, length: int) -> Piece:
    """Bytes of what an instruction gives, from `byte` on."""
    return Piece(length, (place + 1) * _SPAN + byte)
