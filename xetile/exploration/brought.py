"""Which op gives each byte that a lane holds of a value of level L, and where that lies in registers.

    call @..block_read_16b_32r16x2c(.., %9)        gives 128 bytes to each lane, words of 2 bytes
    %48 = llvm.load (getelementptr %9[64])         bytes 64 to 79 of these
    %79 = call @..matrix_mad..(%48, ..)            reads them

What only renames is looked through: casts, shuffles of a lane's own components, places in private arrays, arguments of
blocks. Words of a value lie in registers one behind the other, each for all lanes (source: IGC's vISA of subgroups
with as many lanes as a register of words; every load and matrix instruction of the tests is held against it).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, VectorType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from xetile.hints import isa
from xetile.targets.target import BYTE_BITS

CONSTANT = -1
"""In place of an op: a number that stands in the text, or nothing certain."""


class Given(NamedTuple):
    """A byte of what an op gives to each lane; `op` counts the ops of level L."""

    op: int
    byte: int


class Run(NamedTuple):
    """Bytes of a value that lie one behind the other in what gives them: the first of them is one of `given`.

    A constant is at byte 0 for all of them.
    """

    length: int
    given: frozenset[Given]


Bytes: TypeAlias = tuple[Run, ...]
"""A lane's part of a value, in order."""

_CONSTANTS = ("llvm.mlir.constant", "llvm.mlir.zero", "llvm.mlir.undef", "llvm.mlir.poison")


_EXTRACT = "llvm.extractelement"


def word_bytes(type: Attribute) -> int:
    """Bytes of a component."""
    element = type
    if isa(type, VectorType):
        element = type.element_type
    elif isinstance(type, llvm.LLVMArrayType):
        element = type.type
    bits: int = getattr(element, "bitwidth", 0)
    return max(1, bits // BYTE_BITS)


def lane_bytes(type: Attribute) -> int:
    """Bytes that each lane holds of a value."""
    if isa(type, VectorType):
        return type.element_count() * word_bytes(type)
    if isinstance(type, llvm.LLVMArrayType):
        return type.size.data * word_bytes(type)
    return word_bytes(type)


@dataclass
class Brought:
    """Answers for the values of a kernel; `numbers` has the index of every op."""

    numbers: Mapping[Operation, int]
    _known: dict[SSAValue, Bytes] = field(default_factory=dict[SSAValue, Bytes])
    _underway: set[SSAValue] = field(default_factory=set[SSAValue])
    _cut: bool = False

    def of(self, value: SSAValue) -> Bytes:
        """What gives each byte of a lane's part."""
        if value in self._known:
            return self._known[value]
        if value in self._underway:
            self._cut = True
            return (Run(lane_bytes(value.type), frozenset()),)
        outermost = not self._underway
        self._underway.add(value)
        found = self._found(value)
        self._underway.remove(value)
        if outermost:
            self._cut = False
        if not self._cut:
            self._known[value] = found
        return found

    def words(self, op: Operation) -> int:
        """Bytes of a word of what an op gives: to an array whose address it gets, or as its result."""
        array = _array_of(op)
        return word_bytes(array.elem_type if array is not None else op.results[0].type)

    def payload(self, op: Operation) -> int | None:
        """Bytes that an op gives to each lane; None of one that gives nothing."""
        array = _array_of(op)
        if array is not None:
            return lane_bytes(array.elem_type)
        return lane_bytes(op.results[0].type) if op.results else None

    def _found(self, value: SSAValue) -> Bytes:
        if isinstance(value, BlockArgument):
            return self._argument(value)
        op = value.owner
        assert isinstance(op, Operation)
        match op:
            case llvm.BitcastOp():
                return self.of(op.operands[0])
            case llvm.ShuffleVectorOp():
                return self._shuffled(op)
            case llvm.InsertElementOp():
                return self._inserted(op)
            case llvm.LoadOp():
                return self._loaded(op)
            case _ if op.name == _EXTRACT:
                return self._extracted(op)
            case _:
                return self._own(op, value)

    def _own(self, op: Operation, value: SSAValue) -> Bytes:
        size = lane_bytes(value.type)
        if op.name in _CONSTANTS:
            return (_nothing_certain(size),)
        return (Run(size, frozenset({Given(self.numbers[op], 0)})),)

    def _argument(self, value: BlockArgument) -> Bytes:
        passed = list(_passed(value))
        if not passed:
            return (_nothing_certain(lane_bytes(value.type)),)
        return _united([self.of(other) for other in passed])

    def _shuffled(self, op: llvm.ShuffleVectorOp) -> Bytes:
        size = word_bytes(op.operands[0].type)
        both = (*self.of(op.operands[0]), *self.of(op.operands[1]))
        found: list[Run] = []
        for first, count in _stretches([int(place) for place in op.mask.get_values()]):
            if first < 0:
                found.append(_nothing_certain(count * size))
            else:
                found += _part(both, first * size, (first + count) * size)
        return _joined(found)

    def _inserted(self, op: llvm.InsertElementOp) -> Bytes:
        place = _constant(op.index)
        if place is None:
            return self._own(op, op.res)
        size = word_bytes(op.value.type)
        around, end = self.of(op.vector), lane_bytes(op.vector.type)
        before = _part(around, 0, place * size)
        behind = _part(around, (place + 1) * size, end)
        return _joined([*before, *self.of(op.value), *behind])

    def _extracted(self, op: Operation) -> Bytes:
        place = _constant(op.operands[1])
        if place is None:
            return self._own(op, op.results[0])
        size = word_bytes(op.results[0].type)
        return tuple(_part(self.of(op.operands[0]), place * size, (place + 1) * size))

    def _loaded(self, op: llvm.LoadOp) -> Bytes:
        at = _place(op.ptr)
        writer = None if at is None else _writer(op, at[0])
        if at is None or writer is None:
            return self._own(op, op.results[0])
        size = lane_bytes(op.results[0].type)
        return (Run(size, frozenset({Given(self.numbers[writer], at[1])})),)


def _nothing_certain(length: int) -> Run:
    return Run(length, frozenset({Given(CONSTANT, 0)}))


def _behind(given: frozenset[Given], bytes: int) -> frozenset[Given]:
    """What gives the byte that lies so many bytes behind."""
    return frozenset(
        one if one.op == CONSTANT else Given(one.op, one.byte + bytes) for one in given
    )


def _part(runs: Bytes, first: int, end: int) -> Iterator[Run]:
    """The bytes from `first` to before `end`."""
    at = 0
    for length, given in runs:
        start, stop = max(first, at), min(end, at + length)
        if start < stop:
            yield Run(stop - start, given if start == at else _behind(given, start - at))
        at += length


def _joined(runs: Iterable[Run]) -> Bytes:
    """The same bytes in as few runs as there can be."""
    found: list[Run] = []
    for run in runs:
        if found and _behind(found[-1].given, found[-1].length) == run.given:
            found[-1] = Run(found[-1].length + run.length, found[-1].given)
        else:
            found.append(run)
    return tuple(found)


def _united(ways: Sequence[Bytes]) -> Bytes:
    """What any of several ways gives."""
    cuts = sorted({0}.union(*(accumulate(run.length for run in way) for way in ways)))
    none: frozenset[Given] = frozenset()
    return tuple(
        Run(
            end - first,
            none.union(*(run.given for way in ways for run in _part(way, first, end))),
        )
        for first, end in pairwise(cuts)
    )


def _stretches(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Components of a shuffle that follow each other: the first of them, and how many; -1 where there is none."""
    start = 0
    for end in range(1, len(places) + 1):
        step = min(1, places[start] + 1)  # those that are nothing follow each other too
        if end == len(places) or places[end] != places[start] + (end - start) * step:
            yield places[start], end - start
            start = end


def _constant(value: SSAValue) -> int | None:
    op = value.owner
    if isinstance(op, llvm.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None


def _place(pointer: SSAValue) -> tuple[llvm.AllocaOp, int] | None:
    """The private array that a pointer is in, and the byte of it."""
    byte = 0
    while isinstance(pointer.owner, llvm.GEPOp):
        op = pointer.owner
        places = [int(place) for place in op.rawConstantIndices.get_values()]
        if len(places) != 1 or op.ssa_indices or places[0] < 0:
            return None
        byte += places[0] * word_bytes(op.elem_type)
        pointer = op.ptr
    return (pointer.owner, byte) if isinstance(pointer.owner, llvm.AllocaOp) else None


def _writer(load: Operation, array: llvm.AllocaOp) -> Operation | None:
    """The call before a load, in its block, that fills the array."""
    op = load.prev_op
    while op is not None:
        if isinstance(op, llvm.CallOp) and array.res in op.operands:
            return op
        if isinstance(op, llvm.StoreOp) and _place(op.ptr) is not None:
            return None
        op = op.prev_op
    return None


def _array_of(op: Operation) -> llvm.AllocaOp | None:
    """The private array that a call fills."""
    if not isinstance(op, llvm.CallOp) or op.results:
        return None
    owners: Sequence[object] = [operand.owner for operand in op.args]
    return next((owner for owner in owners if isinstance(owner, llvm.AllocaOp)), None)


def _passed(value: BlockArgument) -> Iterator[SSAValue]:
    """What branches pass for an argument of a block."""
    for block in value.block.predecessors():
        match block.last_op:
            case llvm.BrOp() as branch:
                given: list[Sequence[SSAValue]] = [branch.operands]
            case llvm.CondBrOp() as branch:
                given = [branch.then_arguments, branch.else_arguments]
            case _:
                continue
        for values, target in zip(given, branch.successors, strict=True):
            if target is value.block:
                yield values[value.index]
