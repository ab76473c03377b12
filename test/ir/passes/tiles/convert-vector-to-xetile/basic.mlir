// RUN: xetile-opt --convert-vector-to-xetile %S/../../../../../examples/vector/rfc-transposed-load.mlir | filecheck %s
// RUN: xetile-opt --convert-vector-to-xetile %S/../../../../../examples/vector/linalg-reduction.mlir | filecheck %s --check-prefix=ROWS
// RUN: xetile-opt --convert-vector-to-xetile %S/../../../../../examples/vector/linalg-ragged.mlir | filecheck %s --check-prefix=RAGGED
// RUN: xetile-opt --convert-vector-to-xetile --split-input-file --verify-diagnostics %s

// CHECK:      scf.for %k =
// CHECK-NEXT:   %a = xetile.init_tile %A[%i, %k] : memref<256x128xbf16> -> !xetile.tile<64x32xbf16>
// CHECK-NEXT:   %va = xetile.load_tile %a : !xetile.tile<64x32xbf16> -> vector<64x32xbf16>
// CHECK-NEXT:   %b = xetile.init_tile %B[%j, %k] : memref<192x128xbf16> -> !xetile.tile<64x32xbf16>
// CHECK-NEXT:   %vbt = xetile.load_tile %b : !xetile.tile<64x32xbf16> -> vector<64x32xbf16>
// CHECK-NEXT:   %vb = xetile.tile_transpose %vbt, [1, 0] : vector<64x32xbf16> -> vector<32x64xbf16>
// CHECK-NEXT:   %next = xetile.tile_mma %va, %vb, %acc
// CHECK-NOT:  vector.transfer

// ROWS:     xetile.tile_reduce <add>, %{{.*}} [1] : vector<32x64xf32> -> vector<32x1xf32>
// ROWS-NOT: vector.multi_reduction

// RAGGED:      xetile.init_tile %{{.*}} : memref<100x72xf16> -> !xetile.tile<32x32xf16>
// RAGGED:      xetile.init_tile %{{.*}} : memref<72x120xf16> -> !xetile.tile<32x64xf16>
// RAGGED:      xetile.init_tile %{{.*}} : memref<100x120xf32> -> !xetile.tile<32x64xf32>
// RAGGED:      %[[SUM:.*]] = xetile.tile_mma
// RAGGED:      xetile.store_tile %[[SUM]]
// RAGGED-NOT:  vector.

func.func @masked(%A: memref<64x64xf32>, %k: vector<8x16xi1>, %i: index, %zero: f32) {
  // expected-error @below {{the mask %k of 'vector.transfer_read' is given; a tile has bounds, as vector.create_mask and vector.constant_mask say them; vector.maskedload, maskedstore, gather and scatter access any elements}}
  %v = vector.transfer_read %A[%i, %i], %zero, %k : memref<64x64xf32>, vector<8x16xf32>
  return
}

// -----

func.func @compared(%A: memref<64x64xf32>, %i: index, %v: vector<8x16xf32>) {
  %k = arith.cmpf olt, %v, %v : vector<8x16xf32>
  // expected-error @below {{the mask %k of 'vector.transfer_write' is made by 'arith.cmpf'; a tile has bounds, as vector.create_mask and vector.constant_mask say them; vector.maskedload, maskedstore, gather and scatter access any elements}}
  vector.transfer_write %v, %A[%i, %i], %k : vector<8x16xf32>, memref<64x64xf32>
  return
}

// -----

func.func @passed(%A: memref<64x64xf32>, %i: index, %v: vector<8x16xf32>, %zero: f32) {
  %k = vector.create_mask %i, %i : vector<8x16xi1>
  // expected-error @below {{%v is passed through where the mask is false; a tile is padded with a number: leave it out, and select from both vectors behind the read}}
  %w = vector.mask %k, %v { vector.transfer_read %A[%i, %i], %zero : memref<64x64xf32>, vector<8x16xf32> } : vector<8x16xi1> -> vector<8x16xf32>
  return
}

// -----

func.func @twice(%A: memref<64x64xf32>, %i: index, %zero: f32) {
  %k = vector.create_mask %i, %i : vector<8x16xi1>
  // expected-error @below {{'vector.transfer_read' has a mask of its own inside of vector.mask; a tile has one surface: leave one of the masks out, or make one of both}}
  %w = vector.mask %k { vector.transfer_read %A[%i, %i], %zero, %k : memref<64x64xf32>, vector<8x16xf32> } : vector<8x16xi1> -> vector<8x16xf32>
  return
}

// -----

func.func @reduced(%i: index, %r: vector<16xf32>, %A: memref<64x64xf32>, %zero: f32) {
  %k = vector.create_mask %i : vector<16xi1>
  // expected-error @below {{'vector.reduction' does not become an operation on tiles, with a mask or without; vector.multi_reduction of a matrix does}}
  %w = vector.mask %k { vector.reduction <add>, %r : vector<16xf32> into f32 } : vector<16xi1> -> f32
  %v = vector.transfer_read %A[%i, %i], %zero : memref<64x64xf32>, vector<8x16xf32>
  return
}

// -----

func.func @batch(%A: memref<2x64x64xf32>, %i: index, %zero: f32) {
  %k = vector.create_mask %i, %i, %i : vector<1x8x16xi1>
  // expected-error @below {{dimension 0 of memref<2x64x64xf32> has a bound that may mask its one element off}}
  %v = vector.transfer_read %A[%i, %i, %i], %zero, %k : memref<2x64x64xf32>, vector<1x8x16xf32>
  return
}

// -----

func.func @product(%A: memref<64x64xf16>, %i: index, %zero: f16) {
  // expected-error @below {{vector<8x16x32xf16> copies a matrix for each row or column of another, which is half of a product; with create_named_contraction, transform.structured.vectorize keeps products as vector.contract}}
  %v = vector.transfer_read %A[%i, %i], %zero {in_bounds = [true, true, true], permutation_map = affine_map<(d0, d1) -> (d0, 0, d1)>} : memref<64x64xf16>, vector<8x16x32xf16>
  return
}

// -----

func.func @batches(%a: vector<2x8x16xf16>, %b: vector<2x16x8xf16>, %c: vector<2x8x8xf32>) {
  // expected-error @below {{d0 of 2 is a batch; a product of tiles has m, n and k, others have extent 1}}
  %d = vector.contract {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} %a, %b, %c : vector<2x8x16xf16>, vector<2x16x8xf16> into vector<2x8x8xf32>
  return
}

// -----

gpu.module @m {
  gpu.func @left(%A: memref<?x16xf16>, %B: memref<16x16xf16>, %C: memref<?x16xf32>) kernel {
    // expected-error @below {{'linalg.matmul' was not vectorised; tile it, then vectorise the tiles: with vector_sizes [...], transform.structured.vectorize takes ragged and dynamic ones too, and masks what is outside}}
    linalg.matmul ins(%A, %B : memref<?x16xf16>, memref<16x16xf16>) outs(%C : memref<?x16xf32>)
    gpu.return
  }
}

// -----

func.func @strided(%A: memref<64x64xf32, strided<[128, 2]>>, %i: index, %zero: f32) {
  // expected-error @below {{has strides [128, 2]; a tile is of a matrix whose rows are contiguous, [pitch, 1], or whose columns are, [1, pitch]}}
  %v = vector.transfer_read %A[%i, %i], %zero : memref<64x64xf32, strided<[128, 2]>>, vector<8x16xf32>
  return
}

// -----

func.func @f(%A: memref<4x64x64xf32>, %i: index, %z: f32) {
  // expected-error @below {{vector<4x16xf32> has 4 elements along dimension 0 of memref<4x64x64xf32>; a tile spans the last two}}
  %v = vector.transfer_read %A[%i, %i, %i], %z {permutation_map = affine_map<(d0, d1, d2) -> (d0, d2)>} : memref<4x64x64xf32>, vector<4x16xf32>
  func.return
}

// -----

func.func @f(%A: memref<64xf32, strided<[2]>>, %i: index, %z: f32) {
  // expected-error @below {{memref<64xf32, strided<[2]>> has a stride; a row of a tile is contiguous}}
  %v = vector.transfer_read %A[%i], %z : memref<64xf32, strided<[2]>>, vector<16xf32>
  func.return
}

// -----

func.func @f(%A: memref<64x64xf32, 5 : i64>, %i: index, %z: f32) {
  // expected-error @below {{memref<64x64xf32, 5 : i64> lies in a memory space that no tile is in}}
  %v = vector.transfer_read %A[%i, %i], %z : memref<64x64xf32, 5 : i64>, vector<8x16xf32>
  func.return
}

// -----

func.func @f(%A: memref<f32>, %i: index, %z: f32) {
  // expected-error @below {{'source' is memref<f32>, which has no rows}}
  %v = vector.transfer_read %A[], %z : memref<f32>, vector<f32>
  func.return
}

// -----

func.func @f(%A: memref<64x64xf32>, %i: index, %z: f32) {
  %v = vector.transfer_read %A[%i, %i], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<8x16xf32>
  // expected-error @below {{vector<8x16xf32> cannot become vector<16x8xf32> without moving elements between rows}}
  %w = vector.shape_cast %v : vector<8x16xf32> to vector<16x8xf32>
  vector.transfer_write %w, %A[%i, %i] : vector<16x8xf32>, memref<64x64xf32>
  func.return
}

// -----

  // expected-error @below {{%r is given as vector<16xf32>, and the vector of a tile has rows and columns; make it vector<1x16xf32>, or pass a memref}}
func.func @f(%A: memref<64x64xf32>, %i: index, %z: f32, %r: vector<16xf32>) {
  %v = vector.transfer_read %A[%i, %i], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<8x16xf32>
  %w = vector.reduction <add>, %r : vector<16xf32> into f32
  vector.transfer_write %v, %A[%i, %i] : vector<8x16xf32>, memref<64x64xf32>
  func.return
}

// -----

func.func @f(%A: memref<64x64xf32>, %i: index, %z: f32) {
  %p = memref.load %A[%i, %i] : memref<64x64xf32>
  // expected-error @below {{the padding is known at run time only; a tile is padded with a number, or 'in_bounds' says that nothing is outside}}
  %v = vector.transfer_read %A[%i, %i], %p : memref<64x64xf32>, vector<8x16xf32>
  vector.transfer_write %v, %A[%i, %i] : vector<8x16xf32>, memref<64x64xf32>
  func.return
}
