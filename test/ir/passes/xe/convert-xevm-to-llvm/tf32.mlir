// RUN: xetile-opt %s -p convert-xevm-to-llvm --split-input-file --verify-diagnostics

// What lanes hold of tf32 are words of f32; whoever writes this level by hand cuts and rounds them.

gpu.module @kernels {
  gpu.func @narrowed(%p: !llvm.ptr<1>) kernel {
    %f = llvm.load %p : !llvm.ptr<1> -> f32
    // expected-error @below {{'arith.truncf' on tf32 has no lowering to LLVM IR; lanes hold tf32 in f32, cut or rounded by convert-xegpu-to-xevm}}
    %t = arith.truncf %f : f32 to tf32
    %x = arith.extf %t : tf32 to f32
    llvm.store %x, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @added(%p: !llvm.ptr<1>) kernel {
    %t = arith.constant dense<1.0> : vector<8xtf32>
    // expected-error @below {{'arith.addf' on vector<8xtf32> has no lowering to LLVM IR; lanes hold tf32 in f32}}
    %s = arith.addf %t, %t : vector<8xtf32>
    gpu.return
  }
}
