// RUN: xetile-opt --split-input-file --verify-diagnostics --convert-xegpu-to-xevm="device=bmg" %s

// Blocks that no one message of XeVM moves are refused at their access.
func.func @wide_prefetch(%A: memref<64x64xbf16>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xbf16> -> !xegpu.tensor_desc<8x32xbf16>
  // expected-error @below {{bmg has no single 2D block prefetch of 8x32xbf16; expected 1, 2, 4, 8, 16 or 32 rows of 16 columns with array_length 2}}
  xegpu.prefetch_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x32xbf16>
  return
}

// -----

func.func @tall_store(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<16x16xf32>
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<16x16xf32>
  // expected-error @below {{bmg has no single 2D block store of 16x16xf32; expected 1, 2, 4 or 8 rows of 16 columns}}
  xegpu.store_nd %v, %a[%c0, %c0] : vector<16x16xf32>, !xegpu.tensor_desc<16x16xf32>
  return
}

// -----

func.func @wide_load(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<16x64xf32>
  // expected-error @below {{bmg has no single 2D block load of 16x64xf32; expected 1, 2, 4, 8, 16 or 32 rows of 16 columns, or 1, 2, 4, 8, 16 or 32 rows of 8 columns with array_length 2}}
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<16x64xf32> -> vector<16x64xf32>
  %s = vector.extract_strided_slice %v {offsets = [0, 0], sizes = [8, 16], strides = [1, 1]} : vector<16x64xf32> to vector<8x16xf32>
  %b = xegpu.create_nd_tdesc %B : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  xegpu.store_nd %s, %b[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

func.func @tall_packed(%A: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<64x16xf16>
  // expected-error @below {{bmg has no single 2D block load of 64x16xf16; expected 1, 2, 4, 8, 16 or 32 rows of 16 columns}}
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<64x16xf16> -> vector<64x16xf16>
  return
}

// -----

func.func @transposed_words(%A: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<16x16xf16>
  // expected-error @below {{bmg has no single 2D block transposed load of 16x16xf16; expected elements of 32 bits and a vector.bitcast}}
  %v = xegpu.load_nd %a[%c0, %c0] <{transpose = array<i64: 1, 0>}> : !xegpu.tensor_desc<16x16xf16> -> vector<16x16xf16>
  return
}

// -----

func.func @two_in_a_byte(%A: memref<64x128xi4>) {
  // expected-error @below {{!xegpu.tensor_desc<8x32xi4> has several elements in a byte; expected i8 and 2 elements in each, with a vector.bitcast of what is loaded or stored}}
  %a = xegpu.create_nd_tdesc %A : memref<64x128xi4> -> !xegpu.tensor_desc<8x32xi4>
  return
}

// -----

func.func @given(%A: memref<64x64xf32>, %v: vector<8x16xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  // expected-error @below {{'xegpu.store_nd' takes vector<8x16xf32> from an argument, which does not share it out to lanes; expected a vector that the function loads or computes}}
  xegpu.store_nd %v, %a[%c0, %c0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// Named barriers of some of the subgroups have no form that all devices compile.
gpu.module @m {
  gpu.func @named_barrier(%A: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    xegpu.alloc_nbarrier 8
    %i = arith.constant 2 : i8
    // expected-error @below {{a named barrier of 2 of the workgroup's 4 subgroups has no lowering to XeVM: not every device compiles one; expected a barrier of all of them}}
    %b = xegpu.init_nbarrier %i, %i : i8, i8 -> !xegpu.nbarrier
    xegpu.nbarrier_arrive %b : !xegpu.nbarrier
    xegpu.nbarrier_wait %b : !xegpu.nbarrier
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @unknown(%A: memref<64x64xf32>, %i: i8) kernel {
    // expected-error @below {{a named barrier of a number that is not known of the workgroup's unknown number of subgroups has no lowering}}
    %b = xegpu.init_nbarrier %i, %i : i8, i8 -> !xegpu.nbarrier
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @alone(%A: memref<64x64xf32>, %cond: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = arith.constant 4 : i8
    %b = xegpu.init_nbarrier %i, %i : i8, i8 -> !xegpu.nbarrier
    // expected-error @below {{each 'xegpu.nbarrier_arrive' is followed by its 'xegpu.nbarrier_wait' in the same block; this 'xegpu.nbarrier_arrive' has none}}
    xegpu.nbarrier_arrive %b : !xegpu.nbarrier
    scf.if %cond {
      xegpu.nbarrier_wait %b : !xegpu.nbarrier
    }
    gpu.return
  }
}

// -----

// What a subgroup does once, where its lanes would need what comes of it.
func.func @next_piece_of_work(%A: memref<64x64xf32>, %n: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'memref.atomic_rmw' is done once by a subgroup and gives all its lanes the old value, which is not lowered to XeVM yet; expected a result that nothing uses}}
  %i = memref.atomic_rmw addi %c1, %n[%c0] : (index, memref<1xindex>) -> index
  %t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  xegpu.prefetch_nd %t[%i, %i] : !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

func.func @count(%n: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = memref.atomic_rmw addi %c1, %n[%c0] : (index, memref<1xindex>) -> index
  return
}

func.func @caller(%A: memref<64x64xf32>, %n: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'func.call' calls @count, whose 'memref.atomic_rmw' every lane of a subgroup would do}}
  func.call @count(%n) : (memref<1xindex>) -> ()
  %t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  xegpu.prefetch_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

func.func @count(%n: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = memref.atomic_rmw addi %c1, %n[%c0] : (index, memref<1xindex>) -> index
  return
}

func.func @between(%n: memref<1xindex>) {
  func.call @count(%n) : (memref<1xindex>) -> ()
  return
}

func.func @calls_a_caller(%A: memref<64x64xf32>, %n: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'func.call' calls @between, and so @count, whose 'memref.atomic_rmw' every lane of a subgroup would do}}
  func.call @between(%n) : (memref<1xindex>) -> ()
  %t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  xegpu.prefetch_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// Places are numbers of 32 bits.
func.func @far(%A: memref<64x64xf32>) {
  %far = arith.constant 4294967296 : index
  %c0 = arith.constant 0 : index
  %t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  // expected-error @below {{the tile lies at row or column 4294967296; 2D block access reaches from -2147483648 to 2147483647}}
  xegpu.prefetch_nd %t[%far, %c0] : !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// Columns begin at whole words of 32 bits.
func.func @half_a_word(%A: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %t = xegpu.create_nd_tdesc %A : memref<64x64xf16> -> !xegpu.tensor_desc<8x16xf16>
  // expected-error @below {{the matrix has a column offset of 2 bytes; 2D block access needs a multiple of 4}}
  %v = xegpu.load_nd %t[%c0, 1] : !xegpu.tensor_desc<8x16xf16> -> vector<8x16xf16>
  xegpu.store_nd %v, %t[%c0, %c0] : vector<8x16xf16>, !xegpu.tensor_desc<8x16xf16>
  return
}

// -----

// A store has other cache controls than a load.
func.func @cached_store(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : vector<8x16xf32>
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  // expected-error @below {{'xegpu.store_nd' has l1_hint cached; expected one of uncached, write_back, write_through}}
  xegpu.store_nd %v, %a[%c0, %c0] <{l1_hint = #xegpu.cache_hint<cached>}> : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>
  return
}

// -----

// An i1 is a byte of memory, and no bit of it.
func.func @booleans(%A: memref<64x64xi1>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xi1> -> !xegpu.tensor_desc<1x16xi1>
  // expected-error @below {{'xegpu.load_nd' of i1, which memory holds as bytes, is not lowered to XeVM yet}}
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<1x16xi1> -> vector<1x16xi1>
  return
}

// -----

func.func @stored_booleans(%A: memref<64x64xi1>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<true> : vector<1x16xi1>
  %a = xegpu.create_nd_tdesc %A : memref<64x64xi1> -> !xegpu.tensor_desc<1x16xi1>
  // expected-error @below {{'xegpu.store_nd' of i1, which memory holds as bytes, is not lowered to XeVM yet}}
  xegpu.store_nd %v, %a[%c0, %c0] : vector<1x16xi1>, !xegpu.tensor_desc<1x16xi1>
  return
}

// -----

// Lanes share powers of two.
func.func @three_rows(%A: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  %v = xegpu.load_nd %a[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
  // expected-error @below {{'vector.extract_strided_slice' has vector<3x16xf32>; expected extents that are powers of two, of which lanes can hold parts: instead of 3 take 2 and 1}}
  %s = vector.extract_strided_slice %v {offsets = [1, 0], sizes = [3, 16], strides = [1, 1]} : vector<8x16xf32> to vector<3x16xf32>
  return
}

// -----

func.func @a_row_of_twelve(%A: memref<64x64xf32>, %s: vector<12xf32>) {
  %c0 = arith.constant 0 : index
  %a = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
  // expected-error @below {{'vector.shape_cast' has vector<12xf32>; expected extents that are powers of two, of which lanes can hold parts: instead of 12 take 8 and 4}}
  %t = vector.shape_cast %s : vector<12xf32> to vector<1x12xf32>
  return
}

// -----

// Lanes exchange what a vector has in them: all of them take part.
gpu.module @m {
  gpu.func @some_lanes(%A: memref<64x64xf32>, %s: memref<16xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c5 = arith.constant 5 : index
    %zero = arith.constant 0.0 : f32
    %t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    // expected-note @below {{'gpu.lane_id' is another number in each lane}}
    %lane = gpu.lane_id
    %few = arith.cmpi ult, %lane, %c5 : index
    scf.if %few {
      // expected-error @below {{'vector.multi_reduction' is done by some lanes of a subgroup and not by others (of 'gpu.lane_id'), which hold a vector together; expected gpu.subgroup_id, gpu.block_id, or another id that the lanes share}}
      %r = vector.multi_reduction <add>, %v, %zero [0, 1] : vector<8x16xf32> to f32
      memref.store %r, %s[%lane] : memref<16xf32>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @own_row(%A: memref<64x64xf32>, %s: memref<16xf32>) kernel {
    %c0 = arith.constant 0 : index
    %t = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>
    %v = xegpu.load_nd %t[%c0, %c0] : !xegpu.tensor_desc<8x16xf32> -> vector<8x16xf32>
    // expected-note @below {{'gpu.lane_id' is another number in each lane}}
    %lane = gpu.lane_id
    // expected-error @below {{'vector.extract' takes a value that differs between the lanes of a subgroup (of 'gpu.lane_id'), which hold a vector together; expected gpu.subgroup_id, gpu.block_id, or another id that the lanes share}}
    %r = vector.extract %v[%lane, %lane] : f32 from vector<8x16xf32>
    memref.store %r, %s[%lane] : memref<16xf32>
    gpu.return
  }
}
