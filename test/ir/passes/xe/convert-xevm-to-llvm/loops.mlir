// RUN: xetile-opt --convert-xevm-to-llvm="device=bmg unroll=2" %s | FileCheck %s

!ab = vector<8xi16>
!b = vector<8xi32>
!c = vector<8xf32>
gpu.module @kernels {
  // Two rounds in one while two are left, then one by one; the bound cannot wrap around.
  // CHECK-LABEL: llvm.func @unknown
  // CHECK-SAME: xetile.products_per_step = 1 : i32
  // CHECK: %[[B:.*]] = llvm.add %high, %{{.*}} : i64
  // CHECK-NEXT: %[[W:.*]] = llvm.icmp "slt" %high, %{{.*}} : i64
  // CHECK-NEXT: %[[BOUND:.*]] = llvm.select %[[W]], %{{.*}}, %[[B]] : i1, i64
  // CHECK-NEXT: llvm.br ^[[MANY:.*]](%{{.*}}, %{{.*}} : i64, vector<8xf32>)
  // CHECK-NEXT: ^[[MANY]](%[[K:.*]]: i64, %[[SUM:.*]]: vector<8xf32>):
  // CHECK-NEXT: llvm.icmp "slt" %[[K]], %[[BOUND]]
  // CHECK-NEXT: llvm.cond_br %{{.*}}, ^{{.*}}, ^[[LEFT:.*]]
  // CHECK: llvm.call @{{.*}}matrix_mad{{.*}} %[[SUM]])
  // CHECK: llvm.add %[[K]]
  // CHECK-NEXT: llvm.call @{{.*}}matrix_mad
  // CHECK-NEXT: llvm.add %[[K]]
  // CHECK-NEXT: llvm.br ^[[MANY]]({{.*}}) {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  // CHECK-NEXT: ^[[LEFT]]:
  // CHECK-NEXT: llvm.br ^[[REST:.*]](%[[K]], %[[SUM]] : i64, vector<8xf32>)
  // CHECK: llvm.icmp "slt" %{{.*}}, %high
  // CHECK: llvm.call @{{.*}}matrix_mad
  // CHECK-NOT: matrix_mad
  // CHECK: llvm.br ^[[REST]]({{.*}}) {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  gpu.func @unknown(%p: !llvm.ptr<1>, %high: i64) kernel attributes {xetile.level = "lane"} {
    %c0 = arith.constant 0 : i64
    %c32 = arith.constant 32 : i64
    %a = arith.constant dense<1> : !ab
    %b = arith.constant dense<2> : !b
    %zero = arith.constant dense<0.0> : !c
    %r = scf.for %k = %c0 to %high step %c32 iter_args(%sum = %zero) -> (!c) : i64 {
      %d = xevm.mma %a, %b, %sum {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>}
          : (!ab, !b, !c) -> !c
      scf.yield %d : !c
    }
    llvm.store %r, %p : !c, !llvm.ptr<1>
    gpu.return
  }

  // Five rounds: two of two, and one of which no loop is made.
  // CHECK-LABEL: llvm.func @five
  // CHECK-COUNT-2: matrix_mad
  // CHECK: llvm.br ^{{.*}} {loop_annotation
  // CHECK-COUNT-1: matrix_mad
  // CHECK-NOT: loop_annotation
  // CHECK: llvm.return
  gpu.func @five(%p: !llvm.ptr<1>) kernel attributes {xetile.level = "lane"} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c9 = arith.constant 9 : index
    %a = arith.constant dense<1> : !ab
    %b = arith.constant dense<2> : !b
    %zero = arith.constant dense<0.0> : !c
    %r = scf.for %k = %c0 to %c9 step %c2 iter_args(%sum = %zero) -> (!c) {
      %d = xevm.mma %a, %b, %sum {shape = <m = 8, n = 16, k = 16>, types = <d = f32, a = f16, b = f16, c = f32>}
          : (!ab, !b, !c) -> !c
      scf.yield %d : !c
    }
    llvm.store %r, %p : !c, !llvm.ptr<1>
    gpu.return
  }

  // A loop without products stays, and so does what it is told of; a loop of blocks is told nothing of.
  // CHECK-LABEL: llvm.func @other
  // CHECK-NOT: products_per_step
  // CHECK: llvm.br ^{{.*}} {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
  // CHECK-NOT: loop_annotation
  // CHECK: llvm.return
  gpu.func @other(%p: !llvm.ptr<1>, %n: i32) kernel attributes {xetile.level = "lane"} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %w = scf.while (%i = %c0) : (i32) -> i32 {
      %again = arith.cmpi slt, %i, %n : i32
      scf.condition(%again) %i : i32
    } do {
    ^bb0(%i: i32):
      %next = arith.addi %i, %c1 : i32
      scf.yield %next : i32
    }
    cf.br ^head(%w : i32)
  ^head(%j: i32):
    llvm.store %j, %p : i32, !llvm.ptr<1>
    %j_next = arith.subi %j, %c1 : i32
    %positive = arith.cmpi sgt, %j_next, %c0 : i32
    cf.cond_br %positive, ^head(%j_next : i32), ^end
  ^end:
    gpu.return
  }
}
