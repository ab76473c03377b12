// What swizzles refuse, and what is refused of swizzled memory. One error per chunk.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'offset' is empty, expected the coordinates of each bit of an offset}}
func.func private @f(memref<1xf32, #xetile.swizzle<offset = []>>)

// -----

// expected-error @below {{'offset' has vectors of 1 and 2 coordinates, expected equally many}}
func.func private @f(memref<4x2xf32, #xetile.swizzle<offset = [[0, 1], [1], [2, 0]]>>)

// -----

// expected-error @below {{'offset' has a coordinate below 0}}
func.func private @f(memref<4x2xf32, #xetile.swizzle<offset = [[0, 1], [-1, 0], [2, 0]]>>)

// -----

// expected-error @below {{'offset' has 2 bits, the shape 4x2 that it spans has elements for 3}}
func.func private @f(memref<4x2xf32, #xetile.swizzle<offset = [[1, 1], [2, 0]]>>)

// -----

// expected-error @below {{'offset' has 3 bits of which 2 are independent: places of 4x2 repeat}}
func.func private @f(memref<4x2xf32, #xetile.swizzle<offset = [[0, 1], [2, 1], [2, 0]]>>)

// -----

// expected-error @below {{'offset' expected, the only key of a swizzle}}
func.func private @f(memref<4x2xf32, #xetile.swizzle<bases = [[0, 1], [1, 1], [2, 0]]>>)

// -----

// expected-error @below {{the swizzle of memref<4x4xf32, #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>> covers 4x2 elements, expected the shape}}
func.func @f(%m: memref<4x4xf32, #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>>) {
  func.return
}

// -----

#s = #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>
func.func @f(%m: memref<4x2xf32, #s, 3>) {
  // expected-error @below {{expected 2 dimensions and a tile of order [1, 0]; memref.transpose exchanges them}}
  %t = xetile.init_tile %m[0, 0] : memref<4x2xf32, #s, 3> -> !xetile.tile<2x2xf32, <memory_space = 3, order = [0, 1]>>
  func.return
}

// -----

#s = #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>
func.func @f(%m: memref<4x2xf32, #s, 3>) {
  // expected-error @below {{whose type says them; write the offsets only}}
  %t = xetile.init_tile %m[0, 0], [4, 2], [2, 1] : memref<4x2xf32, #s, 3> -> !xetile.tile<2x2xf32, <memory_space = 3>>
  func.return
}

// -----

#s = #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>
func.func @f(%m: memref<4x2xf32, #s, 3>) {
  // expected-error @below {{the transposed is memref<2x4xf32, #xetile.swizzle<offset = [[1, 0], [1, 1], [0, 2]]>, 3 : i64>}}
  %x = memref.transpose %m (i, j) -> (j, i) : memref<4x2xf32, #s, 3> to memref<2x4xf32, 3>
  func.return
}

// -----

#s = #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>
func.func @f(%m: memref<4x2xf32, #s, 3>) {
  // expected-error @below {{whose layout is not strided}}
  %x = memref.subview %m[0, 0] [2, 2] [1, 1] : memref<4x2xf32, #s, 3> to memref<2x2xf32, strided<[2, 1]>, 3>
  func.return
}

// -----

#s = #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>
func.func @f(%m: memref<4x2xf32, #s, 3>) {
  // expected-error @below {{whose layout is not strided}}
  %x = memref.reinterpret_cast %m to offset: [0], sizes: [8], strides: [1] : memref<4x2xf32, #s, 3> to memref<8xf32, strided<[1]>, 3>
  func.return
}

// -----

#s = #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>
func.func @f(%m: memref<4x2xf32, #s, 3>) {
  // expected-error @below {{whose layout is not strided}}
  %x = memref.collapse_shape %m [[0, 1]] : memref<4x2xf32, #s, 3> into memref<8xf32, 3>
  func.return
}

// -----

#s = #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>
func.func @f(%m: memref<4x2xf32, #s, 3>) {
  // expected-error @below {{whose layout is not strided}}
  %x = memref.expand_shape %m [[0, 1], [2]] output_shape [2, 2, 2] : memref<4x2xf32, #s, 3> into memref<2x2x2xf32, 3>
  func.return
}

// -----

#s = #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>
func.func @f(%m: memref<4x2xf32, #s, 3>) {
  // expected-error @below {{whose layout is not strided}}
  %b, %o, %n:2, %p:2 = memref.extract_strided_metadata %m : memref<4x2xf32, #s, 3> -> memref<f32, 3>, index, index, index, index, index
  func.return
}

// -----

#s = #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>
func.func @f(%m: memref<4x2xf32, #s, 3>) {
  // expected-error @below {{which is not compatible with memref<4x2xf32, #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>, 3 : i64>}}
  %x = memref.cast %m : memref<4x2xf32, #s, 3> to memref<*xf32, 3>
  func.return
}

// -----

#s = #xetile.swizzle<offset = [[0, 1], [1, 1], [2, 0]]>
func.func @f(%m: memref<4x2xf32, #s, 3>) {
  // expected-error @below {{whose layout is not strided}}
  %x = xegpu.create_mem_desc %m : memref<4x2xf32, #s, 3> -> !xegpu.mem_desc<4x2xf32>
  func.return
}
