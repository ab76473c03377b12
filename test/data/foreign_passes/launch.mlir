"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64xf32>) -> ()}> ({
  ^bb0(%m: memref<64xf32>):
    %i = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
    %d = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
    %x = memref.load %m[%i] : memref<64xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %m[%d] : memref<64xf32>
    "gpu.return"() : () -> ()
  }) {sym_name = "twice"} : () -> ()
}) : () -> ()
