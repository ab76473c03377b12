// One error per chunk.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: vector<32x16xf16>) {
  // expected-error @below {{'offsets' and the slice's size in dimension 0 are 28 and 8, they have to lie in [0, 32)}}
  %0 = vector.extract_strided_slice %a {offsets = [28, 0], sizes = [8, 16], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
  func.return
}

// -----

func.func @f(%a: vector<32x16xf16>) {
  // expected-error @below {{'offsets', 'sizes' and 'strides' have 2, 1 and 2 entries, they have to have equally many}}
  %0 = vector.extract_strided_slice %a {offsets = [0, 0], sizes = [8], strides = [1, 1]} : vector<32x16xf16> to vector<8x16xf16>
  func.return
}

// -----

func.func @f(%a: vector<32x16xf16>) {
  // expected-error @below {{'strides' is [1, 2], every stride has to be 1}}
  %0 = vector.extract_strided_slice %a {offsets = [0, 0], sizes = [8, 16], strides = [1, 2]} : vector<32x16xf16> to vector<8x16xf16>
  func.return
}

// -----

func.func @f(%a: vector<32x16xf16>) {
  // expected-error @below {{'result' is vector<4x16xf16>, the slice is vector<8x16xf16>}}
  %0 = vector.extract_strided_slice %a {offsets = [0], sizes = [8], strides = [1]} : vector<32x16xf16> to vector<4x16xf16>
  func.return
}

// -----

func.func @f(%a: vector<32x16xf16>, %b: vector<8x16xf16>) {
  // expected-error @below {{'offsets' has 1 entries, 'dest' has rank 2}}
  %0 = vector.insert_strided_slice %b, %a {offsets = [0], strides = [1, 1]} : vector<8x16xf16> into vector<32x16xf16>
  func.return
}

// -----

func.func @f(%a: vector<32x16xf16>) {
  // expected-error @below {{'result' has 511 elements, 'source' has 512}}
  %0 = vector.shape_cast %a : vector<32x16xf16> to vector<511xf16>
  func.return
}

// -----

func.func @f(%a: vector<32x16xf16>) {
  // expected-error @below {{'permutation' is [0, 0], it has to have every dimension of vector<32x16xf16> once}}
  %0 = vector.transpose %a, [0, 0] : vector<32x16xf16> to vector<16x32xf16>
  func.return
}

// -----

func.func @f(%a: vector<32x16xf16>) {
  // expected-error @below {{'result' is vector<32x16xf16>, the transposed is vector<16x32xf16>}}
  %0 = vector.transpose %a, [1, 0] : vector<32x16xf16> to vector<32x16xf16>
  func.return
}

// -----

func.func @f(%a: vector<16xf16>) {
  // expected-error @below {{'mask' has 32 at 1, it has to lie in [-1, 32)}}
  %0 = vector.shuffle %a, %a [0, 32] : vector<16xf16>, vector<16xf16>
  func.return
}

// -----

func.func @f(%a: vector<16xf16>, %b: vector<2x16xf16>) {
  // expected-error @below {{'v1' is vector<16xf16>, 'v2' is vector<2x16xf16>: they may differ in the leading dimension only}}
  %0 = vector.shuffle %a, %b [0] : vector<16xf16>, vector<2x16xf16>
  func.return
}

// -----

func.func @f(%a: vector<32x16xf16>) {
  // expected-error @below {{'result' is vector<16x16xf32>, it may differ from vector<32x16xf16> in the last dimension only}}
  %0 = vector.bitcast %a : vector<32x16xf16> to vector<16x16xf32>
  func.return
}

// -----

func.func @f(%a: vector<32x16xf16>) {
  // expected-error @below {{'result' has rows of 128 bits, 'source' has rows of 256 bits}}
  %0 = vector.bitcast %a : vector<32x16xf16> to vector<32x8xf16>
  func.return
}

// -----

func.func @f(%a: vector<32x16xf16>, %b: vector<16xf16>) {
  // expected-error @below {{'dest' is vector<16xf16>, vector<32x16xf16> without dimensions [1] is vector<32xf16>}}
  %0 = vector.multi_reduction <add>, %a, %b [1] : vector<32x16xf16> to vector<16xf16>
  func.return
}

// -----

func.func @f(%a: vector<16xf16>) {
  // expected-error @below {{'kind' is and, which does not combine f16}}
  %0 = vector.reduction <and>, %a : vector<16xf16> into f16
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{'mask_dim_sizes' is [17], 17 has to lie in [0, 16]}}
  %0 = vector.constant_mask [17] : vector<16xi1>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{'mask_dim_sizes' is [0, 1], with one zero all have to be zero}}
  %0 = vector.constant_mask [0, 1] : vector<16x16xi1>
  func.return
}

// -----

func.func @f(%i: index) {
  // expected-error @below {{'mask_dim_sizes' has 2 entries, vector<16xi1> has rank 1}}
  %0 = vector.create_mask %i, %i : vector<16xi1>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{'result' is vector<2x8xindex>, it has to have rank 1}}
  %0 = vector.step : vector<2x8xindex>
  func.return
}

// -----

func.func @f(%m: memref<?x?xf32>, %i: index) {
  // expected-error @below {{'indices' has 1 entries, memref<?x?xf32> has rank 2}}
  %0 = vector.load %m[%i] : memref<?x?xf32>, vector<16xf32>
  func.return
}

// -----

func.func @f(%m: memref<?x?xf32>, %i: index) {
  // expected-error @below {{'base' is memref<?x?xf32>, its elements are not those of vector<16xf16>}}
  %0 = vector.load %m[%i, %i] : memref<?x?xf32>, vector<16xf16>
  func.return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index) {
  // expected-error @below {{'alignment' is 3, it has to be a power of two}}
  %0 = vector.load %m[%i] {alignment = 3 : i64} : memref<?xf32>, vector<16xf32>
  func.return
}

// -----

func.func @f(%m: memref<?xf32>, %i: index, %x: vector<16xindex>, %k: vector<16xi1>, %p: vector<8xf32>) {
  // expected-error @below {{'indices' is vector<16xindex>, it has to have the shape of 'result', vector<8xf32>}}
  %0 = vector.gather %m[%i] [%x], %k, %p : memref<?xf32>, vector<16xindex>, vector<16xi1>, vector<8xf32> into vector<8xf32>
  func.return
}

// -----

func.func @f(%a: vector<8x16xf32>) {
  // expected-error @below {{the position is 8 in a dimension of 8 of vector<8x16xf32>, it has to lie in [-1, 8)}}
  %0 = vector.extract %a[8, 0] : f32 from vector<8x16xf32>
  func.return
}

// -----

func.func @f(%a: vector<8x16xf32>, %i: index, %x: f32) {
  // expected-error @below {{the position is 16 in a dimension of 16 of vector<8x16xf32>, it has to lie in [-1, 16)}}
  %0 = vector.insert %x, %a[%i, 16] : f32 into vector<8x16xf32>
  func.return
}

// -----

func.func @order(%v: vector<8x16xf32>, %a: vector<8xf32>) {
  // expected-error @below {{'reassoc' is 3 : i64; expected a word without a value}}
  %r = vector.multi_reduction <add>, %v, %a {reassoc = 3} [1] : vector<8x16xf32> to vector<8xf32>
  func.return
}

// -----

func.func @flags(%v: vector<8xf32>) {
  // expected-error @below {{'fastmath' is 3 : i64; expected #arith.fastmath<...>}}
  %r = vector.fma %v, %v, %v {fastmath = 3} : vector<8xf32>
  return
}

// -----

func.func @f(%a: vector<8x16xf16>) {
  // expected-error @below {{expected a dictionary of maps and iterators, found '3'}}
  %0 = vector.contract 3 %a, %a, %a : vector<8x16xf16>, vector<8x16xf16> into vector<8x8xf32>
  func.return
}

// -----

func.func @f(%a: vector<8x16xf16>) {
  // expected-error @below {{expected 'iterator_types' in the dictionary, found '{'}}
  %0 = vector.contract {indexing_maps = []} %a, %a, %a : vector<8x16xf16>, vector<8x16xf16> into vector<8x8xf32>
  func.return
}

// -----

func.func @f(%a: vector<8x16xf16>) {
  // expected-error @below {{expected 3 operands and 2 types before 'into', found 2 and 2}}
  %0 = vector.contract {indexing_maps = [], iterator_types = []} %a, %a : vector<8x16xf16>, vector<8x16xf16> into vector<8x8xf32>
  func.return
}

// -----

func.func @f(%a: vector<8x16xf16>, %c: vector<8x8xf32>) {
  // expected-error @below {{the map of 'lhs' has 0, expected dimensions}}
  %0 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, 0)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %a, %a, %c : vector<8x16xf16>, vector<8x16xf16> into vector<8x8xf32>
  func.return
}

// -----

func.func @f(%a: vector<8xf16>) {
  // expected-error @below {{expected 2 or 3 operands and 2 types, found 1 and 1}}
  %0 = vector.outerproduct %a : vector<8xf16>
  func.return
}

// -----

func.func @f(%a: f16) {
  // expected-error @below {{expected a vector first, found f16}}
  %0 = vector.outerproduct %a, %a : f16, f16
  func.return
}

// -----

func.func @f(%a: vector<8xf16>) {
  // expected-error @below {{'kind' is 3 : i64, expected one such as #vector.kind<add>}}
  %0 = vector.outerproduct %a, %a, %a {kind = 3} : vector<8xf16>, f16
  func.return
}

// -----

func.func @f(%m: vector<8xi1>, %a: vector<8xf16>) {
  // expected-error @below {{expected '->' and the type of what is passed through, found 'func.return'}}
  %0 = vector.mask %m, %a { vector.yield } : vector<8xi1>
  func.return
}
