// A complete program: a kernel for subgroups and the host code that launches it and checks what it computed.
//
//     xetile-run examples/host_gemm_f16.mlir --entry main
//
// C = A * B for 1024 x 1024 matrices, f16 with an f32 result. One subgroup computes a 16x32 tile of C in steps of 32
// along K. The launch follows Intel's older convention: 64x32 workgroups of one subgroup each, so a block is 1x1x1.
module @gemm attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @gemm(%A: memref<1024x1024xf16>, %B: memref<1024x1024xf16>, %C: memref<1024x1024xf32>) kernel
        attributes {VectorComputeFunctionINTEL} {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c1024 = arith.constant 1024 : index

      // this subgroup's tile of C: the workgroup's, and its place in the workgroup
      %block_x = gpu.block_id x
      %block_y = gpu.block_id y
      %size_x = gpu.block_dim x
      %size_y = gpu.block_dim y
      %thread_x = gpu.thread_id x
      %thread_y = gpu.thread_id y
      %first_x = arith.muli %block_x, %size_x : index
      %first_y = arith.muli %block_y, %size_y : index
      %x = arith.addi %first_x, %thread_x : index
      %y = arith.addi %first_y, %thread_y : index
      %m = arith.muli %x, %c16 : index
      %n = arith.muli %y, %c32 : index

      %c_tile = xetile.init_tile %C[%m, %n] : memref<1024x1024xf32> -> !xetile.tile<16x32xf32>
      %c_start = xetile.load_tile %c_tile : !xetile.tile<16x32xf32> -> vector<16x32xf32>
      %a_start = xetile.init_tile %A[%m, %c0] : memref<1024x1024xf16> -> !xetile.tile<16x32xf16>
      %b_start = xetile.init_tile %B[%c0, %n] : memref<1024x1024xf16> -> !xetile.tile<32x32xf16>
      %result:3 = scf.for %k = %c0 to %c1024 step %c32
          iter_args(%a_tile = %a_start, %b_tile = %b_start, %sum = %c_start)
          -> (!xetile.tile<16x32xf16>, !xetile.tile<32x32xf16>, vector<16x32xf32>) {
        %a = xetile.load_tile %a_tile : !xetile.tile<16x32xf16> -> vector<16x32xf16>
        %b = xetile.load_tile %b_tile : !xetile.tile<32x32xf16> -> vector<32x32xf16>
        %next = xetile.tile_mma %a, %b, %sum
            : vector<16x32xf16>, vector<32x32xf16>, vector<16x32xf32> -> vector<16x32xf32>
        %a_next = xetile.update_tile_offset %a_tile, [%c0, %c32] : !xetile.tile<16x32xf16>
        %b_next = xetile.update_tile_offset %b_tile, [%c32, %c0] : !xetile.tile<32x32xf16>
        scf.yield %a_next, %b_next, %next : !xetile.tile<16x32xf16>, !xetile.tile<32x32xf16>, vector<16x32xf32>
      }
      xetile.store_tile %result#2, %c_tile : vector<16x32xf32>, !xetile.tile<16x32xf32>
      gpu.return
    }
  }

  // The host: A and B get whole numbers, so that every sum is exact, the kernel runs on copies in the device's memory.
  func.func @run(%A: memref<1024x1024xf16>, %B: memref<1024x1024xf16>, %C: memref<1024x1024xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %a = gpu.alloc () : memref<1024x1024xf16>
    gpu.memcpy %a, %A : memref<1024x1024xf16>, memref<1024x1024xf16>
    %b = gpu.alloc () : memref<1024x1024xf16>
    gpu.memcpy %b, %B : memref<1024x1024xf16>, memref<1024x1024xf16>
    %c = gpu.alloc () : memref<1024x1024xf32>
    gpu.memcpy %c, %C : memref<1024x1024xf32>, memref<1024x1024xf32>
    gpu.launch_func @kernels::@gemm blocks in (%c64, %c32, %c1) threads in (%c1, %c1, %c1)
        args(%a : memref<1024x1024xf16>, %b : memref<1024x1024xf16>, %c : memref<1024x1024xf32>)
    gpu.memcpy %C, %c : memref<1024x1024xf32>, memref<1024x1024xf32>
    gpu.dealloc %a : memref<1024x1024xf16>
    gpu.dealloc %b : memref<1024x1024xf16>
    gpu.dealloc %c : memref<1024x1024xf32>
    return
  }

  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c13 = arith.constant 13 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %c64 = arith.constant 64 : index
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %A = memref.alloc() : memref<1024x1024xf16>
    %B = memref.alloc() : memref<1024x1024xf16>
    %C = memref.alloc() : memref<1024x1024xf32>
    scf.for %i = %c0 to %c1024 step %c1 {
      scf.for %j = %c0 to %c1024 step %c1 {
        // A[i, j] = (3 * i + j) mod 7 - 3, B[i, j] = (i + 5 * j) mod 13 - 5, C = 0
        %three_i = arith.muli %i, %c3 : index
        %sum_a = arith.addi %three_i, %j : index
        %mod_a = arith.remui %sum_a, %c7 : index
        %whole_a = arith.subi %mod_a, %c3 : index
        %int_a = arith.index_cast %whole_a : index to i32
        %a = arith.sitofp %int_a : i32 to f16
        memref.store %a, %A[%i, %j] : memref<1024x1024xf16>
        %five_j = arith.muli %j, %c5 : index
        %sum_b = arith.addi %i, %five_j : index
        %mod_b = arith.remui %sum_b, %c13 : index
        %whole_b = arith.subi %mod_b, %c5 : index
        %int_b = arith.index_cast %whole_b : index to i32
        %b = arith.sitofp %int_b : i32 to f16
        memref.store %b, %B[%i, %j] : memref<1024x1024xf16>
        memref.store %zero, %C[%i, %j] : memref<1024x1024xf32>
      }
    }
    call @run(%A, %B, %C) : (memref<1024x1024xf16>, memref<1024x1024xf16>, memref<1024x1024xf32>) -> ()

    // Every 64th row of C beside the same sum, computed one element after the other.
    %sample = memref.alloc() : memref<16x1024xf32>
    %expected = memref.alloc() : memref<16x1024xf32>
    scf.for %i = %c0 to %c1024 step %c64 {
      %row = arith.divui %i, %c64 : index
      scf.for %j = %c0 to %c1024 step %c1 {
        %sum = scf.for %k = %c0 to %c1024 step %c1 iter_args(%before = %zero) -> (f32) {
          %a = memref.load %A[%i, %k] : memref<1024x1024xf16>
          %b = memref.load %B[%k, %j] : memref<1024x1024xf16>
          %wide_a = arith.extf %a : f16 to f32
          %wide_b = arith.extf %b : f16 to f32
          %product = arith.mulf %wide_a, %wide_b : f32
          %after = arith.addf %before, %product : f32
          scf.yield %after : f32
        }
        memref.store %sum, %expected[%row, %j] : memref<16x1024xf32>
        %found = memref.load %C[%i, %j] : memref<1024x1024xf32>
        memref.store %found, %sample[%row, %j] : memref<16x1024xf32>
      }
    }
    %sample_cast = memref.cast %sample : memref<16x1024xf32> to memref<*xf32>
    %expected_cast = memref.cast %expected : memref<16x1024xf32> to memref<*xf32>
    call @printMaxErrorF32(%sample_cast, %expected_cast) : (memref<*xf32>, memref<*xf32>) -> ()
    call @printAllcloseF32(%sample_cast, %expected_cast) : (memref<*xf32>, memref<*xf32>) -> ()
    memref.dealloc %A : memref<1024x1024xf16>
    memref.dealloc %B : memref<1024x1024xf16>
    memref.dealloc %C : memref<1024x1024xf32>
    memref.dealloc %sample : memref<16x1024xf32>
    memref.dealloc %expected : memref<16x1024xf32>
    return
  }

  func.func private @printMaxErrorF32(memref<*xf32>, memref<*xf32>) attributes {llvm.emit_c_interface}
  func.func private @printAllcloseF32(memref<*xf32>, memref<*xf32>) attributes {llvm.emit_c_interface}
}
