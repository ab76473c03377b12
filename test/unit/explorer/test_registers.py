"""Registers of vectors: matrix instructions read elements where loads and the layouts say."""

from collections.abc import Mapping

import pytest
from support.explored_registers import (
    ELEMENTS,
    SPILLING,
    elements_met,
    explored,
    products,
    products_of,
)

from tools.explorer_links import module_of
from xetile.errors import collected_remarks
from xetile.explorer import explore
from xetile.explorer.isa.isa_operands import Product
from xetile.explorer.model import Kernel

pytestmark = pytest.mark.ocloc

KERNELS = {
    "gemm_f16_plain.mlir": ELEMENTS,
    "gemm_f16.mlir": ELEMENTS,
    "gemm_bf16_plain.mlir": ELEMENTS,
    "gemm_i8.mlir": ELEMENTS,
    "gemm_int8_weights.mlir": ELEMENTS,
    "flash_attention.mlir": ELEMENTS,
    SPILLING: ELEMENTS,
    "rfc/2.3-transpose-in-registers.mlir": ELEMENTS,
    "rfc/2.4-shared-memory.mlir": 0,
}
"""How often matrix instructions read one of 200 loaded elements, at least."""


@pytest.mark.parametrize("device", ["bmg", "pvc", "cri"])
@pytest.mark.parametrize("name", KERNELS)
def test_elements_are_where_matrix_instructions_read_them(name: str, device: str) -> None:
    """The load's register and layout give the byte from which every matrix instruction reads an element."""
    kernel, matrix = explored(name, device), products(name, device)
    assert [one.asm for one in kernel.dpas] == [*matrix]
    named = [n for one in kernel.dpas for n in (one.a, one.b, one.c, one.d) if n is not None]
    assert len(named) >= 3 * len(matrix)
    assert all(kernel.holdings[number].base is not None for number in named)
    assert not read_elsewhere(kernel, matrix)
    met, wrong = elements_met(kernel, matrix)
    assert not wrong
    assert met >= KERNELS[name]


def read_elsewhere(kernel: Kernel, matrix: Mapping[int, Product]) -> list[int]:
    """Matrix instructions that read A or B from another register than the model names."""
    return [
        one.asm
        for one in kernel.dpas
        for number, region in ((one.a, matrix[one.asm].a), (one.b, matrix[one.asm].b))
        if number is not None
        and region.byte // kernel.register_bytes
        not in [register for _, register in kernel.holdings[number].copies]
    ]


@pytest.mark.parametrize("name", ["weights i4, few rows", "attention, ragged"])
def test_a_load_in_two_messages_is_one_in_whatever_order(name: str) -> None:
    with collected_remarks():
        (kernel,) = explore(module_of(name), "bmg").model.kernels
    assert not read_elsewhere(kernel, products_of(kernel))


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
