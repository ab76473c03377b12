import struct

import pytest

from xetile.errors import XetileError
from xetile.toolchain.elf import undefined_symbols


def elf(symbols: list[tuple[str, int]]) -> bytes:
    """A file with a symbol table of (name, section) and its names, nothing else."""
    names, table = b"\0", struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    for name, index in symbols:
        table += struct.pack("<IBBHQQ", len(names), 0x10, 0, index, 0, 0)
        names += name.encode() + b"\0"
    header = bytearray(64)
    header[:6] = b"\x7fELF\x02\x01"
    struct.pack_into("<Q", header, 0x28, 64)
    struct.pack_into("<HH", header, 0x3A, 64, 3)
    start = 64 + 3 * 64

    def section(type: int, offset: int, size: int, link: int) -> bytes:
        return struct.pack("<IIQQQQIIQQ", 0, type, 0, 0, offset, size, link, 0, 0, 0)

    sections = section(0, 0, 0, 0)
    sections += section(2, start, len(table), 2)
    sections += section(3, start + len(table), len(names), 0)
    return bytes(header) + sections + table + names


def test_defined_symbols_and_the_empty_one_are_left_out():
    assert undefined_symbols(
        elf([("gemm", 1), ("_Z3foov", 0), ("_entry", 1), ("bar", 0)])
    ) == (
        "_Z3foov",
        "bar",
    )


def test_no_symbols():
    assert undefined_symbols(elf([])) == ()


@pytest.mark.parametrize("data", [b"", b"\x03\x02#\x07", b"\x7fELF\x01\x01" + bytes(64)])
def test_other_files(data: bytes):
    with pytest.raises(XetileError, match="not a 64-bit little-endian ELF file"):
        undefined_symbols(data)


def test_a_damaged_file():
    with pytest.raises(XetileError, match="damaged ELF file"):
        undefined_symbols(elf([("gemm", 1)])[:100])
