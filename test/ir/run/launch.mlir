// Kernels of several levels, launched with the sizes that the launch gives, async ops, and a body of its own.
// RUN: xetile-run %s --entry main | FileCheck %s

#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [8, 16]>

module attributes {gpu.container_module} {
  func.func private @printMemrefF32(memref<*xf32>)
  func.func private @printMemrefI32(memref<*xi32>)

  gpu.module @kernels {
    // Workgroup level: each of 2x2 workgroups of two subgroups doubles its 16x16 tile.
    gpu.func @double(%m: memref<32x32xf32>) kernel {
      %c16 = arith.constant 16 : index
      %x = gpu.block_id x
      %y = gpu.block_id y
      %i = arith.muli %x, %c16 : index
      %j = arith.muli %y, %c16 : index
      %tile = xetile.init_tile %m[%i, %j] : memref<32x32xf32> -> !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #map>>
      %v = xetile.load_tile %tile : !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #map>> -> vector<16x16xf32>
      %w = arith.addf %v, %v {wg_map = #map} : vector<16x16xf32>
      xetile.store_tile %w, %tile : vector<16x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #map>>
      gpu.return
    }
    // Subgroup level, older convention: 2 workgroups of 2x2 subgroups, each writes who it is.
    gpu.func @ids(%m: memref<2x4xi32>) kernel attributes {VectorComputeFunctionINTEL} {
      %c2 = arith.constant 2 : index
      %b = gpu.block_id x
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %above = arith.muli %y, %c2 : index
      %at = arith.addi %above, %x : index
      %id = gpu.subgroup_id : index
      %value = arith.index_cast %id : index to i32
      memref.store %value, %m[%b, %at] : memref<2x4xi32>
      gpu.return
    }
  }

  func.func @main() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %one = arith.constant 1.5 : f32

    %t0 = gpu.wait async
    %m, %t1 = gpu.alloc async [%t0] () : memref<32x32xf32>
    %t2 = gpu.memset async [%t1] %m, %one : memref<32x32xf32>, f32
    %t3 = gpu.launch_func async [%t2] @kernels::@double blocks in (%c2, %c2, %c1) threads in (%c32, %c1, %c1) args(%m : memref<32x32xf32>)
    %h = memref.alloc() : memref<32x32xf32>
    %t4 = gpu.memcpy async [%t3] %h, %m : memref<32x32xf32>, memref<32x32xf32>
    %t5 = gpu.dealloc async [%t4] %m : memref<32x32xf32>
    gpu.wait [%t5]
    %part = memref.subview %h[30, 14] [2, 4] [1, 1] : memref<32x32xf32> to memref<2x4xf32, strided<[32, 1], offset: 974>>
    %part_cast = memref.cast %part : memref<2x4xf32, strided<[32, 1], offset: 974>> to memref<*xf32>
    // CHECK: rank = 2 offset = 974 sizes = [2, 4] strides = [32, 1] data =
    // CHECK-NEXT: {{\[\[}}3,   3,   3,   3],
    // CHECK-NEXT: [3,   3,   3,   3]]
    call @printMemrefF32(%part_cast) : (memref<*xf32>) -> ()

    %ids = gpu.alloc host_shared () : memref<2x4xi32>
    gpu.launch_func @kernels::@ids blocks in (%c2, %c1, %c1) threads in (%c2, %c2, %c1) args(%ids : memref<2x4xi32>)
    %ids_cast = memref.cast %ids : memref<2x4xi32> to memref<*xi32>
    // CHECK: sizes = [2, 4]
    // CHECK-NEXT: {{\[\[}}0,   1,   2,   3],
    // CHECK-NEXT: [0,   1,   2,   3]]
    call @printMemrefI32(%ids_cast) : (memref<*xi32>) -> ()

    // A body in place: a thread is a work-item; here 2 workgroups of 2x2.
    gpu.launch blocks(%b, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
               threads(%x, %y, %z) in (%sx = %c2, %sy = %c2, %sz = %c1) {
      %above = arith.muli %y, %sx : index
      %at = arith.addi %above, %x : index
      %old = memref.load %ids[%b, %at] : memref<2x4xi32>
      %added = arith.index_cast %x : index to i32
      %new = arith.addi %old, %added : i32
      memref.store %new, %ids[%b, %at] : memref<2x4xi32>
      gpu.terminator
    }
    // CHECK: sizes = [2, 4]
    // CHECK-NEXT: {{\[\[}}0,   2,   2,   4],
    // CHECK-NEXT: [0,   2,   2,   4]]
    call @printMemrefI32(%ids_cast) : (memref<*xi32>) -> ()
    return
  }
}
