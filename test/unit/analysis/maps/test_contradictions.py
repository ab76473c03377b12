"""What is wrong with maps: the whole message, with the maps and the places of both."""

import pytest

from xetile.analysis.maps.inference import infer_workgroup_maps
from xetile.api import parse_text
from xetile.errors import XetileError

HEAD = """#c = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 32]>
#a = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 128]>
#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 64]>
!c = !xetile.tile<64x64xf32, #c>
!rows = !xetile.tile<64x64xf32, #rows>
!none = !xetile.tile<64x64xf32>
!v = vector<64x64xf32>
gpu.module @m { gpu.func @k(%m: memref<64x64xf32>, %o: memref<64x1xf32>, %l: memref<64x128xf16>, %n: index, %p: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
"""


def refused(body: str, *, head: str = HEAD) -> str:
    module = parse_text(f"{head}{body}\ngpu.return\n}}}}\n", "k.mlir")
    function = next(op for op in module.walk() if op.name == "gpu.func")
    with pytest.raises(XetileError) as found:
        infer_workgroup_maps(function)
    return str(found.value)


# Contradictions


def test_a_load_and_a_store() -> None:
    assert refused(
        """%s = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !c
%t = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !rows
%v = xetile.load_tile %s : !c -> !v
xetile.store_tile %v, %t : !v, !rows"""
    ) == (
        "k.mlir:12:1: error: %t has wg_map <sg_layout = [4, 1], sg_data = [16, 64]> ('xetile.init_tile' at "
        "k.mlir:10:1), %v <sg_layout = [2, 2], sg_data = [32, 32]> ('xetile.init_tile' at k.mlir:9:1), "
        "'xetile.store_tile' joins them; make the maps agree, or put a tile_conv_layout between"
    )


def test_two_operands_of_an_elementwise_op() -> None:
    assert refused(
        """%s = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !c
%t = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !rows
%v = xetile.load_tile %s : !c -> !v
%w = xetile.load_tile %t : !rows -> !v
%x = arith.addf %v, %w : !v"""
    ) == (
        "k.mlir:13:1: error: %w has wg_map <sg_layout = [4, 1], sg_data = [16, 64]> ('xetile.init_tile' at "
        "k.mlir:10:1), %x <sg_layout = [2, 2], sg_data = [32, 32]> ('xetile.init_tile' at k.mlir:9:1), "
        "'arith.addf' joins them; make the maps agree, or put a tile_conv_layout between"
    )


def test_a_loop() -> None:
    assert refused(
        """%s = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !c
%t = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !rows
%v = xetile.load_tile %s : !c -> !v
%w = xetile.load_tile %t : !rows -> !v
%r = scf.for %i = %n to %n step %n iter_args(%x = %v) -> (!v) {
  scf.yield %w : !v
}"""
    ) == (
        "k.mlir:14:3: error: %w has wg_map <sg_layout = [4, 1], sg_data = [16, 64]> ('xetile.init_tile' at "
        "k.mlir:10:1), %x <sg_layout = [2, 2], sg_data = [32, 32]> ('xetile.init_tile' at k.mlir:9:1), "
        "'scf.yield' joins them; make the maps agree, or put a tile_conv_layout between"
    )


def test_an_operand_of_a_product() -> None:
    assert refused(
        """%s = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !c
%v = xetile.load_tile %s : !c -> !v
%d = xetile.tile_mma %v, %v {wg_map_c = #rows} : !v, !v -> !v"""
    ) == (
        "k.mlir:11:1: error: K = 64 is spread over 2 subgroups (sg_layout [2, 2]); use sg_data [32, 64]"
    )
    assert refused(
        """%s = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !rows
%v = xetile.load_tile %s : !rows -> !v
%b = arith.constant dense<0.0> : !v
%d = xetile.tile_mma %v, %b {wg_map_c = #c} : !v, !v -> !v"""
    ) == (
        "k.mlir:12:1: error: %v has wg_map <sg_layout = [4, 1], sg_data = [16, 64]> ('xetile.init_tile' at "
        "k.mlir:9:1), 'xetile.tile_mma' needs <sg_layout = [2, 2], sg_data = [32, 64]> (from <sg_layout = "
        "[2, 2], sg_data = [32, 32]>, written here); make the maps agree, or put a tile_conv_layout between"
    )


def test_operands_of_two_layouts() -> None:
    assert refused(
        """%x = arith.constant {wg_map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>} dense<0.0> : !v
%y = arith.constant {wg_map = #xetile.wg_map<sg_layout = [1, 4], sg_data = [64, 16]>} dense<0.0> : !v
%d = xetile.tile_mma %x, %y : !v, !v -> !v"""
    ) == (
        "k.mlir:11:1: error: operand A has wg_map <sg_layout = [2, 2], sg_data = [32, 64]> ('arith.constant' at "
        "k.mlir:9:1), operand B <sg_layout = [1, 4], sg_data = [64, 16]> ('arith.constant' at k.mlir:10:1); "
        "expected one sg_layout"
    )


def test_units_of_k_that_do_not_divide_one_another() -> None:
    one = "{wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [64, 48]>}"
    other = "{wg_map = #xetile.wg_map<sg_layout = [1, 1], sg_data = [32, 64]>}"
    assert refused(
        f"""%x = arith.constant {one} dense<0.0> : vector<64x96xf32>
%y = arith.constant {other} dense<0.0> : vector<96x64xf32>
%d = xetile.tile_mma %x, %y : vector<64x96xf32>, vector<96x64xf32> -> !v""",
        head=HEAD.replace("array<i32: 64, 1, 1>", "array<i32: 16, 1, 1>"),
    ) == (
        "k.mlir:11:1: error: operand A has wg_map <sg_layout = [1, 1], sg_data = [64, 48]> ('arith.constant' at "
        "k.mlir:9:1), which cuts K = 96 into 2 units, operand B <sg_layout = [1, 1], sg_data = [32, 64]> "
        "('arith.constant' at k.mlir:10:1) into 3; expected sg_data along K of which one divides the other"
    )


def test_a_transpose() -> None:
    assert refused(
        """%s = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !rows
%v = xetile.load_tile %s : !rows -> !v
%r = xetile.tile_transpose %v, [1, 0] {wg_map_result = #rows} : !v -> !v"""
    ) == (
        "k.mlir:11:1: error: %v has wg_map <sg_layout = [4, 1], sg_data = [16, 64]> ('xetile.init_tile' at "
        "k.mlir:9:1), 'xetile.tile_transpose' needs <sg_layout = [1, 4], sg_data = [64, 16]> (from <sg_layout = "
        "[4, 1], sg_data = [16, 64]>, written here); make the maps agree, or put a tile_conv_layout between"
    )


def test_a_reduction_across_units() -> None:
    assert refused(
        """%s = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !c
%v = xetile.load_tile %s : !c -> !v
%r = xetile.tile_reduce <add>, %v [1] : !v -> vector<64x1xf32>"""
    ) == (
        "k.mlir:11:1: error: %v has wg_map <sg_layout = [2, 2], sg_data = [32, 32]> ('xetile.init_tile' at "
        "k.mlir:9:1), which cuts the reduced dimension 1 into 2 units; write wg_map_source = #xetile.wg_map<"
        "sg_layout = [2, 2], sg_data = [32, 32]> and wg_map_result = #xetile.wg_map<sg_layout = [2, 2], "
        "sg_data = [32, 1]> to reduce across them, or put a tile_conv_layout before"
    )


def test_a_tile_without_map_that_two_loads_need_differently() -> None:
    assert refused(
        """%s = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !none
%v = xetile.load_tile %s : !none -> !v
%x = arith.negf %v {wg_map = #c} : !v
%w = xetile.load_tile %s : !none -> !v
%y = arith.negf %w {wg_map = #rows} : !v"""
    ) == (
        "k.mlir:12:1: error: %w has wg_map <sg_layout = [4, 1], sg_data = [16, 64]> ('arith.negf' at k.mlir:13:1), "
        "%s <sg_layout = [2, 2], sg_data = [32, 32]> ('arith.negf' at k.mlir:11:1), 'xetile.load_tile' joins them; "
        "make the maps agree, or put a tile_conv_layout between"
    )


# What the page asks of each map


def test_numbers_of_subgroups() -> None:
    assert refused(
        "%x = arith.constant {wg_map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 64]>} dense<0.0> : !v"
    ) == (
        "k.mlir:9:1: error: sg_layout [2, 1] has 2 subgroups, the workgroup has 4 (known_block_size)"
    )


def test_numbers_of_subgroups_of_two_maps() -> None:
    text = """func.func @k(%m: memref<64x64xf32>) {
  %x = arith.constant {wg_map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [32, 64]>} dense<0.0> : vector<64x64xf32>
  %y = arith.constant {wg_map = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 64]>} dense<0.0> : vector<64x64xf32>
  func.return
}"""
    module = parse_text(text, "k.mlir")
    with pytest.raises(XetileError) as found:
        infer_workgroup_maps(next(op for op in module.walk() if op.name == "func.func"))
    assert str(found.value) == (
        "k.mlir:3:3: error: sg_layout [4, 1] has 4 subgroups, the workgroup has 2 "
        "(sg_layout [2, 1] of 'arith.constant' at k.mlir:2:3)"
    )


def test_uneven_units_that_are_written() -> None:
    assert refused(
        "%x = arith.constant {wg_map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [24, 32]>} dense<0.0> : !v"
    ) == (
        "k.mlir:9:1: error: 'wg_map' <sg_layout = [2, 2], sg_data = [24, 32]> on 64x64: extent 64 of dimension 0 "
        "is not a multiple of sg_data 24; legal are the divisors of 64"
    )


def test_several_need_what_one_updates() -> None:
    assert refused(
        """%s = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !none
%x = arith.constant {wg_map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 64]>} dense<0.0> : !v
%old = xetile.atomic_rmw_tile <addf> %x, %s : !v, !none -> !v
xetile.store_tile %old, %s : !v, !none"""
    ) == (
        "k.mlir:11:1: error: 'wg_map' <sg_layout = [2, 2], sg_data = [32, 64]> makes several subgroups need the old "
        "elements of one unit of 64x64, which one updates: dimension 1 has 1 unit for 2 subgroups; use at least as "
        "many units as subgroups"
    )


def test_a_map_that_is_no_map() -> None:
    assert refused("%x = arith.constant {wg_map = 1 : i32} dense<0.0> : !v") == (
        "k.mlir:9:1: error: 'wg_map' is 1 : i32, expected a #xetile.wg_map"
    )


def test_a_map_on_what_has_none() -> None:
    assert refused("%x = arith.addi %n, %n {wg_map = #c} : index") == (
        "k.mlir:9:1: error: 'wg_map' on 'arith.addi', which has no result that is a vector of rank 2"
    )


def test_a_tile_of_one_dimension() -> None:
    text = """func.func @k(%m: memref<64xf32>, %i: vector<16xindex>) {
  %t = xetile.init_tile %m, %i : memref<64xf32>, vector<16xindex> -> !xetile.tile<16xf32, #xetile.scatter>
  func.return
}"""
    module = parse_text(text, "k.mlir")
    with pytest.raises(XetileError) as found:
        infer_workgroup_maps(next(op for op in module.walk() if op.name == "func.func"))
    assert str(found.value) == (
        "k.mlir:2:3: error: !xetile.tile<16xf32, #xetile.tile_attr<scattered = true>> has one dimension, a wg_map "
        "distributes two; use a tile of 1x16"
    )


# What does not follow


def test_a_tile_that_is_only_prefetched() -> None:
    assert refused(
        """%s = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !none
%r = scf.for %i = %n to %n step %n iter_args(%t = %s) -> (!none) {
  xetile.prefetch_tile %t : !none
  %u = xetile.update_tile_offset %t, [16, 0] : !none
  scf.yield %u : !none
}"""
    ) == (
        "k.mlir:9:1: error: no wg_map is known for %s of type !xetile.tile<64x64xf32>: it is only prefetched; write "
        "it in the tile's type, such as !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = <sg_layout = [4, 1], "
        "sg_data = [16, 64]>>>"
    )


def test_a_tile_that_nothing_uses() -> None:
    assert refused(
        "%s = xetile.init_tile %l[0, 0] : memref<64x128xf16> -> !xetile.tile<3x128xf16>"
    ) == (
        "k.mlir:9:1: error: no wg_map is known for %s of type !xetile.tile<3x128xf16>: nothing uses it; write "
        "it in the tile's type, such as !xetile.tile<3x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [1, 4], "
        "sg_data = [3, 32]>>>"
    )


def test_a_tile_of_which_nothing_is_known() -> None:
    assert refused(
        """%s = xetile.init_tile %m[0, 0] : memref<64x64xf32> -> !xetile.tile<3x3xf32>
%v = xetile.load_tile %s : !xetile.tile<3x3xf32> -> vector<3x3xf32>"""
    ) == (
        "k.mlir:9:1: error: no wg_map is known for %s of type !xetile.tile<3x3xf32>: write it in the tile's type, "
        "#xetile.tile_attr<wg_map = #xetile.wg_map<...>>"
    )


def test_a_vector_of_which_nothing_is_known() -> None:
    assert refused("%x = arith.constant dense<0.0> : !v\n%y = arith.negf %x : !v") == (
        "k.mlir:9:1: error: no wg_map is known for %x of type vector<64x64xf32>; "
        "write wg_map = #xetile.wg_map<...> on it"
    )


def test_one_operand_of_a_product_leaves_the_columns_open() -> None:
    assert refused(
        """%x = arith.constant {wg_map = #a} dense<0.0> : vector<64x128xf16>
%y = arith.constant dense<0.0> : vector<128x64xf16>
%d = xetile.tile_mma %x, %y : vector<64x128xf16>, vector<128x64xf16> -> !v"""
    ) == (
        "k.mlir:11:1: error: the wg_map of %d is open: operand A has <sg_layout = [2, 2], sg_data = [32, 128]> "
        "('arith.constant' at k.mlir:9:1), from which sg_layout = [2, 2], sg_data = [32, s1] follows with s1 one of "
        "1, 2, 4, 8, 16, 32, 64; write wg_map_c"
    )


def test_a_broadcast_leaves_the_broadcast_dimension_open() -> None:
    assert refused(
        """%x = arith.constant {wg_map = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 1]>} dense<0.0> : vector<64x1xf32>
%d = xetile.tile_broadcast %x [1] : vector<64x1xf32> -> !v"""
    ) == (
        "k.mlir:10:1: error: the wg_map of %d is open: %x has <sg_layout = [2, 2], sg_data = [32, 1]> "
        "('arith.constant' at k.mlir:9:1), from which sg_layout = [2, 2], sg_data = [32, s1] follows with s1 one of "
        "1, 2, 4, 8, 16, 32, 64; write wg_map_result"
    )
