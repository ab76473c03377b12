// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s

// A vector is a row of chunks of at most eight elements: what selects from it is a shuffle of two chunks, else an element
// at a time.

gpu.module @m {
  // A mixture of two chunks of one type is one shuffle; of others it is put together.
  // CHECK-LABEL: llvm.func @selections
  // CHECK: %[[A:.*]] = llvm.load %p
  // CHECK-NEXT: %[[B:.*]] = llvm.load %q
  // CHECK-NEXT: %[[MIXED:.*]] = llvm.shufflevector %[[A]], %[[B]] [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xf32>
  // CHECK-NEXT: %[[HALF:.*]] = llvm.shufflevector %[[MIXED]], %[[MIXED]] [4, 5, 6, 7] : vector<8xf32>
  // CHECK-NEXT: %[[E0:.*]] = llvm.extractelement %[[HALF]]
  // CHECK-NEXT: %[[R0:.*]] = llvm.insertelement %[[E0]], %{{.*}} : vector<8xf32>
  // CHECK-COUNT-3: llvm.extractelement %[[HALF]]
  // CHECK-COUNT-4: llvm.extractelement %[[A]]
  // CHECK-NEXT: %[[R:.*]] = llvm.insertelement
  // CHECK-NEXT: llvm.store %[[R]]
  gpu.func @selections(%out: !llvm.ptr<1>, %p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
    %a = llvm.load %p : !llvm.ptr<1> -> vector<8xf32>
    %b = llvm.load %q : !llvm.ptr<1> -> vector<8xf32>
    %mixed = vector.shuffle %a, %b [0, 8, 1, 9, 2, 10, 3, 11] : vector<8xf32>, vector<8xf32>
    %half = vector.extract_strided_slice %mixed {offsets = [4], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
    %back = vector.insert_strided_slice %half, %a {offsets = [0], strides = [1]} : vector<4xf32> into vector<8xf32>
    llvm.store %back, %out : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }

  // Neighbours of what a load left are read from there, in the type that is asked for.
  // CHECK-LABEL: llvm.func @runs
  // CHECK: %[[LOADED:.*]] = llvm.alloca %{{.*}} x !llvm.array<16 x i16>
  // CHECK: llvm.call @{{.*}}block_read_16b_16r16x1c{{.*}}, %[[LOADED]])
  // CHECK-NEXT: %[[LOWER:.*]] = llvm.getelementptr inbounds %[[LOADED]][16] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK-NEXT: %[[V:.*]] = llvm.load %[[LOWER]] : !llvm.ptr -> vector<8xi16>
  // CHECK-NEXT: llvm.bitcast %[[V]] : vector<8xi16> to vector<8xf16>
  gpu.func @runs(%out: !llvm.ptr<1>, %p: !llvm.ptr<1>, %w: i32) kernel {
    %c0 = arith.constant 0 : i32
    %v = xevm.blockload2d %p, %w, %w, %w, %c0, %c0 <{elem_size_in_bits = 16 : i32, pack_register = false, tile_height = 16 : i32, tile_width = 16 : i32, transpose = false, v_blocks = 1 : i32}> : (!llvm.ptr<1>, i32, i32, i32, i32, i32) -> vector<16xi16>
    %lower = vector.shuffle %v, %v [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xi16>, vector<16xi16>
    %f = vector.bitcast %lower : vector<8xi16> to vector<8xf16>
    llvm.store %f, %out : vector<8xf16>, !llvm.ptr<1>
    gpu.return
  }

  // SPIR-V has no vectors of 32 bytes: words become bytes two at a time.
  // CHECK-LABEL: llvm.func @bytes
  // CHECK: %[[PAIR:.*]] = llvm.shufflevector %[[V:.*]], %[[V]] [0, 1] : vector<8xi32>
  // CHECK-NEXT: llvm.bitcast %[[PAIR]] : vector<2xi32> to vector<8xi8>
  // CHECK: llvm.shufflevector %[[V]], %[[V]] [6, 7] : vector<8xi32>
  // CHECK-NOT: vector<32xi8>
  gpu.func @bytes(%out: !llvm.ptr<1>, %p: !llvm.ptr<1>) kernel {
    %v = llvm.load %p : !llvm.ptr<1> -> vector<8xi32>
    %b = vector.bitcast %v : vector<8xi32> to vector<32xi8>
    %s = arith.addi %b, %b : vector<32xi8>
    %w = vector.bitcast %s : vector<32xi8> to vector<8xi32>
    llvm.store %w, %out : vector<8xi32>, !llvm.ptr<1>
    gpu.return
  }

  // A place that is known at run time only is cut to the chunk, and no cast of the shape is left.
  // CHECK-LABEL: llvm.func @elements
  // CHECK: %[[X:.*]] = llvm.insertelement %x, %{{.*}} : vector<2xf32>
  // CHECK-NEXT: %[[PAIR:.*]] = llvm.insertelement %y, %[[X]]
  // CHECK-NEXT: %[[FIRST:.*]] = llvm.extractelement %[[PAIR]]
  // CHECK-NEXT: %[[SECOND:.*]] = llvm.extractelement %[[PAIR]]
  // CHECK-NEXT: %[[START:.*]] = llvm.insertelement %[[SECOND]]
  // CHECK-NEXT: %[[ALL:.*]] = llvm.shufflevector %[[START]], %[[START]] [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xf32>
  // CHECK-NEXT: %[[OTHER:.*]] = llvm.insertelement %[[FIRST]], %[[ALL]]
  // CHECK-NEXT: %[[PLACE:.*]] = llvm.and %n, %{{.*}} : i32
  // CHECK-NEXT: %[[ONE:.*]] = llvm.extractelement %[[OTHER]][%[[PLACE]] : i32]
  // CHECK-NEXT: llvm.store %[[ONE]]
  // CHECK-NEXT: llvm.store %[[OTHER]]
  gpu.func @elements(%out: !llvm.ptr<1>, %x: f32, %y: f32, %n: i32) kernel {
    %pair = vector.from_elements %x, %y : vector<2xf32>
    %first, %second = vector.to_elements %pair : vector<2xf32>
    %all = vector.broadcast %second : f32 to vector<8xf32>
    %other = vector.insert %first, %all [3] : f32 into vector<8xf32>
    %i = arith.index_cast %n : i32 to index
    %one = vector.extract %other[%i] : f32 from vector<8xf32>
    llvm.store %one, %out : f32, !llvm.ptr<1>
    %same = vector.shape_cast %other : vector<8xf32> to vector<8xf32>
    llvm.store %same, %out : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }

  // What may be anything is one undefined value of its type.
  // CHECK-LABEL: llvm.func @anything
  // CHECK: %[[ANY:.*]] = llvm.mlir.undef : vector<8xf32>
  // CHECK-NOT: llvm.mlir.undef
  // CHECK: llvm.insertelement %{{.*}}, %[[ANY]]
  // CHECK: llvm.store %[[ANY]]
  gpu.func @anything(%out: !llvm.ptr<1>, %x: f32) kernel {
    %a = ub.poison : vector<8xf32>
    %b = llvm.mlir.undef : vector<8xf32>
    %c = llvm.mlir.poison : vector<8xf32>
    %v = vector.insert %x, %a [0] : f32 into vector<8xf32>
    %w = vector.shuffle %b, %c [0, 1, 2, 3, 4, 5, 6, 7] : vector<8xf32>, vector<8xf32>
    llvm.store %v, %out : vector<8xf32>, !llvm.ptr<1>
    llvm.store %w, %out : vector<8xf32>, !llvm.ptr<1>
    gpu.return
  }

  // Masks and steps are constants; a mask that counts compares.
  // CHECK-LABEL: llvm.func @masks
  // CHECK-DAG: %[[FIRST:.*]] = llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
  // CHECK-DAG: %[[STEPS:.*]] = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
  // CHECK: %[[COUNT:.*]] = llvm.shufflevector
  // CHECK-NEXT: %[[MASK:.*]] = llvm.icmp "slt" %[[STEPS]], %[[COUNT]] : vector<4xi64>
  // CHECK-NEXT: llvm.and %[[MASK]], %{{.*}} : vector<4xi1>
  gpu.func @masks(%out: !llvm.ptr<1>, %n: index) kernel {
    %constant = vector.constant_mask [3] : vector<4xi1>
    %created = vector.create_mask %n : vector<4xi1>
    %both = arith.andi %created, %constant : vector<4xi1>
    %steps = vector.step : vector<4xindex>
    %words = arith.index_cast %steps : vector<4xindex> to vector<4xi32>
    %zeros = arith.constant dense<0> : vector<4xi32>
    %chosen = arith.select %both, %words, %zeros : vector<4xi1>, vector<4xi32>
    llvm.store %chosen, %out : vector<4xi32>, !llvm.ptr<1>
    gpu.return
  }
}
