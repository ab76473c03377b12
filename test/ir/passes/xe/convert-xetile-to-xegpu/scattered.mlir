// RUN: xetile-opt --xetile-blocking=device=bmg --convert-xetile-to-xegpu=device=bmg %s | FileCheck %s

// Gathers and scatters of single elements: masks say which are inside of the memref, and a padding is selected.

#scattered = #xetile.tile_attr<scattered = true>

// CHECK-LABEL: gpu.func @gathered
// CHECK: %[[SIZE:.*]] = arith.constant dense<1000> : vector<4x16xindex>
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[I:.*]], %[[SIZE]] : vector<4x16xindex>
// CHECK: %[[M:.*]] = arith.andi %{{.*}}, %[[INSIDE]] : vector<4x16xi1>
// CHECK: %[[V:.*]] = xegpu.load %A[%[[I]]], %[[M]] <{l1_hint = #xegpu.cache_hint<cached>}> : memref<1000xf32>, vector<4x16xindex>, vector<4x16xi1> -> vector<4x16xf32>
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<4x16xf32>
// CHECK: %[[P:.*]] = arith.select %[[M]], %[[V]], %[[ONE]]
// CHECK: %[[J:.*]] = arith.addi %[[I]], %{{.*}} : vector<4x16xindex>
// CHECK: %[[IN2:.*]] = arith.cmpi ult, %[[J]], %[[SIZE]]
// CHECK: %[[N:.*]] = arith.andi %{{.*}}, %[[IN2]]
// CHECK: xegpu.store %[[P]], %A[%[[J]]], %[[N]]  : vector<4x16xf32>, memref<1000xf32>, vector<4x16xindex>, vector<4x16xi1>
gpu.module @m {
  gpu.func @gathered(%A: memref<1000xf32>, %mask: vector<4x16xi1>, %i: vector<4x16xindex>) kernel {
    %steps = arith.constant dense<3> : vector<4x16xindex>
    %t = xetile.init_tile %A, %i : memref<1000xf32>, vector<4x16xindex> -> !xetile.tile<4x16xf32, #scattered>
    %v = xetile.load_gather %t, %mask {padding = 1.0, l1_hint = #xetile.cache_hint<cached>} : !xetile.tile<4x16xf32, #scattered>, vector<4x16xi1> -> vector<4x16xf32>
    %u = xetile.update_tile_offset %t, %steps : !xetile.tile<4x16xf32, #scattered>, vector<4x16xindex>
    xetile.store_scatter %v, %u, %mask : vector<4x16xf32>, !xetile.tile<4x16xf32, #scattered>, vector<4x16xi1>
    gpu.return
  }

  // A block's elements are one row of a descriptor; those outside of the surface are masked off. An address has no
  // bounds, so its scattered tiles have no masks.

  // CHECK-LABEL: gpu.func @atomic
  // CHECK: %[[D:.*]] = xegpu.create_tdesc %{{.*}}, %{{.*}} : i64, vector<128xindex> -> !xegpu.tensor_desc<128xf32, #xegpu.scatter_tdesc_attr<>>
  // CHECK: %[[V:.*]] = vector.shape_cast %{{.*}} : vector<8x16xf32> to vector<128xf32>
  // CHECK: %[[OLD:.*]] = xegpu.atomic_rmw addf %[[D]], %{{.*}}, %[[V]] : {{.*}}, vector<128xi1>, vector<128xf32> -> vector<128xf32>
  // CHECK: vector.shape_cast %[[OLD]] : vector<128xf32> to vector<8x16xf32>
  // CHECK: %[[ALL:.*]] = xegpu.create_tdesc %address, %{{.*}} : i64, vector<64xindex>
  // CHECK: xegpu.atomic_rmw maxs %[[ALL]], %{{.*}}, %{{.*}} : !xegpu.tensor_desc<64xi32
  gpu.func @atomic(%B: memref<9x7xf32>, %v: vector<8x16xf32>, %r: index, %address: i64, %i: vector<4x16xindex>, %w: vector<4x16xi32>) kernel {
    %b = xetile.init_tile %B[%r, 0] : memref<9x7xf32> -> !xetile.tile<8x16xf32>
    %old = xetile.atomic_rmw_tile <addf> %v, %b : vector<8x16xf32>, !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %t = xetile.init_tile %address, %i : i64, vector<4x16xindex> -> !xetile.tile<4x16xi32, #scattered>
    %most = xetile.atomic_rmw_tile <maxs> %w, %t : vector<4x16xi32>, !xetile.tile<4x16xi32, #scattered> -> vector<4x16xi32>
    gpu.return
  }
}
