"""The functions that a SPIR-V module imports.

Source: the SPIR-V specification, sections "Physical Layout of a SPIR-V Module and Instruction" and "Linkage Type".
"""

import struct

from xetile.errors import XetileError

MAGIC = 0x07230203
HEADER_WORDS = 5
_OP_DECORATE = 71
_LINKAGE_ATTRIBUTES = 41
_IMPORT = 1


def imported_functions(spirv: bytes) -> list[str]:
    """Return the names that the module imports, in the order of their decorations.

    Raise XetileError for bytes that are not a SPIR-V module.
    """
    names: list[str] = []
    for opcode, operands in _instructions(spirv):
        if opcode != _OP_DECORATE or len(operands) < 2 or operands[1] != _LINKAGE_ATTRIBUTES:
            continue
        if operands[-1] == _IMPORT:
            names.append(_text(operands[2:-1]))
    return names


def _instructions(spirv: bytes) -> list[tuple[int, tuple[int, ...]]]:
    if len(spirv) < 4 * HEADER_WORDS or len(spirv) % 4:
        raise XetileError(f"{len(spirv)} bytes are no SPIR-V module")
    words = struct.unpack(f"<{len(spirv) // 4}I", spirv)
    if words[0] != MAGIC:
        raise XetileError(f"no SPIR-V module: it starts with {words[0]:#010x}")
    found: list[tuple[int, tuple[int, ...]]] = []
    at = HEADER_WORDS
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xFFFF
        if count == 0 or at + count > len(words):
            raise XetileError(f"no SPIR-V module: an instruction of {count} words at {at}")
        found.append((opcode, words[at + 1 : at + count]))
        at += count
    return found


def _text(words: tuple[int, ...]) -> str:
    data = struct.pack(f"<{len(words)}I", *words)
    name = data.split(b"\0", 1)[0]
    text = name.decode(errors="replace")
    if text.encode() != name or not text.isprintable():
        raise XetileError(f"no SPIR-V module: a name is {name!r}")
    return text
