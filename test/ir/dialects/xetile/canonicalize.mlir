// RUN: xetile-opt %s --allow-unregistered-dialect --canonicalize | FileCheck %s

#rows = #xetile.wg_map<sg_layout = [4, 1], sg_data = [16, 64]>
#columns = #xetile.wg_map<sg_layout = [1, 4], sg_data = [64, 16]>

// Packing and unpacking with equal blocks cancel, with other blocks they stay.
// CHECK-LABEL: func.func @pack
// CHECK-SAME: (%[[V:.+]]: vector<64x32xf32>, %[[W:.+]]: vector<4x2x16x16xf32>)
// CHECK-NEXT: %[[U:.+]] = xetile.tile_unpack %[[W]]
// CHECK-NEXT: %[[P:.+]] = xetile.tile_pack %[[U]] {inner_blocks = array<i64: 8, 16>}
// CHECK-NEXT: "test.use"(%[[V]], %[[W]], %[[P]])
func.func @pack(%v: vector<64x32xf32>, %w: vector<4x2x16x16xf32>) {
  %p = xetile.tile_pack %v {inner_blocks = array<i64: 16, 16>} : vector<64x32xf32> -> vector<4x2x16x16xf32>
  %v2 = xetile.tile_unpack %p {inner_blocks = array<i64: 16, 16>} : vector<4x2x16x16xf32> -> vector<64x32xf32>
  %u = xetile.tile_unpack %w {inner_blocks = array<i64: 16, 16>} : vector<4x2x16x16xf32> -> vector<64x32xf32>
  %w2 = xetile.tile_pack %u {inner_blocks = array<i64: 16, 16>} : vector<64x32xf32> -> vector<4x2x16x16xf32>
  %other = xetile.tile_pack %u {inner_blocks = array<i64: 8, 16>} : vector<64x32xf32> -> vector<8x2x8x16xf32>
  "test.use"(%v2, %w2, %other) : (vector<64x32xf32>, vector<4x2x16x16xf32>, vector<8x2x8x16xf32>) -> ()
  func.return
}

// A move by zero is none, as literals, as constants, and of scattered tiles.
// CHECK-LABEL: func.func @moves
// CHECK-SAME: (%[[T:.+]]: !xetile.tile<8x16xf32>, %[[G:.+]]: !xetile.tile<4x16xf32,
// CHECK-NEXT: %[[C:.+]] = xetile.update_tile_offset %[[T]], [0, 1]
// CHECK-NEXT: "test.use"(%[[T]], %[[T]], %[[C]], %[[G]])
func.func @moves(%t: !xetile.tile<8x16xf32>, %g: !xetile.tile<4x16xf32, #xetile.tile_attr<scattered = true>>) {
  %zero = arith.constant 0 : index
  %none = arith.constant dense<0> : vector<4x16xindex>
  %a = xetile.update_tile_offset %t, [0, 0] : !xetile.tile<8x16xf32>
  %b = xetile.update_tile_offset %a, [%zero, 0] : !xetile.tile<8x16xf32>
  %c = xetile.update_tile_offset %t, [0, 1] : !xetile.tile<8x16xf32>
  %h = xetile.update_tile_offset %g, %none : !xetile.tile<4x16xf32, #xetile.tile_attr<scattered = true>>, vector<4x16xindex>
  "test.use"(%a, %b, %c, %h) : (!xetile.tile<8x16xf32>, !xetile.tile<8x16xf32>, !xetile.tile<8x16xf32>, !xetile.tile<4x16xf32, #xetile.tile_attr<scattered = true>>) -> ()
  func.return
}

// A transpose of a transpose, and one that exchanges nothing.
// CHECK-LABEL: func.func @transposes
// CHECK-SAME: (%[[V:.+]]: vector<64x64xf32>, %[[B:.+]]: vector<4x2x16x8xf32>)
// CHECK-NEXT: "test.use"(%[[V]], %[[V]], %[[B]])
func.func @transposes(%v: vector<64x64xf32>, %b: vector<4x2x16x8xf32>) {
  %r = xetile.tile_transpose %v, [1, 0] : vector<64x64xf32> -> vector<64x64xf32>
  %s = xetile.tile_transpose %r, [1, 0] : vector<64x64xf32> -> vector<64x64xf32>
  %i = xetile.tile_transpose %v, [0, 1] : vector<64x64xf32> -> vector<64x64xf32>
  %c = xetile.tile_transpose %b, [1, 0, 3, 2] : vector<4x2x16x8xf32> -> vector<2x4x8x16xf32>
  %d = xetile.tile_transpose %c, [1, 0, 3, 2] : vector<2x4x8x16xf32> -> vector<4x2x16x8xf32>
  "test.use"(%s, %i, %d) : (vector<64x64xf32>, vector<64x64xf32>, vector<4x2x16x8xf32>) -> ()
  func.return
}

// With maps a pair goes only where the subgroups that had the data have it again.
// CHECK-LABEL: func.func @transposes_with_maps
// CHECK-SAME: (%[[V:.+]]: vector<64x64xf32>)
// CHECK-NEXT: %[[R:.+]] = xetile.tile_transpose %[[V]], [1, 0] {wg_map_result = #xetile.wg_map<sg_layout = [1, 4], sg_data = [64, 16]>}
// CHECK-NEXT: %[[T:.+]] = xetile.tile_transpose %[[R]], [1, 0] {wg_map_result = #xetile.wg_map<sg_layout = [1, 4], sg_data = [64, 16]>
// CHECK-NEXT: "test.use"(%[[V]], %[[T]])
func.func @transposes_with_maps(%v: vector<64x64xf32>) {
  %r = xetile.tile_transpose %v, [1, 0] {wg_map_result = #columns} : vector<64x64xf32> -> vector<64x64xf32>
  %s = xetile.tile_transpose %r, [1, 0] {wg_map_result = #rows} : vector<64x64xf32> -> vector<64x64xf32>
  %t = xetile.tile_transpose %r, [1, 0] {wg_map_result = #columns, wg_map_source = #columns} : vector<64x64xf32> -> vector<64x64xf32>
  "test.use"(%s, %t) : (vector<64x64xf32>, vector<64x64xf32>) -> ()
  func.return
}

// Between equal maps nothing moves; the map may be the producer's.
// CHECK-LABEL: func.func @layouts
// CHECK-NEXT: %[[V:.+]] = xetile.load_tile
// CHECK-NEXT: %[[C:.+]] = xetile.tile_conv_layout %[[V]] {wg_map_result = #xetile.wg_map<sg_layout = [1, 4], sg_data = [64, 16]>}
// CHECK-NEXT: "test.use"(%[[V]], %[[C]], %[[C]])
func.func @layouts(%t: !xetile.tile<64x64xf32, #rows>) {
  %v = xetile.load_tile %t : !xetile.tile<64x64xf32, #rows> -> vector<64x64xf32>
  %a = xetile.tile_conv_layout %v {wg_map_result = #rows} : vector<64x64xf32>
  %b = xetile.tile_conv_layout %v {wg_map_result = #columns} : vector<64x64xf32>
  %c = xetile.tile_conv_layout %b {wg_map_result = #columns, wg_map_source = #columns} : vector<64x64xf32>
  "test.use"(%a, %b, %c) : (vector<64x64xf32>, vector<64x64xf32>, vector<64x64xf32>) -> ()
  func.return
}

// Over nothing; but a reduction of one element is not always that element (a sum starts at zero).
// CHECK-LABEL: func.func @nothing
// CHECK-SAME: (%[[V:.+]]: vector<64x1xf32>)
// CHECK-NEXT: %[[R:.+]] = xetile.tile_reduce <add>, %[[V]] [1]
// CHECK-NEXT: "test.use"(%[[V]], %[[V]], %[[V]], %[[R]])
func.func @nothing(%v: vector<64x1xf32>) {
  %a = xetile.tile_broadcast %v [] : vector<64x1xf32> -> vector<64x1xf32>
  %b = xetile.tile_broadcast %v [1] : vector<64x1xf32> -> vector<64x1xf32>
  %c = xetile.tile_reduce <add>, %v [] : vector<64x1xf32> -> vector<64x1xf32>
  %d = xetile.tile_reduce <add>, %v [1] : vector<64x1xf32> -> vector<64x1xf32>
  "test.use"(%a, %b, %c, %d) : (vector<64x1xf32>, vector<64x1xf32>, vector<64x1xf32>, vector<64x1xf32>) -> ()
  func.return
}
