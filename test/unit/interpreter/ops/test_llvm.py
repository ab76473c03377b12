"""The llvm ops beside XeVM: a pointer is an address in bytes."""

from collections.abc import Callable

import numpy as np

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
