// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s

gpu.module @m {
  // A quotient that is rounded down is one less where there is a rest and the signs differ; up, where they do not.
  // CHECK-LABEL: llvm.func @divisions
  // CHECK: %[[Q:.*]] = llvm.sdiv %[[A:.*]], %[[B:.*]] : i32
  // CHECK-NEXT: %[[P:.*]] = llvm.mul %[[Q]], %[[B]] : i32
  // CHECK-NEXT: %[[REST:.*]] = llvm.icmp "ne" %[[P]], %[[A]] : i32
  // CHECK-NEXT: %[[SIGN_A:.*]] = llvm.icmp "slt" %[[A]], %[[ZERO:.*]] : i32
  // CHECK-NEXT: %[[SIGN_B:.*]] = llvm.icmp "slt" %[[B]], %[[ZERO]] : i32
  // CHECK-NEXT: %[[DIFFER:.*]] = llvm.icmp "ne" %[[SIGN_A]], %[[SIGN_B]] : i1
  // CHECK-NEXT: %[[DOWN:.*]] = llvm.and %[[REST]], %[[DIFFER]] : i1
  // CHECK-NEXT: %[[ONE:.*]] = llvm.sext %[[DOWN]] : i1 to i32
  // CHECK-NEXT: llvm.add %[[Q]], %[[ONE]] : i32
  // CHECK: llvm.icmp "eq" %{{.*}} : i1
  // CHECK: llvm.sub
  // CHECK: %[[Q:.*]] = llvm.udiv
  // CHECK-NEXT: llvm.mul
  // CHECK-NEXT: llvm.icmp "ne"
  // CHECK-NEXT: llvm.sext
  // CHECK-NEXT: llvm.sub %[[Q]]
  gpu.func @divisions(%out: !llvm.ptr<1>, %a: i32, %b: i32) kernel {
    %0 = arith.floordivsi %a, %b : i32
    %1 = arith.ceildivsi %0, %b : i32
    %2 = arith.ceildivui %1, %b : i32
    llvm.store %2, %out : i32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @counts
  // CHECK: llvm.call @_Z3absi(%{{.*}}) : (i32) -> i32
  // CHECK-NEXT: llvm.call @_Z3clzi
  // CHECK-NEXT: llvm.call @_Z8popcounti
  // CHECK-NEXT: llvm.call @_Z3ctzi
  gpu.func @counts(%out: !llvm.ptr<1>, %a: i32) kernel {
    %0 = math.absi %a : i32
    %1 = math.ctlz %0 : i32
    %2 = math.ctpop %1 : i32
    %3 = math.cttz %2 : i32
    llvm.store %3, %out : i32, !llvm.ptr<1>
    gpu.return
  }

  // An index of which 32 bits are kept has 64 to be counted.
  // CHECK-LABEL: llvm.func @count_of_index
  // CHECK: %[[WIDE:.*]] = llvm.sext %{{.*}} : i32 to i64
  // CHECK-NEXT: llvm.call @_Z3clzl(%[[WIDE]])
  gpu.func @count_of_index(%out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %a = gpu.thread_id x
    %0 = math.ctlz %a : index
    %1 = arith.index_cast %0 : index to i64
    llvm.store %1, %out : i64, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @powers
  // CHECK-COUNT-14: llvm.mul %{{.*}} : i8
  // CHECK-NOT: llvm.mul
  // CHECK: llvm.icmp "slt"
  gpu.func @powers(%out: !llvm.ptr<1>, %a: i8, %n: i8) kernel {
    %0 = math.ipowi %a, %n : i8
    llvm.store %0, %out : i8, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @twice_the_bits
  // CHECK: %[[SUM:.*]] = llvm.add %[[A:.*]], %{{.*}} : i32
  // CHECK-NEXT: llvm.icmp "ult" %[[SUM]], %[[A]] : i32
  // CHECK: llvm.mul
  // CHECK-NEXT: llvm.call @_Z6mul_hiii(
  // CHECK: llvm.mul
  // CHECK-NEXT: llvm.call @_Z6mul_hijj(
  gpu.func @twice_the_bits(%out: !llvm.ptr<1>, %a: i32, %b: i32) kernel {
    %0, %carry = arith.addui_extended %a, %b : i32, i1
    %low, %high = arith.mulsi_extended %0, %b : i32
    %1, %2 = arith.mului_extended %low, %high : i32
    %3 = arith.select %carry, %1, %2 : i32
    llvm.store %3, %out : i32, !llvm.ptr<1>
    gpu.return
  }
}
