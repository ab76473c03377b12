// Types and attributes: one error per chunk; mlir-opt refuses every one of them too.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{tensor_desc has rank 0, must have at least 1 dimension}}
func.func private @f(!xegpu.tensor_desc<f16>)

// -----

// expected-error @below {{tensor_desc has elements of index, must be integers or floats}}
func.func private @f(!xegpu.tensor_desc<8x16xindex>)

// -----

// expected-error @below {{tensor_desc in slm has rank 2, a block there must have rank 1}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<memory_space = slm>>)

// -----

// expected-error @below {{'chunk_size' is 8, must be 1 in a tensor_desc of rank 1}}
func.func private @f(!xegpu.tensor_desc<16xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>)

// -----

// expected-error @below {{last dimension is 4, must be the chunk_size, 8}}
func.func private @f(!xegpu.tensor_desc<16x4xf32, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>>)

// -----

// expected-error @below {{'chunk_size' is 3, must be a multiple of 2 for f16}}
func.func private @f(!xegpu.tensor_desc<16x3xf16, #xegpu.scatter_tdesc_attr<chunk_size = 3 : i64>>)

// -----

// expected-error @below {{'chunk_size' is 0, must be at least 1}}
func.func private @f(!xegpu.tensor_desc<16x8xf32, #xegpu.scatter_tdesc_attr<chunk_size = 0 : i64>>)

// -----

// expected-error @below {{layout has rank 1, tensor_desc 2}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.layout<lane_layout = [16], lane_data = [1]>>)

// -----

// expected-error @below {{'lane_data' is [1, 1], its last entry must be a multiple of 2 for f16}}
func.func private @f(!xegpu.tensor_desc<16x8xf16, #xegpu.scatter_tdesc_attr<chunk_size = 8 : i64>, #xegpu.layout<lane_layout = [16, 1], lane_data = [1, 1]>>)

// -----

// expected-error @below {{cannot distribute [8, 16] evenly with #xegpu.layout<lane_layout = [2, 8], lane_data = [1, 4]>}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.layout<lane_layout = [2, 8], lane_data = [1, 4]>>)

// -----

// expected-error @below {{expected #xegpu.block_tdesc_attr, #xegpu.scatter_tdesc_attr or #xegpu.layout, got #xegpu.slice<#xegpu.layout<lane_layout = [2, 8, 1]>, dims = [0]>}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.slice<#xegpu.layout<lane_layout = [2, 8, 1]>, dims = [0]>>)

// -----

// expected-error @below {{'chunk_size' is no parameter; legal are memory_space, array_length, boundary_check}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<chunk_size = 2>>)

// -----

// expected-error @below {{'array_length' is given twice}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = 2, array_length = 2>>)

// -----

// expected-error @below {{expected one of global, slm, found 'local'; did you mean 'slm'?}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<memory_space = local>>)

// -----

// expected-error @below {{expected an integer, got "two"}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.block_tdesc_attr<array_length = "two">>)

// -----

// expected-error @below {{layout has none of sg_layout, inst_data and lane_layout}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.layout<lane_data = [1, 1]>>)

// -----

// expected-error @below {{'sg_data' is given without 'sg_layout'}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.layout<inst_data = [8, 16], sg_data = [8, 16]>>)

// -----

// expected-error @below {{'lane_data' is given without 'lane_layout'}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.layout<inst_data = [8, 16], lane_data = [1, 1]>>)

// -----

// expected-error @below {{'order' is given without 'sg_layout' or 'lane_layout'}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.layout<inst_data = [8, 16], order = [1, 0]>>)

// -----

// expected-error @below {{fields of the layout differ in rank: sg_layout 2, inst_data 1}}
func.func private @f(!xegpu.tensor_desc<8x16xf16, #xegpu.layout<sg_layout = [1, 1], inst_data = [8]>>)

// -----

// expected-error @below {{cannot distribute [256, 128] evenly with #xegpu.layout<sg_layout = [8, 4], sg_data = [0, 32]>}}
func.func private @f(!xegpu.tensor_desc<256x128xf16, #xegpu.layout<sg_layout = [8, 4], sg_data = [0, 32]>>)

// -----

// expected-error @below {{mem_desc has a dynamic dimension, must be static}}
func.func private @f(!xegpu.mem_desc<?x16xf16>)

// -----

// expected-error @below {{expected #xegpu.mem_layout, got #xegpu.layout<inst_data = [8, 16]>}}
func.func private @f(!xegpu.mem_desc<16x16xf16, #xegpu.layout<inst_data = [8, 16]>>)

// -----

func.func @f() {
  // expected-error @below {{'end' is 2, must be greater than 'start', 4}}
  %0 = arith.constant {a = #xegpu.range<[4, 2]>} 0 : index
  return
}

// -----

func.func @f() {
  // expected-error @below {{'dims' has 3, the parent has rank 2}}
  %0 = arith.constant {a = #xegpu.slice<#xegpu.layout<lane_layout = [2, 8]>, dims = [3]>} 0 : index
  return
}

// -----

func.func @f() {
  // expected-error @below {{'dims' has 0 twice}}
  %0 = arith.constant {a = #xegpu.slice<#xegpu.layout<lane_layout = [2, 8]>, dims = [0, 0]>} 0 : index
  return
}

// -----

func.func @f() {
  // expected-error @below {{'parent' is 1 : i32, must be a layout or a slice}}
  %0 = arith.constant {a = #xegpu.slice<1 : i32, dims = [0]>} 0 : index
  return
}

// -----

func.func @f() {
  // expected-error @below {{'stride' is given twice}}
  %0 = arith.constant {a = #xegpu.mem_layout<stride = [1, 2], stride = [1, 2]>} 0 : index
  return
}
