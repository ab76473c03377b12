// Several inputs and devices are files of a folder, made in processes; what is up to date is left.
// RUN: rm -rf %t && mkdir %t && cp %examples/gemm_f16_plain.mlir %t/a.mlir && cp %examples/gemm_i8_plain.mlir %t/b.mlir
// RUN: xetile-compile %t/a.mlir --device bmg,pvc %t/b.mlir -o %t/out --jobs 2 2>&1 | FileCheck %s
// CHECK: {{^}}xetile-compile: 1 of 4: wrote {{.*}}/out/a.bmg.spv ({{[0-9,]+}} bytes){{$}}
// CHECK-NEXT: {{^}}xetile-compile: 2 of 4: wrote {{.*}}/out/a.pvc.spv (
// CHECK-NEXT: {{^}}xetile-compile: 3 of 4: wrote {{.*}}/out/b.bmg.spv (
// CHECK-NEXT: {{^}}xetile-compile: 4 of 4: wrote {{.*}}/out/b.pvc.spv (
// CHECK-NEXT: {{^}}xetile-compile: 4 written{{$}}
// RUN: FileCheck %s --check-prefix=CONTRACT --input-file=%t/out/b.pvc.spv.json
// CONTRACT: "name": "gemm"
// CONTRACT: "device": "pvc"
// RUN: rm %t/out/a.pvc.spv
// RUN: xetile-compile %t/a.mlir %t/b.mlir --device bmg,pvc -o %t/out 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: {{^}}xetile-compile: 1 of 4: {{.*}}/out/a.bmg.spv is up to date{{$}}
// AGAIN-NEXT: {{^}}xetile-compile: 2 of 4: wrote {{.*}}/out/a.pvc.spv (
// AGAIN: {{^}}xetile-compile: 1 written, 3 up to date{{$}}
// RUN: xetile-compile %t/a.mlir --device bmg -o %t/out --force 2>&1 | FileCheck %s --check-prefix=FORCED
// FORCED: {{^}}xetile-compile: 1 written{{$}}

// What fails does not stop the others; what is said holds once. An input without a name is called stdin.
// RUN: not xetile-compile %t/a.mlir - %t/gone.mlir %t/b.mlir -o %t/other < %S/Inputs/f64.mlir 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: {{^}}{{.*}}a.mlir:{{[0-9:]+}} remark: the device is pvc
// FAILS: 1 of 4: wrote {{.*}}/other/a.spv (
// FAILS-NEXT: {{^}}<stdin>:11:5: error: pvc has no matrix instruction for A f64
// FAILS: {{^}}xetile-compile: error: cannot read '{{.*}}gone.mlir': no such file or directory
// FAILS-NOT: remark
// FAILS: 4 of 4: wrote {{.*}}/other/b.spv (
// FAILS: {{^}}xetile-compile: 2 written, 2 failed{{$}}
// RUN: xetile-compile - --device bmg --emit xevm -o %t/text/ < %t/a.mlir 2>&1 | FileCheck %s --check-prefix=STDIN
// STDIN: wrote {{.*}}/text/stdin.bmg.xevm.mlir (
