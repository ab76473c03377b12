// RUN: xetile-opt --xetile-wg-to-sg --split-input-file %s | FileCheck %s

// Of a mask with constant bounds each subgroup has what counts from its own unit on; of a column of numbers its rows.

#rows = #xetile.wg_map<sg_layout = [2, 1], sg_data = [8, 16]>

// CHECK-LABEL: gpu.func @masks
// CHECK: %[[START:.*]] = arith.muli %{{.*}}, %c8 : index
// CHECK: %[[LEFT:.*]] = arith.subi %c10, %[[START]] : index
// CHECK-NEXT: %[[POSITIVE:.*]] = arith.maxsi %[[LEFT]], %c0 : index
// CHECK-NEXT: %[[ROWS:.*]] = arith.minsi %[[POSITIVE]], %c8 : index
// CHECK-NEXT: %[[INSIDE:.*]] = vector.create_mask %[[ROWS]], %c16 : vector<8x16xi1>
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[START]], %c8 : index
// CHECK-NEXT: %[[PART:.*]] = arith.select %[[IS]], %{{.*}}, %{{.*}} : vector<8xindex>
// CHECK-NEXT: %[[COLUMN:.*]] = vector.shape_cast %[[PART]] : vector<8xindex> to vector<8x1xindex>
// CHECK-NEXT: xetile.tile_broadcast %[[COLUMN]] [1] : vector<8x1xindex> -> vector<8x16xindex>
// CHECK: arith.select %[[INSIDE]], %{{.*}} : vector<8x16xi1>, vector<8x16xf32>
gpu.module @m {
  gpu.func @masks(%src: memref<16x16xf32>, %n: index) kernel {
    %inside = vector.constant_mask [10, 16] : vector<16x16xi1>
    %step = vector.step : vector<16xindex>
    %column = vector.shape_cast %step : vector<16xindex> to vector<16x1xindex>
    %rows = vector.broadcast %column : vector<16x1xindex> to vector<16x16xindex>
    %numbers = arith.index_cast %rows : vector<16x16xindex> to vector<16x16xi32>
    %floats = arith.sitofp %numbers : vector<16x16xi32> to vector<16x16xf32>
    %zero = arith.constant dense<0.0> : vector<16x16xf32>
    %v = arith.select %inside, %floats, %zero {wg_map = #rows} : vector<16x16xi1>, vector<16x16xf32>
    %t = xetile.init_tile %src[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #rows>>
    xetile.store_tile %v, %t : vector<16x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #rows>>
    gpu.return
  }
}

// -----

// vector.transpose is lowered as xetile.tile_transpose is.

#columns = #xetile.wg_map<sg_layout = [1, 2], sg_data = [16, 8]>
#rows = #xetile.wg_map<sg_layout = [2, 1], sg_data = [8, 16]>

// CHECK-LABEL: gpu.func @turned
// CHECK: %[[V:.*]] = xetile.load_tile %{{.*}} -> vector<16x8xf32>
// CHECK-NEXT: %[[R:.*]] = xetile.tile_transpose %[[V]], [1, 0] : vector<16x8xf32> -> vector<8x16xf32>
// CHECK: xetile.store_tile %[[R]]
gpu.module @m {
  gpu.func @turned(%src: memref<16x16xf32>, %out: memref<16x16xf32>) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #columns>>
    %v = xetile.load_tile %t : !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #columns>> -> vector<16x16xf32>
    %r = vector.transpose %v, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
    %u = xetile.init_tile %out[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #rows>>
    xetile.store_tile %r, %u : vector<16x16xf32>, !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #rows>>
    gpu.return
  }
}

// -----

// A workgroup prints once: its first subgroup does.

#rows = #xetile.wg_map<sg_layout = [2, 1], sg_data = [8, 16]>

// CHECK-LABEL: gpu.func @printing
// CHECK: %[[ID:.*]] = gpu.subgroup_id : index
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ID]], %c0 : index
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: gpu.printf "n is %d\0A", %n : i32
// CHECK-NEXT: }
// CHECK: %[[AGAIN:.*]] = arith.cmpi eq, %[[ID]], %c0 : index
// CHECK-NEXT: scf.if %[[AGAIN]] {
// CHECK-NEXT: vector.print
gpu.module @m {
  gpu.func @printing(%src: memref<16x16xf32>, %n: i32) kernel {
    %t = xetile.init_tile %src[0, 0] : memref<16x16xf32> -> !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #rows>>
    gpu.printf "n is %d\n", %n : i32
    %line = vector.broadcast %n : i32 to vector<4xi32>
    vector.print %line : vector<4xi32>
    xetile.prefetch_tile %t : !xetile.tile<16x16xf32, #xetile.tile_attr<wg_map = #rows>>
    gpu.return
  }
}
