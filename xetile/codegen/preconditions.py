"""The preconditions of a launch, which the host checks: alignment of bases, widths, pitches and columns from arguments.

They are read off the calls of 2D block messages: operands are followed back to the kernel's arguments, as sums of
products of them. If an operand is computed otherwise (loaded, rounded), only a column is stated, without a sum.

The columns of 2D block messages are followed back to the values that decide if they are multiples of bytes.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from xetile.codegen.llvm_functions import callee, calls_of
from xetile.dialects.upstream.llvm import AddrSpaceCastOp
from xetile.hints import isa
from xetile.planning.xe.message_words import BYTE_BITS
from xetile.targets.xe.surface import SURFACE

_ELEMENT = re.compile(r"_2d_block_\w*?_(\d+)b_|_ap_\w*?u(\d+)_m")
"""Bits of an element in the name of a message."""
_CREATE = "createBlock2DAddressPayload"
_MOVES = ("setBlock2DAddressPayloadBlockX", "addBlock2DAddressPayloadBlockX")
_PAYLOAD_COLUMN = 4
"""Index of the column among the operands of the call that creates a payload."""


class Column(NamedTuple):
    """A column of messages to the matrix at `base`, in elements of `bytes` bytes."""

    base: SSAValue
    place: SSAValue
    bytes: int


def columns(kernel: llvm.FuncOp) -> Iterator[Column]:
    """Yield the columns of the messages of a kernel."""
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
    """Return the call that created the payload of another call, through copies."""
    while _CREATE not in (callee(call) or ""):
        owner = call.args[0].owner
        if not isinstance(owner, llvm.CallOp):
            return None
        call = owner
    return call


def _message_bytes(payload: llvm.CallOp) -> int:
    """Return the bytes of an element of the messages that use a payload."""
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
    """Return the first number of a vector of two that is built by insertions."""
    value = place
    while isinstance(op := value.owner, llvm.InsertElementOp):
        if integer_constant(op.index) == 0:
            return op.value
        value = op.vector
    return place


class Part(NamedTuple):
    """A value that counts pieces of a column, each of `bytes` bytes."""

    value: SSAValue
    bytes: int
    is_exact: bool = True
    """True if the column has the value itself as a part, and not only a value computed from it."""


def parts(column: Column, is_known: Callable[[SSAValue], bool]) -> Iterator[Part]:
    """Yield parts that make a column a multiple of bytes if each part is one.

    They are the known values, and the unknown ones with their operands, which are inexact.
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
    """Yield the values that branches pass for the argument of a block."""
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
    """Return the parts of a sum, a choice, a multiple or an exact quotient, or None for other ops."""
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
    """Return the number of a constant, or None."""
    op = value.owner
    if isinstance(op, llvm.ConstantOp) and isinstance(op.value, IntegerAttr):
        return cast("IntegerAttr[IntegerType]", op.value).value.data
    return None


Product = tuple[int, ...]
"""Numbers of arguments that are multiplied, ascending; -1 for an id of the launch."""

Sum: TypeAlias = Mapping[Product, int]
"""A sum of products, each with its factor (bytes)."""

_ID = -1
_LARGEST_SUM = 16
"""Most products in a sum that is followed, and factors in a product; a matrix has two or three."""

_PAYLOAD = "createBlock2DAddressPayload"
_MESSAGE = "_2d_block_"


class Precondition(NamedTuple):
    """A condition on a sum of arguments (bytes): a multiple of a number, between limits.

    Without a sum the condition is on data that the kernel computes.
    """

    of: str
    bytes: Sum | None
    multiple: int
    least: int | None = None
    most: int | None = None

    @property
    def arguments(self) -> set[int]:
        return {number for product in self.bytes or {} for number in product}


def preconditions(kernel: llvm.FuncOp) -> dict[int, list[Precondition]]:
    """Return the preconditions of each base, each once, by the number of the argument that is the base."""
    entry = kernel.body.blocks[0]
    found: dict[int, list[Precondition]] = {}
    for surface, less in _surfaces(kernel):
        base, width, pitch = (_sum(value, entry) for value in surface)
        for number in _bases(base, entry):
            stated = found.setdefault(number, [])
            for made in _stated(base, _more(width, less), _more(pitch, less)):
                if made not in stated:
                    stated.append(made)
    for column in columns(kernel):
        for number in _bases(_sum(column.base, entry), entry):
            stated = found.setdefault(number, [])
            for made in _stated_column(column, entry):
                if made not in stated:
                    stated.append(made)
    return found


def _surfaces(kernel: llvm.FuncOp) -> Iterable[tuple[tuple[SSAValue, ...], int]]:
    """Yield base, width and pitch of messages, each once, and the bytes by which the latter two are too small."""
    found: dict[tuple[tuple[SSAValue, ...], int], None] = {}
    for call in calls_of(kernel):
        name = callee(call) or ""
        if _PAYLOAD in name or _MESSAGE in name:
            operands = call.args
            found[(operands[0], operands[1], operands[3]), int(_PAYLOAD in name)] = None
    return found


def _bases(base: Sum | None, entry: Block) -> list[int]:
    """Return the pointers of a base, or all its arguments if it has none."""
    terms = [] if base is None else [p[0] for p in base if len(p) == 1 and p[0] != _ID]
    pointers = [
        number for number in terms if isinstance(entry.args[number].type, llvm.LLVMPointerType)
    ]
    return pointers or terms


def _stated(base: Sum | None, width: Sum | None, pitch: Sum | None) -> Iterator[Precondition]:
    if base is not None:
        yield from _stated_base(base)
    if width is not None and _is_open(width):
        multiple = SURFACE.multiple("width")
        yield Precondition("width", width, multiple, SURFACE.least_width, SURFACE.most)
    if pitch is not None and _is_open(pitch):
        multiple = SURFACE.multiple("pitch")
        yield Precondition("pitch", pitch, multiple, SURFACE.least_pitch, SURFACE.most)
    if width is None or pitch is None:
        return
    over = _plus(pitch, _times(width, {(): -1}))
    if _is_open(over):
        yield Precondition("pitch over width", over, 1, 0)


def _stated_base(base: Sum) -> Iterator[Precondition]:
    """Yield the conditions on a base, and on the steps between matrices of a batch, which ids count."""
    multiple = SURFACE.multiple("base")
    fixed = {product: count for product, count in base.items() if _ID not in product}
    if _is_open(fixed):
        yield Precondition("base", fixed, multiple)
    for product, count in base.items():
        step = tuple(number for number in product if number != _ID)
        if _ID in product and step and count % multiple:
            yield Precondition("step between bases", {step: count}, multiple)


def _stated_column(column: Column, entry: Block) -> Iterator[Precondition]:
    """Yield the conditions on a column's parts. Parts that only ids decide are proved aligned by the passes."""
    multiple = SURFACE.multiple("column")
    for value, bytes, is_exact in parts(column, lambda value: _sum(value, entry) is not None):
        sum = _sum(value, entry)
        if bytes % multiple == 0:
            continue
        if sum is None or not is_exact:
            if isinstance(value.owner, llvm.LoadOp) or (sum and _is_open(sum)):
                yield Precondition("column", None, multiple)
            continue
        whole = {product: bytes * count for product, count in sum.items()}
        fixed = {product: count for product, count in whole.items() if _ID not in product}
        steps = [
            {tuple(number for number in product if number != _ID): count}
            for product, count in whole.items()
            if _ID in product
        ]
        for found in (fixed, *steps):
            left = {product: count for product, count in found.items() if count % multiple}
            if left and any(left):
                yield Precondition("column", left, multiple)
            elif left and found is fixed:
                yield Precondition("column", None, multiple)


def _is_open(bytes: Sum) -> bool:
    """Return True if the sum depends on arguments, and on no ids."""
    numbers = {number for product in bytes for number in product}
    return bool(numbers) and _ID not in numbers


# Sums.


def _plus(left: Sum, right: Sum) -> Sum:
    found = dict(left)
    for product, count in right.items():
        found[product] = found.get(product, 0) + count
    return {product: count for product, count in found.items() if count}


def _times(left: Sum, right: Sum) -> Sum:
    found: Sum = {}
    for first, once in left.items():
        for second, twice in right.items():
            found = _plus(found, {tuple(sorted((*first, *second))): once * twice})
    return found


def _more(value: Sum | None, by: int) -> Sum | None:
    return None if value is None else _plus(value, {(): by})


def _sum(value: SSAValue, entry: Block, depth: int = _LARGEST_SUM) -> Sum | None:
    """Return a number or an address as a sum of the kernel's arguments, or None if it is computed otherwise."""
    if isinstance(value, BlockArgument):
        return {(value.index,): 1} if value.block is entry else None
    op = value.owner
    if depth == 0:
        return None

    def of(operand: SSAValue) -> Sum | None:
        return _sum(operand, entry, depth - 1)

    match op:
        case llvm.ConstantOp(value=IntegerAttr() as number):
            constant = cast("IntegerAttr[IntegerType]", number).value.data
            return {(): constant} if constant else {}
        case llvm.AddOp(lhs=left, rhs=right):
            return _joined(_plus, of(left), of(right))
        case llvm.SubOp(lhs=left, rhs=right):
            return _joined(lambda a, b: _plus(a, _times(b, {(): -1})), of(left), of(right))
        case llvm.MulOp(lhs=left, rhs=right):
            return _joined(_times, of(left), of(right))
        case llvm.CallOp() if "get_group_id" in (callee(op) or ""):
            return {(_ID,): 1}
        case llvm.GEPOp():
            return _address(op, of)
        case (
            llvm.TruncOp()
            | llvm.SExtOp()
            | llvm.ZExtOp()
            | llvm.IntToPtrOp()
            | llvm.PtrToIntOp()
            | AddrSpaceCastOp()
        ):
            return of(op.operands[0])
        case _:
            return None


def _joined(how: Callable[[Sum, Sum], Sum], left: Sum | None, right: Sum | None) -> Sum | None:
    if left is None or right is None:
        return None
    found = how(left, right)
    return found if len(found) <= _LARGEST_SUM else None


def _address(op: llvm.GEPOp, of: Callable[[SSAValue], Sum | None]) -> Sum | None:
    """Return the sum of a pointer moved by a number of elements."""
    places = op.rawConstantIndices.get_values()
    if len(places) != 1 or not isa(op.elem_type, IntegerType):
        return None
    size = op.elem_type.width.data // BYTE_BITS
    moved = of(op.ssa_indices[0]) if op.ssa_indices else {(): int(places[0])}
    if moved is None or not size:
        return None
    return _joined(_plus, of(op.ptr), _times(moved, {(): size}))
