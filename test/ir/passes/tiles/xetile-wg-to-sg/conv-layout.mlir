// RUN: xetile-opt --xetile-wg-to-sg=loads=mapped --split-input-file %s | FileCheck %s

// Other owners: stored in a shared buffer, a barrier, loaded with the new map. Nothing else uses the buffer, so that
// one barrier is enough; where elements lie is planned.

#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [8, 32]>
#columns = #xetile.wg_map<sg_layout = [1, 4], sg_data = [32, 8]>
#in = #xetile.tile_attr<wg_map = #rows>
#out = #xetile.tile_attr<wg_map = #columns>

// CHECK-LABEL: gpu.func @moved
// CHECK: %[[ID:.*]] = gpu.subgroup_id : index
// CHECK: %[[EIGHT:.*]] = arith.muli %[[ID]], %c8 : index
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<32x32xf16, #xetile.swizzle<offset = {{\[}}[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [8, 0], [16, 0]]>, 3 : i64>
// CHECK: %[[V:.*]] = xetile.load_tile
// CHECK-NEXT: %[[STORED:.*]] = xetile.init_tile %[[BUFFER]][%[[EIGHT]], 0] : memref<32x32xf16, {{.*}}, 3 : i64> -> !xetile.tile<8x32xf16, #xetile.tile_attr<memory_space = 3>>
// CHECK-NEXT: xetile.store_tile %[[V]], %[[STORED]]
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[LOADED:.*]] = xetile.init_tile %[[BUFFER]][0, %[[EIGHT]]] : memref<32x32xf16, {{.*}}, 3 : i64> -> !xetile.tile<32x8xf16, #xetile.tile_attr<memory_space = 3>>
// CHECK-NEXT: %[[R:.*]] = xetile.load_tile %[[LOADED]]
// CHECK-NOT: gpu.barrier
// CHECK: xetile.store_tile %[[R]]
gpu.module @m {
  gpu.func @moved(%src: memref<32x32xf16>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16, #in>
    %v = xetile.load_tile %t : !xetile.tile<32x32xf16, #in> -> vector<32x32xf16>
    %r = xetile.tile_conv_layout %v {wg_map_result = #columns} : vector<32x32xf16>
    %u = xetile.init_tile %src[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16, #out>
    xetile.store_tile %r, %u : vector<32x32xf16>, !xetile.tile<32x32xf16, #out>
    gpu.return
  }
}

// -----

// Every subgroup holds its new units already: nothing moves.

#in = #xetile.tile_attr<wg_map = <sg_layout = [4, 2], sg_data = [32, 32]>>

// CHECK-LABEL: gpu.func @kept
// CHECK-NOT: memref.alloc
// CHECK: %[[V:.*]] = xetile.load_tile
// CHECK-NEXT: arith.addf %[[V]], %[[V]] : vector<32x32xf16>
// CHECK-NOT: gpu.barrier
gpu.module @m {
  gpu.func @kept(%src: memref<32x32xf16>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16, #in>
    %v = xetile.load_tile %t : !xetile.tile<32x32xf16, #in> -> vector<32x32xf16>
    %r = xetile.tile_conv_layout %v {wg_map_result = #xetile.wg_map<sg_layout = [8, 1], sg_data = [32, 32]>} : vector<32x32xf16>
    %s = arith.addf %r, %r : vector<32x32xf16>
    gpu.return
  }
}

// -----

// A unit that several subgroups hold is stored by the first of them; i1 takes a byte of memory. In a loop two buffers,
// allocated before it as one, are used in turn, so that one barrier is enough for an iteration.

#own = #xetile.wg_map<sg_layout = [2, 3], sg_data = [8, 16]>

// CHECK-LABEL: gpu.func @shared
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<12x96xi8, strided<[1, 12]>, 3 : i64>
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: %[[ODD:.*]] = arith.remui %[[I]], %c2 : index
// CHECK-NEXT: %[[HALF:.*]] = arith.muli %[[ODD]], %c48 : index
// CHECK: %[[M:.*]] = vector.create_mask
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %{{.*}}, %c1 : index
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: %[[WIDE:.*]] = arith.extui %[[M]] : vector<8x16xi1> to vector<8x16xi8>
// CHECK-NEXT: %[[PLACE:.*]] = arith.addi %{{.*}}, %[[HALF]] : index
// CHECK-NEXT: %[[STORED:.*]] = xetile.init_tile %[[BUFFER]][0, %[[PLACE]]]
// CHECK-NEXT: xetile.store_tile %[[WIDE]], %[[STORED]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[T:.*]] = xetile.init_tile %[[BUFFER]][%{{.*}}, %[[HALF]]]
// CHECK-NEXT: %[[LOADED:.*]] = xetile.load_tile %[[T]]
// CHECK-NEXT: arith.trunci %[[LOADED]] : vector<4x48xi8> to vector<4x48xi1>
gpu.module @m {
  gpu.func @shared(%n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %m = vector.create_mask %i, %i {wg_map = #own} : vector<8x48xi1>
      %r = xetile.tile_conv_layout %m {wg_map_result = #xetile.wg_map<sg_layout = [2, 3], sg_data = [4, 48]>} : vector<8x48xi1>
      %s = arith.ori %r, %r : vector<8x48xi1>
    }
    gpu.return
  }
}

// -----

// Smaller units are slices of a subgroup's own, larger ones are put together of them: nothing moves between subgroups.

#halves = #xetile.wg_map<sg_layout = [2, 1], sg_data = [16, 16]>
#whole = #xetile.wg_map<sg_layout = [2, 1], sg_data = [16, 32]>
#in = #xetile.tile_attr<wg_map = #halves>

// CHECK-LABEL: gpu.func @pieces
// CHECK-NOT: memref.alloc
// CHECK: %[[LEFT:.*]] = xetile.load_tile
// CHECK-NEXT: %[[RIGHT:.*]] = xetile.load_tile
// CHECK-NEXT: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : vector<16x32xf16>
// CHECK-NEXT: %[[HALF:.*]] = vector.insert_strided_slice %[[LEFT]], %[[NONE]] {offsets = [0, 0], strides = [1, 1]}
// CHECK-NEXT: %[[BOTH:.*]] = vector.insert_strided_slice %[[RIGHT]], %[[HALF]] {offsets = [0, 16], strides = [1, 1]}
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[BOTH]], %[[BOTH]] : vector<16x32xf16>
// CHECK-NEXT: vector.extract_strided_slice %[[SUM]] {offsets = [0, 0], sizes = [16, 16], strides = [1, 1]}
// CHECK-NEXT: vector.extract_strided_slice %[[SUM]] {offsets = [0, 16], sizes = [16, 16], strides = [1, 1]}
// CHECK-NOT: gpu.barrier
gpu.module @m {
  gpu.func @pieces(%src: memref<32x32xf16>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<32x32xf16> -> !xetile.tile<32x32xf16, #in>
    %v = xetile.load_tile %t : !xetile.tile<32x32xf16, #in> -> vector<32x32xf16>
    %w = xetile.tile_conv_layout %v {wg_map_result = #whole} : vector<32x32xf16>
    %s = arith.addf %w, %w : vector<32x32xf16>
    %r = xetile.tile_conv_layout %s {wg_map_result = #halves} : vector<32x32xf16>
    xetile.store_tile %r, %t : vector<32x32xf16>, !xetile.tile<32x32xf16, #in>
    gpu.return
  }
}
