"""What xetile reads of an ELF file, the container of a zebin: its undefined symbols.

Source: System V ABI, "Object Files", sections "Section Header" and "Symbol Table" (64-bit,
little-endian).
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from xetile.errors import XetileError

_MAGIC = b"\x7fELF\x02\x01"  # 64 bit, little-endian
_SYMBOL_TABLE = 2  # sh_type SHT_SYMTAB
_UNDEFINED = 0  # st_shndx SHN_UNDEF


class _Section(NamedTuple):
    type: int
    offset: int
    size: int
    link: int


def undefined_symbols(data: bytes) -> tuple[str, ...]:
    """Names that a 64-bit little-endian ELF file uses and does not define, in file order.

    Errors: XetileError when the data is no such file.
    """
    if not data.startswith(_MAGIC):
        raise XetileError("not a 64-bit little-endian ELF file")
    try:
        sections = list(_sections(data))
        tables = [section for section in sections if section.type == _SYMBOL_TABLE]
        return tuple(
            name for table in tables for name in _undefined(data, table, sections[table.link])
        )
    except (struct.error, IndexError, ValueError) as error:
        raise XetileError(f"damaged ELF file: {error}") from error


def _sections(data: bytes) -> Iterator[_Section]:
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, number = struct.unpack_from("<HH", data, 0x3A)
    for index in range(number):
        type, offset, length, link = struct.unpack_from(
            "<4xI16xQQI", data, start + index * size
        )
        yield _Section(type, offset, length, link)


def _undefined(data: bytes, table: _Section, names: _Section) -> Iterator[str]:
    entry = struct.Struct("<IBBHQQ")
    for offset in range(table.offset, table.offset + table.size, entry.size):
        name, _, _, section, _, _ = entry.unpack_from(data, offset)
        if section == _UNDEFINED and name:
            start = names.offset + name
            yield data[start : data.index(b"\0", start)].decode()
