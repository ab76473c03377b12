// RUN: xetile-opt %s --xetile-wg-to-sg=print-plan 2>&1 >%t | FileCheck %s
// RUN: xetile-opt %s -p 'xetile-wg-to-sg{print-plan=true}' 2>&1 >%t | FileCheck %s
// RUN: xetile-opt %s --xetile-wg-to-sg | FileCheck %s --check-prefix=BARRIERS

// How values change their owners, a line each: the second exchange is of one subgroup's own units.

#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 64]>
#columns = #xetile.wg_map<sg_layout = [1, 4], sg_data = [64, 16]>
#own = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 32]>

// CHECK: print-plan.mlir:[[#@LINE+18]]:7: xetile.tile_transpose of 64x64xf32 from [4, 1] x [16, 64] to [4, 1] x [16, 64] through shared memory: 2 buffers of {{[0-9]+}} bytes, rows of 72, 1 barrier, stores of 32 bits by block messages with 0 conflicts, loads of 256 bits by lanes with 0 conflicts
// CHECK-NEXT: print-plan.mlir:[[#@LINE+21]]:5: xetile.tile_conv_layout of 64x64xf32 from [4, 1] x [16, 64] to [4, 1] x [16, 32] in registers
// CHECK-NEXT: print-plan.mlir:[[#@LINE+21]]:5: xetile.tile_conv_layout of 64x64xf32 from [4, 1] x [16, 32] to [1, 4] x [64, 16] through shared memory: 1 buffer of 16384 bytes, swizzled, 1 barrier, stores of 256 bits by block messages with 0 conflicts, loads of 256 bits by block messages with 0 conflicts
// CHECK-NOT: print-plan

// BARRIERS: scf.for
// BARRIERS-COUNT-1: gpu.barrier
// BARRIERS-NOT: gpu.barrier
// BARRIERS: scf.yield
// BARRIERS-COUNT-1: gpu.barrier
// BARRIERS-NOT: gpu.barrier
gpu.module @m {
  gpu.func @k(%src: memref<64x64xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = xetile.init_tile %src[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = #rows>>
    %v = xetile.load_tile %t : !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = #rows>> -> vector<64x64xf32>
    %w = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (vector<64x64xf32>) {
      %y = xetile.tile_transpose %x, [1, 0] {wg_map_result = #rows, wg_map_source = #rows} : vector<64x64xf32> -> vector<64x64xf32>
      %z = arith.addf %x, %y : vector<64x64xf32>
      scf.yield %z : vector<64x64xf32>
    }
    %a = xetile.tile_conv_layout %w {wg_map_result = #own} : vector<64x64xf32>
    %b = xetile.tile_conv_layout %a {wg_map_result = #columns} : vector<64x64xf32>
    %u = xetile.init_tile %src[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = #columns>>
    xetile.store_tile %b, %u : vector<64x64xf32>, !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = #columns>>
    gpu.return
  }
}
