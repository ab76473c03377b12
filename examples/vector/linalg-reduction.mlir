#map = affine_map<()[s0] -> (s0 * 32)>
module attributes {gpu.container_module} {
  func.func @reduction(%arg0: memref<512x256xf32>, %arg1: memref<512xf32>) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    gpu.launch_func  @reduction_kernel::@reduction_kernel blocks in (%c16, %c1, %c1) threads in (%c16, %c1, %c1)  args(%arg0 : memref<512x256xf32>, %arg1 : memref<512xf32>)
    return
  }
  gpu.module @reduction_kernel {
    gpu.func @reduction_kernel(%arg0: memref<512x256xf32>, %arg1: memref<512xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 16, 1, 1>} {
      %c64 = arith.constant 64 : index
      %c256 = arith.constant 256 : index
      %0 = ub.poison : f32
      %c0 = arith.constant 0 : index
      %block_id_x = gpu.block_id  x
      %1 = affine.apply #map()[%block_id_x]
      %subview = memref.subview %arg0[%1, 0] [32, 256] [1, 1] : memref<512x256xf32> to memref<32x256xf32, strided<[256, 1], offset: ?>>
      %subview_0 = memref.subview %arg1[%1] [32] [1] : memref<512xf32> to memref<32xf32, strided<[1], offset: ?>>
      scf.for %arg2 = %c0 to %c256 step %c64 {
        %subview_1 = memref.subview %subview[0, %arg2] [32, 64] [1, 1] : memref<32x256xf32, strided<[256, 1], offset: ?>> to memref<32x64xf32, strided<[256, 1], offset: ?>>
        %2 = vector.transfer_read %subview_1[%c0, %c0], %0 {in_bounds = [true, true]} : memref<32x64xf32, strided<[256, 1], offset: ?>>, vector<32x64xf32>
        %3 = vector.transfer_read %subview_0[%c0], %0 {in_bounds = [true]} : memref<32xf32, strided<[1], offset: ?>>, vector<32xf32>
        %4 = vector.multi_reduction <add>, %2, %3 [1] : vector<32x64xf32> to vector<32xf32>
        vector.transfer_write %4, %subview_0[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32, strided<[1], offset: ?>>
      }
      gpu.return
    }
  }
}
