// RUN: xetile-opt --convert-xegpu-to-xevm=device=bmg --split-input-file %s | FileCheck %s
// RUN: xetile-opt --convert-xegpu-to-xevm=device=cri --split-input-file %s | FileCheck %s --check-prefix=CRI

// Each lane changes the elements that it has; what is masked off is left out by a branch.

#scattered = #xegpu.scatter_tdesc_attr<>
gpu.module @m {
  // An instruction where the device has one.
  // CHECK-LABEL: gpu.func @sum
  // CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  // CHECK: llvm.atomicrmw fadd %[[P]], %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, f32
  // CHECK-NOT: xegpu
  gpu.func @sum(%a: memref<64xf32>, %i: memref<16xindex>) kernel {
    %c0 = arith.constant 0 : index
    %all = arith.constant dense<true> : vector<16xi1>
    %x = arith.constant dense<1.0> : vector<16xf32>
    %offsets = vector.step : vector<16xindex>
    %t = xegpu.create_tdesc %a, %offsets : memref<64xf32>, vector<16xindex> -> !xegpu.tensor_desc<16xf32, #scattered>
    %r = xegpu.atomic_rmw addf %t, %all, %x : !xegpu.tensor_desc<16xf32, #scattered>, vector<16xi1>, vector<16xf32> -> vector<16xf32>
    gpu.return
  }

  // Where it has none the element is compared and exchanged, in the word that it lies in; cri adds f16.
  // CHECK-LABEL: gpu.func @half
  // CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<1> to i64
  // CHECK: %[[WORD:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
  // CHECK: scf.while (%[[GUESS:.*]] = %{{.*}}) : (i32) -> i32
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f16
  // CHECK: %[[PAIR:.*]] = llvm.cmpxchg %[[WORD]], %[[GUESS]], %{{.*}} syncscope("device") monotonic monotonic : !llvm.ptr<1>, i32
  // CHECK: llvm.extractvalue %[[PAIR]][0]
  // CHECK: llvm.extractvalue %[[PAIR]][1]
  // CRI-LABEL: gpu.func @half
  // CRI: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, f16
  gpu.func @half(%a: memref<64xf16>) kernel {
    %all = arith.constant dense<true> : vector<16xi1>
    %x = arith.constant dense<1.0> : vector<16xf16>
    %offsets = vector.step : vector<16xindex>
    %t = xegpu.create_tdesc %a, %offsets : memref<64xf16>, vector<16xindex> -> !xegpu.tensor_desc<16xf16, #scattered>
    %r = xegpu.atomic_rmw addf %t, %all, %x : !xegpu.tensor_desc<16xf16, #scattered>, vector<16xi1>, vector<16xf16> -> vector<16xf16>
    gpu.return
  }

  // Descriptors that a loop moves carry their offsets; elements of a chunk have one mask, and one branch.
  // CHECK-LABEL: gpu.func @moved
  // CHECK: scf.for %{{.*}} iter_args(%[[OFFSETS:.*]] = %{{.*}}) -> (vector<1xindex>)
  // CHECK: scf.if
  // CHECK-COUNT-4: llvm.atomicrmw umax {{.*}} syncscope("device") monotonic : !llvm.ptr<1>, i32
  // CHECK-NOT: atomicrmw
  gpu.func @moved(%a: memref<1024xi32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = arith.constant dense<1> : vector<16x4xi32>
    %offsets = vector.step : vector<16xindex>
    %limit = vector.broadcast %n : index to vector<16xindex>
    %some = arith.cmpi ult, %offsets, %limit : vector<16xindex>
    %step = arith.constant dense<4> : vector<16xindex>
    %t = xegpu.create_tdesc %a, %offsets : memref<1024xi32>, vector<16xindex> -> !xegpu.tensor_desc<16x4xi32, #xegpu.scatter_tdesc_attr<chunk_size = 4 : i64>>
    %e = scf.for %k = %c0 to %n step %c1 iter_args(%u = %t) -> (!xegpu.tensor_desc<16x4xi32, #xegpu.scatter_tdesc_attr<chunk_size = 4 : i64>>) {
      %r = xegpu.atomic_rmw maxu %u, %some, %x : !xegpu.tensor_desc<16x4xi32, #xegpu.scatter_tdesc_attr<chunk_size = 4 : i64>>, vector<16xi1>, vector<16x4xi32> -> vector<16x4xi32>
      %w = xegpu.update_offset %u, %step : !xegpu.tensor_desc<16x4xi32, #xegpu.scatter_tdesc_attr<chunk_size = 4 : i64>>, vector<16xindex>
      scf.yield %w : !xegpu.tensor_desc<16x4xi32, #xegpu.scatter_tdesc_attr<chunk_size = 4 : i64>>
    }
    gpu.return
  }

  // Of lanes that hold the same elements the first one changes them, and gives the others what was there.
  // CHECK-LABEL: gpu.func @few
  // CHECK: scf.if
  // CHECK: llvm.atomicrmw add {{.*}} syncscope("workgroup") monotonic : !llvm.ptr<3>, i32
  // CHECK: gpu.shuffle
  gpu.func @few(%a: memref<8xi32>, %m: index) workgroup(%s: memref<64xi32, 3>) kernel {
    %all = arith.constant dense<true> : vector<8xi1>
    %x = arith.constant dense<1> : vector<8xi32>
    %offsets = vector.step : vector<8xindex>
    %t = xegpu.create_tdesc %s, %offsets : memref<64xi32, 3>, vector<8xindex> -> !xegpu.tensor_desc<8xi32, #xegpu.scatter_tdesc_attr<memory_space = slm>>
    %r = xegpu.atomic_rmw addi %t, %all, %x : !xegpu.tensor_desc<8xi32, #xegpu.scatter_tdesc_attr<memory_space = slm>>, vector<8xi1>, vector<8xi32> -> vector<8xi32>
    %e = vector.extract %r[%m] : i32 from vector<8xi32>
    memref.store %e, %a[%m] : memref<8xi32>
    gpu.return
  }
}
