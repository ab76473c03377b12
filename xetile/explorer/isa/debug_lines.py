"""Which line of its source each instruction of a binary came of: the section `.debug_line` of a zebin.

Source: DWARF Debugging Information Format, Version 4, section 6.2 "Line Number Information".
"""

import struct
from bisect import bisect_right
from typing import NamedTuple

from xetile.errors import XetileError
from xetile.toolchain.elf import contents, targets

_VERSION = 4
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _SET_COLUMN = 1, 2, 3, 4, 5
_CONST_ADD_PC, _FIXED_ADVANCE_PC = 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2


class Row(NamedTuple):
    """From an address of a section on, instructions are of this line; None behind the last one."""

    section: str
    address: int
    line: int | None


def line_rows(binary: bytes) -> list[Row]:
    """The rows of a binary's line programs in the order of the file; none where it has none.

    Errors: XetileError where they are of another version, or damaged.
    """
    data = contents(binary, ".debug_line")
    if data is None:
        return []
    try:
        return _Reader(data, targets(binary, ".rela.debug_line")).read()
    except (struct.error, IndexError, ZeroDivisionError, OverflowError) as error:
        raise XetileError(f"damaged line numbers: {error}") from error


def lines_at(rows: list[Row], section: str, addresses: list[int]) -> list[int | None]:
    """The lines of instructions at these addresses of a section."""
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
        # line 0 is of no line
        self.rows.append(Row(self.section, self.address, self.line or None))

    def _take(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{form}", self.data, self.at)
        self.at += struct.calcsize(f"<{form}")
        return found

    def _number(self) -> int:
        """A number in base 128, the lowest digit first."""
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
