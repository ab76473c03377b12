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

// Where approximations are allowed, f32 has fast ones.
gpu.module @m {
  // CHECK-LABEL: llvm.func @approximate
  // CHECK: llvm.call @_Z10native_expf(%{{.*}}) {{.*}}fastmathFlags = #llvm.fastmath<afn>
  // CHECK-NEXT: llvm.call @_Z12native_rsqrtf
  // CHECK-NEXT: llvm.call @_Z4tanhf
  // CHECK-NEXT: llvm.intr.exp(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>} : (f16) -> f16
  gpu.func @approximate(%out: !llvm.ptr<1>, %x: f32, %h: f16) kernel {
    %0 = math.exp %x fastmath<afn> : f32
    %1 = math.rsqrt %0 fastmath<afn> : f32
    %2 = math.tanh %1 fastmath<afn> : f32
    %3 = math.exp %h fastmath<afn> : f16
    llvm.store %2, %out : f32, !llvm.ptr<1>
    llvm.store %3, %out : f16, !llvm.ptr<1>
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
