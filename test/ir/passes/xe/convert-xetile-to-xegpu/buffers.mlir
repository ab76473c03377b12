// RUN: xetile-opt --xetile-blocking=device=bmg --convert-xetile-to-xegpu=device=bmg --split-input-file --verify-diagnostics %s | FileCheck %s

// A swizzled buffer is one row of elements. Where a tile begins at multiples of its extents, what its corner adds to the
// offset is joined with what its elements add; both sides of a transpose are the same memory.

#swizzle = #xetile.swizzle<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 1], [2, 2], [4, 4], [8, 0]]>
#turned = #xetile.swizzle<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [1, 1], [2, 2], [4, 4], [0, 8]]>

// CHECK-LABEL: gpu.func @swizzled
// CHECK: %[[M:.*]] = memref.alloc() : memref<256xf32, 3 : i64>
// CHECK-NOT: memref.transpose
// CHECK: arith.shli %{{.*}}, %{{.*}} : index
// CHECK: %[[CORNER:.*]] = vector.broadcast %{{.*}} : index to vector<8x16xindex>
// CHECK: %[[O:.*]] = arith.xori %[[CORNER]], %{{.*}} : vector<8x16xindex>
// CHECK: xegpu.store %{{.*}}, %[[M]][%[[O]]], %{{.*}} : vector<8x16xf32>, memref<256xf32, 3 : i64>, vector<8x16xindex>, vector<8x16xi1>
// CHECK: xegpu.load %[[M]][%{{.*}}], %{{.*}} : memref<256xf32, 3 : i64>, vector<8x8xindex>, vector<8x8xi1> -> vector<8x8xf32>
gpu.module @m {
  gpu.func @swizzled(%v: vector<8x16xf32>, %i: index, %A: memref<64x64xf32>) kernel {
    %c8 = arith.constant 8 : index
    %row = arith.muli %i, %c8 : index
    %memory = memref.alloc() : memref<16x16xf32, #swizzle, 3>
    %other = memref.transpose %memory (d0, d1) -> (d1, d0) : memref<16x16xf32, #swizzle, 3> to memref<16x16xf32, #turned, 3>
    %t = xetile.init_tile %memory[%row, 0] : memref<16x16xf32, #swizzle, 3> -> !xetile.tile<8x16xf32, #xetile.tile_attr<memory_space = 3>>
    xetile.store_tile %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32, #xetile.tile_attr<memory_space = 3>>
    gpu.barrier
    %u = xetile.init_tile %other[0, %row] : memref<16x16xf32, #turned, 3> -> !xetile.tile<16x8xf32, #xetile.tile_attr<memory_space = 3>>
    %w = xetile.load_tile %u : !xetile.tile<16x8xf32, #xetile.tile_attr<memory_space = 3>> -> vector<16x8xf32>
    %o = xetile.init_tile %A[0, 0] : memref<64x64xf32> -> !xetile.tile<16x8xf32>
    xetile.store_tile %w, %o : vector<16x8xf32>, !xetile.tile<16x8xf32>
    memref.dealloc %memory : memref<16x16xf32, #swizzle, 3>
    gpu.return
  }
}

// -----

// Elements that XeGPU lacks are bytes of a buffer, and of its views; single ones are converted.

// CHECK-LABEL: gpu.func @bytes
// CHECK-SAME: workgroup(%given : memref<4x64xi8, 3 : i64>)
// CHECK: %[[M:.*]] = memref.alloc() : memref<32x64xi8, 3 : i64>
// CHECK: %[[V:.*]] = memref.subview %[[M]][8, 0] [16, 64] [1, 1] : memref<32x64xi8, 3 : i64> to memref<16x64xi8, strided<[64, 1], offset: 512>, 3 : i64>
// CHECK: memref.cast %[[M]]
// CHECK: memref.collapse_shape %[[M]]
// CHECK: memref.expand_shape %[[M]]
// CHECK: memref.reinterpret_cast %[[M]]
// CHECK: memref.transpose %[[M]]
// CHECK: %[[B:.*]] = memref.load %[[V]][%i, %i] : memref<16x64xi8
// CHECK: %[[E:.*]] = arith.cmpi ne, %[[B]], %{{.*}} : i8
// CHECK: %[[X:.*]] = arith.extui %[[E]] : i1 to i8
// CHECK: memref.store %[[X]], %[[V]][%i, %c0] : memref<16x64xi8
gpu.module @m {
  gpu.func @bytes(%i: index) workgroup(%given: memref<4x64xi1, 3>) kernel {
    %c0 = arith.constant 0 : index
    %memory = memref.alloc() : memref<32x64xi1, 3>
    %view = memref.subview %memory[8, 0] [16, 64] [1, 1] : memref<32x64xi1, 3> to memref<16x64xi1, strided<[64, 1], offset: 512>, 3>
    %a = memref.cast %memory : memref<32x64xi1, 3> to memref<32x64xi1, strided<[64, 1]>, 3>
    %b = memref.collapse_shape %memory [[0, 1]] : memref<32x64xi1, 3> into memref<2048xi1, 3>
    %c = memref.expand_shape %memory [[0, 1], [2]] output_shape [4, 8, 64] : memref<32x64xi1, 3> into memref<4x8x64xi1, 3>
    %d = memref.reinterpret_cast %memory to offset: [0], sizes: [16], strides: [1] : memref<32x64xi1, 3> to memref<16xi1, 3>
    %e = memref.transpose %memory (d0, d1) -> (d1, d0) : memref<32x64xi1, 3> to memref<64x32xi1, strided<[1, 64]>, 3>
    %x = memref.load %view[%i, %i] : memref<16x64xi1, strided<[64, 1], offset: 512>, 3>
    memref.store %x, %view[%i, %c0] : memref<16x64xi1, strided<[64, 1], offset: 512>, 3>
    %t = xetile.init_tile %given[0, 0] : memref<4x64xi1, 3> -> !xetile.tile<4x16xi1, #xetile.tile_attr<memory_space = 3>>
    %v = xetile.load_tile %t : !xetile.tile<4x16xi1, #xetile.tile_attr<memory_space = 3>> -> vector<4x16xi1>
    xetile.store_tile %v, %t : vector<4x16xi1>, !xetile.tile<4x16xi1, #xetile.tile_attr<memory_space = 3>>
    gpu.return
  }
}

// -----

#swizzle = #xetile.swizzle<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 1], [2, 2], [4, 4], [8, 0]]>

gpu.module @m {
  gpu.func @single(%i: index, %v: vector<16x16xf32>) kernel {
    %memory = memref.alloc() : memref<16x16xf32, #swizzle, 3>
    %t = xetile.init_tile %memory[0, 0] : memref<16x16xf32, #swizzle, 3> -> !xetile.tile<16x16xf32, #xetile.tile_attr<memory_space = 3>>
    xetile.store_tile %v, %t : vector<16x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<memory_space = 3>>
    // expected-error @below {{'memref.load' reaches a single element of memref<16x16xf32, #xetile.swizzle<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 1], [2, 2], [4, 4], [8, 0]]>, 3 : i64>; tiles reach swizzled memory}}
    %e = memref.load %memory[%i, %i] : memref<16x16xf32, #swizzle, 3>
    gpu.return
  }
}
