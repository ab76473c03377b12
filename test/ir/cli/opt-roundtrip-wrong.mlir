// What is wrong is refused before it is printed to be read back: not all of it can be printed.
// RUN: not xetile-opt --verify-roundtrip %s 2>&1 | FileCheck %s
// CHECK: {{^}}{{.*}}opt-roundtrip-wrong.mlir:[[# @LINE + 1]]:1: error: 'func.func' needs the property 'sym_name'
"func.func"() <{function_type = () -> ()}> ({
}) : () -> ()
