// RUN: xetile-opt --convert-xegpu-to-xevm="device=bmg print-layouts=true" %s 2>&1 >/dev/null | FileCheck %s

// CHECK: line {{[0-9]+}}: 'xegpu.load' of vector<16x8xf32>: 1 message of 8 words of 32 bits for each lane
// CHECK-NEXT: line {{[0-9]+}}: 'xegpu.store' of vector<16x8xf32>: 1 message of 8 words of 32 bits for each lane
// CHECK-NEXT: line {{[0-9]+}}: 'xegpu.store' of vector<8x16xf32>: 1 block of 8 words of 32 bits for each lane, 0 bank conflicts
gpu.module @m {
  gpu.func @rows(%A: memref<1024xf32>, %B: memref<1024xf32>, %i: index) workgroup(%S : memref<128xf32, 3>) kernel {
    %s = vector.step : vector<16xindex>
    %c8 = arith.constant dense<8> : vector<16xindex>
    %r = arith.muli %s, %c8 : vector<16xindex>
    %own = vector.broadcast %i : index to vector<16xindex>
    %o = arith.addi %r, %own : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %v = xegpu.load %A[%o], %m <{chunk_size = 8 : i64}> : memref<1024xf32>, vector<16xindex>, vector<16xi1> -> vector<16x8xf32>
    xegpu.store %v, %B[%o], %m <{chunk_size = 8 : i64}> : vector<16x8xf32>, memref<1024xf32>, vector<16xindex>, vector<16xi1>
    %one = arith.constant dense<1.0> : vector<8x16xf32>
    %all = arith.constant dense<true> : vector<8x16xi1>
    %l = vector.step : vector<128xindex>
    %p = vector.shape_cast %l : vector<128xindex> to vector<8x16xindex>
    xegpu.store %one, %S[%p], %all : vector<8x16xf32>, memref<128xf32, 3>, vector<8x16xindex>, vector<8x16xi1>
    gpu.return
  }
}
