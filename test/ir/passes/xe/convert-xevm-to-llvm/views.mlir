// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s

// A view is numbers, from which addresses are computed where something is accessed.

gpu.module @m {
  // CHECK-LABEL: llvm.func @windows(%A: !llvm.ptr<1>
  // CHECK: llvm.mlir.constant(199) : i64
  // CHECK: %[[AT:.*]] = llvm.getelementptr %A[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  // CHECK-NEXT: llvm.load %[[AT]] : !llvm.ptr<1> -> f32
  // CHECK-NEXT: llvm.store %{{.*}}, %A
  gpu.func @windows(%A: memref<64x32xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // rows 4, 6, ..., columns 3 to 18
    %w = memref.subview %A[4, 3] [8, 16] [2, 1] : memref<64x32xf32> to memref<8x16xf32, strided<[64, 1], offset: 131>>
    %d = memref.cast %w : memref<8x16xf32, strided<[64, 1], offset: 131>> to memref<?x?xf32, strided<[64, 1], offset: ?>>
    %n = memref.dim %d, %c0 : memref<?x?xf32, strided<[64, 1], offset: ?>>
    %e = memref.expand_shape %w [[0], [1, 2]] output_shape [8, 4, 4] : memref<8x16xf32, strided<[64, 1], offset: 131>> into memref<8x4x4xf32, strided<[64, 4, 1], offset: 131>>
    %r = memref.rank %e : memref<8x4x4xf32, strided<[64, 4, 1], offset: 131>>
    %s = memref.collapse_shape %e [[0], [1, 2]] : memref<8x4x4xf32, strided<[64, 4, 1], offset: 131>> into memref<8x16xf32, strided<[64, 1], offset: 131>>
    // 131 + 64 + 4
    %v = memref.load %e[%c1, %c1, %c0] : memref<8x4x4xf32, strided<[64, 4, 1], offset: 131>>
    %o = memref.reinterpret_cast %s to offset: [0], sizes: [2048], strides: [1] : memref<8x16xf32, strided<[64, 1], offset: 131>> to memref<2048xf32>
    // what is known of an address is no code
    %k = memref.assume_alignment %o, 64 : memref<2048xf32>
    memref.store %v, %k[%c0] : memref<2048xf32>
    gpu.return
  }

  // What is known when running is computed with 64 bits; a bool is a byte in memory.
  // CHECK-LABEL: llvm.func @dynamic(%B: !llvm.ptr<1>, %B_size0: i64, %B_size1: i64, %M: !llvm.ptr<1>
  // CHECK: %[[ROW:.*]] = llvm.mul %{{.*}}, %B_size1 : i64
  // CHECK: llvm.add %[[ROW]], %{{.*}} : i64
  // CHECK-NEXT: %[[P:.*]] = llvm.getelementptr %B[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
  // CHECK-NEXT: llvm.load %[[P]] : !llvm.ptr<1> -> i16
  // CHECK: %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i8
  // CHECK-NEXT: llvm.trunc %[[BYTE]] : i8 to i1
  gpu.func @dynamic(%B: memref<?x?xbf16>, %M: memref<64xi1>, %row: index, %column: index) kernel {
    %v = memref.load %B[%row, %column] : memref<?x?xbf16>
    %m = memref.load %M[%row] : memref<64xi1>
    %w = arith.select %m, %v, %v : bf16
    memref.store %w, %B[%row, %column] : memref<?x?xbf16>
    memref.store %m, %M[%row] : memref<64xi1>
    gpu.return
  }

  // Buffers in shared memory, as views of one.
  // CHECK-LABEL: llvm.func @shared
  // CHECK: %[[S:.*]] = llvm.mlir.addressof @shared_shared : !llvm.ptr<3>
  // CHECK: %[[VIEW:.*]] = llvm.getelementptr %[[S]][%{{.*}}] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
  // CHECK-NEXT: %[[P:.*]] = llvm.getelementptr %[[VIEW]][%{{.*}}] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
  // CHECK-NEXT: llvm.store %x, %[[P]] : f32, !llvm.ptr<3>
  gpu.func @shared(%x: f32) workgroup(%s: memref<4096xi8, 3>) kernel {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c512 = arith.constant 512 : index
    %v = memref.view %s[%c512][] : memref<4096xi8, 3> to memref<16x32xf32, 3>
    %t = memref.transpose %v (i, j) -> (j, i) : memref<16x32xf32, 3> to memref<32x16xf32, strided<[1, 32]>, 3>
    %c = memref.memory_space_cast %t : memref<32x16xf32, strided<[1, 32]>, 3> to memref<32x16xf32, strided<[1, 32]>, #gpu.address_space<workgroup>>
    memref.store %x, %c[%c2, %c1] : memref<32x16xf32, strided<[1, 32]>, #gpu.address_space<workgroup>>
    gpu.return
  }
}
