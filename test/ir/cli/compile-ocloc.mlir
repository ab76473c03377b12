// REQUIRES: ocloc
// RUN: xetile-compile %examples/gemm_f16_plain.mlir --device bmg --emit asm --stats=%t.json -o %t.asm
// RUN: FileCheck %s --check-prefix=ASM --input-file=%t.asm
// ASM: // kernel gemm
// ASM: dpas.8x8
// RUN: FileCheck %s --check-prefix=STATS --input-file=%t.json
// STATS-DAG: "load2d": 3,
// STATS-DAG: "prefetch2d": 0,
// STATS-DAG: "dpas": 32,
// STATS-DAG: "spill_size": 0,
// RUN: xetile-compile %examples/gemm_f16_plain.mlir --device bmg --emit zebin --stats -o %t.bin | FileCheck %s --check-prefix=STATS
// RUN: FileCheck %s --check-prefix=CONTRACT --input-file=%t.bin.json
// CONTRACT: "name": "gemm"
