// What cannot be distributed over subgroups. One error per chunk.
//
// RUN: xetile-opt --xetile-wg-to-sg=loads=mapped %s --split-input-file --verify-diagnostics

#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [8, 16]>
#tile = #xetile.tile_attr<wg_map = #map>
// expected-error @below {{the workgroup-level function takes an argument of type vector<16x16xf32>; expected memrefs, addresses and scalars, from which tiles are made inside}}
func.func @f(%A: memref<16x16xf32>, %v: vector<16x16xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  xetile.store_tile %v, %t : vector<16x16xf32>, !xetile.tile<16x16xf32, #tile>
  func.return
}

// -----

#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [8, 16]>
gpu.module @m {
  gpu.func @f(%A: memref<16x16xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error @below {{sg_layout [2, 1] has 2 subgroups, the workgroup has 4}}
    %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #map>>
    gpu.return
  }
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>, inner_blocks = [16, 16]>
func.func @f(%A: memref<32x16xf32>) {
  // expected-error @below {{inner_blocks [16, 16] do not divide sg_data [8, 16], the tile of one subgroup}}
  %t = xetile.init_tile %A[0, 0] : memref<32x16xf32> -> !xetile.tile<32x16xf32, #tile>
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>, inner_blocks = [8, 8]>
func.func @f(%A: memref<16x16xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{!xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>, inner_blocks = [8, 8]>> moves blocks, a vector of rank 4, and maps distribute those of rank 2; leave inner_blocks to xetile-blocking}}
  %v = xetile.load_tile %t : !xetile.tile<16x16xf32, #tile> -> vector<2x2x8x8xf32>
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f() {
  %A = memref.alloc() : memref<1x16x16xf32>
  %B = memref.collapse_shape %A [[0, 1], [2]] : memref<1x16x16xf32> into memref<16x16xf32>
  // expected-error @below {{the tile is of a memref<1x16x16xf32> that every subgroup would allocate for itself; allocate it in shared memory (memory space 3)}}
  %t = xetile.init_tile %B[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'gpu.subgroup_id' differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; use gpu.block_id, or write the kernel at subgroup level}}
  %i = gpu.subgroup_id : index
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'gpu.thread_id' differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; use gpu.block_id, or write the kernel at subgroup level}}
  %i = gpu.thread_id x
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'gpu.lane_id' differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; use gpu.block_id, or write the kernel at subgroup level}}
  %i = gpu.lane_id
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'gpu.global_id' differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; use gpu.block_id, or write the kernel at subgroup level}}
  %i = gpu.global_id x
  func.return
}

// -----

// Nor is there one that counts subgroups.
#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>) attributes {VectorComputeFunctionINTEL} {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'gpu.global_id' differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; use gpu.block_id, or write the kernel at subgroup level}}
  %i = gpu.global_id x
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>, %x: f32, %i: i32, %w: i32) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'gpu.shuffle' differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; use gpu.block_id, or write the kernel at subgroup level}}
  %v, %valid = gpu.shuffle xor %x, %i, %w : f32
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>, %x: f32) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'gpu.rotate' differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; use gpu.block_id, or write the kernel at subgroup level}}
  %v, %valid = gpu.rotate %x, 3, 16 : f32
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>, %x: f32) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'gpu.subgroup_broadcast' differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; use gpu.block_id, or write the kernel at subgroup level}}
  %v = gpu.subgroup_broadcast %x, first_active_lane : f32
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>, %x: f32) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'gpu.subgroup_reduce' differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; use gpu.block_id, or write the kernel at subgroup level}}
  %v = gpu.subgroup_reduce add %x : (f32) -> f32
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>, %x: f32) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'gpu.all_reduce' differs inside of a workgroup, which a workgroup-level kernel is written for as a whole; use gpu.block_id, or write the kernel at subgroup level}}
  %v = gpu.all_reduce add %x {} : (f32) -> f32
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>, %x: f32, %i: index) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'memref.atomic_rmw' would be done once by every subgroup instead of once by the workgroup; use xetile.atomic_rmw_tile, or write the kernel at subgroup level}}
  %old = memref.atomic_rmw addf %x, %A[%i, %i] : (f32, memref<16x16xf32>) -> f32
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @count(%A: memref<16x16xf32>, %x: f32, %i: index) {
  %old = memref.atomic_rmw addf %x, %A[%i, %i] : (f32, memref<16x16xf32>) -> f32
  func.return
}
func.func @f(%A: memref<16x16xf32>, %x: f32, %i: index) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'func.call' calls @count, whose 'memref.atomic_rmw' would be done once by every subgroup instead of once by the workgroup; use xetile.atomic_rmw_tile, or write the kernel at subgroup level}}
  func.call @count(%A, %x, %i) : (memref<16x16xf32>, f32, index) -> ()
  func.return
}

// -----

#map = #xetile.wg_map<sg_layout = [2, 1], sg_data = [8, 16]>
func.func @f(%A: memref<16x16xf32>, %i: index) {
  // expected-error @below {{'vector.load' makes a vector<16x16xf32> that subgroups shall hold in parts (sg_layout = [2, 1], sg_data = [8, 16]); make it by an op of xetile, or with sg_data = [16, 16] and a tile_conv_layout after it}}
  %v = vector.load %A[%i, %i] {wg_map = #map} : memref<16x16xf32>, vector<16x16xf32>
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  %v = xetile.load_tile %t : !xetile.tile<16x16xf32, #tile> -> vector<16x16xf32>
  // expected-error @below {{'vector.extract' needs all of a vector<16x16xf32> that subgroups hold in parts (sg_layout = [2, 1], sg_data = [8, 16]); use an op of xetile, or a tile_conv_layout to sg_data = [16, 16] before it}}
  %x = vector.extract %v[0, 0] : f32 from vector<16x16xf32>
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func private @g(!xetile.tile<16x16xf32, #tile>)
func.func @f(%A: memref<16x16xf32>) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #tile>
  // expected-error @below {{'func.call' cannot take a workgroup's tile !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>>}}
  func.call @g(%t) : (!xetile.tile<16x16xf32, #tile>) -> ()
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func private @g() -> !xetile.tile<16x16xf32, #tile>
func.func @f() {
  // expected-error @below {{'func.call' makes a workgroup's tile !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>>; expected xetile.init_tile}}
  %t = func.call @g() : () -> !xetile.tile<16x16xf32, #tile>
  %v = xetile.load_tile %t : !xetile.tile<16x16xf32, #tile> -> vector<16x16xf32>
  func.return
}

// -----

#map = #xetile.wg_map<sg_layout = [1, 2], sg_data = [16, 8]>
#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 1], sg_data = [8, 16]>>
func.func @f(%A: memref<16x16xsi2>) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xsi2> -> !xetile.tile<16x16xsi2, #tile>
  %v = xetile.load_tile %t : !xetile.tile<16x16xsi2, #tile> -> vector<16x16xsi2>
  // expected-error @below {{elements of si2 cannot be exchanged between subgroups; expected signless integers or at least 8 bits}}
  %r = xetile.tile_conv_layout %v {wg_map_result = #map} : vector<16x16xsi2>
  func.return
}

// -----

#source = #xetile.wg_map<sg_layout = [2, 1], sg_data = [8, 8]>
#tile = #xetile.tile_attr<wg_map = #source>
func.func @f(%A: memref<16x16xui8>) {
  %t = xetile.init_tile %A[0, 0] : memref<16x16xui8> -> !xetile.tile<16x16xui8, #tile>
  %v = xetile.load_tile %t : !xetile.tile<16x16xui8, #tile> -> vector<16x16xui8>
  // expected-error @below {{elements of ui8 cannot be reduced over several units of a subgroup; expected signless integers, or one unit along the reduced dimension}}
  %r = xetile.tile_reduce <add>, %v [1] {wg_map_result = #xetile.wg_map<sg_layout = [2, 1], sg_data = [8, 1]>, wg_map_source = #source} : vector<16x16xui8> -> vector<16x1xui8>
  func.return
}

// -----

#tile = #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [1, 1]>>
func.func @units(%A: memref<4096x4096xf32>) {
  // expected-error @below {{gives each subgroup 4194304 units of 1x1, expected at most 4096; #xetile.wg_map<sg_layout = [2, 2], sg_data = [1, 1]> needs larger sg_data}}
  %t = xetile.init_tile %A[0, 0] : memref<4096x4096xf32> -> !xetile.tile<4096x4096xf32, #tile>
  %v = xetile.load_tile %t : !xetile.tile<4096x4096xf32, #tile> -> vector<4096x4096xf32>
  func.return
}
