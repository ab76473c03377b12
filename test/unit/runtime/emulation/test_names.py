"""That everything which can be emitted is defined, under the name by which a linker looks for it."""

import pytest
from support.emission import Block, blocks, names, payload_functions, products

from xetile.errors import XetileError
from xetile.passes.xe.convert_xevm_to_llvm.builtins import BlockShape, mangle
from xetile.runtime.emulation import emulated
from xetile.runtime.emulation.mangling import GLOBAL_POINTER, mangled


def only_igc_has(block: Block) -> bool:
    """Reads of which IGC makes something else than the extension; xevm's verifier refuses all of 64 bits."""
    shape = block.shape
    return (
        block.action == "read_transpose"
        and shape.bits == 64
        and shape.rows < 16
        and shape.columns > 2
    )


NOT_DEFINED = {
    name
    for block in blocks()
    if only_igc_has(block)
    for name in (block.name, block.cached_name)
}


@pytest.mark.parametrize("surface_checks", [True, False])
def test_everything_that_can_be_emitted_is_defined(surface_checks: bool) -> None:
    for name in names():
        if name in NOT_DEFINED:
            with pytest.raises(
                XetileError, match=f"imports '{name}', of which there is no emul"
            ):
                emulated([name], surface_checks=surface_checks)
        else:
            emulated([name], surface_checks=surface_checks)


def test_all_together_are_defined_once() -> None:
    text = emulated([name for name in names() if name not in NOT_DEFINED] * 2)
    heads = [line for line in text.splitlines() if line.startswith(("void ", "static "))]
    assert len(set(heads)) == len(heads)


def test_what_the_device_has_needs_no_definition() -> None:
    assert emulated(["__spirv_BuiltInSubgroupLocalInvocationId"]) == emulated([])


UNKNOWN = [
    "foo",
    "_Z3foov",
    "_Z7barrierj",
    # a length, a pointer, a parameter, a shape, a depth, a pair, an accumulator that no function has
    "_Z40intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt",
    "_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPh",
    "_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_i",
    "_Z41intel_sub_group_2d_block_read_12b_8r16x1cPU3AS1viiiDv2_iPt",
    "_Z41intel_sub_group_2d_block_read_16b_0r16x1cPU3AS1viiiDv2_iPt",
    "_Z42intel_sub_group_2d_block_write_16b_8r16x2cPU3AS1viiiDv2_iPt",
    "_Z50intel_sub_group_2d_block_read_transpose_32b_16r8x2cPU3AS1viiiDv2_iPj",
    "_Z51intel_sub_group_2d_block_read_transform_32b_8r16x1cPU3AS1viiiDv2_iPj",
    "__internal_intel_sub_group_2d_block_read_16b_8r16x1c",
    "_Z38intel_sub_group_f16_f16_matrix_mad_k32Dv8_sDv8_iDv8_f",
    "_Z39intel_sub_group_f16_bf16_matrix_mad_k16Dv8_sDv8_iDv8_f",
    "_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv4_f",
    "_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iS_",
    "_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv3_sDv8_iDv3_f",
    "_Z36intel_sub_group_i8_i4_matrix_mad_k32Dv8_sDv8_iS0_",
    "__builtin_IB_subgroup_setBlock2DAddressPayloadWidth",
    "__builtin_IB_subgroup_block_read_ap_prefetch_u12_m8k16v1",
    "__builtin_IB_lsc_load_global_uchar",
    "__builtin_IB_lsc_load_global_uint3",
    "__builtin_IB_lsc_store_global_ushort_from_uint2",
]


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_import_without_definition_is_named(name: str) -> None:
    with pytest.raises(XetileError) as caught:
        emulated([next(iter(payload_functions())), name])
    assert (
        caught.value.message == f"the module imports '{name}', of which there is no emulation"
    )


LETTERS = {
    "h": "uchar",
    "s": "short",
    "t": "ushort",
    "i": "int",
    "j": "uint",
    "m": "ulong",
    "Dh": "half",
    "f": "float",
}


def in_c(type: str) -> str:
    """A mangled type as OpenCL C has it."""
    if type == "PU3AS1v":
        return GLOBAL_POINTER
    if type.startswith("P"):
        return f"private {LETTERS[type[1:]]} *"
    if type.startswith("Dv"):
        count, element = type[2:].split("_")
        return LETTERS[element] + count
    return LETTERS[type]


@pytest.mark.parametrize(
    "types",
    [
        ["Dv8_s", "Dv8_i", "Dv8_f"],
        ["Dv8_s", "Dv8_i", "Dv8_s"],
        ["Dv8_s", "Dv8_i", "Dv8_i"],
        ["Dv4_f", "Dv8_f", "Dv8_f"],
        ["Dv2_f", "Dv8_f", "Dv4_f"],
        ["s", "Dv8_i", "s"],
        ["f", "Dv8_f", "f"],
        ["Dv8_t", "Dv8_j", "Dv8_i"],
        ["Dv2_s", "Dv8_i", "Dv2_Dh"],
        ["PU3AS1v", "i", "i", "i", "Dv2_i", "Ph"],
        ["PU3AS1v", "i", "Dv2_i", "Dv2_i", "PU3AS1v", "Pm", "Pm"],
    ],
    ids="".join,
)
def test_names_are_mangled_as_the_compiler_does(types: list[str]) -> None:
    """Two readings of the ABI; that a linker agrees, the tests of blocks and products show."""
    assert mangled("f", list(map(in_c, types))) == mangle("f", types)


def test_repeats() -> None:
    name = mangled("intel_sub_group_i8_i8_matrix_mad_k32", ["short8", "int8", "int8"])
    assert name == "_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_"


REGISTERS = {
    # the prototypes of cl_intel_subgroup_2d_block_io, and one beyond for each other width
    ("read", 8, 32, 1): "t",
    ("read", 8, 16, 4): "h",
    ("read", 16, 16, 2): "t",
    ("read", 32, 8, 2): "j",
    ("read", 32, 16, 1): "j",
    ("read_transform", 8, 16, 4): "j",
    ("read_transform", 16, 16, 2): "j",
    ("read_transpose", 32, 8, 1): "j",
    ("write", 8, 16, 1): "h",
    ("write", 8, 32, 1): "t",
    ("write", 16, 16, 1): "t",
    ("write", 32, 16, 1): "j",
    ("read", 8, 64, 1): "j",
    ("read", 8, 4, 1): "h",
    ("read", 16, 32, 1): "j",
    ("read", 64, 8, 1): "m",
    ("read_transpose", 64, 2, 1): "m",
    ("write", 64, 8, 1): "m",
    ("write", 8, 64, 1): "j",
}


@pytest.mark.parametrize(("message", "pointee"), REGISTERS.items(), ids=str)
def test_what_the_pointer_of_a_message_points_to(
    message: tuple[str, int, int, int], pointee: str
) -> None:
    action, bits, columns, count = message
    plain = f"intel_sub_group_2d_block_{action}_{BlockShape(bits, 8, columns, count)}"
    for letter in "htjm":
        name = f"_Z{len(plain)}{plain}PU3AS1viiiDv2_iP{letter}"
        if letter == pointee:
            assert f"private {LETTERS[letter]} *registers" in emulated([name])
        else:
            with pytest.raises(XetileError):
                emulated([name])


def test_there_are_as_many_products_as_documented() -> None:
    """The functions for subgroups of 16: 8 integer ones, 4 of 16 bits, one of tf32, 8 of 8-bit floats, for each M."""
    assert len(list(products())) == (8 + 4 + 1 + 8) * 4
