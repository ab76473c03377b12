"""A kernel of the llvm dialect as plain data: its values with the bytes that they take in a thread's registers.

- A vector is per lane: its bytes times the lanes. A scalar is one for all lanes (and takes its own bytes) unless it
  comes from something that lanes do not share.
- Constants and places are no values: they are operands of instructions.
- Private memory is in registers: a message that reads fills it (one value, live until its last part was read), parts
  are copied out of it, and what is written to it for a message lives until the message.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.hints import isa
from xetile.planning.pressure.liveness import Kind, Point, Straight
from xetile.targets.xe.device import REGISTER_BYTES

_NOTHING = ("llvm.mlir.constant", "llvm.mlir.undef", "llvm.mlir.poison", "llvm.mlir.zero")
"""Ops whose results take no registers."""

_PAYLOAD = "AddressPayload"
"""What makes the payload of a message, in a register of its own, by a piece of the function's name."""

_OF_A_LANE = ("local_id", "shuffle", "_block_read", "broadcast")
"""What gives each lane a result of its own, by a piece of the function's name."""


class Reading(NamedTuple):
    """A kernel as values and points; `ops` are those of the points."""

    sizes: list[int]
    blocks: list[Straight]
    ops: list[list[Operation]]


def read_kernel(function: llvm.FuncOp, lanes: int, *, copied: bool) -> Reading:
    """The values and points of a kernel.

    `copied`: whether parts of a message's registers are values of their own, as IGC counts them.
    """
    return _Reader(function, lanes, copied=copied).read()


class _Reader:
    def __init__(self, function: llvm.FuncOp, lanes: int, *, copied: bool) -> None:
        self.function, self.lanes, self.copied = function, lanes, copied
        self.sizes: list[int] = []
        self.numbers: dict[SSAValue, tuple[int, ...]] = {}
        self.places: dict[SSAValue, tuple[SSAValue, int]] = {}
        self.memories: dict[SSAValue, int] = {}
        self.written: dict[SSAValue, dict[int, tuple[int, ...]]] = {}
        self.varying: set[SSAValue] = set()

    def read(self) -> Reading:
        blocks = list(self.function.body.blocks)
        for _ in range(
            2
        ):  # what a loop carries may differ between lanes from its second round on
            for block in blocks:
                for op in block.ops:
                    self.spread(op)
        made: list[Straight] = []
        ops: list[list[Operation]] = []
        for block in blocks:
            points, own = self.block(block)
            last = block.last_op
            next = () if last is None else tuple(map(blocks.index, last.successors))
            made.append(Straight(points, next))
            ops.append(own)
        return Reading(self.sizes, made, ops)

    def spread(self, op: Operation) -> None:
        """Mark what differs between lanes."""
        differs = _is_of_a_lane(op) or any(value in self.varying for value in op.operands)
        if differs:
            self.varying.update(op.results)
        if isinstance(op, llvm.BrOp | llvm.CondBrOp):
            for value, argument in _passed(op):
                if value in self.varying:
                    self.varying.add(argument)

    def block(self, block: Block) -> tuple[list[Point], list[Operation]]:
        points: list[Point] = []
        ops: list[Operation] = []
        arguments = tuple(n for value in block.args for n in self.number(value))
        if arguments and block.first_op is not None:
            points.append(Point(arguments))
            ops.append(block.first_op)
        for op in block.ops:
            for point in self.points(op):
                points.append(point)
                ops.append(op)
        return points, ops

    def number(self, value: SSAValue) -> tuple[int, ...]:
        found = self.numbers.get(value)
        if found is None:
            found = (self.new(self.bytes_of(value)),)
            self.numbers[value] = found
        return found

    def new(self, size: int) -> int:
        self.sizes.append(size)
        return len(self.sizes) - 1

    def bytes_of(self, value: SSAValue) -> int:
        if isinstance(value.owner, Operation) and _PAYLOAD in _called(value.owner):
            return REGISTER_BYTES
        bits = _bits(value.type)
        shared = value not in self.varying and not _is_long(value.type)
        return bits // 8 if shared else bits * self.lanes // 8

    def values(self, op: Operation) -> tuple[int, ...]:
        """What an op reads; constants and places are left out."""
        return tuple(
            number
            for value in op.operands
            if not _is_nothing(value) and value not in self.places
            for number in self.number(value)
        )

    def points(self, op: Operation) -> Sequence[Point]:
        match op:
            case llvm.AllocaOp():
                self.places[op.res] = op.res, 0
                return ()
            case llvm.GEPOp() if op.ptr in self.places:
                memory, start = self.places[op.ptr]
                self.places[op.result] = memory, start + _offset(op)
                return ()
            case llvm.LoadOp() if op.ptr in self.places:
                return self.part(op)
            case llvm.StoreOp() if op.ptr in self.places:
                return self.written_part(op)
            case llvm.CallOp() if any(value in self.places for value in op.operands):
                return self.message(op)
            case llvm.BitcastOp() if not _is_nothing(op.operands[0]):
                self.numbers[op.results[0]] = self.number(op.operands[0])
                return ()
            case _ if op.name in _NOTHING:
                return ()
            case _:
                made = tuple(n for value in op.results for n in self.number(value))
                return (Point(made, self.values(op), _kind(op)),)

    def message(self, op: Operation) -> Sequence[Point]:
        """A call that fills private memory, or takes what is in it."""
        memory = next(self.places[value][0] for value in op.operands if value in self.places)
        parts = self.written.pop(memory, {})
        if parts:
            held = tuple(number for part in parts.values() for number in part)
            return (Point((), (*self.values(op), *held), "ordered"),)
        number = self.new(_array_bits(memory) * self.lanes // 8)
        self.memories[memory] = number
        return (Point((number,), self.values(op), "load"),)

    def part(self, op: llvm.LoadOp) -> Sequence[Point]:
        memory, start = self.places[op.ptr]
        if memory in self.written:
            self.numbers[op.results[0]] = self.written[memory].get(start, ())
            return ()
        number = self.memories.get(memory)
        if number is None:
            return (Point(self.number(op.results[0])),)
        self.varying.add(op.results[0])
        if not self.copied or _bits(op.results[0].type) == _array_bits(memory):
            self.numbers[op.results[0]] = (number,)
            return ()
        element = self.new(_bits(_element(op.results[0].type)) * self.lanes // 8)
        return Point((*self.number(op.results[0]), element)), Point((), (number,))

    def written_part(self, op: llvm.StoreOp) -> Sequence[Point]:
        memory, start = self.places[op.ptr]
        parts = self.written.setdefault(memory, {})
        if _is_nothing(op.value):
            parts[start] = ()
            return ()
        source = self.number(op.value)
        parts[start] = source
        return (Point((), source),)


def _is_of_a_lane(op: Operation) -> bool:
    name = _called(op)
    return any(piece in name for piece in _OF_A_LANE) or any(
        _is_long(value.type) for value in op.results
    )


def _called(op: Operation) -> str:
    return op.callee.root_reference.data if isinstance(op, llvm.CallOp) and op.callee else ""


def _kind(op: Operation) -> Kind:
    if "matrix_mad" in _called(op):
        return "product"
    return "plain" if op.results else "ordered"


def _passed(op: llvm.BrOp | llvm.CondBrOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    given: list[Sequence[SSAValue]] = (
        [op.operands] if isinstance(op, llvm.BrOp) else [op.then_arguments, op.else_arguments]
    )
    for values, target in zip(given, op.successors, strict=True):
        yield from zip(values, target.args, strict=True)


def _is_nothing(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and value.owner.name in _NOTHING


def _is_long(type: Attribute) -> bool:
    """Whether a type is that of a vector of a lane's elements; one of two is a place (x, y)."""
    return isa(type, VectorType) and type.get_shape()[0] > 2


def _element(type: Attribute) -> Attribute:
    return type.element_type if isa(type, VectorType) else type


def _bits(type: Attribute) -> int:
    if isa(type, VectorType):
        return type.get_shape()[0] * _bits(type.element_type)
    if isa(type, IntegerType):
        return 0 if type.width.data == 1 else type.width.data
    if isinstance(type, AnyFloat):
        return type.bitwidth
    if isinstance(type, llvm.LLVMPointerType):
        return 64
    return 0


def _array_bits(memory: SSAValue) -> int:
    op = memory.owner
    assert isinstance(op, llvm.AllocaOp)
    type = op.elem_type
    if isinstance(type, llvm.LLVMArrayType):
        return type.size.data * _bits(type.type)
    return _bits(type)


def _offset(op: llvm.GEPOp) -> int:
    indices = op.rawConstantIndices
    assert isinstance(indices, DenseArrayBase)
    return int(indices.get_values()[0])
