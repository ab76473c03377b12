// REQUIRES: mlir-opt
// RUN: not xetile-opt -p 'mlir{pipeline="canonicalise"}' %s 2>&1 | FileCheck --check-prefix=NAME %s
// RUN: not xetile-opt -p 'mlir{pipeline="canonicalize{speed=3}"}' %s 2>&1 | FileCheck --check-prefix=OPTION %s
// RUN: not xetile-opt -p 'mlir{pipeline="gpu.module(convert-cf-to-llvm)"}' %s 2>&1 | FileCheck --check-prefix=NESTED %s
// RUN: not xetile-opt -p mlir %s 2>&1 | FileCheck --check-prefix=NEEDED %s

// NAME: {{^}}xetile-opt: error: MLIR does not take the pipeline: 'canonicalise' does not refer to a registered pass or pass pipeline{{$}}
// OPTION: {{^}}xetile-opt: error: MLIR does not take the pipeline: no such option speed{{$}}
// NESTED: {{^}}xetile-opt: error: MLIR does not take the pipeline: Can't add pass 'ConvertControlFlowToLLVMPass' restricted to 'builtin.module'
// NEEDED: {{^}}xetile-opt: error: pass 'mlir' needs the option 'pipeline'
