"""How many bytes the messages of level L move, read off what is called, and summed up to the levels above.

call @..block_read_16b_32r16x2c(..)      32 rows of 2 blocks of 16 columns of 16 bits: 2048 bytes
call @..block_write_ap_u32_m8k16v1(..)   8 rows of 16 columns of 32 bits: 512 bytes
llvm.load of vector<8xf32>               by each of 16 lanes: 512 bytes, as if all lanes were on

What is moved to an op of a level above is what its parts move, in one round of the loop as it is written.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import prod

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.codegen.functions import callee
from xetile.explorer.model import Level
from xetile.hints import isa
from xetile.targets.target import BYTE_BITS
from xetile.targets.xe.device import LANES

_BLOCKS = (
    re.compile(r"2d_block_\w*?_(\d+)b_(\d+)r(\d+)x(\d+)c"),
    re.compile(r"block_(?:read|write|prefetch)\w*_u(\d+)_m(\d+)k(\d+)v(\d+)"),
)
_BY_LANES = re.compile(
    r"simd_block_(?:read|write)|intel_sub_group_block_(?:read|write)|atomic_"
)
_PRIVATE = 0
"""The address space of arrays that are in registers (source: SPIR-V's Function; LLVM's 0 of spir64)."""


def word_bytes(type: Attribute) -> int:
    """Return the bytes of a component."""
    element = type
    if isa(type, VectorType):
        element = type.element_type
    elif isinstance(type, llvm.LLVMArrayType):
        element = type.type
    bits: int = getattr(element, "bitwidth", 0)
    return max(1, bits // BYTE_BITS)


def lane_bytes(type: Attribute) -> int:
    """Return the bytes that each lane holds of a value."""
    if isa(type, VectorType):
        return type.element_count() * word_bytes(type)
    if isinstance(type, llvm.LLVMArrayType):
        return type.size.data * word_bytes(type)
    return word_bytes(type)


def given_bytes(op: Operation) -> int | None:
    """Return the bytes that an op gives to each lane, or None if it gives nothing."""
    type = _given(op)
    return None if type is None else lane_bytes(type)


def given_word(op: Operation) -> int:
    """Return the bytes of a word of what an op gives."""
    type = _given(op)
    assert type is not None, op
    return word_bytes(type)


def _given(op: Operation) -> Attribute | None:
    """Return the type of an op's result, or of the private array that a call fills."""
    if op.results:
        return op.results[0].type
    if not isinstance(op, llvm.CallOp):
        return None
    owners: Sequence[object] = [operand.owner for operand in op.args]
    return next((o.elem_type for o in owners if isinstance(o, llvm.AllocaOp)), None)


def bytes_of(op: Operation) -> int:
    """Bytes that an op of level L moves to or from memory, for a subgroup; 0 of one that moves none."""
    match op:
        case llvm.CallOp():
            return _called(op)
        case llvm.LoadOp():
            return _by_lanes(op.ptr, op.results[0].type)
        case llvm.StoreOp():
            return _by_lanes(op.ptr, op.value.type)
        case _:
            return 0


def _called(op: llvm.CallOp) -> int:
    name = callee(op) or ""
    for pattern in _BLOCKS:
        if found := pattern.search(name):
            return prod(map(int, found.groups())) // BYTE_BITS
    if not _BY_LANES.search(name):
        return 0
    moved = op.returned if op.returned is not None else op.args[-1]
    return lane_bytes(moved.type) * LANES


def _by_lanes(pointer: SSAValue, moved: Attribute) -> int:
    type = pointer.type
    assert isinstance(type, llvm.LLVMPointerType)
    space = getattr(type.addr_space, "value", None)
    outside = space is not None and space.data != _PRIVATE
    return lane_bytes(moved) * LANES if outside else 0


def bytes_per_round(
    levels: Sequence[Level],
    last: int,
    ops: Sequence[Operation],
    hot: Mapping[int, bool],
    copies: int,
) -> list[tuple[int, int, int]]:
    """By level and op the bytes of one round of its loop, which stands `copies` times in the hot one of level L.

    An op with parts in the hot loop has those counted, and not its parts in front of the loop and behind it.
    """
    inside = {number: size for number, op in enumerate(ops) if (size := bytes_of(op))}
    found = [(last, number, size) for number, size in inside.items()]
    level = last
    sums = {number: (size, 0) if hot[number] else (0, size) for number, size in inside.items()}
    while (above := levels[level].of) is not None:
        upper: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for number, (in_loop, beside) in sums.items():
            for parent in levels[level].ops[number].parents:
                known = upper[parent]
                upper[parent] = known[0] + in_loop, known[1] + beside
        sums, level = dict(upper), above
        found += [
            (level, number, in_loop // copies if in_loop else beside)
            for number, (in_loop, beside) in sums.items()
        ]
    return sorted(found)
