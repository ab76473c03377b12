// What regions take and give. One error per chunk; mlir-opt 22 refuses each.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%n: index, %a: memref<4xf32>) {
  // expected-error @below {{it carries (memref<4xf32>), its results are (memref<64xf32>)}}
  %b = "scf.for"(%n, %n, %n, %a) ({
  ^bb0(%i: index, %x: memref<4xf32>):
    scf.yield %x : memref<4xf32>
  }) : (index, index, index, memref<4xf32>) -> memref<64xf32>
  func.return
}

// -----

func.func @f(%n: index, %a: i64) {
  // expected-error @below {{it carries (i64), its results are (i32)}}
  %b = "scf.for"(%n, %n, %n, %a) ({
  ^bb0(%i: index, %x: i64):
    scf.yield %x : i64
  }) : (index, index, index, i64) -> i32
  func.return
}

// -----

func.func @f(%c: i1) {
  // expected-error @below {{its then region takes (f32), expected ()}}
  "scf.if"(%c) ({
  ^bb0(%x: f32):
    scf.yield
  }, {}) : (i1) -> ()
  func.return
}

// -----

func.func @f(%x: f32) {
  %r = "scf.execute_region"() ({
    // expected-error @below {{it gives (f32), expected (i32)}}
    scf.yield %x : f32
  }) : () -> i32
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error @below {{its only region takes (f32), expected ()}}
  %r = "scf.execute_region"() ({
  ^bb0(%y: f32):
    scf.yield %y : f32
  }) : () -> f32
  func.return
}
