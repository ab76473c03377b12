"""SPIR-V instruction by instruction: which words are ids, texts, names, functions.

Source: SPIR-V specification 1.4, "Instructions"; SPV_EXT_shader_atomic_float_add and _min_max, SPV_INTEL_subgroups.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from xetile.codegen.spirv import Instruction, result_place

OP_SOURCE, OP_NAME, OP_STRING, OP_LINE, OP_IMPORT = 3, 5, 7, 8, 11
OP_EXT_INST, OP_MEMORY_MODEL, OP_TYPE_VOID, OP_FUNCTION = 12, 14, 19, 54
OP_PARAMETER, OP_FUNCTION_END, OP_CALL, OP_VARIABLE, OP_STORE = 55, 56, 57, 59, 62
OP_DECORATE, OP_PHI, OP_LOOP_MERGE, OP_LABEL, OP_NO_LINE = 71, 245, 246, 248, 317

BRANCHES = frozenset(range(249, 256))
"""OpBranch, OpBranchConditional, OpSwitch, OpKill, OpReturn, OpReturnValue, OpUnreachable: the ends of blocks."""

IMPURE = frozenset(
    # OpExtInst, functions and calls, variables, loads
    [12, OP_FUNCTION, OP_PARAMETER, OP_CALL, OP_VARIABLE, 61]
    # atomics, blocks, what lanes do together
    + [*range(227, 243), OP_PHI, OP_LABEL, *range(259, 272), *range(333, 367)]
    + [*range(5571, 5577), 5614, 5615, 6035]
)
"""Instructions with a result that do something else too, or whose place matters."""

_NUMBERS: Mapping[str, Iterable[int]] = {
    "|n": (7, 11, 21, 22, 31, 43, 50),  # texts, OpTypeInt, OpTypeFloat, OpConstant
    "n|i": (32, 52, OP_FUNCTION, OP_VARIABLE),  # OpTypePointer, OpSpecConstantOp
    # OpLine, OpTypeVector, OpTypeMatrix, OpLoad, OpCompositeExtract, OpGenericCastToPtrExplicit, ...
    "i|n": (OP_LINE, 23, 24, 61, 81, 123, 247, 256, 257),
    "ii|n": (
        OP_STORE,
        63,
        79,
        82,
        OP_LOOP_MERGE,
    ),  # OpCopyMemory, OpVectorShuffle, OpCompositeInsert
    "iii|n": (64, 250),  # OpCopyMemorySized, OpBranchConditional
    "in|i": (OP_EXT_INST, *range(264, 272), *range(349, 359)),  # what groups compute together
    "ii|ni": (251,),  # OpSwitch
}
"""Instructions with words that are no ids: what follows type and result, ids (i) and numbers (n); from the bar on it
repeats. Of instructions that have no result outside of functions none is here."""

_FORMS = {opcode: form for form, opcodes in _NUMBERS.items() for opcode in opcodes}


@cache
def are_ids(opcode: int, count: int) -> tuple[bool, ...]:
    """Return which of an instruction's `count` words are ids."""
    result = result_place(opcode)
    first, rest = _FORMS.get(opcode, "|i").split("|")
    ahead = 0 if result is None else result + 1
    kinds = "i" * ahead + first + rest * count
    return tuple(kind == "i" for kind in kinds[:count])


def ids_of(instruction: Instruction) -> list[int]:
    """Return the ids that an instruction uses, its type too, in order."""
    opcode, operands = instruction
    return [operands[place] for place in _uses(opcode, len(operands))]


@cache
def _uses(opcode: int, count: int) -> tuple[int, ...]:
    result = result_place(opcode)
    places = enumerate(are_ids(opcode, count))
    return tuple(place for place, is_id in places if is_id and place != result)


def text_of(words: Sequence[int]) -> tuple[str, int]:
    """The text that begins here, and how many words it takes."""
    data = struct.pack(f"<{len(words)}I", *words)
    end = data.index(b"\0")
    return data[:end].decode(), end // 4 + 1


def text_words(text: str) -> tuple[int, ...]:
    """The words of a text: its bytes, ended by at least one zero."""
    data = text.encode()
    data += b"\0" * (4 - len(data) % 4)
    return struct.unpack(f"<{len(data) // 4}I", data)


def names_of(module: Sequence[Instruction]) -> dict[int, str]:
    """By id what OpName calls it."""
    return {
        operands[0]: text_of(operands[1:])[0]
        for opcode, operands in module
        if opcode == OP_NAME
    }


def bodies(module: Sequence[Instruction]) -> Iterator[tuple[int, list[int]]]:
    """The functions that have blocks: their ids, and where their instructions stand, from OpFunction to its end."""
    start = None
    for place, instruction in enumerate(module):
        if instruction.opcode == OP_FUNCTION:
            start = place
        elif instruction.opcode == OP_FUNCTION_END and start is not None:
            inside = list(range(start, place + 1))
            if any(module[i].opcode == OP_LABEL for i in inside):
                yield module[start].operands[1], inside
