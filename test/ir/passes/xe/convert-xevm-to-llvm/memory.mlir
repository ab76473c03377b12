// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s

// Memrefs are pointers, and what is dynamic of them arguments; what LLVM has already stays.

gpu.module @m {
  // Of a size that the type says nothing is left but the number.
  // CHECK-LABEL: llvm.func @sizes
  // CHECK: %[[COLUMNS:.*]] = llvm.mlir.constant(64) : i64
  // CHECK-NEXT: %[[N:.*]] = llvm.mul %A_size0, %[[COLUMNS]] : i64
  // CHECK-NEXT: llvm.store %[[N]]
  gpu.func @sizes(%out: !llvm.ptr<1>, %A: memref<?x64xf16, strided<[?, 1], offset: ?>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %A, %c0 : memref<?x64xf16, strided<[?, 1], offset: ?>>
    %columns = memref.dim %A, %c1 : memref<?x64xf16, strided<[?, 1], offset: ?>>
    %n = arith.muli %rows, %columns : index
    %i = arith.index_cast %n : index to i64
    llvm.store %i, %out : i64, !llvm.ptr<1>
    gpu.return
  }

  // The buffer begins where the layout's offset is taken back: 2 bytes for each element of it.
  // CHECK-LABEL: llvm.func @parts
  // CHECK-SAME: (%{{.*}}: !llvm.ptr<1>, %[[A:.*]]: !llvm.ptr<1>, %[[OFFSET:.*]]: i64, %{{.*}}: i64, %[[STRIDE:.*]]: i64)
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2) : i64
  // CHECK-NEXT: %[[BYTES:.*]] = llvm.mul %[[OFFSET]], %[[TWO]] : i64
  // CHECK-NEXT: %[[AT:.*]] = llvm.ptrtoint %[[A]]
  // CHECK-NEXT: %[[START:.*]] = llvm.sub %[[AT]], %[[BYTES]] : i64
  // CHECK-NEXT: llvm.add %[[START]], %[[STRIDE]] : i64
  gpu.func @parts(%out: !llvm.ptr<1>, %A: memref<?x64xf16, strided<[?, 1], offset: ?>>) kernel {
    %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %A : memref<?x64xf16, strided<[?, 1], offset: ?>> -> memref<f16>, index, index, index, index, index
    %i = memref.extract_aligned_pointer_as_index %base : memref<f16> -> index
    %l = arith.index_cast %i : index to i64
    %s = arith.index_cast %strides#0 : index to i64
    %n = arith.addi %l, %s : i64
    llvm.store %n, %out : i64, !llvm.ptr<1>
    gpu.return
  }

  // A pointer that went through an integer is the argument itself; an integer is made only where one is used.
  // CHECK-LABEL: llvm.func @addresses
  // CHECK-SAME: %{{[a-z0-9_]*}}: !llvm.ptr<1>, %[[B:[A-Z]*]]: !llvm.ptr<1>)
  // CHECK-NEXT: %[[Q:.*]] = llvm.getelementptr %[[B]][16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  // CHECK-NEXT: %[[V:.*]] = llvm.load %[[Q]] : !llvm.ptr<1> -> vector<8xf32>
  // CHECK-NEXT: llvm.store %[[V]], %{{.*}} : vector<8xf32>, !llvm.ptr<1>
  // CHECK: llvm.ptrtoint %[[Q]] : !llvm.ptr<1> to i64
  // CHECK: llvm.store %{{.*}} : i64
  // CHECK-NEXT: %[[NARROW:.*]] = llvm.ptrtoint %[[Q]] : !llvm.ptr<1> to i32
  // CHECK-NEXT: llvm.store %[[NARROW]]
  gpu.func @addresses(%out: !llvm.ptr<1>, %B: memref<8x64xf32>) kernel {
    %i = memref.extract_aligned_pointer_as_index %B : memref<8x64xf32> -> index
    %l = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
    %q = llvm.getelementptr %p[16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %v = llvm.load %q : !llvm.ptr<1> -> vector<8xf32>
    llvm.store %v, %out : vector<8xf32>, !llvm.ptr<1>
    %n = llvm.ptrtoint %q : !llvm.ptr<1> to i64
    llvm.store %n, %out : i64, !llvm.ptr<1>
    %m = llvm.ptrtoint %q : !llvm.ptr<1> to i32
    llvm.store %m, %out : i32, !llvm.ptr<1>
    gpu.return
  }

  // What lanes load that want nothing: constants of the module stay, and their address is taken once.
  llvm.mlir.global internal constant @zeros(dense<0> : tensor<64xi8>) {addr_space = 1 : i32, alignment = 64 : i64} : !llvm.array<64 x i8>
  // CHECK: llvm.mlir.global internal constant @zeros(dense<0> : tensor<64xi8>)
  // CHECK-LABEL: llvm.func @masked
  // CHECK-NEXT: %[[ZEROS:.*]] = llvm.mlir.addressof @zeros : !llvm.ptr<1>
  // CHECK-NOT: addressof
  // CHECK: %[[AT:.*]] = llvm.select %{{.*}}, %p, %[[ZEROS]] : i1, !llvm.ptr<1>
  // CHECK-NEXT: llvm.load %[[AT]] : !llvm.ptr<1> -> vector<4xi32>
  gpu.func @masked(%p: !llvm.ptr<1>, %n: i32) kernel {
    %lane = xevm.lane_id : i32
    %wanted = arith.cmpi ult, %lane, %n : i32
    %zeros = llvm.mlir.addressof @zeros : !llvm.ptr<1>
    %again = llvm.mlir.addressof @zeros : !llvm.ptr<1>
    %at = arith.select %wanted, %p, %again : !llvm.ptr<1>
    %v = llvm.load %at : !llvm.ptr<1> -> vector<4xi32>
    llvm.store %v, %p : vector<4xi32>, !llvm.ptr<1>
    gpu.return
  }
}
