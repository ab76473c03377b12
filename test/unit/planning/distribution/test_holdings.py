"""Which exchanges are avoided by loads, and which are not: what is decided, with its price."""

from collections.abc import Sequence

import pytest
from support.workgroup import Map, kernel, load, store, wg_map
from xdsl.dialects.builtin import ModuleOp

from xetile.analysis.maps.inference import infer_workgroup_maps
from xetile.analysis.module_kernels import functions
from xetile.dialects.modules import parse
from xetile.layout.algebra.block_grids import Distribution
from xetile.passes.tiles.xetile_infer_wg_map import write_workgroup_maps
from xetile.planning.distribution.holdings import Holdings

ROWS: Map = ((4, 1), (16, 64))
COLUMNS: Map = ((1, 4), (64, 16))
QUARTERS: Map = ((2, 2), (32, 32))
SHAPE = (64, 64)
MEMORY = "memref<64x64xf16>"
VECTOR = "vector<64x64xf16>"


def module_of(body: str) -> ModuleOp:
    return parse(kernel([f"%A: {MEMORY}", f"%B: {MEMORY}", "%n: index"], 4, body))


def holdings_of(module: ModuleOp, most_units: int = 4096) -> Holdings:
    (function,) = functions(module)
    write_workgroup_maps(function)
    return Holdings(function, infer_workgroup_maps(function), most_units=most_units)


def converted(source: str, map: Map, name: str = "w") -> str:
    return f"\n%{name} = xetile.tile_conv_layout %{source} {{wg_map_result = {wg_map(map)}}} : {VECTOR}"


def stored(name: str, map: Map) -> str:
    return store(name, "B", MEMORY, SHAPE, "f16", map)


LOADED = load("v", "A", MEMORY, SHAPE, "f16", ROWS)


def test_a_change_of_the_map_is_a_load_in_place_of_the_first() -> None:
    module = module_of(LOADED + converted("v", QUARTERS) + stored("w", QUARTERS))
    holdings = holdings_of(module)
    (avoided,) = holdings.avoided.values()
    assert (avoided.op.name, avoided.kind) == ("xetile.tile_conv_layout", "another load")
    assert avoided.map == Distribution(SHAPE, (16, 64), (4, 1))
    assert avoided.held == Distribution(SHAPE, (32, 32), (2, 2))
    (loaded,) = (op for op in module.walk() if op.name == "xetile.load_tile")
    assert avoided.loads == (loaded,)
    assert avoided.price < avoided.exchange
    for value in (loaded.results[0], loaded.operands[0]):
        assert list(holdings.of(value)) == [avoided.held]


def test_what_is_taken_both_ways_is_loaded_twice() -> None:
    body = LOADED + converted("v", QUARTERS) + stored("w", QUARTERS)
    module = module_of(body + f"\n%x = arith.negf %v : {VECTOR}" + stored("x", ROWS))
    holdings = holdings_of(module)
    (avoided,) = holdings.avoided.values()
    assert avoided.kind == "a second load"
    (loaded,) = (op for op in module.walk() if op.name == "xetile.load_tile")
    assert list(holdings.of(loaded.results[0])) == [avoided.map, avoided.held]


def test_a_transpose_carries_the_order_of_subgroups() -> None:
    turned = f"\n%w = xetile.tile_transpose %v, [1, 0] {{wg_map_result = {wg_map(QUARTERS)}}} : {VECTOR} -> {VECTOR}"
    loaded = load("v", "A", MEMORY, SHAPE, "f16", QUARTERS)
    (avoided,) = holdings_of(
        module_of(loaded + turned + stored("w", QUARTERS))
    ).avoided.values()
    assert avoided.kind == "a transposed load"
    assert avoided.held == Distribution(SHAPE, (32, 32), (2, 2), (0, 1))


def test_loops_carry_what_is_held_otherwise() -> None:
    """A value that is loaded one round ahead: all that flows into the loop's argument is held as its user needs it."""
    body = f"""{LOADED}
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %zero = arith.constant {{wg_map = {wg_map(QUARTERS)}}} dense<0.0> : {VECTOR}
        %end:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v, %s = %zero) -> ({VECTOR}, {VECTOR}) {{
          %next = xetile.load_tile %t_v : !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = {wg_map(ROWS)}>> -> {VECTOR}
          {converted("x", QUARTERS)}
          %r = arith.addf %s, %w : {VECTOR}
          scf.yield %next, %r : {VECTOR}, {VECTOR}
        }}""" + stored("end#1", QUARTERS).replace("%s_end#1", "%s_end")
    module = module_of(body)
    holdings = holdings_of(module)
    (avoided,) = holdings.avoided.values()
    assert len(avoided.loads) == 2
    (loop,) = (op for op in module.walk() if op.name == "scf.for")
    assert list(holdings.of(loop.results[0])) == [avoided.held]
    assert avoided.price < 0, "the loads change, and none is added"


CHANGES = f"""
        %t = xetile.init_tile %A[0, 0] : {MEMORY} -> !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = {wg_map(ROWS)}>>
        %ones = arith.constant dense<1.0> : {VECTOR}
        xetile.store_tile %ones, %t : {VECTOR}, !xetile.tile<64x64xf16, #xetile.tile_attr<wg_map = {wg_map(ROWS)}>>"""
SUM = f"""
        %sum = xetile.tile_reduce <add>, %v [1] {{wg_map_source = {wg_map(ROWS)}, wg_map_result = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 1]>}} : {VECTOR} -> vector<64x1xf16>
        %v2 = xetile.tile_broadcast %sum [1] : vector<64x1xf16> -> {VECTOR}"""
KEPT: dict[str, Sequence[str]] = {
    "written behind": (LOADED, converted("v", QUARTERS), CHANGES, stored("w", QUARTERS)),
    "written before": (CHANGES, LOADED, converted("v", QUARTERS), stored("w", QUARTERS)),
    "what is reduced": (LOADED, SUM, converted("v2", QUARTERS), stored("w", QUARTERS)),
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_exchanges_that_stay(body: Sequence[str]) -> None:
    holdings = holdings_of(module_of("".join(body)))
    assert not holdings.avoided
    for op in holdings.needs.operations:
        for value in holdings.needs.mapped(op.results):
            assert tuple(holdings.of(value)) == (holdings.needs.home(value),)


def test_units_are_not_too_many() -> None:
    body = LOADED + converted("v", ((4, 1), (2, 2))) + stored("w", ((4, 1), (2, 2)))
    module = module_of(body)
    assert not holdings_of(module, most_units=100).avoided


def test_a_barrier_between_lets_loads_change() -> None:
    body = (LOADED, "\ngpu.barrier", converted("v", QUARTERS), CHANGES, stored("w", QUARTERS))
    (avoided,) = holdings_of(module_of("".join(body))).avoided.values()
    assert avoided.kind == "another load"


def test_a_splat_is_made_in_every_map_for_nothing() -> None:
    zero = f"\n%z = arith.constant {{wg_map = {wg_map(ROWS)}}} dense<0.0> : {VECTOR}"
    module = module_of(
        zero + stored("z", ROWS) + converted("z", QUARTERS) + stored("w", QUARTERS)
    )
    (avoided,) = holdings_of(module).avoided.values()
    assert avoided.loads == ()
    assert avoided.price < avoided.exchange
