// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s

// Pointers stand for memrefs and addresses; what is dynamic of a memref follows it.

// CHECK: llvm.func @arguments(%A: !llvm.ptr<1>, %A_offset: i64, %A_size0: i64, %A_stride0: i64,
// CHECK-SAME: %B: !llvm.ptr<1>, %B_size1: i64, %address: !llvm.ptr<1>, %number: i64, %index: i64, %word: i32,
// CHECK-SAME: %flag: i8, %brain: i16, %real: f32, %pointer: !llvm.ptr<1>)
// CHECK-SAME: {name = "A", kind = "pointer", type = "pointer", source = "memref<?x64xf16, strided<[?, 1], offset: ?>>",
// CHECK-SAME: element = "f16", shape = [unit, 64 : i64], strides = [unit, 1 : i64], offset}
// CHECK-SAME: {name = "A", kind = "offset", type = "i64", source = "memref<?x64xf16, strided<[?, 1], offset: ?>>"}
// CHECK-SAME: {name = "A", kind = "size", type = "i64", source = "memref<?x64xf16, strided<[?, 1], offset: ?>>", dimension = 0 : i64}
// CHECK-SAME: {name = "A", kind = "stride", type = "i64", source = "memref<?x64xf16, strided<[?, 1], offset: ?>>", dimension = 0 : i64}
// CHECK-SAME: {name = "address", kind = "pointer", type = "pointer", source = "i64"}
// CHECK-SAME: {name = "number", kind = "value", type = "i64", source = "ui64"}
// CHECK-SAME: {name = "flag", kind = "value", type = "i8", source = "i1"}
// CHECK-SAME: {name = "pointer", kind = "pointer", type = "pointer", source = "!llvm.ptr<1>"}

// The aligned pointer stands in front of the offset, the argument behind it.
// CHECK-NOT: llvm.sext
// CHECK: %[[BYTES:.*]] = llvm.mul %A_offset, %{{.*}} : i64
// CHECK: %[[ZERO:.*]] = llvm.ptrtoint %A : !llvm.ptr<1> to i64
// CHECK: %[[ALIGNED:.*]] = llvm.sub %[[ZERO]], %[[BYTES]] : i64
// CHECK: %[[PA:.*]] = llvm.inttoptr %[[ALIGNED]] : i64 to !llvm.ptr<1>
// CHECK: %[[HEIGHT:.*]] = llvm.trunc %A_size0 : i64 to i32
// CHECK: llvm.call @{{.*}}prefetch{{.*}}(%[[PA]], %{{.*}}, %[[HEIGHT]], %{{.*}}, %{{.*}})

// A constant offset that comes back leaves the argument as it is.
// CHECK: llvm.call @{{.*}}prefetch{{.*}}(%B, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: llvm.call @{{.*}}prefetch{{.*}}(%address, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
gpu.module @m {
  gpu.func @arguments(%A: memref<?x64xf16, strided<[?, 1], offset: ?>>, %B: memref<8x?xf16, strided<[64, 1], offset: 32>>,
      %address: i64, %number: ui64, %index: index, %word: si32, %flag: i1, %brain: bf16, %real: f32,
      %pointer: !llvm.ptr<1>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %w = arith.constant 128 : i32
    %i = memref.extract_aligned_pointer_as_index %A : memref<?x64xf16, strided<[?, 1], offset: ?>> -> index
    %l = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<1>
    %rows = memref.dim %A, %c0 : memref<?x64xf16, strided<[?, 1], offset: ?>>
    %h = arith.index_cast %rows : index to i32
    xevm.blockprefetch2d %p, %w, %h, %w, %zero, %zero <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32,
        tile_width = 16 : i32, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    %j = memref.extract_aligned_pointer_as_index %B : memref<8x?xf16, strided<[64, 1], offset: 32>> -> index
    %m = arith.index_cast %j : index to i64
    %c64 = arith.constant 64 : i64
    %n = arith.addi %m, %c64 : i64
    %q = llvm.inttoptr %n : i64 to !llvm.ptr<1>
    xevm.blockprefetch2d %q, %w, %h, %w, %zero, %zero <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32,
        tile_width = 16 : i32, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    %r = llvm.inttoptr %address : i64 to !llvm.ptr<1>
    xevm.blockprefetch2d %r, %w, %h, %w, %zero, %zero <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32,
        tile_width = 16 : i32, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    gpu.return
  }

  // What is added to the address of a memref is a number, though it ends in a pointer.
  // CHECK-LABEL: llvm.func @offset(%{{[^:]*}}: !llvm.ptr<1>, %bytes: i64)
  // CHECK: llvm.add %{{.*}}, %bytes : i64
  gpu.func @offset(%A: memref<8x64xf16>, %bytes: i64) kernel {
    %zero = arith.constant 0 : i32
    %w = arith.constant 128 : i32
    %h = arith.constant 8 : i32
    %c64 = arith.constant 64 : i64
    %i = memref.extract_aligned_pointer_as_index %A : memref<8x64xf16> -> index
    %l = arith.index_cast %i : index to i64
    %m = arith.addi %l, %c64 : i64
    %n = arith.addi %m, %bytes : i64
    %p = llvm.inttoptr %n : i64 to !llvm.ptr<1>
    xevm.blockprefetch2d %p, %w, %h, %w, %zero, %zero <{elem_size_in_bits = 16 : i32, tile_height = 8 : i32,
        tile_width = 16 : i32, v_blocks = 2 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32)
    gpu.return
  }
}
