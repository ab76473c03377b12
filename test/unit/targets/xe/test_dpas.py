"""DPAS: element types, extents, and what its operands look like in registers."""

from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    FloatTF32Type,
    IntegerType,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i32,
)

from xetile.targets import find, names
from xetile.targets.xe.device import XeDevice


def device(name: str) -> XeDevice:
    found = find(name)
    assert isinstance(found, XeDevice)
    return found


def test_operands_of_an_instruction() -> None:
    instruction = device("bmg").matrix_instruction(f16, f16, f32)
    assert instruction is not None
    assert [instruction.register_word(operand) for operand in ("a", "b", "c")] == [
        "i16",
        "i32",
        "f32",
    ]
    sizes = {
        operand: instruction.operand_layout(operand, m=8).out_dim_sizes
        for operand in ("a", "b", "c")
    }
    assert sizes == {"a": (8, 16), "b": (16, 16), "c": (8, 16)}


def test_matrix_instructions() -> None:
    bmg = device("bmg")
    unsigned = IntegerType(8, Signedness.UNSIGNED)
    assert bmg.matrix_instruction(f16, f16, f32) == ("f16", "f16", "f32", (1, 2, 4, 8), 16, 16)
    assert bmg.matrix_instruction(bf16, bf16, bf16) is not None
    assert bmg.matrix_instruction(FloatTF32Type(), FloatTF32Type(), f32) == (
        "tf32",
        "tf32",
        "f32",
        (1, 2, 4, 8),
        16,
        8,
    )
    mixed = bmg.matrix_instruction(i8, unsigned, i32)
    assert mixed is not None
    assert mixed.mma_types(has_accumulator=True) == ("s32", "s8", "u8", "s32")
    assert mixed.k == 32
    assert bmg.matrix_instruction(f32, f32, f32) is None
    assert bmg.matrix_instruction(f64, f64, f64) is None
    assert bmg.matrix_instruction(f16, bf16, f32) is None
    e4m3 = Float8E4M3FNType()
    assert [
        n for n in names() if device(n).matrix_instruction(e4m3, e4m3, f32) is not None
    ] == [
        "ptl",
        "cri",
    ]
