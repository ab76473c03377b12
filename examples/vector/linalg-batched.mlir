#map = affine_map<()[s0] -> (s0 * 32)>
#map1 = affine_map<()[s0] -> (s0 * 64)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
module attributes {gpu.container_module} {
  func.func @batched(%arg0: memref<3x256x128xf16>, %arg1: memref<3x128x192xf16>, %arg2: memref<3x256x192xf32>) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    gpu.launch_func  @batched_kernel::@batched_kernel blocks in (%c8, %c3, %c3) threads in (%c16, %c1, %c1)  args(%arg0 : memref<3x256x128xf16>, %arg1 : memref<3x128x192xf16>, %arg2 : memref<3x256x192xf32>)
    return
  }
  gpu.module @batched_kernel {
    gpu.func @batched_kernel(%arg0: memref<3x256x128xf16>, %arg1: memref<3x128x192xf16>, %arg2: memref<3x256x192xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 8, 3, 3>} {
      %c32 = arith.constant 32 : index
      %c128 = arith.constant 128 : index
      %0 = ub.poison : f32
      %1 = ub.poison : f16
      %c0 = arith.constant 0 : index
      %block_id_x = gpu.block_id  x
      %block_id_y = gpu.block_id  y
      %block_id_z = gpu.block_id  z
      %2 = affine.apply #map()[%block_id_x]
      %3 = affine.apply #map1()[%block_id_y]
      %subview = memref.subview %arg0[%block_id_z, %2, 0] [1, 32, 128] [1, 1, 1] : memref<3x256x128xf16> to memref<1x32x128xf16, strided<[32768, 128, 1], offset: ?>>
      %subview_0 = memref.subview %arg1[%block_id_z, 0, %3] [1, 128, 64] [1, 1, 1] : memref<3x128x192xf16> to memref<1x128x64xf16, strided<[24576, 192, 1], offset: ?>>
      %subview_1 = memref.subview %arg2[%block_id_z, %2, %3] [1, 32, 64] [1, 1, 1] : memref<3x256x192xf32> to memref<1x32x64xf32, strided<[49152, 192, 1], offset: ?>>
      scf.for %arg3 = %c0 to %c128 step %c32 {
        %subview_2 = memref.subview %subview[0, 0, %arg3] [1, 32, 32] [1, 1, 1] : memref<1x32x128xf16, strided<[32768, 128, 1], offset: ?>> to memref<1x32x32xf16, strided<[32768, 128, 1], offset: ?>>
        %subview_3 = memref.subview %subview_0[0, %arg3, 0] [1, 32, 64] [1, 1, 1] : memref<1x128x64xf16, strided<[24576, 192, 1], offset: ?>> to memref<1x32x64xf16, strided<[24576, 192, 1], offset: ?>>
        %4 = vector.transfer_read %subview_2[%c0, %c0, %c0], %1 {in_bounds = [true, true, true]} : memref<1x32x32xf16, strided<[32768, 128, 1], offset: ?>>, vector<1x32x32xf16>
        %5 = vector.transfer_read %subview_3[%c0, %c0, %c0], %1 {in_bounds = [true, true, true]} : memref<1x32x64xf16, strided<[24576, 192, 1], offset: ?>>, vector<1x32x64xf16>
        %6 = vector.transfer_read %subview_1[%c0, %c0, %c0], %0 {in_bounds = [true, true, true]} : memref<1x32x64xf32, strided<[49152, 192, 1], offset: ?>>, vector<1x32x64xf32>
        %7 = arith.extf %4 : vector<1x32x32xf16> to vector<1x32x32xf32>
        %8 = arith.extf %5 : vector<1x32x64xf16> to vector<1x32x64xf32>
        %9 = vector.contract {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>} %7, %8, %6 : vector<1x32x32xf32>, vector<1x32x64xf32> into vector<1x32x64xf32>
        vector.transfer_write %9, %subview_1[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<1x32x64xf32>, memref<1x32x64xf32, strided<[49152, 192, 1], offset: ?>>
      }
      gpu.return
    }
  }
}
