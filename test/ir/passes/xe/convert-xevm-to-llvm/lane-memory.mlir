// RUN: xetile-opt --convert-xevm-to-llvm --split-input-file --verify-diagnostics %s | FileCheck %s

// Neighbours that a lane reads and writes are vectors of at most 8, with no more alignment than an element has; its own
// buffers are private memory.

gpu.module @m {
  // CHECK-LABEL: llvm.func @vectors(%A: !llvm.ptr<1>
  // CHECK: %[[OWN:.*]] = llvm.alloca %{{.*}} x !llvm.array<4 x f32>
  // CHECK: %[[MINE:.*]] = llvm.alloca %{{.*}} x !llvm.array<36 x f32>
  // CHECK: %[[A:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<8xf32>
  // CHECK: %[[B:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: %[[ROW:.*]] = llvm.getelementptr %[[MINE]][
  // CHECK-NEXT: llvm.store %[[A]], %[[ROW]] {alignment = 16 : i64} : vector<8xf32>, !llvm.ptr
  // CHECK: llvm.store %[[B]], %{{.*}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  // CHECK: llvm.getelementptr %[[OWN]][
  // CHECK: %[[BITS:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr<1> -> vector<2xi8>
  // CHECK-NEXT: llvm.trunc %[[BITS]] : vector<2xi8> to vector<2xi1>
  gpu.func @vectors(%A: memref<?x64xf32>, %M: memref<64xi1>) private(%own: memref<4xf32, #gpu.address_space<private>>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
    %lane = gpu.lane_id
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %mine = memref.alloca() : memref<3x12xf32>
    %v = vector.load %A[%lane, %c1] : memref<?x64xf32>, vector<12xf32>
    vector.store %v, %mine[%c1, %c0] {alignment = 16 : i64} : memref<3x12xf32>, vector<12xf32>
    %x = memref.load %mine[%c1, %c1] : memref<3x12xf32>
    memref.store %x, %own[%c1] : memref<4xf32, #gpu.address_space<private>>
    %m = vector.load %M[%lane] : memref<64xi1>, vector<2xi1>
    vector.store %m, %M[%c0] : memref<64xi1>, vector<2xi1>
    gpu.return
  }

  // A switch is one comparison after the other.
  // CHECK-LABEL: llvm.func @branches
  // CHECK: %[[SAME:.*]] = llvm.icmp "eq" %[[N:.*]], %{{.*}} : i32
  // CHECK-NEXT: llvm.cond_br %[[SAME]], ^[[CHOSEN:.*]], ^[[NEXT:.*]]
  // CHECK: ^[[CHOSEN]]:
  // CHECK-NEXT: llvm.br ^[[END:.*]](%[[N]] : i32)
  // CHECK: ^[[NEXT]]:
  // CHECK-NEXT: llvm.br ^[[STORE:.*]]
  // CHECK: ^[[STORE]]:
  // CHECK: llvm.br ^[[END]](%{{.*}} : i32)
  // CHECK: ^[[END]](%[[FOUND:.*]]: i32):
  // CHECK: llvm.return
  gpu.func @branches(%A: memref<64xi32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
    %lane = gpu.lane_id
    %n = memref.load %A[%lane] : memref<64xi32>
    cf.switch %n : i32, [
      default: ^store,
      3: ^end(%n : i32)
    ]
  ^store:
    %zero = arith.constant 0 : i32
    cf.br ^end(%zero : i32)
  ^end(%found: i32):
    memref.store %found, %A[%lane] : memref<64xi32>
    %less = arith.cmpi slt, %found, %n : i32
    cf.cond_br %less, ^again, ^done
  ^again:
    memref.store %n, %A[%lane] : memref<64xi32>
    cf.br ^done
  ^done:
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @print() kernel attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
    %lane = gpu.lane_id
    // expected-error @+1 {{'vector.print' has no lowering to LLVM IR; expected gpu.printf, which OpenCL has a function for}}
    vector.print %lane : index
    gpu.return
  }
}
