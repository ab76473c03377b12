// What xetile-explore writes, and what it refuses.

// RUN: env XETILE_OCLOC= xetile-explore %examples/gemm_f16_plain.mlir --device bmg --unroll 2 -o %t.html 2>&1 | FileCheck %s --check-prefix=WROTE
// WROTE: xetile-explore: wrote {{.*}}.html ({{[0-9,]+}} bytes)
// RUN: FileCheck %s --check-prefix=PAGE --input-file=%t.html
// PAGE: Content-Security-Policy
// RUN: env XETILE_OCLOC= xetile-explore %examples/gemm_f16_plain.mlir --device bmg --unroll 2 --json -o %t.json
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// JSON-DAG: "device":{{ ?}}"bmg"
// JSON-DAG: "unroll":{{ ?}}2
// JSON-DAG: "name":{{ ?}}"gemm"
// RUN: sed 's/"device":"bmg"/"device":"pvc"/' %t.json > %t.pvc.json
// RUN: xetile-explore %t.json --compare %t.pvc.json -o %t.both.html

// RUN: not xetile-explore %t.nothing 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: {{.*}}no such file
// RUN: not xetile-explore %s --device none -o - 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: xetile-explore: error: {{.*}}'none'
// RUN: not xetile-explore %s -o - 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error: there is no kernel
// RUN: not xetile-explore %examples/softmax.mlir --kernel sotfmax -o - 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: there is no kernel 'sotfmax'; did you mean 'softmax'?
// RUN: not xetile-explore %s --serve --json 2>&1 | FileCheck %s --check-prefix=SERVE
// SERVE: xetile-explore: error: --serve shows a page, which --json does not write; leave out one
// RUN: not xetile-explore %s --serve -o %t.html 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: xetile-explore: error: --serve writes no file; leave out -o
// RUN: not xetile-explore - --serve < %s 2>&1 | FileCheck %s --check-prefix=STANDARD
// STANDARD: xetile-explore: error: --serve follows a file, which standard input is not
// RUN: not xetile-explore %s --json --compare %s 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: xetile-explore: error: --json writes one exploration; leave out --compare
// RUN: not xetile-explore - --compare - -o %t.html < %s 2>&1 | FileCheck %s --check-prefix=ONCE
// ONCE: xetile-explore: error: standard input is read once; give one of the two as a file
// RUN: not xetile-explore %t.json --json 2>&1 | FileCheck %s --check-prefix=EARLIER
// EARLIER: xetile-explore: error: {{.*}} is what --json writes already
// RUN: not xetile-explore %t.json --device bmg 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: xetile-explore: error: {{.*}} was explored before; leave out --device
