// Wrong calls: one line, status 1.
// RUN: not xetile-opt --csee %s 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: {{^}}xetile-opt: error: unrecognized argument '--csee'; did you mean '--cse'?{{$}}
// RUN: not xetile-opt -p csee %s 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: {{^}}xetile-opt: error: unknown pass 'csee'; did you mean 'cse'?{{$}}
// RUN: not xetile-opt --cse="x=1" %s 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: {{^}}xetile-opt: error: pass 'cse' has no option 'x'; its options: none{{$}}
// RUN: not xetile-opt -p 'cse{' %s 2>&1 | FileCheck %s --check-prefix=SPEC
// SPEC: {{^}}xetile-opt: error: pass pipeline: missing '}' in 'cse{'
// RUN: not xetile-opt -t nonsense %s 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: {{^}}xetile-opt: error: unknown target 'nonsense'; expected one of
// RUN: not xetile-opt %s.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: {{^}}xetile-opt: error: cannot read '{{.*}}opt-errors.mlir.missing': no such file or directory; did you mean '{{.*}}opt-errors.mlir'?{{$}}
// RUN: not xetile-opt %s -o %t.missing/out.mlir 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: {{^}}xetile-opt: error: cannot write '{{.*}}out.mlir': no such file or directory; there is no folder '{{.*}}.missing'{{$}}

// A failure leaves the output file as it was.
// RUN: echo "kept" > %t.out
// RUN: not xetile-opt %S/Inputs/wrong.mlir -o %t.out 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: FileCheck %s --check-prefix=KEPT --input-file=%t.out
// WRONG: {{^}}{{.*}}wrong.mlir:2:3: error: {{.+$}}
// KEPT: kept

// Text that is no text.
// RUN: printf 'module {\n\377' > %t.bytes
// RUN: not xetile-opt %t.bytes 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: {{^}}{{.*}}.bytes:2:1: error: byte 0xff is not valid UTF-8{{$}}

module {}
