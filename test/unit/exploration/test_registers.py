"""Registers of vectors: operands of every matrix instruction are what level L and the layouts say."""

import pytest
from support.explored_registers import ELEMENTS, elements_met, explored, products

pytestmark = pytest.mark.ocloc

KERNELS = {
    "gemm_f16_plain.mlir": (1536, 0),
    "gemm_f16.mlir": (1536, 0),
    "gemm_bf16_plain.mlir": (1536, 0),
    "gemm_i8.mlir": (768, 0),
    "gemm_int8_weights.mlir": (96, 0),
    "flash_attention.mlir": (120, 72),
    "rfc/2.4-shared-memory.mlir": (768, 0),
}
"""Operands of bmg's matrix instructions that are proved, and those that are computed on the way."""


@pytest.mark.parametrize("device", ["bmg", "pvc", "cri"])
@pytest.mark.parametrize("name", KERNELS)
def test_operands_are_what_level_l_says(name: str, device: str) -> None:
    kernel = explored(name, device)
    checked, matrix = kernel.checked, products(name, device)
    assert sum(checked.values()) == 3 * len(matrix) == 3 * len(kernel.dpas)
    assert (checked["different"], checked["unknown"]) == (0, 0)
    proved, computed = KERNELS[name]
    if device == "bmg":
        assert (checked["proved"], checked["computed"]) == (proved, computed)
    elif not computed:
        assert checked["proved"] == 3 * len(matrix)
    # all that is left out is said
    notes = [note for note in kernel.notes if note.startswith("registers:")]
    assert len(notes) == (checked["proved"] < 3 * len(matrix))


@pytest.mark.parametrize("device", ["bmg", "pvc"])
@pytest.mark.parametrize("name", ["gemm_f16_plain.mlir", "gemm_f16.mlir", "gemm_i8.mlir"])
def test_elements_are_where_matrix_instructions_read_them(name: str, device: str) -> None:
    """The load's register and layout give the byte from which every matrix instruction reads an element."""
    met, wrong = elements_met(explored(name, device), products(name, device))
    assert not wrong
    assert met >= ELEMENTS


def test_accumulators_have_the_registers_that_are_stored() -> None:
    kernel = explored("gemm_f16_plain.mlir", "bmg")
    found: dict[tuple[int, ...], set[int]] = {}
    for one in kernel.dpas:
        assert one.c is not None
        holding = kernel.holdings[one.c]
        assert holding.base is not None
        found.setdefault(tuple(holding.offset or ()), set()).add(holding.base["register"])
    assert len(found) == 16
    assert all(len(registers) == 1 for registers in found.values())
    (level,) = [n for n, one in enumerate(kernel.levels) if one.id == "V"]
    stored = {
        tuple(holding.offset or ()): holding.base["register"]
        for value in kernel.levels[level].values
        if value.holding is not None
        and kernel.names[kernel.levels[level].ops[value.op].name] == "scf.for"
        and (holding := kernel.holdings[value.holding]).base is not None
        and holding.copies[0][0] > kernel.loops[0].asm[1]
    }
    assert {place: {register} for place, register in stored.items()} == found


def test_messages_name_their_instructions() -> None:
    kernel = explored("gemm_f16_plain.mlir", "bmg")
    loads = [
        message
        for move in kernel.moves
        if kernel.names[kernel.levels[move.op[0]].ops[move.op[1]].name] == "xevm.blockload2d"
        for message in move.messages
    ]
    assert [len(message.asm) for message in loads] == [16, 16, 16]
    named = sorted(asm for message in loads for asm in message.asm)
    assert kernel.costs is not None
    kinds = [kernel.costs.classes[kind] for kind in kernel.costs.asm]
    assert named == [number for number, kind in enumerate(kinds) if kind == "load2d"]
