#map = affine_map<()[s0] -> (s0 * 32)>
#map1 = affine_map<()[s0] -> (s0 * 64)>
#map2 = affine_map<()[s0] -> (s0 * -32 + 100, 32)>
#map3 = affine_map<()[s0] -> (s0 * -64 + 72, 64)>
module attributes {gpu.container_module} {
  func.func @elementwise(%arg0: memref<100x72xf16>, %arg1: memref<72xf16>, %arg2: memref<100x72xf16>) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    gpu.launch_func  @elementwise_kernel::@elementwise_kernel blocks in (%c4, %c2, %c1) threads in (%c16, %c1, %c1)  args(%arg0 : memref<100x72xf16>, %arg1 : memref<72xf16>, %arg2 : memref<100x72xf16>)
    return
  }
  gpu.module @elementwise_kernel {
    gpu.func @elementwise_kernel(%arg0: memref<100x72xf16>, %arg1: memref<72xf16>, %arg2: memref<100x72xf16>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 4, 2, 1>} {
      %cst = arith.constant dense<0.000000e+00> : vector<32x64xf16>
      %0 = ub.poison : f16
      %c0 = arith.constant 0 : index
      %block_id_x = gpu.block_id  x
      %block_id_y = gpu.block_id  y
      %1 = affine.apply #map()[%block_id_x]
      %2 = affine.apply #map1()[%block_id_y]
      %3 = affine.min #map2()[%block_id_x]
      %4 = affine.min #map3()[%block_id_y]
      %subview = memref.subview %arg0[%1, %2] [%3, %4] [1, 1] : memref<100x72xf16> to memref<?x?xf16, strided<[72, 1], offset: ?>>
      %subview_0 = memref.subview %arg1[%2] [%4] [1] : memref<72xf16> to memref<?xf16, strided<[1], offset: ?>>
      %subview_1 = memref.subview %arg2[%1, %2] [%3, %4] [1, 1] : memref<100x72xf16> to memref<?x?xf16, strided<[72, 1], offset: ?>>
      %5 = vector.create_mask %3, %4 : vector<32x64xi1>
      %6 = vector.transfer_read %subview[%c0, %c0], %0, %5 {in_bounds = [true, true]} : memref<?x?xf16, strided<[72, 1], offset: ?>>, vector<32x64xf16>
      %7 = vector.create_mask %4 : vector<64xi1>
      %8 = vector.transfer_read %subview_0[%c0], %0, %7 {in_bounds = [true]} : memref<?xf16, strided<[1], offset: ?>>, vector<64xf16>
      %9 = vector.broadcast %8 : vector<64xf16> to vector<32x64xf16>
      %10 = arith.addf %6, %9 : vector<32x64xf16>
      %11 = arith.maximumf %10, %cst : vector<32x64xf16>
      vector.transfer_write %11, %subview_1[%c0, %c0], %5 {in_bounds = [true, true]} : vector<32x64xf16>, memref<?x?xf16, strided<[72, 1], offset: ?>>
      gpu.return
    }
  }
}

