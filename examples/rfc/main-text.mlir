// XeTile RFC, main text: every snippet and every row of its two tables, as legal IR. Appendices 1 and 2 have files of
// their own beside this one.
//
// Spellings are the RFC's wherever they are unambiguous; the CHECK below each op is how it is printed. What the RFC
// leaves out, types of values and where they come from, is written out as parameters. Departures in all of them:
// `float` is f32, types are written in full (`!xetile.tile`), and pairs of values (`%tile_offset:2`) are two values.

// ---- Table of operations ----

// CHECK-LABEL: func.func @table_init_tile
func.func @table_init_tile(%base_memref: memref<128x128xbf16>, %x: index, %y: index) {
  %block = xetile.init_tile %base_memref, [%x, %y] : memref<128x128xbf16> into !xetile.tile<8x16xbf16>
  // CHECK-NEXT: %block = xetile.init_tile %base_memref[%x, %y] : memref<128x128xbf16> -> !xetile.tile<8x16xbf16>
  func.return
}

// Departure: the vector has the tile's shape, 64x32; the RFC's has 32x64.
// CHECK-LABEL: func.func @table_load_tile
func.func @table_load_tile(%tile_a: !xetile.tile<64x32xbf16>) {
  %vector_a = xetile.load_tile %tile_a {padding=0} : !xetile.tile<64x32xbf16> into vector<64x32xbf16>
  // CHECK-NEXT: %vector_a = xetile.load_tile %tile_a {padding = 0.000000e+00 : f64} : !xetile.tile<64x32xbf16> -> vector<64x32xbf16>
  func.return
}

// Departure: the value comes first, as in the RFC's syntax column and its types; its examples have the tile first.
// CHECK-LABEL: func.func @table_store_tile
func.func @table_store_tile(%vector_a: vector<64x64xbf16>, %tile_a: !xetile.tile<64x64xbf16>) {
  xetile.store_tile %vector_a, %tile_a : vector<64x64xbf16> into !xetile.tile<64x64xbf16>
  // CHECK-NEXT: xetile.store_tile %vector_a, %tile_a : vector<64x64xbf16>, !xetile.tile<64x64xbf16>
  func.return
}

// Departure: the row's example is XeGPU's update_nd_offset of a tensor_desc.
// CHECK-LABEL: func.func @table_update_tile_offset
func.func @table_update_tile_offset(%tile: !xetile.tile<32x64xbf16>, %offset_x: index, %offset_y: index) {
  %tile_updated = xetile.update_tile_offset %tile, %offset_x, %offset_y : !xetile.tile<32x64xbf16>, index, index -> !xetile.tile<32x64xbf16>
  // CHECK-NEXT: %tile_updated = xetile.update_tile_offset %tile, [%offset_x, %offset_y] : !xetile.tile<32x64xbf16>
  func.return
}

// CHECK-LABEL: func.func @table_prefetch_tile
func.func @table_prefetch_tile(%coop_tile: !xetile.tile<16x32xbf16>) {
  xetile.prefetch_tile %coop_tile: !xetile.tile<16x32xbf16>
  // CHECK-NEXT: xetile.prefetch_tile %coop_tile : !xetile.tile<16x32xbf16>
  func.return
}

// Departure: types in the order of the operands, as in the example; the syntax column has C, A, B.
// CHECK-LABEL: func.func @table_tile_mma
func.func @table_tile_mma(%vector_a: vector<64x32xbf16>, %vector_b: vector<32x128xbf16>, %vector_c: vector<64x128xf32>) {
  %result = xetile.tile_mma %vector_a, %vector_b, %vector_c : vector<64x32xbf16>, vector<32x128xbf16>, vector<64x128xf32> into vector<64x128xf32>
  // CHECK-NEXT: %result = xetile.tile_mma %vector_a, %vector_b, %vector_c : vector<64x32xbf16>, vector<32x128xbf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// CHECK-LABEL: func.func @table_atomic_rmw_tile
func.func @table_atomic_rmw_tile(%value: vector<8x16xbf16>, %tile: !xetile.tile<8x16xbf16>) {
  %vector_a = xetile.atomic_rmw_tile <add> %value, %tile: vector<8x16xbf16>, !xetile.tile<8x16xbf16> to vector<8x16xbf16>
  // CHECK-NEXT: %vector_a = xetile.atomic_rmw_tile <addf> %value, %tile : vector<8x16xbf16>, !xetile.tile<8x16xbf16> -> vector<8x16xbf16>
  func.return
}

// CHECK-LABEL: func.func @table_tile_transpose
func.func @table_tile_transpose(%vector_b: vector<64x32xf32>) {
  %vector_a = xetile.tile_transpose %vector_b [1, 0]: vector<64x32xf32> into vector<32x64xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_transpose %vector_b, [1, 0] : vector<64x32xf32> -> vector<32x64xf32>
  func.return
}

// CHECK-LABEL: func.func @table_tile_reduce
func.func @table_tile_reduce(%vector_b: vector<64x32xf32>) {
  %vector_a = xetile.tile_reduce <add> %vector_b [1]: vector<64x32xf32> into vector<64x1xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_reduce <add>, %vector_b [1] : vector<64x32xf32> -> vector<64x1xf32>
  func.return
}

// CHECK-LABEL: func.func @table_tile_broadcast
func.func @table_tile_broadcast(%vector_b: vector<1x32xf32>) {
  %vector_a = xetile.tile_broadcast %vector_b[0]: vector<1x32xf32> into vector<64x32xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_broadcast %vector_b [0] : vector<1x32xf32> -> vector<64x32xf32>
  func.return
}

// CHECK-LABEL: func.func @table_tile_pack
func.func @table_tile_pack(%vector_b: vector<64x32xf32>) {
  %vector_a = xetile.tile_pack %vector_b {inner_blocks=array<i64: 16, 16>} : vector<64x32xf32> into vector<4x2x16x16xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_pack %vector_b {inner_blocks = array<i64: 16, 16>} : vector<64x32xf32> -> vector<4x2x16x16xf32>
  func.return
}

// Departures: the blocks are 64x16, as the vector has them (the RFC: 16x16), and the element type does not change.
// CHECK-LABEL: func.func @table_tile_unpack
func.func @table_tile_unpack(%vector_b: vector<1x2x64x16xf32>) {
  %vector_a = xetile.tile_upack %vector_b {inner_blocks=array<i64: 64, 16>} : vector<1x2x64x16xf32> into vector<64x32xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_unpack %vector_b {inner_blocks = array<i64: 64, 16>} : vector<1x2x64x16xf32> -> vector<64x32xf32>
  func.return
}

// ---- Tiles and memory ----

// CHECK-LABEL: func.func @init_tile_static
func.func @init_tile_static(%base_memref: memref<128x128xbf16>, %x: index, %y: index) {
  %tile0 = xetile.init_tile %base_memref, [%x, %y] : memref<128x128xbf16> into !xetile.tile<8x16xbf16>
  // CHECK-NEXT: %tile0 = xetile.init_tile %base_memref[%x, %y] : memref<128x128xbf16> -> !xetile.tile<8x16xbf16>
  func.return
}

// CHECK-LABEL: func.func @init_tile_dynamic
func.func @init_tile_dynamic(%base_memref: memref<?x?xbf16>, %x: index, %y: index, %height: index, %width: index, %pitch: index, %one: index) {
  %tile0 = xetile.init_tile %base_memref, [%x, %y], [%height, %width], [%pitch, %one] : memref<?x?xbf16> into !xetile.tile<8x16xbf16>
  // CHECK-NEXT: %tile0 = xetile.init_tile %base_memref[%x, %y], [%height, %width], [%pitch, %one] : memref<?x?xbf16> -> !xetile.tile<8x16xbf16>
  func.return
}

// CHECK-LABEL: func.func @init_tile_address
func.func @init_tile_address(%base_addr: i64, %x: index, %y: index, %height: index, %width: index, %pitch: index, %one: index) {
  %tile0 = xetile.init_tile %base_addr, [%x, %y], [%height, %width], [%pitch, %one] : i64 into !xetile.tile<8x16xbf16>
  // CHECK-NEXT: %tile0 = xetile.init_tile %base_addr[%x, %y], [%height, %width], [%pitch, %one] : i64 -> !xetile.tile<8x16xbf16>
  func.return
}

#column_major = #xetile.tile_attr<order = [0, 1]>
// CHECK-LABEL: func.func @init_tile_order
func.func @init_tile_order(%base_memref: memref<128x128xbf16, affine_map<(d0, d1) -> (d1, d0)>>, %x: index, %y: index) {
  %tile0 = xetile.init_tile %base_memref, [%x, %y] : memref<128x128xbf16, affine_map<(d0, d1) -> (d1, d0)>> into !xetile.tile<64x32xbf16, #column_major>
  // CHECK-NEXT: %tile0 = xetile.init_tile %base_memref[%x, %y] : memref<128x128xbf16, affine_map<(d0, d1) -> (d1, d0)>> -> !xetile.tile<64x32xbf16, #xetile.tile_attr<order = [0, 1]>>
  func.return
}

// CHECK-LABEL: func.func @load_tile
func.func @load_tile(%tile_a: !xetile.tile<64x64xbf16>) {
  %vector_a = xetile.load_tile %tile_a : !xetile.tile<64x64xbf16> into vector<64x64xbf16>
  // CHECK-NEXT: %vector_a = xetile.load_tile %tile_a : !xetile.tile<64x64xbf16> -> vector<64x64xbf16>
  func.return
}

// CHECK-LABEL: func.func @load_tile_padding
func.func @load_tile_padding(%tile_a: !xetile.tile<64x64xbf16>) {
  %vector_a = xetile.load_tile %tile_a {padding = 1.0} : !xetile.tile<64x64xbf16> into vector<64x64xbf16>
  // CHECK-NEXT: %vector_a = xetile.load_tile %tile_a {padding = 1.000000e+00 : f64} : !xetile.tile<64x64xbf16> -> vector<64x64xbf16>
  func.return
}

// CHECK-LABEL: func.func @load_tile_order
func.func @load_tile_order(%tile_a: !xetile.tile<64x32xbf16, #column_major>) {
  %vector_a = xetile.load_tile %tile_a : !xetile.tile<64x32xbf16, #column_major> into vector<64x32xbf16>
  // CHECK-NEXT: %vector_a = xetile.load_tile %tile_a : !xetile.tile<64x32xbf16, #xetile.tile_attr<order = [0, 1]>> -> vector<64x32xbf16>
  func.return
}

// CHECK-LABEL: func.func @store_tile
func.func @store_tile(%vector_a: vector<64x64xbf16>, %tile_a: !xetile.tile<64x64xbf16>) {
  xetile.store_tile %vector_a, %tile_a : vector<64x64xbf16> into !xetile.tile<64x64xbf16>
  // CHECK-NEXT: xetile.store_tile %vector_a, %tile_a : vector<64x64xbf16>, !xetile.tile<64x64xbf16>
  func.return
}

// Departure: the stored value is named; the RFC's store has a result instead.
// CHECK-LABEL: func.func @store_tile_order
func.func @store_tile_order(%vector_a: vector<64x32xbf16>, %tile_a: !xetile.tile<64x32xbf16, #column_major>) {
  xetile.store_tile %vector_a, %tile_a : vector<64x32xbf16> to !xetile.tile<64x32xbf16, #column_major>
  // CHECK-NEXT: xetile.store_tile %vector_a, %tile_a : vector<64x32xbf16>, !xetile.tile<64x32xbf16, #xetile.tile_attr<order = [0, 1]>>
  func.return
}

// CHECK-LABEL: func.func @prefetch_tile
func.func @prefetch_tile(%coop_tile: !xetile.tile<8x32xbf16>) {
  xetile.prefetch_tile %coop_tile locality<3>: !xetile.tile<8x32xbf16>
  // CHECK-NEXT: xetile.prefetch_tile %coop_tile {locality = 3 : i64} : !xetile.tile<8x32xbf16>
  func.return
}

// ---- Vectors ----

// Departure: A comes before B, as the types say; the RFC has %vector_b, %vector_a here.
// CHECK-LABEL: func.func @tile_mma
func.func @tile_mma(%vector_a: vector<64x32xbf16>, %vector_b: vector<32x128xbf16>, %vector_c: vector<64x128xf32>) {
  %result = xetile.tile_mma %vector_a, %vector_b, %vector_c : vector<64x32xbf16>, vector<32x128xbf16>, vector<64x128xf32> into vector<64x128xf32>
  // CHECK-NEXT: %result = xetile.tile_mma %vector_a, %vector_b, %vector_c : vector<64x32xbf16>, vector<32x128xbf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// CHECK-LABEL: func.func @tile_mma_without_c
func.func @tile_mma_without_c(%vector_a: vector<64x32xbf16>, %vector_b: vector<32x128xbf16>) {
  %vector_c = xetile.tile_mma %vector_a, %vector_b : vector<64x32xbf16>, vector<32x128xbf16> into vector<64x128xf32>
  // CHECK-NEXT: %vector_c = xetile.tile_mma %vector_a, %vector_b : vector<64x32xbf16>, vector<32x128xbf16> -> vector<64x128xf32>
  func.return
}

// CHECK-LABEL: func.func @update_tile_offset
func.func @update_tile_offset(%tile: !xetile.tile<64x64xbf16>, %offset_x: index, %offset_y: index) {
  %tile_updated = xetile.update_tile_offset %tile, %offset_x, %offset_y : !xetile.tile<64x64xbf16>, index, index into !xetile.tile<64x64xbf16>
  // CHECK-NEXT: %tile_updated = xetile.update_tile_offset %tile, [%offset_x, %offset_y] : !xetile.tile<64x64xbf16>
  func.return
}

// CHECK-LABEL: func.func @atomic_rmw
func.func @atomic_rmw(%value: vector<8x16xbf16>, %tile: !xetile.tile<8x16xbf16>) {
  %ret_value = xetile.atomic_rmw <addf> %value, %tile: vector<8x16xbf16>, !xetile.tile<8x16xbf16> to vector<8x16xbf16>
  // CHECK-NEXT: %ret_value = xetile.atomic_rmw_tile <addf> %value, %tile : vector<8x16xbf16>, !xetile.tile<8x16xbf16> -> vector<8x16xbf16>
  func.return
}

// CHECK-LABEL: func.func @tile_transpose
func.func @tile_transpose(%vector_b: vector<64x32xf32>) {
  %vector_a = xetile.tile_transpose [1, 0] %vector_b: vector<64x32xf32> into vector<32x64xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_transpose %vector_b, [1, 0] : vector<64x32xf32> -> vector<32x64xf32>
  func.return
}

// CHECK-LABEL: func.func @tile_reduce
func.func @tile_reduce(%vector_b: vector<64x32xf32>) {
  %vector_a = xetile.tile_reduce <add> %vector_b [1]: vector<64x32xf32> into vector<64x1xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_reduce <add>, %vector_b [1] : vector<64x32xf32> -> vector<64x1xf32>
  func.return
}

// CHECK-LABEL: func.func @tile_broadcast
func.func @tile_broadcast(%vector_b: vector<1x32xf32>) {
  %vector_a = xetile.tile_broadcast %vector_b [0]: vector<1x32xf32> into vector<64x32xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_broadcast %vector_b [0] : vector<1x32xf32> -> vector<64x32xf32>
  func.return
}

// ---- Blocks (internal operations) ----

#blocks = #xetile.tile_attr<inner_blocks=[16,16]>
// CHECK-LABEL: func.func @init_tile_blocked
func.func @init_tile_blocked(%base_memref: memref<128x128xbf16>, %x: index, %y: index) {
  %tile0 = xetile.init_tile %base_memref, [%x, %y] : memref<128x128xbf16> into !xetile.tile<64x32xbf16, #blocks>
  // CHECK-NEXT: %tile0 = xetile.init_tile %base_memref[%x, %y] : memref<128x128xbf16> -> !xetile.tile<64x32xbf16, #xetile.tile_attr<inner_blocks = [16, 16]>>
  func.return
}

// CHECK-LABEL: func.func @load_tile_blocked
func.func @load_tile_blocked(%tile_a: !xetile.tile<64x32xbf16, #blocks>) {
  %vector_a = xetile.load_tile %tile_a : !xetile.tile<64x32xbf16, #blocks> into vector<4x2x16x16xbf16>
  // CHECK-NEXT: %vector_a = xetile.load_tile %tile_a : !xetile.tile<64x32xbf16, #xetile.tile_attr<inner_blocks = [16, 16]>> -> vector<4x2x16x16xbf16>
  func.return
}

// CHECK-LABEL: func.func @store_tile_blocked
func.func @store_tile_blocked(%vector_a: vector<4x2x16x16xbf16>, %tile_a: !xetile.tile<64x32xbf16, #blocks>) {
  xetile.store_tile %vector_a, %tile_a : vector<4x2x16x16xbf16> into !xetile.tile<64x32xbf16, #blocks>
  // CHECK-NEXT: xetile.store_tile %vector_a, %tile_a : vector<4x2x16x16xbf16>, !xetile.tile<64x32xbf16, #xetile.tile_attr<inner_blocks = [16, 16]>>
  func.return
}

// Departure: 64x64 in blocks of 8x16 is 8x4 blocks; the RFC's operand has three dimensions, 8x48x16.
#rows_of_eight = #xetile.tile_attr<inner_blocks=[8,16]>
// CHECK-LABEL: func.func @atomic_rmw_tile_blocked
func.func @atomic_rmw_tile_blocked(%value: vector<8x4x8x16xbf16>, %tile: !xetile.tile<64x64xbf16, #rows_of_eight>) {
  %vector_a = xetile.atomic_rmw_tile <add> %value, %tile: vector<8x4x8x16xbf16>, !xetile.tile<64x64xbf16, #rows_of_eight> to vector<8x4x8x16xbf16>
  // CHECK-NEXT: %vector_a = xetile.atomic_rmw_tile <addf> %value, %tile : vector<8x4x8x16xbf16>, !xetile.tile<64x64xbf16, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<8x4x8x16xbf16>
  func.return
}

// CHECK-LABEL: func.func @tile_mma_blocked
func.func @tile_mma_blocked(%vector_a: vector<8x4x8x8xbf16>, %vector_b: vector<4x8x8x16xbf16>, %vector_c: vector<8x8x8x16xf32>) {
  %result = xetile.tile_mma %vector_a, %vector_b, %vector_c : vector<8x4x8x8xbf16>, vector<4x8x8x16xbf16>, vector<8x8x8x16xf32> into vector<8x8x8x16xf32>
  // CHECK-NEXT: %result = xetile.tile_mma %vector_a, %vector_b, %vector_c : vector<8x4x8x8xbf16>, vector<4x8x8x16xbf16>, vector<8x8x8x16xf32> -> vector<8x8x8x16xf32>
  func.return
}

// CHECK-LABEL: func.func @tile_reduce_blocked
func.func @tile_reduce_blocked(%vector_b: vector<8x4x8x16xf32>) {
  %vector_a = xetile.tile_reduce <add> %vector_b [1, 3]: vector<8x4x8x16xf32> into vector<8x1x8x1xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_reduce <add>, %vector_b [1, 3] : vector<8x4x8x16xf32> -> vector<8x1x8x1xf32>
  func.return
}

// CHECK-LABEL: func.func @tile_broadcast_blocked
func.func @tile_broadcast_blocked(%vector_b: vector<8x1x8x1xf32>) {
  %vector_a = xetile.tile_broadcast %vector_b [1, 3]: vector<8x1x8x1xf32> into vector<8x4x8x16xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_broadcast %vector_b [1, 3] : vector<8x1x8x1xf32> -> vector<8x4x8x16xf32>
  func.return
}

// CHECK-LABEL: func.func @tile_pack
func.func @tile_pack(%1: vector<64x32xf32>) {
  %0 = xetile.tile_pack %1 {inner_blocks = array<i64: 16, 16>} : vector<64x32xf32> -> vector<4x2x16x16xf32>
  // CHECK-NEXT: %1 = xetile.tile_pack %0 {inner_blocks = array<i64: 16, 16>} : vector<64x32xf32> -> vector<4x2x16x16xf32>
  func.return
}

// CHECK-LABEL: func.func @tile_unpack
func.func @tile_unpack(%1: vector<1x2x64x16xf32>) {
  %0 = xetile.tile_unpack %1 {inner_blocks = array<i64: 64, 16>} : vector<1x2x64x16xf32> -> vector<64x32xf32>
  // CHECK-NEXT: %1 = xetile.tile_unpack %0 {inner_blocks = array<i64: 64, 16>} : vector<1x2x64x16xf32> -> vector<64x32xf32>
  func.return
}

// ---- Scattered access ----

// The RFC does not say what #scatter is: an alias of the dialect's attribute.
#scatter = #xetile.scatter

// CHECK-LABEL: func.func @init_tile_scattered
func.func @init_tile_scattered(%base_addr: i64, %tile_offsets: vector<1x256xindex>) {
  %tile0 = xetile.init_tile %base_addr, %tile_offsets : i64, vector<1x256xindex> into !xetile.tile<1x256xbf16, #scatter>
  // CHECK-NEXT: %tile0 = xetile.init_tile %base_addr, %tile_offsets : i64, vector<1x256xindex> -> !xetile.tile<1x256xbf16, #xetile.tile_attr<scattered = true>>
  func.return
}

// CHECK-LABEL: func.func @load_gather
func.func @load_gather(%tile_0: !xetile.tile<1x256xbf16, #scatter>, %mask: vector<1x256xi1>) {
  %vector_a = xetile.load_gather %tile_0, %mask, {padding = 1.0} : !xetile.tile<1x256xbf16, #scatter> into vector<1x256xbf16>
  // CHECK-NEXT: %vector_a = xetile.load_gather %tile, %mask {padding = 1.000000e+00 : f64} : !xetile.tile<1x256xbf16, #xetile.tile_attr<scattered = true>>, vector<1x256xi1> -> vector<1x256xbf16>
  func.return
}

// CHECK-LABEL: func.func @store_scatter
func.func @store_scatter(%vector_a: vector<1x256xbf16>, %mask: vector<1x256xi1>, %tile_0: !xetile.tile<1x256xbf16, #scatter>) {
  xetile.store_scatter %vector_a, %mask, %tile_0 : vector<1x256xbf16> into !xetile.tile<1x256xbf16, #scatter>
  // CHECK-NEXT: xetile.store_scatter %vector_a, %tile, %mask : vector<1x256xbf16>, !xetile.tile<1x256xbf16, #xetile.tile_attr<scattered = true>>, vector<1x256xi1>
  func.return
}

// ---- Workgroups ----

// Departure: the matrix is column-major, as the tile's order says; the RFC has a row-major one here, a pair that its own
// appendix 1 calls incorrect.
#wg_map_tile = #xetile.wg_map<sg_layout = [2, 2], sg_data = [32, 128]>
#wg_tile_attr = #xetile.tile_attr<wg = #wg_map_tile, order = [0, 1], inner_blocks = array<i64: 32,16> >
// CHECK-LABEL: func.func @init_tile_of_a_workgroup
func.func @init_tile_of_a_workgroup(%A: memref<1024x1024xf16, strided<[1, 1024]>>, %m: index, %c0: index) {
  %wg_tile = xetile.init_tile %A[%m, %c0] : memref<1024x1024xf16, strided<[1, 1024]>> -> !xetile.tile<128x128xf16, #wg_tile_attr>
  // CHECK-NEXT: %wg_tile = xetile.init_tile %A[%m, %c0] : memref<1024x1024xf16, strided<[1, 1024]>> -> !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [32, 128]>, order = [0, 1], inner_blocks = [32, 16]>>
  func.return
}

// Table of operations with maps: the RFC does not say what #mp_a and #mp_c are.
#mp_c = #xetile.wg_map<sg_layout = [2, 4], sg_data = [32, 32]>
#mp_a = #xetile.wg_map<sg_layout = [4, 2], sg_data = [8, 32]>

// CHECK-LABEL: func.func @table_tile_mma_with_map
func.func @table_tile_mma_with_map(%vector_a: vector<64x32xbf16>, %vector_b: vector<32x128xbf16>, %vector_c: vector<64x128xf32>) {
  %result = xetile.tile_mma %vector_a, %vector_b, %vector_c {#mp_c} : vector<64x32xbf16>, vector<32x128xbf16>, vector<64x128xf32> into vector<64x128xf32>
  // CHECK-NEXT: %result = xetile.tile_mma %vector_a, %vector_b, %vector_c {wg_map_c = #xetile.wg_map<sg_layout = [2, 4], sg_data = [32, 32]>} : vector<64x32xbf16>, vector<32x128xbf16>, vector<64x128xf32> -> vector<64x128xf32>
  func.return
}

// CHECK-LABEL: func.func @table_tile_transpose_with_map
func.func @table_tile_transpose_with_map(%vector_b: vector<64x32xf32>) {
  %vector_a = xetile.tile_transpose %vector_b {#mp_a}: vector<64x32xf32> into vector<32x64xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_transpose %vector_b, [1, 0] {wg_map_result = #xetile.wg_map<sg_layout = [4, 2], sg_data = [8, 32]>} : vector<64x32xf32> -> vector<32x64xf32>
  func.return
}

#mp_column = #xetile.wg_map<sg_layout = [8, 1], sg_data = [8, 1]>
// CHECK-LABEL: func.func @table_tile_reduce_with_map
func.func @table_tile_reduce_with_map(%vector_b: vector<64x32xf32>) {
  %vector_a = xetile.tile_reduce <add> %vector_b [1] {#mp_column}: vector<64x32xf32> into vector<64x1xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_reduce <add>, %vector_b [1] {wg_map_result = #xetile.wg_map<sg_layout = [8, 1], sg_data = [8, 1]>} : vector<64x32xf32> -> vector<64x1xf32>
  func.return
}

// CHECK-LABEL: func.func @table_tile_broadcast_with_map
func.func @table_tile_broadcast_with_map(%vector_b: vector<1x32xf32>) {
  %vector_a = xetile.tile_broadcast %vector_b  [0] {#mp_a}: vector<1x32xf32> into vector<64x32xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_broadcast %vector_b [0] {wg_map_result = #xetile.wg_map<sg_layout = [4, 2], sg_data = [8, 32]>} : vector<1x32xf32> -> vector<64x32xf32>
  func.return
}

// CHECK-LABEL: func.func @table_tile_conv_layout_with_map
func.func @table_tile_conv_layout_with_map(%vector_b: vector<256x256xf32>) {
  %vector_a = xetile.tile_conv_layout %vector_b {#mp_a} : vector<256x256xf32> into vector<256x256xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_conv_layout %vector_b {wg_map_result = #xetile.wg_map<sg_layout = [4, 2], sg_data = [8, 32]>} : vector<256x256xf32>
  func.return
}

// Departures: A is 256x32 and B 32x256 of bf16 (the RFC lists C's type first and puts A and B in its place).
#wg_map_d = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
// CHECK-LABEL: func.func @tile_mma_of_a_workgroup
func.func @tile_mma_of_a_workgroup(%vector_a: vector<256x32xbf16>, %vector_b: vector<32x256xbf16>, %vector_c: vector<256x256xf32>) {
  %vector_d = xetile.tile_mma %vector_a, %vector_b, %vector_c {#wg_map_d} : vector<256x32xbf16>, vector<32x256xbf16>, vector<256x256xf32> into vector<256x256xf32>
  // CHECK-NEXT: %vector_d = xetile.tile_mma %vector_a, %vector_b, %vector_c {wg_map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x32xbf16>, vector<32x256xbf16>, vector<256x256xf32> -> vector<256x256xf32>
  func.return
}

#wg_map_reduced = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 1]>
// CHECK-LABEL: func.func @tile_reduce_of_a_workgroup
func.func @tile_reduce_of_a_workgroup(%vector_b: vector<256x128xf32>) {
  %vector_a = xetile.tile_reduce <add> %vector_b [1] {#wg_map_reduced}: vector<256x128xf32> into vector<256x1xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_reduce <add>, %vector_b [1] {wg_map_result = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 1]>} : vector<256x128xf32> -> vector<256x1xf32>
  func.return
}

#wg_map_broadcast = #xetile.wg_map<sg_layout = [16, 1], sg_data = [16, 256]>
// CHECK-LABEL: func.func @tile_broadcast_of_a_workgroup
func.func @tile_broadcast_of_a_workgroup(%vector_b: vector<256x1xf32>) {
  %vector_a = xetile.tile_broadcast %vector_b [1] {#wg_map_broadcast}: vector<256x1xf32> into vector<256x256xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_broadcast %vector_b [1] {wg_map_result = #xetile.wg_map<sg_layout = [16, 1], sg_data = [16, 256]>} : vector<256x1xf32> -> vector<256x256xf32>
  func.return
}

#wg_map_transposed = #xetile.wg_map<sg_layout = [4, 8], sg_data = [32, 64]>
// CHECK-LABEL: func.func @tile_transpose_of_a_workgroup
func.func @tile_transpose_of_a_workgroup(%vector_b: vector<512x128xf32>) {
  %vector_a = xetile.tile_transpose %vector_b {#wg_map_transposed}: vector<512x128xf32> into vector<128x512xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_transpose %vector_b, [1, 0] {wg_map_result = #xetile.wg_map<sg_layout = [4, 8], sg_data = [32, 64]>} : vector<512x128xf32> -> vector<128x512xf32>
  func.return
}

// Departure: two maps are named. By position the RFC has the result's first here, and the source's in appendix 2.2.
#wg_map_source = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#wg_map_rows = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 256]>
// CHECK-LABEL: func.func @tile_conv_layout_both_maps
func.func @tile_conv_layout_both_maps(%vector_b: vector<256x256xf32>) {
  %vector_a = xetile.tile_conv_layout %vector_b {wg_map_result = #wg_map_rows, wg_map_source = #wg_map_source}: vector<256x256xf32> into vector<256x256xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_conv_layout %vector_b {wg_map_result = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 256]>, wg_map_source = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x256xf32>
  func.return
}

// CHECK-LABEL: func.func @tile_conv_layout_one_map
func.func @tile_conv_layout_one_map(%vector_b: vector<256x256xf32>) {
  %vector_a = xetile.tile_conv_layout %vector_b {#wg_map_rows}: vector<256x256xf32> into vector<256x256xf32>
  // CHECK-NEXT: %vector_a = xetile.tile_conv_layout %vector_b {wg_map_result = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 256]>} : vector<256x256xf32>
  func.return
}

// ---- Appendix 1: which tiles agree with their memref ----

// CHECK-LABEL: func.func @orders_that_agree
func.func @orders_that_agree(%rows: memref<1024x1024xf16>, %columns: memref<1024x1024xf16, affine_map<(d0, d1) -> (d1, d0)>>) {
  %said = xetile.init_tile %rows[0, 0] : memref<1024x1024xf16> -> !xetile.tile<64x32xf16, #xetile.tile_attr<order = [1, 0]>>
  // CHECK-NEXT: %said = xetile.init_tile %rows[0, 0] : memref<1024x1024xf16> -> !xetile.tile<64x32xf16>
  %default = xetile.init_tile %rows[0, 0] : memref<1024x1024xf16> -> !xetile.tile<64x32xf16>
  // CHECK-NEXT: %default = xetile.init_tile %rows[0, 0] : memref<1024x1024xf16> -> !xetile.tile<64x32xf16>
  %exchanged = xetile.init_tile %columns[0, 0] : memref<1024x1024xf16, affine_map<(d0, d1) -> (d1, d0)>> -> !xetile.tile<64x32xf16, #xetile.tile_attr<order = [0, 1]>>
  // CHECK-NEXT: %exchanged = xetile.init_tile %columns[0, 0] : memref<1024x1024xf16, affine_map<(d0, d1) -> (d1, d0)>> -> !xetile.tile<64x32xf16, #xetile.tile_attr<order = [0, 1]>>
  func.return
}
