// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s

// Integers and floats: an op of LLVM for each, chunk by chunk on vectors.

gpu.module @m {
  // Extremes are a comparison and a selection; so is what is shifted by the width or more.
  // CHECK-LABEL: llvm.func @integers
  // CHECK: llvm.sub %a, %b : i32
  // CHECK-NEXT: llvm.and
  // CHECK-NEXT: llvm.or
  // CHECK-NEXT: llvm.xor
  // CHECK-NEXT: %[[LEFT:.*]] = llvm.icmp "ult" %b
  // CHECK-NEXT: %[[SHIFTED:.*]] = llvm.shl
  // CHECK-NEXT: llvm.select %[[LEFT]], %[[SHIFTED]], %{{.*}} : i1, i32
  // CHECK-NEXT: llvm.udiv
  // CHECK-NEXT: llvm.sdiv
  // CHECK-NEXT: llvm.srem
  // CHECK-NEXT: llvm.icmp "ult"
  // CHECK-NEXT: llvm.lshr
  // CHECK-NEXT: llvm.select
  // CHECK-NEXT: %[[RIGHT:.*]] = llvm.icmp "ult" %a
  // CHECK-NEXT: %[[AMOUNT:.*]] = llvm.select %[[RIGHT]], %a, %{{.*}} : i1, i32
  // CHECK-NEXT: %[[V:.*]] = llvm.ashr %{{.*}}, %[[AMOUNT]] : i32
  // CHECK-NEXT: %[[LESS:.*]] = llvm.icmp "slt" %[[V]], %a : i32
  // CHECK-NEXT: llvm.select %[[LESS]], %[[V]], %a : i1, i32
  // CHECK-NEXT: llvm.icmp "sgt"
  // CHECK-NEXT: llvm.select
  // CHECK-NEXT: llvm.icmp "ult"
  // CHECK-NEXT: llvm.select
  // CHECK-NEXT: llvm.icmp "ugt"
  // CHECK-NEXT: %[[W:.*]] = llvm.select
  // CHECK-NEXT: %[[CHOOSE:.*]] = llvm.icmp "sle" %[[W]], %a : i32
  // CHECK-NEXT: llvm.select %[[CHOOSE]], %[[W]], %b : i1, i32
  gpu.func @integers(%out: !llvm.ptr<1>, %a: i32, %b: i32) kernel {
    %0 = arith.subi %a, %b : i32
    %1 = arith.andi %0, %b : i32
    %2 = arith.ori %1, %a : i32
    %3 = arith.xori %2, %b : i32
    %4 = arith.shli %3, %b : i32
    %5 = arith.divui %4, %b : i32
    %6 = arith.divsi %5, %b : i32
    %7 = arith.remsi %6, %a : i32
    %8 = arith.shrui %7, %b : i32
    %9 = arith.shrsi %8, %a : i32
    %10 = arith.minsi %9, %a : i32
    %11 = arith.maxsi %10, %b : i32
    %12 = arith.minui %11, %a : i32
    %13 = arith.maxui %12, %b : i32
    %least = arith.cmpi sle, %13, %a : i32
    %14 = arith.select %least, %13, %b : i32
    llvm.store %14, %out : i32, !llvm.ptr<1>
    gpu.return
  }

  // An index of which nothing is known has 64 bits; signs of types mean nothing to LLVM.
  // CHECK-LABEL: llvm.func @widths
  // CHECK: llvm.sext %{{.*}} : i8 to i32
  // CHECK-NEXT: llvm.zext %{{.*}} : i8 to i32
  // CHECK-NEXT: llvm.trunc %{{.*}} : i64 to i32
  // CHECK-NEXT: %[[I:.*]] = llvm.zext %{{.*}} : i32 to i64
  // CHECK-NEXT: %[[J:.*]] = llvm.add %[[I]], %[[I]] : i64
  // CHECK-NEXT: llvm.trunc %[[J]] : i64 to i32
  // CHECK-COUNT-2: llvm.add
  // CHECK: %[[N:.*]] = llvm.add
  // CHECK-NEXT: llvm.bitcast %[[N]] : i32 to f32
  gpu.func @widths(%out: !llvm.ptr<1>, %a: i8, %b: i64, %n: i32) kernel {
    %0 = arith.extsi %a : i8 to i32
    %1 = arith.extui %a : i8 to i32
    %2 = arith.trunci %b : i64 to i32
    %i = arith.index_castui %n : i32 to index
    %j = arith.addi %i, %i : index
    %3 = arith.index_cast %j : index to i32
    %4 = arith.addi %0, %1 : i32
    %5 = arith.addi %4, %2 : i32
    %6 = arith.addi %5, %3 : i32
    %7 = builtin.unrealized_conversion_cast %6 : i32 to ui32
    %8 = builtin.unrealized_conversion_cast %7 : ui32 to i32
    %f = arith.bitcast %8 : i32 to f32
    llvm.store %f, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @chunks
  // CHECK-DAG: %[[LOW:.*]] = llvm.mlir.constant(dense<3> : vector<8xi32>)
  // CHECK-DAG: %[[HIGH:.*]] = llvm.mlir.constant(dense<3> : vector<4xi32>)
  // CHECK: llvm.add %{{.*}}, %[[LOW]] : vector<8xi32>
  // CHECK-NEXT: llvm.add %{{.*}}, %[[HIGH]] : vector<4xi32>
  gpu.func @chunks(%out: !llvm.ptr<1>, %p: !llvm.ptr<1>) kernel {
    %a = llvm.load %p : !llvm.ptr<1> -> vector<8xi32>
    %b = vector.shuffle %a, %a [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3] : vector<8xi32>, vector<8xi32>
    %c = arith.constant dense<3> : vector<12xi32>
    %d = arith.addi %b, %c : vector<12xi32>
    %e = vector.extract %d[8] : i32 from vector<12xi32>
    llvm.store %e, %out : i32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @floats
  // CHECK: llvm.fadd
  // CHECK-NEXT: llvm.fsub
  // CHECK-NEXT: llvm.fmul
  // CHECK-NEXT: llvm.fdiv
  // CHECK-NEXT: llvm.frem
  // CHECK-NEXT: llvm.intr.maxnum
  // CHECK-NEXT: llvm.intr.minnum
  // CHECK-NEXT: %[[V:.*]] = llvm.fneg
  // CHECK-NEXT: %[[LESS:.*]] = llvm.fcmp "olt" %[[V]]
  // CHECK-NEXT: llvm.select %[[LESS]], %[[V]]
  gpu.func @floats(%out: !llvm.ptr<1>, %a: f32, %b: f32) kernel {
    %0 = arith.addf %a, %b : f32
    %1 = arith.subf %0, %b : f32
    %2 = arith.mulf %1, %a : f32
    %3 = arith.divf %2, %b : f32
    %4 = arith.remf %3, %b : f32
    %5 = arith.maxnumf %4, %a : f32
    %6 = arith.minnumf %5, %b : f32
    %7 = arith.negf %6 : f32
    %less = arith.cmpf olt, %7, %a : f32
    %8 = arith.select %less, %7, %a : f32
    llvm.store %8, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @functions
  // CHECK: llvm.intr.pow
  // CHECK-NEXT: llvm.intr.copysign
  // CHECK-NEXT: llvm.intr.fabs
  // CHECK-NEXT: llvm.intr.ceil
  // CHECK-NEXT: llvm.intr.floor
  // CHECK-NEXT: llvm.intr.cos
  // CHECK-NEXT: llvm.intr.sin
  // CHECK: llvm.select
  // CHECK-NEXT: llvm.intr.exp2
  // CHECK-NEXT: llvm.intr.log(
  // CHECK-NEXT: llvm.intr.log2
  // CHECK-NEXT: llvm.intr.sqrt
  // CHECK-NEXT: llvm.intr.fma
  gpu.func @functions(%out: !llvm.ptr<1>, %a: f32, %b: f32) kernel {
    %0 = math.powf %a, %b : f32
    %1 = math.copysign %0, %b : f32
    %2 = math.absf %1 : f32
    %3 = math.ceil %2 : f32
    %4 = math.floor %3 : f32
    %5 = math.cos %4 : f32
    %6 = math.sin %5 : f32
    %7 = math.exp %6 : f32
    %8 = math.exp2 %7 : f32
    %9 = math.log %8 : f32
    %10 = math.log2 %9 : f32
    %11 = math.sqrt %10 : f32
    %12 = math.fma %11, %a, %b : f32
    llvm.store %12, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  // IEEE's extremes: a NaN wins, the left one since the comparison is unordered, and of zeros the signs decide.
  // CHECK-LABEL: llvm.func @extremes
  // CHECK-SAME: %[[A:[a-z0-9_]*]]: f32, %[[B:[a-z0-9_]*]]: f32)
  // CHECK-DAG: %[[NUMBER:.*]] = llvm.mlir.constant(2147483647 : i32)
  // CHECK-DAG: %[[SIGN:.*]] = llvm.mlir.constant(-2147483648 : i32)
  // CHECK: %[[GREATER:.*]] = llvm.fcmp "ugt" %[[A]], %[[B]]
  // CHECK-NEXT: %[[LARGEST:.*]] = llvm.select %[[GREATER]], %[[A]], %[[B]]
  // CHECK: %[[BOTH:.*]] = llvm.and
  // CHECK-NEXT: %[[SIGNS:.*]] = llvm.or %[[BOTH]], %[[NUMBER]]
  // CHECK-NEXT: %[[BITS:.*]] = llvm.and %{{.*}}, %[[SIGNS]]
  // CHECK-NEXT: %[[SIGNED:.*]] = llvm.bitcast %[[BITS]] : i32 to f32
  // CHECK-NEXT: %[[NAN:.*]] = llvm.fcmp "uno" %[[B]], %[[B]]
  // CHECK-NEXT: llvm.select %[[NAN]], %[[B]], %[[SIGNED]]
  // CHECK: llvm.fcmp "ult"
  // CHECK: %[[EITHER:.*]] = llvm.or
  // CHECK-NEXT: %[[SIGNS:.*]] = llvm.and %[[EITHER]], %[[SIGN]]
  // CHECK-NEXT: llvm.or %{{.*}}, %[[SIGNS]]
  gpu.func @extremes(%out: !llvm.ptr<1>, %a: f32, %b: f32) kernel {
    %0 = arith.maximumf %a, %b : f32
    llvm.store %0, %out : f32, !llvm.ptr<1>
    %1 = arith.minimumf %a, %b : f32
    llvm.store %1, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  // Of a constant all of this is known.
  // CHECK-LABEL: llvm.func @extremes_with_constants
  // CHECK: llvm.fcmp "ugt" %[[A:.*]], %{{.*}} : vector<8xf32>
  // CHECK-NEXT: llvm.select
  // CHECK-NEXT: llvm.fcmp "uge" %{{.*}} : vector<8xf32>
  // CHECK-NEXT: llvm.select
  // CHECK-NEXT: llvm.fcmp "ule" %{{.*}} : vector<8xf32>
  // CHECK-NEXT: llvm.select
  // CHECK-NEXT: llvm.fcmp "ult" %{{.*}} : vector<8xf32>
  // CHECK-NEXT: llvm.select
  // CHECK-NEXT: llvm.store
  gpu.func @extremes_with_constants(%out: !llvm.ptr<1>, %p: !llvm.ptr<1>) kernel {
    %a = llvm.load %p : !llvm.ptr<1> -> vector<8xf32>
    %zero = arith.constant dense<0.0> : vector<8xf32>
    %below = arith.constant dense<-0.0> : vector<8xf32>
    %six = arith.constant 6.0 : f32
    %sixes = vector.broadcast %six : f32 to vector<8xf32>
    %0 = arith.maximumf %a, %zero : vector<8xf32>
    %1 = arith.maximumf %below, %0 : vector<8xf32>
    %2 = arith.minimumf %1, %zero : vector<8xf32>
    %3 = arith.minimumf %sixes, %2 : vector<8xf32>
    llvm.store %3, %out : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }

  // Flags stay, and spare what they say is not there: NaNs, the order of zeros.
  // CHECK-LABEL: llvm.func @flags
  // CHECK: llvm.intr.maxnum(%{{.*}}) {fastmathFlags = #llvm.fastmath<nnan,nsz>}
  // CHECK-NEXT: llvm.intr.minnum(%{{.*}}) {fastmathFlags = #llvm.fastmath<nnan>}
  // CHECK: llvm.fcmp "ugt" %{{.*}} {fastmathFlags = #llvm.fastmath<nsz>}
  // CHECK-NEXT: llvm.select %{{.*}} {fastmathFlags = #llvm.fastmath<nsz>}
  // CHECK-NEXT: llvm.fcmp "uno" %{{.*}} {fastmathFlags = #llvm.fastmath<nsz>}
  // CHECK-NEXT: llvm.select %{{.*}} {fastmathFlags = #llvm.fastmath<nsz>}
  // CHECK-NEXT: llvm.fadd %{{.*}} {fastmathFlags = #llvm.fastmath<reassoc,contract>}
  // CHECK-NEXT: llvm.fdiv %{{.*}} {fastmathFlags = #llvm.fastmath<arcp>}
  // CHECK-NEXT: llvm.fneg %{{.*}} {fastmathFlags = #llvm.fastmath<ninf>}
  // CHECK-NEXT: llvm.intr.exp2(%{{.*}}) {fastmathFlags = #llvm.fastmath<nnan>}
  // CHECK-NEXT: llvm.intr.fma(%{{.*}}) {fastmathFlags = #llvm.fastmath<fast>}
  // CHECK-NEXT: llvm.fcmp "olt" %{{.*}} {fastmathFlags = #llvm.fastmath<ninf>}
  gpu.func @flags(%out: !llvm.ptr<1>, %a: f32, %b: f32) kernel {
    %0 = arith.maximumf %a, %b fastmath<nnan,nsz> : f32
    %1 = arith.minimumf %0, %b fastmath<nnan> : f32
    %2 = arith.maximumf %1, %b fastmath<nsz> : f32
    %3 = arith.addf %2, %b fastmath<reassoc,contract> : f32
    %4 = arith.divf %3, %b fastmath<arcp> : f32
    %5 = arith.negf %4 fastmath<ninf> : f32
    %6 = math.exp2 %5 fastmath<nnan> : f32
    %7 = math.fma %6, %a, %b fastmath<fast> : f32
    %8 = arith.cmpf olt, %7, %a fastmath<ninf> : f32
    %9 = arith.select %8, %7, %a : f32
    llvm.store %9, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  // A sum of a product that may be contracted is one op with it, in this block, and where both say so.
  // CHECK-LABEL: llvm.func @contracted
  // CHECK: %[[PRODUCT:.*]] = llvm.fmul
  // CHECK-NEXT: llvm.intr.fma(%[[A:.*]], %[[B:.*]], %[[C:[a-z0-9]+]]) {fastmathFlags = #llvm.fastmath<contract>}
  // CHECK-NEXT: %[[MINUS:.*]] = llvm.fneg
  // CHECK-NEXT: llvm.intr.fma(%[[A]], %[[B]], %[[MINUS]])
  // CHECK-NEXT: %[[MINUS:.*]] = llvm.fneg %[[A]]
  // CHECK-NEXT: llvm.intr.fma(%[[MINUS]], %[[B]], %{{.*}})
  // CHECK-NEXT: llvm.fadd %{{.*}}, %[[PRODUCT]] : f32
  gpu.func @contracted(%out: !llvm.ptr<1>, %a: f32, %b: f32, %c: f32) kernel {
    %0 = arith.mulf %a, %b fastmath<contract> : f32
    %1 = arith.addf %0, %c fastmath<contract> : f32
    %2 = arith.subf %0, %1 fastmath<contract> : f32
    %3 = arith.subf %2, %0 fastmath<contract> : f32
    %4 = arith.addf %3, %0 : f32
    llvm.store %4, %out : f32, !llvm.ptr<1>
    gpu.return
  }

  // Quotients of f16 are rounded once from those of f32, which a driver makes exact; not so where they need not be.
  // CHECK-LABEL: llvm.func @quotients
  // CHECK: %[[X:.*]] = llvm.fpext %{{.*}} : f16 to f32
  // CHECK-NEXT: %[[Y:.*]] = llvm.fpext %{{.*}} : f16 to f32
  // CHECK-NEXT: %[[Q:.*]] = llvm.fdiv %[[X]], %[[Y]] {fastmathFlags = #llvm.fastmath<nnan>} : f32
  // CHECK-NEXT: llvm.fptrunc %[[Q]] : f32 to f16
  // CHECK-NEXT: llvm.fdiv %{{.*}} {fastmathFlags = #llvm.fastmath<afn>} : f16
  // CHECK-NEXT: llvm.fdiv %{{.*}} {fastmathFlags = #llvm.fastmath<arcp>} : f64
  gpu.func @quotients(%out: !llvm.ptr<1>, %a: f16, %b: f16, %d: f64) kernel {
    %0 = arith.divf %a, %b fastmath<nnan> : f16
    %1 = arith.divf %0, %b fastmath<afn> : f16
    %2 = arith.divf %d, %d fastmath<arcp> : f64
    llvm.store %1, %out : f16, !llvm.ptr<1>
    llvm.store %2, %out : f64, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @conversions
  // CHECK: llvm.fpext %{{.*}} : f16 to f32
  // CHECK-NEXT: llvm.call @_Z15convert_int_satf
  // CHECK-NEXT: llvm.call @_Z16convert_uint_satf
  // CHECK: llvm.sitofp %{{.*}} : i32 to f32
  // CHECK-NEXT: llvm.uitofp %{{.*}} : i32 to f32
  // CHECK: llvm.fptrunc %{{.*}} : f32 to f16
  gpu.func @conversions(%out: !llvm.ptr<1>, %a: f16, %n: i32) kernel {
    %0 = arith.extf %a : f16 to f32
    %1 = arith.fptosi %0 : f32 to i32
    %2 = arith.fptoui %0 : f32 to i32
    %3 = arith.addi %1, %2 : i32
    %4 = arith.sitofp %3 : i32 to f32
    %5 = arith.uitofp %n : i32 to f32
    %6 = arith.addf %4, %5 : f32
    %7 = arith.truncf %6 : f32 to f16
    llvm.store %7, %out : f16, !llvm.ptr<1>
    gpu.return
  }

  // bf16 is computed in f32, to and from which IGC has an instruction.
  // CHECK-LABEL: llvm.func @rounded
  // CHECK-COUNT-2: llvm.call @__builtin_IB_bftof_1(%{{.*}}) : (i16) -> f32
  // CHECK-NEXT: %[[SUM:.*]] = llvm.fadd %{{.*}} : f32
  // CHECK-NEXT: llvm.call @__builtin_IB_ftobf_1(%[[SUM]]) : (f32) -> i16
  gpu.func @rounded(%out: !llvm.ptr<1>, %a: bf16, %b: bf16) kernel {
    %0 = arith.addf %a, %b : bf16
    %1 = arith.bitcast %0 : bf16 to i16
    llvm.store %1, %out : i16, !llvm.ptr<1>
    gpu.return
  }

  // What f32 does not hold is cut to odd before bf16 rounds it: then it is rounded once.
  // CHECK-LABEL: llvm.func @rounded_once
  // CHECK: %[[CUT:.*]] = llvm.call @_Z17convert_float_rtzd(%[[X:.*]]) : (f64) -> f32
  // CHECK-NEXT: %[[BACK:.*]] = llvm.fpext %[[CUT]] : f32 to f64
  // CHECK-NEXT: %[[LOST:.*]] = llvm.fcmp "une" %[[BACK]], %[[X]] : f64
  // CHECK-NEXT: %[[BITS:.*]] = llvm.bitcast %[[CUT]] : f32 to i32
  // CHECK-NEXT: %[[LAST:.*]] = llvm.zext %[[LOST]] : i1 to i32
  // CHECK-NEXT: %[[ODD:.*]] = llvm.or %[[BITS]], %[[LAST]] : i32
  // CHECK-NEXT: %[[FLOAT:.*]] = llvm.bitcast %[[ODD]] : i32 to f32
  // CHECK-NEXT: llvm.call @__builtin_IB_ftobf_1(%[[FLOAT]])
  // CHECK: llvm.call @_Z17convert_float_rtzj(
  // CHECK-NEXT: llvm.fptoui %{{.*}} : f32 to i32
  // CHECK-NEXT: llvm.icmp "ne"
  // CHECK: llvm.call @__builtin_IB_ftobf_1
  gpu.func @rounded_once(%out: !llvm.ptr<1>, %x: f64, %n: i32) kernel {
    %0 = arith.truncf %x : f64 to bf16
    %1 = arith.uitofp %n : i32 to bf16
    %2 = arith.bitcast %0 : bf16 to i16
    %3 = arith.bitcast %1 : bf16 to i16
    llvm.store %2, %out : i16, !llvm.ptr<1>
    llvm.store %3, %out : i16, !llvm.ptr<1>
    gpu.return
  }

  // LLVM's SPIR-V back end compares, multiplies and converts no bits: they are numbers of 8 bits there, by their sign.
  // CHECK-LABEL: llvm.func @bits
  // CHECK: %[[A:.*]] = llvm.trunc %{{.*}} : i8 to i1
  // CHECK: %[[B:.*]] = llvm.trunc %{{.*}} : i8 to i1
  // CHECK-DAG: %[[WIDE_A:.*]] = llvm.sext %[[A]] : i1 to i8
  // CHECK-DAG: %[[WIDE_B:.*]] = llvm.sext %[[B]] : i1 to i8
  // CHECK: %[[LESS:.*]] = llvm.icmp "slt" %[[WIDE_A]], %[[WIDE_B]] : i8
  // CHECK-DAG: llvm.sext %[[LESS]] : i1 to i8
  // CHECK-DAG: llvm.sext %[[B]] : i1 to i8
  // CHECK: llvm.mul %{{.*}} : i8
  // CHECK-NEXT: llvm.trunc %{{.*}} : i8 to i1
  // CHECK: %[[BOTH:.*]] = llvm.and %{{.*}}, %[[B]] : i1
  // CHECK-NEXT: %[[NUMBER:.*]] = llvm.zext %[[BOTH]] : i1 to i8
  // CHECK-NEXT: llvm.uitofp %[[NUMBER]] : i8 to f32
  gpu.func @bits(%out: !llvm.ptr<1>, %a: i1, %b: i1) kernel {
    %0 = arith.cmpi slt, %a, %b : i1
    %1 = arith.muli %0, %b : i1
    %2 = arith.andi %1, %b : i1
    %3 = arith.uitofp %2 : i1 to f32
    llvm.store %3, %out : f32, !llvm.ptr<1>
    gpu.return
  }
}
