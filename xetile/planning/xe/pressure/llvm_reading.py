"""A kernel of the llvm dialect as plain data: its values with the bytes that they take in a thread's registers.

- A vector is per lane: its bytes times the lanes. A scalar is shared by all lanes (and takes its own bytes) unless it
  comes from a value that differs by lane.
- Constants and places are not values: they are operands of instructions.
- Private memory is in registers. A load message fills it (one value, live until its last part is read), and its parts
  are copies. Values written to it for a message are live until the message.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat, IntegerType, SymbolRefAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from xetile.hints import isa
from xetile.planning.xe.pressure.liveness import Kind, Point, Straight
from xetile.targets.xe.device import REGISTER_BYTES

_NOTHING = frozenset(
    {"llvm.mlir.constant", "llvm.mlir.undef", "llvm.mlir.poison", "llvm.mlir.zero"}
)
"""Ops whose results take no registers."""

_PAYLOAD = "AddressPayload"
"""Part of the names of functions that make a message's payload, in a register of its own."""

_HARMLESS = ("prefetch", _PAYLOAD)
"""Parts of the names of functions without a result that nevertheless do not keep loads in place."""

_OF_A_LANE = ("local_id", "shuffle", "_block_read", "broadcast")
"""Parts of the names of functions whose results differ by lane."""


class Reading(NamedTuple):
    """A kernel as values and points; `ops` are those of the points, `parts` map a copy to the value it is part of.

    `carried` maps each block argument to the numbers of the values passed to it.
    """

    sizes: list[int]
    blocks: list[Straight]
    ops: list[list[Operation]]
    parts: Mapping[int, int]
    carried: Mapping[int, Sequence[int]]

    @property
    def multiplies(self) -> bool:
        """Return True if there are matrix instructions."""
        return any(point.kind == "product" for block in self.blocks for point in block.points)

    def without_copies(self) -> "Reading":
        """Return this reading with parts of a message left in its registers."""
        blocks: list[Straight] = []
        ops: list[list[Operation]] = []
        for block, own in zip(self.blocks, self.ops, strict=True):
            kept = [at for at, point in enumerate(block.points) if point.kind != "copy"]
            points = [self._in_place(block.points[at]) for at in kept]
            blocks.append(Straight(points, block.successors))
            ops.append([own[at] for at in kept])
        return Reading(self.sizes, blocks, ops, {}, self.carried)

    def _in_place(self, point: Point) -> Point:
        if self.parts.keys().isdisjoint(point.read):
            return point
        return point._replace(read=tuple(self.parts.get(value, value) for value in point.read))


def read_kernel(function: llvm.FuncOp, lanes: int) -> Reading:
    """Read the values and points of a kernel."""
    return _Reader(function, lanes).read()


class _Type(NamedTuple):
    """The facts about a type: its bits in a lane, those of an element, and whether each lane has its own elements."""

    bits: int
    element: int
    long: bool


class _Function(NamedTuple):
    """The facts about a function: the effect of a call without private memory, and its result."""

    kind: Kind
    of_a_lane: bool
    makes_payload: bool


_Numbers = tuple[int, ...]


@dataclass(eq=False)
class _Memory:
    """Private memory: its bits in a lane, the value with which a message filled it, and written values by offset."""

    bits: int
    filled: int | None = None
    written: dict[int, _Numbers] = field(default_factory=dict[int, _Numbers])


class _Reader:
    """The known facts about values, keyed by identity: values as keys would cost as much as all the rest here."""

    def __init__(self, function: llvm.FuncOp, lanes: int) -> None:
        self.function, self.lanes = function, lanes
        self.sizes: list[int] = []
        self.parts: dict[int, int] = {}
        self.numbers: dict[int, _Numbers] = {}
        self.places: dict[int, tuple[_Memory, int]] = {}
        self.offsets: dict[int, int] = {}
        self.varying: set[int] = set()
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
        return Reading(self.sizes, made, ops, self.parts, self.carried(blocks))

    def carried(self, blocks: Sequence[Block]) -> Mapping[int, Sequence[int]]:
        found: dict[int, list[int]] = {}
        for block in blocks:
            for value, argument in () if block.last_op is None else _passed(block.last_op):
                for number in self.numbers.get(id(argument), ()):
                    found.setdefault(number, []).extend(self.numbers.get(id(value), ()))
        return found

    def find_varying(self, blocks: Sequence[Block]) -> None:
        """Mark the scalars that differ between lanes; a loop's carried values may do so from its second round on."""
        before = -1
        while len(self.varying) > before:
            before = len(self.varying)
            for block in blocks:
                for op in block.ops:
                    self.spread(op)
                if block.last_op is not None:
                    self.hand_on(block.last_op)

    def spread(self, op: Operation) -> None:
        for result in op.results:
            if self.type_of(result).long or id(result) in self.varying:
                continue
            if any(map(self.differs, op.operands)) or _function(op).of_a_lane:
                self.varying.add(id(result))

    def hand_on(self, branch: Operation) -> None:
        for value, argument in _passed(branch):
            if not self.type_of(argument).long and self.differs(value):
                self.varying.add(id(argument))

    def differs(self, value: SSAValue) -> bool:
        return id(value) in self.varying or self.type_of(value).long

    def type_of(self, value: SSAValue) -> _Type:
        type = value.type
        found = self.types.get(id(type))
        if found is None:
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

    def number(self, value: SSAValue) -> _Numbers:
        found = self.numbers.get(id(value))
        if found is None:
            found = () if _is_nothing(value) else (self.new_of(value),)
            self.numbers[id(value)] = found
        return found

    def new_of(self, value: SSAValue) -> int:
        if isinstance(value, OpResult) and _function(value.op).makes_payload:
            return self.new(REGISTER_BYTES)
        type = self.type_of(value)
        shared = not type.long and id(value) not in self.varying
        return self.new(type.bits * (1 if shared else self.lanes) // 8)

    def new(self, size: int) -> int:
        self.sizes.append(size)
        return len(self.sizes) - 1

    def values(self, op: Operation) -> _Numbers:
        """Return the values that an op reads, without constants and places."""
        found: list[int] = []
        for value in op.operands:
            numbers = self.numbers.get(id(value))
            if numbers is None:
                numbers = () if id(value) in self.places else self.number(value)
            found += numbers
        return tuple(found)

    # Readers of ops, by their class.

    def other(self, op: Operation) -> Sequence[Point]:
        return self.point(op, "plain" if op.results else "ordered")

    def point(self, op: Operation, kind: Kind) -> Sequence[Point]:
        made: list[int] = []
        for result in op.results:
            made += self.number(result)
        return (Point(tuple(made), self.values(op), kind),)

    def memory(self, op: Operation) -> Sequence[Point]:
        assert isinstance(op, llvm.AllocaOp)
        self.places[id(op.res)] = _Memory(_array_bits(op)), 0
        return ()

    def place(self, op: Operation) -> Sequence[Point]:
        found = self.places.get(id(op.operands[0]))
        if found is None:
            return self.other(op)
        assert isinstance(op, llvm.GEPOp)
        memory, start = found
        self.places[id(op.results[0])] = memory, start + self.offset(op)
        return ()

    def offset(self, op: llvm.GEPOp) -> int:
        indices = op.rawConstantIndices
        found = self.offsets.get(id(indices))
        if found is None:
            found = self.offsets[id(indices)] = int(indices.get_values()[0])
        return found

    def recast(self, op: Operation) -> Sequence[Point]:
        self.numbers[id(op.results[0])] = self.number(op.operands[0])
        return ()

    def call(self, op: Operation) -> Sequence[Point]:
        """Read a call. One with private memory fills the memory, or reads its content."""
        places = self.places
        memory = next((places[id(v)][0] for v in op.operands if id(v) in places), None)
        if memory is None:
            kind = _function(op).kind
            return self.other(op) if kind == "ordered" else self.point(op, kind)
        if memory.written:
            held = tuple(number for part in memory.written.values() for number in part)
            memory.written = {}
            return (Point((), (*self.values(op), *held), "ordered"),)
        memory.filled = self.new(memory.bits * self.lanes // 8)
        return (Point((memory.filled,), self.values(op), "load"),)

    def part(self, op: Operation) -> Sequence[Point]:
        (result,) = op.results
        found = self.places.get(id(op.operands[0]))
        if found is None:
            return self.other(op)
        memory, start = found
        if memory.written:
            self.numbers[id(result)] = memory.written.get(start, ())
            return ()
        whole = memory.filled
        if whole is None:
            return (Point(self.number(result)),)
        type = self.type_of(result)
        if type.bits == memory.bits:
            self.numbers[id(result)] = (whole,)
            return ()
        part = self.new(type.bits * self.lanes // 8)
        self.numbers[id(result)] = (part,)
        self.parts[part] = whole
        element = self.new(type.element * self.lanes // 8)
        return Point((part, element), (), "copy"), Point((), (whole,), "copy")

    def written_part(self, op: Operation) -> Sequence[Point]:
        value, pointer = op.operands
        found = self.places.get(id(pointer))
        if found is None:
            return self.other(op)
        memory, start = found
        source = self.number(value)
        memory.written[start] = source
        return (Point((), source),) if source else ()


_NO_FUNCTION = _Function("ordered", of_a_lane=False, makes_payload=False)


def _function(op: Operation) -> _Function:
    callee = op.properties.get("callee") if op.name == llvm.CallOp.name else None
    if not isinstance(callee, SymbolRefAttr):
        return _NO_FUNCTION
    return _function_named(callee.root_reference.data)


@cache
def _function_named(name: str) -> _Function:
    kind: Kind = "ordered"
    if "matrix_mad" in name:
        kind = "product"
    elif any(piece in name for piece in _HARMLESS):
        kind = "plain"
    return _Function(kind, any(piece in name for piece in _OF_A_LANE), _PAYLOAD in name)


def _passed(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Yield pairs of values that a branch passes to successor blocks, and the arguments that receive them."""
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
    return isinstance(value, OpResult) and value.op.name in _NOTHING


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


def _array_bits(op: llvm.AllocaOp) -> int:
    type = op.elem_type
    if isinstance(type, llvm.LLVMArrayType):
        return type.size.data * _bits(type.type)
    return _bits(type)
