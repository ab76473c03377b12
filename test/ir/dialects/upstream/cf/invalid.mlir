// What a branch hands on is what the block takes. One error per chunk; mlir-opt 22 refuses each.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: memref<4xf32>) {
  // expected-error @below {{value 0 is memref<4xf32>, the block takes memref<64xf32>}}
  "cf.br"(%a)[^bb1] : (memref<4xf32>) -> ()
// expected-note @below {{its argument is here}}
^bb1(%b: memref<64xf32>):
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error @below {{it hands on 0 values, the block takes 1}}
  cf.br ^bb1
// expected-note @below {{the block begins here}}
^bb1(%b: f32):
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error @below {{it hands on 1 values, the block takes 0}}
  cf.br ^bb1(%x : f32)
^bb1:
// expected-note @below {{the block begins here}}
  func.return
}

// -----

func.func @f(%c: i1, %x: f32) -> i64 {
  // expected-error @below {{value 0 is f32, the block takes i64}}
  "cf.cond_br"(%c, %x)[^bb1, ^bb2] {operandSegmentSizes = array<i32: 1, 1, 0>} : (i1, f32) -> ()
// expected-note @below {{its argument is here}}
^bb1(%b: i64):
  func.return %b : i64
^bb2:
  %z = arith.constant 0 : i64
  func.return %z : i64
}

// -----

func.func @f(%c: i1, %x: f32) -> f32 {
  // expected-error @below {{it hands on 1 values, the block takes 0}}
  cf.cond_br %c, ^bb1(%x : f32), ^bb2(%x : f32)
^bb1(%b: f32):
  func.return %b : f32
^bb2:
// expected-note @below {{the block begins here}}
  func.return %x : f32
}

// -----

func.func @f(%c: i32, %x: f32) {
  // expected-error @below {{value 0 is f32, the block takes f16}}
  cf.switch %c : i32, [
    default: ^bb1,
    7: ^bb2(%x : f32)
  ]
^bb1:
  func.return
// expected-note @below {{its argument is here}}
^bb2(%b: f16):
  func.return
}

// -----

func.func @f(%c: i32, %x: f32) {
  // expected-error @below {{it hands on 1 values, the block takes 0}}
  cf.switch %c : i32, [
    default: ^bb1(%x : f32),
    7: ^bb2
  ]
^bb1:
// expected-note @below {{the block begins here}}
  func.return
^bb2:
  func.return
}

// -----

func.func @f() {
^bb0:
  // expected-error @below {{it goes to the first block of its region, which no branch may}}
  cf.br ^bb0
}
