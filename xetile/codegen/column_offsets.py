"""The columns at which 2D block messages begin, followed back to what decides whether they are multiples of bytes."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import BlockArgument, Operation, SSAValue

from xetile.codegen.functions import callee, calls_of
from xetile.planning.words import BYTE_BITS

_ELEMENT = re.compile(r"_2d_block_\w*?_(\d+)b_|_ap_\w*?u(\d+)_m")
"""Bits of an element in the name of a message."""
_CREATE = "createBlock2DAddressPayload"
_MOVES = ("setBlock2DAddressPayloadBlockX", "addBlock2DAddressPayloadBlockX")
_PAYLOAD_COLUMN = 4
"""Which operand of the call that makes a payload is the column."""


class Column(NamedTuple):
    """A column of messages to the matrix at `base`, in elements of so many bytes."""

    base: SSAValue
    place: SSAValue
    bytes: int


def columns(kernel: llvm.FuncOp) -> Iterator[Column]:
    """The columns of the messages of a kernel."""
    for call in calls_of(kernel):
        name = callee(call) or ""
        if "_2d_block_" in name:
            yield Column(call.args[0], _first(call.args[4]), _bytes(name))
        elif _CREATE in name or any(move in name for move in _MOVES):
            payload = _created(call)
            if payload is not None:
                place = call.args[_PAYLOAD_COLUMN if payload is call else 1]
                yield Column(payload.args[0], place, _message_bytes(payload))


def _created(call: llvm.CallOp) -> llvm.CallOp | None:
    """The call that made the payload of another one, through copies."""
    while _CREATE not in (callee(call) or ""):
        owner = call.args[0].owner
        if not isinstance(owner, llvm.CallOp):
            return None
        call = owner
    return call


def _message_bytes(payload: llvm.CallOp) -> int:
    """Bytes of an element of the messages that take a payload."""
    for use in payload.results[0].uses:
        user = use.operation
        if isinstance(user, llvm.CallOp):
            found = _bytes(callee(user) or "")
            found = found or (_message_bytes(user) if "copy" in (callee(user) or "") else 0)
            if found:
                return found
    return 0


def _bytes(name: str) -> int:
    found = _ELEMENT.search(name)
    return int(found[1] or found[2]) // BYTE_BITS if found else 0


def _first(place: SSAValue) -> SSAValue:
    """The first number of a vector of two that is made by insertions."""
    value = place
    while isinstance(op := value.owner, llvm.InsertElementOp):
        if integer_constant(op.index) == 0:
            return op.value
        value = op.vector
    return place


class Part(NamedTuple):
    """A number, each of which counts so many bytes of a column."""

    value: SSAValue
    bytes: int
    is_exact: bool = True
    """Whether the column has the value itself as a part, and not something that is computed of it."""


def parts(column: Column, is_known: Callable[[SSAValue], bool]) -> Iterator[Part]:
    """What makes a column a multiple of bytes if each is one.

    Values that are known, and what nothing is known of, with the operands of the latter (inexact).
    """
    waiting = [Part(column.place, column.bytes)]
    seen: set[Part] = set()
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        known = _decomposed(part) if part.is_exact and not is_known(part.value) else None
        if known is None:
            yield part
            known = () if is_known(part.value) else _operands(part)
        waiting += known


def _operands(part: Part) -> list[Part]:
    op = part.value.owner
    values = op.operands if isinstance(op, Operation) else _incoming(part.value)
    return [Part(value, part.bytes, is_exact=False) for value in values]


def _incoming(argument: SSAValue) -> Iterator[SSAValue]:
    """What branches pass for the argument of a block."""
    if not isinstance(argument, BlockArgument) or (region := argument.block.parent) is None:
        return
    for block in region.blocks:
        last = block.last_op
        if isinstance(last, llvm.BrOp) and last.successor is argument.block:
            yield last.arguments[argument.index]
        elif isinstance(last, llvm.CondBrOp):
            if last.then_block is argument.block:
                yield last.then_arguments[argument.index]
            if last.else_block is argument.block:
                yield last.else_arguments[argument.index]


_SUMS = ("llvm.add", "llvm.sub")
_CHOICES = ("llvm.intr.smin", "llvm.intr.smax", "llvm.intr.umin", "llvm.intr.umax")
_CASTS = ("llvm.trunc", "llvm.sext", "llvm.zext")


def _decomposed(part: Part) -> list[Part] | None:
    """The parts of a sum, of a choice, of a multiple or of an exact quotient; None for all else."""
    value, bytes = part.value, part.bytes
    if isinstance(value, BlockArgument):
        return [Part(given, bytes) for given in _incoming(value)]
    op = value.owner
    assert isinstance(op, Operation)
    if op.name in (*_SUMS, *_CHOICES, *_CASTS):
        return [Part(operand, bytes) for operand in op.operands]
    if op.name == "llvm.select":
        return [Part(operand, bytes) for operand in op.operands[1:]]
    if op.name not in ("llvm.mul", "llvm.shl", "llvm.lshr", "llvm.ashr"):
        return None
    left, right = op.operands
    if op.name == "llvm.mul" and integer_constant(left) is not None:
        left, right = right, left
    by = integer_constant(right)
    if by is None:
        return None
    if op.name == "llvm.mul":
        return [Part(left, bytes * by)]
    if op.name == "llvm.shl":
        return [Part(left, bytes << by)]
    return None if bytes % (1 << by) else [Part(left, bytes >> by)]


def integer_constant(value: SSAValue) -> int | None:
    """The number of a constant."""
    op = value.owner
    if isinstance(op, llvm.ConstantOp) and isinstance(op.value, IntegerAttr):
        return cast("IntegerAttr[IntegerType]", op.value).value.data
    return None
