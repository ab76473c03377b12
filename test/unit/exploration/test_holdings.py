"""Holdings of the f16 GEMM, as its layouts were written down by hand: who has which element at each level."""

from functools import cache
from pathlib import Path

import pytest

from xetile.api import parse
from xetile.exploration import explore
from xetile.exploration.model import Holding, Kernel, Level
from xetile.layout.intel.dpas import dpas_operand_layout
from xetile.layout.show.bases import form_of

EXAMPLES = Path(__file__).parents[3] / "examples"


@cache
def explored(name: str, device: str) -> Kernel:
    module = parse((EXAMPLES / name).read_text())
    return explore(module, device, assembly=False).model.kernels[0]


def level(kernel: Kernel, letter: str) -> Level:
    return next(level for level in kernel.levels if level.id == letter)


def held(kernel: Kernel, letter: str, name: str) -> Holding:
    """The holding of the first value that is printed so."""
    at = level(kernel, letter)
    for value in at.values:
        if at.lines[value.line][value.first : value.last] == name:
            assert value.holding is not None
            return kernel.holdings[value.holding]
    raise AssertionError(f"no {name} at level {letter}")


def operand(kernel: Kernel, letter: str, number: int, names: tuple[str, ...]) -> Holding:
    """The holding of an operand of the first op that has one of these names."""
    at = level(kernel, letter)
    op = next(i for i, op in enumerate(at.ops) if kernel.names[op.name] in names)
    value = next(use.value for use in at.uses if use.op == op and use.operand == number)
    holding = at.values[value].holding
    assert holding is not None
    return kernel.holdings[holding]


def test_subgroups_have_units_of_the_workgroups_tile() -> None:
    b = held(explored("gemm_f16_plain.mlir", "bmg"), "W", "%b")
    assert (b.tensor, b.sizes, b.bits, b.place) == (["K", "N"], [32, 256], 16, "registers")
    assert b.layout is not None
    # subgroups count columns of 64 first; eight of them share each
    assert b.layout.inputs["subgroup"] == ((0, 64), (0, 128), (0, 0), (0, 0), (0, 0))
    assert b.layout.outputs == {"K": 32, "N": 256}


def test_the_subgroups_tile_is_what_is_counted_in() -> None:
    kernel = explored("gemm_f16_plain.mlir", "bmg")
    tile, vector = held(kernel, "S", "%a_tile"), held(kernel, "S", "%a")
    assert (tile.tensor, tile.sizes, tile.place) == (["M", "K"], [32, 32], "memory")
    assert (vector.place, vector.tile, vector.base) == ("registers", None, {"unit": 0})
    packed = held(kernel, "B", "%b")
    assert packed.blocks is not None
    assert packed.blocks[:2] == [([0, 0], [32, 16]), ([0, 16], [32, 16])]


@pytest.mark.parametrize("number, name, shape", [(0, "a", (8, 16)), (1, "b", (16, 16)), (2, "c", (8, 16))])  # fmt: skip
def test_operands_are_held_as_the_matrix_instruction_takes_them(
    number: int, name: str, shape: tuple[int, int]
) -> None:
    kernel = explored("gemm_f16_plain.mlir", "bmg")
    dims = {"a": ["M", "K"], "b": ["K", "N"], "c": ["M", "N"]}[name]
    wanted = form_of(dpas_operand_layout(name, shape, ops_per_channel=2), dims=dims)
    for letter, op in (("X", "xegpu.dpas"), ("V", "xevm.mma")):
        found = operand(kernel, letter, number, (op,))
        assert found.layout == wanted
        assert (found.tensor, found.sizes) == (dims, list(shape))


def test_a_part_says_where_it_is_in_its_tile() -> None:
    kernel = explored("gemm_f16_plain.mlir", "bmg")
    b = held(kernel, "V", "%b_1")
    assert (b.offset, b.sizes) == ([0, 32], [32, 32])
    tile = b.tile
    assert tile is not None
    subgroup = kernel.levels[tile[0]]
    value = subgroup.values[tile[1]]
    assert (subgroup.id, subgroup.lines[value.line][value.first : value.last]) == ("S", "%b")


@pytest.mark.parametrize("device", ["bmg", "pvc"])
@pytest.mark.parametrize("name", ["gemm_f16.mlir", "gemm_i8.mlir", "gemm_bias_gelu.mlir"])  # fmt: skip
def test_every_vector_of_one_lane_that_products_take_is_known(name: str, device: str) -> None:
    kernel = explored(name, device)
    at = level(kernel, "V")
    products = [i for i, op in enumerate(at.ops) if kernel.names[op.name] == "xevm.mma"]
    for use in at.uses:
        if use.op in products:
            assert at.values[use.value].holding is not None, at.lines[at.ops[use.op].line]
