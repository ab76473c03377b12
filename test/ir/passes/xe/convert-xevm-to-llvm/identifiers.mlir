// RUN: xetile-opt --convert-xevm-to-llvm %s | FileCheck %s

// Ids and sizes are calls of OpenCL's functions; what the launch fixes is a number, and no call.

gpu.module @m {
  // An axis is an argument. Numbers of 64 bits are cut to the 32 that their range asks for.
  // CHECK-LABEL: llvm.func @along_axes
  // CHECK-DAG: %[[X:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK-DAG: %[[GROUPS:.*]] = llvm.mlir.constant(4 : i32)
  // CHECK-DAG: %[[SIZE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[ID:.*]] = llvm.call @_Z12get_group_idj(%[[X]]) : (i32) -> i64
  // CHECK-NEXT: %[[GROUP:.*]] = llvm.trunc %[[ID]] : i64 to i32
  // CHECK-NEXT: llvm.call @_Z13get_global_idj(%[[X]])
  // CHECK: %[[SUM:.*]] = llvm.add %[[GROUP]], %[[GROUPS]] : i32
  // CHECK-NEXT: llvm.add %[[SUM]], %[[SIZE]] : i32
  gpu.func @along_axes(%out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 16, 2, 1>, known_grid_size = array<i32: 4, 4, 1>} {
    %group = gpu.block_id x
    %groups = gpu.grid_dim y
    %size = gpu.block_dim z
    %global = gpu.global_id x
    %0 = arith.addi %group, %groups : index
    %1 = arith.addi %0, %size : index
    %2 = arith.addi %1, %global : index
    %3 = arith.index_cast %2 : index to i64
    llvm.store %3, %out : i64, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @local
  // CHECK: %[[Y:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: llvm.call @_Z12get_local_idj(%[[Y]])
  gpu.func @local(%out: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 16, 2, 1>, xetile.level = "lane"} {
    %thread = gpu.thread_id y
    %n = arith.index_cast %thread : index to i32
    llvm.store %n, %out : i32, !llvm.ptr<1>
    gpu.return
  }

  // XeVM's ops have the axis in their names.
  // CHECK-LABEL: llvm.func @of_xevm
  // CHECK-DAG: %[[X:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK-DAG: %[[Y:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK-DAG: %[[Z:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @_Z12get_local_idj(%[[X]])
  // CHECK: llvm.call @_Z12get_local_idj(%[[Y]])
  // CHECK: llvm.call @_Z12get_local_idj(%[[Z]])
  // CHECK: llvm.call @_Z14get_local_sizej(%[[X]])
  // CHECK: llvm.call @_Z14get_local_sizej(%[[Y]])
  // CHECK: llvm.call @_Z14get_local_sizej(%[[Z]])
  // CHECK: llvm.call @_Z12get_group_idj(%[[X]])
  // CHECK: llvm.call @_Z12get_group_idj(%[[Y]])
  // CHECK: llvm.call @_Z12get_group_idj(%[[Z]])
  // CHECK: llvm.call @_Z14get_num_groupsj(%[[X]])
  // CHECK: llvm.call @_Z14get_num_groupsj(%[[Y]])
  // CHECK: llvm.call @_Z14get_num_groupsj(%[[Z]])
  gpu.func @of_xevm(%out: !llvm.ptr<1>) kernel {
    %0 = xevm.local_id.x : i32
    %1 = xevm.local_id.y : i32
    %2 = xevm.local_id.z : i32
    %3 = xevm.local_size.x : i32
    %4 = xevm.local_size.y : i32
    %5 = xevm.local_size.z : i32
    %6 = xevm.group_id.x : i32
    %7 = xevm.group_id.y : i32
    %8 = xevm.group_id.z : i32
    %9 = xevm.group_count.x : i32
    %10 = xevm.group_count.y : i32
    %11 = xevm.group_count.z : i32
    llvm.store %11, %out : i32, !llvm.ptr<1>
    gpu.return
  }

  // A subgroup has 16 lanes wherever it runs, so nothing asks for its size.
  // CHECK-LABEL: llvm.func @of_subgroups
  // CHECK: llvm.call @_Z22get_sub_group_local_idv() : () -> i32
  // CHECK-NEXT: llvm.call @_Z16get_sub_group_idv() : () -> i32
  // CHECK-NEXT: llvm.call @_Z18get_num_sub_groupsv() : () -> i32
  // CHECK-NEXT: llvm.call @_Z22get_sub_group_local_idv() : () -> i32
  // CHECK-NEXT: llvm.call @_Z16get_sub_group_idv() : () -> i32
  // CHECK-NEXT: llvm.return
  gpu.func @of_subgroups(%out: !llvm.ptr<1>) kernel attributes {xetile.level = "lane"} {
    %0 = gpu.lane_id
    %1 = gpu.subgroup_id : index
    %2 = gpu.num_subgroups : index
    %3 = gpu.subgroup_size : index
    %4 = xevm.lane_id : i32
    %5 = xevm.subgroup_id : i32
    %6 = xevm.subgroup_size : i32
    gpu.return
  }

  // A barrier orders both kinds of memory (3). A fence says which one, that it acquires and releases (4), and for whom.
  // CHECK-LABEL: llvm.func @waiting
  // CHECK-DAG: %[[BOTH:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK-DAG: %[[ORDER:.*]] = llvm.mlir.constant(4 : i32)
  // CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: llvm.call @_Z7barrierj(%[[BOTH]]) : (i32) -> ()
  // CHECK-NEXT: llvm.call @_Z22atomic_work_item_fencejii(%[[ONE]], %[[ORDER]], %[[ONE]]) : (i32, i32, i32) -> ()
  // CHECK-NEXT: llvm.call @_Z22atomic_work_item_fencejii(%[[TWO]], %[[ORDER]], %[[TWO]]) : (i32, i32, i32) -> ()
  gpu.func @waiting() kernel {
    gpu.barrier
    xevm.memfence <{addrspace = #xevm.addr_space<shared>, scope = #xevm.mem_scope<workgroup>}>
    xevm.memfence <{addrspace = #xevm.addr_space<global>, scope = #xevm.mem_scope<device>}>
    gpu.return
  }
}
