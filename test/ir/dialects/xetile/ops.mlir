// The ops of the xetile dialect, at workgroup, subgroup and blocked level.
//
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s --print-op-generic | xetile-opt | FileCheck %s

// CHECK-LABEL: func.func @types(
// CHECK-SAME: %map: !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>, %all: !xetile.tile<64x32xbf16, #xetile.tile_attr<sg_map = <wi_layout = [2, 8], wi_data = [1, 2]>, order = [0, 1], inner_blocks = [16, 16], memory_space = 3>>, %scattered: !xetile.tile<128xf32, #xetile.tile_attr<scattered = true>>, %plain: !xetile.tile<8x16xi8>
func.func @types(%map: !xetile.tile<256x32xf16, #xetile.tile_attr<wg_map = <sg_layout = [8, 4], sg_data = [32, 32]>>>, %all: !xetile.tile<64x32xbf16, #xetile.tile_attr<sg_map = <wi_layout = [2, 8], wi_data = [1, 2]>, order = [0, 1], inner_blocks = [16, 16], memory_space = 3>>, %scattered: !xetile.tile<128xf32, #xetile.tile_attr<scattered = true>>, %plain: !xetile.tile<8x16xi8>) {
  func.return
}

// CHECK-LABEL: func.func @init_tile(
// CHECK-NEXT: %t = xetile.init_tile %src[%m, 16] : memref<1024x1024xf16> -> !xetile.tile<32x64xf16>
// CHECK-NEXT: %d = xetile.init_tile %dynamic[%m, %n], [%h, %w], [%w, 1] : memref<?x?xf16> -> !xetile.tile<32x64xf16>
// CHECK-NEXT: %b = xetile.init_tile %batch[%n, %m, 0] : memref<4x64x64xf16> -> !xetile.tile<32x64xf16>
// CHECK-NEXT: %c = xetile.init_tile %columns[%m, 0] : memref<64x64xf16, strided<[1, 64]>> -> !xetile.tile<32x64xf16, #xetile.tile_attr<order = [0, 1]>>
// CHECK-NEXT: %s = xetile.init_tile %shared[0, 0] : memref<64x64xf16, 3 : i64> -> !xetile.tile<32x64xf16, #xetile.tile_attr<memory_space = 3>>
// CHECK-NEXT: %a = xetile.init_tile %address[%m, %n], [%h, 128], [128, 1] : i64 -> !xetile.tile<32x64xf16>
// CHECK-NEXT: %g = xetile.init_tile %flat, %indices : memref<1024xf16>, vector<4x32xindex> -> !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>
// CHECK-NEXT: %p = xetile.init_tile %address, %indices : i64, vector<4x32xindex> -> !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>
func.func @init_tile(%src: memref<1024x1024xf16>, %dynamic: memref<?x?xf16>, %batch: memref<4x64x64xf16>, %columns: memref<64x64xf16, strided<[1, 64]>>, %shared: memref<64x64xf16, 3 : i64>, %address: i64, %flat: memref<1024xf16>, %indices: vector<4x32xindex>, %m: index, %n: index, %h: index, %w: index) {
  %t = xetile.init_tile %src[%m, 16] : memref<1024x1024xf16> -> !xetile.tile<32x64xf16>
  %d = xetile.init_tile %dynamic[%m, %n], [%h, %w], [%w, 1] : memref<?x?xf16> -> !xetile.tile<32x64xf16>
  %b = xetile.init_tile %batch[%n, %m, 0] : memref<4x64x64xf16> -> !xetile.tile<32x64xf16>
  %c = xetile.init_tile %columns[%m, 0] : memref<64x64xf16, strided<[1, 64]>> -> !xetile.tile<32x64xf16, #xetile.tile_attr<order = [0, 1]>>
  %s = xetile.init_tile %shared[0, 0] : memref<64x64xf16, 3 : i64> -> !xetile.tile<32x64xf16, #xetile.tile_attr<memory_space = 3>>
  %a = xetile.init_tile %address[%m, %n], [%h, 128], [128, 1] : i64 -> !xetile.tile<32x64xf16>
  %g = xetile.init_tile %flat, %indices : memref<1024xf16>, vector<4x32xindex> -> !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>
  %p = xetile.init_tile %address, %indices : i64, vector<4x32xindex> -> !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>
  func.return
}

// CHECK-LABEL: func.func @load_tile(
// CHECK-NEXT: %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT: %p = xetile.load_tile %t {padding = 1.000000e+00 : f64, l1_hint = #xetile.cache_hint<cached>, l2_hint = #xetile.cache_hint<streaming>, l3_hint = #xetile.cache_hint<uncached>} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT: %z = xetile.load_tile %t {padding = 0.000000e+00 : f64} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
// CHECK-NEXT: %n = xetile.load_tile %i {padding = -1 : i64} : !xetile.tile<8x16xi32> -> vector<8x16xi32>
// CHECK-NEXT: %b = xetile.load_tile %blocked : !xetile.tile<64x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>> -> vector<4x2x16x16xf16>
func.func @load_tile(%t: !xetile.tile<64x32xf16>, %blocked: !xetile.tile<64x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>>, %i: !xetile.tile<8x16xi32>) {
  %v = xetile.load_tile %t : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %p = xetile.load_tile %t {padding = 1.000000e+00 : f64, l1_hint = #xetile.cache_hint<cached>, l2_hint = #xetile.cache_hint<streaming>, l3_hint = #xetile.cache_hint<uncached>} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %z = xetile.load_tile %t {padding = 0.000000e+00 : f64} : !xetile.tile<64x32xf16> -> vector<64x32xf16>
  %n = xetile.load_tile %i {padding = -1 : i64} : !xetile.tile<8x16xi32> -> vector<8x16xi32>
  %b = xetile.load_tile %blocked : !xetile.tile<64x32xf16, #xetile.tile_attr<inner_blocks = [16, 16]>> -> vector<4x2x16x16xf16>
  func.return
}

// CHECK-LABEL: func.func @store_tile(
// CHECK-NEXT: xetile.store_tile %v, %t : vector<64x32xf32>, !xetile.tile<64x32xf32>
// CHECK-NEXT: xetile.store_tile %v, %t {l1_hint = #xetile.cache_hint<write_back>} : vector<64x32xf32>, !xetile.tile<64x32xf32>
// CHECK-NEXT: xetile.store_tile %w, %blocked : vector<4x2x16x16xf32>, !xetile.tile<64x32xf32, #xetile.tile_attr<inner_blocks = [16, 16]>>
func.func @store_tile(%v: vector<64x32xf32>, %t: !xetile.tile<64x32xf32>, %w: vector<4x2x16x16xf32>, %blocked: !xetile.tile<64x32xf32, #xetile.tile_attr<inner_blocks = [16, 16]>>) {
  xetile.store_tile %v, %t : vector<64x32xf32>, !xetile.tile<64x32xf32>
  xetile.store_tile %v, %t {l1_hint = #xetile.cache_hint<write_back>} : vector<64x32xf32>, !xetile.tile<64x32xf32>
  xetile.store_tile %w, %blocked : vector<4x2x16x16xf32>, !xetile.tile<64x32xf32, #xetile.tile_attr<inner_blocks = [16, 16]>>
  func.return
}

// CHECK-LABEL: func.func @prefetch_tile(
// CHECK-NEXT: xetile.prefetch_tile %t : !xetile.tile<16x32xbf16>
// CHECK-NEXT: xetile.prefetch_tile %t {l1_hint = #xetile.cache_hint<cached>} : !xetile.tile<16x32xbf16>
// CHECK-NEXT: xetile.prefetch_tile %t {locality = 3 : i64} : !xetile.tile<16x32xbf16>
func.func @prefetch_tile(%t: !xetile.tile<16x32xbf16>) {
  xetile.prefetch_tile %t : !xetile.tile<16x32xbf16>
  xetile.prefetch_tile %t {l1_hint = #xetile.cache_hint<cached>} : !xetile.tile<16x32xbf16>
  xetile.prefetch_tile %t {locality = 3 : i64} : !xetile.tile<16x32xbf16>
  func.return
}

// CHECK-LABEL: func.func @update_tile_offset(
// CHECK-NEXT: %u = xetile.update_tile_offset %t, [%dx, %dy] : !xetile.tile<32x32xf32>
// CHECK-NEXT: %l = xetile.update_tile_offset %u, [0, %dy] : !xetile.tile<32x32xf32>
// CHECK-NEXT: %h = xetile.update_tile_offset %g, %steps : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xindex>
func.func @update_tile_offset(%t: !xetile.tile<32x32xf32>, %g: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, %steps: vector<4x32xindex>, %dx: index, %dy: index) {
  %u = xetile.update_tile_offset %t, [%dx, %dy] : !xetile.tile<32x32xf32>
  %l = xetile.update_tile_offset %u, [0, %dy] : !xetile.tile<32x32xf32>
  %h = xetile.update_tile_offset %g, %steps : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xindex>
  func.return
}

// CHECK-LABEL: func.func @tile_mma(
// CHECK-NEXT: %d = xetile.tile_mma %a, %b, %c {wg_map_a = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>, wg_map_b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>, wg_map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
// CHECK-NEXT: %e = xetile.tile_mma %a, %b, %c {wg_map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
// CHECK-NEXT: %f = xetile.tile_mma %a, %b {wg_map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x32xf16>, vector<32x256xf16> -> vector<256x256xf32>
// CHECK-NEXT: %g = xetile.tile_mma %x, %y, %z : vector<8x4x8x8xbf16>, vector<4x8x8x16xbf16>, vector<8x8x8x16xf32> -> vector<8x8x8x16xf32>
func.func @tile_mma(%a: vector<256x32xf16>, %b: vector<32x256xf16>, %c: vector<256x256xf32>, %x: vector<8x4x8x8xbf16>, %y: vector<4x8x8x16xbf16>, %z: vector<8x8x8x16xf32>) {
  %d = xetile.tile_mma %a, %b, %c {wg_map_a = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 32]>, wg_map_b = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>, wg_map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
  %e = xetile.tile_mma %a, %b, %c {wg_map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
  %f = xetile.tile_mma %a, %b {wg_map_c = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x32xf16>, vector<32x256xf16> -> vector<256x256xf32>
  %g = xetile.tile_mma %x, %y, %z : vector<8x4x8x8xbf16>, vector<4x8x8x16xbf16>, vector<8x8x8x16xf32> -> vector<8x8x8x16xf32>
  func.return
}

// CHECK-LABEL: func.func @atomic_rmw_tile(
// CHECK-NEXT: %r = xetile.atomic_rmw_tile <addf> %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32> -> vector<8x16xf32>
// CHECK-NEXT: %s = xetile.atomic_rmw_tile <muli> %i, %u : vector<8x16xi32>, !xetile.tile<8x16xi32> -> vector<8x16xi32>
// CHECK-NEXT: %b = xetile.atomic_rmw_tile <addf> %w, %blocked : vector<8x4x8x16xbf16>, !xetile.tile<64x64xbf16, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<8x4x8x16xbf16>
func.func @atomic_rmw_tile(%v: vector<8x16xf32>, %t: !xetile.tile<8x16xf32>, %i: vector<8x16xi32>, %u: !xetile.tile<8x16xi32>, %w: vector<8x4x8x16xbf16>, %blocked: !xetile.tile<64x64xbf16, #xetile.tile_attr<inner_blocks = [8, 16]>>) {
  %r = xetile.atomic_rmw_tile <addf> %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32> -> vector<8x16xf32>
  %s = xetile.atomic_rmw_tile <muli> %i, %u : vector<8x16xi32>, !xetile.tile<8x16xi32> -> vector<8x16xi32>
  %b = xetile.atomic_rmw_tile <addf> %w, %blocked : vector<8x4x8x16xbf16>, !xetile.tile<64x64xbf16, #xetile.tile_attr<inner_blocks = [8, 16]>> -> vector<8x4x8x16xbf16>
  func.return
}

// CHECK-LABEL: func.func @tile_transpose(
// CHECK-NEXT: %r = xetile.tile_transpose %v, [1, 0] : vector<64x32xf32> -> vector<32x64xf32>
// CHECK-NEXT: %d = xetile.tile_transpose %b, [1, 0, 3, 2] : vector<2x4x16x8xf16> -> vector<4x2x8x16xf16>
// CHECK-NEXT: %m = xetile.tile_transpose %w, [1, 0] {wg_map_result = #xetile.wg_map<sg_layout = [4, 8], sg_data = [32, 64]>, wg_map_source = #xetile.wg_map<sg_layout = [8, 4], sg_data = [64, 32]>} : vector<512x128xf32> -> vector<128x512xf32>
// CHECK-NEXT: %n = xetile.tile_transpose %w, [1, 0] {wg_map_result = #xetile.wg_map<sg_layout = [4, 8], sg_data = [32, 64]>} : vector<512x128xf32> -> vector<128x512xf32>
func.func @tile_transpose(%v: vector<64x32xf32>, %b: vector<2x4x16x8xf16>, %w: vector<512x128xf32>) {
  %r = xetile.tile_transpose %v, [1, 0] : vector<64x32xf32> -> vector<32x64xf32>
  %d = xetile.tile_transpose %b, [1, 0, 3, 2] : vector<2x4x16x8xf16> -> vector<4x2x8x16xf16>
  %m = xetile.tile_transpose %w, [1, 0] {wg_map_result = #xetile.wg_map<sg_layout = [4, 8], sg_data = [32, 64]>, wg_map_source = #xetile.wg_map<sg_layout = [8, 4], sg_data = [64, 32]>} : vector<512x128xf32> -> vector<128x512xf32>
  %n = xetile.tile_transpose %w, [1, 0] {wg_map_result = #xetile.wg_map<sg_layout = [4, 8], sg_data = [32, 64]>} : vector<512x128xf32> -> vector<128x512xf32>
  func.return
}

// CHECK-LABEL: func.func @tile_reduce(
// CHECK-NEXT: %r = xetile.tile_reduce <add>, %v [1] : vector<64x32xf32> -> vector<64x1xf32>
// CHECK-NEXT: %d = xetile.tile_reduce <maximumf>, %b [1, 3] : vector<8x4x8x16xf32> -> vector<8x1x8x1xf32>
// CHECK-NEXT: %m = xetile.tile_reduce <xor>, %w [1] {wg_map_result = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 1]>} : vector<256x128xi32> -> vector<256x1xi32>
// CHECK-NEXT: %s = xetile.tile_reduce <add>, %v [0] {reassoc} : vector<64x32xf32> -> vector<1x32xf32>
func.func @tile_reduce(%v: vector<64x32xf32>, %b: vector<8x4x8x16xf32>, %w: vector<256x128xi32>) {
  %r = xetile.tile_reduce <add>, %v [1] : vector<64x32xf32> -> vector<64x1xf32>
  %d = xetile.tile_reduce <maximumf>, %b [1, 3] : vector<8x4x8x16xf32> -> vector<8x1x8x1xf32>
  %m = xetile.tile_reduce <xor>, %w [1] {wg_map_result = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 1]>} : vector<256x128xi32> -> vector<256x1xi32>
  %s = xetile.tile_reduce <add>, %v [0] {reassoc} : vector<64x32xf32> -> vector<1x32xf32>
  func.return
}

// CHECK-LABEL: func.func @tile_broadcast(
// CHECK-NEXT: %r = xetile.tile_broadcast %v [0] : vector<1x32xf32> -> vector<64x32xf32>
// CHECK-NEXT: %d = xetile.tile_broadcast %b [1, 3] : vector<8x1x8x1xf32> -> vector<8x4x8x16xf32>
// CHECK-NEXT: %m = xetile.tile_broadcast %w [1] {wg_map_result = #xetile.wg_map<sg_layout = [16, 1], sg_data = [16, 256]>, wg_map_source = #xetile.wg_map<sg_layout = [16, 1], sg_data = [16, 1]>} : vector<256x1xf32> -> vector<256x256xf32>
// CHECK-NEXT: %n = xetile.tile_broadcast %w [1] {wg_map_result = #xetile.wg_map<sg_layout = [16, 1], sg_data = [16, 256]>} : vector<256x1xf32> -> vector<256x256xf32>
func.func @tile_broadcast(%v: vector<1x32xf32>, %b: vector<8x1x8x1xf32>, %w: vector<256x1xf32>) {
  %r = xetile.tile_broadcast %v [0] : vector<1x32xf32> -> vector<64x32xf32>
  %d = xetile.tile_broadcast %b [1, 3] : vector<8x1x8x1xf32> -> vector<8x4x8x16xf32>
  %m = xetile.tile_broadcast %w [1] {wg_map_result = #xetile.wg_map<sg_layout = [16, 1], sg_data = [16, 256]>, wg_map_source = #xetile.wg_map<sg_layout = [16, 1], sg_data = [16, 1]>} : vector<256x1xf32> -> vector<256x256xf32>
  %n = xetile.tile_broadcast %w [1] {wg_map_result = #xetile.wg_map<sg_layout = [16, 1], sg_data = [16, 256]>} : vector<256x1xf32> -> vector<256x256xf32>
  func.return
}

// CHECK-LABEL: func.func @tile_conv_layout(
// CHECK-NEXT: %r = xetile.tile_conv_layout %v {wg_map_result = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 256]>, wg_map_source = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x256xf32>
// CHECK-NEXT: %s = xetile.tile_conv_layout %r {wg_map_result = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x256xf32>
func.func @tile_conv_layout(%v: vector<256x256xf32>) {
  %r = xetile.tile_conv_layout %v {wg_map_result = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 256]>, wg_map_source = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x256xf32>
  %s = xetile.tile_conv_layout %r {wg_map_result = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x256xf32>
  func.return
}

// CHECK-LABEL: func.func @load_gather(
// CHECK-NEXT: %g = xetile.load_gather %t, %mask : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1> -> vector<4x32xf16>
// CHECK-NEXT: %p = xetile.load_gather %t, %mask {padding = 1.000000e+00 : f64, l1_hint = #xetile.cache_hint<cached>} : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1> -> vector<4x32xf16>
// CHECK-NEXT: %l = xetile.load_gather %line, %lanes : !xetile.tile<128xf32, #xetile.tile_attr<scattered = true>>, vector<128xi1> -> vector<128xf32>
// CHECK-NEXT: %b = xetile.load_gather %blocked, %blocks : !xetile.tile<4x32xf16, #xetile.tile_attr<inner_blocks = [4, 16], scattered = true>>, vector<1x2x4x16xi1> -> vector<1x2x4x16xf16>
func.func @load_gather(%t: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, %mask: vector<4x32xi1>, %line: !xetile.tile<128xf32, #xetile.tile_attr<scattered = true>>, %lanes: vector<128xi1>, %blocked: !xetile.tile<4x32xf16, #xetile.tile_attr<inner_blocks = [4, 16], scattered = true>>, %blocks: vector<1x2x4x16xi1>) {
  %g = xetile.load_gather %t, %mask : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1> -> vector<4x32xf16>
  %p = xetile.load_gather %t, %mask {padding = 1.000000e+00 : f64, l1_hint = #xetile.cache_hint<cached>} : !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1> -> vector<4x32xf16>
  %l = xetile.load_gather %line, %lanes : !xetile.tile<128xf32, #xetile.tile_attr<scattered = true>>, vector<128xi1> -> vector<128xf32>
  %b = xetile.load_gather %blocked, %blocks : !xetile.tile<4x32xf16, #xetile.tile_attr<inner_blocks = [4, 16], scattered = true>>, vector<1x2x4x16xi1> -> vector<1x2x4x16xf16>
  func.return
}

// CHECK-LABEL: func.func @store_scatter(
// CHECK-NEXT: xetile.store_scatter %v, %t, %mask : vector<4x32xf16>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1>
// CHECK-NEXT: xetile.store_scatter %v, %t, %mask {l1_hint = #xetile.cache_hint<write_through>} : vector<4x32xf16>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1>
// CHECK-NEXT: xetile.store_scatter %w, %blocked, %blocks : vector<1x2x4x16xf16>, !xetile.tile<4x32xf16, #xetile.tile_attr<inner_blocks = [4, 16], scattered = true>>, vector<1x2x4x16xi1>
func.func @store_scatter(%v: vector<4x32xf16>, %t: !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, %mask: vector<4x32xi1>, %w: vector<1x2x4x16xf16>, %blocked: !xetile.tile<4x32xf16, #xetile.tile_attr<inner_blocks = [4, 16], scattered = true>>, %blocks: vector<1x2x4x16xi1>) {
  xetile.store_scatter %v, %t, %mask : vector<4x32xf16>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1>
  xetile.store_scatter %v, %t, %mask {l1_hint = #xetile.cache_hint<write_through>} : vector<4x32xf16>, !xetile.tile<4x32xf16, #xetile.tile_attr<scattered = true>>, vector<4x32xi1>
  xetile.store_scatter %w, %blocked, %blocks : vector<1x2x4x16xf16>, !xetile.tile<4x32xf16, #xetile.tile_attr<inner_blocks = [4, 16], scattered = true>>, vector<1x2x4x16xi1>
  func.return
}

// CHECK-LABEL: func.func @tile_pack(
// CHECK-NEXT: %p = xetile.tile_pack %v {inner_blocks = array<i64: 16, 16>} : vector<64x32xf32> -> vector<4x2x16x16xf32>
// CHECK-NEXT: %u = xetile.tile_unpack %w {inner_blocks = array<i64: 64, 16>} : vector<1x2x64x16xf32> -> vector<64x32xf32>
func.func @tile_pack(%v: vector<64x32xf32>, %w: vector<1x2x64x16xf32>) {
  %p = xetile.tile_pack %v {inner_blocks = array<i64: 16, 16>} : vector<64x32xf32> -> vector<4x2x16x16xf32>
  %u = xetile.tile_unpack %w {inner_blocks = array<i64: 64, 16>} : vector<1x2x64x16xf32> -> vector<64x32xf32>
  func.return
}

// CHECK-LABEL: func.func @maps(
// CHECK-NEXT: %zero = arith.constant {wg_map = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} dense<0.000000e+00> : vector<256x256xf32>
// CHECK-NEXT: %s = arith.addf %v, %w {wg_map = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x256xf32>
func.func @maps(%v: vector<256x256xf32>, %w: vector<256x256xf32>) {
  %zero = arith.constant {wg_map = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} dense<0.000000e+00> : vector<256x256xf32>
  %s = arith.addf %v, %w {wg_map = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>} : vector<256x256xf32>
  func.return
}

// CHECK-LABEL: func.func @check(
// CHECK-NEXT: xetile.check %one, "K is a multiple of 32" : i1
// CHECK-NEXT: xetile.check %rows, "rows lie inside" {test.note = 1 : i32} : vector<64x1xi1>
// CHECK-NEXT: xetile.check %blocks, "rows, 8 at a time" : vector<8x1x8x1xi1>
func.func @check(%one: i1, %rows: vector<64x1xi1>, %blocks: vector<8x1x8x1xi1>) {
  xetile.check %one, "K is a multiple of 32" : i1
  xetile.check %rows, "rows lie inside" {test.note = 1 : i32} : vector<64x1xi1>
  xetile.check %blocks, "rows, 8 at a time" : vector<8x1x8x1xi1>
  func.return
}

// CHECK-LABEL: func.func @swizzle(
// CHECK-SAME: %m: memref<4x2xf32, #xetile.swizzle<offset = {{\[\[}}0, 1], [1, 1], [2, 0]]>, 3 : i64>)
// CHECK-NEXT: %t = xetile.init_tile %m[0, 0] : memref<4x2xf32, #xetile.swizzle<offset = {{\[\[}}0, 1], [1, 1], [2, 0]]>, 3 : i64> -> !xetile.tile<2x2xf32, #xetile.tile_attr<memory_space = 3>>
// CHECK-NEXT: %x = memref.transpose %m (d0, d1) -> (d1, d0) : memref<4x2xf32, #xetile.swizzle<offset = {{\[\[}}0, 1], [1, 1], [2, 0]]>, 3 : i64> to memref<2x4xf32, #xetile.swizzle<offset = {{\[\[}}1, 0], [1, 1], [0, 2]]>, 3 : i64>
#swizzle = #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>
func.func @swizzle(%m: memref<4x2xf32, #swizzle, 3>) {
  %t = xetile.init_tile %m[0, 0] : memref<4x2xf32, #swizzle, 3> -> !xetile.tile<2x2xf32, <memory_space = 3>>
  %x = memref.transpose %m (i, j) -> (j, i) : memref<4x2xf32, #swizzle, 3> to memref<2x4xf32, #xetile.swizzle<offset = [[1, 0], [1, 1], [0, 2]]>, 3>
  func.return
}
