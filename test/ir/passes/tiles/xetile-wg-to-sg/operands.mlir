// RUN: xetile-opt --xetile-wg-to-sg --split-input-file %s | FileCheck %s
// RUN: xetile-opt --xetile-wg-to-sg=operands=mapped --split-input-file %s | FileCheck %s --check-prefix=MAPPED
// RUN: xetile-opt --xetile-wg-to-sg=loads=mapped --split-input-file %s | FileCheck %s --check-prefix=MAPPED
// RUN: xetile-opt --xetile-wg-to-sg=print-plan --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: not xetile-opt --xetile-wg-to-sg=operands=twice --split-input-file %s 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: pass 'xetile-wg-to-sg': operands is 'twice', expected once or mapped

// Weights that a loop converts: by the map eight subgroups would convert each. Each has one owner, which stores it to
// one of two buffers; all load their operand behind one barrier. The prefetch follows the load.

// PLAN: operands.mlir:[[#@LINE+36]]:7: operand B of 32x256xf16 computed once, for 78 instructions a round in place of 322, from [4, 8] x [8, 32] to [8, 4] x [32, 64] through shared memory: 2 buffers of 16384 bytes, swizzled, 1 barrier, stores of 128 bits by block messages with 0 conflicts, loads of 256 bits by block messages with 0 conflicts

// CHECK-LABEL: gpu.func @once
// CHECK: memref.alloc() : memref<64x256xf16, #xetile.swizzle<{{.*}}>, 3 : i64>
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %n step
// CHECK: %[[ROUND:.*]] = arith.divui %[[K]], %c32
// CHECK-NEXT: %[[TURN:.*]] = arith.remui %[[ROUND]], %c2
// CHECK: xetile.prefetch_tile %{{.*}} : !xetile.tile<8x32xi8>
// CHECK: %[[W:.*]] = xetile.load_tile %{{.*}} -> vector<8x32xi8>
// CHECK-NEXT: %[[B:.*]] = arith.sitofp %[[W]] : vector<8x32xi8> to vector<8x32xf16>
// CHECK: xetile.store_tile %[[B]], %{{.*}} : vector<8x32xf16>
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: xetile.init_tile
// CHECK-NEXT: %[[OPERAND:.*]] = xetile.load_tile %{{.*}} -> vector<32x64xf16>
// CHECK-NEXT: xetile.tile_mma %{{.*}}, %[[OPERAND]]
// CHECK-NOT: gpu.barrier

// MAPPED-LABEL: gpu.func @once
// MAPPED-NOT: gpu.barrier
// MAPPED: arith.sitofp %{{.*}} : vector<32x64xi8> to vector<32x64xf16>
!a = !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>
!w = !xetile.tile<32x256xi8, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 64]>>>
!c = vector<256x256xf32>
#c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
gpu.module @m {
  gpu.func @once(%A: memref<256x4096xf16>, %W: memref<4096x256xi8>, %C: memref<256x256xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %w_first = xetile.init_tile %W[0, 0] : memref<4096x256xi8> -> !w
    %zero = arith.constant {wg_map = #c} dense<0.0> : !c
    %end:2 = scf.for %k = %c0 to %n step %c32 iter_args(%acc = %zero, %w_tile = %w_first) -> (!c, !w) {
      %a_tile = xetile.init_tile %A[0, %k] : memref<256x4096xf16> -> !a
      %w_next = xetile.update_tile_offset %w_tile, [%c32, %c0] : !w
      xetile.prefetch_tile %w_next : !w
      %a = xetile.load_tile %a_tile : !a -> vector<256x32xf16>
      %w = xetile.load_tile %w_tile : !w -> vector<32x256xi8>
      %b = arith.sitofp %w : vector<32x256xi8> to vector<32x256xf16>
      %next = xetile.tile_mma %a, %b, %acc : vector<256x32xf16>, vector<32x256xf16>, !c -> !c
      scf.yield %next, %w_next : !c, !w
    }
    %c_tile = xetile.init_tile %C[0, 0] : memref<256x256xf32> -> !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #c>>
    xetile.store_tile %end#0, %c_tile : !c, !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #c>>
    gpu.return
  }
}

// -----

// Work that costs less than an exchange is done as the map says.

// CHECK-LABEL: gpu.func @mapped
// CHECK-NOT: gpu.barrier
// CHECK: arith.negf %{{.*}} : vector<32x16xf16>
// PLAN: operands.mlir:[[#@LINE+16]]:7: operand B of 32x64xf16 computed as mapped, for 18 instructions a round in place of 28
!a = !xetile.tile<64x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 4], sg_data = [16, 32]>>>
!w = !xetile.tile<32x64xf16, #xetile.tile_attr<wg_map = <sg_layout = [4, 4], sg_data = [32, 16]>>>
!c = vector<64x64xf32>
#c = #xetile.wg_map<sg_layout = [4, 4], sg_data = [16, 16]>
gpu.module @m {
  gpu.func @mapped(%A: memref<64x4096xf16>, %W: memref<4096x64xf16>, %C: memref<64x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %n = arith.constant 4096 : index
    %zero = arith.constant {wg_map = #c} dense<0.0> : !c
    %end = scf.for %k = %c0 to %n step %c32 iter_args(%acc = %zero) -> (!c) {
      %a_tile = xetile.init_tile %A[0, %k] : memref<64x4096xf16> -> !a
      %w_tile = xetile.init_tile %W[%k, 0] : memref<4096x64xf16> -> !w
      %a = xetile.load_tile %a_tile : !a -> vector<64x32xf16>
      %w = xetile.load_tile %w_tile : !w -> vector<32x64xf16>
      %b = arith.negf %w : vector<32x64xf16>
      %next = xetile.tile_mma %a, %b, %acc : vector<64x32xf16>, vector<32x64xf16>, !c -> !c
      scf.yield %next : !c
    }
    %c_tile = xetile.init_tile %C[0, 0] : memref<64x64xf32> -> !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = #c>>
    xetile.store_tile %end, %c_tile : !c, !xetile.tile<64x64xf32, #xetile.tile_attr<wg_map = #c>>
    gpu.return
  }
}
