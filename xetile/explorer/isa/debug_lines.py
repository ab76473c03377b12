"""The line of the source of each instruction of a binary: the section `.debug_line` of a zebin.

Source: DWARF Debugging Information Format, Version 4, section 6.2 "Line Number Information".

This file also writes the debug lines in SPIR-V from which Intel's compiler makes `.debug_line`.

Line `n + 1` of a file that does not exist stands for op n. OpLine alone gives no debug section in ocloc 26.27; it needs
a function of OpenCL.DebugInfo.100 with a scope in each block, and `-g`. A line holds until the next one in the block,
so OpNoLine marks instructions without an op.
Source: SPIR-V specification, OpLine, OpNoLine; "OpenCL.DebugInfo.100 Extended Instruction Set".
"""

import struct
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from xetile.codegen.spirv_emitter import Instruction
from xetile.errors import XetileError
from xetile.explorer.isa.spirv_marks import (
    OP_EXT_INST,
    OP_FUNCTION,
    OP_FUNCTION_END,
    OP_IMPORT,
    OP_LABEL,
    OP_LINE,
    OP_MEMORY_MODEL,
    OP_NAME,
    OP_NO_LINE,
    OP_PARAMETER,
    OP_PHI,
    OP_SOURCE,
    OP_STRING,
    OP_TYPE_VOID,
    OP_VARIABLE,
    bodies,
    text_words,
)
from xetile.toolchain.elf import contents, targets

_SET = "OpenCL.DebugInfo.100"
_UNIT, _FUNCTION_TYPE, _FUNCTION, _SCOPE, _SOURCE = 1, 8, 20, 23, 35
_DEBUG_INFO, _DWARF, _OPENCL_CPP = 0x10000, 4, 4
_DEFINITION = 8
"""Flag of a function; without it ocloc crashes, or never ends."""

_FILE = "llvm"
_HEADER_WORDS, _BOUND = 5, 3


def with_lines(
    spirv: bytes, module: Sequence[Instruction], parents: Sequence[int | None]
) -> bytes:
    """Return a module with a line for each instruction that has an op; `module` are its instructions."""
    return _Writer(spirv, module, parents).written()


class _Writer:
    def __init__(
        self, spirv: bytes, module: Sequence[Instruction], parents: Sequence[int | None]
    ) -> None:
        self.header = list(struct.unpack_from(f"<{_HEADER_WORDS}I", spirv))
        self.module, self.parents = module, parents
        self.made: list[int] = []
        self.void = next(op.operands[0] for op in module if op.opcode == OP_TYPE_VOID)
        self.set, self.file, self.no_text = self._id(), self._id(), self._id()
        self.functions = {
            function: (
                self._id(),
                min((n for i in places if (n := parents[i]) is not None), default=0),
            )
            for function, places in bodies(module)
        }

    def written(self) -> bytes:
        """Return the bytes of the module."""
        texts_done = functions_done = needs_scope = False
        scope: int | None = None
        line: int | None = None
        for place, instruction in enumerate(self.module):
            opcode = instruction.opcode
            if opcode == OP_MEMORY_MODEL:
                self._add(OP_IMPORT, self.set, *text_words(_SET))
            if opcode == OP_FUNCTION and not functions_done:
                functions_done = True
                self._describe()
            if not texts_done and opcode in (OP_SOURCE, OP_NAME, *_BEHIND_TEXTS):
                texts_done = True
                self._add(OP_STRING, self.file, *text_words(_FILE))
                self._add(OP_STRING, self.no_text, *text_words(""))
            if opcode == OP_FUNCTION:
                known = self.functions.get(instruction.operands[1])
                scope = None if known is None else known[0]
            number = self.parents[place]
            if scope is not None and opcode not in _WITHOUT_LINE:
                if needs_scope and opcode not in (OP_PHI, OP_VARIABLE):
                    self._debug(_SCOPE, scope)
                    needs_scope = False
                if number is not None and number != line:
                    self._add(OP_LINE, self.file, number + 1, 0)
                elif number is None and line is not None:
                    self._add(OP_NO_LINE)
                line = number
            self._add(opcode, *instruction.operands)
            if opcode == OP_LABEL:
                needs_scope, line = True, None
        return struct.pack(f"<{len(self.header) + len(self.made)}I", *self.header, *self.made)

    def _describe(self) -> None:
        """Write the debug information on the file and the functions, before the first function."""
        source = self._debug(_SOURCE, self.file)
        unit = self._debug(_UNIT, _DEBUG_INFO, _DWARF, source, _OPENCL_CPP)
        type = self._debug(_FUNCTION_TYPE, 0, self.void)
        for function, (id, first) in self.functions.items():
            words = [
                self.file,
                type,
                source,
                first + 1,
                0,
                unit,
                self.no_text,
                _DEFINITION,
                first + 1,
                function,
            ]
            self._debug(_FUNCTION, *words, result=id)

    def _debug(self, number: int, *words: int, result: int | None = None) -> int:
        result = self._id() if result is None else result
        self._add(OP_EXT_INST, self.void, result, self.set, number, *words)
        return result

    def _add(self, opcode: int, *words: int) -> None:
        self.made += ((len(words) + 1) << 16 | opcode, *words)

    def _id(self) -> int:
        self.header[_BOUND] += 1
        return self.header[_BOUND] - 1


_WITHOUT_LINE = (OP_FUNCTION, OP_PARAMETER, OP_FUNCTION_END, OP_LABEL)
"""Instructions without a line. A line before a parameter makes ocloc 26.27 run forever."""

_BEHIND_TEXTS = (6, 330, 71, 72, *range(19, 40))
"""Opcodes that follow texts in a module: names, OpModuleProcessed, decorations, types."""


_VERSION = 4
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _SET_COLUMN = 1, 2, 3, 4, 5
_CONST_ADD_PC, _FIXED_ADVANCE_PC = 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2


class Row(NamedTuple):
    """The line of instructions from an address of a section on; None after the last one."""

    section: str
    address: int
    line: int | None


def line_rows(binary: bytes) -> list[Row]:
    """Return the rows of a binary's line programs in the order of the file; none if it has none.

    Raise XetileError if they are of another version, or damaged.
    """
    data = contents(binary, ".debug_line")
    if data is None:
        return []
    try:
        return _Reader(data, targets(binary, ".rela.debug_line")).read()
    except (struct.error, IndexError, ZeroDivisionError, OverflowError) as error:
        raise XetileError(f"damaged line numbers: {error}") from error


def lines_at(rows: list[Row], section: str, addresses: list[int]) -> list[int | None]:
    """Return the lines of instructions at these addresses of a section."""
    own = sorted((row for row in rows if row.section == section), key=lambda row: row.address)
    starts = [row.address for row in own]
    found = [bisect_right(starts, address) for address in addresses]
    return [own[place - 1].line if place else None for place in found]


class _Reader:
    def __init__(self, data: bytes, relocated: dict[int, tuple[str, int]]) -> None:
        self.data, self.relocated, self.at = data, relocated, 0
        self.rows: list[Row] = []

    def read(self) -> list[Row]:
        while self.at < len(self.data):
            (length,) = self._take("I")
            end = self.at + length
            self._program(end)
            self.at = end
        return self.rows

    def _program(self, end: int) -> None:
        version, header = self._take("HI")
        if version != _VERSION:
            raise XetileError(f"line numbers of version {version}; expected {_VERSION}")
        start = self.at + header
        self.least, _, _, self.base, self.range, self.first = self._take("BBBbBB")
        self.lengths = self._take(f"{self.first - 1}B")
        self.at = start
        self._restart()
        while self.at < end:
            self._step()

    def _restart(self) -> None:
        self.section, self.address, self.line = "", 0, 1

    def _step(self) -> None:
        (opcode,) = self._take("B")
        if opcode >= self.first:
            by = opcode - self.first
            self.address += by // self.range * self.least
            self.line += self.base + by % self.range
            self._row()
        elif opcode == 0:
            self._extended()
        elif opcode == _COPY:
            self._row()
        elif opcode == _ADVANCE_PC:
            self.address += self._number() * self.least
        elif opcode == _ADVANCE_LINE:
            self.line += self._signed()
        elif opcode == _CONST_ADD_PC:
            self.address += (255 - self.first) // self.range * self.least
        elif opcode == _FIXED_ADVANCE_PC:
            self.address += self._take("H")[0]
        else:
            for _ in range(self.lengths[opcode - 1]):
                self._number()

    def _extended(self) -> None:
        end = self._number() + self.at
        (opcode,) = self._take("B")
        if opcode == _END_SEQUENCE:
            self.rows.append(Row(self.section, self.address, None))
            self._restart()
        elif opcode == _SET_ADDRESS:
            place = self.at
            (self.address,) = self._take("Q")
            self.section, self.address = self.relocated.get(place, ("", self.address))
        self.at = end

    def _row(self) -> None:
        # line 0 means no line
        self.rows.append(Row(self.section, self.address, self.line or None))

    def _take(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{form}", self.data, self.at)
        self.at += struct.calcsize(f"<{form}")
        return found

    def _number(self) -> int:
        """Read a number in base 128, the lowest digit first."""
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def _signed(self) -> int:
        start = self.at
        value = self._number()
        bits = 7 * (self.at - start)
        return value - (1 << bits) if value >> (bits - 1) else value
