"""Bank conflicts of exchanges: none, counted over the addresses that lanes ask for at level V, as planned."""

import pytest
from support.spread import label, spread
from support.subgroup import memref, vector
from support.tiled.across import rows_by_number, sums
from support.tiled.case import Case, assert_expected, copies, module_of
from support.tiled.rows import layer_norm, row_kernels, softmax
from support.workgroup import Map, kernel, load, random_array, store, wg_map

from xetile.dialects.modules import context, parse
from xetile.interpreter import count_bank_conflicts
from xetile.passes.pipelines import lower
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg
from xetile.targets.xe.device import SHARED_BANKS

ROWS: Map = ((4, 1), (16, 64))
COLUMNS: Map = ((1, 4), (64, 16))
BLOCKS: Map = ((2, 2), (32, 32))
SHAPE = (64, 64)


def moved(type: str, source: Map, target: Map, *, turns: bool) -> str:
    v = vector(SHAPE, type)
    maps = f"{{wg_map_result = {wg_map(target)}, wg_map_source = {wg_map(source)}}}"
    op = (
        f"%r = xetile.tile_transpose %v, [1, 0] {maps} : {v} -> {v}"
        if turns
        else f"%r = xetile.tile_conv_layout %v {maps} : {v}"
    )
    of = memref(SHAPE, type)
    return kernel(
        [f"%A: {of}", f"%B: {of}"],
        4,
        load("v", "A", of, SHAPE, type, source)
        + f"\n{op}"
        + store("r", "B", of, SHAPE, type, target),
    )


MOVES: list[tuple[Map, Map, bool]] = [
    (ROWS, COLUMNS, False),
    (BLOCKS, ROWS, False),
    (ROWS, ROWS, True),
    (BLOCKS, BLOCKS, True),
]
BANKS = (SHARED_BANKS, 2 * SHARED_BANKS)


@pytest.mark.parametrize(
    "type, move, banks", spread(["f32", "f16", "bf16", "i8"], MOVES, BANKS, times=2), ids=str
)
def test_no_lanes_ask_a_bank_for_different_words(
    type: str, move: tuple[Map, Map, bool], banks: int
) -> None:
    source, target, turns = move
    module = parse(moved(type, source, target, turns=turns))
    XeTileWgToSg(loads="mapped").apply(context(), module)
    lower(context(), module, "xevm", "bmg")
    a = random_array(SHAPE, type)
    found = a.copy()
    sites = count_bank_conflicts(module, "k", [a, found], banks=banks)
    assert found.tobytes() == (a.T if turns else a).tobytes()
    assert sites
    assert [(str(s.at), s.most) for s in sites if s.conflicts] == []


_KERNELS = [
    *row_kernels(),
    *(make(1, t, split=True) for make in (softmax, layer_norm) for t in ("f32", "f16")),
    *(sums(along) for along in (0, 1)),
    *(rows_by_number(t, scattered=True) for t in ("f16", "f32")),
]


@pytest.mark.parametrize("case, banks", spread(_KERNELS, BANKS), ids=label)
def test_conversions_of_a_subgroup_have_no_conflicts_either(case: Case, banks: int) -> None:
    module = module_of([case])
    lower(context(), module, "xevm", "bmg")
    found = copies(case.arrays)
    sites = count_bank_conflicts(module, case.name, found, banks=banks)
    assert_expected(case, found)
    assert [(str(s.at), s.most) for s in sites if s.conflicts] == []
