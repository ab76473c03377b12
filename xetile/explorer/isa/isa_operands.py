"""The operands of Xe assembly, as ocloc prints them: the bytes of registers that an instruction reads and writes.

    mov (16|M0)      r178.1<2>:ud  r34.0<1;1,0>:ud          channel c writes 4 bytes at r178 + 4 + 8 c
    dpas.8x8 (16|M0) r2:f  r2:f  r196:hf  r35.0:hf          result, accumulator, B, A
    send.ugm (1|M0)  r35  r228  null:0  0x0  0x03F00203     result, address, stored value, descriptors

Source: the regions `<stride>` and `<vertical;width,horizontal>` are those of Intel's programmer's reference manual,
"Region Parameters"; `<vertical;horizontal>` of instructions with three sources has a width of vertical / horizontal.
"""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from xetile.toolchain.assembly import Instruction

File = Literal["r", "acc", "other"]
"""The place of an operand: a register of the thread, an accumulator, anything else (flags, addresses, scalars)."""

BYTES = {
    **dict.fromkeys(("b", "ub", "bf8", "hf8"), 1),
    **dict.fromkeys(("w", "uw", "hf", "bf"), 2),
    **dict.fromkeys(("d", "ud", "f", "tf32"), 4),
    **dict.fromkeys(("q", "uq", "df"), 8),
}
"""Bytes of an element, by the type after an operand."""


class Region(NamedTuple):
    """An operand in registers: channel c has `size` bytes at `byte` + (c // width * vertical + c % width * horizontal).

    Attributes:
        file: of registers.
        byte: of the first channel, counted from the first register of its file.
        vertical, width, horizontal: strides in bytes, and channels of a row.
        size: bytes of an element.
        type: as printed; empty for a send.
    """

    file: File
    byte: int
    vertical: int = 0
    width: int = 1
    horizontal: int = 0
    size: int = 1
    type: str = ""

    def place(self, channel: int) -> int:
        """Return the first byte of a channel."""
        row, column = divmod(channel, self.width)
        return self.byte + row * self.vertical + column * self.horizontal


class Operation(NamedTuple):
    """An instruction with its operands.

    Attributes:
        channels: the number of the instruction's channels.
        target: the region that it writes; None if it writes no registers.
        sources: the regions that it reads, in order; None for other operands (numbers, `null`).
        words: the operands as printed, the target first.
        bytes: bytes that a message loads; None if the text does not state it, and for all other instructions.
    """

    channels: int
    target: Region | None
    sources: tuple[Region | None, ...]
    words: tuple[str, ...]
    bytes: int | None


_HEAD = re.compile(r"^(\S+)\s*(?:\((\d+)\|M\d+\))?\s*(?:\([a-z]+\)f\d\.\d\s*)?")
_OPERAND = re.compile(
    r"^[-~]?(?:\(abs\))?(?P<file>r|acc)(?P<number>\d+)"
    r"(?:\.(?P<part>\d+|(?:no)?mme\d?))?(?:<(?P<region>[\d;,]+)>)?(?::(?P<type>\w+))?$"
)
_LENGTH = re.compile(r"\brd:(\d+)(?P<bytes> B)?")
_MOST_LENGTH = 31
"""Most registers that the text of a message can express; it says the same of longer ones (wr:1+0, rd:31)."""


def read(instruction: Instruction, register_bytes: int) -> Operation:
    """Return the operands of an instruction of a device whose registers have `register_bytes` bytes."""
    text = instruction.text.partition("//")[0].partition("{")[0]
    head = _HEAD.match(text)
    assert head is not None  # an instruction has a mnemonic
    words = tuple(text[head.end() :].split())
    channels = int(head.group(2) or 1)
    regions = [_region(word, register_bytes, is_target=not n) for n, word in enumerate(words)]
    is_message = instruction.mnemonic.startswith("send")
    return Operation(
        channels,
        regions[0] if regions else None,
        tuple(regions[1:]),
        words,
        _message_bytes(instruction.text, register_bytes) if is_message else None,
    )


@lru_cache(maxsize=4096)  # the same operands occur in many instructions
def _region(word: str, register_bytes: int, *, is_target: bool) -> Region | None:
    found = _OPERAND.match(word)
    if found is None:
        return None
    type = found["type"] or ""
    size = BYTES.get(type, 1)
    part = int(found["part"]) if (found["part"] or "").isdigit() else 0
    byte = int(found["number"]) * register_bytes + part * size
    file: File = "r" if found["file"] == "r" else "acc"
    strides = [int(number) for number in re.findall(r"\d+", found["region"] or "")]
    vertical, width, horizontal = _strides(strides, is_target=is_target)
    return Region(file, byte, vertical * size, width, horizontal * size, size, type)


def _strides(numbers: list[int], *, is_target: bool) -> tuple[int, int, int]:
    """Return vertical stride, width, horizontal stride."""
    match numbers:
        case [vertical, width, horizontal]:
            return vertical, width, horizontal
        case [vertical, horizontal]:
            return vertical, max(1, vertical // horizontal if horizontal else 1), horizontal
        case [stride]:
            return stride, 1, stride if is_target else 0
        case _:
            return 1, 1, 0


def _message_bytes(text: str, register_bytes: int) -> int | None:
    found = _LENGTH.search(text)
    if found is None:
        return None
    length = int(found[1])
    if found["bytes"]:
        return length
    return None if length >= _MOST_LENGTH else length * register_bytes


class Product(NamedTuple):
    """The operands of a matrix instruction: result, accumulator (None if it is zero), B, A.

    `depth` counts steps of K, `rows` those of A, `channels` the columns of B.
    """

    result: Region
    accumulator: Region | None
    b: Region
    a: Region
    depth: int
    rows: int
    channels: int


_SHAPE = re.compile(r"^b?dpasw?\.(\d+)x(\d+)")


def product(instruction: Instruction, operation: Operation) -> Product | None:
    """Return the operands of a matrix instruction, or None for others and for ones printed in another form."""
    shape = _SHAPE.match(instruction.text)
    if shape is None or operation.target is None or len(operation.sources) < 3:
        return None
    accumulator, b, a = operation.sources[:3]
    if b is None or a is None:
        return None
    return Product(
        operation.target, accumulator, b, a, int(shape[1]), int(shape[2]), operation.channels
    )
