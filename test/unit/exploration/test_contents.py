"""What registers hold: bytes of loads followed through moves, scratch memory and loops."""

from xetile.exploration.contents import Origin, contents, products_asked
from xetile.toolchain.assembly import parse_assembly

LOADS = """
send.ugm (1|M0) r35 r228 null:0 0x0 0x3 {$1} // wr:1+0, rd:4; load_block2d.ugm.d16.a64
send.ugm (1|M0) r196 r67 null:0 0x0 0x3 {$2} // wr:1+0, rd:31; load_block2d.ugm.d16v.a64
"""
PRODUCT = "dpas.8x8 (16|M0) r2:f r2:f r196:hf r35.0:hf {Atomic}\n"


def origins(text: str, operand: int, lengths: dict[int, int] | None = None) -> list[Origin]:
    """Of an operand (c, b, a) of the last matrix instruction."""
    program = parse_assembly(text)
    held = contents(program, products_asked(program), lengths or {})
    last = max(n for n, one in enumerate(program.instructions) if one.mnemonic == "dpas")
    return held.origins(last, operand)


def test_operands_are_bytes_of_loads() -> None:
    text = f"{LOADS}{PRODUCT}"
    assert origins(text, 2) == [Origin(0, 256, 0, 0)]
    assert origins(text, 1, {1: 2048}) == [Origin(0, 512, 1, 0)]
    assert Origin(0, 192, 0, 64) in origins(text.replace("r35.0:hf", "r36.0:hf"), 2)


def test_accumulators_are_results_and_numbers() -> None:
    assert origins(f"{LOADS}{PRODUCT}{PRODUCT}", 0) == [Origin(0, 512, 2, 0)]
    zero = "".join(f"mov (16|M0) r{n}.0<1>:ud 0x0:ud {{Compacted}}\n" for n in range(2, 10))
    assert origins(f"{LOADS}{zero}{PRODUCT}", 0) == [Origin(0, 512, None, 0)]
    assert origins(f"{LOADS}{PRODUCT}", 0)[0].instruction == -1


def test_a_loop_brings_either() -> None:
    zero = "".join(f"mov (16|M0) r{n}.0<1>:f 0.0:f\n" for n in range(2, 10))
    text = f"{zero}L8:\n{LOADS}{PRODUCT}(W&f0.0) jmpi L8\n"
    assert set(origins(text, 0)) == {Origin(0, 512, None, 0), Origin(0, 512, 10, 0)}
    assert origins(text, 2) == [Origin(0, 256, 8, 0)]


def test_moves_carry_what_they_do_not_convert() -> None:
    move = "mov (16|M0) r80.0<1>:uw r35.0<1;1,0>:uw\n"
    repack = "mov (16|M0) r80.0<1>:uw r35.1<2;1,0>:uw\n"
    sign = "mov (16|M0) r80.0<1>:hf -r35.0<1;1,0>:hf\n"
    product = PRODUCT.replace("r35.0", "r80.0")
    assert Origin(0, 32, 0, 0) in origins(f"{LOADS}{move}{product}", 2)
    found = origins(f"{LOADS}{repack}{product}", 2)
    assert {Origin(2 * n, 2, 0, 4 * n + 2) for n in range(16)} <= set(found)
    assert Origin(0, 32, 2, 0) in origins(f"{LOADS}{sign}{product}", 2)
    half = move.replace("mov", "(f0.0) mov")
    assert Origin(0, 32, 2, 0) in origins(f"{LOADS}{half}{product}", 2)


def test_what_is_spilled_comes_back() -> None:
    base = "(W) mov (1|M0) r34.0<1>:f 9.18355e-41:f\n"
    spill = "(W) send.ugm (1|M0) null r34 r35:4 0x0:a0.2 0x4 {$2} // wr:1+4, rd:0; store.ugm.d32x64t.a32.ss[a0.2][A-0xE300]\n"
    fill = "(W) send.ugm (1|M0) r90 r34 null:0 0x0:a0.2 0x4 {$1} // wr:1+0, rd:4; load.ugm.d32x64t.a32.ss[a0.2][A-0xE300]\n"
    product = PRODUCT.replace("r35.0", "r90.0")
    assert origins(f"{base}{LOADS}{spill}{fill}{product}", 2) == [Origin(0, 256, 1, 0)]
    # without the address in a register, nobody knows the place
    assert origins(f"{LOADS}{spill}{fill}{product}", 2) == [Origin(0, 256, 3, 0)]
    old = "(W) send.dc0 (16|M0) null r0 r35:4 0x0 0x024C30F8 {$2} // wr:1h+4, rd:0; hword scratch block write x8\n"
    back = "(W) send.dc0 (16|M0) r90 r0 null:0 0x0 0x020F20F8 {$5} // wr:1h+0, rd:4; hword scratch block read x8\n"
    assert origins(f"{LOADS}{old}{back}{product}", 2) == [Origin(0, 256, 0, 0)]
    other = back.replace("20F8", "20D8")
    assert origins(f"{LOADS}{old}{other}{product}", 2)[0].instruction == -1


def test_an_address_of_registers_that_is_written_hides_all() -> None:
    text = f"{LOADS}mov (16|M0) r[a0.0]<1>:ud r3.0<1;1,0>:ud\n{PRODUCT}"
    assert origins(text, 2) == [Origin(0, 256, -1, 0)]
