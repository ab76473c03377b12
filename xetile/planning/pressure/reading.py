"""A kernel of the llvm dialect as plain data: its values with the bytes that they take in a thread's registers.

- A vector is per lane: its bytes times the lanes. A scalar is one for all lanes (and takes its own bytes) unless it
  comes from something that lanes do not share.
- Constants and places are no values: they are operands of instructions.
- Private memory is in registers: a message that reads fills it (one value, live until its last part was read), parts
  are copied out of it, and what is written to it for a message lives until the message.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, IntegerType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.hints import isa
from xetile.planning.pressure.liveness import Kind, Point, Straight
from xetile.targets.xe.device import REGISTER_BYTES

_NOTHING = frozenset(
    {"llvm.mlir.constant", "llvm.mlir.undef", "llvm.mlir.poison", "llvm.mlir.zero"}
)
"""Ops whose results take no registers."""

_PAYLOAD = "AddressPayload"
"""What makes the payload of a message, in a register of its own, by a piece of the function's name."""

_HARMLESS = ("prefetch", _PAYLOAD)
"""What gives nothing and yet does not keep loads in their places, by a piece of the function's name."""

_OF_A_LANE = ("local_id", "shuffle", "_block_read", "broadcast")
"""What gives each lane a result of its own, by a piece of the function's name."""


class Reading(NamedTuple):
    """A kernel as values and points; `ops` are those of the points, `parts` the copies by what they are part of."""

    sizes: list[int]
    blocks: list[Straight]
    ops: list[list[Operation]]
    parts: Mapping[int, int]

    @property
    def multiplies(self) -> bool:
        """Whether there are matrix instructions."""
        return any(point.kind == "product" for block in self.blocks for point in block.points)

    def without_copies(self) -> "Reading":
        """The same where parts of a message stay in its registers."""
        blocks: list[Straight] = []
        ops: list[list[Operation]] = []
        for block, own in zip(self.blocks, self.ops, strict=True):
            kept = [at for at, point in enumerate(block.points) if point.kind != "copy"]
            points = [self._in_place(block.points[at]) for at in kept]
            blocks.append(Straight(points, block.successors))
            ops.append([own[at] for at in kept])
        return Reading(self.sizes, blocks, ops, {})

    def _in_place(self, point: Point) -> Point:
        if self.parts.keys().isdisjoint(point.read):
            return point
        return point._replace(read=tuple(self.parts.get(value, value) for value in point.read))


def read_kernel(function: llvm.FuncOp, lanes: int) -> Reading:
    """The values and points of a kernel."""
    return _Reader(function, lanes).read()


class _Type(NamedTuple):
    """Of a type: its bits in a lane, those of an element, whether each lane has elements of its own."""

    bits: int
    element: int
    long: bool


class _Reader:
    def __init__(self, function: llvm.FuncOp, lanes: int) -> None:
        self.function, self.lanes = function, lanes
        self.sizes: list[int] = []
        self.parts: dict[int, int] = {}
        self.numbers: dict[SSAValue, tuple[int, ...]] = {}
        self.places: dict[SSAValue, tuple[SSAValue, int]] = {}
        self.memories: dict[SSAValue, int] = {}
        self.written: dict[SSAValue, dict[int, tuple[int, ...]]] = {}
        self.varying: set[SSAValue] = set()
        self.types: dict[int, tuple[Attribute, _Type]] = {}
        self.readers: dict[type[Operation], Callable[[Operation], Sequence[Point]]] = {
            llvm.AllocaOp: self.memory,
            llvm.GEPOp: self.place,
            llvm.LoadOp: self.part,
            llvm.StoreOp: self.written_part,
            llvm.CallOp: self.call,
            llvm.BitcastOp: self.recast,
        }

    def read(self) -> Reading:
        blocks = list(self.function.body.blocks)
        self.find_varying(blocks)
        made: list[Straight] = []
        ops: list[list[Operation]] = []
        for block in blocks:
            points, own = self.block(block)
            last = block.last_op
            next = () if last is None else tuple(map(blocks.index, last.successors))
            made.append(Straight(points, next))
            ops.append(own)
        return Reading(self.sizes, made, ops, self.parts)

    def find_varying(self, blocks: Sequence[Block]) -> None:
        """Mark the scalars that differ between lanes; what a loop carries may do so from its second round on."""
        before = -1
        while len(self.varying) > before:
            before = len(self.varying)
            for op in (op for block in blocks for op in block.ops):
                self.spread(op)

    def spread(self, op: Operation) -> None:
        varying, type_of = self.varying, self.type_of
        for result in op.results:
            if result in varying or type_of(result).long:
                continue
            differs = any(v in varying or type_of(v).long for v in op.operands)
            if differs or _is_of_a_lane(_called(op)):
                varying.add(result)
        for value, result in _passed(op) if op.successors else ():
            if not type_of(result).long and (value in varying or type_of(value).long):
                varying.add(result)

    def type_of(self, value: SSAValue) -> _Type:
        found = self.types.get(id(value.type))
        if found is None:
            type = value.type
            is_vector = isa(type, VectorType)
            long = is_vector and type.get_shape()[0] > 2  # one of two is a place (x, y)
            element = _bits(type.element_type if is_vector else type)
            found = self.types[id(type)] = (type, _Type(_bits(type), element, long))
        return found[1]

    def block(self, block: Block) -> tuple[list[Point], list[Operation]]:
        points: list[Point] = []
        ops: list[Operation] = []
        arguments = tuple(n for value in block.args for n in self.number(value))
        if arguments and block.first_op is not None:
            points.append(Point(arguments))
            ops.append(block.first_op)
        for op in block.ops:
            if op.name in _NOTHING:
                continue
            for point in self.readers.get(type(op), self.other)(op):
                points.append(point)
                ops.append(op)
        return points, ops

    def number(self, value: SSAValue) -> tuple[int, ...]:
        found = self.numbers.get(value)
        if found is None:
            found = self.numbers[value] = () if _is_nothing(value) else (self.new_of(value),)
        return found

    def new_of(self, value: SSAValue) -> int:
        if isinstance(value.owner, Operation) and _PAYLOAD in _called(value.owner):
            return self.new(REGISTER_BYTES)
        type = self.type_of(value)
        shared = value not in self.varying and not type.long
        return self.new(type.bits * (1 if shared else self.lanes) // 8)

    def new(self, size: int) -> int:
        self.sizes.append(size)
        return len(self.sizes) - 1

    def values(self, op: Operation) -> tuple[int, ...]:
        """What an op reads; constants and places are left out."""
        return tuple(
            number
            for value in op.operands
            if value not in self.places
            for number in self.number(value)
        )

    # What ops are, by their class.

    def other(self, op: Operation) -> Sequence[Point]:
        made = tuple(n for value in op.results for n in self.number(value))
        return (Point(made, self.values(op), "plain" if op.results else "ordered"),)

    def memory(self, op: Operation) -> Sequence[Point]:
        self.places[op.results[0]] = op.results[0], 0
        return ()

    def place(self, op: Operation) -> Sequence[Point]:
        if op.operands[0] not in self.places:
            return self.other(op)
        assert isinstance(op, llvm.GEPOp)
        memory, start = self.places[op.operands[0]]
        self.places[op.results[0]] = memory, start + _offset(op)
        return ()

    def recast(self, op: Operation) -> Sequence[Point]:
        self.numbers[op.results[0]] = self.number(op.operands[0])
        return ()

    def call(self, op: Operation) -> Sequence[Point]:
        """A call; one with private memory fills it, or takes what is in it."""
        memory = next((self.places[v][0] for v in op.operands if v in self.places), None)
        if memory is None:
            (point,) = self.other(op)
            return (point._replace(kind=_kind(op)),)
        parts = self.written.pop(memory, {})
        if parts:
            held = tuple(number for part in parts.values() for number in part)
            return (Point((), (*self.values(op), *held), "ordered"),)
        number = self.new(_array_bits(memory) * self.lanes // 8)
        self.memories[memory] = number
        return (Point((number,), self.values(op), "load"),)

    def part(self, op: Operation) -> Sequence[Point]:
        (result,) = op.results
        if op.operands[0] not in self.places:
            return self.other(op)
        memory, start = self.places[op.operands[0]]
        if memory in self.written:
            self.numbers[result] = self.written[memory].get(start, ())
            return ()
        whole = self.memories.get(memory)
        if whole is None:
            return (Point(self.number(result)),)
        type = self.type_of(result)
        if type.bits == _array_bits(memory):
            self.numbers[result] = (whole,)
            return ()
        part = self.new(type.bits * self.lanes // 8)
        self.numbers[result] = (part,)
        self.parts[part] = whole
        element = self.new(type.element * self.lanes // 8)
        return Point((part, element), (), "copy"), Point((), (whole,), "copy")

    def written_part(self, op: Operation) -> Sequence[Point]:
        value, pointer = op.operands
        if pointer not in self.places:
            return self.other(op)
        memory, start = self.places[pointer]
        source = self.number(value)
        self.written.setdefault(memory, {})[start] = source
        return (Point((), source),) if source else ()


def _called(op: Operation) -> str:
    return op.callee.root_reference.data if isinstance(op, llvm.CallOp) and op.callee else ""


@cache
def _is_of_a_lane(function: str) -> bool:
    return any(piece in function for piece in _OF_A_LANE)


@cache
def _kind_of(function: str) -> Kind:
    """Of a call that gives nothing."""
    return "plain" if any(piece in function for piece in _HARMLESS) else "ordered"


def _kind(op: Operation) -> Kind:
    name = _called(op)
    if "matrix_mad" in name:
        return "product"
    return "plain" if op.results else _kind_of(name)


def _passed(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """What a branch hands to the blocks that follow."""
    match op:
        case llvm.BrOp():
            given: list[Sequence[SSAValue]] = [op.operands]
        case llvm.CondBrOp():
            given = [op.then_arguments, op.else_arguments]
        case _:
            return
    for values, target in zip(given, op.successors, strict=True):
        yield from zip(values, target.args, strict=True)


def _is_nothing(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and value.owner.name in _NOTHING


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
