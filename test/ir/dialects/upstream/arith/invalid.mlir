// One error per chunk.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: vector<16xi32>) {
  // expected-error @below {{predicate of arith.cmpi is 'less', it has to be one of eq, ne, slt}}
  %0 = arith.cmpi less, %a, %a : vector<16xi32>
  func.return
}

// -----

func.func @f(%a: vector<16xi32>) {
  // expected-error @below {{'result' is i1, it has to be vector<16xi1>}}
  %0 = "arith.cmpi"(%a, %a) <{predicate = 2 : i64}> : (vector<16xi32>, vector<16xi32>) -> i1
  func.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @below {{'predicate' is 16, it has to lie in [0, 16)}}
  %0 = "arith.cmpf"(%a, %a) <{predicate = 16 : i64, fastmath = #arith.fastmath<none>}> : (f32, f32) -> i1
  func.return
}

// -----

func.func @f(%c: vector<8xi1>, %a: vector<16xi32>) {
  // expected-error @below {{'cond' is vector<8xi1>, it has to be i1 or have the shape of vector<16xi32>}}
  %0 = arith.select %c, %a, %a : vector<8xi1>, vector<16xi32>
  func.return
}

// -----

func.func @f(%a: i32) {
  // expected-error @below {{'in' is i32 and 'out' is i32, which arith.trunci does not cast}}
  %0 = arith.trunci %a : i32 to i32
  func.return
}

// -----

func.func @f(%a: i32) {
  // expected-error @below {{'in' is i32 and 'out' is i16, which arith.extsi does not cast}}
  %0 = arith.extsi %a : i32 to i16
  func.return
}

// -----

func.func @f(%a: vector<16xi32>) {
  // expected-error @below {{'out' is vector<8xi64>, it has to have the shape of vector<16xi32>}}
  %0 = arith.extsi %a : vector<16xi32> to vector<8xi64>
  func.return
}

// -----

func.func @f(%a: vector<16xi32>) {
  // expected-error @below {{'out' is index, it has to have the shape of vector<16xi32>}}
  %0 = arith.index_cast %a : vector<16xi32> to index
  func.return
}

// -----

func.func @f(%a: i32) {
  // expected-error @below {{'in' is i32 and 'out' is i64, which arith.index_cast does not cast}}
  %0 = arith.index_cast %a : i32 to i64
  func.return
}

// -----

func.func @f(%a: bf16) {
  // expected-error @below {{'in' is bf16 and 'out' is f16, which arith.truncf does not cast}}
  %0 = arith.truncf %a : bf16 to f16
  func.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @below {{'roundingmode' is 5, it has to lie in [0, 5)}}
  %0 = "arith.truncf"(%a) <{roundingmode = 5 : i32}> : (f32) -> f16
  func.return
}
