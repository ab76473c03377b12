"""Buffers of the program in shared memory: those that only tiles reach lie as their tiles want it, all others as written."""

import re

import numpy
import pytest
from support.tiled.across import gemm_through_shared_memory
from support.tiled.case import assert_expected, module_of

from xetile.dialects.modules import context, parse
from xetile.interpreter import count_bank_conflicts
from xetile.passes.pipelines import lower
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg
from xetile.targets.xe.device import SHARED_BANKS

MAP = "#xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 32]>"
OTHER = "#xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 16]>"
BUFFER = "memref<64x64xf16, 3>"
V = "vector<64x32xf16>"


def tile(map: str = MAP, more: str = ", memory_space = 3") -> str:
    return f"!xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = {map}{more}>>"


def distributed(
    at: str = "%c0", step: str = "%c32", more: str = "", buffer: str = BUFFER
) -> str:
    """A tile is stored to a ring of two slots and loaded by others; `more` follows that."""
    from_a, to_b = tile(more=""), tile(OTHER, "")
    module = parse(f"""
    gpu.module @m {{
      gpu.func @k(%A: memref<64x512xf16>, %B: memref<64x512xf16>, %n: index) workgroup(%shared: {buffer})
          kernel attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %c5 = arith.constant 5 : index
        %c32 = arith.constant 32 : index
        %back = arith.constant -32 : index
        %c64 = arith.constant 64 : index
        %start = xetile.init_tile %shared[0, {at}] : {buffer} -> {tile()}
        %use_start = xetile.init_tile %shared[0, {at}] : {buffer} -> {tile(OTHER)}
        %end:2 = scf.for %k = %c0 to %n step %c32 iter_args(%fill = %start, %use = %use_start)
            -> ({tile()}, {tile(OTHER)}) {{
          %from = xetile.init_tile %A[0, %k] : memref<64x512xf16> -> {from_a}
          %a = xetile.load_tile %from : {from_a} -> {V}
          xetile.store_tile %a, %fill : {V}, {tile()}
          gpu.barrier
          %b = xetile.load_tile %use : {tile(OTHER)} -> {V}
          %to = xetile.init_tile %B[0, %k] : memref<64x512xf16> -> {to_b}
          xetile.store_tile %b, %to : {V}, {to_b}
          %place = arith.remui %k, %c64 : index
          %odd = arith.cmpi eq, %place, %c32 : index
          %by = arith.select %odd, %back, {step} : index
          %fill_next = xetile.update_tile_offset %fill, [%c0, %by] : {tile()}
          %use_next = xetile.update_tile_offset %use, [%c0, %by] : {tile(OTHER)}
          scf.yield %fill_next, %use_next : {tile()}, {tile(OTHER)}
        }}
        {more}
        gpu.return
      }}
    }}""")
    XeTileWgToSg().apply(context(), module)
    module.verify()
    return str(module)


def test_a_ring_lies_as_its_tiles_want_it() -> None:
    found = distributed()
    assert re.search(
        r"workgroup\(%shared : memref<64x64xf16, #xetile.swizzle<offset = ", found
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"at": "%c5"},
        {"step": "%c5"},
        {"step": "%n"},
        {"more": f"memref.store %e, %shared[%c0, %c0] : {BUFFER}"},
        {
            "more": f"%r = xetile.init_tile %shared[0, 0] : {BUFFER} -> {tile()}\n"
            f"xetile.atomic_rmw_tile <addf> %z, %r : {V}, {tile()} -> {V}"
        },
        {"buffer": "memref<64x96xf16, 3>"},
        {"buffer": "memref<64x64xf16, strided<[128, 1]>, 3>"},
    ],
)
def test_other_buffers_lie_as_written(changed: dict[str, str]) -> None:
    if "%e" in (more := changed.get("more", "")):
        changed = {"more": f"%e = arith.constant 0.0 : f16\n{more}"}
    if "%z" in more:
        changed = {"more": f"%z = arith.constant {{wg_map = {MAP}}} dense<0.0> : {V}\n{more}"}
    assert "swizzle" not in distributed(**changed)


@pytest.mark.parametrize("type", ["f16", "i8"])
def test_a_product_through_shared_memory_has_no_conflicts(type: str) -> None:
    case = gemm_through_shared_memory(type)
    module = module_of([case])
    lower(context(), module, "xevm", "bmg")
    arrays = [array.copy() for array in case.arrays if isinstance(array, numpy.ndarray)]
    sites = count_bank_conflicts(module, case.name, arrays, banks=SHARED_BANKS)
    assert_expected(case, arrays)
    assert sites
    assert [(str(s.at), s.most) for s in sites if s.conflicts] == []


def test_a_product_through_shared_memory_takes_block_messages() -> None:
    """Of 32x32 of A and of B each: 8 blocks of 8x16, 4 of 16x16 in pairs of rows; stored are 16x32 by each."""
    module = module_of([gemm_through_shared_memory("f16")])
    lower(context(), module, "xevm", "bmg")
    names = [op.name for op in module.walk()]
    assert names.count("xevm.blockload") == 8 + 4
    assert names.count("xevm.blockstore") <= 8
    assert "llvm.load" not in names
    assert "llvm.store" not in names
