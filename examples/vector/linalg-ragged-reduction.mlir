#map = affine_map<()[s0] -> (s0 * 32)>
#map1 = affine_map<()[s0] -> (s0 * -32 + 100, 32)>
#map2 = affine_map<(d0) -> (-d0 + 72, 64)>
module attributes {gpu.container_module} {
  func.func @reduction(%arg0: memref<100x72xf32>, %arg1: memref<100xf32>) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c4 = arith.constant 4 : index
    gpu.launch_func  @reduction_kernel::@reduction_kernel blocks in (%c4, %c1, %c1) threads in (%c16, %c1, %c1)  args(%arg0 : memref<100x72xf32>, %arg1 : memref<100xf32>)
    return
  }
  gpu.module @reduction_kernel {
    gpu.func @reduction_kernel(%arg0: memref<100x72xf32>, %arg1: memref<100xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
      %c64 = arith.constant 64 : index
      %c72 = arith.constant 72 : index
      %0 = ub.poison : f32
      %c0 = arith.constant 0 : index
      %block_id_x = gpu.block_id  x
      %1 = affine.apply #map()[%block_id_x]
      %2 = affine.min #map1()[%block_id_x]
      %subview = memref.subview %arg0[%1, 0] [%2, 72] [1, 1] : memref<100x72xf32> to memref<?x72xf32, strided<[72, 1], offset: ?>>
      %subview_0 = memref.subview %arg1[%1] [%2] [1] : memref<100xf32> to memref<?xf32, strided<[1], offset: ?>>
      scf.for %arg2 = %c0 to %c72 step %c64 {
        %3 = affine.min #map2(%arg2)
        %subview_1 = memref.subview %subview[0, %arg2] [%2, %3] [1, 1] : memref<?x72xf32, strided<[72, 1], offset: ?>> to memref<?x?xf32, strided<[72, 1], offset: ?>>
        %4 = vector.create_mask %2, %3 : vector<32x64xi1>
        %5 = vector.transfer_read %subview_1[%c0, %c0], %0, %4 {in_bounds = [true, true]} : memref<?x?xf32, strided<[72, 1], offset: ?>>, vector<32x64xf32>
        %6 = vector.create_mask %2 : vector<32xi1>
        %7 = vector.transfer_read %subview_0[%c0], %0, %6 {in_bounds = [true]} : memref<?xf32, strided<[1], offset: ?>>, vector<32xf32>
        %8 = vector.mask %4 { vector.multi_reduction <maximumf>, %5, %7 [1] : vector<32x64xf32> to vector<32xf32> } : vector<32x64xi1> -> vector<32xf32>
        vector.transfer_write %8, %subview_0[%c0], %6 {in_bounds = [true]} : vector<32xf32>, memref<?xf32, strided<[1], offset: ?>>
      }
      gpu.return
    }
  }
}

