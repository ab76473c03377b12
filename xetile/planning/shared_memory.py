"""One allocation for all shared memory buffers of a kernel. Buffers that are not live together share bytes.

Time counts the ops of the function's body. A buffer used in a loop is live for the whole loop. Two buffers share
bytes if a workgroup barrier separates the last op that can access one from the first op that can access the other.
The barrier must be in the body itself, so that every subgroup passes it:

    %a ---- store ---- barrier ---- load ---- barrier ---- store ---- ...
      [          a          ]                   [     b     ]
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import IntegerAttr, MemRefType, UnitAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator, SymbolTable, is_side_effect_free

from xetile.analysis.same_value import carried
from xetile.dialects.upstream.gpu.gpu_functions import FuncOp
from xetile.dialects.upstream.memref import GetGlobalOp, GlobalOp
from xetile.dialects.upstream.memref.memref_layout import strides_and_offset
from xetile.dialects.xegpu.xegpu_constraints import is_shared_memory
from xetile.dialects.xetile.tile_type import memory_bits
from xetile.errors import fail
from xetile.hints import isa
from xetile.targets.target import BYTE_BITS, SHARED_ALIGNMENT

_ALLOCATIONS = ("memref.alloc", "memref.alloca")
_NAMED = "memref.get_global"
_LOOPS = ("scf.for", "scf.while", "scf.parallel", "scf.forall")


@dataclass(frozen=True)
class Buffer:
    """A buffer in shared memory (bytes), with the first and the last op of the function's body that accesses it."""

    at: Operation
    bytes: int
    alignment: int
    first: int
    last: int


@dataclass(frozen=True)
class SharedMemory:
    """The offset of each buffer in a function's one allocation (bytes); `bytes` is the size of the allocation."""

    buffers: Sequence[Buffer]
    offsets: Mapping[Operation, int]

    @cached_property
    def bytes(self) -> int:
        ends = (self.offsets[buffer.at] + buffer.bytes for buffer in self.buffers)
        return _up(max(ends, default=0), SHARED_ALIGNMENT)

    def describe(self) -> str:
        """Return the sizes of the buffers, for diagnostics."""
        return " + ".join(str(buffer.bytes) for buffer in self.buffers)


def is_shared_allocation(op: Operation) -> bool:
    """Return True if an op allocates a shared memory buffer or names a workgroup buffer of the module."""
    return op.name in (*_ALLOCATIONS, _NAMED) and _is_shared(op.results[0])


def program_bytes(function: Operation) -> int:
    """Return the bytes of all shared memory buffers that a function declares, without sharing bytes."""
    buffers = [op.results[0].type for op in function.walk() if is_shared_allocation(op)]
    return sum(map(buffer_bytes, buffers)) + _workgroup_bytes(function)


def shared_program_bytes(function: Operation) -> int:
    """Return `program_bytes` if buffers share bytes where the barriers that are there now let them.

    Errors: XetileError at a buffer of unknown size.
    """
    return _planned(function).bytes + _workgroup_bytes(function)


def _workgroup_bytes(function: Operation) -> int:
    if not isinstance(function, FuncOp):
        return 0
    return sum(buffer_bytes(buffer.type) for buffer in function.workgroup_buffers)


def buffer_bytes(type: Attribute) -> int:
    """Return the bytes of a buffer of static shape, rounded up to a multiple of `SHARED_ALIGNMENT`."""
    return _up(memref_bytes(type) or 0, SHARED_ALIGNMENT)


def plan_shared_memory(function: Operation) -> SharedMemory:
    """Plan the allocation of a function: the largest buffers first, each at the lowest free offset.

    Errors: XetileError at a buffer of unknown size, and at one in a loop without a barrier between its rounds.
    """
    plan = _planned(function)
    for buffer in plan.buffers:
        if buffer.at.name != _NAMED:
            _check_rounds(buffer.at)
    return plan


def _planned(function: Operation) -> SharedMemory:
    groups: dict[object, list[Operation]] = {}
    for op in function.walk():
        if is_shared_allocation(op):
            groups.setdefault(op.properties["name"] if op.name == _NAMED else op, []).append(
                op
            )
    if not groups:
        return SharedMemory((), {})
    body = function.regions[0].blocks[0]
    times = {op: time for time, op in enumerate(body.ops)}
    barriers = [time for op, time in times.items() if orders_shared_memory(op)]
    buffers = [_buffer(ops, body, times) for ops in groups.values()]
    offsets: dict[Operation, int] = {}
    placed: list[Buffer] = []
    for buffer in sorted(buffers, key=lambda buffer: -buffer.bytes):
        others = [other for other in placed if _meet(buffer, other, barriers)]
        offsets[buffer.at] = _lowest(buffer, [(offsets[o.at], o.bytes) for o in others])
        placed.append(buffer)
    for first, *others in groups.values():
        offsets |= dict.fromkeys(others, offsets[first])
    return SharedMemory(tuple(buffers), offsets)


def orders_shared_memory(op: Operation) -> bool:
    """Return True if all subgroups wait here for each other's accesses to shared memory."""
    if op.name != "gpu.barrier":
        return False
    spaces = op.properties.get("address_spaces") or op.attributes.get("address_spaces")
    return spaces is None or "workgroup" in str(spaces)


def _meet(one: Buffer, other: Buffer, barriers: Sequence[int]) -> bool:
    """Return True if no barrier separates the uses of two buffers, so that they may not share bytes."""
    earlier, later = (one, other) if one.last < other.last else (other, one)
    return not any(earlier.last < barrier < later.first for barrier in barriers)


def _lowest(buffer: Buffer, taken: Iterable[tuple[int, int]]) -> int:
    at = 0
    for start, size in sorted(taken):
        if at + buffer.bytes <= start:
            break
        at = max(at, _up(start + size, buffer.alignment))
    return at


def _up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple


def _buffer(ops: Sequence[Operation], body: Block, times: Mapping[Operation, int]) -> Buffer:
    """Return the buffer that an op allocates or that several ops name."""
    op = ops[0]
    type = op.results[0].type
    size = memref_bytes(type)
    if size is None:
        fail(op, f"a buffer of type {type} has no size that is known; expected static strides")
    given = (_variable(op) if op.name == _NAMED else op).properties.get("alignment")
    asked = given.value.data if isinstance(given, IntegerAttr) else SHARED_ALIGNMENT
    accesses = [access for each in ops for access in _accesses(each)]
    reached = [times[_outermost(access, body)] for access in accesses] or [
        times[_outermost(op, body)]
    ]
    return Buffer(op, size, _up(asked, SHARED_ALIGNMENT), min(reached), max(reached))


def _variable(op: Operation) -> GlobalOp:
    """Return the memref.global that an op names, which has no initial value.

    Errors: XetileError if it has one.
    """
    assert isinstance(op, GetGlobalOp)
    variable = SymbolTable.lookup_symbol(op, op.name_)
    assert isinstance(variable, GlobalOp), "its verifier has looked"
    if variable.constant is not None or variable.initial_value not in (None, UnitAttr()):
        fail(
            op,
            f"the memref.global '{variable.sym_name.data}' has a value; shared memory has none when a kernel begins, "
            "expected 'uninitialized'",
        )
    return variable


def memref_bytes(type: Attribute) -> int | None:
    """Return the bytes from a memref's first element to its last, or None if they are not known."""
    if not isa(type, MemRefType[Attribute]) or min(type.get_shape(), default=0) < 0:
        return None
    layout, bits = strides_and_offset(type), memory_bits(type.element_type)
    if layout is None or layout[1] is None or bits is None:
        return None
    reach = layout[1] + 1
    for extent, stride in zip(type.get_shape(), layout[0], strict=True):
        if stride is None or stride < 0:
            return None
        reach += (extent - 1) * stride
    return -(-reach * bits // BYTE_BITS)


def _accesses(allocation: Operation) -> Iterator[Operation]:
    """Yield the ops that access a buffer, also through views, descriptors and addresses."""
    seen: set[SSAValue] = set()
    values: list[SSAValue] = list(allocation.results)
    while values:
        value = values.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            op = use.operation
            if op.regions or op.has_trait(IsTerminator):
                values += _carried_on(op, value)
            elif is_side_effect_free(op) and any(_may_point(r.type) for r in op.results):
                values += op.results
            elif op.name != "memref.dealloc":
                yield op


def _carried_on(op: Operation, value: SSAValue) -> Iterator[SSAValue]:
    """Yield the values that a loop, a branch or the end of its region makes of a value."""
    control = op if op.regions else op.parent_op()
    pairs = [] if control is None else list(carried(control))
    found = [pair.target for pair in pairs if pair.source is value]
    yield from found
    # The loop's result is the argument's value in the last round.
    yield from (pair.target for pair in pairs if pair.source in found)


_NUMBERS = ("index", "i32", "i64")
_POINTING = ("memref", "!xegpu.", "!llvm.ptr", "!xetile.tile")


def _may_point(type: Attribute) -> bool:
    """Return True if a type can hold an address; a vector can if its elements can."""
    text = str(type.element_type if isa(type, VectorType[Attribute]) else type)
    return text in _NUMBERS or text.startswith(_POINTING)


def _check_rounds(op: Operation) -> None:
    """Refuse an allocation in a loop without a barrier between two rounds: each round allocates the same bytes."""
    block = op.parent_block()
    around = op.parent_op()
    while around is not None and around.name not in _LOOPS:
        block, around = around.parent_block(), around.parent_op()
    if around is None or block is None:
        return
    times = {inner: time for time, inner in enumerate(block.ops)}
    reached = [times[_outermost(access, block)] for access in _accesses(op)]
    if not reached:
        return
    first, last = min(reached), max(reached)
    if not any(
        orders_shared_memory(inner) and not first <= time <= last
        for inner, time in times.items()
    ):
        fail(
            op,
            f"each round of '{around.name}' has this buffer anew, and no barrier stands between one round's last "
            "access to it and the next one's first; allocate it before the loop",
        )


def _outermost(op: Operation, block: Block) -> Operation:
    """Return the op of a block that is `op` or contains it."""
    while op.parent_block() is not block:
        around = op.parent_op()
        assert around is not None, "a value is used where it is defined, or inside of there"
        op = around
    return op


def _is_shared(value: SSAValue) -> bool:
    return isa(value.type, MemRefType[Attribute]) and is_shared_memory(value.type.memory_space)
