"""Holdings of the f16 GEMM, as its layouts were written down by hand: who has which element at each level."""

from functools import cache
from pathlib import Path

import pytest

from xetile.api import parse
from xetile.explorer import explore
from xetile.explorer.model import Holding, Kernel, Level, Message, Move
from xetile.layout.intel.dpas_layouts import dpas_operand_layout
from xetile.layout.show.plain_data import form_of

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
    assert (vector.place, vector.tile) == ("registers", None)
    assert vector.base is not None
    whole = level(kernel, "W").values[vector.base["value"]]
    assert level(kernel, "W").lines[whole.line][whole.first : whole.last] == "%a"
    assert vector.base["unit"] == 0
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


def moves(kernel: Kernel, letter: str, name: str) -> list[Move]:
    """The moves by ops of a name."""
    found = [(move, kernel.levels[move.op[0]]) for move in kernel.moves]
    return [
        move
        for move, at in found
        if at.id == letter and kernel.names[at.ops[move.op[1]].name] == name
    ]


def test_messages_say_what_they_move_and_from_where() -> None:
    kernel = explored("gemm_f16.mlir", "bmg")
    a, *b = moves(kernel, "V", "xevm.blockload2d")
    assert a.messages == [Message(32, 16, 2, "plain", 2048, [0, 0])]
    assert [move.messages[0].offset for move in b] == [[0, 0], [0, 32]]
    assert {move.messages[0].form for move in b} == {"packed"}
    assert a.source is not None
    assert a.target is not None
    tile, loaded = kernel.holdings[a.source], kernel.holdings[a.target]
    assert (tile.place, tile.sizes) == ("memory", [32, 32])
    assert (loaded.place, loaded.sizes) == ("registers", [32, 32])
    stores = moves(kernel, "V", "xevm.blockstore2d")
    assert [move.messages[0].offset for move in stores] == [
        [row, column] for row in range(0, 32, 8) for column in range(0, 64, 16)
    ]
    prefetch = moves(kernel, "V", "xevm.blockprefetch2d")[0]
    assert prefetch.target is None


def test_conversions_say_what_they_cost_and_why() -> None:
    kernel = explored("flash_attention.mlir", "bmg")
    (sums, *_) = moves(kernel, "X", "vector.multi_reduction")
    assert (sums.kind, sums.shared is not None) == ("shared", True)
    assert sums.price is not None
    assert "reduces registers rather than lanes" in sums.reason
    spread = moves(kernel, "X", "vector.broadcast")[0]
    assert spread.kind == "replicate"
    assert spread.rounds


def test_exchanges_between_subgroups_have_both_sides() -> None:
    kernel = explored("gemm_int8_weights.mlir", "bmg")
    (exchange,) = (move for move in kernel.moves if move.kind == "shared")
    assert exchange.shared is not None
    assert kernel.levels[exchange.op[0]].id == "W"
    store, load = exchange.shared.store, exchange.shared.load
    assert store.owners is not None
    assert load.owners is not None
    assert store.owners.outputs == load.owners.outputs == exchange.shared.places.outputs
    assert exchange.shared.conflicts == {"store": 0, "load": 0}
    assert exchange.ways == []


def test_ways_that_were_compared_have_the_prices_of_the_planner() -> None:
    """The way that was taken is the cheapest; a conversion's price is that of its way."""
    kernel = explored("layer_norm.mlir", "bmg")
    compared = [move for move in kernel.moves if move.ways]
    assert {move.kind for move in compared} == {"shared", "replicate", "reduce"}
    for move in compared:
        (taken,) = (way for way in move.ways if way.is_taken)
        assert taken.price is not None
        assert taken.price == move.price
        others = [way.price for way in move.ways if not way.is_taken]
        assert all(price is None or price >= taken.price for price in others)
