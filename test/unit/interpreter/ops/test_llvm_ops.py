"""The llvm ops beside XeVM: a pointer is an address in bytes."""

from collections.abc import Callable

import numpy as np
import pytest
from support.on_device import Place

from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.interpreter import execute

Run = Callable[..., None]


def test_an_address_comes_back_from_a_pointer(compute: Run):
    target = np.zeros(3, np.int64)
    compute(
        """
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %i = memref.extract_aligned_pointer_as_index %0 : memref<3xi64> -> index
        %a = arith.index_cast %i : index to i64
        %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>
        %b = llvm.ptrtoint %p : !llvm.ptr<1> to i64
        %d = arith.subi %b, %a : i64
        memref.store %d, %0[%c0] : memref<3xi64>
        %low = llvm.ptrtoint %p : !llvm.ptr<1> to i32
        %wide = arith.extui %low : i32 to i64
        %mask = arith.constant 4294967295 : i64
        %same = arith.andi %a, %mask : i64
        %e = arith.subi %wide, %same : i64
        memref.store %e, %0[%c1] : memref<3xi64>
        %u = builtin.unrealized_conversion_cast %mask : i64 to ui64
        %s = builtin.unrealized_conversion_cast %u : ui64 to i64
        memref.store %s, %0[%c2] : memref<3xi64>
        """,
        "memref<3xi64>",
        target,
    )
    assert target.tolist() == [0, 0, (1 << 32) - 1]


def test_pointers_are_moved_loaded_from_and_stored_to(compute: Run):
    target = np.arange(12, dtype=np.int32)
    compute(
        """
        %i = memref.extract_aligned_pointer_as_index %0 : memref<12xi32> -> index
        %a = arith.index_cast %i : index to i64
        %p = llvm.inttoptr %a : i64 to !llvm.ptr<1>
        %c8 = arith.constant 8 : i32
        %q = llvm.getelementptr %p[%c8] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
        %v = llvm.load %q : !llvm.ptr<1> -> vector<4xi32>
        %r = llvm.getelementptr %p[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
        llvm.store %v, %r : vector<4xi32>, !llvm.ptr<1>
        %s = llvm.load %r : !llvm.ptr<1> -> i32
        llvm.store %s, %p : i32, !llvm.ptr<1>
        """,
        "memref<12xi32>",
        target,
    )
    assert target.tolist() == [2, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5]


ZEROS = """
gpu.module @m {
  llvm.mlir.global internal constant @zeros(dense<0> : tensor<64xi8>) {addr_space = 1 : i32, alignment = 64 : i64} : !llvm.array<64 x i8>
  gpu.func @k(%a: memref<20xf32>, %b: memref<32xf32>, %n: index) kernel attributes {xetile.level = "lane",
      known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %lane = gpu.lane_id
    %i = memref.extract_aligned_pointer_as_index %a : memref<20xf32> -> index
    %l = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
    %zeros = llvm.mlir.addressof @zeros : !llvm.ptr<1>
    %c2 = arith.constant 2 : index
    %first = arith.muli %lane, %c2 : index
    %place = arith.index_cast %first : index to i64
    %q = llvm.getelementptr %p[%place] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %wanted = arith.cmpi ult, %first, %n : index
    %at = arith.select %wanted, %q, %zeros : !llvm.ptr<1>
    %v = llvm.load %at : !llvm.ptr<1> -> vector<2xf32>
    %o = memref.extract_aligned_pointer_as_index %b : memref<32xf32> -> index
    %m = arith.index_cast %o : index to i64
    %r = llvm.inttoptr %m : i64 to !llvm.ptr<1>
    %s = llvm.getelementptr %r[%place] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %s : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }
}"""


def test_lanes_that_want_nothing_load_zeros_of_the_module(place: Place):
    source, target = np.arange(1, 21, dtype=np.float32), np.full(32, -1, np.float32)
    place.execute(parse(ZEROS, "k.mlir"), "k", [source, target, 20])
    assert target.tolist() == [*range(1, 21), *[0] * 12]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("constant @zeros(", "@zeros(", "cannot execute on the variable 'zeros'"),
        ("addressof @zeros", "addressof @none", "there is no llvm.mlir.global 'none'"),
        (
            "dense<0> : tensor<64xi8>",
            "3 : i8",
            "cannot execute on a constant with the value 3",
        ),
    ],
)
def test_other_variables_are_refused(old: str, new: str, message: str):
    module = parse(ZEROS.replace(old, new), "k.mlir")
    with pytest.raises(XetileError, match=message):
        execute(module, "k", [np.zeros(20, np.float32), np.zeros(32, np.float32), 20])


def test_constants_are_not_written():
    module = parse(ZEROS.replace("llvm.store %v, %s", "llvm.store %v, %zeros"), "k.mlir")
    with pytest.raises(XetileError, match="the constant 'zeros'"):
        execute(module, "k", [np.zeros(20, np.float32), np.zeros(32, np.float32), 20])
