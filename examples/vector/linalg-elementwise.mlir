#map = affine_map<()[s0] -> (s0 * 32)>
#map1 = affine_map<()[s0] -> (s0 * 64)>
module attributes {gpu.container_module} {
  func.func @elementwise(%arg0: memref<512x256xf16>, %arg1: memref<256xf16>, %arg2: memref<512x256xf16>) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c4 = arith.constant 4 : index
    gpu.launch_func  @elementwise_kernel::@elementwise_kernel blocks in (%c16, %c4, %c1) threads in (%c16, %c1, %c1)  args(%arg0 : memref<512x256xf16>, %arg1 : memref<256xf16>, %arg2 : memref<512x256xf16>)
    return
  }
  gpu.module @elementwise_kernel {
    gpu.func @elementwise_kernel(%arg0: memref<512x256xf16>, %arg1: memref<256xf16>, %arg2: memref<512x256xf16>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 16, 4, 1>} {
      %cst = arith.constant dense<0.000000e+00> : vector<32x64xf16>
      %0 = ub.poison : f16
      %c0 = arith.constant 0 : index
      %block_id_x = gpu.block_id  x
      %block_id_y = gpu.block_id  y
      %1 = affine.apply #map()[%block_id_x]
      %2 = affine.apply #map1()[%block_id_y]
      %subview = memref.subview %arg0[%1, %2] [32, 64] [1, 1] : memref<512x256xf16> to memref<32x64xf16, strided<[256, 1], offset: ?>>
      %subview_0 = memref.subview %arg1[%2] [64] [1] : memref<256xf16> to memref<64xf16, strided<[1], offset: ?>>
      %subview_1 = memref.subview %arg2[%1, %2] [32, 64] [1, 1] : memref<512x256xf16> to memref<32x64xf16, strided<[256, 1], offset: ?>>
      %3 = vector.transfer_read %subview[%c0, %c0], %0 {in_bounds = [true, true]} : memref<32x64xf16, strided<[256, 1], offset: ?>>, vector<32x64xf16>
      %4 = vector.transfer_read %subview_0[%c0], %0 {in_bounds = [true]} : memref<64xf16, strided<[1], offset: ?>>, vector<64xf16>
      %5 = vector.broadcast %4 : vector<64xf16> to vector<32x64xf16>
      %6 = arith.addf %3, %5 : vector<32x64xf16>
      %7 = arith.maximumf %6, %cst : vector<32x64xf16>
      vector.transfer_write %7, %subview_1[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf16>, memref<32x64xf16, strided<[256, 1], offset: ?>>
      gpu.return
    }
  }
}
