"""The parts of an ELF file, the container of a zebin, that xetile reads: undefined symbols, sections, relocations.

Source: System V ABI, "Object Files", sections "Section Header", "Symbol Table" and "Relocation" (64-bit,
little-endian).
"""

import struct
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from xetile.errors import XetileError

_MAGIC = b"\x7fELF\x02\x01"  # 64 bit, little-endian
_SYMBOL_TABLE = 2  # sh_type SHT_SYMTAB
_SYMBOL_BYTES = 24
_UNDEFINED = 0  # st_shndx SHN_UNDEF


class _Section(NamedTuple):
    name: int
    type: int
    offset: int
    size: int
    link: int


@contextmanager
def _refusing_damage() -> Generator[None]:
    try:
        yield
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise XetileError(f"damaged ELF file: {error}") from error


def undefined_symbols(data: bytes) -> tuple[str, ...]:
    """Return the names that a 64-bit little-endian ELF file uses and does not define, in file order.

    Raise XetileError if the data is no such file.
    """
    if not data.startswith(_MAGIC):
        raise XetileError("not a 64-bit little-endian ELF file")
    with _refusing_damage():
        sections = list(_sections(data))
        tables = [section for section in sections if section.type == _SYMBOL_TABLE]
        return tuple(
            name for table in tables for name in _undefined(data, table, sections[table.link])
        )


def contents(data: bytes, wanted: str) -> bytes | None:
    """Return the bytes of the section of this name, or None.

    Raise XetileError if the file is damaged.
    """
    with _refusing_damage():
        found = dict(reversed(_named(data))).get(wanted)
        return None if found is None else data[found.offset : found.offset + found.size]


def targets(data: bytes, wanted: str) -> dict[int, tuple[str, int]]:
    """Return, for each place that a section of relocations (`.rela.NAME`) fills in, the symbol and the offset from it.

    In ocloc's debug information symbols have the names of sections (`.text.gemm`), and belong to others.

    Raise XetileError if the file is damaged.
    """
    entry = struct.Struct("<QIIq")
    found: dict[int, tuple[str, int]] = {}
    with _refusing_damage():
        sections = _named(data)
        for section in (section for name, section in sections if name == wanted):
            symbols = sections[section.link][1]
            names = sections[symbols.link][1].offset
            for at in range(section.offset, section.offset + section.size, entry.size):
                place, _, number, addend = entry.unpack_from(data, at)
                symbol = symbols.offset + number * _SYMBOL_BYTES
                (name,) = struct.unpack_from("<I", data, symbol)
                found[place] = _text(data, names + name), addend
    return found


def _sections(data: bytes) -> Iterator[_Section]:
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, number = struct.unpack_from("<HH", data, 0x3A)
    for index in range(number):
        yield _Section(*struct.unpack_from("<II16xQQI", data, start + index * size))


def _undefined(data: bytes, table: _Section, names: _Section) -> Iterator[str]:
    entry = struct.Struct("<IBBHQQ")
    for offset in range(table.offset, table.offset + table.size, entry.size):
        name, _, _, section, _, _ = entry.unpack_from(data, offset)
        if section == _UNDEFINED and name:
            yield _text(data, names.offset + name)


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode()


def _named(data: bytes) -> list[tuple[str, _Section]]:
    """Return the sections with their names, by number."""
    sections = list(_sections(data))
    (number,) = struct.unpack_from("<H", data, 0x3E)
    names = sections[number].offset
    return [(_text(data, names + section.name), section) for section in sections]
