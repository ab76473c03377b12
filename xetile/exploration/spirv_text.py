"""SPIR-V as text, one instruction a line: `%44 = OpIAdd %uint %43 %uint_32`.

Types and constants are called by what they are, other ids by their names, where OpName gives one that LLVM has not
numbered (`.5`), else by their numbers. An opcode that `spirv_words.py` does not know is `OpUnknown<n>`.
"""

import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xetile.codegen.spirv import Instruction
from xetile.exploration.spirv_enumerations import ENUMERATIONS, MASKS, OPENCL
from xetile.exploration.spirv_words import (
    OP_EXT_INST,
    OP_FUNCTION,
    OP_FUNCTION_END,
    Word,
    forms,
    names_of,
    result_of,
    text_of,
    words_of,
)

_INTEGERS = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}
_FLOATS = {16: "half", 32: "float", 64: "double"}
_CODES = {16: ("H", "e"), 32: ("I", "f"), 64: ("Q", "d")}
_OP_CONSTANT, _OP_NULL, _OP_DECORATE = 43, 46, 71
_VALUES = {11: "BuiltIn", 39: "FPRoundingMode", 40: "FPFastMathMode"}
"""By decoration what the word behind it is, where it is no number."""

_LINKAGE = 41


class Line(NamedTuple):
    """A line: the name of the instruction, the text, and which instruction of the module it is."""

    name: str
    text: str
    place: int


def spirv_lines(module: Sequence[Instruction]) -> Iterator[Line]:
    """The lines of a module."""
    names = _names(module)
    constants = _Constants(module)
    is_inside = False
    for place, instruction in enumerate(module):
        opcode = instruction.opcode
        form = forms().get(opcode)
        name = f"OpUnknown{opcode}" if form is None else form.name
        result = result_of(instruction)
        words = [_word(word, names) for word in _told(instruction, constants)]
        begin = "" if result is None else f"%{names.get(result, result)} = "
        is_inside = is_inside and opcode != OP_FUNCTION_END
        indent = "  " if is_inside else ""
        yield Line(name, f"{indent}{begin}{' '.join([name, *words])}", place)
        is_inside = is_inside or opcode == OP_FUNCTION


class _Constants:
    """Which types of a module are numbers: by id the bits, and whether they are floats."""

    def __init__(self, module: Sequence[Instruction]) -> None:
        self.numbers: dict[int, tuple[int, bool]] = {}
        for opcode, operands in module:
            if forms().get(opcode, _NONE).name in ("OpTypeInt", "OpTypeFloat"):
                is_float = forms()[opcode].name == "OpTypeFloat"
                self.numbers[operands[0]] = operands[1], is_float

    def text(self, type: int, words: Sequence[int]) -> str:
        """A constant as it is written: an integer without a sign, or a float."""
        bits, is_float = self.numbers.get(type, (32 * len(words), False))
        value = sum(word << (32 * place) for place, word in enumerate(words))
        value &= (1 << bits) - 1
        if not is_float:
            return str(value)
        whole, code = _CODES[bits]
        return str(struct.unpack(f"<{code}", struct.pack(f"<{whole}", value))[0])


def _told(instruction: Instruction, constants: _Constants) -> list[Word]:
    """The words that are printed behind the name: no result, and constants, decorations, functions in words."""
    opcode, operands = instruction
    if opcode == _OP_CONSTANT:
        value = constants.text(operands[0], operands[2:])
        return [Word("type", operands[0]), Word("literal", value)]
    words = [word for word in words_of(instruction) if word.kind != "result"]
    if opcode == OP_EXT_INST:
        number = int(words[2].value)
        words[2] = Word("literal", OPENCL.get(number, str(number)))
    if opcode == _OP_DECORATE and operands[1] == _LINKAGE:
        text, count = text_of(operands[2:])
        words[2:] = [Word("text", text), Word("LinkageType", operands[2 + count])]
    elif opcode == _OP_DECORATE and operands[1] in _VALUES:
        words[2] = Word(_VALUES[operands[1]], operands[2])
    return words


def _word(word: Word, names: dict[int, str]) -> str:
    kind, value = word
    if kind in ("id", "type"):
        return f"%{names.get(int(value), value)}"
    if kind == "text":
        return '"' + str(value).translate(_ESCAPED) + '"'
    if kind in MASKS:
        bits = [text for bit, text in MASKS[kind].items() if int(value) & bit]
        return "|".join(bits) or "None"
    known = ENUMERATIONS.get(kind, {})
    return known.get(int(value), str(value)) if known else str(value)


_ESCAPED = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n"})
_NAME = re.compile(r"[^\W\d]\w*")
_NONE = forms()[0]


def _names(module: Sequence[Instruction]) -> dict[int, str]:
    """By id what it is called; no two are called the same."""
    said = {id: name for id, name in names_of(module).items() if _NAME.fullmatch(name)}
    constants = _Constants(module)
    for instruction in module:
        if instruction.opcode == OP_FUNCTION:
            break
        result = result_of(instruction)
        if result is not None and (name := _meaning(instruction, said, constants)):
            said.setdefault(result, name)
    counts = Counter(said.values())
    return {id: name if counts[name] == 1 else f"{name}_{id}" for id, name in said.items()}


def _meaning(
    instruction: Instruction, names: dict[int, str], constants: _Constants
) -> str | None:
    """What a type or a constant is called."""
    opcode, operands = instruction

    def part(place: int) -> str:
        return names.get(operands[place], str(operands[place]))

    match forms().get(opcode, _NONE).name:
        case "OpTypeVoid":
            return "void"
        case "OpTypeBool":
            return "bool"
        case "OpTypeInt":
            return _INTEGERS.get(operands[1], f"u{operands[1]}")
        case "OpTypeFloat":
            return _FLOATS.get(operands[1], f"f{operands[1]}")
        case "OpTypeVector":
            return f"v{operands[2]}{part(1)}"
        case "OpTypeArray":
            return f"arr_{part(1)}_{part(2).rpartition('_')[2]}"
        case "OpTypePointer":
            storage = ENUMERATIONS["StorageClass"].get(operands[1], str(operands[1]))
            return f"ptr_{storage}_{part(2)}"
        case "OpConstantTrue":
            return "true"
        case "OpConstantFalse":
            return "false"
        case "OpConstantNull":
            return f"{part(0)}_0"
        case "OpUndef":
            return f"{part(0)}_undef"
        case "OpConstant" if operands[0] in constants.numbers:
            text = constants.text(operands[0], operands[2:])
            return f"{part(0)}_{re.sub(r'[^0-9a-z]', '_', text)}"
        case _:
            return None
