#map = affine_map<()[s0] -> (s0 ceildiv 32)>
#map1 = affine_map<()[s0] -> (s0 ceildiv 64)>
#map2 = affine_map<()[s0] -> (s0 * 32)>
#map3 = affine_map<()[s0] -> (s0 * 64)>
#map4 = affine_map<()[s0, s1] -> (s0 * -32 + s1, 32)>
#map5 = affine_map<()[s0, s1] -> (s0 * -64 + s1, 64)>
#map6 = affine_map<(d0)[s0] -> (-d0 + s0, 32)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map8 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map9 = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {gpu.container_module} {
  func.func @dynamic(%arg0: memref<?x?xf16>, %arg1: memref<?x?xf16>, %arg2: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf16>
    %dim_0 = memref.dim %arg1, %c1 : memref<?x?xf16>
    %0 = affine.apply #map()[%dim]
    %1 = affine.apply #map1()[%dim_0]
    gpu.launch_func  @dynamic_kernel::@dynamic_kernel blocks in (%0, %1, %c1) threads in (%c16, %c1, %c1)  args(%arg0 : memref<?x?xf16>, %arg1 : memref<?x?xf16>, %arg2 : memref<?x?xf32>)
    return
  }
  gpu.module @dynamic_kernel {
    gpu.func @dynamic_kernel(%arg0: memref<?x?xf16>, %arg1: memref<?x?xf16>, %arg2: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
      %c32 = arith.constant 32 : index
      %cst = arith.constant 0.000000e+00 : f32
      %cst_0 = arith.constant 0.000000e+00 : f16
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %block_id_x = gpu.block_id  x
      %block_id_y = gpu.block_id  y
      %dim = memref.dim %arg0, %c0 : memref<?x?xf16>
      %dim_1 = memref.dim %arg1, %c1 : memref<?x?xf16>
      %dim_2 = memref.dim %arg0, %c1 : memref<?x?xf16>
      %0 = affine.apply #map2()[%block_id_x]
      %1 = affine.apply #map3()[%block_id_y]
      %2 = affine.min #map4()[%block_id_x, %dim]
      %3 = affine.min #map5()[%block_id_y, %dim_1]
      %subview = memref.subview %arg0[%0, 0] [%2, %dim_2] [1, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1], offset: ?>>
      %subview_3 = memref.subview %arg1[0, %1] [%dim_2, %3] [1, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1], offset: ?>>
      %subview_4 = memref.subview %arg2[%0, %1] [%2, %3] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
      scf.for %arg3 = %c0 to %dim_2 step %c32 {
        %4 = affine.min #map6(%arg3)[%dim_2]
        %subview_5 = memref.subview %subview[0, %arg3] [%2, %4] [1, 1] : memref<?x?xf16, strided<[?, 1], offset: ?>> to memref<?x?xf16, strided<[?, 1], offset: ?>>
        %subview_6 = memref.subview %subview_3[%arg3, 0] [%4, %3] [1, 1] : memref<?x?xf16, strided<[?, 1], offset: ?>> to memref<?x?xf16, strided<[?, 1], offset: ?>>
        %5 = vector.create_mask %2, %4 : vector<32x32xi1>
        %6 = vector.mask %5 { vector.transfer_read %subview_5[%c0, %c0], %cst_0 {in_bounds = [true, true]} : memref<?x?xf16, strided<[?, 1], offset: ?>>, vector<32x32xf16> } : vector<32x32xi1> -> vector<32x32xf16>
        %7 = vector.create_mask %4, %3 : vector<32x64xi1>
        %8 = vector.mask %7 { vector.transfer_read %subview_6[%c0, %c0], %cst_0 {in_bounds = [true, true]} : memref<?x?xf16, strided<[?, 1], offset: ?>>, vector<32x64xf16> } : vector<32x64xi1> -> vector<32x64xf16>
        %9 = vector.create_mask %2, %3 : vector<32x64xi1>
        %10 = vector.mask %9 { vector.transfer_read %subview_4[%c0, %c0], %cst {in_bounds = [true, true]} : memref<?x?xf32, strided<[?, 1], offset: ?>>, vector<32x64xf32> } : vector<32x64xi1> -> vector<32x64xf32>
        %11 = vector.create_mask %2, %3, %4 : vector<32x64x32xi1>
        %12 = vector.mask %11 { vector.contract {indexing_maps = [#map7, #map8, #map9], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %6, %8, %10 : vector<32x32xf16>, vector<32x64xf16> into vector<32x64xf32> } : vector<32x64x32xi1> -> vector<32x64xf32>
        vector.mask %9 { vector.transfer_write %12, %subview_4[%c0, %c0] {in_bounds = [true, true]} : vector<32x64xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>> } : vector<32x64xi1>
      }
      gpu.return
    }
  }
}

