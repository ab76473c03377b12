// RUN: xetile-opt --convert-xegpu-to-xevm=device=bmg --split-input-file --verify-diagnostics %s | FileCheck %s

// A kernel's buffers in shared memory are views of one; those that do not live together share bytes.

// CHECK-LABEL: gpu.func @k
// CHECK-SAME: workgroup(%buffers : memref<4864xi8, 3 : i64>)
// CHECK: memref.view %buffers[%c0][] : memref<4864xi8, 3 : i64> to memref<16x64xf32, 3 : i64>
// CHECK: %[[FLAT:.*]] = memref.view %buffers[%c4096][] : memref<4864xi8, 3 : i64> to memref<376xf16, 3 : i64>
// CHECK: memref.reinterpret_cast %[[FLAT]] to offset: [0], sizes: [16, 16], strides: [24, 1]
// CHECK: memref.view %buffers[%c0][] : memref<4864xi8, 3 : i64> to memref<4096xi8, 3 : i64>
// CHECK: memref.alloca() : memref<4xf32>
// CHECK-NOT: memref.dealloc
gpu.module @m {
  gpu.func @k(%a: memref<16x64xf32>, %o: memref<16x64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %b = memref.alloc() : memref<16x64xf32, 3>
    %p = memref.alloca() : memref<16x16xf16, strided<[24, 1]>, 3>
    %q = memref.alloc() : memref<4096xi8, 3>
    %own = memref.alloca() : memref<4xf32>
    %c0 = arith.constant 0 : index
    %d = xegpu.create_nd_tdesc %a : memref<16x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %d[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    %e = vector.extract %v[0, 0] : f32 from vector<8x16xf32>
    memref.store %e, %b[%c0, %c0] : memref<16x64xf32, 3>
    gpu.barrier
    %f = memref.load %b[%c0, %c0] : memref<16x64xf32, 3>
    %h = arith.truncf %f : f32 to f16
    gpu.barrier
    memref.store %h, %p[%c0, %c0] : memref<16x16xf16, strided<[24, 1]>, 3>
    %w = memref.view %q[%c0][] : memref<4096xi8, 3> to memref<32x32xf32, 3>
    memref.store %f, %w[%c0, %c0] : memref<32x32xf32, 3>
    gpu.barrier
    %g = memref.load %p[%c0, %c0] : memref<16x16xf16, strided<[24, 1]>, 3>
    %x = arith.extf %g : f16 to f32
    memref.store %x, %o[%c0, %c0] : memref<16x64xf32>
    memref.dealloc %b : memref<16x64xf32, 3>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%a: memref<16x64xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    // expected-error@+1 {{the kernel's buffers in shared memory, 65536 + 131072 bytes, take 196608 bytes; bmg gives a workgroup 131072 at most}}
    %b = memref.alloc() : memref<256x64xf32, 3>
    %p = memref.alloc() : memref<512x64xf32, 3>
    %c0 = arith.constant 0 : index
    %d = xegpu.create_nd_tdesc %a : memref<16x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %d[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    %e = vector.extract %v[0, 0] : f32 from vector<8x16xf32>
    memref.store %e, %b[%c0, %c0] : memref<256x64xf32, 3>
    memref.store %e, %p[%c0, %c0] : memref<512x64xf32, 3>
    gpu.return
  }
}

// -----

func.func @k(%a: memref<16x64xf32>) {
  // expected-error@+1 {{a buffer in shared memory needs a gpu.func around it, which owns it}}
  %b = memref.alloc() : memref<8x64xf32, 3>
  %c0 = arith.constant 0 : index
  %d = xegpu.create_nd_tdesc %a : memref<16x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %d[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  %e = vector.extract %v[0, 0] : f32 from vector<8x16xf32>
  memref.store %e, %b[%c0, %c0] : memref<8x64xf32, 3>
  return
}
