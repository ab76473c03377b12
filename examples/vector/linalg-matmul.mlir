#map = affine_map<()[s0] -> (s0 * 32)>
#map1 = affine_map<()[s0] -> (s0 * 64)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {gpu.container_module} {
  func.func @matmul(%arg0: memref<512x256xf16>, %arg1: memref<256x384xf16>, %arg2: memref<512x384xf32>) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c6 = arith.constant 6 : index
    gpu.launch_func  @matmul_kernel::@matmul_kernel blocks in (%c16, %c6, %c1) threads in (%c16, %c1, %c1)  args(%arg0 : memref<512x256xf16>, %arg1 : memref<256x384xf16>, %arg2 : memref<512x384xf32>)
    return
  }
  gpu.module @matmul_kernel {
    gpu.func @matmul_kernel(%arg0: memref<512x256xf16>, %arg1: memref<256x384xf16>, %arg2: memref<512x384xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 16, 6, 1>} {
      %c32 = arith.constant 32 : index
      %c256 = arith.constant 256 : index
      %0 = ub.poison : f32
      %1 = ub.poison : f16
      %c0 = arith.constant 0 : index
      %block_id_x = gpu.block_id  x
      %block_id_y = gpu.block_id  y
      %2 = affine.apply #map()[%block_id_x]
      %3 = affine.apply #map1()[%block_id_y]
      %subview = memref.subview %arg0[%2, 0] [32, 256] [1, 1] : memref<512x256xf16> to memref<32x256xf16, strided<[256, 1], offset: ?>>
      %subview_0 = memref.subview %arg1[0, %3] [256, 64] [1, 1] : memref<256x384xf16> to memref<256x64xf16, strided<[384, 1], offset: ?>>
      %subview_1 = memref.subview %arg2[%2, %3] [32, 64] [1, 1] : memref<512x384xf32> to memref<32x64xf32, strided<[384, 1], offset: ?>>
      scf.for %arg3 = %c0 to %c256 step %c32 {
        %subview_2 = memref.subview %subview[0, %arg3] [32, 32] [1, 1] : memref<32x256xf16, strided<[256, 1], offset: ?>> to memref<32x32xf16, strided<[256, 1], offset: ?>>
        %subview_3 = memref.subview %subview_0[%arg3, 0] [32, 64] [1, 1] : memref<256x64xf16, strided<[384, 1], offset: ?>> to memref<32x64xf16, strided<[384, 1], offset: ?>>
        %4 = vector.transfer_read %subview_2[%c0, %c0], %1 {in_bounds = [true, true]} : memref<32x32xf16, strided<[256, 1], offset: ?>>, vector<32x32xf16>
        %5 = vector.transfer_read %subview_3[%c0, %c0], %1 {in_bounds = [true, true]} : memref<32x64xf16, strided<[384, 1], offset: ?>>, vector<32x64xf16>
        %6 = vector.transfer_read %subview_1[%c0, %c0], %0 {in_bounds = [true, true]} : memref<32x64xf32, strided<[384, 1], offset: ?>>, vector<32x64xf32>
        %7 = arith.extf %4 : vector<32x32xf16> to vector<32x32xf32>
        %8 = arith.extf %5 : vector<32x64xf16> to vector<32x64xf32>
        %9 = vector.contract {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %7, %8, %6 : vector<32x32xf32>, vector<32x64xf32> into vector<32x64xf32>
        vector.transfer_write %9, %subview_1[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf32>, memref<32x64xf32, strided<[384, 1], offset: ?>>
      }
      gpu.return
    }
  }
}
