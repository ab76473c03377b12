// RUN: xetile-opt --convert-xevm-to-llvm --split-input-file %s | FileCheck %s

// Functions that LLVM's SPIR-V back end has no intrinsic for are OpenCL's, by their names there.

gpu.module @m {
  // CHECK-LABEL: llvm.func @functions
  // CHECK: llvm.call @_Z4acosf(%{{.*}}) : (f32) -> f32
  // CHECK-NEXT: llvm.call @_Z5acoshf
  // CHECK-NEXT: llvm.call @_Z4asinf
  // CHECK-NEXT: llvm.call @_Z5asinhf
  // CHECK-NEXT: llvm.call @_Z4atanf
  // CHECK-NEXT: llvm.call @_Z5atanhf
  // CHECK-NEXT: llvm.call @_Z5atan2ff(%{{.*}}) : (f32, f32) -> f32
  // CHECK-NEXT: llvm.call @_Z4cbrtf
  // CHECK-NEXT: llvm.call @_Z4coshf
  // CHECK-NEXT: llvm.call @_Z3erff
  // CHECK-NEXT: llvm.call @_Z5expm1f
  // CHECK-NEXT: llvm.call @_Z5log10f
  // CHECK-NEXT: llvm.call @_Z5log1pf
  // CHECK-NEXT: llvm.call @_Z5roundf
  // CHECK-NEXT: llvm.call @_Z4rintf
  // CHECK-NEXT: llvm.call @_Z5rsqrtf
  // CHECK-NEXT: llvm.call @_Z4sinhf
  // CHECK-NEXT: llvm.call @_Z3tanf
  // CHECK-NEXT: llvm.call @_Z4tanhf
  // CHECK-NEXT: llvm.call @_Z5truncf
  // CHECK-NEXT: llvm.store
  gpu.func @functions(%out: !llvm.ptr<1>, %x: f32) kernel {
    %0 = math.acos %x : f32
    %1 = math.acosh %0 : f32
    %2 = math.asin %1 : f32
    %3 = math.asinh %2 : f32
    %4 = math.atan %3 : f32
    %5 = math.atanh %4 : f32
    %6 = math.atan2 %5, %x : f32
    %7 = math.cbrt %6 : f32
    %8 = math.cosh %7 : f32
    %9 = math.erf %8 : f32
    %10 = math.expm1 %9 : f32
    %11 = math.log10 %10 : f32
    %12 = math.log1p %11 : f32
    %13 = math.round %12 : f32
    %14 = math.roundeven %13 : f32
    %15 = math.rsqrt %14 : f32
    %16 = math.sinh %15 : f32
    %17 = math.tan %16 : f32
    %18 = math.tanh %17 : f32
    %19 = math.trunc %18 : f32
    llvm.store %19, %out : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Chunk by chunk; of f16 and f64 as they are, of bf16 in f32.
gpu.module @m {
  // CHECK-LABEL: llvm.func @types
  // CHECK: llvm.call @_Z4tanhDv8_Dh(%{{.*}}) : (vector<8xf16>) -> vector<8xf16>
  // CHECK-NEXT: llvm.call @_Z4tanhDv4_Dh(%{{.*}}) : (vector<4xf16>) -> vector<4xf16>
  // CHECK-NEXT: llvm.call @_Z5atan2Dv8_DhS_(
  // CHECK: llvm.call @_Z5rsqrtd(%{{.*}}) : (f64) -> f64
  // CHECK: %[[WIDE:.*]] = llvm.call @__builtin_IB_bftof_1
  // CHECK-NEXT: %[[ERF:.*]] = llvm.call @_Z3erff(%[[WIDE]])
  // CHECK-NEXT: llvm.call @__builtin_IB_ftobf_1(%[[ERF]])
  gpu.func @types(%out: !llvm.ptr<1>, %p: !llvm.ptr<1>, %d: f64, %b: bf16) kernel {
    %half = llvm.load %p : !llvm.ptr<1> -> vector<4xf16>
    %h = vector.shuffle %half, %half [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3] : vector<4xf16>, vector<4xf16>
    %0 = math.tanh %h : vector<12xf16>
    %1 = math.atan2 %0, %h : vector<12xf16>
    %2 = vector.extract_strided_slice %1 {offsets = [0], sizes = [8], strides = [1]} : vector<12xf16> to vector<8xf16>
    llvm.store %2, %out : vector<8xf16>, !llvm.ptr<1>
    %3 = math.rsqrt %d : f64
    llvm.store %3, %out : f64, !llvm.ptr<1>
    %4 = math.erf %b : bf16
    %5 = arith.bitcast %4 : bf16 to i16
    llvm.store %5, %out : i16, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// Where approximations are allowed, f32 has fast ones, which f16 takes.
gpu.module @m {
  // CHECK-LABEL: llvm.func @approximate
  // CHECK: %[[LOG2_E:.*]] = llvm.mlir.constant(1.44269502 : f32) : f32
  // CHECK: %[[SCALED:.*]] = llvm.fmul %{{.*}}, %[[LOG2_E]] {fastmathFlags = #llvm.fastmath<afn>} : f32
  // CHECK-NEXT: llvm.call @_Z11native_exp2f(%[[SCALED]]) {{.*}}fastmathFlags = #llvm.fastmath<afn>
  // CHECK-NEXT: llvm.call @_Z12native_rsqrtf
  // CHECK: %[[POWER:.*]] = llvm.call @_Z11native_exp2f
  // CHECK: %[[SUM:.*]] = llvm.fadd %[[POWER]]
  // CHECK-NEXT: %[[SHARE:.*]] = llvm.fdiv %{{.*}}, %[[SUM]] {fastmathFlags = #llvm.fastmath<arcp>}
  // CHECK-NEXT: llvm.intr.fma(%[[SHARE]], {{.*}}fastmathFlags = #llvm.fastmath<afn>
  // CHECK-NEXT: %[[WIDE:.*]] = llvm.fpext %{{.*}} : f16 to f32
  // CHECK-NEXT: %[[LOG:.*]] = llvm.call @_Z11native_log2f(%[[WIDE]])
  // CHECK-NEXT: llvm.fptrunc %[[LOG]] : f32 to f16
  // CHECK-NEXT: llvm.call @_Z4tanhd
  gpu.func @approximate(%out: !llvm.ptr<1>, %x: f32, %h: f16, %d: f64) kernel {
    %0 = math.exp %x fastmath<afn> : f32
    %1 = math.rsqrt %0 fastmath<afn> : f32
    %2 = math.tanh %1 fastmath<afn> : f32
    %3 = math.log2 %h fastmath<afn> : f16
    %4 = math.tanh %d fastmath<afn> : f64
    llvm.store %2, %out : f32, !llvm.ptr<1>
    llvm.store %3, %out : f16, !llvm.ptr<1>
    llvm.store %4, %out : f64, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// exp is exp2 of a product, with what the product lacks, where that shows: not in f16 and bf16. A NaN on the way is no
// NaN of the result, so only that has the flags; without infinities there is none.
gpu.module @m {
  // CHECK-LABEL: llvm.func @exponentials
  // CHECK: %[[SCALED:.*]] = llvm.fmul %{{.*}} : f32
  // CHECK-NEXT: %[[REST:.*]] = llvm.intr.fma(%[[SCALED]], %{{.*}}, %{{.*}}) : (f32, f32, f32) -> f32
  // CHECK-NEXT: %[[LESS:.*]] = llvm.intr.fma(%[[SCALED]], %{{.*}}, %[[REST]]) : (f32, f32, f32) -> f32
  // CHECK-NEXT: %[[POWER:.*]] = llvm.intr.exp2(%[[SCALED]]) : (f32) -> f32
  // CHECK-NEXT: %[[MORE:.*]] = llvm.intr.fma(%[[POWER]], %[[LESS]], %[[POWER]]) : (f32, f32, f32) -> f32
  // CHECK-NEXT: %[[IS:.*]] = llvm.fcmp "ord" %[[MORE]], %[[MORE]] : f32
  // CHECK-NEXT: llvm.select %[[IS]], %[[MORE]], %[[POWER]] {fastmathFlags = #llvm.fastmath<nnan>}
  // CHECK: %[[POWER:.*]] = llvm.intr.exp2
  // CHECK-NEXT: llvm.intr.fma(%[[POWER]], %{{.*}}, %[[POWER]]) {fastmathFlags = #llvm.fastmath<ninf>}
  // CHECK-NEXT: llvm.fpext
  // CHECK-NEXT: llvm.fmul
  // CHECK-NEXT: llvm.intr.exp2(%{{.*}}) : (f32) -> f32
  // CHECK-NEXT: llvm.fptrunc
  // CHECK-NEXT: llvm.intr.exp(%{{.*}}) : (f64) -> f64
  gpu.func @exponentials(%out: !llvm.ptr<1>, %x: f32, %h: f16, %d: f64) kernel {
    %0 = math.exp %x fastmath<nnan> : f32
    %1 = math.exp %0 fastmath<ninf> : f32
    %2 = math.exp %h : f16
    %3 = math.exp %d : f64
    llvm.store %1, %out : f32, !llvm.ptr<1>
    llvm.store %2, %out : f16, !llvm.ptr<1>
    llvm.store %3, %out : f64, !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @m {
  // CHECK-LABEL: llvm.func @powers
  // CHECK: %[[N:.*]] = llvm.sext %{{.*}} : i16 to i32
  // CHECK-NEXT: llvm.call @_Z4pownfi(%{{.*}}, %[[N]]) : (f32, i32) -> f32
  // CHECK-NEXT: llvm.intr.fma
  gpu.func @powers(%out: !llvm.ptr<1>, %x: f32, %n: i16) kernel {
    %0 = math.fpowi %x, %n : f32, i16
    %v = vector.from_elements %0 : vector<1xf32>
    %1 = vector.fma %v, %v, %v : vector<1xf32>
    %2 = vector.extract %1[0] : f32 from vector<1xf32>
    llvm.store %2, %out : f32, !llvm.ptr<1>
    gpu.return
  }
}
