// The code that upstream makes of a gpu.module, and which target it is made for.
//
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s --print-op-generic | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt | FileCheck %s %}
// RUN: %if mlir-opt %{ %mlir-opt %s --mlir-print-op-generic | xetile-opt | FileCheck %s %}

// CHECK: gpu.binary @kernels  [#gpu.object<#xevm.target<chip = "pvc">, properties = {O = 3 : i32}, bin = "\03\02#\07\00\FF\22">]
gpu.binary @kernels [#gpu.object<#xevm.target<chip = "pvc">, properties = {O = 3 : i32}, bin = "\03\02#\07\00\FF\22">]

// CHECK: gpu.binary @table {note} [#gpu.object<#xevm.target, kernels = <[#gpu.kernel_metadata<"f", () -> ()>, #gpu.kernel_metadata<"g", (i32, f32) -> (), arg_attrs = [{}, {a}], metadata = {b = 3 : i32}>]>, offload = "BC">]
gpu.binary @table {note} [#gpu.object<#xevm.target, kernels = <[#gpu.kernel_metadata<"f", () -> ()>, #gpu.kernel_metadata<"g", (i32, f32) -> (), arg_attrs = [{}, {a}], metadata = {b = 3 : i32}>]>, offload = "BC">]

// CHECK: gpu.binary @several <#gpu.select_object<1 : i64>> [#gpu.object<#xevm.target, "abc\0A">, #gpu.object<#xevm.target, assembly = "OpCapability">]
gpu.binary @several <#gpu.select_object<1>> [#gpu.object<#xevm.target, fatbin = "abc\0A">, #gpu.object<#xevm.target, assembly = "OpCapability">]

// CHECK: gpu.module @offered<#gpu.select_object<#xevm.target>> [#xevm.target, #xevm.target<chip = "cri">] {
gpu.module @offered <#gpu.select_object<#xevm.target>> [#xevm.target, #xevm.target<chip = "cri">] {
}
