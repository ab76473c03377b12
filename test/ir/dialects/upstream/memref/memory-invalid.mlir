// Allocations, globals, and what is taken out of a memref. One error per chunk; mlir-opt 22 refuses each.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

func.func @f(%n: index) {
  // expected-error @below {{'symbol_operands' has 0 entries, the layout of memref<?x4xf32, strided<[?, 2]>> leaves 1 open; they stand in brackets after the extents}}
  %0 = memref.alloc(%n) : memref<?x4xf32, strided<[?, 2]>>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{'symbol_operands' has 0 entries, the layout of memref<4x4xf32, strided<[?, 64], offset: ?>> leaves 2 open; they stand in brackets after the extents}}
  %0 = memref.alloca() : memref<4x4xf32, strided<[?, 64], offset: ?>>
  func.return
}

// -----

func.func @f(%n: index) {
  // expected-error @below {{'symbol_operands' has 1 entries, the layout of memref<4xf32> leaves 0 open; they stand in brackets after the extents}}
  %0 = memref.alloc()[%n] : memref<4xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{alignment attribute 3 is not a power of 2}}
  %0 = memref.alloc() {alignment = 3 : i64} : memref<4xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{'symbol_operands' has 0 entries, the layout of memref<4x4xf32, strided<[?, 64]>> leaves 1 open; they stand in brackets after the extents}}
  %0 = gpu.alloc host_shared () : memref<4x4xf32, strided<[?, 64]>>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @below {{'base_buffer' is memref<64xf32>, expected memref<f32>}}
  %b, %o, %s, %t = "memref.extract_strided_metadata"(%a) : (memref<4xf32>) -> (memref<64xf32>, index, index, index)
  func.return
}

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @below {{it gives 0 sizes and strides, memref<4xf32> has rank 1}}
  %b, %o = "memref.extract_strided_metadata"(%a) : (memref<4xf32>) -> (memref<f32>, index)
  func.return
}

// -----

// expected-note @below {{defined here}}
memref.global "private" @g : memref<4xf32> = dense<1.0>
func.func @f() {
  // expected-error @below {{'result' is memref<64xf32>, the memref.global @g is memref<4xf32>}}
  %0 = memref.get_global @g : memref<64xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error @below {{there is no memref.global @nowhere in the module}}
  %0 = memref.get_global @nowhere : memref<64xf32>
  func.return
}

// -----

// expected-error @below {{'type' is memref<?xf32>, whose extents have to be static}}
memref.global @g : memref<?xf32>

// -----

// expected-error @below {{'sym_visibility' is "hidden", expected one of public, private, nested}}
memref.global "hidden" @g : memref<4xf32>

// -----

func.func @f(%a: memref<4xf32>) {
  // expected-error @below {{'alignment' is 3, expected a power of two}}
  %0 = memref.assume_alignment %a, 3 : memref<4xf32>
  func.return
}

// -----

// expected-error @below {{the layout of memref<4x4xf32, strided<[1]>> has 1 dimensions, its shape has 2}}
func.func @f(%a: memref<4x4xf32, strided<[1]>>) {

  func.return
}

// -----

func.func @f() {
  // expected-error @below {{its region has to be one block without arguments}}
  "memref.alloca_scope"() ({
  ^bb0(%x: f32):
    "memref.alloca_scope.return"() : () -> ()
  }) : () -> ()
  func.return
}
