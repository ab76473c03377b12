// RUN: xetile-opt --convert-xetile-to-xegpu="device=bmg" %s | FileCheck %s

// What moves or combines elements becomes ops of the vector dialect on each block. The blocks along a reduced
// dimension are joined, those half of them apart first; then a block is reduced, from the identity of the kind.

// CHECK-LABEL: gpu.func @rearranged
// CHECK: %[[V0:.*]] = xegpu.load_nd {{.*}} -> vector<8x16xf32>
// CHECK: %[[V1:.*]] = xegpu.load_nd {{.*}} -> vector<8x16xf32>
// CHECK: %[[T0:.*]] = vector.transpose %[[V0]], [1, 0] : vector<8x16xf32> to vector<16x8xf32>
// CHECK: %[[T1:.*]] = vector.transpose %[[V1]], [1, 0] : vector<8x16xf32> to vector<16x8xf32>
// CHECK: %[[J:.*]] = arith.maximumf %[[T0]], %[[T1]] : vector<16x8xf32>
// CHECK: %[[START:.*]] = arith.constant dense<0xff800000> : vector<8xf32>
// CHECK: %[[R0:.*]] = vector.multi_reduction <maximumf>, %[[J]], %[[START]] [0] : vector<16x8xf32> to vector<8xf32>
// CHECK: %[[R:.*]] = vector.shape_cast %[[R0]] : vector<8xf32> to vector<1x8xf32>
// CHECK: vector.broadcast %[[R]] : vector<1x8xf32> to vector<16x8xf32>
gpu.module @m {
  gpu.func @rearranged(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<8x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<8x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<1x2x8x16xf32>
    %w = xetile.tile_transpose %v, [1, 0, 3, 2] : vector<1x2x8x16xf32> -> vector<2x1x16x8xf32>
    %r = xetile.tile_reduce <maximumf>, %w [0, 2] : vector<2x1x16x8xf32> -> vector<1x1x1x8xf32>
    %b = xetile.tile_broadcast %r [0, 2] : vector<1x1x1x8xf32> -> vector<2x1x16x8xf32>
    gpu.return
  }

  // Of five blocks (of two messages) the first and the fifth are joined, then those two apart, then neighbours. Both dimensions: the
  // blocks of a column, their rows, and then what is left of the columns.

  // CHECK-LABEL: gpu.func @halved
  // CHECK-COUNT-2: xegpu.load_nd
  // CHECK: %[[A:.*]] = arith.addf %[[V0:.*]], %[[V4:.*]] : vector<8x16xf32>
  // CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %{{.*}} : vector<8x16xf32>
  // CHECK-NEXT: %[[C:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<8x16xf32>
  // CHECK-NEXT: %[[J:.*]] = arith.addf %[[B]], %[[C]] : vector<8x16xf32>
  // CHECK-NEXT: %[[START:.*]] = arith.constant dense<-0.000000e+00> : vector<16xf32>
  // CHECK-NEXT: vector.multi_reduction <add>, %[[J]], %[[START]] [0] : vector<8x16xf32> to vector<16xf32>
  gpu.func @halved(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<40x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<40x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<5x1x8x16xf32>
    %r = xetile.tile_reduce <add>, %v [0, 2] : vector<5x1x8x16xf32> -> vector<1x1x1x16xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @both
  // CHECK-COUNT-2: vector.multi_reduction <add>, %{{.*}}, %{{.*}} [0] : vector<8x16xf32> to vector<16xf32>
  // CHECK: %[[J:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<1x16xf32>
  // CHECK: %[[START:.*]] = arith.constant dense<-0.000000e+00> : vector<1xf32>
  // CHECK: %[[R:.*]] = vector.multi_reduction <add>, %[[J]], %[[START]] [1] : vector<1x16xf32> to vector<1xf32>
  // CHECK: vector.shape_cast %[[R]] : vector<1xf32> to vector<1x1xf32>
  gpu.func @both(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<8x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<8x32xf32, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<1x2x8x16xf32>
    %r = xetile.tile_reduce <add>, %v [0, 1, 2, 3] : vector<1x2x8x16xf32> -> vector<1x1x1x1xf32>
    gpu.return
  }

  // What any order will do for says so.

  // CHECK-LABEL: gpu.func @any_order
  // CHECK: vector.multi_reduction <add>, %{{.*}}, %{{.*}} {reassoc} [0] : vector<8x16xf32> to vector<16xf32>
  gpu.func @any_order(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<1x1x8x16xf32>
    %r = xetile.tile_reduce <add>, %v [0, 2] {reassoc} : vector<1x1x8x16xf32> -> vector<1x1x1x16xf32>
    gpu.return
  }

  // What rearranges nothing leaves nothing behind.

  // CHECK-LABEL: gpu.func @unmoved
  // CHECK: %[[V:.*]] = xegpu.load_nd {{.*}} -> vector<8x16xf32>
  // CHECK-NEXT: xegpu.store_nd %[[V]]
  gpu.func @unmoved(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<1x1x8x16xf32>
    %w = xetile.tile_transpose %v, [0, 1, 2, 3] : vector<1x1x8x16xf32> -> vector<1x1x8x16xf32>
    %r = xetile.tile_reduce <add>, %w [] : vector<1x1x8x16xf32> -> vector<1x1x8x16xf32>
    xetile.store_tile %r, %t : vector<1x1x8x16xf32>, !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    gpu.return
  }

  // Blocks that do not lie in one another are cut into what both have and put together.

  // CHECK-LABEL: gpu.func @repacked
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16x8xf32>
  // CHECK: %[[HALF:.*]] = vector.insert_strided_slice %{{.*}}, %[[ZERO]] {offsets = [0, 0], strides = [1, 1]} : vector<8x8xf32> into vector<16x8xf32>
  // CHECK: vector.insert_strided_slice %{{.*}}, %[[HALF]] {offsets = [8, 0], strides = [1, 1]} : vector<8x8xf32> into vector<16x8xf32>
  gpu.func @repacked(%A: memref<64x64xf32>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<16x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<16x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<2x1x8x16xf32>
    %u = xetile.tile_unpack %v {inner_blocks = array<i64: 8, 16>} : vector<2x1x8x16xf32> -> vector<16x16xf32>
    %p = xetile.tile_pack %u {inner_blocks = array<i64: 16, 8>} : vector<16x16xf32> -> vector<1x2x16x8xf32>
    gpu.return
  }

  // Padding: rows from %m on are inside while they are below 64, and not before row 0; columns are all inside.

  // CHECK-LABEL: gpu.func @padded
  // CHECK: %[[V:.*]] = xegpu.load_nd
  // CHECK: %[[FILLER:.*]] = arith.constant dense<2.500000e+00> : vector<8x16xf32>
  // CHECK: %[[ROWS:.*]] = arith.subi %c64, %m : index
  // CHECK: %[[INSIDE:.*]] = vector.create_mask %[[ROWS]], %{{.*}} : vector<8x16xi1>
  // CHECK: %[[ABOVE:.*]] = arith.select %[[INSIDE]], %[[V]], %[[FILLER]]
  // CHECK: %[[NEGATIVE:.*]] = arith.subi %c0, %m : index
  // CHECK: %[[BEFORE:.*]] = vector.create_mask %[[NEGATIVE]], %c16 : vector<8x16xi1>
  // CHECK: %[[P:.*]] = arith.select %[[BEFORE]], %[[FILLER]], %[[ABOVE]]
  // CHECK: xegpu.store_nd %[[P]]
  gpu.func @padded(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %m: index) kernel {
    %t = xetile.init_tile %A[%m, 16] : memref<64x64xf32> -> !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    %v = xetile.load_tile %t {padding = 2.5 : f32} : !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<1x1x8x16xf32>
    %u = xetile.init_tile %B[0, 0] : memref<64x64xf32> -> !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    xetile.store_tile %v, %u : vector<1x1x8x16xf32>, !xetile.tile<8x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    gpu.return
  }

  // Blocks that repeat one number share its vector.

  // CHECK-LABEL: gpu.func @scaled
  // CHECK: %[[V0:.*]] = xegpu.load_nd
  // CHECK: %[[V1:.*]] = xegpu.load_nd
  // CHECK: %[[X:.*]] = vector.broadcast %x : f32 to vector<8x16xf32>
  // CHECK-NEXT: %[[P0:.*]] = arith.mulf %[[V0]], %[[X]] : vector<8x16xf32>
  // CHECK-NEXT: %[[P1:.*]] = arith.mulf %[[V1]], %[[X]] : vector<8x16xf32>
  // CHECK-NEXT: xegpu.store_nd %[[P0]]
  // CHECK-NEXT: xegpu.store_nd %[[P1]]
  gpu.func @scaled(%A: memref<64x64xf32>, %x: f32) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<16x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    %v = xetile.load_tile %t : !xetile.tile<16x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<2x1x8x16xf32>
    %s = vector.broadcast %x : f32 to vector<2x1x8x16xf32>
    %p = arith.mulf %v, %s : vector<2x1x8x16xf32>
    xetile.store_tile %p, %t : vector<2x1x8x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<inner_blocks = [8, 16]>>
    gpu.return
  }
}
