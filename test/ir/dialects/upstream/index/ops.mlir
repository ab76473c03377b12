// Custom and generic form, and mlir-opt reads both back.
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ %mlir-opt --mlir-print-op-generic %s | xetile-opt | FileCheck %s %}
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt | FileCheck %s %}

func.func @all(%a: index, %b: index, %i: i32) {
  // CHECK: index.add %{{.*}}, %{{.*}}
  %0 = index.add %a, %b
  // CHECK: index.sub %{{.*}}, %{{.*}}
  %1 = index.sub %a, %b
  // CHECK: index.mul %{{.*}}, %{{.*}} {note = 1 : i64}
  %2 = index.mul %a, %b {note = 1 : i64}
  // CHECK: index.divs
  %3 = index.divs %a, %b
  // CHECK: index.divu
  %4 = index.divu %a, %b
  // CHECK: index.ceildivs
  %5 = index.ceildivs %a, %b
  // CHECK: index.ceildivu
  %6 = index.ceildivu %a, %b
  // CHECK: index.floordivs
  %7 = index.floordivs %a, %b
  // CHECK: index.rems
  %8 = index.rems %a, %b
  // CHECK: index.remu
  %9 = index.remu %a, %b
  // CHECK: index.maxs
  %10 = index.maxs %a, %b
  // CHECK: index.maxu
  %11 = index.maxu %a, %b
  // CHECK: index.mins
  %12 = index.mins %a, %b
  // CHECK: index.minu
  %13 = index.minu %a, %b
  // CHECK: index.shl
  %14 = index.shl %a, %b
  // CHECK: index.shrs
  %15 = index.shrs %a, %b
  // CHECK: index.shru
  %16 = index.shru %a, %b
  // CHECK: index.and
  %17 = index.and %a, %b
  // CHECK: index.or
  %18 = index.or %a, %b
  // CHECK: index.xor
  %19 = index.xor %a, %b
  // CHECK: index.casts %{{.*}} : index to i32
  %20 = index.casts %a : index to i32
  // CHECK: index.castu %{{.*}} : i32 to index
  %21 = index.castu %i : i32 to index
  // CHECK: index.cmp slt(%{{.*}}, %{{.*}})
  %22 = index.cmp slt(%a, %b)
  // CHECK: index.constant -4
  %23 = index.constant -4
  // CHECK: index.bool.constant true
  %24 = index.bool.constant true
  // CHECK: index.sizeof
  %25 = index.sizeof
  return
}
