// RUN: xetile-opt --split-input-file --convert-xetile-to-xegpu="device=cri" %s | filecheck %s

#a = #xetile.tile_attr<inner_blocks = [8, 32]>
#b = #xetile.tile_attr<inner_blocks = [32, 16]>
#c = #xetile.tile_attr<inner_blocks = [8, 16]>

// XeGPU multiplies one type by itself: operands of two are bytes, and an attribute says what their bits are.

// CHECK-LABEL: func.func @mixed_signs
// CHECK: xegpu.load_nd {{.*}} -> vector<8x32xsi8>
// CHECK: xegpu.load_nd {{.*}} <{packed}> : {{.*}} -> vector<8x16x4xui8>
// CHECK: [[A:%.*]] = vector.bitcast %{{.*}} : vector<8x32xsi8> to vector<8x32xi8>
// CHECK: [[B:%.*]] = vector.bitcast %{{.*}} : vector<8x16x4xui8> to vector<8x16x4xi8>
// CHECK: xegpu.dpas [[A]], [[B]] {xetile.operand_types = [si8, ui8]} : vector<8x32xi8>, vector<8x16x4xi8> -> vector<8x16xi32>
func.func @mixed_signs(%A: memref<64x64xsi8>, %B: memref<64x64xui8>, %C: memref<64x64xi32>) {
  %a = xetile.init_tile %A[0, 0] : memref<64x64xsi8> -> !xetile.tile<8x32xsi8, #a>
  %b = xetile.init_tile %B[0, 0] : memref<64x64xui8> -> !xetile.tile<32x16xui8, #b>
  %va = xetile.load_tile %a : !xetile.tile<8x32xsi8, #a> -> vector<1x1x8x32xsi8>
  %vb = xetile.load_tile %b : !xetile.tile<32x16xui8, #b> -> vector<1x1x32x16xui8>
  %d = xetile.tile_mma %va, %vb : vector<1x1x8x32xsi8>, vector<1x1x32x16xui8> -> vector<1x1x8x16xi32>
  %c = xetile.init_tile %C[0, 0] : memref<64x64xi32> -> !xetile.tile<8x16xi32, #c>
  xetile.store_tile %d, %c : vector<1x1x8x16xi32>, !xetile.tile<8x16xi32, #c>
  func.return
}

// -----

#a = #xetile.tile_attr<inner_blocks = [8, 32]>
#b = #xetile.tile_attr<inner_blocks = [32, 16]>
#c = #xetile.tile_attr<inner_blocks = [8, 16]>

// XeGPU has no 8-bit floats: messages move bytes.

// CHECK-LABEL: gpu.func @floats
// CHECK: [[P:%.*]] = memref.extract_aligned_pointer_as_index %A : memref<64x64xf8E4M3FN> -> index
// CHECK: [[I:%.*]] = arith.index_cast [[P]] : index to i64
// CHECK: xegpu.create_nd_tdesc [[I]], shape : [64, 64], strides : [64, 1] : i64 -> !xegpu.tensor_desc<8x32xi8>
// CHECK: vector.bitcast %{{.*}} : vector<8x32xi8> to vector<8x32xf8E4M3FN>
// CHECK: vector.bitcast %{{.*}} : vector<8x16x4xi8> to vector<8x16x4xf8E5M2>
// CHECK: xegpu.dpas {{.*}} {xetile.operand_types = [f8E4M3FN, f8E5M2]} : vector<8x32xi8>, vector<8x16x4xi8> -> vector<8x16xf32>
// CHECK: [[N:%.*]] = arith.truncf {{.*}} to vector<8x16xf8E5M2>
// CHECK: [[S:%.*]] = vector.bitcast [[N]] : vector<8x16xf8E5M2> to vector<8x16xi8>
// CHECK: xegpu.store_nd [[S]], {{.*}} : vector<8x16xi8>, !xegpu.tensor_desc<8x16xi8>
gpu.module @m {
  gpu.func @floats(%A: memref<64x64xf8E4M3FN>, %B: memref<64x64xf8E5M2>, %C: memref<64x64xf8E5M2>) kernel {
    %a = xetile.init_tile %A[0, 0] : memref<64x64xf8E4M3FN> -> !xetile.tile<8x32xf8E4M3FN, #a>
    %b = xetile.init_tile %B[0, 0] : memref<64x64xf8E5M2> -> !xetile.tile<32x16xf8E5M2, #b>
    %c = xetile.init_tile %C[0, 0] : memref<64x64xf8E5M2> -> !xetile.tile<8x16xf8E5M2, #c>
    %va = xetile.load_tile %a : !xetile.tile<8x32xf8E4M3FN, #a> -> vector<1x1x8x32xf8E4M3FN>
    %vb = xetile.load_tile %b : !xetile.tile<32x16xf8E5M2, #b> -> vector<1x1x32x16xf8E5M2>
    %d = xetile.tile_mma %va, %vb : vector<1x1x8x32xf8E4M3FN>, vector<1x1x32x16xf8E5M2> -> vector<1x1x8x16xf32>
    %r = arith.truncf %d : vector<1x1x8x16xf32> to vector<1x1x8x16xf8E5M2>
    xetile.store_tile %r, %c : vector<1x1x8x16xf8E5M2>, !xetile.tile<8x16xf8E5M2, #c>
    gpu.return
  }
}

// -----

#c = #xetile.tile_attr<inner_blocks = [8, 16]>

// An i1 is a byte of memory.

// CHECK-LABEL: gpu.func @booleans
// CHECK: [[V:%.*]] = xegpu.load_nd {{.*}} : !xegpu.tensor_desc<8x16xi8> -> vector<8x16xi8>
// CHECK: [[ZERO:%.*]] = arith.constant dense<0> : vector<8x16xi8>
// CHECK: [[M:%.*]] = arith.cmpi ne, [[V]], [[ZERO]] : vector<8x16xi8>
// CHECK: [[B:%.*]] = arith.extui [[M]] : vector<8x16xi1> to vector<8x16xi8>
// CHECK: xegpu.store_nd [[B]]
gpu.module @m {
  gpu.func @booleans(%A: memref<64x64xi1>) kernel {
    %a = xetile.init_tile %A[0, 0] : memref<64x64xi1> -> !xetile.tile<8x16xi1, #c>
    %v = xetile.load_tile %a : !xetile.tile<8x16xi1, #c> -> vector<1x1x8x16xi1>
    xetile.store_tile %v, %a : vector<1x1x8x16xi1>, !xetile.tile<8x16xi1, #c>
    gpu.return
  }
}
