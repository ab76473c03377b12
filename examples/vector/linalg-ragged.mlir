#map = affine_map<()[s0] -> (s0 * 32)>
#map1 = affine_map<()[s0] -> (s0 * 64)>
#map2 = affine_map<()[s0] -> (s0 * -32 + 100, 32)>
#map3 = affine_map<()[s0] -> (s0 * -64 + 120, 64)>
#map4 = affine_map<(d0) -> (-d0 + 72, 32)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {gpu.container_module} {
  func.func @ragged(%arg0: memref<100x72xf16>, %arg1: memref<72x120xf16>, %arg2: memref<100x120xf32>) {
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c4 = arith.constant 4 : index
    %c2 = arith.constant 2 : index
    gpu.launch_func  @ragged_kernel::@ragged_kernel blocks in (%c4, %c2, %c1) threads in (%c16, %c1, %c1)  args(%arg0 : memref<100x72xf16>, %arg1 : memref<72x120xf16>, %arg2 : memref<100x120xf32>)
    return
  }
  gpu.module @ragged_kernel {
    gpu.func @ragged_kernel(%arg0: memref<100x72xf16>, %arg1: memref<72x120xf16>, %arg2: memref<100x120xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 4, 2, 1>} {
      %c32 = arith.constant 32 : index
      %c72 = arith.constant 72 : index
      %cst = arith.constant 0.000000e+00 : f32
      %cst_0 = arith.constant 0.000000e+00 : f16
      %c0 = arith.constant 0 : index
      %block_id_x = gpu.block_id  x
      %block_id_y = gpu.block_id  y
      %0 = affine.apply #map()[%block_id_x]
      %1 = affine.apply #map1()[%block_id_y]
      %2 = affine.min #map2()[%block_id_x]
      %3 = affine.min #map3()[%block_id_y]
      %subview = memref.subview %arg0[%0, 0] [%2, 72] [1, 1] : memref<100x72xf16> to memref<?x72xf16, strided<[72, 1], offset: ?>>
      %subview_1 = memref.subview %arg1[0, %1] [72, %3] [1, 1] : memref<72x120xf16> to memref<72x?xf16, strided<[120, 1], offset: ?>>
      %subview_2 = memref.subview %arg2[%0, %1] [%2, %3] [1, 1] : memref<100x120xf32> to memref<?x?xf32, strided<[120, 1], offset: ?>>
      scf.for %arg3 = %c0 to %c72 step %c32 {
        %4 = affine.min #map4(%arg3)
        %subview_3 = memref.subview %subview[0, %arg3] [%2, %4] [1, 1] : memref<?x72xf16, strided<[72, 1], offset: ?>> to memref<?x?xf16, strided<[72, 1], offset: ?>>
        %subview_4 = memref.subview %subview_1[%arg3, 0] [%4, %3] [1, 1] : memref<72x?xf16, strided<[120, 1], offset: ?>> to memref<?x?xf16, strided<[120, 1], offset: ?>>
        %5 = vector.create_mask %2, %4 : vector<32x32xi1>
        %6 = vector.mask %5 { vector.transfer_read %subview_3[%c0, %c0], %cst_0 {in_bounds = [true, true]} : memref<?x?xf16, strided<[72, 1], offset: ?>>, vector<32x32xf16> } : vector<32x32xi1> -> vector<32x32xf16>
        %7 = vector.create_mask %4, %3 : vector<32x64xi1>
        %8 = vector.mask %7 { vector.transfer_read %subview_4[%c0, %c0], %cst_0 {in_bounds = [true, true]} : memref<?x?xf16, strided<[120, 1], offset: ?>>, vector<32x64xf16> } : vector<32x64xi1> -> vector<32x64xf16>
        %9 = vector.create_mask %2, %3 : vector<32x64xi1>
        %10 = vector.mask %9 { vector.transfer_read %subview_2[%c0, %c0], %cst {in_bounds = [true, true]} : memref<?x?xf32, strided<[120, 1], offset: ?>>, vector<32x64xf32> } : vector<32x64xi1> -> vector<32x64xf32>
        %11 = vector.create_mask %2, %3, %4 : vector<32x64x32xi1>
        %12 = vector.mask %11 { vector.contract {indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %6, %8, %10 : vector<32x32xf16>, vector<32x64xf16> into vector<32x64xf32> } : vector<32x64x32xi1> -> vector<32x64xf32>
        vector.mask %9 { vector.transfer_write %12, %subview_2[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf32>, memref<?x?xf32, strided<[120, 1], offset: ?>> } : vector<32x64xi1>
      }
      gpu.return
    }
  }
}

