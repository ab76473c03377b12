// RUN: xetile-run %s --bank-conflicts --kernel rows --arg zeros | FileCheck %s --check-prefix=ROWS
// RUN: xetile-run %s --bank-conflicts --kernel none --arg zeros | FileCheck %s --check-prefix=NONE
// RUN: not xetile-run %s --bank-conflicts --on opencl:cpu --kernel rows --arg zeros 2>&1 | FileCheck %s --check-prefix=ON
// RUN: not xetile-run %s --bank-conflicts --entry rows --arg zeros 2>&1 | FileCheck %s --check-prefix=ENTRY

// Bank conflicts of a kernel's accesses to shared memory.

// ROWS: 'llvm.store' in line [[#@LINE+18]]: 1 accesses, 15 bank conflicts, 15 at most
// ROWS-NEXT: 'llvm.load' in line [[#@LINE+19]]: 1 accesses, 0 bank conflicts, 0 at most
// NONE: no lane accesses shared memory; lanes are counted at level xevm
// ON: error: --bank-conflicts counts what is executed on numpy; leave out --on, or --bank-conflicts
// ENTRY: error: --bank-conflicts goes with a kernel, not with --entry

gpu.module @m {
  gpu.func @rows(%a: memref<16xi32>) workgroup(%s: memref<2048xi8, 3>) kernel attributes {xetile.level = "lane",
      known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %lane = xevm.lane_id : i32
    %i = memref.extract_aligned_pointer_as_index %s : memref<2048xi8, 3> -> index
    %l = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<3>
    %row = arith.constant 32 : i32
    %at = arith.muli %lane, %row : i32
    // A column of rows that fill the banks.
    %q = llvm.getelementptr %p[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    // stored by all lanes at once
    llvm.store %lane, %q : i32, !llvm.ptr<3>
    gpu.barrier
    %v = llvm.load %p : !llvm.ptr<3> -> i32
    %c0 = arith.constant 0 : index
    memref.store %v, %a[%c0] : memref<16xi32>
    gpu.return
  }

  gpu.func @none(%a: memref<16xi32>) kernel attributes {xetile.level = "lane",
      known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %v = memref.load %a[%c0] : memref<16xi32>
    memref.store %v, %a[%c0] : memref<16xi32>
    gpu.return
  }
}
