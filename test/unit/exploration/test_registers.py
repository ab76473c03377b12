"""Registers of vectors: operands of every matrix instruction are what level L and the layouts say."""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from xetile.api import parse
from xetile.exploration import explore
from xetile.exploration.instructions import listing
from xetile.exploration.model import Holding, Kernel
from xetile.layout.show.bases import layout_of_form
from xetile.targets.xe.device import LANES
from xetile.toolchain.operands import Product, product, read

EXAMPLES = Path(__file__).parents[3] / "examples"
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

SEED, ELEMENTS = 5, 200


@cache
def explored(name: str, device: str) -> Kernel:
    return explore(parse((EXAMPLES / name).read_text()), device).model.kernels[0]


@cache
def products(name: str, device: str) -> dict[int, Product]:
    """By instruction the operands of the matrix instructions."""
    kernel = explored(name, device)
    found = listing(kernel)
    assert found is not None
    everything = enumerate(found.program.instructions)
    read_all = ((n, product(one, read(one, kernel.register_bytes))) for n, one in everything)
    return {number: one for number, one in read_all if one is not None}


def byte_of(holding: Holding, base: int, word: int, register: int, lane: int) -> int:
    """Where an element is in registers, as the model's docstring has it."""
    bit = register * holding.bits
    return base + (bit // word * LANES + lane) * word // 8 + bit % word // 8


def places(holding: Holding, element: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The registers and lanes of an element of the tile."""
    assert holding.layout is not None
    offset = holding.offset or [0] * len(element)
    wanted = tuple(e - o for e, o in zip(element, offset, strict=True))
    layout = layout_of_form(holding.layout.inputs, holding.layout.outputs)
    for register in range(layout.in_dim_size("register")):
        for lane in range(layout.in_dim_size("lane")):
            at = layout.apply({"register": register, "lane": lane})
            if tuple(at.values()) == wanted:
                yield register, lane


def holds(holding: Holding, element: tuple[int, ...]) -> bool:
    offset = holding.offset or [0] * len(element)
    return all(
        o <= e < o + size for e, o, size in zip(element, offset, holding.sizes, strict=True)
    )


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
    """200 elements: the load's register and layout give the byte that every matrix instruction reads them from."""
    kernel, matrix = explored(name, device), products(name, device)
    chosen = random.Random(SEED)
    level = next(number for number, one in enumerate(kernel.levels) if one.id == "V")
    loads = {
        value.holding
        for value in kernel.levels[level].values
        if kernel.names[kernel.levels[level].ops[value.op].name] == "xevm.blockload2d"
        and value.holding is not None
    }
    assert loads
    met = 0
    for _ in range(ELEMENTS):
        load = kernel.holdings[chosen.choice(sorted(loads))]
        assert load.base is not None
        offset = load.offset or [0] * len(load.sizes)
        element = tuple(
            o + chosen.randrange(s) for o, s in zip(offset, load.sizes, strict=True)
        )
        assert load.base["register"] == load.copies[0][1]
        (at,) = places(load, element)
        expected = {
            byte_of(load, register * kernel.register_bytes, load.base["word"], *at)
            for _, register in load.copies
        }
        met += hold_it(kernel, matrix, load, element, expected)
    assert met >= ELEMENTS


def hold_it(
    kernel: Kernel,
    matrix: dict[int, Product],
    load: Holding,
    element: tuple[int, ...],
    expected: set[int],
) -> int:
    """Matrix instructions that read the element, each from the byte that is expected."""
    met = 0
    for one in kernel.dpas:
        for number, region in ((one.a, matrix[one.asm].a), (one.b, matrix[one.asm].b)):
            part = None if number is None else kernel.holdings[number]
            if part is None or part.tile != load.tile or not holds(part, element):
                continue
            assert part.base is not None
            found = {
                byte_of(part, region.byte, part.base["word"], *at)
                for at in places(part, element)
            }
            # rounds of an unrolled loop may have their own registers
            assert len(found) == 1
            assert found <= expected, (one, element)
            met += 1
    return met


def test_accumulators_have_the_registers_that_are_stored() -> None:
    kernel = explored("gemm_f16_plain.mlir", "bmg")
    found = {}
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
