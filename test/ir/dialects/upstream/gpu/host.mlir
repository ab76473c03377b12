// Memory of the device, copies, waiting, and launches.
//
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s --print-op-generic | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt --allow-unregistered-dialect | xetile-opt | FileCheck %s %}

// CHECK: module attributes {gpu.container_module} {
module attributes {gpu.container_module} {
  // CHECK: gpu.module @kernels {
  gpu.module @kernels {
    // CHECK: gpu.func @k(%{{[a-zA-Z0-9_#]+}}: f32, %{{[a-zA-Z0-9_#]+}}: i32) kernel {
    gpu.func @k(%arg0: f32, %arg1: i32) kernel {
      // CHECK: gpu.return
      gpu.return
    }
    // CHECK: gpu.func @k0() kernel {
    gpu.func @k0() kernel {
      // CHECK: gpu.return
      gpu.return
    }
  }
  // CHECK: func.func @h(%{{[a-zA-Z0-9_#]+}}: index, %{{[a-zA-Z0-9_#]+}}: f32, %{{[a-zA-Z0-9_#]+}}: i32, %{{[a-zA-Z0-9_#]+}}: memref<?xf32>, %{{[a-zA-Z0-9_#]+}}: memref<?xf32>, %{{[a-zA-Z0-9_#]+}}: memref<*xf32>, %{{[a-zA-Z0-9_#]+}}: i64) {
  func.func @h(%arg0: index, %arg1: f32, %arg2: i32, %arg3: memref<?xf32>, %arg4: memref<?xf32>, %arg5: memref<*xf32>, %arg6: i64) {
    // CHECK: gpu.launch_func  @kernels::@k blocks in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) threads in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}})  args(%{{[a-zA-Z0-9_#]+}} : f32, %{{[a-zA-Z0-9_#]+}} : i32)
    gpu.launch_func  @kernels::@k blocks in (%arg0, %arg0, %arg0) threads in (%arg0, %arg0, %arg0)  args(%arg1 : f32, %arg2 : i32)
    // CHECK: gpu.launch_func  @kernels::@k0 blocks in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) threads in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}})
    gpu.launch_func  @kernels::@k0 blocks in (%arg0, %arg0, %arg0) threads in (%arg0, %arg0, %arg0)
    // CHECK: gpu.launch_func  @kernels::@k0 blocks in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) threads in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) : i64 dynamic_shared_memory_size %{{[a-zA-Z0-9_#]+}}
    gpu.launch_func  @kernels::@k0 blocks in (%arg6, %arg6, %arg6) threads in (%arg6, %arg6, %arg6) : i64 dynamic_shared_memory_size %arg2
    // CHECK: gpu.launch_func  @kernels::@k0 clusters in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) blocks in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) threads in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}})   {foo}
    gpu.launch_func  @kernels::@k0 clusters in (%arg0, %arg0, %arg0) blocks in (%arg0, %arg0, %arg0) threads in (%arg0, %arg0, %arg0)   {foo}
    // CHECK: gpu.wait async
    %0 = gpu.wait async
    // CHECK: gpu.launch_func async [%{{[a-zA-Z0-9_#]+}}] @kernels::@k blocks in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) threads in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}})  dynamic_shared_memory_size %{{[a-zA-Z0-9_#]+}} args(%{{[a-zA-Z0-9_#]+}} : f32, %{{[a-zA-Z0-9_#]+}} : i32)
    %1 = gpu.launch_func async [%0] @kernels::@k blocks in (%arg0, %arg0, %arg0) threads in (%arg0, %arg0, %arg0)  dynamic_shared_memory_size %arg2 args(%arg1 : f32, %arg2 : i32)
    // CHECK: gpu.launch_func <%{{[a-zA-Z0-9_#]+}} : !gpu.async.token> @kernels::@k0 blocks in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) threads in (%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}})
    gpu.launch_func <%0 : !gpu.async.token> @kernels::@k0 blocks in (%arg0, %arg0, %arg0) threads in (%arg0, %arg0, %arg0)
    // CHECK: gpu.wait async [%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}]
    %2 = gpu.wait async [%0, %1]
    // CHECK: gpu.wait [%{{[a-zA-Z0-9_#]+}}]
    gpu.wait [%2]
    // CHECK: gpu.wait
    gpu.wait
    // CHECK: gpu.alloc  (%{{[a-zA-Z0-9_#]+}}) : memref<?xf32>
    %memref = gpu.alloc  (%arg0) : memref<?xf32>
    // CHECK: gpu.alloc  () : memref<4xf32>
    %memref_0 = gpu.alloc  () : memref<4xf32>
    // CHECK: gpu.alloc  host_shared () : memref<4xf32>
    %memref_1 = gpu.alloc  host_shared () : memref<4xf32>
    // CHECK: gpu.alloc async [%{{[a-zA-Z0-9_#]+}}] (%{{[a-zA-Z0-9_#]+}}) : memref<?xf32>
    %memref_2, %asyncToken = gpu.alloc async [%0] (%arg0) : memref<?xf32>
    // CHECK: gpu.dealloc  %{{[a-zA-Z0-9_#]+}} : memref<?xf32>
    gpu.dealloc  %memref : memref<?xf32>
    // CHECK: gpu.dealloc async [%{{[a-zA-Z0-9_#]+}}] %{{[a-zA-Z0-9_#]+}} : memref<?xf32>
    %3 = gpu.dealloc async [%asyncToken] %memref_2 : memref<?xf32>
    // CHECK: gpu.memcpy  %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<?xf32>, memref<?xf32>
    gpu.memcpy  %arg3, %arg4 : memref<?xf32>, memref<?xf32>
    // CHECK: gpu.memcpy async [%{{[a-zA-Z0-9_#]+}}] %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<?xf32>, memref<?xf32>
    %4 = gpu.memcpy async [%3] %arg3, %arg4 : memref<?xf32>, memref<?xf32>
    // CHECK: gpu.memcpy async %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<?xf32>, memref<?xf32>
    %5 = gpu.memcpy async %arg3, %arg4 : memref<?xf32>, memref<?xf32>
    // CHECK: gpu.memset  %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<?xf32>, f32
    gpu.memset  %arg3, %arg1 : memref<?xf32>, f32
    // CHECK: gpu.memset async [%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}] %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} : memref<?xf32>, f32
    %6 = gpu.memset async [%4, %3] %arg3, %arg1 : memref<?xf32>, f32
    // CHECK: gpu.host_register %{{[a-zA-Z0-9_#]+}} : memref<*xf32>
    gpu.host_register %arg5 : memref<*xf32>
    // CHECK: gpu.host_unregister %{{[a-zA-Z0-9_#]+}} : memref<*xf32>
    gpu.host_unregister %arg5 : memref<*xf32>
    // CHECK: gpu.set_default_device %{{[a-zA-Z0-9_#]+}}
    gpu.set_default_device %arg2
    // CHECK: gpu.launch blocks(%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) in (%{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}) threads(%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) in (%{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}) {
    gpu.launch blocks(%arg7, %arg8, %arg9) in (%arg13 = %arg0, %arg14 = %arg0, %arg15 = %arg0) threads(%arg10, %arg11, %arg12) in (%arg16 = %arg0, %arg17 = %arg0, %arg18 = %arg0) {
      // CHECK: gpu.terminator
      gpu.terminator
    }
    // CHECK: gpu.launch async [%{{[a-zA-Z0-9_#]+}}] blocks(%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) in (%{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}) threads(%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) in (%{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}) dynamic_shared_memory_size %{{[a-zA-Z0-9_#]+}} {
    %7 = gpu.launch async [%0] blocks(%arg7, %arg8, %arg9) in (%arg13 = %arg0, %arg14 = %arg0, %arg15 = %arg0) threads(%arg10, %arg11, %arg12) in (%arg16 = %arg0, %arg17 = %arg0, %arg18 = %arg0) dynamic_shared_memory_size %arg2 {
      // CHECK: "test.op"(%{{[a-zA-Z0-9_#]+}}) : (index) -> ()
      "test.op"(%arg7) : (index) -> ()
      // CHECK: gpu.terminator
      gpu.terminator
    // CHECK: } {foo}
    } {foo}
    // CHECK: gpu.launch clusters(%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) in (%{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}) blocks(%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) in (%{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}) threads(%{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}}) in (%{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}, %{{[a-zA-Z0-9_#]+}} = %{{[a-zA-Z0-9_#]+}}) workgroup(%{{[a-zA-Z0-9_#]+}} : memref<4xf32, #gpu.address_space<workgroup>>) private(%{{[a-zA-Z0-9_#]+}} : memref<4xf32, #gpu.address_space<private>>) {
    gpu.launch clusters(%arg19, %arg20, %arg21) in (%arg22 = %arg0, %arg23 = %arg0, %arg24 = %arg0) blocks(%arg7, %arg8, %arg9) in (%arg13 = %arg0, %arg14 = %arg0, %arg15 = %arg0) threads(%arg10, %arg11, %arg12) in (%arg16 = %arg0, %arg17 = %arg0, %arg18 = %arg0) workgroup(%arg25 : memref<4xf32, #gpu.address_space<workgroup>>) private(%arg26 : memref<4xf32, #gpu.address_space<private>>) {
      // CHECK: gpu.terminator
      gpu.terminator
    }
    return
  }
}
