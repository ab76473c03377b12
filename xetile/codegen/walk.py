"""The work of one subgroup on its matrices: a walk of a kernel's scalar control flow before it is compiled.

Ids of groups, subgroups and lanes are 0; only integers are computed. The walk finds out how often loops run,
how many matrix instructions are executed, and which load uses the data that a prefetch fetched.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from xetile.codegen.llvm_functions import (
    block_of,
    callee,
    hot_blocks,
    products_of,
    products_per_step,
)
from xetile.hints import isa
from xetile.levels import PRODUCTS_PER_STEP_ATTRIBUTE
from xetile.toolchain.assembly import Work

MOST_OPS = 500_000
"""Most ops that are walked; the work of a longer kernel is unknown."""

ROUNDS_WITHOUT_END = 64
"""Rounds that are walked of a loop whose end is unknown."""

CONDITIONAL = "llvm.cond_br"

Number = int | None


class Message(NamedTuple):
    """A 2D message: the matrix, and the bytes of rows that it reaches: first row, rows, first byte, bytes."""

    matrix: SSAValue | None
    row: int
    rows: int
    byte: int
    bytes: int

    def meets(self, other: "Message") -> bool:
        """Return True if both reach an element of the same matrix."""
        return (
            self.matrix is other.matrix
            and self.row < other.row + other.rows
            and other.row < self.row + self.rows
            and self.byte < other.byte + other.bytes
            and other.byte < self.byte + self.bytes
        )


def walk(kernel: llvm.FuncOp, arguments: Mapping[str, int] | None = None) -> Work:
    """Walk a kernel of the last level; `arguments` are the known values of scalar arguments by name."""
    hot = hot_blocks(kernel)
    if not hot and PRODUCTS_PER_STEP_ATTRIBUTE in kernel.attributes:
        hot = kernel.body.blocks  # all rounds follow one another
    walker = _Walker(hot=frozenset(hot))
    for argument in kernel.body.blocks[0].args:
        value = (arguments or {}).get(argument.name_hint or "")
        walker.numbers[argument] = value
    products = walker.run(kernel.body.blocks[0])
    step = products_per_step(kernel)
    entries = None if products is None else walker.entries
    return Work(bool(walker.hot), step, products, _ahead(walker, step), entries)


def _ahead(walker: "_Walker", step: int) -> int | None:
    """Return the fewest K steps between a prefetch of the hot loop and the load that meets it."""
    copies = sum(map(products_of, walker.hot)) // step if step else 0
    rounds = walker.rounds
    if not copies or not rounds or not walker.prefetches or not walker.loads:
        return None
    prefetches = len(walker.prefetches) / (rounds * copies)
    loads = len(walker.loads) / (rounds * copies)
    found: list[int] = []
    for number, prefetch in enumerate(walker.prefetches[: len(walker.prefetches) // 2 + 1]):
        taken = next((i for i, m in enumerate(walker.loads) if prefetch.meets(m)), None)
        if taken is not None:
            found.append(int(taken // loads) - int(number // prefetches))
    return min(found, default=None)


@dataclass
class _Walker:
    hot: frozenset[Block]
    numbers: dict[SSAValue, Number] = field(default_factory=dict[SSAValue, Number])
    vectors: dict[SSAValue, list[Number]] = field(default_factory=dict[SSAValue, list[Number]])
    matrices: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    payloads: dict[SSAValue, tuple[SSAValue, list[Number]]] = field(
        default_factory=dict[SSAValue, tuple[SSAValue, list[Number]]]
    )
    prefetches: list[Message] = field(default_factory=list[Message])
    loads: list[Message] = field(default_factory=list[Message])
    rounds: int = 0
    entries: int = 0

    def run(self, first: Block) -> int | None:
        """Return the number of matrix instructions, or None if it is unknown."""
        block: Block | None = first
        products, visited = 0, 0
        self.entries += first in self.hot
        guesses: dict[Block, int] = {}
        relevant: dict[Block, tuple[list[Operation], int]] = {}
        while block is not None:
            if block not in relevant:
                relevant[block] = list(filter(_matters, block.ops)), products_of(block)
            ops, inside = relevant[block]
            products += inside
            self.rounds += inside > 0 and block in self.hot
            for op in ops:
                self._execute(op, is_hot=block in self.hot)
            visited += len(ops) + 1
            last = block.last_op
            assert last is not None
            chosen = self._successor(last)
            if chosen is None and last.successors:
                guesses[block] = guesses.get(block, 0) + 1
                chosen = 0 if guesses[block] <= ROUNDS_WITHOUT_END else 1
            if visited > MOST_OPS:
                return None
            before, block = block, None if chosen is None else self._enter(last, chosen)
            self.entries += block in self.hot and before not in self.hot
        return None if guesses else products

    def _successor(self, last: Operation) -> int | None:
        """Return the index of the next block, or None if it is unknown or there is none."""
        if len(last.successors) == 1:
            return 0
        if last.name == CONDITIONAL:
            condition = self._number(last.operands[0])
            return None if condition is None else int(not condition)
        return None

    def _enter(self, last: Operation, position: int) -> Block:
        target = last.successors[min(position, len(last.successors) - 1)]
        first = 0
        if last.name == CONDITIONAL:
            first = 1 + (len(last.successors[0].args) if position else 0)
        passed = last.operands[first : first + len(target.args)]
        known = [(self.numbers.get(v), self.vectors.get(v)) for v in passed]
        for argument, (number, vector) in zip(target.args, known, strict=False):
            self.numbers[argument] = number
            if vector is not None:
                self.vectors[argument] = vector
        return target

    def _number(self, value: SSAValue) -> Number:
        return self.numbers.get(value)

    def _execute(self, op: Operation, *, is_hot: bool) -> None:
        match op:
            case llvm.CallOp():
                self._call(op, is_hot=is_hot)
            case llvm.ConstantOp():
                self._constant(op)
            case llvm.InsertElementOp():
                lane = self._number(op.index)
                vector = list(self.vectors.get(op.vector, [None, None]))
                if lane is not None and lane < len(vector):
                    vector[lane] = self._number(op.value)
                self.vectors[op.res] = vector
            case llvm.PtrToIntOp():
                self.matrices[op.output] = op.input
            case _:
                numbers = [self._number(operand) for operand in op.operands]
                self.numbers[op.results[0]] = _computed(op, numbers)

    def _constant(self, op: llvm.ConstantOp) -> None:
        match op.value:
            case IntegerAttr():
                self.numbers[op.result] = op.value.value.data
            case DenseIntOrFPElementsAttr() if isinstance(
                op.value.get_element_type(), IntegerType
            ):
                self.vectors[op.result] = [int(str(n)) for n in op.value.get_values()[:2]]
            case _:
                pass

    def _call(self, op: llvm.CallOp, *, is_hot: bool) -> None:
        name = callee(op) or ""
        arguments = list(op.args)
        if "createBlock2DAddressPayload" in name and op.returned is not None:
            place = [self._number(argument) for argument in arguments[4:6]]
            self.payloads[op.returned] = self.matrices.get(arguments[0], arguments[0]), place
        elif moved := re.search(r"(set|add)Block2DAddressPayloadBlock([XY])", name):
            self._move(arguments, moved.group(1), "XY".index(moved.group(2)))
        elif "_block_read" in name or "_block_prefetch" in name:
            message = self._message(name, arguments)
            if is_hot and message is not None:
                (self.prefetches if "prefetch" in name else self.loads).append(message)
        elif (
            re.search(r"get_(local|group|global|sub_group)", name) and op.returned is not None
        ):
            self.numbers[op.returned] = 1 if "size" in name or "num" in name else 0

    def _move(self, arguments: list[SSAValue], how: str, axis: int) -> None:
        payload = self.payloads.get(arguments[0])
        if payload is None:
            return
        by, before = self._number(arguments[1]), payload[1][axis]
        payload[1][axis] = by if how == "set" else _sum(by, before)

    def _message(self, name: str, arguments: list[SSAValue]) -> Message | None:
        if (block := block_of(name)) is None:
            return None
        place: list[Number]
        if arguments[0] in self.payloads:
            matrix, start = self.payloads[arguments[0]]
            immediate = [self._number(argument) for argument in arguments[1:3]]
            place = [_sum(a, b) for a, b in zip(start, immediate, strict=True)]
        else:
            matrix, place = arguments[0], self.vectors.get(arguments[4], [None, None])
        x, y = place[:2]
        if x is None or y is None:
            return None
        bits, rows, columns, blocks = block
        return Message(matrix, y, rows, x * bits // 8, columns * blocks * bits // 8)


_TOLD = re.compile(
    "Block2DAddressPayload|_block_(read|prefetch)|get_(local|group|global|sub_group)"
)
"""Parts of the names of builtins that compute places; other builtins do not matter here."""


def _matters(op: Operation) -> bool:
    match op:
        case llvm.CallOp():
            return _TOLD.search(callee(op) or "") is not None
        case llvm.ConstantOp() | llvm.InsertElementOp() | llvm.PtrToIntOp():
            return True
        case _:
            return len(op.results) == 1 and isinstance(op.results[0].type, IntegerType)


def _sum(a: Number, b: Number) -> Number:
    return None if a is None or b is None else a + b


def _width(type: Attribute) -> int:
    return type.width.data if isa(type, IntegerType) else 64


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_BINARY: Mapping[str, Callable[[int, int], int]] = {
    "llvm.add": lambda a, b: a + b,
    "llvm.sub": lambda a, b: a - b,
    "llvm.mul": lambda a, b: a * b,
    "llvm.and": lambda a, b: a & b,
    "llvm.or": lambda a, b: a | b,
    "llvm.xor": lambda a, b: a ^ b,
    "llvm.shl": lambda a, b: a << b if 0 <= b < 64 else 0,
    "llvm.ashr": lambda a, b: a >> b if 0 <= b < 64 else 0,
    "llvm.sdiv": lambda a, b: _toward_zero(a, b) if b else 0,
    "llvm.srem": lambda a, b: a - b * _toward_zero(a, b) if b else 0,
}
_UNSIGNED: Mapping[str, Callable[[int, int], int]] = {
    "llvm.udiv": lambda a, b: a // b if b else 0,
    "llvm.urem": lambda a, b: a % b if b else 0,
    "llvm.lshr": lambda a, b: a >> b if b < 64 else 0,
    "llvm.intr.umin": min,
    "llvm.intr.umax": max,
}
_COMPARED: tuple[Callable[[int, int], bool], ...] = (
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
)
"""By the predicates of llvm.icmp: eq, ne, slt, sle, sgt, sge; the four unsigned ones follow in the same order."""


def _computed(op: Operation, numbers: list[Number]) -> Number:
    """Return the result of an op on integers, as a signed number of its width, or None if it is unknown."""
    bits = _width(op.results[0].type)
    if isinstance(op, llvm.SelectOp):
        condition, yes, no = numbers
        return None if condition is None else yes if condition else no
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers) or not known:
        return None
    source = _width(op.operands[0].type)
    known = [_signed(number, source) for number in known]  # a true i1 may be 1
    unsigned = [number & ((1 << source) - 1) for number in known]
    if isinstance(op, llvm.ICmpOp):
        which = op.predicate.value.data
        a, b = known if which < len(_COMPARED) else unsigned
        return int(_COMPARED[which if which < len(_COMPARED) else which - 4](a, b))
    if op.name == "llvm.zext":
        return _signed(unsigned[0], bits)
    if op.name in ("llvm.sext", "llvm.trunc", "llvm.freeze"):
        return _signed(known[0], bits)
    for table, values in ((_BINARY, known), (_UNSIGNED, unsigned)):
        if op.name in table and len(values) == 2:
            return _signed(table[op.name](*values), bits)
    return None
