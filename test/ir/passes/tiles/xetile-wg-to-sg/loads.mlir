// RUN: xetile-opt --xetile-wg-to-sg --split-input-file %s | FileCheck %s
// RUN: xetile-opt --xetile-wg-to-sg=print-plan=true --split-input-file %s -o %t 2>&1 | FileCheck %s --check-prefix=PLAN

// PLAN: xetile.tile_transpose of 64x16xf32 from [2, 4] x [32, 16] to [4, 2] x [16, 32] by a transposed load
// PLAN: xetile.tile_conv_layout of 32x32xf32 from [4, 1] x [8, 32] to [1, 4] x [32, 8] by a second load
// PLAN: xetile.tile_conv_layout of 32x32xf32 from [4, 1] x [8, 32] to [1, 4] x [32, 8] through shared memory
// PLAN: xetile.tile_conv_layout of 32x32xf32 from [4, 1] x [8, 32] to [1, 4] x [32, 8] by another load

// The RFC's 2.2: no wg_map gives subgroups the parts of BT whose transposes they need, ids column-major over the grid.
// They load them all the same, the tile of a loop too; what else is done with it stays as it is.

#bt = #xetile.wg_map<sg_layout = [2, 4], sg_data = [32, 16]>
#b = #xetile.wg_map<sg_layout = [4, 2], sg_data = [16, 32]>
#out = #xetile.wg_map<sg_layout = [4, 2], sg_data = [4, 32]>
!t = !xetile.tile<64x16xf16, #xetile.tile_attr<wg_map = #bt>>

// CHECK-LABEL: gpu.func @order
// CHECK: %[[ID:.*]] = gpu.subgroup_id : index
// CHECK: %[[COLUMN:.*]] = arith.remui %[[ID]], %c2 : index
// CHECK: %[[START:.*]] = arith.muli %[[COLUMN]], %c32 : index
// CHECK: xetile.init_tile %{{.*}}[%[[START]], 0] : memref<64x256xf16> -> !xetile.tile<32x16xf16>
// CHECK: scf.for
// CHECK-NEXT: %[[V:.*]] = xetile.load_tile
// CHECK-NEXT: %[[E:.*]] = arith.extf %[[V]] : vector<32x16xf16> to vector<32x16xf32>
// CHECK-NEXT: xetile.tile_transpose %[[E]], [1, 0] : vector<32x16xf32> -> vector<16x32xf32>
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
gpu.module @m {
  gpu.func @order(%src: memref<64x256xf16>, %dst: memref<16x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c256 = arith.constant 256 : index
    %t0 = xetile.init_tile %src[0, 0] : memref<64x256xf16> -> !t
    %zero = arith.constant dense<0.0> : vector<16x64xf32>
    %end:2 = scf.for %k = %c0 to %c256 step %c16 iter_args(%t = %t0, %s = %zero) -> (!t, vector<16x64xf32>) {
      %v = xetile.load_tile %t : !t -> vector<64x16xf16>
      %e = arith.extf %v : vector<64x16xf16> to vector<64x16xf32>
      %r = xetile.tile_transpose %e, [1, 0] {wg_map_result = #b} : vector<64x16xf32> -> vector<16x64xf32>
      %n = arith.addf %s, %r : vector<16x64xf32>
      %u = xetile.update_tile_offset %t, [%c0, %c16] : !t
      scf.yield %u, %n : !t, vector<16x64xf32>
    }
    %o = xetile.init_tile %dst[0, 0] : memref<16x64xf32> -> !xetile.tile<16x64xf32>
    %w = xetile.tile_conv_layout %end#1 {wg_map_result = #out} : vector<16x64xf32>
    xetile.store_tile %w, %o : vector<16x64xf32>, !xetile.tile<16x64xf32>
    gpu.return
  }
}

// -----

// What is taken as the map says and otherwise too is loaded twice, from two tiles, which a loop carries.

#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 32]>
#columns = #xetile.wg_map<sg_layout = [1, 4], sg_data = [32, 8]>
!t = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #rows>>
!o = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #columns>>

// CHECK-LABEL: gpu.func @twice
// CHECK-NOT: memref.alloc
// CHECK: xetile.init_tile {{.*}} -> !xetile.tile<8x32xf32>
// CHECK-NEXT: xetile.init_tile {{.*}} -> !xetile.tile<32x8xf32>
// CHECK: scf.for {{.*}} -> (!xetile.tile<8x32xf32>, !xetile.tile<32x8xf32>)
// CHECK-NEXT: %[[V:.*]] = xetile.load_tile {{.*}} -> vector<8x32xf32>
// CHECK-NEXT: %[[W:.*]] = xetile.load_tile {{.*}} -> vector<32x8xf32>
// CHECK-NEXT: xetile.store_tile %[[V]]
// CHECK-NEXT: xetile.store_tile %[[W]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
gpu.module @m {
  gpu.func @twice(%src: memref<32x256xf32>, %a: memref<32x32xf32>, %b: memref<32x32xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %t0 = xetile.init_tile %src[0, 0] : memref<32x256xf32> -> !t
    %p = xetile.init_tile %a[0, 0] : memref<32x32xf32> -> !t
    %q = xetile.init_tile %b[0, 0] : memref<32x32xf32> -> !o
    %end = scf.for %k = %c0 to %c256 step %c32 iter_args(%t = %t0) -> (!t) {
      %v = xetile.load_tile %t : !t -> vector<32x32xf32>
      %w = xetile.tile_conv_layout %v {wg_map_result = #columns} : vector<32x32xf32>
      xetile.store_tile %v, %p : vector<32x32xf32>, !t
      xetile.store_tile %w, %q : vector<32x32xf32>, !o
      %u = xetile.update_tile_offset %t, [%c0, %c32] : !t
      scf.yield %u : !t
    }
    gpu.return
  }
}

// -----

// The kernel writes to the memref: without a barrier between only the subgroup that has loaded an element may change it.

#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 32]>
#columns = #xetile.wg_map<sg_layout = [1, 4], sg_data = [32, 8]>
!t = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #rows>>
!o = !xetile.tile<32x32xf32, #xetile.tile_attr<wg_map = #columns>>

// CHECK-LABEL: gpu.func @written
// CHECK: memref.alloc
// CHECK: xetile.load_tile {{.*}} -> vector<8x32xf32>
// CHECK-LABEL: gpu.func @ordered
// CHECK-NOT: memref.alloc
// CHECK: xetile.load_tile {{.*}} -> vector<32x8xf32>
gpu.module @m {
  gpu.func @written(%src: memref<32x32xf32>, %dst: memref<32x32xf32>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<32x32xf32> -> !t
    %q = xetile.init_tile %dst[0, 0] : memref<32x32xf32> -> !o
    %v = xetile.load_tile %t : !t -> vector<32x32xf32>
    %n = arith.negf %v : vector<32x32xf32>
    xetile.store_tile %n, %t : vector<32x32xf32>, !t
    %w = xetile.tile_conv_layout %v {wg_map_result = #columns} : vector<32x32xf32>
    xetile.store_tile %w, %q : vector<32x32xf32>, !o
    gpu.return
  }

  gpu.func @ordered(%src: memref<32x32xf32>, %dst: memref<32x32xf32>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<32x32xf32> -> !t
    %q = xetile.init_tile %dst[0, 0] : memref<32x32xf32> -> !o
    %v = xetile.load_tile %t : !t -> vector<32x32xf32>
    gpu.barrier
    %n = arith.constant dense<1.0> : vector<32x32xf32>
    xetile.store_tile %n, %t : vector<32x32xf32>, !t
    %w = xetile.tile_conv_layout %v {wg_map_result = #columns} : vector<32x32xf32>
    xetile.store_tile %w, %q : vector<32x32xf32>, !o
    gpu.return
  }
}
