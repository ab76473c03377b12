// RUN: xetile-opt --convert-xevm-to-llvm --split-input-file --verify-diagnostics %s | FileCheck %s

// What is printed goes to OpenCL's printf, whose formats are constants of the module, each there once. Lengths in them are
// those of what is passed.

gpu.module @m {
  // CHECK: llvm.func @_Z6printfPU3AS2Kcz(!llvm.ptr<2>, ...) -> i32
  // CHECK: llvm.mlir.global internal constant @prints_format("%d: %ld %5.2f %u%%\0A\00") {addr_space = 2 : i32} : !llvm.array<20 x i8>
  // CHECK-NEXT: llvm.mlir.global internal constant @prints_format1("done\00") {addr_space = 2 : i32} : !llvm.array<5 x i8>
  // CHECK-LABEL: llvm.func @prints
  // CHECK: %[[FORMAT:.*]] = llvm.mlir.addressof @prints_format : !llvm.ptr<2>
  // CHECK: %[[DONE:.*]] = llvm.mlir.addressof @prints_format1 : !llvm.ptr<2>
  // CHECK: llvm.sext %{{.*}} : i32 to i64
  // CHECK: %[[X:.*]] = llvm.fpext %{{.*}} : f16 to f32
  // CHECK: %[[N:.*]] = llvm.zext %{{.*}} : i8 to i32
  // CHECK: llvm.call @_Z6printfPU3AS2Kcz(%[[FORMAT]], %{{.*}}, %{{.*}}, %[[X]], %[[N]]) vararg(!llvm.func<i32 (!llvm.ptr<2>, ...)>) : (!llvm.ptr<2>, i32, i64, f32, i32) -> i32
  // CHECK: llvm.call @_Z6printfPU3AS2Kcz(%[[DONE]])
  // CHECK: llvm.call @_Z6printfPU3AS2Kcz(%[[DONE]])
  gpu.func @prints(%i: i32, %x: f16, %n: i8) kernel attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
    %lane = gpu.lane_id
    gpu.printf "%hd: %lld %5.2f %u%%\n", %i, %lane, %x, %n : i32, index, f16, i8
    gpu.printf "done"
    gpu.printf "done"
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @pointer(%n: i64) kernel attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
    // expected-error @+1 {{'gpu.printf' has '%p', with which OpenCL's printf prints pointers; expected %x}}
    gpu.printf "%p", %n : i64
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @zero(%n: i64) kernel attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
    // expected-error @+1 {{'gpu.printf' has a format with a zero byte, at which OpenCL's printf ends}}
    gpu.printf "a\00%d", %n : i64
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @nibble(%n: i4) kernel attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
    // expected-error @+1 {{'gpu.printf' of i4 has no lowering to LLVM IR; widen the value before}}
    gpu.printf "%d", %n : i4
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @conversions(%n: i32) kernel attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
    // expected-error @+1 {{the format has '%f' for a value of type i32}}
    gpu.printf "%f", %n : i32
    gpu.return
  }
}

// -----

gpu.module @m {
  // Drivers take it for the function.
  // expected-error @+1 {{a kernel cannot be named 'printf', as a function of OpenCL's is}}
  gpu.func @printf(%n: i32) kernel attributes {known_block_size = array<i32: 16, 1, 1>, xetile.level = "lane"} {
    gpu.return
  }
}
