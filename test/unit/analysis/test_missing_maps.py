"""Kernels whose subgroups all do the same are told of, others are not."""

import pytest

from xetile.analysis.missing_maps import warn_of_missing_maps
from xetile.dialects.modules import parse
from xetile.errors import collected_remarks

WARNING = (
    "each of the 4 subgroups computes and stores this whole tile of 16x16: no tile has a wg_map, and nothing "
    "depends on gpu.subgroup_id; deal the tiles out by #xetile.tile_attr<wg_map = <sg_layout = [..], "
    "sg_data = [..]>>, or launch one subgroup"
)


def told(
    before: str = "",
    at: str = "[0, 0]",
    attributes: str = "known_block_size = array<i32: 64, 1, 1>",
    map: str = "",
    store: str = "STORE",
    host: str = "",
) -> list[tuple[str, int | None, str]]:
    tile = f"!xetile.tile<16x16xf32{map}>"
    stored = store.replace("STORE", f"xetile.store_tile %v, %t : vector<16x16xf32>, {tile}")
    module = parse(
        f"""module attributes {{gpu.container_module}} {{ gpu.module @m {{
        gpu.func @k(%a: memref<64x64xf32>, %b: memref<4xindex>) kernel attributes {{{attributes}}} {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %i1 = arith.constant 1 : i64
          {before}
          %t = xetile.init_tile %a{at} : memref<64x64xf32> -> {tile}
          %v = xetile.load_tile %t : {tile} -> vector<16x16xf32>
          {stored}
          gpu.return
        }} }}
        {host}
        }}"""
    )
    with collected_remarks() as found:
        warn_of_missing_maps(module)
    return [(kind, line, message) for kind, line, message in found]


def only(warnings: list[tuple[str, int | None, str]]) -> None:
    ((kind, line, message),) = warnings
    assert kind == "warning"
    assert line is not None
    assert message == WARNING


@pytest.mark.parametrize(
    "attributes",
    [
        "known_block_size = array<i32: 64, 1, 1>",
        "gpu.known_block_size = array<i32: 16, 2, 2>",
        "VectorComputeFunctionINTEL, known_block_size = array<i32: 2, 2, 1>",
    ],
)
def test_all_subgroups_store_one_tile(attributes: str) -> None:
    only(told(attributes=attributes))
    only(told("%i = gpu.block_id x", "[%i, 0]", attributes))
    only(told("%i = gpu.lane_id", attributes=attributes))


def test_an_id_that_no_store_depends_on() -> None:
    only(told("%i = gpu.subgroup_id : index\n memref.store %i, %b[%i] : memref<4xindex>"))


def test_twice_in_one_kernel_is_told_once() -> None:
    only(told(store="STORE\nSTORE"))


def test_atomics_too() -> None:
    tile = "!xetile.tile<16x16xf32>"
    only(
        told(
            store=f"%o = xetile.atomic_rmw_tile <addf> %v, %t : vector<16x16xf32>, {tile} -> vector<16x16xf32>"
        )
    )


LAUNCH = """
func.func @main(%a: memref<64x64xf32>, %b: memref<4xindex>) {
  %c1 = arith.constant 1 : index
  %n = arith.constant N : index
  gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
      args(%a : memref<64x64xf32>, %b : memref<4xindex>)
  func.return
}
"""


def test_launches_say_how_many() -> None:
    only(told(attributes="", host=LAUNCH.replace("N", "64")))
    only(told(attributes="VectorComputeFunctionINTEL", host=LAUNCH.replace("N", "4")))
    assert told(attributes="", host=LAUNCH.replace("N", "16")) == []
    assert told(attributes="VectorComputeFunctionINTEL", host=LAUNCH.replace("N", "1")) == []


@pytest.mark.parametrize(
    ("before", "at"),
    [
        ("%i = gpu.subgroup_id : index", "[%i, 0]"),
        ("%s = gpu.subgroup_id : index\n%i = memref.load %b[%s] : memref<4xindex>", "[%i, 0]"),
        ("%s = gpu.thread_id x\n%i = arith.divui %s, %c1 : index", "[0, %i]"),
        (
            """%s = gpu.subgroup_id : index
            %i = scf.for %k = %c0 to %c1 step %c1 iter_args(%x = %s) -> (index) {
              %y = arith.addi %x, %k : index
              scf.yield %y : index
            }""",
            "[0, %i]",
        ),
        (
            "%i = memref.atomic_rmw addi %c1, %b[%c0] : (index, memref<4xindex>) -> index",
            "[%i, 0]",
        ),
    ],
)
def test_tiles_that_differ_between_subgroups(before: str, at: str) -> None:
    assert told(before, at) == []


def test_one_subgroup_stores_for_all() -> None:
    before = """%s = gpu.subgroup_id : index
    %first = arith.cmpi eq, %s, %c0 : index"""
    assert told(before, store="scf.if %first {\nSTORE\n}") == []


@pytest.mark.parametrize(
    "attributes",
    [
        "",
        "known_block_size = array<i32: 16, 1, 1>",
        "VectorComputeFunctionINTEL, known_block_size = array<i32: 1, 1, 1>",
        'known_block_size = array<i32: 64, 1, 1>, xetile.level = "subgroup"',
    ],
)
def test_kernels_that_are_meant_for_a_subgroup(attributes: str) -> None:
    assert told(attributes=attributes) == []


def test_kernels_with_maps() -> None:
    assert told(map=", #xetile.wg_map<sg_layout = [2, 2], sg_data = [8, 8]>") == []
