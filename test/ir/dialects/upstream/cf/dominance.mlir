// A value is used where every path passes its definition; what nothing reaches is free.
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @same_block(%p: i32) {
  cf.br ^a
^a:
  // expected-error @+1 {{operand %v is used before it is defined}}
  %s = arith.addi %v, %p : i32
  // expected-note @+1 {{defined here}}
  %v = arith.constant 1 : i32
  func.return
}

// -----

func.func @side(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  // expected-note @+1 {{defined here}}
  %v = arith.constant 1 : i32
  cf.br ^b
^b:
  // expected-error @+1 {{operand %v is used before it is defined}}
  %s = arith.addi %v, %v : i32
  func.return
}

// -----

func.func @two_ways(%c: i1) {
  %v = arith.constant 1 : i32
  cf.cond_br %c, ^b, ^a
^b:
  // expected-error @+1 {{operand %w is used before it is defined}}
  %s = arith.addi %w, %v : i32
  func.return
^a:
  // expected-note @+1 {{defined here}}
  %w = arith.constant 1 : i32
  cf.br ^b
}

// -----

func.func @unreachable() {
  %v = arith.constant 1 : i32
  cf.br ^b
^dead:
  %s = arith.addi %x, %v : i32
  %x = arith.constant 1 : i32
  cf.br ^b
^b:
  %t = arith.addi %v, %v : i32
  func.return
}

// -----

func.func @loop(%c: i1) {
  cf.br ^h
^h:
  %v = arith.constant 1 : i32
  cf.cond_br %c, ^h2, ^e
^h2:
  %t = arith.addi %v, %v : i32
  cf.br ^h
^e:
  %u = arith.addi %v, %v : i32
  func.return
}
