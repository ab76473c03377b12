"""Operands of Xe assembly: which bytes of registers an instruction reads and writes."""

import pytest

from xetile.explorer.isa.isa_operands import product, read
from xetile.toolchain.assembly import leads_to, parse_assembly

REGISTER = 64


def operation(line: str):
    (instruction,) = parse_assembly(line).instructions
    return instruction, read(instruction, REGISTER)


def test_a_matrix_instruction_has_four_operands() -> None:
    line = "dpas.8x8 (16|M0)  r2:f  r10:f  r196:hf  r35.0:hf  {Atomic,Compacted,$1.dst}"
    found = product(*operation(line))
    assert found is not None
    assert (found.result.byte, found.a.byte) == (2 * REGISTER, 35 * REGISTER)
    assert found.accumulator is not None
    assert (found.accumulator.byte, found.b.byte) == (10 * REGISTER, 196 * REGISTER)
    assert (found.depth, found.rows, found.channels) == (8, 8, 16)
    assert (found.result.type, found.b.type) == ("f", "hf")


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("dpas.8x4 (16|M0) r124:f null:f r2:hf r197.0:hf {Atomic}", 4),
        ("dpas.8x2 (16|M0) r10:f r10:f r44:tf32 r16.8:tf32", 2),
        ("dpasw.8x8 (16|M0) r108:f r108:f r44:bf8 r16.0:hf8", 8),
    ],
)
def test_rows_and_accumulators_of_matrix_instructions(line: str, rows: int) -> None:
    found = product(*operation(line))
    assert found is not None
    assert found.rows == rows
    assert (found.accumulator is None) == ("null" in line)


def test_regions_place_each_channel() -> None:
    _, found = operation("mov (16|M0) r178.1<2>:ud r34.3<8;4,2>:uw {Compacted}")
    assert found.target is not None
    assert [found.target.place(c) - 178 * REGISTER for c in (0, 1, 15)] == [4, 12, 124]
    (source,) = found.sources
    assert source is not None
    assert [source.place(c) - 34 * REGISTER for c in (0, 1, 4, 5)] == [6, 10, 22, 26]


def test_three_sources_and_numbers() -> None:
    line = "(W) bfn.0xEA (1|M0) r1.8<1>:ud r1.7<0;0>:ud -r1.10<2;1>:ud 8:w // s0|s1&s2"
    instruction, found = operation(line)
    first, second, third = found.sources
    assert first is not None
    assert first.place(3) == REGISTER + 28
    assert second is not None
    assert second.width == 2
    assert third is None
    assert instruction.predicate == "(W)"


@pytest.mark.parametrize(
    ("line", "bytes"),
    [
        ("send.ugm (1|M0) r35 r228 null:0 0x0 0x3 {$1} // wr:1+0, rd:31; load_block2d", None),
        ("send.ugm (1|M0) r44 r3 null:0 0x0 0x3 {$1} // wr:1+0, rd:8; load_block2d", 512),
        ("sendg.ugm (1|M0) r3 r98:1 null:0 s0.56 0x3 // rd:256 B; load.ugm.d32x64t.a32", 256),
        ("sendg.ugm (1|M0) r28 r60:1 null:0 0x8803 // load_block2d.ugm.d16.a64", None),
    ],
)
def test_a_message_tells_what_it_brings(line: str, bytes: int | None) -> None:
    _, found = operation(line)
    assert found.bytes == bytes
    assert found.target is not None
    assert found.target.type == ""


def test_flags_and_accumulators() -> None:
    _, found = operation(
        "(~f0.0) sel (16|M0) (ge)f0.0 acc0.0<1>:f (abs)r2.0<1;1,0>:f acc1.0<1;1,0>:f"
    )
    assert found.target is not None
    assert found.target.file == "acc"
    assert [source and source.file for source in found.sources] == ["r", "acc"]


def test_where_a_branch_leads() -> None:
    jump, loop, goto, end = parse_assembly(
        "L0:\n(W) jmpi L8\n(W&~f0.0) jmpi L0\n(f0.0) goto (16|M0) L8 L0\nL8:\n"
        "(W) send.gtwy (1|M0) null r240 null:0 0x0 0x2 {EOT,$3}"
    ).instructions
    assert leads_to(jump) == ["L8"]
    assert leads_to(loop) == ["L0"]
    assert leads_to(goto) == ["L8", "L0"]
    assert not leads_to(end)
