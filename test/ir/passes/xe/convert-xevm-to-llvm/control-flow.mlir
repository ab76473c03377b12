// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s

// Structured control flow becomes blocks; what it carries becomes their arguments.

gpu.module @m {
  // A vector of twelve elements is carried as its two chunks.
  // CHECK-LABEL: llvm.func @loop
  // CHECK: llvm.br ^[[HEAD:.*]](%{{.*}}, %{{.*}}, %{{.*}} : i32, vector<8xf32>, vector<4xf32>)
  // CHECK-NEXT: ^[[HEAD]](%[[I:.*]]: i32, %[[LOW:.*]]: vector<8xf32>, %[[HIGH:.*]]: vector<4xf32>):
  // CHECK-NEXT: %[[AGAIN:.*]] = llvm.icmp "slt" %[[I]], %n : i32
  // CHECK-NEXT: llvm.cond_br %[[AGAIN]], ^[[BODY:.*]], ^[[BEHIND:.*]]
  // CHECK-NEXT: ^[[BODY]]:
  // CHECK-NEXT: %[[L:.*]] = llvm.fadd %[[LOW]], %{{.*}} : vector<8xf32>
  // CHECK-NEXT: %[[H:.*]] = llvm.fadd %[[HIGH]], %{{.*}} : vector<4xf32>
  // CHECK-NEXT: %[[NEXT:.*]] = llvm.add %[[I]], %{{.*}} : i32
  // CHECK-NEXT: llvm.br ^[[HEAD]](%[[NEXT]], %[[L]], %[[H]] : i32, vector<8xf32>, vector<4xf32>)
  // CHECK-NEXT: ^[[BEHIND]]:
  // CHECK-NEXT: llvm.extractelement %[[HIGH]][%{{.*}} : i32] : vector<4xf32>
  gpu.func @loop(%out: !llvm.ptr<1>, %v: f32, %n: i32) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : vector<12xf32>
    %one = arith.constant dense<1.0> : vector<12xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (vector<12xf32>) : i32 {
      %y = arith.addf %x, %one : vector<12xf32>
      scf.yield %y : vector<12xf32>
    }
    %e = vector.extract %r[9] : f32 from vector<12xf32>
    llvm.store %e, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  // Both branches meet in a block that has the results; without an else the condition goes there itself.
  // CHECK-LABEL: llvm.func @branches
  // CHECK: llvm.cond_br %{{.*}}, ^[[THEN:.*]], ^[[ELSE:.*]]
  // CHECK-NEXT: ^[[THEN]]:
  // CHECK-NEXT: llvm.br ^[[BEHIND:.*]](%a : i32)
  // CHECK-NEXT: ^[[ELSE]]:
  // CHECK-NEXT: llvm.br ^[[BEHIND]](%b : i32)
  // CHECK-NEXT: ^[[BEHIND]](%[[LEAST:.*]]: i32):
  // CHECK: llvm.cond_br %{{.*}}, ^[[INSIDE:.*]], ^[[LAST:.*]]
  // CHECK-NEXT: ^[[INSIDE]]:
  // CHECK-NEXT: llvm.store %[[LEAST]]
  // CHECK-NEXT: llvm.br ^[[LAST]]
  // CHECK-NEXT: ^[[LAST]]:
  // CHECK-NEXT: llvm.return
  gpu.func @branches(%out: !llvm.ptr<1>, %a: i32, %b: i32) kernel {
    %less = arith.cmpi slt, %a, %b : i32
    %least = scf.if %less -> (i32) {
      scf.yield %a : i32
    } else {
      scf.yield %b : i32
    }
    %none = arith.cmpi eq, %least, %b : i32
    scf.if %none {
      llvm.store %least, %out : i32, !llvm.ptr<1>
    }
    gpu.return
  }

  // A while loop hands what its condition passes to its body and to what comes behind it.
  // CHECK-LABEL: llvm.func @rounds
  // CHECK: llvm.br ^[[HEAD:.*]](%{{.*}} : i32)
  // CHECK-NEXT: ^[[HEAD]](%[[X:.*]]: i32):
  // CHECK-NEXT: %[[MORE:.*]] = llvm.icmp "ugt" %[[X]]
  // CHECK-NEXT: llvm.cond_br %[[MORE]], ^[[BODY:.*]](%[[X]] : i32), ^[[BEHIND:.*]](%[[X]] : i32)
  // CHECK-NEXT: ^[[BODY]](%[[Y:.*]]: i32):
  // CHECK-NEXT: %[[HALF:.*]] = llvm.lshr %[[Y]]
  // CHECK-NEXT: llvm.br ^[[HEAD]](%[[HALF]] : i32)
  // CHECK-NEXT: ^[[BEHIND]](%[[R:.*]]: i32):
  // CHECK-NEXT: llvm.store %[[R]]
  gpu.func @rounds(%out: !llvm.ptr<1>, %a: i32) kernel {
    %c1 = arith.constant 1 : i32
    %r = scf.while (%x = %a) : (i32) -> i32 {
      %more = arith.cmpi ugt, %x, %c1 : i32
      scf.condition(%more) %x : i32
    } do {
    ^bb0(%y: i32):
      %half = arith.shrui %y, %c1 : i32
      scf.yield %half : i32
    }
    llvm.store %r, %out : i32, !llvm.ptr<1>
    gpu.return
  }
}
gpu.module @f {
  // A func.func with an op of XeVM in it is a kernel, too.
  // CHECK-LABEL: llvm.func @returns
  // CHECK-SAME: gpu.kernel
  // CHECK: llvm.return
  func.func @returns() {
    xevm.memfence <{addrspace = #xevm.addr_space<shared>, scope = #xevm.mem_scope<workgroup>}>
    func.return
  }
}
gpu.module @counters {
  // A counter of type index has 32 bits where its bounds, its step and the value past the end are known to fit.
  // CHECK-LABEL: llvm.func @unknown
  // CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i64
  gpu.func @unknown(%out: !llvm.ptr<1>, %v: f32, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      llvm.store %v, %out : f32, !llvm.ptr<1>
    }
    gpu.return
  }

  // CHECK-LABEL: llvm.func @fits
  // CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i32
  gpu.func @fits(%out: !llvm.ptr<1>, %v: f32) kernel {
    %low = arith.constant -2147483648 : index
    %high = arith.constant 2147483639 : index
    %step = arith.constant 8 : index
    scf.for %i = %low to %high step %step {
      llvm.store %v, %out : f32, !llvm.ptr<1>
    }
    gpu.return
  }

  // CHECK-LABEL: llvm.func @past_the_end
  // CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i64
  gpu.func @past_the_end(%out: !llvm.ptr<1>, %v: f32) kernel {
    %low = arith.constant 0 : index
    %high = arith.constant 2147483640 : index
    %step = arith.constant 8 : index
    scf.for %i = %low to %high step %step {
      llvm.store %v, %out : f32, !llvm.ptr<1>
    }
    gpu.return
  }

  // CHECK-LABEL: llvm.func @from_far_below
  // CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i64
  gpu.func @from_far_below(%out: !llvm.ptr<1>, %v: f32) kernel {
    %low = arith.constant -2147483649 : index
    %high = arith.constant 8 : index
    %step = arith.constant 8 : index
    scf.for %i = %low to %high step %step {
      llvm.store %v, %out : f32, !llvm.ptr<1>
    }
    gpu.return
  }
}
gpu.module @switches {
  // One comparison for each case, in order; what none names is last.
  // CHECK-LABEL: llvm.func @switches
  // CHECK: %[[THREE:.*]] = llvm.icmp "eq" %[[N:.*]], %{{.*}} : i64
  // CHECK-NEXT: llvm.cond_br %[[THREE]], ^[[A:.*]], ^[[NEXT:.*]]
  // CHECK-NEXT: ^[[A]]:
  // CHECK-NEXT: llvm.br ^[[BEHIND:.*]](%{{.*}} : i32)
  // CHECK-NEXT: ^[[NEXT]]:
  // CHECK-NEXT: %[[FIVE:.*]] = llvm.icmp "eq" %[[N]], %{{.*}} : i64
  // CHECK-NEXT: llvm.cond_br %[[FIVE]], ^[[B:.*]], ^[[LAST:.*]]
  // CHECK-NEXT: ^[[B]]:
  // CHECK-NEXT: llvm.br ^[[BEHIND]](
  // CHECK-NEXT: ^[[LAST]]:
  // CHECK-NEXT: llvm.br ^[[BEHIND]](
  // CHECK-NEXT: ^[[BEHIND]](%[[R:.*]]: i32):
  // CHECK-NEXT: llvm.store %[[R]]
  gpu.func @switches(%out: !llvm.ptr<1>, %n: index, %a: i32, %b: i32, %c: i32) kernel {
    %r = scf.index_switch %n -> i32
    case 3 {
      scf.yield %a : i32
    }
    case 5 {
      scf.yield %b : i32
    }
    default {
      scf.yield %c : i32
    }
    llvm.store %r, %out : i32, !llvm.ptr<1>
    gpu.return
  }

  // Branches between blocks stay what they are.
  // CHECK-LABEL: llvm.func @blocks
  // CHECK: llvm.cond_br %p_1, ^[[THEN:.*]](%x : f32), ^[[JOIN:.*]](%x : f32)
  // CHECK: ^[[THEN]](%y: f32):
  // CHECK: llvm.br ^[[JOIN]](%z : f32)
  // CHECK: ^[[JOIN]](%w: f32):
  gpu.func @blocks(%p: i1, %x: f32, %a: memref<1xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
    %c0 = arith.constant 0 : index
    cf.cond_br %p, ^then(%x : f32), ^join(%x : f32)
  ^then(%y: f32):
    %z = arith.addf %y, %y : f32
    cf.br ^join(%z : f32)
  ^join(%w: f32):
    memref.store %w, %a[%c0] : memref<1xf32>
    gpu.return
  }
}
